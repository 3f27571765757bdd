"""Kernels: ridge regressions on how alike rows are, each left out of its own opinion.

One linear solve each; the opinion on a support row is the exact leave-one-out one. How alike rows are does
not depend on what they are compared for, so that the classes of a table share most of the work.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]

LINEAR_RIDGES = (1.0, 6.0, 40.0)
"""Ridges for columns coded -1/+1; the middle one is close to logistic regression's usual default."""
FIRM = 1  # Which linear expert also tells how much each column moves its opinion.


_Kernel = Callable[[FloatArray, FloatArray], FloatArray]
"""How alike rows are to the support rows, by inner products with them [S, M] and own squared norms [S]."""


class Alike:
    """How alike the support rows are, whatever they are compared for; all classes of a table share it."""

    def __init__(self, x: FloatArray, weights: NDArray[Any]) -> None:
        self.w = weights.astype(np.float32)
        self._mean = ((self.w @ x) / np.maximum(self.w @ (x != 0), 1e-6)).astype(np.float32)
        self.rows = self.centred(x)
        self.regressions = _regressions(self.rows @ self.rows.T, self.w, LINEAR_RIDGES)

    def centred(self, x: FloatArray) -> FloatArray:
        """Subtract each column's mean over known cells; an unknown cell then sits at the mean, 0."""
        return np.asarray((x - self._mean) * (x != 0))


class Kernels:
    """The experts that are one ridge regression each: linear, neighbourhood and quadratic kernels of rows."""

    def __init__(self, alike: Alike, target: FloatArray) -> None:
        self._alike = alike
        self._scale = np.sqrt(_relevance(alike.rows, target, alike.w))
        self._relevant = alike.rows * self._scale
        *linear, wide, near, quadratic = (
            (0, kernel, *ridge.solved(target)) for kernel, ridge in alike.regressions
        )
        relevant = _regressions(self._relevant @ self._relevant.T, alike.w)
        by_relevance = [(1, kernel, *ridge.solved(target)) for kernel, ridge in relevant]
        # neighbourhoods of all columns before those by relevance: the order of EXPERTS
        members = [*linear, wide, near, *by_relevance[:2], quadratic, by_relevance[2]]
        self._members = [(view, kernel, alpha) for view, kernel, alpha, _ in members]
        self.support = np.stack([support for *_, support in members], axis=1)
        """[M, members], the opinion on each support row as if one such row fewer had been seen"""

    def opine(self, query: FloatArray) -> FloatArray:
        """[S, members], opinions on rows [S, N]."""
        centred = self._alike.centred(query)
        relevant = centred * self._scale
        grams = centred @ self._alike.rows.T, relevant @ self._relevant.T
        norms = [np.einsum("sn,sn->s", z, z) for z in (centred, relevant)]
        opinions = [kernel(grams[view], norms[view]) @ alpha for view, kernel, alpha in self._members]
        return np.stack(opinions, axis=1, dtype=np.float32)

    def parts(self, query: FloatArray) -> FloatArray:
        """[S, N], what each cell adds to the firm linear expert's opinion."""
        _, _, alpha = self._members[FIRM]
        return np.asarray(self._alike.centred(query) * (alpha @ self._alike.rows))


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


class _Ridge:
    """A ridge regression in its dual form, before it is known what to learn.

    It is solved for all rows at once, and for each row as if one unit of its weight were not there. Without
    a row at all its opinion is t - alpha / diag(inverse), with variance v. The n units that remain of it
    bring back the share v n / (v n + ridge) of what is missing to its label.
    """

    def __init__(self, gram: FloatArray, w: FloatArray, ridge: float) -> None:
        from scipy.linalg import lapack  # here: where labels suffice nobody is query, and nobody waits for it

        for more in _ADDED * gram.diagonal().max():
            system = np.array(gram, order="F")
            system[np.diag_indices(len(system))] += np.float32(ridge) / w + more
            factor, failed = lapack.spotrf(system, lower=1, overwrite_a=1)
            if not failed:
                break
        self._root, _ = lapack.strtri(factor, lower=1, overwrite_c=1)  # the inverse is root.T @ root
        self._diagonal = np.einsum("ij,ij->j", self._root, self._root)
        variance = np.maximum(1 / self._diagonal - np.float32(ridge) / w, 0)
        remaining = np.maximum(w - 1, 0)
        self.kept = (variance * remaining / (variance * remaining + ridge)).astype(np.float32)

    def solved(self, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        """[M] twice: what a target weighs the support rows by, and the left-out opinion on each of them."""
        alpha = self._root.T @ (self._root @ target)
        gap = alpha / self._diagonal
        return alpha, np.asarray(target - gap * (1 - self.kept), dtype=np.float32)


def _regressions(
    gram: FloatArray, w: FloatArray, linear: Sequence[float] = ()
) -> list[tuple[_Kernel, _Ridge]]:
    """Return linear regressions by their ridges, wide and near neighbourhoods, and the quadratic kernel."""
    norms = np.diag(gram).copy()
    distance = norms[:, None] + norms - 2 * gram
    mean_distance = w @ distance @ w / w.sum() ** 2 + 1e-6
    scale = np.float32(2 * w.sum() / (w @ np.diag(gram) + 1e-6))
    kernels: list[tuple[_Kernel, float]] = [
        *((_plain, ridge) for ridge in linear),
        *((partial(_nearness, norms, np.float32(-reach / mean_distance)), 0.3) for reach in (1.0, 3.0)),
        (partial(_squared, scale), 1.0),
    ]
    return [(kernel, _Ridge(kernel(gram, norms), w, ridge)) for kernel, ridge in kernels]


def _plain(gram: FloatArray, norms: FloatArray) -> FloatArray:
    return gram


def _nearness(support: FloatArray, fall_off: np.float32, gram: FloatArray, norms: FloatArray) -> FloatArray:
    """Similarity that falls off exponentially with the (squared) distance between rows."""
    return np.asarray(np.exp(fall_off * (norms[:, None] + support - 2 * gram)))


def _squared(scale: np.float32, gram: FloatArray, norms: FloatArray) -> FloatArray:
    """All pairs of columns as features."""
    return np.asarray((1 + gram * scale) ** 2)
