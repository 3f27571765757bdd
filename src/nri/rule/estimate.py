"""Estimates: what a branch says of the rows that it decides, for each sort of outcome.

:class:`Shares` of classes, the :class:`Mean` of a number, the :class:`Risk` of an event. Each has the
``value`` that is predicted and the ``rows`` that it was counted on. What they are estimates *of* is a
*target*: :class:`ClassTarget`, :class:`NumberTarget` or :class:`SurvivalTarget`, which knows how to write
them for people. A rule is the same record for all three (:mod:`nri.rule.rule`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError
from nri.rule.labels import Label, as_label, check_classes, label_array, spelled
from nri.rule.literal import Kind
from nri.rule.phrase import number, phrase_label, phrase_name
from nri.rule.plan import ColumnPlan

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""The quantiles that are kept of the rows of a branch."""


class Estimate(Protocol):
    """What is predicted for some rows, and how many rows that was counted on."""

    @property
    def value(self) -> Any:
        """The prediction: a class, a number or a risk."""

    @property
    def rows(self) -> float:
        """Number of rows, or their weight."""


@dataclass(frozen=True)
class Shares:
    """Classes of some rows."""

    value: Label
    """the class that is predicted"""
    counts: tuple[float, ...]
    """rows of each class, in the order of the target's classes"""
    expected: tuple[float, ...]
    """probability of each class on new rows; that of the predicted class is the highest"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_label(self.value))
        for name in ("counts", "expected"):
            numbers = tuple(float(x) for x in getattr(self, name))
            if not all(math.isfinite(x) and x >= 0 for x in numbers):
                raise InputError(f"class counts must be finite and not negative: got {list(numbers)}")
            object.__setattr__(self, name, numbers)

    @property
    def rows(self) -> float:
        """Rows of any class."""
        return sum(self.counts)


@dataclass(frozen=True)
class Mean:
    """Values of a number on some rows."""

    value: float
    """what is predicted: the mean, shrunk towards the mean of all rows"""
    rows: float
    mean: float
    low: float
    high: float
    """95 % interval of the mean"""
    quantiles: tuple[float, ...]
    """at :data:`QUANTILES`"""

    @property
    def median(self) -> float:
        """Half of the rows are above."""
        return self.quantiles[len(self.quantiles) // 2]


@dataclass(frozen=True)
class Risk:
    """Time until an event on some rows: how many events for each one expected, and Kaplan-Meier's curve."""

    value: float
    """the risk: events for each one expected of rows like all others, shrunk a little towards 1"""
    rows: float
    events: float
    survival: tuple[float, ...]
    """share without an event at each of the target's times"""
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


class Target(Protocol):
    """What a rule predicts, and how its estimates are written."""

    @property
    def name(self) -> str:
        """The column that is predicted, or the event."""

    @property
    def kind(self) -> str:
        """``classes``, ``number`` or ``survival``, as in files."""

    @property
    def titles(self) -> tuple[str, ...]:
        """Headings of the columns that :meth:`cells` fills."""

    @property
    def patterns(self) -> tuple[str, ...]:
        """How each cell stands in a line of text; empty for cells that are left out there."""

    def cells(self, estimate: Any) -> tuple[str, ...]:
        """Write an estimate as the cells of a table; the first is the prediction."""

    def describe(self, estimate: Any) -> str:
        """Write the prediction of a row in a few words."""

    def comment(self, estimate: Any) -> str:
        """Write what a reader of an exported program may want to know about a branch."""

    def summary(self, fit: float | None) -> str:
        """Write one line about how a rule fits the rows that it was counted on; empty if there is none."""

    def values(self, estimates: Sequence[Any]) -> NDArray[Any]:
        """Return the predictions as an array."""

    def predictions(self, estimates: Sequence[Any]) -> dict[str, list[Any]]:
        """Return the columns that predictions are written to: for each estimate what they hold."""


@dataclass(frozen=True)
class ClassTarget:
    """A column of classes."""

    name: str
    classes: tuple[Label, ...]
    """labels in the order of counts and probabilities"""
    weighted: bool = field(default=False, compare=False)
    """whether counts are sums of weights rather than numbers of rows"""
    shown: tuple[Label, ...] = field(default=(), compare=False)
    """classes whose probabilities stand beside predictions; without any, that of the predicted class does"""

    kind = "classes"
    titles = ("prediction", "share", "rows")

    @property
    def patterns(self) -> tuple[str, ...]:
        """As in ``flu = yes   0.95 of 20 rows``."""
        return _pattern(self.name, " = {}"), "{}", f"of {{}} rows{' (weighted)' if self.weighted else ''}"

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", tuple(as_label(label) for label in self.classes))
        check_classes(self.classes)

    def index(self, label: Label) -> int:
        """Return the position of a label among the classes."""
        if label not in self.classes:
            raise InputError(f"{label!r} is not a class of {self.name!r}: classes are {list(self.classes)}")
        return self.classes.index(label)

    def share(self, estimate: Shares) -> float | None:
        """Return the part of the rows that are of the predicted class; None if there are no rows."""
        return estimate.counts[self.index(estimate.value)] / estimate.rows if estimate.rows > 0 else None

    def probability(self, estimate: Shares) -> float:
        """Return how probable the predicted class is on new rows."""
        return estimate.expected[self.index(estimate.value)]

    def cells(self, estimate: Shares) -> tuple[str, ...]:
        """Write the class, its share of the rows, and how many rows these are."""
        share = self.share(estimate)
        written = "-" if share is None else f"{share:.2f}"
        return phrase_label(estimate.value), written, number(estimate.rows)

    def describe(self, estimate: Shares) -> str:
        """Write the class and its probability."""
        return f"{phrase_label(estimate.value)} (probability {self.probability(estimate):.2f})"

    def comment(self, estimate: Shares) -> str:
        """Write the class and its probability."""
        return f"{phrase_label(estimate.value)}: probability {self.probability(estimate):.2f}"

    def summary(self, fit: float | None) -> str:
        """Classes have nothing to add to the lines of the branches."""
        return ""

    def values(self, estimates: Sequence[Shares]) -> NDArray[Any]:
        """[branches + 1]: the predicted classes."""
        return label_array(self.classes)[[self.index(one.value) for one in estimates]]

    def predictions(self, estimates: Sequence[Shares]) -> dict[str, list[Any]]:
        """Return the predicted classes and their probabilities, or those of the classes to be shown."""
        columns: dict[str, list[Any]] = {f"predicted_{self.name}": [one.value for one in estimates]}
        if not self.shown:
            columns["probability"] = [round(self.probability(one), 4) for one in estimates]
        for label in self.shown:
            index = self.index(label)
            columns[f"probability_{spelled(label)}"] = [round(one.expected[index], 4) for one in estimates]
        return columns


@dataclass(frozen=True)
class NumberTarget:
    """A column of numbers."""

    name: str
    plan: ColumnPlan = field(default_factory=lambda: ColumnPlan(Kind.NUMBER))
    """how its cells are read, e.g. their unit"""
    decimals: int = 2
    """of predictions as they are written"""

    kind = "number"
    titles = ("prediction", "95 % interval of the mean", "80 % of rows", "rows")

    @property
    def patterns(self) -> tuple[str, ...]:
        """As in ``rent 913   (907 to 920)   8 rows``."""
        return _pattern(self.name, " {}"), "({})", "", "{} rows"

    def amount(self, value: float) -> str:
        """Write a value with its unit."""
        before, behind = self.plan.unit
        gap = "" if not behind or behind == "%" else " "
        text = f"{value:.{self.decimals}f}"
        return f"{before}{text if float(text) else text.removeprefix('-')}{gap}{behind}"

    def cells(self, estimate: Mean) -> tuple[str, ...]:
        """Write the prediction, the interval of the mean, the range of most rows, and how many rows."""
        rows = number(estimate.rows)
        if estimate.rows <= 0:
            return self.amount(estimate.value), "-", "-", rows
        interval = f"{self.amount(estimate.low)} to {self.amount(estimate.high)}"
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
    return min(max(math.ceil(2 - math.log10(width)), 0), 20)


@dataclass(frozen=True)
class SurvivalTarget:
    """The time until an event."""

    name: str
    """the event, as the caller wrote it"""
    time: str
    """the column of how long rows were followed"""
    times: tuple[float, ...]
    """from 0 on, where curves are given"""
    plan: ColumnPlan = field(default_factory=lambda: ColumnPlan(Kind.NUMBER))
    """how the cells of the time are read, e.g. their unit"""

    kind = "survival"

    @property
    def titles(self) -> tuple[str, ...]:
        """Headings of the cells."""
        return f"median {self.time}", "95 % interval", "risk", f"{self.name}, rows"

    @property
    def patterns(self) -> tuple[str, ...]:
        """As in ``median days 118   (106 to 128)   risk 0.62   dead: 10 of 15``."""
        return _pattern(self.time, " {}", "median "), "({})", "risk {}", _pattern(self.name, ": {}")

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


def _pattern(name: str, behind: str, before: str = "") -> str:
    """Return a format string around a name, whose own braces stand for themselves."""
    return before + phrase_name(name).replace("{", "{{").replace("}", "}}") + behind


AnyTarget = ClassTarget | NumberTarget | SurvivalTarget
