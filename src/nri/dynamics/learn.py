"""Learn: one rule for each variable of a system, from transitions.

Where the transitions allow it the answer is exact: the fewest regulators that settle the next value on every
row, and the shortest rule over them (combinations that were never seen may fall either way, and are told).
Where transitions contradict each other, or only a large set of regulators would explain them all, the rule is
the one that describes them in the fewest bits, errors included. Which of the two holds is asked of the whole
table, since noise seldom spares a column. By name, any model of :mod:`nri.induce.models` does the same work.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nri.arrays import IntArray
from nri.dynamics.cover import shortest_rule
from nri.dynamics.evidence import (
    asynchronous_target,
    contradictions,
    looks_asynchronous,
    never_seen,
    share_explained,
)
from nri.dynamics.likely import likely_sets, settling_set
from nri.dynamics.regulators import PATIENCE, Regulators, cells_of, smallest_sets
from nri.dynamics.system import Dynamics, Seen, VariableRule
from nri.dynamics.transitions import SUFFIX, Layout, Transitions, read_transitions
from nri.errors import InputError
from nri.induce.path import Settings, induce_rules
from nri.induce.sharpen import rule_bits
from nri.induce.words import counted
from nri.rule import Clause, Column, Kind, Label, Literal, Op, Rule, RuleSet
from nri.table.table import Table, Target

logger = logging.getLogger(__name__)

DEFAULT = "fewest"
"""The model of users who name none: the fewest regulators, then the shortest rule."""
_MARGINS = (1, 2, 3, 5)
"""By how many rows a value must lead in a cell to count, where rows contradict each other."""
_BENEFIT_OF_DOUBT = 6.0
"""Bits a variable that errors may save before transitions that never contradict each other are called noisy.
On random networks of 6 and 12 variables exact rules cost at most 5.1 more without noise, whatever the
number of transitions, and with 1 % of cells flipped mostly 6 to 50 more from 40 transitions on."""
_MOST_LIKELY = 7
"""Most regulators where rows contradict each other."""


def learn_dynamics(
    table: Any,
    next_table: Any = None,
    *,
    next_suffix: str = SUFFIX,
    time: str | None = None,
    series: str | None = None,
    skip_gaps: bool = False,
    without: Sequence[str] = (),
    asynchronous: bool = False,
    model: str = DEFAULT,
    exact_text: bool = False,
    rng: np.random.Generator | None = None,
    step: Callable[[], None] = lambda: None,
) -> Dynamics:
    """Learn how a system moves: a rule for the next value of each variable.

    Parameters
    ----------
    table
        Transitions, as a file or as anything that :func:`nri.read_table` takes: columns ``x`` (now) and
        ``x'`` (next), or a time series. A column without a next one is an input.
    next_table
        The next states, row by row, if they are a table of their own.
    next_suffix
        The ending of columns that hold next values.
    time, series
        For time series: the column of time, and the column that tells several series apart.
    skip_gaps
        Whether a series is taken apart at gaps in time instead of being refused.
    without
        Columns that are no part of a state.
    asynchronous
        Whether a variable may also stay as it is when its rule says otherwise, because only some are
        updated at a time. A state's next value is then the other one if any transition from it shows it.
    model
        ``"fewest"`` (regulators, exactly where the rows allow it), or a model of :func:`nri.induce_rules`.
    exact_text
        Whether texts that differ only in case and blanks are kept apart.
    rng
        For models with chance in them; seeded with 0 by default.
    step
        Called after each variable.

    Raises
    ------
    InputError
        If the table has no pairs, a next column has no counterpart, or a series has gaps.

    Examples
    --------
    >>> now = [[a, b] for a in (0, 1) for b in (0, 1)]
    >>> rows = {
    ...     "a": [s[0] for s in now],
    ...     "b": [s[1] for s in now],
    ...     "a'": [1 - s[1] for s in now],
    ...     "b'": [s[0] for s in now],
    ... }
    >>> system = learn_dynamics(rows)
    >>> print(system.render("bnet"))
    targets, factors
    a, !b
    b, a
    <BLANKLINE>
    >>> len(system.attractors().cycles[0])
    4
    """
    layout = Layout(next_suffix, time, series, skip_gaps, tuple(without))
    seen = read_transitions(table, next_table, layout, exact=exact_text)
    target = asynchronous_target(seen) if asynchronous else seen.after
    if not asynchronous and looks_asynchronous(seen):
        logger.warning(
            "no transition changes more than one variable: if updates are asynchronous, say so (asynchronous)"
        )
    learners = [_Learner(seen, target[:, i], i) for i in seen.learned]
    if model == DEFAULT:
        rules = _fewest(learners, step)
    else:
        rng = rng or np.random.default_rng(0)
        rules = [_called(one.by_model(model, rng), step) for one in learners]
    found = {one.variable.name: rule for one, rule in zip(learners, rules, strict=True)}
    system = Dynamics(seen.variables, found, Seen(len(seen), len(np.unique(seen.before, axis=0))))
    explained = share_explained(system, seen, asynchronous=asynchronous)
    return system.with_seen(explained, contradictions(seen), asynchronous=asynchronous)


def _called(rule: VariableRule, step: Callable[[], None]) -> VariableRule:
    step()
    return rule


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A rule for a variable, and the bits that it and its errors take."""

    ruleset: RuleSet
    columns: tuple[int, ...]
    bits: float
    others: Regulators | None = None
    """equally small sets of regulators, if it is exact"""


def _fewest(learners: "Sequence[_Learner]", step: Callable[[], None]) -> list[VariableRule]:
    """Choose between exact and likely rules: for all variables at once, where exact ones exist."""
    exact, likely = [], []
    for one in learners:
        exact.append(one.exact())
        likely.append(one.likely(exact[-1]) if _in_doubt(exact[-1]) else exact[-1])
        step()
    both = [(e, p) for e, p in zip(exact, likely, strict=True) if e is not None and p is not None]
    doubtful = sum(_in_doubt(e) for e, _ in both)
    saved = sum(e.bits - p.bits for e, p in both)
    proven = any(one.contradicts_itself for one in learners)
    clean = saved <= (0.0 if proven else _BENEFIT_OF_DOUBT) * doubtful + 1e-6
    chosen = [e if e is not None and clean else p for e, p in zip(exact, likely, strict=True)]
    return [one.told(rule) for one, rule in zip(learners, chosen, strict=True) if rule is not None]


def _in_doubt(exact: _Candidate | None) -> bool:
    """Whether another rule might do better than the exact one: one or two regulators never do by chance."""
    return exact is None or len(exact.columns) > 1


class _Learner:
    """What is known of one variable's next value, and the ways to a rule for it."""

    def __init__(self, seen: Transitions, labels: IntArray, index: int) -> None:
        known = labels >= 0
        if not known.any():
            raise InputError(
                f"no next value of {seen.variables[index].name!r} is known; fill some, or leave it out"
            )
        self.variables = seen.variables
        self.variable = seen.variables[index]
        # names in one order, so that a tie is settled alike whatever the order of columns
        self.order = sorted(range(len(seen.variables)), key=lambda i: seen.variables[i].name)
        self.rows = seen.before[known][:, self.order]
        self.labels = labels[known]
        columns = {one.name: one.column(seen.before[known, i]) for i, one in enumerate(seen.variables)}
        plans = {one.name: one.plan for one in seen.variables}
        n = len(self.labels)
        target = Target(self.variable.name, self.variable.values, self.labels)
        self.table = Table(columns, plans, np.ones(n), np.arange(1, n + 1), target)
        self.n_literals = sum(len(one.conditions.allows) - 1 for one in self.variables)

    @property
    def contradicts_itself(self) -> bool:
        """Whether equal states lead to different values."""
        return self._states()[1] is None

    def exact(self) -> _Candidate | None:
        """Return the shortest rule over the fewest regulators that settle every row."""
        states, labels = self._states()
        if labels is None:
            return None
        most = min(states.shape[1], len(states).bit_length() + 1)
        quick = settling_set(states, labels, min(most, _MOST_LIKELY))
        if quick is None:
            found = smallest_sets(states, labels, most, PATIENCE // 10)
        else:  # are there others, or fewer?
            found = smallest_sets(states, labels, len(quick)) or Regulators((quick,), False)
        if found is None:
            return None
        candidates = [self._candidate(columns, found) for columns in found.sets]
        return min(candidates, key=lambda one: (_length(one.ruleset), one.bits, one.columns))

    def likely(self, exact: _Candidate | None) -> _Candidate:
        """Return the rule that describes rows and errors in the fewest bits.

        If the likeliest regulators are those of the exact rule, nothing speaks against it.
        """
        sets = likely_sets(self.rows, self.labels, min(_MOST_LIKELY, self.rows.shape[1]))
        if exact is not None and sets[0] == exact.columns:
            return exact
        candidates = [
            self._candidate(columns, None, margin)
            for columns in sets
            for margin in self._telling_margins(columns)
        ]
        return min(candidates, key=lambda one: (round(one.bits, 6), len(one.columns), one.columns))

    def _telling_margins(self, columns: tuple[int, ...]) -> list[int]:
        """Return the margins that leave different cells uncertain."""
        counts = self._counts(cells_of(self.rows, columns))
        ranked = np.sort(counts, axis=1)
        lead = ranked[:, -1] - ranked[:, -2]
        first = {int((lead >= margin).sum()): margin for margin in reversed(_MARGINS)}
        return sorted(first.values())

    def _counts(self, cells: IntArray) -> IntArray:
        """[n_cells, n_values]: the rows of each cell by their next value."""
        n_cells, n_values = int(cells.max()) + 1, len(self.variable.values)
        counts = np.bincount(cells * n_values + self.labels, minlength=n_cells * n_values)
        return counts.reshape(n_cells, n_values)

    def by_model(self, model: str, rng: np.random.Generator) -> VariableRule:
        """Return the rule that a model of the path finds."""
        present = np.unique(self.labels)
        if len(present) == 1:  # nothing to tell apart
            return self.told(self._candidate((), None))
        positive = 1 if self.variable.is_boolean else None
        states = self._uncut()
        plain = all(one.kind is Kind.BOOLEAN for one in states.values())
        asked = replace(self.table, columns=states, is_matrix=plain).about(positive)
        found = self._with_cuts(induce_rules(asked, Settings(model=model, counts="never"), rng=rng).ruleset)
        names = [self.variables[i].name for i in self.order]
        columns = tuple(sorted(names.index(name) for name in found.columns))
        return self.told(_Candidate(found, columns, 0.0))

    def told(self, chosen: _Candidate) -> VariableRule:
        """Return a rule with what was and was not seen of it."""
        regulators = [self.variables[self.order[i]] for i in chosen.columns]
        said = chosen.ruleset.predict_index(self.table.columns, len(self.labels))
        right = float((said == self.labels).mean()) if len(said) else 1.0
        others: tuple[tuple[str, ...], ...] = ()
        if chosen.others is not None:
            names = [[self.variables[self.order[i]].name for i in one] for one in chosen.others.sets]
            others = tuple(tuple(one) for one in names if one != [r.name for r in regulators])
        return VariableRule(
            chosen.ruleset,
            tuple(one.name for one in regulators),
            right,
            never_seen(chosen.ruleset, regulators, self.rows[:, list(chosen.columns)]),
            others,
            others_are_all=chosen.others is None or chosen.others.is_all,
            exact=chosen.others is not None,
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

        rules = {r.label: Rule(Clause(map(measured, clause)) for clause in r.rule) for r in found.rules}
        return counted(rules, found.default, self.table)

    def _states(self) -> tuple[IntArray, IntArray | None]:
        """Return the different states and where each leads to; None for that if one leads to several."""
        cells = cells_of(self.rows, range(self.rows.shape[1]))
        _, first = np.unique(cells, return_index=True)
        labels = self.labels[first]
        if bool((labels[cells] != self.labels).any()):
            return self.rows[first], None
        return self.rows[first], labels

    def _candidate(self, columns: tuple[int, ...], others: Regulators | None, margin: int = 1) -> _Candidate:
        """Return the shortest rule over some regulators that says what most rows of each cell say."""
        regulators = [self.variables[self.order[i]] for i in columns]
        seen = self.rows[:, list(columns)]
        cells = cells_of(seen, range(len(columns)))
        _, first = np.unique(cells, return_index=True)
        counts = self._counts(cells)
        default = 0 if self.variable.is_boolean else int(np.argmax(counts.sum(axis=0)))
        ranked = np.sort(counts, axis=1)
        sure = ranked[:, -1] - ranked[:, -2] >= margin
        says = counts.argmax(axis=1)
        rules: dict[Label, Rule] = {}
        for value, label in enumerate(self.variable.values):
            if value != default:
                on, off = seen[first][sure & (says == value)], seen[first][sure & (says != value)]
                rules[label] = shortest_rule(regulators, on, off)
        ruleset = counted(rules, self.variable.values[default], self.table)
        return _Candidate(ruleset, columns, rule_bits(ruleset, self.table, self.n_literals), others)


def _length(ruleset: RuleSet) -> tuple[int, int]:
    clauses = [clause for rule in ruleset.rules for clause in rule.rule]
    return len(clauses), sum(len(clause) for clause in clauses)
