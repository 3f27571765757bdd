"""A rule set: rules for classes, with all that prediction needs and no network.

How it decides: among the clauses that fire on a row, the one with the highest estimated precision
for its class gives the label (the earlier one on a tie). The probabilities are the class shares among the
support rows that this clause covers and that got its class, drawn towards those of all rows it covers, and
these towards the prior. Where no clause fires, the default does. Since the precisions are fixed, a rule
set is also a list of clauses to try in order: :attr:`RuleSet.decisions`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError
from nri.rule.clause import Clause, Dnf
from nri.rule.decide import (
    Evidence,
    estimated_precision,
    favour,
    first_to_fire,
    shrink,
    speaking_order,
)
from nri.rule.labels import Label, as_label, check_classes, label_array
from nri.rule.plan import ColumnPlan
from nri.rule.truth import clause_matrix
from nri.rule.written import WrittenRule

if TYPE_CHECKING:
    from nri.rule.explain import Explanation


_PULL = 20.0
"""Rows' worth of all that a clause covers among those left to it: their share is flattered by the choice."""


@dataclass(frozen=True)
class ClassRule:
    """The rule of one class, and for each of its clauses what it covered and what was left to it."""

    label: Label
    rule: Dnf
    evidence: tuple[Evidence, ...]
    """Rows on which each clause fires."""
    decided: tuple[Evidence, ...]
    """Those of them that no other class claims with more right; all of them where that was not counted."""

    def __init__(
        self,
        label: Label,
        rule: Dnf,
        evidence: Iterable[Evidence],
        decided: Iterable[Evidence] | None = None,
    ) -> None:
        object.__setattr__(self, "label", as_label(label))
        object.__setattr__(self, "rule", rule)
        object.__setattr__(self, "evidence", tuple(evidence))
        object.__setattr__(self, "decided", self.evidence if decided is None else tuple(decided))
        for counted in (self.evidence, self.decided):
            if len(counted) != len(rule):
                raise InputError(
                    f"the rule of class {label!r} has {len(rule)} clauses but evidence for "
                    f"{len(counted)}: give one for each clause"
                )


@dataclass(frozen=True)
class Decision:
    """A clause that decides for a label, with how sure that is."""

    label: Label
    clause: Clause
    evidence: Evidence
    decided: Evidence
    precision: float
    """Estimated share of the label among the rows the clause covers, drawn towards the prior."""

    @property
    def remark(self) -> str:
        """What stands beside the clause in a program."""
        return f"estimated precision {self.precision:.2f}"


@dataclass(frozen=True)
class RuleSet(WrittenRule):
    """Rules for classes, the label of rows that no rule covers, and the evidence for all of it.

    A two-class task normally has one rule, about one class; more classes have one rule each.
    """

    target: str
    """Name of the column that is predicted."""
    classes: tuple[Label, ...]
    """Labels in the order of probabilities and counts."""
    rules: tuple[ClassRule, ...]
    default: Label
    """Label of rows on which no clause fires."""
    default_evidence: Evidence
    """What the support rows without a firing clause were."""
    support: Evidence
    """What all support rows were."""
    prior: tuple[float, ...]
    """Pseudo-counts for each class that every evidence is drawn towards."""
    plans: Mapping[str, ColumnPlan] = field(default_factory=dict)
    """How the cells of the columns are read; what is not mentioned is read by the kind of its literals."""
    weighted: bool = field(default=False, compare=False)
    """Whether counts are sums of weights rather than numbers of rows."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", tuple(as_label(label) for label in self.classes))
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "prior", Evidence(self.prior).counts)
        check_classes(self.classes)
        self._check_labels()
        object.__setattr__(self, "default", self.classes[self.index_of(self.default)])
        self._check_counts()
        self._complete_plans()

    def _check_labels(self) -> None:
        labels = [rule.label for rule in self.rules]
        for label in [*labels, self.default]:
            self.index_of(label)
        if len(set(labels)) < len(labels):
            raise InputError(f"a class has two rules: {labels}; join them into one rule")

    def _check_counts(self) -> None:
        evidence = [e for rule in self.rules for e in (*rule.evidence, *rule.decided)]
        for counts in (self.default_evidence, self.support, Evidence(self.prior), *evidence):
            if len(counts) != len(self.classes):
                raise InputError(
                    f"evidence has {len(counts)} counts for {len(self.classes)} classes: give one for each"
                )

    def clauses(self) -> Iterable[Clause]:
        """Return every clause, rule after rule."""
        return (clause for rule in self.rules for clause in rule.rule)

    def index_of(self, label: Label) -> int:
        """Return the position of a label among the classes."""
        if label not in self.classes:
            raise InputError(f"{label!r} is not a class of {self.target!r}: classes are {list(self.classes)}")
        return self.classes.index(label)

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """Every clause in the order in which it gets its say: the first that fires decides."""
        strength = round(sum(self.prior), 9)
        found, owners = [], []
        for owner, rule in enumerate(self.rules):
            index = self.index_of(rule.label)
            share = self.prior[index] / strength if strength > 0 else 0.0
            for clause, evidence, decided in zip(rule.rule, rule.evidence, rule.decided, strict=True):
                if evidence.total + strength > 0:
                    precision = estimated_precision(evidence.counts[index], evidence.total, share, strength)
                else:  # nothing is known of it: every class is as likely as any other
                    precision = 1.0 / len(self.classes)
                found.append(Decision(self.classes[index], clause, evidence, decided, precision))
                owners.append(owner)
        order = speaking_order(np.array([one.precision for one in found]), np.array(owners, dtype=np.int64))
        return tuple(found[i] for i in order)

    @cached_property
    def _labels_and_probabilities(self) -> tuple[IntArray, FloatArray]:
        """Class index and distribution of each decision; the default's are the last row."""
        outcomes = [(decision.label, self._chances(decision)) for decision in self.decisions]
        outcomes.append((self.default, shrink(self.default_evidence, self.prior)))
        indices = [self.index_of(label) for label, _ in outcomes]
        rows = [favour(chances, i) for i, (_, chances) in zip(indices, outcomes, strict=True)]
        return np.array(indices, dtype=np.int64), np.stack(rows)

    @cached_property
    def outcomes(self) -> tuple[IntArray, FloatArray]:
        """For each decision, and at last the default, the place of its label and how probable that is."""
        indices, probabilities = self._labels_and_probabilities
        return indices, probabilities[np.arange(len(indices)), indices]

    def _outcomes(self) -> Mapping[str, Sequence[Any]]:
        indices, chances = self.outcomes
        labels = [self.classes[index] for index in indices]
        return {f"predicted_{self.target}": labels, "probability": np.round(chances, 4).tolist()}

    def _chances(self, decision: Decision) -> FloatArray:
        """[n_classes]: class shares of the rows that are left to a clause.

        Where clauses of other classes take part of its rows, the rest may look quite unlike all it covers.
        """
        covered = shrink(decision.evidence, self.prior)
        if decision.decided == decision.evidence:
            return covered
        return shrink(decision.decided, tuple((covered * _PULL).tolist()))

    def decide(self, rows: Any, n_rows: int | None = None) -> IntArray:
        """[M]: index in :attr:`decisions` of each row's deciding clause; their number where none fires."""
        clauses = (decision.clause for decision in self.decisions)
        return first_to_fire(clause_matrix(clauses, *self._read_all(rows, n_rows)))

    def predict_index(self, rows: Any, n_rows: int | None = None) -> IntArray:
        """[M]: position in :attr:`classes` of each row's label."""
        indices, _ = self._labels_and_probabilities
        return np.take(indices, self.decide(rows, n_rows))

    def predict(self, rows: Any, n_rows: int | None = None) -> NDArray[Any]:
        """[M]: each row's label.

        Parameters
        ----------
        rows
            A DataFrame of pandas or polars, or anything else that :class:`nri.NRIClassifier` takes, with the
            columns that the rules read; or :data:`Columns`, typed already.
        n_rows
            How many rows there are, where typed columns do not say it because the rules read none.
        """
        return label_array(self.classes)[self.predict_index(rows, n_rows)]

    def predict_proba(self, rows: Any, n_rows: int | None = None) -> FloatArray:
        """[M, n_classes]: probabilities, of which the predicted label's is strictly the highest."""
        _, probabilities = self._labels_and_probabilities
        return probabilities[self.decide(rows, n_rows)]

    def explain(self, rows: Any, n_rows: int | None = None) -> "list[Explanation]":
        """For each row, which clauses fired or, when none did, what the nearest ones lacked."""
        from nri.rule.explain import explain

        return explain(self, *self._read_all(rows, n_rows))
