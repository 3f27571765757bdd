"""The time until an event: Kaplan and Meier's curve, the log-rank test and its scores, concordance.

Rows whose event was never seen are censored: known to have gone without it until their last day. All of it
is tied to lifelines by tests.
"""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.outcome.base import Classes, Counted, Outcome, Values
from nri.outcome.number import parts_of
from nri.outcome.score import Sampled, Score, Z, score_interval
from nri.rule.column import ColumnPlan
from nri.rule.estimate import Risk, SurvivalTarget
from nri.rule.literal import Kind
from nri.rule.truth import first_to_fire

TIMES = 61  # Points in time at which curves are given, from 0 to the longest.
_PRIOR_EVENTS, _EXPECTED_EVENTS = 1.0, 5.0
"""Events by which a risk is shrunk towards 1, and towards what a posterior expects."""
_RULES = 1.0
"""What the variance of the folds' rules is multiplied by: some have no branch and 0.5 for certain, and
others more on the rows that they were induced from than on new ones. Chosen by simulation."""


@dataclass(frozen=True, eq=False)
class Survival(Outcome):
    """How long each row was followed, and whether that ended in the event."""

    time_name: str
    time: FloatArray  # [M], 0 or more
    event: BoolArray  # [M]
    plan: ColumnPlan = field(default_factory=lambda: ColumnPlan(Kind.NUMBER))
    """how the cells of the time were read"""

    own_share: ClassVar[float] = 0.0
    """See :attr:`nri.outcome.number.Number.own_share`: when one row has the event is mostly chance."""

    @property
    def predicts(self) -> SurvivalTarget:
        """Event and time, without the rows."""
        times = np.linspace(0.0, float(self.time.max(initial=0.0)) or 1.0, TIMES)
        return SurvivalTarget(self.name, self.time_name, tuple(times.tolist()), self.plan)

    @property
    def is_constant(self) -> bool:
        """Whether no row had the event."""
        return not self.event.any()

    def as_classes(self, weights: FloatArray, parts: int) -> Classes:
        """Return equal parts of the log-rank scores as classes."""
        return parts_of(self.name, self.scores(weights), weights, parts)

    def scores(self, weights: FloatArray, fires: BoolArray | None = None) -> FloatArray:
        """[M]: log-rank scores, which a search explains as a number."""
        # summed over a group, this is what the log-rank test looks at
        return np.asarray(self.event - expected_events(self.time, self.event, weights))

    def learnt(self, weights: FloatArray, fires: BoolArray | None = None) -> FloatArray:
        """[M]: deviance residuals, from which experts learn: scores without a long tail of survivors."""
        scores = self.scores(weights)
        beyond = self.event * np.log(np.maximum(self.event - scores, 1e-12))
        return np.asarray(np.sign(scores) * np.sqrt(np.maximum(-2 * (scores + beyond), 0.0)))

    def from_scores(self, scores: FloatArray, weights: FloatArray) -> FloatArray:
        """[S]: the risks that expected deviances stand for, 1 for the mean: one step of Newton's method."""
        learnt = self.learnt(weights)
        mean = weights @ learnt / weights.sum()
        around = weights * (learnt - mean)
        slope = (around @ self.scores(weights)) / max(float(around @ learnt), 1e-300)
        return np.asarray(np.exp((scores - mean) * slope * weights.sum() / weights[self.event].sum()))

    def _counted(self, fires: BoolArray, weights: FloatArray, values: Values) -> Counted:
        deciding, target = first_to_fire(fires), self.predicts
        expected, times = expected_events(self.time, self.event, weights), np.array(target.times)
        prior = _PRIOR_EVENTS if values is None else _EXPECTED_EVENTS
        estimates = []
        for i, aim in enumerate([1.0] * (fires.shape[1] + 1) if values is None else values):
            rows = deciding == i
            curve = kaplan_meier(self.time[rows], self.event[rows], weights[rows], times)
            due = float((weights * expected)[rows].sum())
            risk = (curve.events + prior * float(aim)) / (due + prior)
            estimates.append(replace(curve, value=float(f"{risk:.4g}")))
        support = kaplan_meier(self.time, self.event, weights, times)
        p_value = float(f"{logrank(self.time, self.event, weights, deciding):.10g}")
        return target, estimates, support, p_value

    def score(self, predicted: NDArray[Any], weights: FloatArray, sampled: Sampled | None = None) -> Score:
        """Return the concordance: how often, of two rows, the one with the earlier event has the higher risk.

        Held-out risks of different folds come from different rules; so pairs are compared within folds.
        """
        fold = None if sampled is None else sampled.fold
        value, influence = self.influences(predicted, weights, fold)
        if sampled is None:
            return Score("concordance", value, 0.0, 0.5, "one risk")
        of_rules = sampled.of_rules(lambda one: self.influences(one, weights, fold)[0])
        error = sampled.error(influence, of_rules, _RULES)
        return Score("concordance", value, error, 0.5, "one risk", interval=score_interval(value, error))

    def influences(
        self, risk: NDArray[Any], weights: FloatArray, fold: IntArray | None = None
    ) -> tuple[float, FloatArray]:
        """Return the mean concordance of folds, and [M], how far each row moves it."""
        values, influence = [], np.zeros(len(self))
        fold = np.zeros(len(self), dtype=np.int64) if fold is None else fold
        for k in np.unique(fold):
            rows = fold == k
            right, total = concordant_pairs(self.time[rows], self.event[rows], risk[rows], weights[rows])
            if total.sum() > 0:
                values.append(float(right.sum() / total.sum()))
                influence[rows] = 2 * (right - values[-1] * total) / total.sum()
        return (float(np.mean(values)) if values else 0.5), influence / max(len(values), 1)

    def describe(self) -> str:
        """Write how many rows had the event."""
        return f"{int(self.event.sum())} with {self.name}, {int((~self.event).sum())} censored"


class Steps(NamedTuple):
    """What happened at each time at which something did, the times rising."""

    times: FloatArray
    events: FloatArray  # [T], weight of the rows with an event then
    at_risk: FloatArray  # [T], weight of the rows that were followed until then at least
    lost: FloatArray  # [T], share of these with an event then


def steps_of(time: FloatArray, event: BoolArray, weights: FloatArray) -> Steps:
    """Count events and rows at risk, time by time."""
    times, place = np.unique(time, return_inverse=True)
    left = np.bincount(place, weights, minlength=len(times))
    events = np.bincount(place, weights * event, minlength=len(times)).astype(np.float64)
    at_risk = left.sum() - np.cumsum(left) + left
    lost = np.divide(events, at_risk, out=np.zeros(len(times)), where=at_risk > 0)
    return Steps(times, events, at_risk, lost)


def kaplan_meier(time: FloatArray, event: BoolArray, weights: FloatArray, times: FloatArray) -> Risk:
    """Return the curve of some rows at some times; intervals by Greenwood on log(-log).

    >>> ones = np.ones(4)
    >>> curve = kaplan_meier(np.arange(1.0, 5), np.array([True, True, False, True]), ones, np.arange(5.0))
    >>> curve.survival, curve.median
    ((1.0, 0.75, 0.5, 0.5, 0.0), 2.0)
    """
    steps = steps_of(time, event, weights)
    survival = np.asarray(np.cumprod(1 - steps.lost), dtype=np.float64)
    stayed = steps.at_risk * (steps.at_risk - steps.events)
    spread = np.cumsum(np.divide(steps.events, stayed, out=np.zeros_like(stayed), where=stayed > 0))
    inner = (survival > 0) & (survival < 1)
    logs = np.log(np.where(inner, survival, 0.5))
    reach = Z * np.sqrt(spread) / logs
    low = np.where(inner, survival ** np.exp(-reach), survival)
    high = np.where(inner, survival ** np.exp(reach), survival)
    ended = np.flatnonzero(survival <= 0)  # an end by the last row alone says little: the interval stays open
    if len(ended) and ended[0]:
        high[ended] = high[ended[0] - 1]
    # before the first time, every row is there
    place = np.searchsorted(steps.times, times, side="right")
    curves = (survival, low, high)
    free, free_low, free_high = (tuple(np.concatenate([[1.0], curve])[place].tolist()) for curve in curves)
    medians = [_half(steps.times, curve) for curve in curves]
    followed = tuple(float(weights[time >= at].sum()) for at in times)
    rows, events = float(weights.sum()), float(weights[event].sum())
    return Risk(1.0, rows, events, free, free_low, free_high, followed, *medians)


def _half(times: FloatArray, survival: FloatArray) -> float | None:
    below = np.flatnonzero(survival <= 0.5 + 1e-9)  # a half by many steps is a half
    return float(times[below[0]]) if len(below) else None


def expected_events(time: FloatArray, event: BoolArray, weights: FloatArray) -> FloatArray:
    """[M]: events expected of rows like all others until their last day (Nelson and Aalen's hazard)."""
    steps = steps_of(time, event, weights)
    hazard = np.concatenate([[0.0], np.cumsum(steps.lost)])
    return np.asarray(hazard[np.searchsorted(steps.times, time, side="right")])


def logrank(time: FloatArray, event: BoolArray, weights: FloatArray, group: IntArray) -> float:
    """Return the p-value of the test that all groups have one survival curve; 1 if there is one group."""
    groups = [g for g in np.unique(group) if weights[group == g].sum() > 0]
    if len(groups) < 2:
        return 1.0
    all_rows = steps_of(time, event, weights)
    risk = np.stack([_at_risk(time, weights * (group == g), all_rows.times) for g in groups])
    seen = np.array([(weights * event)[group == g].sum() for g in groups])
    # beside weights that differ by more than a double can hold no row may be left at risk
    share = np.divide(risk, all_rows.at_risk, out=np.zeros_like(risk), where=all_rows.at_risk > 0)
    excess = seen - (share * all_rows.events).sum(axis=1)
    rest = np.maximum(all_rows.at_risk - 1, 1e-12)
    spread = all_rows.events * (all_rows.at_risk - all_rows.events) / rest
    spread = np.where(all_rows.at_risk > 1, spread, 0.0)
    covariance = np.diag((share * spread).sum(axis=1)) - (share * spread) @ share.T
    last = slice(0, len(groups) - 1)  # the excesses of all groups sum to nothing
    statistic = excess[last] @ np.linalg.pinv(covariance[last, last]) @ excess[last]
    from scipy.special import chdtrc

    return float(chdtrc(len(groups) - 1, statistic))


def _at_risk(time: NDArray[Any], weights: FloatArray, times: NDArray[Any]) -> FloatArray:
    order = np.argsort(time, kind="stable")
    reached = np.concatenate([[0.0], np.cumsum(weights[order])])
    return np.asarray(reached[-1] - reached[np.searchsorted(time[order], times, side="left")])


def concordant_pairs(
    time: FloatArray, event: BoolArray, risk: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """[M], for each row, its pairs that the risk orders rightly, ties counting half, and all its pairs.

    Of a pair it is known who had the event first if the earlier time ends in one; at the same time a row with
    an event comes before one that was censored.
    """
    _, place = np.unique(time, return_inverse=True)
    key, events = 2 * place + ~event, weights * event  # the event of the lower key came first
    right, total = np.zeros((2, len(time)))
    for sign, own, others in ((1, events, weights), (-1, weights, events)):
        pairs = _at_risk(sign * key, others, sign * key + 1)
        below, above = (_dominated(sign * key, turn * sign * risk, others) for turn in (1, -1))
        total += own * pairs
        right += own * (pairs + below - above) / 2
    return right, total


def _dominated(key: IntArray, risk: FloatArray, weights: FloatArray) -> FloatArray:
    """[M]: the weight of rows with a larger key and a lower risk, in a pass for each bit of the ranks."""
    _, rank = np.unique(risk, return_inverse=True)
    order = np.lexsort((-rank, -key))  # of rows with the same key, none comes before one of higher risk
    sums = np.zeros(len(key))
    for bit in reversed(range(int(rank.max(initial=0)).bit_length())):
        ranks = rank[order]
        high = (ranks >> bit) & 1 == 1
        low_before = np.concatenate([[0.0], np.cumsum(np.where(high, 0.0, weights[order]))])
        first = np.searchsorted(ranks >> bit + 1, ranks >> bit + 1)
        sums[order] += np.where(high, low_before[:-1] - low_before[first], 0.0)
        order = order[np.argsort(ranks >> bit, kind="stable")]
    return sums
