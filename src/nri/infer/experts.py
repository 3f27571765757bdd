"""Experts: closed-form opinions on every row, each left out of its own opinion.

A linear, a quadratic and several neighbourhood kernels, solved by ridge regression, and naive Bayes.
None is trained or tuned: each is one linear solve, and the opinion on a support row is the exact
leave-one-out one. The network reads them beside its own neighbourhoods and learns, on synthetic
tables only, which of them to believe when. They know nothing of the columns' names or order.

The same function serves training and the installed product, so there is one definition of them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

FloatArray = NDArray[np.float32]

EXPERTS = (
    "linear, loose",
    "linear, firm",
    "linear, tight",
    "wide neighbourhood",
    "near neighbourhood",
    "wide neighbourhood by relevance",
    "near neighbourhood by relevance",
    "quadratic",
    "quadratic by relevance",
    "naive Bayes",
)
"""The experts in the order of the last axis of their opinions."""

LINEAR_RIDGES = (1.0, 6.0, 40.0)
"""Ridges for columns coded -1/+1; the middle one is close to logistic regression's usual default."""
FIRM = 1
"""Which linear expert also tells how much each column moves its opinion."""


@dataclass(frozen=True, eq=False)
class Opinions:
    """What the experts say; 0 is the base rate, about +-0.5 is certainty."""

    support: FloatArray
    """[M, E], the opinion on each support row from all the other ones"""
    asked: FloatArray
    """[S, E], the opinion on each row asked about"""
    support_parts: FloatArray
    """[M, N], what each cell adds to the firm linear expert's left-out opinion"""
    asked_parts: FloatArray
    """[S, N]"""
    base_rate: float


def consult(x: FloatArray, asked: FloatArray, labels: NDArray[Any]) -> Opinions:
    """Ask every expert about the support rows [M, N] and the rows asked about [S, N].

    Cells are -1, +1, or 0 where unknown; labels are 0 or 1.
    """
    y = labels.astype(np.float32)
    base_rate = float((y.sum() + 0.5) / (len(y) + 1))
    target = y - np.float32(base_rate)
    centred, centred_asked = _centred(x, asked)
    scale = np.sqrt(_relevance(centred, target))
    plain = _gram(centred, centred_asked)
    relevant = _gram(centred * scale, centred_asked * scale)

    linear = [_ridge(plain, target, ridge) for ridge in LINEAR_RIDGES]
    others = [
        *(
            _ridge(_neighbourhood(gram, reach), target, 0.3)
            for gram in (plain, relevant)
            for reach in (1.0, 3.0)
        ),
        *(_ridge(_quadratic(gram), target, 1.0) for gram in (plain, relevant)),
    ]
    solved = linear + others
    bayes = _naive_bayes(x, asked, y)
    return Opinions(
        support=np.stack([*(s.support for s in solved), bayes[0]], axis=1),
        asked=np.stack([*(s.asked for s in solved), bayes[1]], axis=1),
        support_parts=_left_out_parts(centred, linear[FIRM]),
        asked_parts=centred_asked * (linear[FIRM].alpha @ centred),
        base_rate=base_rate,
    )


@dataclass(frozen=True, eq=False)
class _Gram:
    """Inner products of support rows with each other and of the rows asked about with them."""

    rows: FloatArray
    asked: FloatArray
    asked_norms: FloatArray


@dataclass(frozen=True, eq=False)
class _Solved:
    """A ridge regression in its dual form, with the exact leave-one-out opinions."""

    inverse: FloatArray
    alpha: FloatArray
    support: FloatArray
    asked: FloatArray


def _centred(x: FloatArray, asked: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Subtract each column's mean over known cells; an unknown cell then sits at the mean, 0."""
    known = x != 0
    mean = x.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    mean = mean.astype(np.float32)
    return (x - mean) * known, (asked - mean) * (asked != 0)


def _relevance(centred: FloatArray, target: FloatArray) -> FloatArray:
    """Weigh columns by how far they correlate with the label beyond chance; the mean weight is 1."""
    M, N = centred.shape
    explained = (target @ centred) ** 2 / ((centred**2).sum(axis=0) * (target @ target) + 1e-6)
    beyond_chance = np.maximum(explained - 1 / M, 0) + 0.1 * explained.mean() + 1e-6
    weight = np.sqrt(beyond_chance)
    return np.asarray(weight * (N / weight.sum()), dtype=np.float32)


def _gram(features: FloatArray, asked: FloatArray) -> _Gram:
    return _Gram(features @ features.T, asked @ features.T, np.einsum("sn,sn->s", asked, asked))


def _neighbourhood(gram: _Gram, reach: float) -> _Gram:
    """Similarity that falls off exponentially with the (squared) distance between rows."""
    norms = np.diag(gram.rows)
    distance = norms[:, None] + norms[None, :] - 2 * gram.rows
    asked_distance = gram.asked_norms[:, None] + norms[None, :] - 2 * gram.asked
    fall_off = np.float32(-reach / (distance.mean() + 1e-6))
    return _Gram(np.exp(fall_off * distance), np.exp(fall_off * asked_distance), gram.asked_norms)


def _quadratic(gram: _Gram) -> _Gram:
    """All pairs of columns as features."""
    scale = np.float32(2 * len(gram.rows) / (np.trace(gram.rows) + 1e-6))
    return _Gram((1 + gram.rows * scale) ** 2, (1 + gram.asked * scale) ** 2, gram.asked_norms)


def _ridge(gram: _Gram, target: FloatArray, ridge: float) -> _Solved:
    system = np.asfortranarray(gram.rows)
    if system is gram.rows or system.base is gram.rows:
        system = system.copy(order="F")
    system[np.diag_indices(len(system))] += np.float32(ridge)
    factor, failed = lapack.spotrf(system, lower=1, overwrite_a=1)
    assert failed == 0, "a kernel plus its ridge is positive definite"
    lower, _ = lapack.spotri(factor, lower=1, overwrite_c=1)
    inverse = np.tril(lower) + np.tril(lower, -1).T
    alpha = inverse @ target
    return _Solved(inverse, alpha, target - alpha / np.diag(inverse), gram.asked @ alpha)


def _left_out_parts(centred: FloatArray, solved: _Solved) -> FloatArray:
    """[M, N]: each cell's part in the opinion on its row, by the weights found without that row."""
    without = solved.alpha[:, None] - solved.inverse * (solved.alpha / np.diag(solved.inverse))
    return np.asarray(centred * (without.T @ centred), dtype=np.float32)


def _naive_bayes(x: FloatArray, asked: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Left-out and plain log-odds, squashed to the range of the other opinions."""
    true, known = (x > 0).astype(np.float32), (x != 0).astype(np.float32)
    label = y[:, None]
    counts = [y @ true, y @ known, (1 - y) @ true, (1 - y) @ known]
    own = [label * true, label * known, (1 - label) * true, (1 - label) * known]
    totals = y.sum(), (1 - y).sum()
    left_out = _log_odds(x, *(c - o for c, o in zip(counts, own, strict=True)))
    left_out += np.log((totals[0] - y + 0.5) / (totals[1] - (1 - y) + 0.5))
    plain = _log_odds(asked, *counts) + np.log((totals[0] + 0.5) / (totals[1] + 0.5))
    return (np.tanh(left_out / 8) / 2).astype(np.float32), (np.tanh(plain / 8) / 2).astype(np.float32)


def _log_odds(
    x: FloatArray, true_pos: FloatArray, known_pos: FloatArray, true_neg: FloatArray, known_neg: FloatArray
) -> FloatArray:
    """Sum over known cells of the log ratio of the cell's rate among positives and negatives."""
    rate_pos = (true_pos + 0.5) / (known_pos + 1)
    rate_neg = (true_neg + 0.5) / (known_neg + 1)
    when_true = np.log(rate_pos / rate_neg)
    when_false = np.log((1 - rate_pos) / (1 - rate_neg))
    return np.asarray(((x > 0) * when_true + (x < 0) * when_false).sum(axis=1), dtype=np.float32)
