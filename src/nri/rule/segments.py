"""Segments: clauses to try in order, each with what it says of its rows; and the rule for a number.

The first clause that fires decides a row, as everywhere (:func:`nri.rule.decide.first_to_fire`); where none
fires, the rest does. A segment tells of the rows that it decides, not of all that its clause covers. What it
tells is a number (here) or a risk with its curve (:mod:`nri.rule.survival`).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError
from nri.rule.clause import Clause
from nri.rule.decide import first_to_fire
from nri.rule.decision_list import Branch
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan
from nri.rule.truth import clause_matrix
from nri.rule.written import WrittenRule

if TYPE_CHECKING:
    from nri.rule.explain_number import NumberExplanation

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""The quantiles that are kept of the rows of a segment."""

S = TypeVar("S", bound=Branch)


@dataclass(frozen=True)
class SegmentList(WrittenRule, Generic[S]):
    """A rule that parts rows into segments: clauses to try in order, and the rows on which none fires."""

    kind: ClassVar[str]
    """What sort of rule it is, in messages."""
    predicts: ClassVar[str]
    """Beginning of the name of a column of predictions."""

    target: str
    """What is predicted: the name of a number, or an event as the caller wrote it."""
    segments: tuple[S, ...]
    rest: S
    """Rows on which no clause fires; its clause always holds."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "segments", tuple(self.segments))
        if len(self.rest.clause):
            raise InputError(f"the rest of a {self.kind} has a condition: it must hold on every row")
        if not np.isfinite(self.values).all():
            raise InputError(f"a segment says no finite number: {self.values.tolist()}")
        self._complete_plans()

    def clauses(self) -> Iterable[Clause]:
        """Return every clause, in order."""
        return (segment.clause for segment in self.segments)

    @property
    def parts(self) -> tuple[S, ...]:
        """The segments, and the rest as the last."""
        return (*self.segments, self.rest)

    @property
    def decisions(self) -> tuple[S, ...]:
        """The segments in the order in which they get their say: the first that fires decides."""
        return self.segments

    @property
    def default(self) -> float:
        """What is said where no clause fires."""
        return float(self.values[-1])

    @cached_property
    def values(self) -> FloatArray:
        """What each segment says; the rest is the last."""
        return np.array([part.label for part in self.parts], dtype=np.float64)

    def said_of(self, segment: S) -> str:
        """Write what is predicted of the rows of a segment."""
        raise NotImplementedError

    def usual_in(self, segment: S) -> str:
        """Write what the rows of a segment were like."""
        raise NotImplementedError

    def _outcomes(self) -> Mapping[str, Sequence[Any]]:
        return {f"{self.predicts}_{self.target}": self.values.tolist()}

    def decide(self, rows: Any, n_rows: int | None = None) -> IntArray:
        """[M]: index of each row's segment; their number where no clause fires."""
        return first_to_fire(clause_matrix(self.clauses(), *self._read_all(rows, n_rows)))

    def predict(self, rows: Any, n_rows: int | None = None) -> FloatArray:
        """[M]: what the segment of each row says: a value, or a risk, 1 being that of all rows together.

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
class Segments(SegmentList[Segment]):
    """A rule for a number: clauses to try in order, and what is said where none fires."""

    kind: ClassVar[str] = "rule for a number"
    predicts: ClassVar[str] = "predicted"

    support: Spread
    """All rows that the rule was induced from."""
    explained: float
    """Share of the variance of these rows that the predictions explain: R² on rows that were seen."""
    plans: Mapping[str, ColumnPlan] = field(default_factory=dict)
    """How the cells of the columns are read; what is not mentioned is read by the kind of its literals."""
    target_plan: ColumnPlan = field(default_factory=lambda: ColumnPlan(Kind.NUMBER))
    """How the cells of the target are read, e.g. their unit."""

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

    def said_of(self, segment: Segment) -> str:
        """Write the value of a segment."""
        return self.amount(segment.value)

    def usual_in(self, segment: Segment) -> str:
        """Write between which values four fifths of its rows are."""
        low, high = (self.amount(segment.spread.quantiles[end]) for end in (0, -1))
        return f"80 % of such rows: {low} to {high}"
