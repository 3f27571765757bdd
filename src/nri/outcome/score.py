"""How good predictions are: one score with its error and its baseline, and what clinicians count.

Sensitivity, specificity and predictive values are about one class against the rest. Shares that were counted
have Wilson's interval. Balanced accuracy, and predictive values at a prevalence other than the table's, are
made of two shares; their intervals join those of both by the method of variance estimates recovery (MOVER).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.errors import InputError
from nri.rule.labels import Label
from nri.rule.phrase import phrase_share

LEVEL = 0.95
"""Confidence of every interval."""


@dataclass(frozen=True, slots=True)
class Interval:
    """From low to high."""

    low: float
    high: float


@dataclass(frozen=True)
class Score:
    """How good predictions are on some rows, beside the best constant prediction."""

    measure: str
    """accuracy, R² or concordance"""
    value: float
    error: float
    """standard error"""
    baseline: float
    """what always predicting :attr:`constant` would reach"""
    constant: str
    """the best constant prediction, as it is written"""
    details: Mapping[str, float] = field(default_factory=dict)
    """further figures by their names"""

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


def wilson(share: float, rows: float, level: float = LEVEL) -> Interval:
    """Return Wilson's score interval for a share that was counted on so many rows.

    It stays within 0 and 1 and holds where the share is 0 or 1, unlike share ± error.

    >>> interval = wilson(1.0, 10)
    >>> round(interval.low, 3), interval.high
    (0.722, 1.0)
    """
    if rows <= 0:
        return Interval(0.0, 1.0)
    z = float(ndtri(0.5 + level / 2))
    centre = share + z * z / (2 * rows)
    spread = z * math.sqrt(share * (1 - share) / rows + z * z / (4 * rows * rows))
    scale = 1 + z * z / rows
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return Interval(0.0 if share == 0 else max(0.0, low), 1.0 if share == 1 else min(1.0, high))


def effective_rows(weights: FloatArray) -> float:
    """Rows of equal weight with as much information: (sum of weights)² / sum of squared weights.

    >>> effective_rows(np.array([1.0, 1.0, 2.0, 0.0]))
    2.6666666666666665
    """
    squares = float(weights @ weights)
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def fold_error(values: Sequence[float]) -> float:
    """Return the standard error of a mean over folds."""
    return float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Measure:
    """A share with its 95 % interval."""

    value: float | None
    """None where there is no row to count it on"""
    interval: Interval

    def __str__(self) -> str:
        if self.value is None:
            return "-"
        return f"{phrase_share(self.value)} ({self.interval.low:.2f} to {self.interval.high:.2f})"


_UNKNOWN = Measure(None, Interval(0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How well a rule tells one class from the rest."""

    label: Label
    """the class"""
    sensitivity: Measure
    """of the rows of the class, the share that the rule calls so"""
    specificity: Measure
    """of the other rows, the share that it does not call so"""
    ppv: Measure
    """positive predictive value: of the rows that it calls so, the share that are"""
    npv: Measure
    """negative predictive value: of the other rows, the share that are not"""
    balanced_accuracy: Measure
    """the mean of sensitivity and specificity"""
    prevalence: float
    """the share of the class for which the predictive values hold"""
    assumed: bool
    """whether that share was given; else it is the table's"""

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
) -> Diagnostics:
    """Count what a rule predicted about one class.

    >>> truth, predicted = np.array([1] * 50 + [0] * 50), np.array([1] * 40 + [0] * 60)
    >>> ill = diagnostics_of(truth, predicted, 1, "ill", prevalence=0.05)
    >>> str(ill.sensitivity), str(ill.npv)
    ('0.80 (0.67 to 0.89)', '0.99 (0.98 to 0.99)')
    """
    check_prevalence(prevalence)
    weights = np.ones(len(truth)) if weights is None else weights
    ill, called = truth == index, predicted == index
    sensitivity = counted(called, ill, weights)
    specificity = counted(~called, ~ill, weights)
    own = float(weights[ill].sum() / weights.sum())
    if prevalence is None:
        ppv, npv = counted(ill, called, weights), counted(~ill, ~called, weights)
    else:
        ppv = _predictive(sensitivity, specificity, prevalence)
        npv = _predictive(specificity, sensitivity, 1 - prevalence)
    return Diagnostics(
        label,
        sensitivity,
        specificity,
        ppv,
        npv,
        _mean(sensitivity, specificity),
        own if prevalence is None else prevalence,
        prevalence is not None,
    )


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


def counted(hit: BoolArray, among: BoolArray, weights: FloatArray) -> Measure:
    """Return the share of hits among some rows, with Wilson's interval."""
    rows = weights[among]
    total = float(rows.sum())
    if total <= 0:
        return _UNKNOWN
    share = min(1.0, float(weights[among & hit].sum()) / total)
    return Measure(share, wilson(share, effective_rows(rows)))


def _mean(first: Measure, second: Measure) -> Measure:
    if first.value is None or second.value is None:
        return _UNKNOWN
    mean = (first.value + second.value) / 2
    below = math.hypot(first.value - first.interval.low, second.value - second.interval.low) / 2
    above = math.hypot(first.interval.high - first.value, second.interval.high - second.value) / 2
    return Measure(mean, Interval(max(0.0, mean - below), min(1.0, mean + above)))


def _predictive(found: Measure, passed: Measure, prevalence: float) -> Measure:
    """Return a predictive value by Bayes' rule, from how often a class is found and how often others pass."""
    if found.value is None or passed.value is None:
        return _UNKNOWN
    false_alarms = Interval(1 - passed.interval.high, 1 - passed.interval.low)
    low, high = _ratio_interval(found.value, found.interval, 1 - passed.value, false_alarms)
    odds = prevalence / (1 - prevalence)

    def share(ratio: float) -> float:
        return 1.0 if math.isinf(ratio) else ratio * odds / (1 + ratio * odds)

    if found.value == 0 and passed.value == 1:  # nothing is ever called so
        return _UNKNOWN
    ratio = math.inf if passed.value == 1 else found.value / (1 - passed.value)
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
