"""Kernels: ridge regressions on how alike rows are, each left out of its own opinion.

How alike rows are does not depend on what they are compared for: the classes of a table share the work.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Float32Array = NDArray[np.float32]

LINEAR_RIDGES = (1.0, 6.0, 40.0)
"""Ridges for columns coded -1/+1; the middle one is close to logistic regression's usual default."""
FIRM = 1  # The linear expert whose opinion is split into parts by column.


class _View:
    """The support rows as they are compared, and ridge regressions on how alike they are."""

    def __init__(self, rows: Float32Array, w: Float32Array, linear: Sequence[float] = ()) -> None:
        self.rows = rows
        gram = rows @ rows.T
        self._norms = np.diag(gram).copy()
        mean_distance = 2 * (w @ self._norms / w.sum() - w @ gram @ w / w.sum() ** 2) + 1e-6
        self._fall_off = np.float32(-1 / mean_distance)
        self._scale = np.float32(2 * w.sum() / (w @ self._norms + 1e-6))
        kernels = self._kernels(gram, self._norms)
        ridges = [*((PLAIN, ridge) for ridge in linear), (WIDE, 0.3), (NEAR, 0.3), (SQUARED, 1.0)]
        self.regressions = [(number, _Ridge(kernels[number], w, ridge)) for number, ridge in ridges]

    def alike(self, query: Float32Array) -> tuple[Float32Array, ...]:
        """[S, M] each, how alike rows [S, N] are to the support rows by each kernel."""
        return self._kernels(query @ self.rows.T, np.einsum("sn,sn->s", query, query))

    def _kernels(self, gram: Float32Array, norms: Float32Array) -> tuple[Float32Array, ...]:
        """Kernels by inner products and squared norms, in the order of their numbers."""
        wide = gram * -2  # falls off exponentially with the squared distance
        wide += self._norms
        wide += norms[:, None]
        wide *= self._fall_off
        np.exp(wide, out=wide)
        squared = gram * self._scale  # all pairs of columns as features
        squared += 1
        return gram, wide, wide * wide * wide, np.square(squared, out=squared)


PLAIN, WIDE, NEAR, SQUARED = range(4)
"""Inner products, a wide and a near neighbourhood (a third as wide), and squares of inner products."""


class Alike:
    """How alike the support rows are, whatever they are compared for; all classes of a table share it."""

    def __init__(self, x: Float32Array, weights: NDArray[Any]) -> None:
        self.w = weights.astype(np.float32)
        self._mean = ((self.w @ x) / np.maximum(self.w @ (x != 0), 1e-6)).astype(np.float32)
        self.view = _View(self.centred(x), self.w, LINEAR_RIDGES)

    def centred(self, x: Float32Array) -> Float32Array:
        """Subtract each column's mean over known cells; an unknown cell then sits at the mean, 0."""
        return np.asarray((x - self._mean) * (x != 0))


class Kernels:
    """The experts that are one ridge regression each: linear, neighbourhood and quadratic kernels of rows."""

    def __init__(self, alike: Alike, target: Float32Array) -> None:
        self._alike, rows = alike, alike.view.rows
        self._scale = np.sqrt(_relevance(rows, target, alike.w))
        self._views = alike.view, _View(rows * self._scale, alike.w)
        *linear, wide, near, quadratic, wide_by, near_by, quadratic_by = (
            (number, kernel, *ridge.solved(target))
            for number, view in enumerate(self._views)
            for kernel, ridge in view.regressions
        )
        # neighbourhoods of all columns before those by relevance: the order of EXPERTS
        members = [*linear, wide, near, wide_by, near_by, quadratic, quadratic_by]
        self._members = [(view, kernel, alpha) for view, kernel, alpha, _ in members]
        self.support = np.stack([support for *_, support in members], axis=1)
        """[M, members], the opinion on each support row as if one such row fewer had been seen"""

    def opine(self, query: Float32Array) -> Float32Array:
        """[S, members], opinions on rows [S, N]."""
        centred = self._alike.centred(query)
        alike = [view.alike(z) for view, z in zip(self._views, (centred, centred * self._scale), strict=True)]
        opinions = [alike[view][kernel] @ alpha for view, kernel, alpha in self._members]
        return np.stack(opinions, axis=1, dtype=np.float32)

    def parts(self, query: Float32Array) -> Float32Array:
        """[S, N], what each cell adds to the firm linear expert's opinion."""
        _, _, alpha = self._members[FIRM]
        return np.asarray(self._alike.centred(query) * (alpha @ self._alike.view.rows))


def _relevance(centred: Float32Array, target: Float32Array, w: Float32Array) -> Float32Array:
    """Weigh columns by how far they correlate with the label beyond chance; the mean weight is 1."""
    weighted = w * target
    explained = (weighted @ centred) ** 2 / ((w @ centred**2) * (weighted @ target) + 1e-6)
    beyond_chance = np.maximum(explained - 1 / w.sum(), 0) + 0.1 * explained.mean() + 1e-6
    weight = np.sqrt(beyond_chance)
    return np.asarray(weight * (len(weight) / weight.sum()), dtype=np.float32)


_ADDED = np.array([0.0, *(10.0**power for power in range(-5, 6))], dtype=np.float32)
"""Added to a diagonal, in units of its largest element, while rounding loses the ridge of heavy rows."""


class _Ridge:
    """A ridge regression in its dual form, factorised before its targets are known.

    It is solved for all rows, and for each row without one unit of its weight. Without the whole row, its
    prediction is t - alpha / diag(inverse), with variance v; the n units that remain bring back the share
    v n / (v n + ridge) of the difference to its label.
    """

    def __init__(self, gram: Float32Array, w: Float32Array, ridge: float) -> None:
        from scipy.linalg import lapack  # imported late: only experts need SciPy

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

    def solved(self, target: Float32Array) -> tuple[Float32Array, Float32Array]:
        """[M] twice: what a target weighs the support rows by, and the left-out opinion on each of them."""
        alpha = self._root.T @ (self._root @ target)
        gap = alpha / self._diagonal
        return alpha, np.asarray(target - gap * (1 - self.kept), dtype=np.float32)
