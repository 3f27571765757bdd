"""The posterior of a number or of a risk: the scores that ridge regressions expect of the rows.

The experts for classes are regressions already, and answer for a score as they do for a class: each is one
linear solve, and its answer for a support row is formed without the row, by which the ensemble weighs them.
"""

import numpy as np

from nri.arrays import FloatArray, IntArray, one_thread
from nri.episode import Cells
from nri.seeded.experts import council_shares
from nri.seeded.kernels import Alike, Kernels
from nri.seeded.measures import measures
from nri.seeded.sample import signed_cells

MOST_ROWS = 700
"""Most rows that the regressions are fitted to; they answer for all."""
PULL = 30.0
"""Squared errors on left-out rows that it takes to leave equal shares, of scores with a variance of 1/4."""


def expected_scores(cells: Cells, groups: IntArray, scores: FloatArray, weights: FloatArray) -> FloatArray:
    """[M]: what the ensemble expects of scores [M] of mean 0 and variance 1, each without its own row."""
    taken = np.unique(np.linspace(0, len(scores) - 1, min(len(scores), MOST_ROWS)).round().astype(np.int64))
    target = (scores[taken] / 2).astype(np.float32)
    views = [signed_cells(cells.values, cells.known)]
    if cells.numbers.shape[1]:
        views.append(measures(cells, groups))
    with one_thread():
        kernels = [Kernels(Alike(view[taken], weights[taken]), target) for view in views]
        left_out = np.column_stack([one.support for one in kernels])
        shares = council_shares(left_out, target, weights[taken], None, PULL)
        answers = [one.opine(view) for one, view in zip(kernels, views, strict=True)]
    expected = np.column_stack(answers) @ shares
    expected[taken] = left_out @ shares
    return np.asarray(2 * expected, dtype=np.float64)
