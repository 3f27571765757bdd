"""Tables: reading files, naming predicates, turning columns into boolean variables."""

from nri.table.atomic import atomic_file
from nri.table.binarizer import Binarizer, BooleanTable
from nri.table.columns import columns_for, columns_of, kinds_read
from nri.table.frame import as_frame
from nri.table.kinds import LeftOut, Reason, describe_left_out
from nri.table.read import read_table
from nri.table.target import TargetedTable, class_index, encode_target, take_target
from nri.table.write import write_table

__all__ = [
    "Binarizer",
    "BooleanTable",
    "LeftOut",
    "Reason",
    "TargetedTable",
    "as_frame",
    "atomic_file",
    "class_index",
    "columns_for",
    "columns_of",
    "describe_left_out",
    "encode_target",
    "kinds_read",
    "read_table",
    "take_target",
    "write_table",
]
