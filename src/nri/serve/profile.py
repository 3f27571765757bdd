"""Columns of an uploaded table, as the page lists them: what can be asked about each, and by each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from nri.errors import InputError
from nri.rule import Kind, Value
from nri.rule.column import Column
from nri.rule.labels import Label
from nri.rule.literal import plain_value
from nri.table.cells import is_integer, read_cells
from nri.table.coerce import coerce
from nri.table.kinds import CategoryLimits, kind_or_reason
from nri.table.rounding import plain_number
from nri.table.target import encode_target

MAX_VALUES = 60
"""Most categories of one column that the page offers in a list."""
_TARGET_NAMES = ("target", "label", "class", "outcome", "y", "diagnosis", "result", "survived", "churn")
"""Columns of these names are what people mostly want explained."""


@dataclass(frozen=True)
class ColumnProfile:
    """What the page needs to know about a column."""

    name: str
    kind: Kind
    """how conditions compare it"""
    left_out: str | None
    """why no rule will use it, None if one may"""
    missing: int
    distinct: int
    values: tuple[str, ...]
    """the most frequent categories of a text column"""
    low: Value | None
    middle: Value | None
    high: Value | None
    """least, middle and greatest cell of a number or date column"""


@dataclass(frozen=True)
class TargetProfile:
    """What a column offers as a target: classes, or a comparison that makes it true or false."""

    column: str
    classes: tuple[tuple[Label, int], ...]
    """labels and their numbers of rows; empty if it has too many values"""
    compare: tuple[str, Value] | None
    """an operator and a value to compare with, for a column with too many values"""
    problem: str | None
    """why it cannot be a target at all"""


def profile_columns(frame: pd.DataFrame) -> tuple[ColumnProfile, ...]:
    """Describe each column of a table."""
    return tuple(_profile(frame[name]) for name in frame.columns)


def profile_target(series: "pd.Series[Any]") -> TargetProfile:
    """Tell what a column offers as a target.

    >>> profile_target(pd.Series(["yes", "no", "yes"], name="flu")).classes
    (('no', 1), ('yes', 2))
    >>> profile_target(pd.Series(range(100), name="age")).compare
    ('>', 49)
    """
    name = str(series.name)
    try:
        codes, classes = encode_target(series)
    except InputError as error:
        column = read_cells(series)
        if not column.known.any() or len(pd.unique(column.values[column.known])) < 2:
            return TargetProfile(name, (), None, str(error))
        return TargetProfile(name, (), _comparison(column), None)
    counts = np.bincount(codes[codes >= 0], minlength=len(classes))
    return TargetProfile(name, tuple(zip(classes, counts.tolist(), strict=True)), None, None)


def guess_target(columns: Sequence[ColumnProfile]) -> str | None:
    """Return the column that most people would want explained, None if none suggests itself."""
    possible = [column for column in columns if 2 <= column.distinct <= 20 and column.left_out is None]
    for name in _TARGET_NAMES:
        for column in possible:
            if column.name.strip().lower() == name:
                return column.name
    return possible[-1].name if possible and possible[-1] is columns[-1] else None


def _profile(series: "pd.Series[Any]") -> ColumnProfile:
    name = str(series.name)
    column = read_cells(series)
    decided = kind_or_reason(column, name, whole=is_integer(series), limits=CategoryLimits())
    left_out = None if isinstance(decided, Kind) else str(decided)
    if isinstance(decided, Kind):
        column = coerce(column, decided, name)
    codes, distinct = pd.factorize(column.values[column.known])
    values: tuple[str, ...] = ()
    low = middle = high = None
    if column.kind is Kind.TEXT:
        order = np.argsort(-np.bincount(codes, minlength=len(distinct)), kind="stable")[:MAX_VALUES]
        values = tuple(sorted(str(distinct[i]) for i in order))
    elif column.kind in (Kind.NUMBER, Kind.DATE) and len(distinct):
        low, middle, high = _range(np.sort(column.values[column.known]))
    return ColumnProfile(
        name, column.kind, left_out, int((~column.known).sum()), len(distinct), values, low, middle, high
    )


def _range(cells: Any) -> tuple[Value | None, Value | None, Value | None]:
    if cells.dtype.kind == "f":
        cells = cells[np.isfinite(cells)]
    if not len(cells):
        return None, None, None
    return plain_value(cells[0]), plain_value(_cut(cells)), plain_value(cells[-1])


def _comparison(column: Column) -> tuple[str, Value]:
    """Cut numbers and dates in the middle; of many texts ask for the most frequent one."""
    cells = np.sort(column.values[column.known])
    if column.kind is Kind.TEXT:
        codes, distinct = pd.factorize(cells)
        return "=", str(distinct[int(np.argmax(np.bincount(codes)))])
    return ">", plain_value(_cut(cells))


def _cut(cells: Any) -> Any:
    """Return a plain number near the median of sorted cells, with cells on both sides if there can be."""
    middle = cells[(len(cells) - 1) // 2]
    if cells.dtype.kind != "f":
        return middle
    above = cells[cells > middle]
    return plain_number(float(middle), float(above[0])) if len(above) else float(middle)
