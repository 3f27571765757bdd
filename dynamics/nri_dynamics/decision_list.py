"""Decision list: the clauses for each next value of a variable, and the value where none of them fires.

Every clause has an estimated precision: the share of its value among the transitions on which it fires, drawn
towards the share among all transitions. Clauses are tried in the order of this estimate, and the first one
that fires decides.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError
from nri.rule import Clause, Columns, Dnf, Label, clause_matrix
from nri_dynamics.arrays import BoolArray, IntArray

Counts = tuple[float, ...]
"""Transitions by next value, in the order of the variable's values."""

_STRENGTH = 2.0
"""Imaginary transitions, next values in them as among all, that every count is mixed with."""
_DECIMALS = 9
"""Decimals to which precisions are compared, so that rounding never decides the order."""


@dataclass(frozen=True)
class CountedClause:
    """A clause and the transitions on which it fires."""

    clause: Clause
    counts: Counts
    """transitions on which it fires, by next value"""
    decided: Counts
    """those of them that get its value"""

    def share(self, index: int) -> float | None:
        """Return the share of transitions with one of the next values; None if it never fired."""
        total = sum(self.counts)
        return self.counts[index] / total if total > 0 else None


@dataclass(frozen=True, eq=False)
class DecisionList:
    """Clauses for the next values of a variable, with the transitions behind each."""

    target: str
    """the variable"""
    values: tuple[Label, ...]
    """its values, in the order of counts"""
    clauses: Mapping[Label, tuple[CountedClause, ...]]
    """for each value that has a condition, its clauses in the order of reading"""
    default: Label
    """the value where no clause fires"""
    default_counts: Counts
    """transitions on which no clause fires"""
    support: Counts
    """all transitions"""

    def __post_init__(self) -> None:
        if not {self.default, *self.clauses} <= set(self.values):
            raise InputError(f"the rule of {self.target!r} gives it a value that it cannot have")
        counts = [self.default_counts, self.support]
        for one in (one for clauses in self.clauses.values() for one in clauses):
            counts += [one.counts, one.decided]
        n = len(self.values)
        if any(len(one) != n or not all(0 <= count < math.inf for count in one) for one in counts):
            raise InputError(f"the rule of {self.target!r} needs a count for each of {n} values")

    @property
    def columns(self) -> tuple[str, ...]:
        """The variables that the rule reads, each once, in the order of reading."""
        clauses = (one.clause for counted in self.clauses.values() for one in counted)
        return tuple(dict.fromkeys(name for clause in clauses for name in clause.columns))

    @property
    def prior(self) -> Counts:
        """Imaginary transitions by next value that the counts of every clause are mixed with."""
        total = sum(self.support)
        return tuple(n / total * _STRENGTH if total else 1.0 for n in self.support)

    def condition(self, value: Label) -> Dnf:
        """Return when a clause of one of the values fires."""
        return Dnf(one.clause for one in self.clauses.get(value, ()))

    @cached_property
    def ordered(self) -> tuple[tuple[Label, Clause], ...]:
        """Every clause and its value, in the order in which clauses are tried."""
        prior = self.prior
        strength = round(sum(prior), _DECIMALS)
        ranked = []
        for owner, (value, clauses) in enumerate(self.clauses.items()):
            index = self.values.index(value)
            for one in clauses:
                precision = (one.counts[index] + prior[index]) / (sum(one.counts) + strength)
                ranked.append(((-round(precision, _DECIMALS), owner), (self.values[index], one.clause)))
        return tuple(decision for _, decision in sorted(ranked, key=lambda one: one[0]))

    def predict_index(self, columns: Columns, n_rows: int) -> IntArray:
        """[M]: the index of each row's next value."""
        indices = [
            self.values.index(value) for value in (*(value for value, _ in self.ordered), self.default)
        ]
        fires = clause_matrix((clause for _, clause in self.ordered), columns, n_rows)
        always = np.ones((n_rows, 1), dtype=bool)
        first: IntArray = np.argmax(np.concatenate([fires, always], axis=1), axis=1)
        return np.asarray(np.array(indices, dtype=np.int64)[first])

    def predict(self, columns: Columns, n_rows: int) -> NDArray[Any]:
        """[M]: each row's next value."""
        return value_array(self.values)[self.predict_index(columns, n_rows)]


def value_array(values: tuple[Label, ...]) -> NDArray[Any]:
    """Return values as an array: bool, integer or float; object for text."""
    return np.array(values, dtype=object if isinstance(values[0], str) else None)


def uncounted(target: str, values: tuple[Label, ...], condition: Dnf, default: Label) -> DecisionList:
    """Return a rule that no transition is behind: a condition for True, which may be FALSE."""
    none = (0.0,) * len(values)
    clauses = tuple(CountedClause(clause, none, none) for clause in condition)
    return DecisionList(target, values, {True: clauses} if clauses else {}, default, none, none)


def count_clauses(
    target: str,
    values: tuple[Label, ...],
    conditions: Mapping[Label, Dnf],
    default: Label,
    columns: Columns,
    labels: IntArray,
) -> DecisionList:
    """Count the transitions behind each clause; the clause that explains most of them comes first.

    ``labels``, [M]: the index of each transition's next value.
    """
    n = len(labels)

    def counts(rows: BoolArray) -> Counts:
        return tuple(np.bincount(labels[rows], minlength=len(values)).astype(float).tolist())

    covered = np.zeros(n, dtype=bool)
    clauses: dict[Label, tuple[CountedClause, ...]] = {}
    for index, value in enumerate(values):
        if value not in conditions:
            continue
        fires = clause_matrix(conditions[value], columns, n)
        covered |= fires.any(axis=1)
        counted = [CountedClause(c, counts(f), ()) for c, f in zip(conditions[value], fires.T, strict=True)]
        counted.sort(key=lambda one: (sum(one.counts) - 2 * one.counts[index], len(one.clause)))
        clauses[value] = tuple(replace(one, decided=one.counts) for one in counted)
    everything = np.ones(n, dtype=bool)
    rule = DecisionList(target, values, clauses, default, counts(~covered), counts(everything))
    predicted = rule.predict_index(columns, n)
    decided = {}
    for value, of_value in clauses.items():
        fires = clause_matrix((one.clause for one in of_value), columns, n)
        own = fires & (predicted == values.index(value))[:, None]
        decided[value] = tuple(
            replace(one, decided=counts(f)) for one, f in zip(of_value, own.T, strict=True)
        )
    return replace(rule, clauses=decided)
