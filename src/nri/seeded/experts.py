"""Experts: closed-form opinions on every row, each left out of its own opinion.

Kernels and naive Bayes, each without training, with exact leave-one-out opinions on the support rows, by
which the ensemble weighs them. The network reads all of them and has learned where to differ.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.seeded.kernels import Alike, Float32Array, Kernels
from nri.weights import EXPERTS

Array = NDArray[Any]

ENSEMBLE = len(EXPERTS) - 1  # The blend of all the others; its index in the last axis.


class Experts:
    """All experts on cells, formed by one table. They predict any number of rows, part by part.

    Cells [M, N] are -1, +1, or 0 where unknown; labels are 0 or 1; weights, all above 0, say how many rows
    each support row stands for. Of an opinion 0 is the base rate, about +-0.5 is certainty.
    """

    def __init__(
        self, x: Float32Array, labels: Array, weights: Array | None = None, alike: Alike | None = None
    ) -> None:
        y = labels.astype(np.float32)
        w = np.ones_like(y) if weights is None else weights.astype(np.float32)
        self.base_rate = float((w @ y + 0.5) / (w.sum() + 1))
        """share of the positive rows, drawn to one half by one row"""
        target = y - np.float32(self.base_rate)
        self._kernels = Kernels(alike or Alike(x, w), target)
        self._bayes = _NaiveBayes(x, y, w)
        support = np.column_stack([self._kernels.support, self._bayes.left_out(x, y, w)])
        self._shares = ensemble_shares(support, target, w)
        self.support = np.column_stack([support, support @ self._shares])
        """[M, E], the opinion on each support row as if one such row fewer had been seen"""

    def opine(self, query: Float32Array) -> Float32Array:
        """[S, E], opinions on rows [S, N]."""
        opinions = np.column_stack([self._kernels.opine(query), self._bayes.plain(query)])
        return np.column_stack([opinions, opinions @ self._shares])

    def parts(self, query: Float32Array) -> Float32Array:
        """[S, N], what each cell of rows adds to the firm linear expert's opinion."""
        return self._kernels.parts(query)


_Counts = tuple[Float32Array, Float32Array, Any]
"""Of the rows of one class, how many have a true cell [N] and a known one [N], and how many there are."""


class _NaiveBayes:
    """Every column on its own; its log-odds are squashed to the range of the other opinions."""

    def __init__(self, x: Float32Array, y: Float32Array, w: Float32Array) -> None:
        self.sides: list[_Counts] = [
            (side @ (x > 0).astype(np.float32), side @ (x != 0).astype(np.float32), side.sum())
            for side in (w * y, w * (1 - y))
        ]

    def plain(self, query: Float32Array) -> Float32Array:
        """[S]"""
        return _squashed_odds(query, *self.sides)

    def left_out(self, x: Float32Array, y: Float32Array, w: Float32Array) -> Float32Array:
        """[M], with one unit of the row itself taken out of every count."""
        unit = np.minimum(w, 1)
        without = [
            (true - own[:, None] * (x > 0), known - own[:, None] * (x != 0), total - own)
            for (true, known, total), own in zip(self.sides, (unit * y, unit * (1 - y)), strict=True)
        ]
        return _squashed_odds(x, *without)


def _squashed_odds(x: Float32Array, positive: _Counts, negative: _Counts) -> Float32Array:
    """Sum over known cells of the log ratio of the cell's rate among positives and negatives."""
    # counts left after a subtraction can fall below zero by rounding
    rate_pos, rate_neg = (
        (np.maximum(true, 0) + 0.5) / (np.maximum(known, true) + 1) for true, known, _ in (positive, negative)
    )
    when_true, when_false = np.log(rate_pos / rate_neg), np.log((1 - rate_pos) / (1 - rate_neg))
    prior = np.log((positive[2] + 0.5) / (negative[2] + 0.5))
    odds = ((x > 0) * when_true + (x < 0) * when_false).sum(axis=1) + prior
    return np.asarray(np.tanh(odds / 8) / 2, dtype=np.float32)


PULL_TO_EQUAL = 1.0  # Ridge that draws the blend to equal shares, for the ensemble that the network reads.


def ensemble_shares(
    left_out: Array, target: Array, weights: Array, expected: Array | None = None, pull: float = PULL_TO_EQUAL
) -> Float32Array:
    """[E]: shares, none negative, by which the opinions together come closest to the target."""
    n = left_out.shape[1]
    if expected is None:
        expected = np.full(n, 1 / n)
    weighted = left_out * weights[:, None]
    system = (weighted.T @ left_out).astype(np.float64) + pull * np.eye(n)
    aim = (weighted.T @ target).astype(np.float64) + pull * expected
    return _without_negatives(system, aim).astype(np.float32)


def _without_negatives(system: Array, aim: Array) -> Array:
    """Return the ``x``, none negative, of the least ``x @ system @ x / 2 - aim @ x``: Lawson and Hanson."""
    x, free = np.zeros(len(aim)), np.zeros(len(aim), dtype=bool)
    for _ in range(3 * len(aim)):
        gain = np.where(free, -np.inf, aim - system @ x)
        if gain.max(initial=-np.inf) <= 1e-12 * abs(aim).max():
            break
        free[gain.argmax()] = True
        while True:
            best = np.zeros(len(aim))
            best[free] = np.linalg.solve(system[np.ix_(free, free)], aim[free])
            if (best[free] > 0).all():
                break
            out = free & (best <= 0)  # go as far as none turns negative, and hold what gets to 0
            x += (x[out] / (x[out] - best[out])).min() * (best - x)
            free &= x > 1e-14
        x = best
    return x
