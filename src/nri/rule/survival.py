"""A rule for how long it takes: a list of clauses, each with the survival curve of the rows that it decides.

The first clause that fires decides a row, as everywhere. What is predicted is a risk: how many events the
rows of a segment have had for each one expected of rows like all others, followed for as long as they were.
"""

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


@dataclass(frozen=True)
class Curve:
    """What share of some rows had no event yet, by Kaplan and Meier, at the times of the rule."""

    rows: float
    events: float
    survival: tuple[float, ...]
    """at each of the rule's times"""
    low: tuple[float, ...]
    high: tuple[float, ...]
    """95 % interval of that"""
    at_risk: tuple[float, ...]
    """rows that are still followed, without an event, at each of the times"""
    median: float | None
    """when half of the rows have had the event; None if that was not reached"""
    median_low: float | None
    median_high: float | None
    """95 % interval of the median; None where an end was not reached"""


@dataclass(frozen=True)
class SurvivalSegment:
    """A clause, and what became of the rows that it decides."""

    clause: Clause
    risk: float
    """events for each one expected, drawn a little towards 1"""
    curve: Curve

    @property
    def label(self) -> float:
        """What is predicted, by the name that exports have for it."""
        return self.risk

    @property
    def remark(self) -> str:
        """What stands beside the segment in a program."""
        return f"{self.curve.events:g} events in {self.curve.rows:g} rows"


@dataclass(frozen=True)
class SurvivalRule(WrittenRule):
    """A rule for the time until an event: clauses to try in order, and the rows on which none fires."""

    time: str
    """The column that says how long rows were followed."""
    target: str
    """The event, as the caller wrote it."""
    segments: tuple[SurvivalSegment, ...]
    rest: SurvivalSegment
    """Rows on which no clause fires; its clause always holds."""
    support: Curve
    """All rows that the rule was induced from."""
    times: tuple[float, ...]
    """From 0 on, where curves are told."""
    p_value: float
    """Of the log-rank test that all segments have one curve, on the rows that they were chosen on."""
    plans: Mapping[str, ColumnPlan] = field(default_factory=dict)
    """How the cells of the columns are read; what is not mentioned is read by the kind of its literals."""
    time_plan: ColumnPlan = field(default_factory=lambda: ColumnPlan(Kind.NUMBER))
    """How the cells of the time are read, e.g. their unit."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "segments", tuple(self.segments))
        if len(self.rest.clause):
            raise InputError("the rest of a survival rule has a condition: it must hold on every row")
        self._complete_plans()

    def clauses(self) -> Iterable[Clause]:
        """Return every clause, in order."""
        return (segment.clause for segment in self.segments)

    @property
    def parts(self) -> tuple[SurvivalSegment, ...]:
        """The segments, and the rest as the last."""
        return (*self.segments, self.rest)

    @property
    def decisions(self) -> tuple[SurvivalSegment, ...]:
        """The segments in the order in which they get their say: the first that fires decides."""
        return self.segments

    @property
    def default(self) -> float:
        """What is said where no clause fires."""
        return self.rest.risk

    def amount(self, time: float | None) -> str:
        """Write a time, with its unit; one that was not reached in words."""
        if time is None:
            return "not reached"
        before, behind = self.time_plan.unit
        return f"{before}{time:.4g}{' ' if behind else ''}{behind}"

    @cached_property
    def risks(self) -> FloatArray:
        """What each segment says; the rest is the last."""
        return np.array([part.risk for part in self.parts])

    def _outcomes(self) -> Mapping[str, Sequence[Any]]:
        return {f"risk_{self.target}": self.risks.tolist()}

    def decide(self, rows: Any, n_rows: int | None = None) -> IntArray:
        """[M]: index of each row's segment; their number where no clause fires."""
        return first_to_fire(clause_matrix(self.clauses(), *self._read_all(rows, n_rows)))

    def predict(self, rows: Any, n_rows: int | None = None) -> FloatArray:
        """[M]: the risk of each row, 1 being that of all rows together.

        Parameters
        ----------
        rows
            A DataFrame of pandas or polars, or anything else that :class:`nri.NRIClassifier` takes, with the
            columns that the rule reads; or :data:`Columns`, typed already.
        n_rows
            How many rows there are, where typed columns do not say it because the rule reads none.
        """
        return self.risks[self.decide(rows, n_rows)]

    def explain(self, rows: Any, n_rows: int | None = None) -> "list[NumberExplanation]":
        """For each row, which segment it is in, and what the nearest earlier ones lacked."""
        from nri.rule.explain_number import explain_number

        return explain_number(self, *self._read_all(rows, n_rows))
