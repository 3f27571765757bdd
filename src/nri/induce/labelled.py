"""From a table and a target, as a person names it, to a labelled table."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from nri.episode import FloatArray
from nri.errors import InputError
from nri.induce.path import LabelledTable
from nri.rule import Kind, Label
from nri.table.cells import read_cells
from nri.table.coerce import coerce
from nri.table.columns import require_columns
from nri.table.notes import note_once
from nri.table.target import TargetedTable, alike_classes, class_index, take_target


@dataclass(frozen=True, eq=False)
class Asked:
    """The table a rule is asked for, and which class it is to be about."""

    table: LabelledTable
    positive: int | None
    remark: str
    """What was read, in one line."""


def label_table(
    frame: pd.DataFrame, target: str, positive: Label | None = None, weights: str | None = None
) -> Asked:
    """Split the target, and a column of weights if there is one, off a table.

    A positive class of a target with several classes makes it a matter of two: this class, or another.
    The positive class of a comparison such as ``price > 100`` is that it holds.

    >>> asked = label_table(pd.DataFrame({"price": [50, 150], "size": [1, 2]}), "price > 100")
    >>> asked.table.classes, asked.positive, asked.remark
    ((False, True), 1, '2 rows (1 False, 1 True), 1 columns')
    """
    if weights is not None:
        require_columns(frame, [weights])
    split = take_target(frame, target)
    note_once(split.name, alike_classes(split.classes))
    features, row_weights = _take_weights(split.features, weights)
    classes, codes = split.classes, split.codes
    index = None if positive is None else class_index(classes, positive)
    if index is None and target not in frame.columns:
        index = 1
    elif index is not None and len(classes) > 2:
        chosen = str(classes[index])
        other = "other" if chosen != "other" else "rest"
        classes, codes, index = (other, chosen), np.asarray(codes == index, dtype=np.int64), 1
    table = LabelledTable(features, codes, classes, split.name, row_weights)
    return Asked(table, index, _remark(split))


def _take_weights(features: pd.DataFrame, name: str | None) -> tuple[pd.DataFrame, FloatArray | None]:
    if name is None:
        return features, None
    if name not in features.columns:
        raise InputError(f"column {name!r} cannot be target and weights; choose another column of weights")
    column = coerce(read_cells(features[name]), Kind.NUMBER, name)
    bad = ~column.known | ~np.isfinite(column.values) | (column.values < 0)
    if bad.any():
        raise InputError(
            f"weights {name!r}: {int(bad.sum())} cells are missing or no number of 0 or more; correct them"
        )
    if not column.values.any():
        raise InputError(f"every weight in {name!r} is zero; give at least one row some weight")
    others = features.drop(columns=name)
    if not others.shape[1]:
        raise InputError("the table has no column but target and weights; give columns to explain it by")
    return others, column.values


def _remark(split: TargetedTable) -> str:
    rows = len(split.codes)
    counts = np.bincount(split.codes, minlength=len(split.classes))
    classes = ", ".join(
        f"{count} {label}" for count, label in zip(counts.tolist(), split.classes, strict=True)
    )
    dropped = f"; {split.dropped} more without a target are left out" if split.dropped else ""
    return f"{rows} rows ({classes}), {split.features.shape[1]} columns{dropped}"
