"""Columns of an uploaded table, as the page lists them: what can be asked about each, and by each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nri.errors import InputError
from nri.rule import Kind, Value
from nri.rule.column import Column
from nri.rule.labels import Label
from nri.rule.literal import plain_value
from nri.table.answers import read_answers
from nri.table.rounding import plain_number
from nri.table.table import Table
from nri.table.target import encode
from nri.table.usable import why_useless

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


def profile_columns(table: Table) -> tuple[ColumnProfile, ...]:
    """Describe each column of a table."""
    return tuple(_profile(name, table) for name in table.names)


def profile_target(table: Table, name: str) -> TargetProfile:
    """Tell what a column offers as a target.

    >>> from nri.table import table_of
    >>> profile_target(table_of({"flu": ["yes", "no", "yes"]}), "flu").classes
    (('no', 1), ('yes', 2))
    >>> profile_target(table_of({"age": range(100)}), "age").compare
    ('>', 49)
    """
    answers = read_answers(table, name)
    try:
        labels, _ = encode(answers)
    except InputError as error:
        if len(answers.labels.distinct()[0]) < 2:
            return TargetProfile(name, (), None, str(error))
        return TargetProfile(name, (), _comparison(answers.labels), None)
    counts = np.bincount(labels.codes, minlength=len(labels.classes))
    return TargetProfile(name, tuple(zip(labels.classes, counts.tolist(), strict=True)), None, None)


def guess_target(columns: Sequence[ColumnProfile]) -> str | None:
    """Return the column that most people would want explained, None if none suggests itself."""
    possible = [column for column in columns if 2 <= column.distinct <= 20 and column.left_out is None]
    for name in _TARGET_NAMES:
        for column in possible:
            if column.name.strip().lower() == name:
                return column.name
    return possible[-1].name if possible and possible[-1] is columns[-1] else None


def _profile(name: str, table: Table) -> ColumnProfile:
    column = table.columns[name]
    useless = why_useless(column, name, whole=table.plans[name].whole)
    distinct, counts = column.distinct()
    values: tuple[str, ...] = ()
    low = middle = high = None
    if column.kind is Kind.TEXT:
        order = np.argsort(-counts, kind="stable")[:MAX_VALUES]
        values = tuple(sorted(str(distinct[i]) for i in order))
    elif column.kind in (Kind.NUMBER, Kind.DATE) and len(distinct):
        cells = np.sort(column.values[column.known])
        low, middle, high = plain_value(cells[0]), plain_value(_cut(cells)), plain_value(cells[-1])
    missing = int((~column.known).sum())
    left_out = None if useless is None else str(useless)
    return ColumnProfile(name, column.kind, left_out, missing, len(distinct), values, low, middle, high)


def _comparison(column: Column) -> tuple[str, Value]:
    """Cut numbers and dates in the middle; of many texts ask for the most frequent one."""
    if column.kind is Kind.TEXT:
        distinct, counts = column.distinct()
        return "=", str(distinct[int(np.argmax(counts))])
    return ">", plain_value(_cut(np.sort(column.values[column.known])))


def _cut(cells: Any) -> Any:
    """Return a plain number near the median of sorted cells, with cells on both sides if there can be."""
    middle = cells[(len(cells) - 1) // 2]
    if cells.dtype.kind != "f":
        return middle
    above = cells[cells > middle]
    return plain_number(float(middle), float(above[0])) if len(above) else float(middle)
