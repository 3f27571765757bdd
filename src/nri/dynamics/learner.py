"""Learner: what is known of one variable's next value, and the ways to a rule for it.

*Exact*: the shortest rule over the fewest regulators that settle every row. *Likely*: the rule that describes
rows and errors in the fewest bits. *By model*: what a model of :mod:`nri.induce.models` makes of the rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from nri.arrays import IntArray
from nri.dynamics.cheapest import MOST_CLAUSES, Price, cheapest_rule
from nri.dynamics.cover import shortest_rule
from nri.dynamics.evidence import never_seen
from nri.dynamics.likely import LikelySets
from nri.dynamics.regulators import PATIENCE, Regulators, cells_of, smallest_sets
from nri.dynamics.system import VariableRule
from nri.dynamics.variables import Variable
from nri.errors import InputError
from nri.induce.path import induce_rules
from nri.induce.settings import Settings
from nri.induce.words import counted
from nri.rule import Clause, Column, Dnf, Kind, Label, Literal, Op, RuleSet
from nri.table.table import Table, Target

_MOST_SETTLING = 7
"""Regulators up to which a set that settles every row is looked for quickly; beyond, it is noise or luck."""
_MOST_PROVEN = 3
"""Equally small sets of regulators for which the shortest rule is proven; the others are ranked quickly."""
_THIN = 10.0
"""Bits by which every regulator must pay for itself, for an exact rule to be beyond doubt."""
_ENOUGH = 20
"""Rows below which errors cannot be told from rules: then nothing is doubted that explains them all."""
_SEEN_AGAIN = 4
"""Rows for each combination of regulators that was seen, on average, for the same."""
_ROUNDS = 4
"""Times that variables are exchanged for others that explain more of what is left."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule for a variable, and the bits that it and its errors take."""

    rules: Mapping[Label, Dnf]
    columns: tuple[int, ...]
    bits: float
    others: Regulators | None = None
    """equally small sets of regulators, if it is exact"""

    @property
    def length(self) -> tuple[int, int]:
        """Clauses and literals."""
        clauses = [clause for rule in self.rules.values() for clause in rule]
        return len(clauses), sum(len(clause) for clause in clauses)


def by_name(variables: Sequence[Variable]) -> list[int]:
    """Return the variables in one order, so that a tie is settled alike whatever the order of columns."""
    return sorted(range(len(variables)), key=lambda i: variables[i].name)


class Learner:
    """One variable of a system.

    Parameters
    ----------
    variables
        All of the system.
    index
        Which of them is learned.
    rows, labels
        [M, N] states, columns in the order of names, and [M] the variable's next values, -1 where unknown.
    columns
        The states as a rule reads them.
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        index: int,
        rows: IntArray,
        labels: IntArray,
        columns: Mapping[str, Column],
    ) -> None:
        self.variables, self.variable = variables, variables[index]
        known = labels >= 0
        if not known.any():
            raise InputError(f"no next value of {self.variable.name!r} is known; fill some, or leave it out")
        self.order = by_name(variables)
        self.rows, self.labels = rows if known.all() else rows[known], labels[known]
        self.columns = columns if known.all() else {n: one.take(known) for n, one in columns.items()}
        self.sets = LikelySets(self.rows, self.labels)
        self.price = Price(len(self.labels), len(variables), len(self.variable.values))

    @cached_property
    def table(self) -> Table:
        """The states, labelled with the next values."""
        n = len(self.labels)
        plans = {one.name: one.plan for one in self.variables}
        target = Target(self.variable.name, self.variable.values, self.labels)
        return Table(dict(self.columns), plans, np.ones(n), np.arange(1, n + 1), target)

    @cached_property
    def default(self) -> int:
        """The value that is said where no rule holds."""
        return 0 if self.variable.is_boolean else int(np.argmax(np.bincount(self.labels)))

    @property
    def contradicts_itself(self) -> bool:
        """Whether equal states lead to different values."""
        return self._states[1] is None

    def exact(self) -> Candidate | None:
        """Return the shortest rule over the fewest regulators that settle every row."""
        states, labels = self._states
        if labels is None:
            return None
        most = min(states.shape[1], len(states).bit_length() + 1)
        quick = LikelySets(states, labels).settling(min(most, _MOST_SETTLING))
        if not quick:
            found = smallest_sets(states, labels, most, PATIENCE // 10)
        else:  # are there others, or fewer?
            found = smallest_sets(states, labels, len(quick[0])) or Regulators(tuple(quick), False)
        if found is None:
            return None
        ranked = found.sets
        if len(ranked) > _MOST_PROVEN:
            quickly = [self._settled(columns, found, proven=False) for columns in ranked]
            ranked = tuple(one.columns for one in sorted(quickly, key=_shortest)[:_MOST_PROVEN])
        return min((self._settled(columns, found) for columns in ranked), key=_shortest)

    def is_thin(self, columns: tuple[int, ...]) -> bool:
        """Whether the rows leave room for doubt about an exact rule.

        So it is where a regulator explains so few of them that these may be errors, or where there are
        so many combinations of regulators that hardly any was seen again.
        """
        if len(columns) < 2 or len(self.labels) < _ENOUGH:
            return False
        _, n_cells = self.sets.errors(columns)
        if _SEEN_AGAIN * n_cells > len(self.labels):
            return True
        for column in columns:
            fewer = tuple(one for one in columns if one != column)
            errors, cells = self.sets.errors(fewer)
            naming = self.price.naming[len(columns)] - self.price.naming[len(fewer)]
            if self.price.errors[errors] - self.price.errors[0] < n_cells - cells + naming + _THIN:
                return True
        return False

    def likely(self) -> Candidate:
        """Return the rule that describes rows and errors in the fewest bits."""
        best = min((self._cheapest(columns) for columns in self.sets.best(self._fits)), key=_cheapest)
        for _ in range(_ROUNDS):
            other = self._cheapest(self.sets.widened(best.columns, self._fits))
            if _cheapest(other) >= _cheapest(best):
                break
            best = other
        return best

    def by_model(self, model: str, rng: np.random.Generator) -> VariableRule:
        """Return the rule that a model of the path finds."""
        present = np.unique(self.labels)
        if len(present) == 1:  # nothing to tell apart
            return self.told(self._settled((), None))
        positive = 1 if self.variable.is_boolean else None
        states = self._uncut()
        plain = all(one.kind is Kind.BOOLEAN for one in states.values())
        asked = replace(self.table, columns=states, is_matrix=plain).about(positive)
        found = self._with_cuts(induce_rules(asked, Settings(model=model, counts="never"), rng=rng).ruleset)
        names = [self.variables[i].name for i in self.order]
        columns = tuple(sorted(names.index(name) for name in found.columns))
        return self._told(found, columns)

    def told(self, chosen: Candidate) -> VariableRule:
        """Return a rule with what was and was not seen of it."""
        ruleset = counted(chosen.rules, self.variable.values[self.default], self.table)
        return self._told(ruleset, chosen.columns, chosen.others)

    def _told(
        self, ruleset: RuleSet, columns: tuple[int, ...], settled: Regulators | None = None
    ) -> VariableRule:
        regulators = self._regulators(columns)
        said = ruleset.predict_index(self.table.columns, len(self.labels))
        others: tuple[tuple[str, ...], ...] = ()
        if settled is not None:
            others = tuple(
                tuple(one.name for one in self._regulators(other))
                for other in settled.sets
                if other != columns
            )
        return VariableRule(
            ruleset,
            tuple(one.name for one in regulators),
            float((said == self.labels).mean()),
            never_seen(ruleset, regulators, self.rows[:, list(columns)]),
            others,
            others_are_all=settled is None or settled.is_all,
            exact=settled is not None,
        )

    def _uncut(self) -> dict[str, Column]:
        """Return the states with measurements as low and high: no model shall cut them elsewhere."""
        cut = {one.name: one.cut for one in self.variables if one.cut is not None}
        return {
            name: Column(column.values > cut[name], column.known) if name in cut else column
            for name, column in self.table.columns.items()
        }

    def _with_cuts(self, found: RuleSet) -> RuleSet:
        """Return a rule on low and high as one on the measurements themselves."""
        cut = {one.name: one.cut for one in self.variables if one.cut is not None}

        def measured(literal: Literal) -> Literal:
            if literal.column not in cut:
                return literal
            return Literal(literal.column, Op.GT if literal.positive else Op.LE, cut[literal.column])

        rules = {r.label: Dnf(Clause(map(measured, clause)) for clause in r.rule) for r in found.rules}
        return counted(rules, found.default, self.table)

    @cached_property
    def _states(self) -> tuple[IntArray, IntArray | None]:
        """Return the different states and where each leads to; None for that if one leads to several."""
        cells = cells_of(self.rows, range(self.rows.shape[1]))
        _, first = np.unique(cells, return_index=True)
        labels = self.labels[first]
        if bool((labels[cells] != self.labels).any()):
            return self.rows, None
        if len(first) == len(self.rows):  # each state once: no copy, since many variables share them
            return self.rows, self.labels
        return self.rows[first], labels

    def _regulators(self, columns: Sequence[int]) -> list[Variable]:
        return [self.variables[self.order[i]] for i in columns]

    def _fits(self, columns: tuple[int, ...]) -> bool:
        """Whether all clauses over these columns can be looked at."""
        return prod(len(one.conditions.allows) for one in self._regulators(columns)) <= MOST_CLAUSES

    def _counts(self, columns: tuple[int, ...]) -> tuple[IntArray, IntArray]:
        """[C, k] combinations of values that were seen, and [C, n_values] the rows of each by next value."""
        cells = cells_of(self.rows, columns)
        _, first = np.unique(cells, return_index=True)
        n_cells, n_values = len(first), len(self.variable.values)
        counts = np.bincount(cells * n_values + self.labels, minlength=n_cells * n_values)
        return self.rows[first][:, list(columns)], counts.reshape(n_cells, n_values)

    def _settled(
        self, columns: tuple[int, ...], others: Regulators | None, *, proven: bool = True
    ) -> Candidate:
        """Return the shortest rule over regulators that settle every row."""
        regulators = self._regulators(columns)
        cells, counts = self._counts(columns)
        says = counts.argmax(axis=1)
        rules, bits = {}, 0.0
        for value, label in enumerate(self.variable.values):
            if value != self.default:
                rule = shortest_rule(regulators, cells[says == value], cells[says != value], proven=proven)
                sizes = np.array([len(clause) for clause in rule], dtype=np.int64)
                rules[label] = rule
                bits += self.price.of(sizes, len(rule.columns), 0)
        return Candidate(rules, columns, bits, others)

    def _cheapest(self, columns: tuple[int, ...]) -> Candidate:
        """Return the rule over some of these columns that takes the fewest bits, errors included."""
        regulators = self._regulators(columns)
        cells, counts = self._counts(columns)
        rules, bits = {}, 0.0
        for value, label in enumerate(self.variable.values):
            if value != self.default:
                on = counts[:, value]
                rules[label], cost = cheapest_rule(regulators, cells, on, counts.sum(axis=1) - on, self.price)
                bits += cost
        used = {name for rule in rules.values() for name in rule.columns}
        return Candidate(rules, tuple(i for i in columns if self._regulators([i])[0].name in used), bits)


def _shortest(one: Candidate) -> tuple[tuple[int, int], float, tuple[int, ...]]:
    return one.length, round(one.bits, 6), one.columns


def _cheapest(one: Candidate) -> tuple[float, int, tuple[int, ...]]:
    return round(one.bits, 6), len(one.columns), one.columns
