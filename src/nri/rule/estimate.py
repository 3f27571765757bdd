"""Estimates of a number and of the time until an event: what a branch says of the rows that it decides.

:class:`Mean` and :class:`Risk` have the ``value`` that is predicted and the ``rows`` that it was counted on.
What they are estimates *of* is a *target*, which has the members of :class:`nri.rule.labels.ClassTarget`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nri.rule.column import ColumnPlan
from nri.rule.labels import ClassTarget
from nri.rule.literal import Kind
from nri.rule.phrase import name_pattern, number, phrase_name

_MOST_DECIMALS, _MOST_WRITTEN = 9, 1e15  # Beyond either, a number is written by a power of ten.
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)  # The quantiles that are kept of the rows of a branch.


@dataclass(frozen=True)
class Mean:
    """Values of a number on some rows."""

    value: float  # what is predicted: the mean, shrunk towards the mean of all rows
    rows: float
    mean: float
    low: float
    high: float  # 95 % interval of the mean
    quantiles: tuple[float, ...]  # at :data:`QUANTILES`

    @property
    def median(self) -> float:
        """Half of the rows are above."""
        return self.quantiles[len(self.quantiles) // 2]


@dataclass(frozen=True)
class Risk:
    """Time until an event on some rows: how many events for each one expected, and Kaplan-Meier's curve."""

    value: float  # the risk: events for each one expected of rows like all others, shrunk a little towards 1
    rows: float
    events: float
    survival: tuple[float, ...]  # share without an event at each of the target's times
    low: tuple[float, ...]
    high: tuple[float, ...]  # 95 % interval of that
    at_risk: tuple[float, ...]  # rows that are still followed, without an event, at each of the times
    median: float | None  # when half of the rows have had the event; None if that was not reached
    median_low: float | None
    median_high: float | None  # 95 % interval of the median; None where an end was not reached


@dataclass(frozen=True)
class NumberTarget:
    """A column of numbers."""

    name: str
    plan: ColumnPlan = field(default_factory=lambda: ColumnPlan(Kind.NUMBER))
    """how its cells are read, e.g. their unit"""
    decimals: int = 2  # of predictions as they are written

    kind: ClassVar[str] = "number"
    titles: ClassVar[tuple[str, ...]] = ("prediction", "95 % interval of the mean", "80 % of rows", "rows")

    @property
    def patterns(self) -> tuple[str, ...]:
        """As in ``rent 913   (907 to 920)   8 rows``."""
        return name_pattern(self.name, " {}"), "({})", "", "{} rows"

    def amount(self, value: float) -> str:
        """Write a value with its unit; a very large or small one by a power of ten."""
        before, behind = self.plan.unit
        gap = "" if not behind or behind == "%" else " "
        text = f"{value:.{max(self.decimals, 0)}f}"
        if value and (self.decimals > _MOST_DECIMALS or abs(value) >= _MOST_WRITTEN):
            digits = self.decimals + math.floor(math.log10(abs(value))) + 1
            text = f"{value:.{min(max(digits, 3), 15)}g}"
        return f"{before}{text if float(text) else text.removeprefix('-')}{gap}{behind}"

    def cells(self, estimate: Mean) -> tuple[str, ...]:
        """Write the prediction, the interval of the mean, the range of most rows, and how many rows."""
        rows = number(estimate.rows)
        if estimate.rows <= 0:
            return self.amount(estimate.value), "-", "-", rows
        ends = {estimate.low, estimate.mean, estimate.high}  # in as many decimals as it takes to part them
        finer = (replace(self, decimals=self.decimals + more) for more in range(_MOST_DECIMALS))
        fine = next((one for one in finer if len({*map(one.amount, ends)}) == len(ends)), self)
        interval = f"{fine.amount(estimate.low)} to {fine.amount(estimate.high)}"
        return self.amount(estimate.value), interval, self._most(estimate), rows

    def _most(self, estimate: Mean) -> str:
        return f"{self.amount(estimate.quantiles[0])} to {self.amount(estimate.quantiles[-1])}"

    def describe(self, estimate: Mean) -> str:
        """Write the prediction and the range of most rows."""
        return f"{self.amount(estimate.value)} (80 % of such rows: {self._most(estimate)})"

    def comment(self, estimate: Mean) -> str:
        """Write how many rows the mean is of."""
        return f"{self.amount(estimate.value)}: mean of {estimate.rows:g} rows"

    def summary(self, fit: float | None) -> str:
        """Write how much of the variance the rule explains."""
        return f"explains {100 * max(fit or 0.0, 0.0):.0f} % of the variance of these rows"

    def values(self, estimates: Sequence[Mean]) -> NDArray[Any]:
        """[branches + 1]: the predicted numbers."""
        return np.array([one.value for one in estimates], dtype=np.float64)

    def predictions(self, estimates: Sequence[Mean]) -> dict[str, list[Any]]:
        """Return the predicted numbers."""
        return {f"predicted_{self.name}": [one.value for one in estimates]}


def decimals_for(support: Mean) -> int:
    """Return decimals that suffice for values: a hundredth of the range of most rows, or finer."""
    width = (support.quantiles[-1] - support.quantiles[0]) or abs(support.mean) or 1.0
    return min(max(math.ceil(2 - math.log10(width)), 0 if width < _MOST_WRITTEN else -300), 305)


@dataclass(frozen=True)
class SurvivalTarget:
    """The time until an event."""

    name: str  # the event, as the caller wrote it
    time: str  # the column of how long rows were followed
    times: tuple[float, ...]  # from 0 on, where curves are given
    plan: ColumnPlan = field(default_factory=lambda: ColumnPlan(Kind.NUMBER))
    """how the cells of the time are read, e.g. their unit"""

    kind: ClassVar[str] = "survival"

    @property
    def titles(self) -> tuple[str, ...]:
        """Headings of the cells."""
        return f"median {self.time}", "95 % interval", "risk", f"{self.name}, rows"

    @property
    def patterns(self) -> tuple[str, ...]:
        """As in ``median days 118   (106 to 128)   risk 0.62   dead: 10 of 15``."""
        return name_pattern(self.time, " {}", "median "), "({})", "risk {}", name_pattern(self.name, ": {}")

    def amount(self, time: float | None) -> str:
        """Write a time with its unit; one that was not reached in words."""
        if time is None:
            return "not reached"
        before, behind = self.plan.unit
        return f"{before}{time:.4g}{' ' if behind else ''}{behind}"

    def cells(self, estimate: Risk) -> tuple[str, ...]:
        """Write the median time with its interval, the risk, and events of rows."""
        ends = [estimate.median_low, estimate.median_high]
        interval = " to ".join("?" if end is None else self.amount(end) for end in ends)
        interval = "-" if ends == [None, None] else interval
        events = f"{number(estimate.events)} of {number(estimate.rows)}"
        return self.amount(estimate.median), interval, f"{estimate.value:.2f}", events

    def describe(self, estimate: Risk) -> str:
        """Write the risk and the median time."""
        return f"risk {estimate.value:.2f} (median {phrase_name(self.time)}: {self.amount(estimate.median)})"

    def comment(self, estimate: Risk) -> str:
        """Write events and rows."""
        return f"risk {estimate.value:.2f}: {estimate.events:g} events in {estimate.rows:g} rows"

    def summary(self, fit: float | None) -> str:
        """Write how sure it is that the curves differ, on the rows that they were split by."""
        if fit is None or fit >= 1.0:
            return "no clause separates the curves"
        p = "p < 0.001" if fit < 0.001 else f"p = {fit:.3f}"
        return f"the curves differ (log-rank test on these rows, {p})"

    def values(self, estimates: Sequence[Risk]) -> NDArray[Any]:
        """[branches + 1]: the risks."""
        return np.array([one.value for one in estimates], dtype=np.float64)

    def predictions(self, estimates: Sequence[Risk]) -> dict[str, list[Any]]:
        """Return the risks."""
        return {f"risk_{self.name}": [one.value for one in estimates]}


AnyTarget = ClassTarget | NumberTarget | SurvivalTarget  # What a rule predicts.
