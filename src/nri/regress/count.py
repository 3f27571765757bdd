"""Count: from clauses and rows to segments with their means, intervals and the variance they explain.

Heavy tails: one salary of ten millions must not move the value of its segment by a million. So values far
outside are pulled in to a fence: before segments are known, a fence around all values; once they are, one
around what values differ from the medians of their segments. Means and intervals are of values so taken,
quantiles and the variance that is explained of values as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from nri.arrays import FloatArray, IntArray
from nri.induce.estimates import LEVEL, effective_rows
from nri.rule.clause import ALWAYS, Clause
from nri.rule.decide import first_to_fire
from nri.rule.segments import SHARES, Segment, Segments, Spread, decimals_for
from nri.rule.truth import clause_matrix
from nri.table.table import Table

FENCE = 3.0
"""Values beyond so many times the distance between the quartiles from these are far outside."""
_FEW = 0.01
"""Share of the rows on each side that are pulled in at most: more of them are no accident but a group."""


@dataclass(frozen=True)
class Fence:
    """From where to where values are taken as they are."""

    low: float
    high: float

    def inside(self, values: FloatArray) -> FloatArray:
        """[M]: the values, those beyond the fence on it."""
        return np.clip(values, self.low, self.high)


def fence_of(values: FloatArray, weights: FloatArray) -> Fence:
    """Return the fence around values.

    >>> fence_of(np.array([1.0, 2, 3, 4, 1000]), np.ones(5))
    Fence(low=-4.0, high=10.0)
    """
    few = min(max(_FEW, 1.0 / float(weights.sum())), 0.25)
    lowest, first, third, highest = weighted_quantiles(values, weights, (few, 0.25, 0.75, 1 - few))
    reach = FENCE * (third - first)
    return Fence(float(min(first - reach, lowest)), float(max(third + reach, highest)))


def weighted_quantiles(values: FloatArray, weights: FloatArray, shares: Sequence[float]) -> FloatArray:
    """Return quantiles of values that count as often as their weights say.

    >>> weighted_quantiles(np.array([1.0, 2, 3]), np.array([1.0, 1, 2]), (0.5,)).tolist()
    [2.0]
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    places = np.searchsorted(reached, np.asarray(shares) * reached[-1] * (1 - 1e-12))
    found: FloatArray = values[order][np.minimum(places, len(values) - 1)]
    return found


def spread_of(values: FloatArray, taken: FloatArray, weights: FloatArray) -> Spread:
    """Describe the values of some rows, the mean by how they are taken; all zeros where there are no rows."""
    rows = float(weights.sum())
    if rows <= 0:
        return Spread(0.0, 0.0, 0.0, 0.0, (0.0,) * len(SHARES))
    mean = float(weights @ taken / rows)
    n = effective_rows(weights)
    variance = float(weights @ (taken - mean) ** 2 / rows) * n / max(n - 1, 1e-9)
    reach = float(student.ppf(0.5 + LEVEL / 2, n - 1)) * float(np.sqrt(variance / n)) if n > 1.5 else 0.0
    quantiles = weighted_quantiles(values, weights, SHARES)
    return Spread(rows, mean, mean - reach, mean + reach, tuple(float(q) for q in quantiles))


def taken_values(values: FloatArray, weights: FloatArray, deciding: IntArray) -> FloatArray:
    """[M]: the values, those far from the median of their segment pulled in."""
    middles = np.zeros(int(deciding.max(initial=0)) + 1)
    for i in np.unique(deciding):
        rows = deciding == i
        middles[i] = weighted_quantiles(values[rows], weights[rows], (0.5,))[0]
    beside = values - middles[deciding]
    return middles[deciding] + fence_of(beside, weights).inside(beside)


def deciding_clause(clauses: Sequence[Clause], table: Table) -> IntArray:
    """[M]: which of the clauses decides each row; their number where none fires."""
    used = {name: table.columns[name] for clause in clauses for name in clause.columns}
    return first_to_fire(clause_matrix(clauses, used, len(table)))


def count_segments(clauses: Sequence[Clause], table: Table) -> Segments:
    """Count what each clause decides on the rows of a table and say its value.

    Parameters
    ----------
    clauses
        In the order in which they get their say.
    table
        Rows with a number to be explained.
    """
    outcome, weights = table.outcome, table.weights
    deciding = deciding_clause(clauses, table)
    values = taken_values(outcome.values, weights, deciding)
    support = spread_of(outcome.values, values, weights)
    said = shrunken_means(values, weights, deciding, len(clauses) + 1)
    said = np.round(said, decimals_for(support))  # what is read is what predicts
    segments = []
    for i, clause in enumerate((*clauses, ALWAYS)):
        rows = deciding == i
        spread = spread_of(outcome.values[rows], values[rows], weights[rows])
        segments.append(Segment(clause, float(said[i]), spread))
    return Segments(
        target=outcome.name,
        segments=tuple(segments[:-1]),
        rest=segments[-1],
        support=support,
        explained=share_explained(outcome.values, said[deciding], weights),
        target_plan=outcome.plan,
    ).with_plans(table.plans)


def shrunken_means(values: FloatArray, weights: FloatArray, groups: IntArray, n_groups: int) -> FloatArray:
    """[n_groups]: the mean of each group, drawn towards that of all by as much as it is uncertain.

    How much is what the values themselves say: the variance within groups, as against that between their
    means (empirical Bayes). A group without rows has the mean of all.
    """
    rows = np.bincount(groups, weights, minlength=n_groups)
    sums = np.bincount(groups, weights * values, minlength=n_groups)
    overall = float(sums.sum() / rows.sum())
    means = np.where(rows > 0, sums / np.maximum(rows, 1e-300), overall)
    within = float(weights @ (values - means[groups]) ** 2)
    taken = int((rows > 0).sum())
    noise = within / max(float(rows.sum()) - taken, 1.0)
    between = float(rows @ (means - overall) ** 2) - noise * (taken - 1)
    signal = between / max(float(rows.sum() - (rows**2).sum() / rows.sum()), 1e-300)
    if signal <= 0:
        return np.full(n_groups, overall)
    strength = noise / signal
    return overall + (means - overall) * rows / (rows + strength)


def share_explained(values: FloatArray, said: FloatArray, weights: FloatArray) -> float:
    """Return R²: the share of the variance of values that predictions explain; 0 where there is none.

    >>> share_explained(np.array([1.0, 3]), np.array([1.0, 3]), np.ones(2))
    1.0
    """
    mean = float(weights @ values / weights.sum())
    total = float(weights @ (values - mean) ** 2)
    return 1.0 - float(weights @ (values - said) ** 2) / total if total > 0 else 0.0
