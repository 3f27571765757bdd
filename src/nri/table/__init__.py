"""Tables: reading files and what callers hold, column by column, once; boolean variables; writing."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nri.outcome import Classes
from nri.rule.rule import extend
from nri.table.binarizer import Binarizer
from nri.table.codes import ReadOptions
from nri.table.left_out import LeftOut, Reason
from nri.table.source import Source, open_source, read_columns, source_of, table_of
from nri.table.table import Table
from nri.table.target import label_table, with_survival, with_target

if TYPE_CHECKING:
    from nri.table.write import atomic_file, write_beside, write_table

extend(read=read_columns)  # from here on rules predict on whatever a table can be read from

__all__ = ["Binarizer", "Classes", "LeftOut", "ReadOptions", "Reason", "Source", "Table"]
__all__ += ["label_table", "open_source", "read_columns", "source_of", "table_of"]
__all__ += ["atomic_file", "with_survival", "with_target", "write_beside", "write_table"]


def __getattr__(name: str) -> Any:
    """Load what writes when it is needed: a small run writes no table."""
    if name not in __all__:
        raise AttributeError(f"module 'nri.table' has no attribute {name!r}")
    return getattr(import_module("nri.table.write"), name)
