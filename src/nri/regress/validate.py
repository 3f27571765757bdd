"""Validate: how segments do on rows that they were not found in."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError
from nri.induce.resample import FOLDS
from nri.induce.settings import Settings
from nri.regress.count import count_segments, share_explained, weighted_quantiles
from nri.regress.path import induce_segments
from nri.rule.segments import Segments
from nri.table.table import Table


@dataclass(frozen=True, slots=True)
class Fit:
    """How near predictions come to the values."""

    explained: float
    """R²: share of the variance that they explain; below 0 if the mean of all rows would do better"""
    explained_error: float
    """standard error of that, from the folds"""
    off: float
    """mean absolute error"""
    off_error: float
    """standard error of that"""
    off_median: float
    """mean absolute error of always saying the median: what to compare with"""

    def __str__(self) -> str:
        return f"R² {self.explained:.2f} ± {self.explained_error:.2f}, off by {self.off:.3g} on average"


@dataclass(frozen=True, eq=False)
class HeldOutNumbers:
    """What rules that were induced without each fold say about the rows of the fold."""

    table: Table
    fold: IntArray
    """[M]"""
    rules: tuple[Segments, ...]
    said: FloatArray
    """[M]"""

    @property
    def fit(self) -> Fit:
        """How near they come."""
        values, weights = self.table.outcome.values, self.table.weights
        folds = [
            share_explained(values[rows], self.said[rows], weights[rows])
            for rows in (self.fold == k for k in range(len(self.rules)))
            if weights[rows].sum() > 0
        ]
        whole = fit_of(values, self.said, weights)
        error = float(np.std(folds, ddof=1)) / math.sqrt(len(folds)) if len(folds) > 1 else 0.0
        return Fit(whole.explained, error, whole.off, whole.off_error, whole.off_median)


def fit_of(values: FloatArray, said: FloatArray, weights: FloatArray) -> Fit:
    """Return how near predictions come to values; the error of R² is not known from one set of rows."""
    share = weights / weights.sum()
    off = np.abs(values - said)
    mean = float(share @ off)
    error = math.sqrt(float(share**2 @ (off - mean) ** 2))
    middle = float(weighted_quantiles(values, weights, (0.5,))[0])
    return Fit(
        share_explained(values, said, weights), 0.0, mean, error, float(share @ np.abs(values - middle))
    )


def hold_out_numbers(
    table: Table,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    folds: int = FOLDS,
    step: Callable[[], None] = lambda: None,
) -> HeldOutNumbers:
    """Induce segments without each fold, and try them on it; everything is found anew for each.

    Parameters
    ----------
    table, settings
        As for :func:`nri.regress.path.induce_segments`.
    rng
        Deals the rows out.
    folds
        How many parts the rows are dealt into; in each, low and high values are as frequent as in any other.
    step
        Called after each fold.
    """
    fold = even_folds(table.outcome.values, folds, rng)
    rules, said = [], np.zeros(len(table))
    for k in range(int(fold.max()) + 1):
        rules.append(_induced(table.take(fold != k), settings, rng))
        said[fold == k] = rules[-1].predict(table.take(fold == k).columns, int((fold == k).sum()))
        step()
    return HeldOutNumbers(table, fold, tuple(rules), said)


def _induced(table: Table, settings: Settings | None, rng: np.random.Generator) -> Segments:
    try:
        return induce_segments(table, settings, rng=rng).segments
    except InputError:  # e.g. no column varies in this part
        return count_segments([], table)


def even_folds(values: FloatArray, folds: int, rng: np.random.Generator) -> IntArray:
    """[M]: the fold of each row; of any few neighbours in the order of values, one goes to each fold.

    >>> sorted(even_folds(np.array([5.0, 1, 9, 7]), 2, np.random.default_rng(0))[[1, 0]].tolist())
    [0, 1]
    """
    folds = min(folds, len(values))
    order = np.argsort(values, kind="stable")
    fold = np.empty(len(values), dtype=np.int64)
    for start in range(0, len(values), folds):
        block = order[start : start + folds]
        fold[block] = rng.permutation(folds)[: len(block)]
    return fold
