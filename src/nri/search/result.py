"""The outcome of induction in index space, and how it decides a row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Cells, literal_truth
from nri.rule.truth import deciding_order, estimated_precision, first_to_fire
from nri.search.candidates import clause_truth
from nri.search.clauses import AnyClause

Branch = tuple[int, AnyClause]
"""A class and the clause that decides for it."""


class Belief(Protocol):
    """What a model knows of any row beyond its rule."""

    def chances(self, cells: Cells) -> FloatArray:
        """[S, n_classes]: probabilities of the classes on S rows."""
        ...


@dataclass(frozen=True, eq=False)
class PricedRules:
    """Rules for one class that are near the cheapest one, and the bits of each."""

    rules: tuple[tuple[AnyClause, ...], ...]
    bits: FloatArray


@dataclass(frozen=True, eq=False)
class HeldOutChances:
    """What is believed of some rows of an episode, each without its label."""

    rows: IntArray
    """[S], which rows"""
    masses: FloatArray
    """[S, n_classes], chances of the classes times the weight that the row stands for"""


@dataclass(frozen=True, eq=False)
class Induced:
    """A rule for each class, the class counts behind every clause, and the order in which clauses decide.

    For two classes only one class has clauses. The first branch that fires decides a row, and the default
    where none does.
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
    branches: tuple[Branch, ...] = ()
    """Class and clause of each branch, in the order of deciding; by default the clauses of ``rules`` in the
    order of their estimated precision."""
    posterior: Belief | None = None
    """What else is known about any row, if the model knows more than its rule"""
    priced: tuple[PricedRules, ...] = ()
    """For each class the rules near the best one, where they were wanted"""
    expected_bits: float | None = None
    """Bits that the labels take by the posterior, where the rule was chosen by that"""
    held_out: HeldOutChances | None = None
    """What is believed of rows without their labels; None if the model has no posterior"""

    def __post_init__(self) -> None:
        if not self.branches:
            owned = [(c, clause) for c, rule in enumerate(self.rules) for clause in rule]
            owner = np.array([c for c, _ in owned], dtype=np.int64)
            order = deciding_order(np.concatenate(self.precisions), owner)
            object.__setattr__(self, "branches", tuple(owned[i] for i in order))

    @property
    def precisions(self) -> tuple[FloatArray, ...]:
        """For each class the estimated precision of its clauses."""
        return tuple(
            estimated_precision(counts[:, c], counts.sum(axis=1), float(self.prior[c]))
            for c, counts in enumerate(self.counts)
        )

    def predict(self, values: BoolArray, known: BoolArray) -> IntArray:
        """[M], the class of each row."""
        places = deciding_places(self.branches, literal_truth(values, known))
        return np.append([c for c, _ in self.branches], self.default).astype(np.int64)[places]


def deciding_places(branches: Sequence[Branch], literals: BoolArray) -> IntArray:
    """[M], which branch decides each row of literals [M, 2N]; their number where none fires."""
    return first_to_fire(clause_truth(literals, [clause for _, clause in branches]).T)


def decide(
    truths: list[BoolArray], precisions: tuple[FloatArray, ...] | list[FloatArray], default: int
) -> IntArray:
    """[M], class of the clause that decides each row by :mod:`nri.rule.truth`, or the default."""
    owner = np.repeat(np.arange(len(truths)), [len(truth) for truth in truths])
    order = deciding_order(np.concatenate(precisions), owner)
    first = first_to_fire(np.concatenate(truths)[order].T)
    return np.append(owner[order], default)[first]
