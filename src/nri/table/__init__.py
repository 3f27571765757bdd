"""Tables: reading files and what callers hold, column by column, once; boolean variables; writing."""

from nri.outcome import Classes, Number, Survival
from nri.rule.column import register_reader
from nri.table.atomic import atomic_file
from nri.table.binarizer import Binarizer
from nri.table.files import open_source, read_table
from nri.table.source import Source, as_frame, read_columns, table_of
from nri.table.table import Note, Table
from nri.table.target import class_index, label_table, with_survival, with_target
from nri.table.usable import LeftOut, Reason, describe_left_out
from nri.table.write import write_beside, write_table

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
