"""Measures: experts that see numbers as they are, not only on which side of a cut they lie.

A cut forgets how far a cell lies from it. Kernels on the numbers themselves, and logistic regression, which
is hard to beat on few rows, remember. Cells of other columns take part as -1 and +1. What these experts
believe reaches the rule through plausible rows; the rule itself speaks of cuts.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Cells
from nri.seeded.sample import SignedArray, signed_cells


def measures(cells: Cells, groups: IntArray) -> SignedArray:
    """[M, F + cells without a number], what the experts of this file read; 0 where unknown.

    Parameters
    ----------
    cells
        M rows.
    groups
        [N + F], equal where variables and numbers come from one column.
    """
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
        self.model = LogisticRegression(C=1 / self.penalty, max_iter=200, tol=1e-5)
        if len(self.present) > 1:
            with warnings.catch_warnings():
                # on separable rows the last steps go far and change no answer
                warnings.simplefilter("ignore", ConvergenceWarning)
                self.model.fit(x - self.mean, labels, sample_weight=weights)
        self.left_out = self._left_out(x, labels, weights)

    def chances(self, asked: SignedArray) -> FloatArray:
        """[S, n_classes]; a class without rows has none."""
        found = np.zeros((len(asked), self.n_classes))
        found[:, self.present] = self.model.predict_proba(asked - self.mean) if len(self.present) > 1 else 1.0
        return found

    def _left_out(self, x: SignedArray, labels: IntArray, weights: FloatArray) -> FloatArray:
        chances = self.chances(x)
        found = chances.copy()
        design = np.column_stack([x - self.mean, np.ones(len(x))]).astype(np.float64)
        ridge = np.full(design.shape[1], self.penalty)
        ridge[-1] = 1e-3  # the constant is free, but for a class that a single row could move without bound
        for c in self.present.tolist() if len(self.present) > 1 else ():
            found[:, c] = _without_own_row(design, labels == c, weights, chances[:, c], ridge)
        return found


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
