"""Likely regulators: those that explain most of a variable's next values, where not all can be explained.

Noise, hidden variables and asynchronous updates make equal states lead to different values. Then a set of
variables is judged by description length: a price for naming it, a bit for every cell (combination of values)
that was seen, and the bits that say which rows are not as most rows of their cell.
"""

import numpy as np
from scipy.special import gammaln

from nri.arrays import FloatArray, IntArray
from nri.dynamics.regulators import broken_pair, cells_of
from nri.search.objective import LN2, DescriptionLength

_WIDTH = 12
"""Sets that are kept of each size."""
_MOST_SINGLES = 80
"""Single columns from which pairs grow; with no more columns than this, all pairs are tried."""
_KEPT = 4
"""Sets that are handed back, the best first."""
_DATA = DescriptionLength()

_Set = tuple[int, ...]


def likely_sets(rows: IntArray, labels: IntArray, most: int) -> list[_Set]:
    """Return the sets of columns that describe the labels in the fewest bits.

    Parameters
    ----------
    rows
        [M, N] codes of states; equal ones may occur.
    labels
        [M]
    most
        Most columns of a set.
    """
    scorer = _Scorer(rows, labels)
    found: dict[_Set, float] = {(): scorer.of_none()}
    layer: dict[_Set, float] = {(): found[()]}
    for size in range(most):
        bases = _best(layer, _MOST_SINGLES if size == 1 else _WIDTH)
        grown: dict[_Set, float] = {}
        for base in bases:
            costs = scorer.with_one_more(base)
            for column in set(range(rows.shape[1])) - set(base):
                grown[tuple(sorted((*base, column)))] = float(costs[column])
        least = min(layer.values())
        layer = grown
        found |= {one: layer[one] for one in _best(layer, _WIDTH)}
        if size > 1 and min(layer.values()) > least:
            break
    return _best(found, _KEPT)


def settling_set(rows: IntArray, labels: IntArray, most: int) -> _Set | None:
    """Return a small set of columns that settles every label, None if none is quickly found.

    Columns are added that leave the least doubt about the labels, several sets at a time.
    """
    scorer = _Scorer(rows, labels)
    layer: dict[_Set, float] = {(): np.inf}
    for _ in range(most):
        grown: dict[_Set, float] = {}
        for base in _best(layer, _WIDTH):
            doubts = scorer.doubt_with_one_more(base)
            for column in set(range(rows.shape[1])) - set(base):
                grown[tuple(sorted((*base, column)))] = float(doubts[column])
        layer = grown
        best = _best(layer, 1)
        if not best:
            return None
        if layer[best[0]] < 1e-9:
            return _without_idle(rows, labels, best[0])
    return None


def _without_idle(rows: IntArray, labels: IntArray, columns: _Set) -> _Set:
    """Drop columns that are not needed."""
    for column in columns:
        fewer = tuple(one for one in columns if one != column)
        if broken_pair(rows, labels, fewer) is None:
            return _without_idle(rows, labels, fewer)
    return columns


def _best(costs: dict[_Set, float], most: int) -> list[_Set]:
    return sorted(costs, key=lambda one: (round(costs[one], 6), len(one), one))[:most]


class _Scorer:
    """Description lengths of sets of columns."""

    def __init__(self, rows: IntArray, labels: IntArray) -> None:
        self.rows, self.labels = rows, labels
        self.n_labels = int(labels.max()) + 1
        self.n_values = int(rows.max()) + 1

    def of_none(self) -> float:
        """Return the bits without any column."""
        errors = len(self.labels) - int(np.bincount(self.labels).max())
        return float(self._bits(np.array([1.0]), np.array([float(errors)]), 0)[0])

    def with_one_more(self, base: _Set) -> FloatArray:
        """[N]: the bits of a set with each other column added to it."""
        counts = self._counts(base)
        errors = len(self.labels) - counts.max(axis=2).sum(axis=1)
        seen = counts.any(axis=2).sum(axis=1)
        return self._bits(seen.astype(np.float64), errors.astype(np.float64), len(base) + 1)

    def doubt_with_one_more(self, base: _Set) -> FloatArray:
        """[N]: the bits of doubt left about the labels, cell by cell, with each other column added."""
        counts = self._counts(base).astype(np.float64)
        totals = counts.sum(axis=2, keepdims=True)
        shares = np.divide(counts, totals, out=np.ones_like(counts), where=counts > 0)
        return np.asarray(-(counts * np.log2(shares)).sum(axis=(1, 2)))

    def _counts(self, base: _Set) -> IntArray:
        """[N, n_cells, n_labels]: the rows of each cell and label, with each column added to a set."""
        n = self.rows.shape[1]
        cells = cells_of(self.rows, base)
        n_cells = (int(cells.max()) + 1) * self.n_values
        finer = cells[:, None] * self.n_values + self.rows + n_cells * np.arange(n)
        counts = np.bincount(
            (finer * self.n_labels + self.labels[:, None]).ravel(), minlength=n * n_cells * self.n_labels
        )
        return counts.reshape(n, n_cells, self.n_labels)

    def _bits(self, n_cells: FloatArray, errors: FloatArray, k: int) -> FloatArray:
        n = self.rows.shape[1]
        naming = (gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) / LN2 + k + 1
        told = naming + n_cells * np.log2(max(2, self.n_labels))
        return _DATA.cost(errors, told, float(len(self.labels)), self.n_labels)
