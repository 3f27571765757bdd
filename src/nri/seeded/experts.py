"""Experts: closed-form opinions on every row, each left out of its own opinion.

Linear, quadratic and neighbourhood kernels, solved by ridge regression, and naive Bayes. None is
trained or tuned: each is one linear solve, and the opinion on a support row is the exact leave-one-out
one. So their worth can be checked on the support itself, and the council weighs them by it. The network
reads all of them beside its own neighbourhoods and learns, on synthetic tables only, where to differ.
They know nothing of the columns' names or order.

The same function serves training and the installed product, so there is one definition of them.
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

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

    def of_part(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], asked: NDArray[np.int64]
    ) -> "Opinions":
        """Keep what concerns some support rows, columns and rows asked about; opinions stay the same."""
        return replace(
            self,
            support=self.support[rows],
            asked=self.asked[asked],
            support_parts=self.support_parts[rows][:, columns],
            asked_parts=self.asked_parts[asked][:, columns],
        )


def consult(
    x: FloatArray, asked: FloatArray, labels: NDArray[Any], weights: NDArray[Any] | None = None
) -> Opinions:
    """Ask every expert about the support rows [M, N] and the rows asked about [S, N].

    Cells are -1, +1, or 0 where unknown; labels are 0 or 1; weights, all above 0, say how many rows
    each support row stands for.
    """
    return Experts(x, labels, weights).opine(asked)


class Kernels:
    """The experts that are one ridge regression each: linear, neighbourhood and quadratic kernels of rows.

    Parameters
    ----------
    x
        [M, N], cells about zero, and zero where unknown.
    target, w
        [M], what the opinion should be, and how many rows each row stands for.
    """

    def __init__(self, x: FloatArray, target: FloatArray, w: FloatArray) -> None:
        self._mean = ((w @ x) / np.maximum(w @ (x != 0), 1e-6)).astype(np.float32)
        self.plain = self._centred(x)
        self._scale = np.sqrt(_relevance(self.plain, target, w))
        self._relevant = self.plain * self._scale
        plain, relevant = self.plain @ self.plain.T, self._relevant @ self._relevant.T
        self.linear = [_ridge(plain, target, w, ridge) for ridge in LINEAR_RIDGES]
        grams = (plain, relevant)
        kernels: list[tuple[_Kernel, FloatArray, float]] = [
            *((_Neighbourhood(gram, w, reach), gram, 0.3) for gram in grams for reach in (1.0, 3.0)),
            *((_Quadratic(gram, w), gram, 1.0) for gram in grams),
        ]
        self._by_kernel = [
            (kernel, gram is relevant, _ridge(kernel.of_rows(gram), target, w, ridge))
            for kernel, gram, ridge in kernels
        ]
        members = [*self.linear, *(solved for _, _, solved in self._by_kernel)]
        self.support = np.stack([solved.support for solved in members], axis=1)

    def opine(self, asked: FloatArray) -> FloatArray:
        """[S, members], opinions on rows [S, N]."""
        centred = self._centred(asked)
        relevant = centred * self._scale
        plain_gram, relevant_gram = centred @ self.plain.T, relevant @ self._relevant.T
        plain_norms, relevant_norms = (np.einsum("sn,sn->s", z, z) for z in (centred, relevant))
        said = [np.asarray(plain_gram @ solved.alpha, dtype=np.float32) for solved in self.linear]
        for kernel, by_relevance, solved in self._by_kernel:
            gram, norms = (relevant_gram, relevant_norms) if by_relevance else (plain_gram, plain_norms)
            said.append(np.asarray(kernel.of_asked(gram, norms) @ solved.alpha, dtype=np.float32))
        return np.stack(said, axis=1)

    def parts(self, asked: FloatArray) -> FloatArray:
        """[S, N], what each cell adds to the firm linear expert's opinion."""
        return np.asarray(self._centred(asked) * (self.linear[FIRM].alpha @ self.plain))

    def _centred(self, x: FloatArray) -> FloatArray:
        """Subtract each column's mean over known cells; an unknown cell then sits at the mean, 0."""
        return np.asarray((x - self._mean) * (x != 0))


class Experts:
    """All experts on cells, formed by one table; they can be asked about any number of rows, part by part."""

    def __init__(self, x: FloatArray, labels: NDArray[Any], weights: NDArray[Any] | None = None) -> None:
        y = labels.astype(np.float32)
        w = np.ones_like(y) if weights is None else weights.astype(np.float32)
        self.base_rate = base_rate(y, w)
        target = y - np.float32(self.base_rate)
        self._kernels = Kernels(x, target, w)
        self._bayes = _NaiveBayes(x, y, w)
        support = np.column_stack([self._kernels.support, self._bayes.left_out(x, y, w)])
        self._shares = council_shares(support, target, w)
        self.support = np.column_stack([support, support @ self._shares])
        self.support_parts = _left_out_parts(self._kernels.plain, self._kernels.linear[FIRM])

    def opine(self, asked: FloatArray) -> Opinions:
        """Ask about rows [S, N]."""
        on_asked = np.column_stack([self._kernels.opine(asked), self._bayes.plain(asked)])
        return Opinions(
            support=self.support,
            asked=np.column_stack([on_asked, on_asked @ self._shares]),
            support_parts=self.support_parts,
            asked_parts=self._kernels.parts(asked),
            base_rate=self.base_rate,
        )


def base_rate(y: NDArray[Any], w: NDArray[Any]) -> float:
    """Share of the positive rows, drawn to one half by one row."""
    return float((w @ y + 0.5) / (w.sum() + 1))


@dataclass(frozen=True, eq=False)
class _Solved:
    """A ridge regression in its dual form, with the exact left-out opinions."""

    inverse: FloatArray
    alpha: FloatArray
    removed: FloatArray
    """[M], by how much of alpha / diag(inverse) a row's own opinion falls when one unit of it is left out"""
    support: FloatArray


class _Kernel(Protocol):
    """A similarity of rows, computed from their inner products."""

    def of_rows(self, gram: FloatArray) -> FloatArray: ...

    def of_asked(self, gram: FloatArray, norms: FloatArray) -> FloatArray: ...


class _Neighbourhood:
    """Similarity that falls off exponentially with the (squared) distance between rows."""

    def __init__(self, gram: FloatArray, w: FloatArray, reach: float) -> None:
        self.norms = np.diag(gram).copy()
        distance = self.norms[:, None] + self.norms[None, :] - 2 * gram
        self.fall_off = np.float32(-reach / (w @ distance @ w / w.sum() ** 2 + 1e-6))

    def of_rows(self, gram: FloatArray) -> FloatArray:
        return self.of_asked(gram, self.norms)

    def of_asked(self, gram: FloatArray, norms: FloatArray) -> FloatArray:
        return np.asarray(np.exp(self.fall_off * (norms[:, None] + self.norms[None, :] - 2 * gram)))


class _Quadratic:
    """All pairs of columns as features."""

    def __init__(self, gram: FloatArray, w: FloatArray) -> None:
        self.scale = np.float32(2 * w.sum() / (w @ np.diag(gram) + 1e-6))

    def of_rows(self, gram: FloatArray) -> FloatArray:
        return np.asarray((1 + gram * self.scale) ** 2)

    def of_asked(self, gram: FloatArray, norms: FloatArray) -> FloatArray:
        return self.of_rows(gram)


def _relevance(centred: FloatArray, target: FloatArray, w: FloatArray) -> FloatArray:
    """Weigh columns by how far they correlate with the label beyond chance; the mean weight is 1."""
    weighted = w * target
    explained = (weighted @ centred) ** 2 / ((w @ centred**2) * (weighted @ target) + 1e-6)
    beyond_chance = np.maximum(explained - 1 / w.sum(), 0) + 0.1 * explained.mean() + 1e-6
    weight = np.sqrt(beyond_chance)
    return np.asarray(weight * (len(weight) / weight.sum()), dtype=np.float32)


_ADDED = np.array([0.0, *(10.0**power for power in range(-5, 6))], dtype=np.float32)
"""What is added to the diagonal of a system, in units of its largest element, until it can be solved: it is
positive definite, but the ridge of heavy rows may be lost in rounding. The last is beyond all rounding."""


def _ridge(gram: FloatArray, target: FloatArray, w: FloatArray, ridge: float) -> _Solved:
    """Solve for all rows at once, and for each row as if one unit of its weight were not there.

    Without a row at all its opinion is t - alpha / diag(inverse), with variance v. The n units that
    remain of it bring back the share v n / (v n + ridge) of what is missing to its label.
    """
    from scipy.linalg import lapack  # here: where labels suffice nobody is asked, and nobody waits for it

    for more in _ADDED * gram.diagonal().max():
        system = np.array(gram, order="F")
        system[np.diag_indices(len(system))] += np.float32(ridge) / w + more
        factor, failed = lapack.spotrf(system, lower=1, overwrite_a=1)
        if not failed:
            break
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
    return _Solved(inverse, alpha, removed, target - gap * (1 - kept))


def _left_out_parts(centred: FloatArray, solved: _Solved) -> FloatArray:
    """[M, N]: each cell's part in the opinion on its row, by the weights found without one unit of it."""
    step = solved.removed * solved.alpha / np.diag(solved.inverse)
    without = solved.alpha[:, None] - solved.inverse * step
    return np.asarray(centred * (without.T @ centred), dtype=np.float32)


class _NaiveBayes:
    """Every column on its own; its log-odds are squashed to the range of the other opinions."""

    def __init__(self, x: FloatArray, y: FloatArray, w: FloatArray) -> None:
        true, known = (x > 0).astype(np.float32), (x != 0).astype(np.float32)
        positive, negative = w * y, w * (1 - y)
        self.counts = [positive @ true, positive @ known, negative @ true, negative @ known]
        self.totals = positive.sum(), negative.sum()

    def plain(self, asked: FloatArray) -> FloatArray:
        """[S]"""
        prior = np.log((self.totals[0] + 0.5) / (self.totals[1] + 0.5))
        return _squashed(_log_odds(asked, *self.counts) + prior)

    def left_out(self, x: FloatArray, y: FloatArray, w: FloatArray) -> FloatArray:
        """[M], with one unit of the row itself taken out of every count."""
        true, known = (x > 0).astype(np.float32), (x != 0).astype(np.float32)
        unit = np.minimum(w, 1)
        positive, negative = (unit * y)[:, None], (unit * (1 - y))[:, None]
        own = [positive * true, positive * known, negative * true, negative * known]
        odds = _log_odds(x, *(count - gone for count, gone in zip(self.counts, own, strict=True)))
        prior = (self.totals[0] - positive[:, 0] + 0.5) / (self.totals[1] - negative[:, 0] + 0.5)
        return _squashed(odds + np.log(prior))


def _squashed(log_odds: FloatArray) -> FloatArray:
    return np.asarray(np.tanh(log_odds / 8) / 2, dtype=np.float32)


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


PULL_TO_EQUAL = 1.0
"""Ridge that draws the blend to equal shares, in squared errors, for the council that the network knows."""


def council_shares(
    left_out: NDArray[Any],
    target: NDArray[Any],
    weights: NDArray[Any],
    expected: NDArray[Any] | None = None,
    pull: float = PULL_TO_EQUAL,
) -> NDArray[np.float32]:
    """[E]: shares, none negative, by which the opinions together come closest to the target.

    Parameters
    ----------
    left_out
        [M, E], the opinion of each member on each row, formed without that row.
    target, weights
        [M], what the opinions should have been, and how much each row counts.
    expected
        [E], the shares without any row; by default equal ones.
    pull
        How many squared errors it takes to leave them.
    """
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    n = left_out.shape[1]
    if expected is None:
        expected = np.full(n, 1 / n)
    weighted = left_out * weights[:, None]
    system = (weighted.T @ left_out).astype(np.float64) + pull * np.eye(n)
    aim = (weighted.T @ target).astype(np.float64) + pull * expected
    factor = np.linalg.cholesky(system)
    shares, _ = nnls(factor.T, solve_triangular(factor, aim, lower=True))
    return np.asarray(shares, dtype=np.float32)
