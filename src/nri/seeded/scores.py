"""The posterior of a number or of a risk: the scores that ridge regressions expect of the rows.

The experts for classes are regressions already, and answer for a score as they do for a class.
"""

import numpy as np

from nri.arrays import FloatArray, IntArray, one_thread
from nri.episode import Cells
from nri.seeded.experts import ensemble_shares
from nri.seeded.kernels import Alike, Kernels
from nri.seeded.measures import measures
from nri.seeded.sample import SignedArray, signed_cells, spread_rows

MOST_ROWS = 700  # Most rows that the regressions are fitted to; they answer for all.
PULL = 30.0  # Squared errors on left-out rows that it takes to leave equal shares; scores have variance 1/4.


class ScoreExperts:
    """An ensemble of regressions that is formed by one table and predicts any row."""

    def __init__(self, cells: Cells, groups: IntArray, scores: FloatArray, weights: FloatArray) -> None:
        """Fit scores [M] of mean 0 and variance 1."""
        taken = spread_rows(len(scores), MOST_ROWS)
        target = (scores[taken] / 2).astype(np.float32)
        self._groups = groups
        _, first = np.unique(cells.known, axis=1, return_index=True)
        self._gaps = np.sort(first[~cells.known[:, first].all(axis=0)])
        """variables with different unknown cells: that a cell is unknown may be informative too"""
        views = self._views(cells)
        with one_thread():
            self._kernels = [Kernels(Alike(view[taken], weights[taken]), target) for view in views]
        left_out = np.column_stack([one.support for one in self._kernels])
        self._shares = ensemble_shares(left_out, target, weights[taken], None, PULL)
        self.support = self.expected(cells)  # [M]: what is expected of each row, without the row itself
        self.support[taken] = 2 * left_out @ self._shares

    def expected(self, cells: Cells) -> FloatArray:
        """[S]: the scores to expect of rows."""
        pairs = zip(self._kernels, self._views(cells), strict=True)
        with one_thread():
            answers = [kernels.opine(view) for kernels, view in pairs]
        return np.asarray(2 * np.column_stack(answers) @ self._shares, dtype=np.float64)

    def _views(self, cells: Cells) -> list[SignedArray]:
        """Return rows as yes/no cells and, if there are numbers, as these; both with what is unknown."""
        known = cells.known[:, self._gaps]
        gaps = signed_cells(known, np.ones_like(known))
        views = [signed_cells(cells.values, cells.known)]
        if cells.numbers.shape[1]:
            views.append(measures(cells, self._groups))
        return [np.column_stack([view, gaps]) for view in views]
