"""Likely regulators: those that explain most of a variable's next values, where not all can be explained.

Noise, hidden variables and asynchronous updates make equal states lead to different values. Then a set of
variables is judged by description length: a price for naming it, a bit for every cell (combination of values)
that was seen, and the bits that say which rows are not as most rows of their cell.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import gammaln

from nri.arrays import IntArray
from nri.dynamics.regulators import cells_of
from nri.search.objective import LN2, DescriptionLength

_WIDTH = 12
"""Sets that are kept of each size."""
_MOST_PAIRS = 3000
"""Pairs of columns up to which all are tried; beyond, pairs grow from single columns."""
_KEPT = 4
"""Sets that are handed back, the best first."""
_DATA = DescriptionLength()


@dataclass(frozen=True)
class _Scored:
    cost: float
    columns: tuple[int, ...]


def likely_sets(rows: IntArray, labels: IntArray, most: int) -> list[tuple[int, ...]]:
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
    n = rows.shape[1]
    score = _Scorer(rows, labels)
    best = {(): score.of(())}
    singles = [(column,) for column in range(n)]
    layer = [score.of(columns) for columns in singles]
    for size in range(1, most + 1):
        best |= {one.columns: one for one in sorted(layer, key=_by_cost)[:_WIDTH]}
        if size == most:
            break
        grown: set[tuple[int, ...]] = set()
        if size == 1 and n * (n - 1) // 2 <= _MOST_PAIRS:
            grown.update(combinations(range(n), 2))
        else:
            for one in sorted(layer, key=_by_cost)[:_WIDTH]:
                grown.update(
                    tuple(sorted((*one.columns, column))) for column in range(n) if column not in one.columns
                )
        previous, layer = min(layer, key=_by_cost).cost, [score.of(columns) for columns in sorted(grown)]
        if not layer or (size > 2 and min(layer, key=_by_cost).cost > previous):
            break
    return [one.columns for one in sorted(best.values(), key=_by_cost)[:_KEPT]]


def _by_cost(one: _Scored) -> tuple[float, int, tuple[int, ...]]:
    return (round(one.cost, 6), len(one.columns), one.columns)


class _Scorer:
    def __init__(self, rows: IntArray, labels: IntArray) -> None:
        self.rows, self.labels = rows, labels
        self.n_labels = int(labels.max()) + 1

    def of(self, columns: tuple[int, ...]) -> _Scored:
        cells = cells_of(self.rows, columns)
        n_cells = int(cells.max()) + 1
        counts = np.bincount(cells * self.n_labels + self.labels, minlength=n_cells * self.n_labels)
        errors = len(cells) - int(counts.reshape(n_cells, self.n_labels).max(axis=1).sum())
        n, k = self.rows.shape[1], len(columns)
        naming = (gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) / LN2 + k + 1
        told = naming + n_cells * np.log2(max(2, self.n_labels))
        cost = float(_DATA.cost(np.array(float(errors)), np.array(told), float(len(cells)), self.n_labels))
        return _Scored(cost, columns)
