"""What is known about the rows, and what covering a row is worth for one class."""

from dataclasses import dataclass

import numpy as np

from nri.arrays import BoolArray, FloatArray
from nri.episode import Episode, literal_truth

ERROR_WEIGHTS = (1.0, 2.0, 4.0, 16.0)
"""How much a covered wrong row weighs while a start is grown; growing with one weight gets stuck."""


@dataclass(frozen=True, eq=False)
class SearchRows:
    """Different rows, how much each weighs, and the weight of each class on it."""

    literals: BoolArray  # [M, 2N], where each literal is known to hold
    weights: FloatArray  # [M]
    masses: FloatArray  # [M, n_classes], expected weight of each class; with prices, what it saves

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.masses.shape[1])

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.weights.sum())

    def priced(self, prices: FloatArray) -> "SearchRows":
        """Return the rows weighted by what errors cost: a class that is dear to miss weighs more.

        A decision saves the dearest error less the one that is made, so prices are weights for the search.
        """
        if (prices + np.eye(self.n_classes) == 1.0).all():
            return self
        most = prices.max(axis=1)
        masses = self.masses @ (most[:, None] - prices)
        return SearchRows(self.literals, (self.masses * most).sum(axis=1), masses)

    def thinned(self, most: int) -> "SearchRows":
        """Return at most so many rows, at even steps through their order, with the same weight in all."""
        if len(self.weights) <= most:
            return self
        kept = np.linspace(0, len(self.weights) - 1, most).round().astype(np.int64)
        factor = self.total / self.weights[kept].sum()
        return SearchRows(self.literals[kept], self.weights[kept] * factor, self.masses[kept] * factor)

    def task(self, target: int) -> "OneVsRest":
        """Set one class against the others."""
        others = np.delete(self.masses, target, axis=1).max(axis=1)
        return OneVsRest(self.literals, self.weights, self.masses[:, target], others)


def search_rows(episode: Episode, posterior: FloatArray | None = None) -> SearchRows:
    """Take the labels, or a posterior [M, n_classes] in their place, and merge rows with the same cells.

    The merged row has their weight and mean probabilities, so expected errors are the same.
    """
    chances = np.eye(episode.n_classes)[episode.labels] if posterior is None else posterior
    used = episode.weights > 0
    literals = literal_truth(episode.values, episode.known)[used]
    packed = np.packbits(literals, axis=1)
    _, first, group = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    weights = np.zeros(len(first))
    np.add.at(weights, group.reshape(-1), episode.weights[used])
    masses = np.zeros((len(first), episode.n_classes))
    np.add.at(masses, group.reshape(-1), chances[used] * episode.weights[used, None])
    if posterior is not None:
        masses = exact_in_sums(masses)
        weights = masses.sum(axis=1)
    return SearchRows(literals[first], weights, masses)


def exact_in_sums(masses: FloatArray) -> FloatArray:
    """Round masses to a power of two, so that sums are exact in single precision, whatever their order.

    Processors add in different orders. Of rules that are equally good, each would find another.
    """
    bits = 24 - np.log2(max(ERROR_WEIGHTS))  # of a sum in which wrong rows count so many times
    unit = np.exp2(np.ceil(np.log2(max(float(masses.sum()), 1e-9))) - bits)
    return np.asarray(np.round(masses / unit) * unit)


@dataclass(frozen=True, eq=False)
class OneVsRest:
    """One class against the rest: the expected weight that is right on a row, covered or not.

    ``positive`` is ``weight * p(class)``, ``negative`` is ``weight * max p(other class)``, since an uncovered
    row can at best go to the next likely class; with hard labels these are 0 or the weight.
    """

    literals: BoolArray  # [M, 2N], where each literal is known to hold
    weights: FloatArray  # [M]
    positive: FloatArray  # [M], right weight of a row that is covered
    negative: FloatArray  # [M], right weight of a row that is not covered

    @property
    def n_rows(self) -> int:
        """M"""
        return len(self.literals)

    @property
    def n_variables(self) -> int:
        """N"""
        return int(self.literals.shape[1]) // 2

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.weights.sum())

    @property
    def gain(self) -> FloatArray:
        """[M], what covering a row adds to the right weight."""
        return self.positive - self.negative

    def errors(self, covered: BoolArray) -> float:
        """Return the expected weight of wrong rows when exactly these rows are covered."""
        right = self.positive[covered].sum() + self.negative[~covered].sum()
        return max(0.0, self.total - float(right))
