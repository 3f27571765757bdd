"""An episode: one boolean table with unknowns, and its labels, as plain arrays.

Every inducer reads this. Names of columns are kept by the binarizer. A literal is an index ``j`` in
``0 .. 2N-1``: ``j < N`` is variable ``j``, ``j >= N`` the negation of variable ``j - N``.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Cells:
    """What is known of M rows: N boolean variables with unknown cells, and F numbers behind some of them.

    Rules speak of the variables alone. The numbers say how far a cell lies above or below a cut.
    """

    values: BoolArray  # [M, N]; False wherever unknown
    known: BoolArray  # [M, N]
    numbers: NDArray[np.float32]  # [M, F], cells of number columns with mean 0 and spread 1; 0 where unknown

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: IntArray) -> "Cells":
        """Return some of the rows, of an episode without their labels."""
        return Cells(self.values[rows], self.known[rows], self.numbers[rows])


@dataclass(frozen=True, eq=False)
class Episode(Cells):
    """M rows of cells, with a class index and a weight for each row."""

    labels: IntArray  # [M], class indices in 0 .. n_classes-1
    weights: FloatArray  # [M], how many rows each row stands for
    n_classes: int
    prices: FloatArray
    """[n_classes, n_classes], what it costs to say the second class of a row of the first; the dearest error
    costs 1 on average over the rows"""
    unlabelled: Cells  # Further rows of the same table, whose class is unknown

    def __post_init__(self) -> None:
        assert self.values.shape == self.known.shape, "values and known differ in shape"
        assert {len(self.labels), len(self.weights), len(self.numbers)} == {len(self)}, (
            "rows differ in number"
        )
        assert not (self.values & ~self.known).any(), "an unknown cell must be False in values"

    @property
    def n_variables(self) -> int:
        """N"""
        return int(self.values.shape[1])


def stacked_cells(*parts: Cells) -> Cells:
    """Return the rows of several tables with the same variables, one below the other."""
    return Cells(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.known for part in parts]),
        np.concatenate([part.numbers for part in parts]),
    )


def make_episode(
    values: BoolArray,
    known: BoolArray | None = None,
    labels: IntArray | None = None,
    weights: FloatArray | None = None,
    n_classes: int | None = None,
    numbers: NDArray[np.float32] | None = None,
    prices: FloatArray | None = None,
    unlabelled: Cells | None = None,
) -> Episode:
    """Build an episode, filling in what is missing: known cells, weights of one, equal prices, no more rows.

    Prices are scaled so that rows keep their weight on average.
    """
    values = np.asarray(values, dtype=bool)
    known = np.ones_like(values) if known is None else np.asarray(known, dtype=bool)
    labels = np.zeros(len(values), np.int64) if labels is None else np.asarray(labels, np.int64)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, np.float64)
    if n_classes is None:
        n_classes = max(2, int(labels.max(initial=0)) + 1)
    if numbers is None:
        numbers = np.zeros((len(values), 0), np.float32)
    if prices is None:
        prices = 1.0 - np.eye(n_classes)
    else:
        of_classes = np.bincount(labels, weights, minlength=n_classes)
        prices = prices * (of_classes.sum() / max(float(of_classes @ prices.max(axis=1)), 1e-300))
    if unlabelled is None:
        unlabelled = Cells(values, known, numbers).take(np.arange(0))
    return Episode(values & known, known, numbers, labels, weights, n_classes, prices, unlabelled)


def literal_truth(values: BoolArray, known: BoolArray) -> BoolArray:
    """[M, 2N]: where each literal is *known to hold*; an unknown cell makes both literals False."""
    return np.concatenate([values & known, ~values & known], axis=1)
