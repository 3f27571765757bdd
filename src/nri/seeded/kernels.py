"""Kernels: ridge regressions on how alike rows are, each left out of its own opinion.

One linear solve each; the opinion on a support row is the exact leave-one-out one. How alike rows are does
not depend on what they are compared for, so that the classes of a table share most of the work.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]

LINEAR_RIDGES = (1.0, 6.0, 40.0)
"""Ridges for columns coded -1/+1; the middle one is close to logistic regression's usual default."""
FIRM = 1
"""Which linear expert also tells how much each column moves its opinion."""


class Alike:
    """How alike the support rows are, whatever they are compared for; all classes of a table share it."""

    def __init__(self, x: FloatArray, weights: NDArray[Any]) -> None:
        self.w = weights.astype(np.float32)
        self._mean = ((self.w @ x) / np.maximum(self.w @ (x != 0), 1e-6)).astype(np.float32)
        self.rows = self.centred(x)
        gram = self.rows @ self.rows.T
        self.linear = [_ridge(gram, self.w, ridge) for ridge in LINEAR_RIDGES]
        self.by_kernel = _by_kernel(gram, self.w)

    def centred(self, x: FloatArray) -> FloatArray:
        """Subtract each column's mean over known cells; an unknown cell then sits at the mean, 0."""
        return np.asarray((x - self._mean) * (x != 0))


class Kernels:
    """The experts that are one ridge regression each: linear, neighbourhood and quadratic kernels of rows."""

    def __init__(self, alike: Alike, target: FloatArray) -> None:
        self._alike = alike
        self._scale = np.sqrt(_relevance(alike.rows, target, alike.w))
        self._relevant = alike.rows * self._scale
        relevant = _by_kernel(self._relevant @ self._relevant.T, alike.w)
        self.linear = [ridge.solved(target) for ridge in alike.linear]
        wide, near, quadratic = (
            [
                (kernel, by_relevance, ridge.solved(target))
                for by_relevance, (kernel, ridge) in enumerate(both)
            ]
            for both in zip(alike.by_kernel, relevant, strict=True)
        )
        # neighbourhoods of all columns before those by relevance: the order of EXPERTS
        self._by_kernel = [wide[0], near[0], wide[1], near[1], *quadratic]
        members = [*self.linear, *(solved for _, _, solved in self._by_kernel)]
        self.support = np.stack([solved.support for solved in members], axis=1)

    def opine(self, query: FloatArray) -> FloatArray:
        """[S, members], opinions on rows [S, N]."""
        centred = self._alike.centred(query)
        relevant = centred * self._scale
        grams = centred @ self._alike.rows.T, relevant @ self._relevant.T
        norms = [np.einsum("sn,sn->s", z, z) for z in (centred, relevant)]
        opinions = [np.asarray(grams[0] @ solved.alpha, dtype=np.float32) for solved in self.linear]
        for kernel, by_relevance, solved in self._by_kernel:
            near = kernel.of_query(grams[by_relevance], norms[by_relevance])
            opinions.append(np.asarray(near @ solved.alpha, dtype=np.float32))
        return np.stack(opinions, axis=1)

    def parts(self, query: FloatArray) -> FloatArray:
        """[S, N], what each cell adds to the firm linear expert's opinion."""
        return np.asarray(self._alike.centred(query) * (self.linear[FIRM].alpha @ self._alike.rows))


class _Neighbourhood:
    """Similarity that falls off exponentially with the (squared) distance between rows."""

    def __init__(self, gram: FloatArray, w: FloatArray, reach: float) -> None:
        self.norms = np.diag(gram).copy()
        distance = self.norms[:, None] + self.norms[None, :] - 2 * gram
        self.fall_off = np.float32(-reach / (w @ distance @ w / w.sum() ** 2 + 1e-6))

    def of_rows(self, gram: FloatArray) -> FloatArray:
        return self.of_query(gram, self.norms)

    def of_query(self, gram: FloatArray, norms: FloatArray) -> FloatArray:
        return np.asarray(np.exp(self.fall_off * (norms[:, None] + self.norms[None, :] - 2 * gram)))


class _Quadratic:
    """All pairs of columns as features."""

    def __init__(self, gram: FloatArray, w: FloatArray) -> None:
        self.scale = np.float32(2 * w.sum() / (w @ np.diag(gram) + 1e-6))

    def of_rows(self, gram: FloatArray) -> FloatArray:
        return np.asarray((1 + gram * self.scale) ** 2)

    def of_query(self, gram: FloatArray, norms: FloatArray) -> FloatArray:
        return self.of_rows(gram)


_Kernel = _Neighbourhood | _Quadratic
"""A similarity of rows, computed from their inner products."""


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


@dataclass(frozen=True, eq=False)
class _Ridge:
    """A ridge regression in its dual form, before it is known what to learn."""

    inverse: FloatArray
    kept: FloatArray
    """[M], the share of a row's say on itself that the units beside one left-out unit bring back"""

    def solved(self, target: FloatArray) -> "_Solved":
        """Learn a target [M], with exact left-out opinions."""
        alpha = self.inverse @ target
        gap = alpha / np.diag(self.inverse)
        return _Solved(alpha, np.asarray(target - gap * (1 - self.kept), dtype=np.float32))


@dataclass(frozen=True, eq=False)
class _Solved:
    """What a ridge regression has learned."""

    alpha: FloatArray
    support: FloatArray
    """[M], the opinion on each support row as if one such row fewer had been seen"""


def _ridge(gram: FloatArray, w: FloatArray, ridge: float) -> _Ridge:
    """Solve for all rows at once, and for each row as if one unit of its weight were not there.

    Without a row at all its opinion is t - alpha / diag(inverse), with variance v. The n units that
    remain of it bring back the share v n / (v n + ridge) of what is missing to its label.
    """
    from scipy.linalg import lapack  # here: where labels suffice nobody is query, and nobody waits for it

    for more in _ADDED * gram.diagonal().max():
        system = np.array(gram, order="F")
        system[np.diag_indices(len(system))] += np.float32(ridge) / w + more
        factor, failed = lapack.spotrf(system, lower=1, overwrite_a=1)
        if not failed:
            break
    lower, _ = lapack.spotri(factor, lower=1, overwrite_c=1)
    inverse = np.tril(lower) + np.tril(lower, -1).T
    variance = np.maximum(1 / np.diag(inverse) - np.float32(ridge) / w, 0)
    remaining = np.maximum(w - 1, 0)
    kept = variance * remaining / (variance * remaining + ridge)
    return _Ridge(inverse, kept.astype(np.float32))


def _by_kernel(gram: FloatArray, w: FloatArray) -> list[tuple[_Kernel, _Ridge]]:
    """Return wide and near neighbourhoods and the quadratic kernel, each with its regression."""
    kernels: list[tuple[_Kernel, float]] = [
        *((_Neighbourhood(gram, w, reach), 0.3) for reach in (1.0, 3.0)),
        (_Quadratic(gram, w), 1.0),
    ]
    return [(kernel, _ridge(kernel.of_rows(gram), w, ridge)) for kernel, ridge in kernels]
