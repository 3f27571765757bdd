"""How good predictions are: one score with its error and its baseline, and what clinicians count.

Sensitivity, specificity and predictive values are about one class against the rest. Shares that were counted
have Wilson's interval. Predictive values at a prevalence other than the table's are made of two shares; their
intervals join those of both by the method of variance estimates recovery (MOVER).

Intervals of cross-validated scores are about the rule that is handed over, on new rows. Their variance has
two parts: chance in the rows that judge, of which those that belong together count as few, and rules that
differ from fold to fold, as the rule that is handed over differs from them. ``nri bench coverage`` checks
that they hold.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.errors import InputError
from nri.rule.labels import Label
from nri.rule.phrase import phrase_share

LEVEL = 0.95  # Confidence of every interval.
Z = 1.959963984540054  # Standard errors from the middle of an interval to its ends.


@dataclass(frozen=True, slots=True)
class Interval:
    """From low to high."""

    low: float
    high: float


_ROWS, _RULES = 1.4, 2.0
"""What the variances of rows and of rules are multiplied by: the rules of folds share rows, and so differ by
too little. Chosen by simulation, on other tables than those of ``nri bench coverage``."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """What a cross-validated score varies with."""

    fold: IntArray  # [M], the part of the rows that each row was held out with
    groups: IntArray | None = None  # [M], equal for rows that belong together; None if each is on its own
    by_rule: NDArray[Any] | None = None
    """[K, M], what the rule of each fold predicts for every row; None where it is not known"""

    def of_rules(self, score: Callable[[NDArray[Any]], Any]) -> list[Any] | None:
        """Return the score of what each fold's rule predicts for all rows; None where that is not known."""
        return None if self.by_rule is None else [score(predicted) for predicted in self.by_rule]

    def error(self, influence: FloatArray, of_rules: Sequence[float] | None, factor: float = _RULES) -> float:
        """Return the standard error of a score; ``influence`` [M] is how far each row moves it."""
        by_group = influence if self.groups is None else np.bincount(self.groups, influence)
        variance = float(by_group @ by_group)
        return math.sqrt(variance if of_rules is None else _ROWS * variance + factor * _spread(of_rules))


NOT_HELD_OUT = Sampled(np.empty(0, dtype=np.int64))
"""Rows that the rule was induced from, or that nothing is known of."""


def _spread(values: Sequence[float | None]) -> float:
    """Return the variance of scores, as far as there are any."""
    known = [value for value in values if value is not None]
    return float(np.var(known, ddof=1)) if len(known) > 1 else 0.0


@dataclass(frozen=True)
class Score:
    """How good predictions are on some rows, beside the best constant prediction."""

    measure: str  # accuracy, R² or concordance
    value: float
    error: float  # standard error
    baseline: float  # what always predicting :attr:`constant` would reach
    constant: str  # the best constant prediction, as it is written
    details: Mapping[str, float] = field(default_factory=dict)  # further figures by their names
    interval: Interval | None = None
    """95 %, of what to expect of the rule on new rows; None if it was not held out"""

    def __str__(self) -> str:
        if self.measure == "accuracy":
            return f"{phrase_share(self.value)} ± {self.error:.2f}"
        digits = 3 if self.measure == "concordance" else 2
        return f"{self.value:.{digits}f} ± {self.error:.{digits}f}"

    @property
    def warning(self) -> str:
        """A line for a rule that is no better than the constant prediction; empty for others.

        >>> Score("accuracy", 0.44, 0.03, 0.5, "1").warning
        'cross-validated, the rule is no better than always predicting 1 (0.50): use that, or give more rows'
        """
        if self.value > self.baseline + 1e-12:
            return ""
        if self.measure == "concordance":
            return "cross-validated, the rule orders events no better than chance: give more rows"
        return (
            f"cross-validated, the rule is no better than always predicting {self.constant} "
            f"({self.baseline:.2f}): use that, or give more rows"
        )


def wilson(share: float, rows: float) -> Interval:
    """Return Wilson's score interval for a share that was counted on so many rows.

    It stays within 0 and 1 and holds where the share is 0 or 1, unlike share ± error.

    >>> interval = wilson(1.0, 10)
    >>> round(interval.low, 3), interval.high
    (0.722, 1.0)
    """
    if rows <= 0:
        return Interval(0.0, 1.0)
    centre = share + Z * Z / (2 * rows)
    spread = Z * math.sqrt(share * (1 - share) / rows + Z * Z / (4 * rows * rows))
    scale = 1 + Z * Z / rows
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return Interval(0.0 if share == 0 else max(0.0, low), 1.0 if share == 1 else min(1.0, high))


def score_interval(value: float, error: float) -> Interval:
    """Return the interval of a score of at most 1 that is no share."""
    return Interval(value - Z * error, min(value + Z * error, 1.0))


def effective_rows(weights: FloatArray) -> float:
    """Rows of equal weight with as much information: (sum of weights)² / sum of squared weights.

    >>> effective_rows(np.array([1.0, 1.0, 2.0, 0.0]))
    2.6666666666666665
    """
    squares = float(weights @ weights)
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Measure:
    """A share with its 95 % interval."""

    value: float | None  # None where there is no row to count it on
    interval: Interval

    def __str__(self) -> str:
        if self.value is None:
            return "-"
        return "{} ({} to {})".format(*map(phrase_share, (self.value, self.interval.low, self.interval.high)))


_UNKNOWN = Measure(None, Interval(0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How well a rule separates one class from the rest."""

    label: Label  # the class
    sensitivity: Measure  # of the rows of the class, the share that the rule calls so
    specificity: Measure  # of the other rows, the share that it does not call so
    ppv: Measure  # positive predictive value: of the rows that it calls so, the share that are
    npv: Measure  # negative predictive value: of the other rows, the share that are not
    balanced_accuracy: Measure  # the mean of sensitivity and specificity
    accuracy: Measure  # of all rows, the share that is called rightly
    prevalence: float  # the share of the class for which the predictive values hold
    assumed: bool  # whether that share was given; else it is the table's

    @property
    def measures(self) -> dict[str, Measure]:
        """Every measure by the name that people know it by."""
        return {
            "sensitivity": self.sensitivity,
            "specificity": self.specificity,
            "PPV": self.ppv,
            "NPV": self.npv,
            "balanced accuracy": self.balanced_accuracy,
        }


def check_prevalence(prevalence: float | None) -> None:
    """Raise unless it is a share strictly between 0 and 1, or nothing."""
    if prevalence is not None and not 0 < prevalence < 1:
        raise InputError(f"a prevalence is a share between 0 and 1, not {prevalence:g}; 5 % is 0.05")


def diagnostics_of(
    truth: IntArray,
    predicted: IntArray,
    index: int,
    label: Label,
    *,
    weights: FloatArray | None = None,
    prevalence: float | None = None,
    sampled: Sampled | None = None,
) -> Diagnostics:
    """Count what a rule, or the rule of each fold, predicted about one class.

    >>> truth, predicted = np.array([1] * 50 + [0] * 50), np.array([1] * 40 + [0] * 60)
    >>> ill = diagnostics_of(truth, predicted, 1, "ill", prevalence=0.05)
    >>> str(ill.sensitivity), str(ill.npv)
    ('0.80 (0.67 to 0.89)', '0.99 (0.98 to 0.99)')
    """
    check_prevalence(prevalence)
    weights = np.ones(len(truth)) if weights is None else weights
    sampled = sampled or NOT_HELD_OUT
    ill = truth == index

    def counts(called: BoolArray) -> list[Share]:
        pairs = ((called, ill), (~called, ~ill), (ill, called), (~ill, ~called))
        four = [share_of(hit, among, weights, sampled.groups) for hit, among in pairs]
        right = share_of(called == ill, np.ones(len(ill), dtype=bool), weights, sampled.groups)
        return [*four, four[0].mean(four[1]), right]

    of_rules = sampled.of_rules(lambda one: counts(one == index))
    sensitivity, specificity, ppv, npv, balanced, accuracy = (
        share.measure(None if of_rules is None else [one[i].value for one in of_rules])
        for i, share in enumerate(counts(predicted == index))
    )
    if prevalence is not None:
        ppv = _predictive(sensitivity, specificity, prevalence)
        npv = _predictive(specificity, sensitivity, 1 - prevalence)
    stated = float(weights[ill].sum() / weights.sum()) if prevalence is None else prevalence
    measures = (sensitivity, specificity, ppv, npv, balanced, accuracy)
    return Diagnostics(label, *measures, stated, prevalence is not None)


def diagnosed_classes(
    classes: Sequence[Label], positive: int | None, described: Sequence[Label]
) -> list[int]:
    """Return the classes to diagnose: the positive one, else the lone one with a branch, else all of them.

    >>> diagnosed_classes(["no", "yes"], None, ["yes"]), diagnosed_classes(["a", "b", "c"], None, ["a"])
    ([1], [0, 1, 2])
    """
    if positive is not None:
        return [positive]
    if len(classes) == 2:
        return [list(classes).index(described[0]) if len(described) == 1 else 1]
    return list(range(len(classes)))


@dataclass(frozen=True, slots=True)
class Share:
    """A share of rows, and how many independent rows it was counted on."""

    value: float | None  # None where there is no row to count it on
    rows: float

    def mean(self, other: "Share") -> "Share":
        """Return the mean of two shares of different rows."""
        if self.value is None or other.value is None:
            return Share(None, 0.0)
        return Share((self.value + other.value) / 2, 4 / (1 / self.rows + 1 / other.rows))

    def in_effect(self, of_rules: Sequence[float | None] | None) -> float:
        """Return how many rows would leave it as uncertain as it is for a rule like those of the folds."""
        if of_rules is None or self.value is None:
            return self.rows
        plain = (self.value * self.rows + 1) / (self.rows + 2)  # none and all vary too
        return 1 / (_ROWS / self.rows + _RULES * _spread(of_rules) / (plain * (1 - plain)))

    def measure(self, of_rules: Sequence[float | None] | None = None) -> Measure:
        """Return it with its interval; ``of_rules`` are the shares of the rules of all folds."""
        if self.value is None:
            return _UNKNOWN
        return Measure(self.value, wilson(self.value, self.in_effect(of_rules)))


def share_of(hit: BoolArray, among: BoolArray, weights: FloatArray, groups: IntArray | None = None) -> Share:
    """Return the share of hits among some rows; rows of one group count as few if they are alike."""
    rows = weights[among]
    total = float(rows.sum())
    if total <= 0:
        return Share(None, 0.0)
    share = min(1.0, float(weights[among & hit].sum()) / total)
    n_rows = effective_rows(rows)
    if groups is None:
        return Share(share, n_rows)
    off = rows * (hit[among] - share)
    by_group = np.bincount(groups[among], off)
    n_groups = effective_rows(np.bincount(groups[among], rows).astype(np.float64))
    spread = float(by_group @ by_group)
    independent = n_rows * float(off @ off) / spread if spread > 0 else n_groups
    return Share(share, float(np.clip(independent, n_groups, n_rows)))


def _predictive(detected: Measure, passed: Measure, prevalence: float) -> Measure:
    """Return a predictive value by Bayes' rule, from how often a class is found and how often others pass."""
    if detected.value is None or passed.value is None:
        return _UNKNOWN
    false_alarms = Interval(1 - passed.interval.high, 1 - passed.interval.low)
    low, high = _ratio_interval(detected.value, detected.interval, 1 - passed.value, false_alarms)
    odds = prevalence / (1 - prevalence)

    def share(ratio: float) -> float:
        return 1.0 if math.isinf(ratio) else ratio * odds / (1 + ratio * odds)

    if detected.value == 0 and passed.value == 1:  # nothing is ever called so
        return _UNKNOWN
    ratio = math.inf if passed.value == 1 else detected.value / (1 - passed.value)
    return Measure(share(ratio), Interval(share(low), share(high)))


def _ratio_interval(above: float, one: Interval, below: float, other: Interval) -> tuple[float, float]:
    """Return the interval of a ratio of two shares, on the logarithm; the widest where one share is 0."""
    if above == 0 or below == 0 or one.low == 0 or other.low == 0:
        high = math.inf if other.low == 0 else one.high / other.low
        return (one.low / other.high if other.high > 0 else math.inf), high
    ratio = math.log(above / below)
    down = math.hypot(math.log(above / one.low), math.log(other.high / below))
    up = math.hypot(math.log(one.high / above), math.log(below / other.low))
    return math.exp(ratio - down), math.exp(ratio + up)
