"""Segments: a rule for a number. A list of clauses, each with the value that its rows have on average.

The first clause that fires decides a row, as everywhere (:func:`nri.rule.decide.first_to_fire`); where none
fires, the rest does. A segment tells of the rows that it decides, not of all that its clause covers.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError
from nri.rule.clause import Clause
from nri.rule.decide import first_to_fire
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan
from nri.rule.truth import clause_matrix
from nri.rule.written import WrittenRule

if TYPE_CHECKING:
    from nri.rule.explain_number import NumberExplanation

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""The quantiles that are kept of the rows of a segment."""


@dataclass(frozen=True)
class Spread:
    """What the values of some rows were."""

    rows: float
    """how many rows, or their weight"""
    mean: float
    low: float
    high: float
    """between these the mean lies with 95 % confidence"""
    quantiles: tuple[float, ...]
    """of the values, at :data:`SHARES`"""

    @property
    def median(self) -> float:
        """Half of the rows are above."""
        return self.quantiles[len(self.quantiles) // 2]


def decimals_for(support: Spread) -> int:
    """Return decimals that are enough for values: a hundredth of the range of most rows, or finer."""
    width = (support.quantiles[-1] - support.quantiles[0]) or abs(support.mean) or 1.0
    return min(max(math.ceil(2 - math.log10(width)), 0), 20)


@dataclass(frozen=True)
class Segment:
    """A clause, what is said of the rows that it decides, and what these were."""

    clause: Clause
    value: float
    """What is predicted: the mean of the rows, drawn towards the mean of all."""
    spread: Spread

    @property
    def label(self) -> float:
        """What is predicted, by the name that exports of classes have for it."""
        return self.value

    @property
    def remark(self) -> str:
        """What stands beside the segment in a program."""
        return f"mean of {self.spread.rows:g} rows"


@dataclass(frozen=True)
class Segments(WrittenRule):
    """A rule for a number: clauses to try in order, and what is said where none fires."""

    target: str
    """Name of the number that is predicted."""
    segments: tuple[Segment, ...]
    rest: Segment
    """Rows on which no clause fires; its clause always holds."""
    support: Spread
    """All rows that the rule was induced from."""
    explained: float
    """Share of the variance of these rows that the predictions explain: R² on rows that were seen."""
    plans: Mapping[str, ColumnPlan] = field(default_factory=dict)
    """How the cells of the columns are read; what is not mentioned is read by the kind of its literals."""
    target_plan: ColumnPlan = field(default_factory=lambda: ColumnPlan(Kind.NUMBER))
    """How the cells of the target are read, e.g. their unit."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "segments", tuple(self.segments))
        if len(self.rest.clause):
            raise InputError("the rest of a rule for a number has a condition: it must hold on every row")
        values = [segment.value for segment in (*self.segments, self.rest)]
        if not np.isfinite(values).all():
            raise InputError(f"a segment says no finite number: {values}")
        self._complete_plans()

    def clauses(self) -> Iterable[Clause]:
        """Return every clause, in order."""
        return (segment.clause for segment in self.segments)

    @property
    def decisions(self) -> tuple[Segment, ...]:
        """The segments in the order in which they get their say: the first that fires decides."""
        return self.segments

    @property
    def default(self) -> float:
        """What is said where no clause fires."""
        return self.rest.value

    @property
    def decimals(self) -> int:
        """Decimals of values as they are told and predicted."""
        return decimals_for(self.support)

    def amount(self, value: float) -> str:
        """Write a value of the target, with its unit."""
        before, behind = self.target_plan.unit
        gap = "" if not behind or behind == "%" else " "
        number = f"{value:.{self.decimals}f}"
        return f"{before}{number if float(number) else number.removeprefix('-')}{gap}{behind}"

    @cached_property
    def values(self) -> FloatArray:
        """What each segment says; the rest is the last."""
        return np.array([segment.value for segment in (*self.segments, self.rest)])

    def _outcomes(self) -> Mapping[str, Sequence[Any]]:
        return {f"predicted_{self.target}": self.values.tolist()}

    def decide(self, rows: Any, n_rows: int | None = None) -> IntArray:
        """[M]: index of each row's segment; their number where no clause fires."""
        return first_to_fire(clause_matrix(self.clauses(), *self._read_all(rows, n_rows)))

    def predict(self, rows: Any, n_rows: int | None = None) -> FloatArray:
        """[M]: the value of each row's segment.

        Parameters
        ----------
        rows
            A DataFrame of pandas or polars, or anything else that :class:`nri.NRIRegressor` takes, with the
            columns that the rule reads; or :data:`Columns`, typed already.
        n_rows
            How many rows there are, where typed columns do not say it because the rule reads none.
        """
        return self.values[self.decide(rows, n_rows)]

    def explain(self, rows: Any, n_rows: int | None = None) -> "list[NumberExplanation]":
        """For each row, which segment it is in, and what the nearest earlier ones lacked."""
        from nri.rule.explain_number import explain_number

        return explain_number(self, *self._read_all(rows, n_rows))
