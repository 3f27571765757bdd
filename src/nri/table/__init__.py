"""Tables: reading files and what callers hold, column by column, once; boolean variables; writing."""

from typing import TYPE_CHECKING, Any

from nri.outcome import Classes
from nri.rule.rule import extend
from nri.table.binarizer import Binarizer
from nri.table.codes import ReadOptions
from nri.table.left_out import LeftOut, Reason
from nri.table.source import Source, open_source, read_columns, read_table, table_of
from nri.table.survival import with_survival
from nri.table.table import Table
from nri.table.target import label_table, with_target

if TYPE_CHECKING:
    from nri.table.frames import as_frame
    from nri.table.write import atomic_file, write_beside, write_table

extend(read=read_columns)  # from here on rules predict on whatever a table can be read from

__all__ = [
    "Binarizer",
    "Classes",
    "LeftOut",
    "ReadOptions",
    "Reason",
    "Source",
    "Table",
    "as_frame",
    "atomic_file",
    "label_table",
    "open_source",
    "read_columns",
    "read_table",
    "table_of",
    "with_survival",
    "with_target",
    "write_beside",
    "write_table",
]


def __getattr__(name: str) -> Any:
    """Load what works on DataFrames when it is asked for: a small text file is read without pandas."""
    if name == "as_frame":
        from nri.table import frames as module
    elif name in ("atomic_file", "write_beside", "write_table"):
        from nri.table import write as module  # type: ignore[no-redef]
    else:
        raise AttributeError(f"module 'nri.table' has no attribute {name!r}")
    return getattr(module, name)
