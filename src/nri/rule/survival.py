"""A rule for how long it takes: a list of clauses, each with the survival curve of the rows that it decides.

The first clause that fires decides a row, as everywhere. What is predicted is a risk: how many events the
rows of a segment have had for each one expected of rows like all others, followed for as long as they were.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from nri.rule.clause import Clause
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan
from nri.rule.segments import SegmentList


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
class SurvivalRule(SegmentList[SurvivalSegment]):
    """A rule for the time until an event: clauses to try in order, and the rows on which none fires."""

    kind: ClassVar[str] = "survival rule"
    predicts: ClassVar[str] = "risk"

    time: str
    """The column that says how long rows were followed."""
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

    def amount(self, time: float | None) -> str:
        """Write a time, with its unit; one that was not reached in words."""
        if time is None:
            return "not reached"
        before, behind = self.time_plan.unit
        return f"{before}{time:.4g}{' ' if behind else ''}{behind}"

    def said_of(self, segment: SurvivalSegment) -> str:
        """Write the risk of a segment."""
        return f"risk {segment.risk:.2f}"

    def usual_in(self, segment: SurvivalSegment) -> str:
        """Write when half of its rows have had the event."""
        from nri.rule.render.phrase import phrase_name

        return f"median {phrase_name(self.time)}: {self.amount(segment.curve.median)}"
