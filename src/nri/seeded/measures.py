"""Measures: experts that see numbers as they are, not only on which side of a cut they lie.

Kernels and logistic regression, which is hard to beat on few rows, use how far a cell lies from a cut.
"""

from collections import deque
from collections.abc import Callable, Iterable

import numpy as np
from scipy.special import log_softmax

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Cells
from nri.seeded.sample import SignedArray, signed_cells


def measures(cells: Cells, groups: IntArray) -> SignedArray:
    """[M, F + cells without a number], what the experts of this file read; 0 where unknown."""
    n_variables = cells.values.shape[1]
    without_number = ~np.isin(groups[:n_variables], groups[n_variables:])
    signed = signed_cells(cells.values[:, without_number], cells.known[:, without_number])
    return np.column_stack([cells.numbers, signed]).astype(np.float32)


class Logistic:
    """Logistic regression for all classes together, with what it would say of each row without that row.

    The left-out chances are one Newton step away from the fit to all rows, one class against the rest.
    """

    penalty = 1.0

    def __init__(self, x: SignedArray, labels: IntArray, weights: FloatArray, n_classes: int) -> None:
        self.n_classes = n_classes
        self.present = np.unique(labels)
        self.mean = np.average(x, axis=0, weights=weights)
        several = len(self.present) > 1
        if several:
            centred = np.asarray(x - self.mean, dtype=np.float64)
            self.coefficients = _fitted(centred, labels[:, None] == self.present, weights, self.penalty)
        self.left_out = self.chances(x)
        design = np.column_stack([x - self.mean, np.ones(len(x))]).astype(np.float64)
        ridge = np.full(design.shape[1], self.penalty)
        ridge[-1] = 1e-3  # the constant is free, but for a class that a single row could move without bound
        for c in self.present.tolist() if several else ():
            chance = self.left_out[:, c]
            self.left_out[:, c] = _without_own_row(design, labels == c, weights, chance, ridge)

    def chances(self, query: SignedArray) -> FloatArray:
        """[S, n_classes]; a class without rows has none."""
        chances = np.zeros((len(query), self.n_classes))
        if len(self.present) == 1:
            chances[:, self.present] = 1.0
        else:
            logits = (query - self.mean) @ self.coefficients[:-1] + self.coefficients[-1]
            chances[:, self.present] = np.exp(log_softmax(logits, axis=1))
        return chances


def _fitted(x: FloatArray, of_class: BoolArray, weights: FloatArray, penalty: float) -> FloatArray:
    """[F + 1, C], what cells add to the logit of each class, and its constant, which has no penalty."""
    n_classes = 1 if of_class.shape[1] == 2 else of_class.shape[1]  # of two classes the second is evaluated
    shape = (n_classes, x.shape[1] + 1)
    total = weights.sum()

    def spread(flat: FloatArray) -> FloatArray:
        coefficients = flat.reshape(shape).T
        return coefficients if n_classes > 1 else np.column_stack([np.zeros(len(coefficients)), coefficients])

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        coefficients = spread(flat)
        logs = log_softmax(x @ coefficients[:-1] + coefficients[-1], axis=1)
        steps = weights[:, None] * (np.exp(logs) - of_class)
        slopes = np.concatenate([x.T @ steps + penalty * coefficients[:-1], steps.sum(axis=0)[None]])
        worth = -float(weights @ logs[of_class]) + penalty / 2 * float((coefficients[:-1] ** 2).sum())
        return worth / total, (slopes[:, -n_classes:] / total).T.ravel()

    return spread(_lowest(loss, np.zeros(n_classes * shape[1])))


_MOST_STEPS = 200
_FLAT = 1e-7  # Slope below which a loss is at its lowest.


def _lowest(loss: Callable[[FloatArray], tuple[float, FloatArray]], place: FloatArray) -> FloatArray:
    """Return where a smooth convex loss is lowest, by L-BFGS.

    SciPy finds the same place, but its optimizers take longer to import than a rule for a small table takes.
    """
    value, slope = loss(place)
    # the last steps, and how slopes changed by them
    known: deque[tuple[FloatArray, FloatArray]] = deque(maxlen=10)
    for _ in range(_MOST_STEPS):
        if abs(slope).max() <= _FLAT:
            break
        step, fall = -_downhill(slope, known), 1.0
        if not known:
            step /= max(1.0, float(np.linalg.norm(slope)))
        promised = 1e-4 * float(step @ slope)
        while (reached := loss(place + fall * step))[0] > value + fall * promised and fall > 1e-10:
            fall /= 2
        moved, turned = fall * step, reached[1] - slope
        if reached[0] >= value:
            break
        if moved @ turned > 0:
            known.append((moved, turned))
        place, (value, slope) = place + moved, reached
    return place


def _downhill(slope: FloatArray, known: Iterable[tuple[FloatArray, FloatArray]]) -> FloatArray:
    """Return a slope divided by the curvature that the last steps have shown: the two loops of L-BFGS."""
    left, shares = slope.copy(), []
    pairs = list(known)
    for moved, turned in reversed(pairs):
        shares.append(moved @ left / (moved @ turned))
        left -= shares[-1] * turned
    if pairs:
        moved, turned = pairs[-1]
        left *= moved @ turned / (turned @ turned)
    for (moved, turned), share in zip(pairs, reversed(shares), strict=True):
        left += (share - turned @ left / (moved @ turned)) * moved
    return left


def _without_own_row(
    design: FloatArray, positive: BoolArray, weights: FloatArray, chance: FloatArray, ridge: FloatArray
) -> FloatArray:
    """[M], chances of a fit without one unit of each row, by the curvature of the fit to all rows."""
    chance = np.clip(chance, 1e-6, 1 - 1e-6)
    curvature = chance * (1 - chance)
    system = design.T @ (design * (weights * curvature)[:, None])
    system[np.diag_indices(len(system))] += ridge
    spread = np.einsum("mi,im->m", design, np.linalg.solve(system, design.T))
    step = spread / np.maximum(1 - curvature * spread, 0.05) * (positive - chance)
    log_odds = np.log(chance / (1 - chance)) - np.minimum(weights, 1) * step
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))))
