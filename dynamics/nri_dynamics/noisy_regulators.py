"""Noisy regulators: variables that explain most of the next values, where none explain all of them.

Noise, hidden variables and asynchronous updates make equal states lead to different values. Then a set of
variables is scored by the bits that name it and encode the next values, cell by cell (combination of its
values), where in each cell the share of every next value is unknown and probably near all or none. So a
variable counts that makes a rare value less rare, before enough others are known to predict it. Which of the
variables a rule needs in the end is decided by the rule itself (:mod:`nri_dynamics.mdl_rule`).
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from nri_dynamics.arrays import FloatArray, IntArray
from nri_dynamics.mdl_rule import log2_choose
from nri_dynamics.regulators import MOST_SETS, broken_pair, cells_of

_WIDTH = 12
"""Sets that are kept of each size."""
_SIZES = (3, 5, 7)
"""Sizes of which the best set is returned: a rule that needs fewer variables leaves the others out."""
_EVEN = 0.3
"""Rows of each label that a cell holds a priori; the fewer, the purer cells may be."""

Set = tuple[int, ...]
Fits = Callable[[Set], bool]
"""Whether a set is small enough for all clauses over it to be looked at."""


class NoisyRegulators:
    """Sets of columns that may explain labels.

    ``rows``, [M, N]: codes of states, of which some may be equal; ``labels``, [M].
    """

    def __init__(self, rows: IntArray, labels: IntArray) -> None:
        self.rows, self.labels = rows, labels
        self.n_labels = int(labels.max()) + 1
        self.n_values = int(rows.max()) + 1

    def best(self, fits: Fits) -> list[Set]:
        """Return the sets of some sizes that describe the labels in the fewest bits."""
        n = self.rows.shape[1]
        if n == 1:
            return [(0,)]
        layer = self._pairs(self._bits_of)
        by_size = {2: _best(layer, 1)[0]}
        for size in range(3, 1 + min(n, max(_SIZES))):
            grown = self._grown(layer, self._bits_of)
            layer = {one: cost for one, cost in grown.items() if fits(one)}
            if not layer:
                break
            by_size[size] = _best(layer, 1)[0]
        return [one for size, one in by_size.items() if size in (*_SIZES, max(by_size))]

    def widened(self, base: Set, fits: Fits) -> Set:
        """Return a set with the columns added that explain most of what is left, one by one."""
        while len(base) < min(max(_SIZES), self.rows.shape[1]):
            costs = self._one_more(base, self._bits_of)
            costs[list(base)] = np.inf
            wider = tuple(sorted((*base, int(np.argmin(costs)))))
            if not fits(wider):
                break
            base = wider
        return base

    def determining(self, most: int) -> list[Set]:
        """Return small sets of columns, equally many, that determine every label, by a quick search.

        Columns are added that leave the least doubt about the labels, several sets at a time.
        """
        layer: dict[Set, float] = dict(
            zip(((i,) for i in range(self.rows.shape[1])), self._one_more((), _doubt).tolist(), strict=True)
        )
        for size in range(1, most + 1):
            if size == 2:
                layer = self._pairs(_doubt)
            elif size > 2:
                layer = self._grown(layer, _doubt)
            enough = sorted(one for one, doubt in layer.items() if doubt < 1e-9)
            if enough:
                needed = {self._without_idle(one) for one in enough[:MOST_SETS]}
                fewest = min(map(len, needed))
                return sorted(one for one in needed if len(one) == fewest)
        return []

    def errors(self, columns: Set) -> tuple[int, int]:
        """Return how many rows are not as most rows of their cell, and how many cells were seen."""
        cells = cells_of(self.rows, columns)
        counts = np.bincount(cells * self.n_labels + self.labels, minlength=(cells.max() + 1) * self.n_labels)
        most = counts.reshape(-1, self.n_labels).max(axis=1)
        return len(self.labels) - int(most.sum()), len(most)

    def _without_idle(self, columns: Set) -> Set:
        """Drop columns that are not needed."""
        for column in columns:
            fewer = tuple(one for one in columns if one != column)
            if broken_pair(self.rows, self.labels, fewer) is None:
                return self._without_idle(fewer)
        return columns

    def _pairs(self, judge: "_Judge") -> dict[Set, float]:
        """Return all pairs with their costs, counted by one matrix product for each label."""
        n, v = self.rows.shape[1], self.n_values
        places = (self.rows[:, :, None] == np.arange(v)).reshape(len(self.rows), n * v).astype(np.float32)
        counts = np.stack(
            [places[self.labels == label].T @ places[self.labels == label] for label in range(self.n_labels)],
            axis=-1,
        )
        first, second = np.triu_indices(n, 1)
        by_cell = counts.reshape(n, v, n, v, self.n_labels)[first, :, second]
        costs = judge(by_cell.reshape(len(first), v * v, self.n_labels).astype(np.int64), 2)
        kept = np.argsort(np.round(costs, 6), kind="stable")[: 4 * _WIDTH]
        return {(int(first[i]), int(second[i])): float(costs[i]) for i in kept}

    def _grown(self, layer: dict[Set, float], judge: "_Judge") -> dict[Set, float]:
        """Return the best sets of a layer with each other column added."""
        grown: dict[Set, float] = {}
        for base in _best(layer, _WIDTH):
            costs = self._one_more(base, judge)
            for column in np.argsort(np.round(costs, 6), kind="stable")[: 4 * _WIDTH].tolist():
                if column not in base:
                    grown[tuple(sorted((*base, column)))] = float(costs[column])
        return grown

    def _one_more(self, base: Set, judge: "_Judge") -> FloatArray:
        """[N]: the cost of a set with each column added to it."""
        n = self.rows.shape[1]
        cells = cells_of(self.rows, base)
        n_cells = (int(cells.max()) + 1) * self.n_values
        finer = (cells * self.n_values)[:, None] + self.rows + n_cells * np.arange(n)
        counts = np.bincount(
            (finer * self.n_labels + self.labels[:, None]).ravel(), minlength=n * n_cells * self.n_labels
        )
        return judge(counts.reshape(n, n_cells, self.n_labels), len(base) + 1)

    def _bits_of(self, counts: IntArray, k: int) -> FloatArray:
        """[S]: the bits of sets of k columns; ``counts``: the rows of each set, cell and label."""
        each, together = self._code
        encoded = together[counts.sum(axis=2)].sum(axis=1) - each[counts].sum(axis=(1, 2))
        return np.asarray(encoded + log2_choose(self.rows.shape[1], np.asarray(float(k))) + k + 1)

    @cached_property
    def _code(self) -> tuple[FloatArray, FloatArray]:
        """[M + 1] twice: bits that encode the labels of a cell whose shares are unknown."""
        n, v = np.arange(len(self.labels) + 1.0), self.n_labels
        each = (gammaln(n + _EVEN) - gammaln(_EVEN)) / np.log(2.0)
        return each, np.asarray((gammaln(n + v * _EVEN) - gammaln(v * _EVEN)) / np.log(2.0))


_Judge = Callable[[IntArray, int], FloatArray]
"""From the rows of each set, cell and label to a cost for each set."""


def _doubt(counts: IntArray, k: int) -> FloatArray:
    """[S]: the bits of doubt left about the labels, cell by cell."""
    totals = counts.sum(axis=2, keepdims=True)
    shares = np.divide(counts, totals, out=np.ones(counts.shape), where=counts > 0)
    return np.asarray(-(counts * np.log2(shares)).sum(axis=(1, 2)))


def _best(costs: dict[Set, float], most: int) -> list[Set]:
    return sorted(costs, key=lambda one: (round(costs[one], 6), len(one), one))[:most]
