"""A number for every row: means that outliers do not move, and how much of the variance is explained.

Outliers are clipped to a fence: before branches are known, around all values; then around the distances from
the medians of the branches. Means and intervals are of clipped values, quantiles and the explained variance
of the values themselves.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.errors import InputError
from nri.outcome.base import Classes, Counted, Outcome, Values
from nri.outcome.score import LEVEL, Sampled, Score, effective_rows, score_interval
from nri.rule.column import ColumnPlan
from nri.rule.estimate import QUANTILES, Mean, NumberTarget, decimals_for
from nri.rule.literal import Kind
from nri.rule.truth import first_to_fire

LARGEST = 1e100  # Largest value of a number that is explained: squares of it are still numbers.


@dataclass(frozen=True, eq=False)
class Number(Outcome):
    """A number for every row."""

    values: FloatArray  # [M], finite
    plan: ColumnPlan = field(default_factory=lambda: ColumnPlan(Kind.NUMBER))  # how its cells were read

    own_share: ClassVar[float] = 0.5
    """Share of a row's own score in what is searched with experts; the rest is expected."""

    def __post_init__(self) -> None:
        if np.abs(self.values).max(initial=0.0) > LARGEST:
            raise InputError(f"target {self.name!r} has values beyond {LARGEST:g}; divide them all")

    @property
    def predicts(self) -> NumberTarget:
        """The column, without the rows."""
        return NumberTarget(self.name, self.plan)

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same, but for rounding."""
        return standardised(self.values, np.ones(len(self))) is None

    def as_classes(self, weights: FloatArray, parts: int) -> Classes:
        """Return equal parts of the values as classes."""
        return parts_of(self.name, self.values, weights, parts)

    def scores(self, weights: FloatArray, fires: BoolArray | None = None) -> FloatArray:
        """[M]: the values that a search explains, outliers clipped by the branches so far."""
        if fires is None or not fires.shape[1]:
            return np.clip(self.values, *fence_of(self.values, weights))
        return clipped(self.values, weights, first_to_fire(fires))

    learnt = scores  # experts learn from the same values

    def from_scores(self, scores: FloatArray, weights: FloatArray) -> FloatArray:
        """[S]: the values that expected scores stand for."""
        return scores

    def _counted(self, fires: BoolArray, weights: FloatArray, values: Values) -> Counted:
        deciding = first_to_fire(fires)
        inside = clipped(self.values, weights, deciding)
        support = mean_of(self.values, inside, weights, self.copies)
        predicted = shrunken_means(inside, weights, deciding, fires.shape[1] + 1, values)
        decimals = decimals_for(support)
        estimates = []
        for i, value in enumerate(predicted.tolist()):
            rows = deciding == i
            mean = mean_of(self.values[rows], inside[rows], weights[rows], self.copies)
            if mean.low < mean.high:  # else there are too few rows for an interval, or all have one value
                value = min(max(value, mean.low), mean.high)
            predicted[i] = round(value, decimals)  # what is read is what is predicted
            estimates.append(replace(mean, value=predicted[i].item()))
        explained = _rounded(share_explained(self.values, predicted[deciding], weights))
        target = NumberTarget(self.name, self.plan, decimals)
        return target, estimates, support, explained

    def score(self, predicted: NDArray[Any], weights: FloatArray, sampled: Sampled | None = None) -> Score:
        """Return R², and as details the mean absolute error and that of the median of all rows."""
        share = weights / weights.sum()
        off = np.abs(self.values - predicted)
        mean = float(share @ off)
        median = float(weighted_quantiles(self.values, weights, (0.5,))[0])
        details = {
            "mean_absolute_error": mean,
            "mean_absolute_error_se": math.sqrt(float(share**2 @ (off - mean) ** 2)),
            "mean_absolute_error_of_median": float(share @ np.abs(self.values - median)),
        }
        decimals = decimals_for(mean_of(self.values, self.values, weights))
        average = float(share @ self.values)
        constant = NumberTarget(self.name, self.plan, decimals).amount(average)
        explained, influence = self.influences(predicted, weights)
        error, interval = 0.0, None
        if sampled is not None:
            of_rules = sampled.of_rules(lambda one: share_explained(self.values, one, weights))
            # where the mean is predicted, it is the mean that varies
            error = math.hypot(sampled.error(influence, of_rules), 3 / effective_rows(weights))
            interval = score_interval(explained, error)
        return Score("R²", explained, error, 0.0, constant, details, interval)

    def influences(self, predicted: NDArray[Any], weights: FloatArray) -> tuple[float, FloatArray]:
        """Return R², and [M], how far each row moves it."""
        explained, share = share_explained(self.values, predicted, weights), weights / weights.sum()
        around = (self.values - float(share @ self.values)) ** 2
        variance = max(float(share @ around), 1e-300)
        return explained, share * ((1 - explained) * around - (self.values - predicted) ** 2) / variance

    def describe(self) -> str:
        """Write the range of the values."""
        low, middle, high = np.quantile(self.values, (0.0, 0.5, 1.0))
        return f"{self.name} from {low:.6g} to {high:.6g}, median {middle:.6g}"


def parts_of(name: str, values: FloatArray, weights: FloatArray, parts: int) -> Classes:
    """Return equal parts of values as classes."""
    borders = np.unique(weighted_quantiles(values, weights, [part / parts for part in range(1, parts)]))
    codes = np.searchsorted(borders, values, side="left").astype(np.int64)
    return Classes(name, tuple(range(len(borders) + 1)), codes)


def standardised(values: FloatArray, weights: FloatArray) -> FloatArray | None:
    """[M]: values with mean 0 and variance 1, None if all are the same."""
    centred = values - weights @ values / weights.sum()
    scale = float(np.sqrt(weights @ centred**2 / weights.sum()))
    if scale <= 1e-12 * max(1.0, float(np.abs(values).max())):
        return None
    standard: FloatArray = centred / scale
    return standard


FENCE = 3.0  # Values beyond so many times the distance between the quartiles from these are far outside.
_FEW = 0.01
"""Share of the rows on each side that are clipped at most: more of them are no accident but a group."""


def fence_of(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return from where to where values are taken as they are.

    >>> fence_of(np.array([1.0, 2, 3, 4, 1000]), np.ones(5))
    (-4.0, 10.0)
    """
    few = min(max(_FEW, 1.0 / float(weights.sum())), 0.25)
    lowest, first, third, highest = weighted_quantiles(values, weights, (few, 0.25, 0.75, 1 - few))
    reach = FENCE * (third - first)
    return float(min(first - reach, lowest)), float(max(third + reach, highest))


def weighted_quantiles(values: FloatArray, weights: FloatArray, shares: Sequence[float]) -> FloatArray:
    """Return quantiles of values that count as often as their weights say.

    >>> weighted_quantiles(np.array([1.0, 2, 3]), np.array([1.0, 1, 2]), (0.5,)).tolist()
    [2.0]
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    places = np.searchsorted(reached, np.asarray(shares) * reached[-1] * (1 - 1e-12))
    quantiles: FloatArray = values[order][np.minimum(places, len(values) - 1)]
    return quantiles


def mean_of(values: FloatArray, inside: FloatArray, weights: FloatArray, copies: bool = False) -> Mean:
    """Describe the values of some rows, the mean by the clipped ones; all zeros where there are no rows."""
    rows = float(weights.sum())
    if rows <= 0:
        return Mean(0.0, 0.0, 0.0, 0.0, 0.0, (0.0,) * len(QUANTILES))
    mean = float(weights @ inside / rows)
    n = rows if copies else effective_rows(weights)
    variance = float(weights @ (inside - mean) ** 2 / rows) * n / max(n - 1, 1e-9)
    from scipy.special import stdtrit

    reach = float(stdtrit(n - 1, 0.5 + LEVEL / 2)) * float(np.sqrt(variance / n)) if n > 1.5 else 0.0
    quantiles = weighted_quantiles(values, weights, QUANTILES)
    narrow = min(max(reach / abs(mean), 1e-9), 1.0) if mean else 1.0
    digits = max(10, 4 - math.floor(math.log10(narrow)))  # a narrow interval far from zero needs more
    mean, low, high = (_rounded(end, digits) for end in (mean, mean - reach, mean + reach))
    return Mean(mean, rows, mean, low, high, tuple(float(q) for q in quantiles))


def _rounded(value: float, digits: int = 10) -> float:
    """Return a value to ten digits, so that sums taken in another order of rows are the same."""
    return float(f"{value:.{digits}g}")


def clipped(values: FloatArray, weights: FloatArray, deciding: IntArray) -> FloatArray:
    """[M]: the values, those far from the median of their branch clipped."""
    middles = np.zeros(int(deciding.max(initial=0)) + 1)
    for i in np.unique(deciding):
        rows = deciding == i
        middles[i] = weighted_quantiles(values[rows], weights[rows], (0.5,))[0]
    beside = values - middles[deciding]
    return np.asarray(middles[deciding] + np.clip(beside, *fence_of(beside, weights)))


_COMMON = 5.0  # Rows that the noise of all groups counts in that of one


def shrunken_means(
    values: FloatArray, weights: FloatArray, groups: IntArray, n_groups: int, expected: Any = None
) -> FloatArray:
    """[n_groups]: the mean of each group, shrunk towards what is expected by as much as it is uncertain.

    How much follows from the variances within and between groups (empirical Bayes). Without expectations,
    means are shrunk towards the mean of all.
    """
    rows = np.bincount(groups, weights, minlength=n_groups)
    sums = np.bincount(groups, weights * values, minlength=n_groups)
    overall = float(sums.sum() / rows.sum())
    aim = np.full(n_groups, overall) if expected is None else np.asarray(expected, dtype=np.float64)
    means = np.where(rows > 0, sums / np.maximum(rows, 1e-300), aim)
    within = float(weights @ (values - means[groups]) ** 2)
    taken = int((rows > 0).sum())
    noise = within / max(float(rows.sum()) - taken, 1.0)
    between = float(rows @ (means - aim) ** 2) - noise * (taken - 1)
    signal = between / max(float(rows.sum() - (rows**2).sum() / rows.sum()), 1e-300)
    if signal <= 0:
        return aim
    # where values are large they often vary more, so each group has a noise of its own
    own = np.bincount(groups, weights * (values - means[groups]) ** 2, minlength=n_groups)
    strength = (own + _COMMON * noise) / (rows + _COMMON) / signal
    return np.asarray(aim + (means - aim) * rows / (rows + strength))


def share_explained(values: FloatArray, predicted: FloatArray, weights: FloatArray) -> float:
    """Return R²: the share of the variance of values that predictions explain; 0 where there is none.

    >>> share_explained(np.array([1.0, 3]), np.array([1.0, 3]), np.ones(2))
    1.0
    """
    mean = float(weights @ values / weights.sum())
    total = float(weights @ (values - mean) ** 2)
    return 1.0 - float(weights @ (values - predicted) ** 2) / total if total > 0 else 0.0
