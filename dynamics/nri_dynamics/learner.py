"""Learner: the transitions of one variable, and three ways to a rule for its next value.

*Exact*: the shortest rule over the fewest regulators that determine every row. *MDL*: the rule that describes
rows and errors in the fewest bits. *By model*: what a model of :func:`nri.induce_rule` induces.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from nri.errors import InputError
from nri.rule import Columns, Dnf, Label
from nri_dynamics.arrays import IntArray
from nri_dynamics.by_model import induced_conditions
from nri_dynamics.decision_list import DecisionList, count_clauses
from nri_dynamics.evidence import never_seen
from nri_dynamics.mdl_rule import MOST_CLAUSES, Price, mdl_rule
from nri_dynamics.noisy_regulators import NoisyRegulators
from nri_dynamics.regulators import MAX_STEPS, Regulators, cells_of, smallest_sets
from nri_dynamics.shortest_rule import shortest_rule
from nri_dynamics.system import VariableRule
from nri_dynamics.variables import Variable

_MOST_DETERMINING = 7
"""Regulators up to which a set that determines every row is searched quickly; more are noise or luck."""
_MOST_PROVEN = 3
"""Equally small sets of regulators for which the shortest rule is proven; the others are ranked quickly."""
_THIN = 10.0
"""Bits by which every regulator must pay for itself, for an exact rule to be beyond doubt."""
_ENOUGH = 20
"""Rows below which errors look like rules: then no rule is doubted that explains them all."""
_SEEN_AGAIN = 4
"""Rows for each combination of regulators that was seen, on average, for the same."""
_ROUNDS = 4
"""Times that variables are exchanged for others that explain more of what is left."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule for a variable, and the bits that it and its errors take."""

    conditions: Mapping[Label, Dnf]
    columns: tuple[int, ...]
    bits: float
    others: Regulators | None = None
    """equally small sets of regulators, if it is exact"""

    @property
    def length(self) -> tuple[int, int]:
        """Clauses and literals."""
        clauses = [clause for rule in self.conditions.values() for clause in rule]
        return len(clauses), sum(len(clause) for clause in clauses)


def by_name(variables: Sequence[Variable]) -> list[int]:
    """Return the variables by name, so that ties do not depend on the order of columns."""
    return sorted(range(len(variables)), key=lambda i: variables[i].name)


class Learner:
    """The variable at ``index`` of a system.

    ``rows``, [M, N]: the states, columns in the order of names; ``columns``: the same as a rule reads them.
    ``labels``, [M]: the variable's next values, -1 where unknown.
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        index: int,
        rows: IntArray,
        labels: IntArray,
        columns: Columns,
    ) -> None:
        self.variables, self.variable = variables, variables[index]
        known = labels >= 0
        if not known.any():
            raise InputError(f"no next value of {self.variable.name!r} is known; fill some, or leave it out")
        self.order = by_name(variables)
        self.rows, self.labels = rows if known.all() else rows[known], labels[known]
        self.columns = columns if known.all() else {n: one.take(known) for n, one in columns.items()}
        self.sets = NoisyRegulators(self.rows, self.labels)
        self.price = Price(len(self.labels), len(variables), len(self.variable.values))

    @cached_property
    def default(self) -> int:
        """The index of the value where no condition holds."""
        return 0 if self.variable.is_boolean else int(np.argmax(np.bincount(self.labels)))

    @property
    def contradicts_itself(self) -> bool:
        """Whether equal states lead to different values."""
        return self._states[1] is None

    def exact(self) -> Candidate | None:
        """Return the shortest rule over the fewest regulators that determine every row."""
        states, labels = self._states
        if labels is None:
            return None
        most = min(states.shape[1], len(states).bit_length() + 1)
        quick = NoisyRegulators(states, labels).determining(min(most, _MOST_DETERMINING))
        if not quick:
            regulators = smallest_sets(states, labels, most, MAX_STEPS // 10)
        else:  # are there others, or fewer?
            regulators = smallest_sets(states, labels, len(quick[0])) or Regulators(tuple(quick), False)
        if regulators is None:
            return None
        ranked = regulators.sets
        if len(ranked) > _MOST_PROVEN:
            quickly = [self._determined(columns, regulators, proven=False) for columns in ranked]
            ranked = tuple(one.columns for one in sorted(quickly, key=_by_length)[:_MOST_PROVEN])
        return min((self._determined(columns, regulators) for columns in ranked), key=_by_length)

    def is_thin(self, columns: tuple[int, ...]) -> bool:
        """Whether the rows leave room for doubt about an exact rule.

        They do if a regulator explains so few of them that these may be errors, or if there are so many
        combinations of regulators that hardly any was seen again.
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

    def mdl(self) -> Candidate:
        """Return the rule that describes rows and errors in the fewest bits."""
        best = min((self._mdl_over(columns) for columns in self.sets.best(self._fits)), key=_by_bits)
        for _ in range(_ROUNDS):
            other = self._mdl_over(self.sets.widened(best.columns, self._fits))
            if _by_bits(other) >= _by_bits(best):
                break
            best = other
        return best

    def by_model(self, model: str, rng: np.random.Generator) -> VariableRule:
        """Return the rule that a model of nri induces."""
        if len(np.unique(self.labels)) == 1:  # there is nothing to explain
            return self.rule_of(self._determined((), None))
        conditions, default = induced_conditions(
            self.variables, self.variable, self.columns, self.labels, model, rng
        )
        rule = self._counted(conditions, default)
        names = [self.variables[i].name for i in self.order]
        return self._with_evidence(rule, tuple(sorted(names.index(name) for name in rule.columns)))

    def rule_of(self, chosen: Candidate) -> VariableRule:
        """Return a candidate with the transitions behind it."""
        rule = self._counted(chosen.conditions, self.variable.values[self.default])
        return self._with_evidence(rule, chosen.columns, chosen.others)

    def _counted(self, conditions: Mapping[Label, Dnf], default: Label) -> DecisionList:
        name, values = self.variable.name, self.variable.values
        return count_clauses(name, values, conditions, default, self.columns, self.labels)

    def _with_evidence(
        self, rule: DecisionList, columns: tuple[int, ...], determining: Regulators | None = None
    ) -> VariableRule:
        """Return a rule with what it explains and what was never seen, and other sets of regulators."""
        regulators = self._regulators(columns)
        predicted = rule.predict_index(self.columns, len(self.labels))
        others = () if determining is None else (one for one in determining.sets if one != columns)
        return VariableRule(
            rule,
            tuple(one.name for one in regulators),
            float((predicted == self.labels).mean()),
            never_seen(rule, regulators, self.rows[:, list(columns)]),
            tuple(tuple(one.name for one in self._regulators(other)) for other in others),
            others_are_all=determining is None or determining.is_all,
            exact=determining is not None,
        )

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

    def _determined(
        self, columns: tuple[int, ...], others: Regulators | None, *, proven: bool = True
    ) -> Candidate:
        """Return the shortest rule over regulators that determine every row."""
        regulators = self._regulators(columns)
        cells, counts = self._counts(columns)
        values = counts.argmax(axis=1)
        conditions, bits = {}, 0.0
        for index, value in enumerate(self.variable.values):
            if index != self.default:
                rule = shortest_rule(
                    regulators, cells[values == index], cells[values != index], proven=proven
                )
                sizes = np.array([len(clause) for clause in rule], dtype=np.int64)
                conditions[value] = rule
                bits += self.price.of(sizes, len(rule.columns), 0)
        return Candidate(conditions, columns, bits, others)

    def _mdl_over(self, columns: tuple[int, ...]) -> Candidate:
        """Return the rule over some of these columns that takes the fewest bits, errors included."""
        regulators = self._regulators(columns)
        cells, counts = self._counts(columns)
        conditions, bits = {}, 0.0
        for index, value in enumerate(self.variable.values):
            if index != self.default:
                on = counts[:, index]
                off = counts.sum(axis=1) - on
                conditions[value], cost = mdl_rule(regulators, cells, on, off, self.price)
                bits += cost
        used = {name for rule in conditions.values() for name in rule.columns}
        return Candidate(conditions, tuple(i for i in columns if self._regulators([i])[0].name in used), bits)


def _by_length(one: Candidate) -> tuple[tuple[int, int], float, tuple[int, ...]]:
    return one.length, round(one.bits, 6), one.columns


def _by_bits(one: Candidate) -> tuple[float, int, tuple[int, ...]]:
    return round(one.bits, 6), len(one.columns), one.columns
