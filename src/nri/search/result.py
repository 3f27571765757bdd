"""The outcome of induction in index space, and how it decides a row."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Cells, literal_truth
from nri.rule.decide import deciding_order, estimated_precision, first_to_fire
from nri.search.candidates import clause_truth
from nri.search.clauses import AnyClause


class Belief(Protocol):
    """What a model thinks of any row beyond what its rule says."""

    def chances(self, cells: Cells) -> FloatArray:
        """[S, n_classes]: probabilities of the classes on S rows."""
        ...


@dataclass(frozen=True, eq=False)
class Induced:
    """One rule for each class, the class counts behind every clause, and the default class.

    For two classes only one class has clauses. A row goes to the class whose firing clause has the
    highest estimated precision, and to the default class where nothing fires.
    """

    rules: tuple[tuple[AnyClause, ...], ...]
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
    posterior: Belief | None = None
    """What else is known about any row, if the model knows more than its rule says"""
    expected_bits: float | None = None
    """Bits that the labels take by what is known beyond the rule, where the rule was chosen by that"""

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


def decide(
    truths: list[BoolArray], precisions: tuple[FloatArray, ...] | list[FloatArray], default: int
) -> IntArray:
    """[M], class of the clause that decides each row by :mod:`nri.rule.decide`, or the default.

    Parameters
    ----------
    truths
        For each class [its clauses, M].
    precisions
        For each class [its clauses], above zero.
    default
        Class where no clause fires.
    """
    owner = np.repeat(np.arange(len(truths)), [len(truth) for truth in truths])
    order = deciding_order(np.concatenate(precisions), owner)
    first = first_to_fire(np.concatenate(truths)[order].T)
    return np.append(owner[order], default)[first]
