"""What a caller knows of cells beyond what they show, and numbers that look like codes for nothing.

Questionnaires and registers write -999 or 9 where nothing was measured, and 1 and 2 for no and yes. A caller
can say so for a column or for all of them; codes that can hardly be anything else are found here.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import IntArray
from nri.errors import InputError, UnknownColumnError
from nri.rule.column import ColumnPlan
from nri.rule.literal import Kind
from nri.table.cells import as_code

_CODES = (*(sign * int("9" * n) for n in range(1, 6) for sign in (1, -1)), 90, 98, 998, 88, 888, 77, 777)
"""Numbers that are written where there is none."""
_SMALL = 9  # widest range of numbers that may be codes of answers themselves, as 1 to 5


@dataclass(frozen=True)
class ReadOptions:
    """What a caller knows of a table's cells."""

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """the kinds of columns that are not left to their cells"""
    exact: bool = False  # whether texts that differ only in case and blanks are kept apart
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """for each column the cells that stand for nothing; under no name those of every column"""
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """for each column of codes the words that they stand for"""
    outcome: Collection[str] = ()
    """columns that are explained: their numbers are never taken for missing codes"""

    def check(self, names: Collection[str]) -> None:
        """Raise an error that names a column which is not there."""
        for name in (*self.kinds, *self.missing, *self.labels):
            if name and name not in names:
                raise UnknownColumnError(name, tuple(names))

    def of_outcome(self, name: str) -> "ReadOptions":
        """Return what is known of one column, which is explained."""
        missing = {key: cells for key, cells in self.missing.items() if key in ("", name)}
        return ReadOptions(exact=self.exact, missing=missing, outcome=(name,))

    def missing_in(self, name: str) -> tuple[str, ...]:
        """Return the cells of a column that stand for nothing."""
        return tuple(dict.fromkeys((*self.missing.get("", ()), *self.missing.get(name, ()))))


DEFAULT = ReadOptions()


def stated_by(plans: Mapping[str, ColumnPlan], outcome: Collection[str]) -> ReadOptions:
    """Return what plans say of cells beyond what these show: codes for nothing, and words for codes."""
    missing = {name: plan.missing for name, plan in plans.items()}
    labels = {name: plan.labels for name, plan in plans.items() if plan.labels}
    return ReadOptions(missing=missing, labels=labels, outcome=outcome)


def read_options(
    missing: Any = None, labels: Any = None, *, exact: bool = False, outcome: Collection[str] = ()
) -> ReadOptions:
    """Return options as a caller in Python writes them.

    >>> read_options(missing={"sbp": -999}, labels={"y": {1: "no", 2: "yes"}})  # doctest: +ELLIPSIS
    ReadOptions(..., missing={'sbp': ('-999',)}, labels={'y': {'1': 'no', '2': 'yes'}}, outcome=())
    """
    by_column = missing if isinstance(missing, Mapping) else {"": [] if missing is None else missing}
    codes = {str(name): _codes_of(cells) for name, cells in by_column.items()}
    if labels is not None and not (
        isinstance(labels, Mapping) and all(isinstance(one, Mapping) for one in labels.values())
    ):
        raise InputError("labels are words by column and code; write e.g. {'smoker': {1: 'no', 2: 'yes'}}")
    texts = {str(name): {as_code(x): str(y) for x, y in one.items()} for name, one in (labels or {}).items()}
    return ReadOptions(exact=exact, missing=codes, labels=texts, outcome=outcome)


def _codes_of(cells: Any) -> tuple[str, ...]:
    one = isinstance(cells, str | bytes) or not isinstance(cells, Collection)
    return tuple(map(as_code, [cells] if one else cells))


def missing_codes(distinct: NDArray[np.float64], counts: IntArray) -> dict[float, bool]:
    """Return numbers that look like codes for nothing, and of each whether that is plain.

    A code lies outside the other numbers and repeats. It is plain where it is far outside, or negative where
    all others are counts, or beyond a few codes of answers.
    """
    may_be = np.isin(distinct, _CODES) & (counts >= 2)
    others = distinct[~may_be]
    if len(others) < 2 or not may_be.any():
        return {}
    low, high = float(others[0]), float(others[-1])
    span = high - low
    widest = float(np.diff(others).max()) if len(others) > 2 else 0.0  # step between numbers that are none
    whole = bool((others == np.round(others)).all())
    answers = whole and span <= _SMALL and len(others) == span + 1
    largest = int(counts[~may_be][-1])
    codes = {}
    for value, count in zip(distinct[may_be].tolist(), counts[may_be].tolist(), strict=True):
        gap = max(low - value, value - high)
        if gap < 2 or 4 * gap < span:
            continue
        plain = gap > 3 * span or (value < 0 <= low and whole)
        if value < low and gap <= widest and not plain:
            continue  # the lowest of numbers such as 9, 12, 14, 17
        codes[value] = plain or (answers and gap >= 3 and (count >= 3 if gap > span else count > largest))
    return codes
