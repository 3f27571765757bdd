"""Measures: experts that see numbers as they are, not only on which side of a cut they lie.

Kernels on the numbers themselves, and logistic regression, which is hard to beat on few rows, use how far a
cell lies from a cut. Other columns take part as -1 and +1. The rule gets these opinions by plausible rows.
"""

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
    # scikit-learn finds the same numbers, but takes longer to import than a rule for a small table takes
    from scipy.optimize import minimize

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

    limits = {"maxiter": 200, "maxls": 50, "gtol": 1e-5, "ftol": 64 * np.finfo(np.float64).eps}
    solution = minimize(loss, np.zeros(shape).ravel(), method="L-BFGS-B", jac=True, options=limits)
    return spread(np.asarray(solution.x))


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
