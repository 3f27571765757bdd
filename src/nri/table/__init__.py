"""Tables: reading files and what callers hold, column by column, once; boolean variables; writing."""

from nri.table.atomic import atomic_file
from nri.table.binarizer import Binarizer
from nri.table.files import open_source, read_table
from nri.table.source import Source, as_frame, read_columns, table_of
from nri.table.table import Note, Table, Target
from nri.table.target import class_index, label_table
from nri.table.usable import LeftOut, Reason, describe_left_out
from nri.table.write import write_beside, write_table

__all__ = [
    "Binarizer",
    "LeftOut",
    "Note",
    "Reason",
    "Source",
    "Table",
    "Target",
    "as_frame",
    "atomic_file",
    "class_index",
    "describe_left_out",
    "label_table",
    "open_source",
    "read_columns",
    "read_table",
    "table_of",
    "write_beside",
    "write_table",
]
