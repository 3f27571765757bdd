"""What is known about the rows, and what covering a row is worth for one class."""

from dataclasses import dataclass

import numpy as np

from nri.arrays import BoolArray, FloatArray
from nri.episode import Episode, literal_truth
from nri.errors import InputError


@dataclass(frozen=True, eq=False)
class SearchRows:
    """Different rows, how much each weighs, and how likely each class is on it."""

    literals: BoolArray
    """[M, 2N], where each literal is known to hold"""
    weights: FloatArray
    """[M]"""
    probabilities: FloatArray
    """[M, n_classes], each row summing to one"""

    @property
    def masses(self) -> FloatArray:
        """[M, n_classes], expected weight of each class."""
        return self.probabilities * self.weights[:, None]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.probabilities.shape[1])

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.weights.sum())

    def cost_weighted(self, costs: FloatArray) -> "SearchRows":
        """Return the rows weighted by costs: a class that is dear to miss weighs more.

        To decide for a class saves its chance times its cost. So rows with costs are rows with other weights
        and chances, and the search need not know.
        """
        if (costs == 1.0).all():
            return self
        masses = self.masses * costs
        weights = masses.sum(axis=1)
        return SearchRows(self.literals, weights, masses / np.maximum(weights, 1e-300)[:, None])

    def thinned(self, most: int) -> "SearchRows":
        """Return at most so many rows, at even steps through their order, with the same weight in all."""
        if len(self.weights) <= most:
            return self
        kept = np.linspace(0, len(self.weights) - 1, most).round().astype(np.int64)
        weights = self.weights[kept] * (self.total / self.weights[kept].sum())
        return SearchRows(self.literals[kept], weights, self.probabilities[kept])

    def task(self, target: int) -> "OneVsRest":
        """Set one class against the others."""
        others = np.delete(self.masses, target, axis=1).max(axis=1)
        return OneVsRest(self.literals, self.weights, self.masses[:, target], others)


def search_rows(episode: Episode, posterior: FloatArray | None = None) -> SearchRows:
    """Take the labels, or a posterior in their place, and merge rows with the same cells.

    No clause can tell such rows apart, so one row with their weight and their mean class
    probabilities stands for them; expected errors are the same. Rows without weight are dropped.
    """
    if posterior is None:
        posterior = np.eye(episode.n_classes)[episode.labels]
    elif posterior.shape != (episode.n_rows, episode.n_classes):
        raise InputError(
            f"posterior has shape {posterior.shape}, but the table has {episode.n_rows} rows and "
            f"{episode.n_classes} classes: give one probability for each"
        )
    used = episode.weights > 0
    literals = literal_truth(episode.values, episode.known)[used]
    packed = np.packbits(literals, axis=1)
    _, first, group = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    weights = np.zeros(len(first))
    np.add.at(weights, group.reshape(-1), episode.weights[used])
    masses = np.zeros((len(first), episode.n_classes))
    np.add.at(masses, group.reshape(-1), posterior[used] * episode.weights[used, None])
    return SearchRows(literals[first], weights, masses / weights[:, None])


@dataclass(frozen=True, eq=False)
class OneVsRest:
    """One class against the rest: the expected weight that is right on a row, covered or not.

    With hard labels ``positive`` is the weight of the rows of the class and ``negative`` that of all
    other rows. With probabilities they are ``weight * p(class)`` and
    ``weight * max p(other class)``, since an uncovered row can at best go to the next likely class.
    """

    literals: BoolArray
    """[M, 2N], where each literal is known to hold"""
    weights: FloatArray
    """[M]"""
    positive: FloatArray
    """[M], right weight of a row that is covered"""
    negative: FloatArray
    """[M], right weight of a row that is not covered"""

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

    @property
    def prior(self) -> float:
        """Share of the class."""
        return float(self.positive.sum()) / self.total if self.total > 0 else 0.0

    def errors(self, covered: BoolArray) -> float:
        """Return the expected weight of wrong rows when exactly these rows are covered."""
        right = self.positive[covered].sum() + self.negative[~covered].sum()
        return max(0.0, self.total - float(right))
