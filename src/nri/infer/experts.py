"""Experts: closed-form opinions on every row, each left out of its own opinion.

Linear, quadratic and neighbourhood kernels, solved by ridge regression, and naive Bayes. None is
trained or tuned: each is one linear solve, and the opinion on a support row is the exact leave-one-out
one. So their worth can be checked on the support itself, and the council weighs them by it. The network
reads all of them beside its own neighbourhoods and learns, on synthetic tables only, where to differ.
They know nothing of the columns' names or order.

The same function serves training and the installed product, so there is one definition of them.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from nri.infer.council import council_shares

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
    "council",
)
"""The experts in the order of the last axis of their opinions."""

LINEAR_RIDGES = (1.0, 6.0, 40.0)
"""Ridges for columns coded -1/+1; the middle one is close to logistic regression's usual default."""
FIRM = 1
"""Which linear expert also tells how much each column moves its opinion."""


COUNCIL = len(EXPERTS) - 1
"""The blend of all the others; its index in the last axis."""


@dataclass(frozen=True, eq=False)
class Opinions:
    """What the experts say; 0 is the base rate, about +-0.5 is certainty."""

    support: FloatArray
    """[M, E], the opinion on each support row as if one such row fewer had been seen"""
    asked: FloatArray
    """[S, E], the opinion on each row asked about"""
    support_parts: FloatArray
    """[M, N], what each cell adds to the firm linear expert's left-out opinion"""
    asked_parts: FloatArray
    """[S, N]"""
    base_rate: float

    def of_columns(self, columns: NDArray[np.int64]) -> "Opinions":
        """Keep the parts of some columns; the opinions stay those by all columns."""
        return replace(
            self, support_parts=self.support_parts[:, columns], asked_parts=self.asked_parts[:, columns]
        )


def consult(
    x: FloatArray, asked: FloatArray, labels: NDArray[Any], weights: NDArray[Any] | None = None
) -> Opinions:
    """Ask every expert about the support rows [M, N] and the rows asked about [S, N].

    Cells are -1, +1, or 0 where unknown; labels are 0 or 1; weights, all above 0, say how many rows
    each support row stands for.
    """
    y = labels.astype(np.float32)
    w = np.ones_like(y) if weights is None else weights.astype(np.float32)
    base_rate = float((w @ y + 0.5) / (w.sum() + 1))
    target = y - np.float32(base_rate)
    centred, centred_asked = _centred(x, asked, w)
    scale = np.sqrt(_relevance(centred, target, w))
    plain = _gram(centred, centred_asked)
    relevant = _gram(centred * scale, centred_asked * scale)

    linear = [_ridge(plain, target, w, ridge) for ridge in LINEAR_RIDGES]
    others = [
        *(
            _ridge(_neighbourhood(gram, w, reach), target, w, 0.3)
            for gram in (plain, relevant)
            for reach in (1.0, 3.0)
        ),
        *(_ridge(_quadratic(gram, w), target, w, 1.0) for gram in (plain, relevant)),
    ]
    solved = linear + others
    bayes = _naive_bayes(x, asked, y, w)
    support = np.stack([*(s.support for s in solved), bayes[0]], axis=1)
    on_asked = np.stack([*(s.asked for s in solved), bayes[1]], axis=1)
    share = council_shares(support, target, w)
    return Opinions(
        support=np.column_stack([support, support @ share]),
        asked=np.column_stack([on_asked, on_asked @ share]),
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
    """A ridge regression in its dual form, with the exact left-out opinions."""

    inverse: FloatArray
    alpha: FloatArray
    removed: FloatArray
    """[M], by how much of alpha / diag(inverse) a row's own opinion falls when one unit of it is left out"""
    support: FloatArray
    asked: FloatArray


def _centred(x: FloatArray, asked: FloatArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Subtract each column's mean over known cells; an unknown cell then sits at the mean, 0."""
    known = x != 0
    mean = ((w @ x) / np.maximum(w @ known, 1e-6)).astype(np.float32)
    return (x - mean) * known, (asked - mean) * (asked != 0)


def _relevance(centred: FloatArray, target: FloatArray, w: FloatArray) -> FloatArray:
    """Weigh columns by how far they correlate with the label beyond chance; the mean weight is 1."""
    weighted = w * target
    explained = (weighted @ centred) ** 2 / ((w @ centred**2) * (weighted @ target) + 1e-6)
    beyond_chance = np.maximum(explained - 1 / w.sum(), 0) + 0.1 * explained.mean() + 1e-6
    weight = np.sqrt(beyond_chance)
    return np.asarray(weight * (len(weight) / weight.sum()), dtype=np.float32)


def _gram(features: FloatArray, asked: FloatArray) -> _Gram:
    return _Gram(features @ features.T, asked @ features.T, np.einsum("sn,sn->s", asked, asked))


def _neighbourhood(gram: _Gram, w: FloatArray, reach: float) -> _Gram:
    """Similarity that falls off exponentially with the (squared) distance between rows."""
    norms = np.diag(gram.rows)
    distance = norms[:, None] + norms[None, :] - 2 * gram.rows
    asked_distance = gram.asked_norms[:, None] + norms[None, :] - 2 * gram.asked
    mean = w @ distance @ w / w.sum() ** 2
    fall_off = np.float32(-reach / (mean + 1e-6))
    return _Gram(np.exp(fall_off * distance), np.exp(fall_off * asked_distance), gram.asked_norms)


def _quadratic(gram: _Gram, w: FloatArray) -> _Gram:
    """All pairs of columns as features."""
    scale = np.float32(2 * w.sum() / (w @ np.diag(gram.rows) + 1e-6))
    return _Gram((1 + gram.rows * scale) ** 2, (1 + gram.asked * scale) ** 2, gram.asked_norms)


def _ridge(gram: _Gram, target: FloatArray, w: FloatArray, ridge: float) -> _Solved:
    """Solve for all rows at once, and for each row as if one unit of its weight were not there.

    Without a row at all its opinion is t - alpha / diag(inverse), with variance v. The n units that
    remain of it bring back the share v n / (v n + ridge) of what is missing to its label.
    """
    system = np.array(gram.rows, order="F")
    system[np.diag_indices(len(system))] += np.float32(ridge) / w
    factor, failed = lapack.spotrf(system, lower=1, overwrite_a=1)
    assert failed == 0, "a kernel plus its ridge is positive definite"
    lower, _ = lapack.spotri(factor, lower=1, overwrite_c=1)
    inverse = np.tril(lower) + np.tril(lower, -1).T
    alpha = inverse @ target
    precision = np.diag(inverse)
    variance = np.maximum(1 / precision - np.float32(ridge) / w, 0)
    remaining = np.maximum(w - 1, 0)
    gap = alpha / precision
    kept = variance * remaining / (variance * remaining + ridge)
    full = variance * w / (variance * w + ridge)
    removed = (1 - kept / np.maximum(full, 1e-12)).astype(np.float32)
    return _Solved(inverse, alpha, removed, target - gap * (1 - kept), gram.asked @ alpha)


def _left_out_parts(centred: FloatArray, solved: _Solved) -> FloatArray:
    """[M, N]: each cell's part in the opinion on its row, by the weights found without one unit of it."""
    step = solved.removed * solved.alpha / np.diag(solved.inverse)
    without = solved.alpha[:, None] - solved.inverse * step
    return np.asarray(centred * (without.T @ centred), dtype=np.float32)


def _naive_bayes(
    x: FloatArray, asked: FloatArray, y: FloatArray, w: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Left-out and plain log-odds, squashed to the range of the other opinions."""
    true, known = (x > 0).astype(np.float32), (x != 0).astype(np.float32)
    positive, negative = w * y, w * (1 - y)
    counts = [positive @ true, positive @ known, negative @ true, negative @ known]
    unit = np.minimum(w, 1)
    gone_positive, gone_negative = (unit * y)[:, None], (unit * (1 - y))[:, None]
    own = [gone_positive * true, gone_positive * known, gone_negative * true, gone_negative * known]
    left_out = _log_odds(x, *(c - o for c, o in zip(counts, own, strict=True)))
    left_out += np.log(
        (positive.sum() - gone_positive[:, 0] + 0.5) / (negative.sum() - gone_negative[:, 0] + 0.5)
    )
    plain = _log_odds(asked, *counts) + np.log((positive.sum() + 0.5) / (negative.sum() + 0.5))
    return (np.tanh(left_out / 8) / 2).astype(np.float32), (np.tanh(plain / 8) / 2).astype(np.float32)


def _log_odds(
    x: FloatArray, true_pos: FloatArray, known_pos: FloatArray, true_neg: FloatArray, known_neg: FloatArray
) -> FloatArray:
    """Sum over known cells of the log ratio of the cell's rate among positives and negatives."""
    # counts left after a subtraction can fall below zero by rounding
    rate_pos = (np.maximum(true_pos, 0) + 0.5) / (np.maximum(known_pos, true_pos) + 1)
    rate_neg = (np.maximum(true_neg, 0) + 0.5) / (np.maximum(known_neg, true_neg) + 1)
    when_true = np.log(rate_pos / rate_neg)
    when_false = np.log((1 - rate_pos) / (1 - rate_neg))
    return np.asarray(((x > 0) * when_true + (x < 0) * when_false).sum(axis=1), dtype=np.float32)
