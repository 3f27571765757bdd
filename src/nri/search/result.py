"""The outcome of induction in index space, and how it decides a row."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Cells, Episode, literal_truth
from nri.rule.truth import first_to_fire
from nri.search.candidates import clause_truth
from nri.search.clauses import AnyClause
from nri.search.limits import Limits

Branch = tuple[int, AnyClause]  # A class and the clause that decides for it.


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

    rows: IntArray  # [S], which rows
    masses: FloatArray  # [S, n_classes], chances of the classes times the weight that the row stands for


class Inducer(Protocol):
    """Finds rules in index space; it sees neither names nor the original table."""

    @property
    def sharpens(self) -> bool:
        """Whether cuts may move once its rule is known; the paper's is left as its network says it."""
        ...

    @property
    def reorders(self) -> bool:
        """Whether it is shown tables in canonical order; the paper's network sees a table as it is."""
        ...

    def induce(
        self, episode: Episode, groups: IntArray, limits: Limits, rng: np.random.Generator
    ) -> "Induced":
        """Return rules for the classes of an episode.

        ``groups`` [N + F] are equal where variables and numbers come from one column.
        """
        ...


@dataclass(frozen=True, eq=False)
class Induced:
    """A rule for the classes of an episode. For two classes only one class has clauses."""

    n_classes: int
    branches: tuple[Branch, ...]  # Class and clause of each branch; the first one that fires decides a row.
    default: int  # Class of the rows on which none does.
    errors: float  # Expected weight of the support rows that are decided wrongly.
    cost: float  # Value of the objective.
    posterior: Belief | None = None  # What else is known about any row, if the model knows more than its rule
    priced: tuple[PricedRules, ...] = ()  # For each class the rules near the best one, where they were wanted
    expected_bits: float | None = None  # Bits that the labels take by the posterior, if it chose the rule
    held_out: HeldOutChances | None = None
    """What is believed of rows without their labels; None if the model has no posterior"""
    found_by: Any = None
    """What the search that chose it has left; :mod:`nri.induce.alternatives` finds other rules there"""

    @property
    def rules(self) -> tuple[tuple[AnyClause, ...], ...]:
        """For each class its clauses."""
        classes = range(self.n_classes)
        return tuple(tuple(clause for owner, clause in self.branches if owner == c) for c in classes)

    def predict(self, values: BoolArray, known: BoolArray) -> IntArray:
        """[M], the class of each row."""
        classes = np.append([c for c, _ in self.branches], self.default).astype(np.int64)
        fires = clause_truth(literal_truth(values, known), [clause for _, clause in self.branches])
        return classes[first_to_fire(fires.T)]
