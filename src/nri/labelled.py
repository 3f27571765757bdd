"""From a table and a target, as a person names it, to a labelled table."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from nri.induction import LabelledTable
from nri.rule import Label
from nri.table.target import TargetedTable, class_index, take_target


@dataclass(frozen=True, eq=False)
class Asked:
    """The table a rule is asked for, and which class it is to be about."""

    table: LabelledTable
    positive: int | None
    remark: str
    """What was read, in one line."""


def label_table(frame: pd.DataFrame, target: str, positive: Label | None = None) -> Asked:
    """Split the target off a table.

    A positive class of a target with several classes makes it a matter of two: this class, or another.
    The positive class of a comparison such as ``price > 100`` is that it holds.

    >>> asked = label_table(pd.DataFrame({"price": [50, 150], "size": [1, 2]}), "price > 100")
    >>> asked.table.classes, asked.positive, asked.remark
    ((False, True), 1, '2 rows (1 False, 1 True), 1 columns')
    """
    split = take_target(frame, target)
    classes, codes = split.classes, split.codes
    index = None if positive is None else class_index(classes, positive)
    if index is None and target not in frame.columns:
        index = 1
    elif index is not None and len(classes) > 2:
        chosen = str(classes[index])
        other = "other" if chosen != "other" else "rest"
        classes, codes, index = (other, chosen), np.asarray(codes == index, dtype=np.int64), 1
    table = LabelledTable(split.features, codes, classes, split.name)
    return Asked(table, index, _remark(split))


def _remark(split: TargetedTable) -> str:
    rows = len(split.codes)
    counts = np.bincount(split.codes, minlength=len(split.classes))
    classes = ", ".join(
        f"{count} {label}" for count, label in zip(counts.tolist(), split.classes, strict=True)
    )
    dropped = f"; {split.dropped} more without a target are left out" if split.dropped else ""
    return f"{rows} rows ({classes}), {split.features.shape[1]} columns{dropped}"
