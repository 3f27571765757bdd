"""The outcome of induction in index space, and how it decides a row."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nri.episode import BoolArray, FloatArray, IntArray, literal_truth
from nri.search.candidates import clause_truth
from nri.search.clauses import IndexClause

if TYPE_CHECKING:
    from nri.seeded.posterior import Posterior


PRECISION_STRENGTH = 2.0
"""Imaginary rows at the class's prior share in a clause's estimated precision."""


@dataclass(frozen=True, eq=False)
class Induced:
    """One rule for each class, the class counts behind every clause, and the default class.

    For two classes only one class has clauses. A row goes to the class whose firing clause has the
    highest estimated precision, and to the default class where nothing fires.
    """

    rules: tuple[tuple[IndexClause, ...], ...]
    """For each class its clauses."""
    counts: tuple[FloatArray, ...]
    """For each class [its clauses, n_classes], (expected) weight of the classes each clause covers."""
    default: int
    """Class of the rows that no clause covers."""
    default_counts: FloatArray
    """[n_classes], (expected) weight of the classes on these rows."""
    prior: FloatArray
    """[n_classes], share of each class."""
    errors: float
    """Expected weight of the support rows that are decided wrongly."""
    cost: float
    """Value of the objective."""
    doubt: float | None = None
    """Share of plausible rows on which rules that cost nearly as little say otherwise, if they were asked"""
    posterior: "Posterior | None" = None
    """What else is known about any row, if the model knows more than its rule says"""

    @property
    def precisions(self) -> tuple[FloatArray, ...]:
        """For each class the estimated precision of its clauses, which settles conflicts."""
        return tuple(
            estimated_precision(counts[:, c], counts.sum(axis=1), float(self.prior[c]))
            for c, counts in enumerate(self.counts)
        )

    def predict(self, values: BoolArray, known: BoolArray) -> IntArray:
        """[M], the class of each row."""
        literals = literal_truth(values, known)
        return decide([clause_truth(literals, rule) for rule in self.rules], self.precisions, self.default)


def estimated_precision(positive: FloatArray, covered: FloatArray, prior: float) -> FloatArray:
    """Share of the class among covered rows, shrunk towards the prior share."""
    return (positive + PRECISION_STRENGTH * prior) / (covered + PRECISION_STRENGTH)


def decide(
    truths: list[BoolArray], precisions: tuple[FloatArray, ...] | list[FloatArray], default: int
) -> IntArray:
    """[M], class of the most precise firing clause; of equals the lower class; else the default.

    Parameters
    ----------
    truths
        For each class [its clauses, M].
    precisions
        For each class [its clauses], above zero.
    default
        Class where no clause fires.
    """
    best = np.array(
        [
            np.where(truth, precision[:, None], 0.0).max(axis=0, initial=0.0)
            for truth, precision in zip(truths, precisions, strict=True)
        ]
    )
    return np.where(best.max(axis=0) > 0.0, best.argmax(axis=0), default).astype(np.int64)
