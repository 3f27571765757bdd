"""Tables: reading files and what callers hold, column by column, once; boolean variables; writing."""

from nri.outcome import Classes, Number, Survival
from nri.rule.column import register_reader
from nri.table.binarizer import Binarizer, LeftOut, Reason, describe_left_out
from nri.table.frames import as_frame
from nri.table.source import Source, open_source, read_columns, read_table, table_of
from nri.table.table import Note, Table
from nri.table.target import class_index, label_table, with_survival, with_target
from nri.table.write import atomic_file, write_beside, write_table

register_reader(read_columns)  # from here on rules predict on whatever a table can be read from

__all__ = [
    "Binarizer",
    "Classes",
    "LeftOut",
    "Note",
    "Number",
    "Reason",
    "Source",
    "Survival",
    "Table",
    "as_frame",
    "atomic_file",
    "class_index",
    "describe_left_out",
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
