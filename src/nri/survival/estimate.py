"""Survival in a few sums: Kaplan and Meier's curve, the log-rank test and its scores, concordance.

Rows whose event was never seen are censored: known to have gone without it until their last day. All of it
is tied to lifelines by tests.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from scipy.stats import chi2

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.induce.estimates import LEVEL
from nri.rule.survival import Curve


@dataclass(frozen=True, eq=False)
class Steps:
    """What happened at each time at which something did."""

    times: FloatArray
    """[T], rising"""
    events: FloatArray
    """[T], weight of the rows with an event then"""
    at_risk: FloatArray
    """[T], weight of the rows that were followed until then at least"""


def steps_of(time: FloatArray, event: BoolArray, weights: FloatArray) -> Steps:
    """Count events and rows at risk, time by time."""
    times, place = np.unique(time, return_inverse=True)
    left = np.bincount(place, weights, minlength=len(times))
    events = np.bincount(place, weights * event, minlength=len(times))
    return Steps(times, events.astype(np.float64), left.sum() - np.cumsum(left) + left)


def kaplan_meier(time: FloatArray, event: BoolArray, weights: FloatArray, times: FloatArray) -> Curve:
    """Return the curve of some rows at the times asked for; intervals by Greenwood on log(-log).

    >>> ones = np.ones(4)
    >>> found = kaplan_meier(np.arange(1.0, 5), np.array([True, True, False, True]), ones, np.arange(5.0))
    >>> found.survival, found.median
    ((1.0, 0.75, 0.5, 0.5, 0.0), 2.0)
    """
    steps = steps_of(time, event, weights)
    lost = np.divide(steps.events, steps.at_risk, out=np.zeros(len(steps.times)), where=steps.at_risk > 0)
    survival = np.cumprod(1 - lost)
    stayed = steps.at_risk * (steps.at_risk - steps.events)
    spread = np.cumsum(np.divide(steps.events, stayed, out=np.zeros_like(stayed), where=stayed > 0))
    inner = (survival > 0) & (survival < 1)
    logs = np.log(np.where(inner, survival, 0.5))
    reach = float(ndtri(0.5 + LEVEL / 2)) * np.sqrt(spread) / logs
    low = np.where(inner, survival ** np.exp(-reach), survival)
    high = np.where(inner, survival ** np.exp(reach), survival)
    # before the first time, everybody is there
    place = np.searchsorted(steps.times, times, side="right")
    still = np.array([weights[time >= at].sum() for at in times])

    def told(values: FloatArray) -> tuple[float, ...]:
        return tuple(np.concatenate([[1.0], values])[place].tolist())

    return Curve(
        float(weights.sum()),
        float(weights[event].sum()),
        told(survival),
        told(low),
        told(high),
        tuple(still.tolist()),
        _half(steps.times, survival),
        _half(steps.times, low),
        _half(steps.times, high),
    )


def _half(times: FloatArray, survival: FloatArray) -> float | None:
    below = np.flatnonzero(survival <= 0.5 + 1e-9)  # a half by many steps is a half
    return float(times[below[0]]) if len(below) else None


def expected_events(
    time: FloatArray, event: BoolArray, weights: FloatArray, asked: FloatArray | None = None
) -> FloatArray:
    """[M]: events expected of rows like all others until their last day (Nelson and Aalen's hazard)."""
    steps = steps_of(time, event, weights)
    lost = np.divide(steps.events, steps.at_risk, out=np.zeros(len(steps.times)), where=steps.at_risk > 0)
    hazard = np.concatenate([[0.0], np.cumsum(lost)])
    until = time if asked is None else asked
    return np.asarray(hazard[np.searchsorted(steps.times, until, side="right")])


def logrank_scores(time: FloatArray, event: BoolArray, weights: FloatArray) -> FloatArray:
    """[M]: events less those expected; summed over a group, what the log-rank test looks at."""
    return np.asarray(event - expected_events(time, event, weights))


def logrank(time: FloatArray, event: BoolArray, weights: FloatArray, group: IntArray) -> float:
    """Return the p-value of the test that all groups have one survival curve; 1 if there is one group."""
    groups = [g for g in np.unique(group) if weights[group == g].sum() > 0]
    if len(groups) < 2:
        return 1.0
    everybody = steps_of(time, event, weights)
    risk = np.stack([_at_risk(time, weights * (group == g), everybody.times) for g in groups])
    seen = np.array([(weights * event)[group == g].sum() for g in groups])
    # beside weights that differ by more than a double can hold nobody may be left at risk
    share = np.divide(risk, everybody.at_risk, out=np.zeros_like(risk), where=everybody.at_risk > 0)
    excess = seen - (share * everybody.events).sum(axis=1)
    rest = np.maximum(everybody.at_risk - 1, 1e-12)
    spread = everybody.events * (everybody.at_risk - everybody.events) / rest
    spread = np.where(everybody.at_risk > 1, spread, 0.0)
    covariance = np.diag((share * spread).sum(axis=1)) - (share * spread) @ share.T
    last = slice(0, len(groups) - 1)  # the excesses of all groups sum to nothing
    statistic = excess[last] @ np.linalg.pinv(covariance[last, last]) @ excess[last]
    return float(chi2.sf(statistic, len(groups) - 1))


def _at_risk(time: FloatArray, weights: FloatArray, times: FloatArray) -> FloatArray:
    order = np.argsort(time, kind="stable")
    reached = np.concatenate([[0.0], np.cumsum(weights[order])])
    return np.asarray(reached[-1] - reached[np.searchsorted(time[order], times, side="left")])


def concordant_pairs(
    time: FloatArray, event: BoolArray, risk: FloatArray, weights: FloatArray
) -> tuple[float, float]:
    """Return the pairs whose order the risk tells rightly, ties counting half, and all that can be judged.

    Of a pair it is known who had the event first if the earlier time ends in one; at the same time a row with
    an event comes before one that was censored.
    """
    right = total = 0.0
    for i in np.flatnonzero(event):
        later = (time > time[i]) | ((time == time[i]) & ~event)
        pair = weights[later] * weights[i]
        told = (risk[later] < risk[i]) + 0.5 * (risk[later] == risk[i])
        right, total = right + float(pair @ told), total + float(pair.sum())
    return right, total
