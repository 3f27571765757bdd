"""Assemble: from clauses in index space to a rule about the columns of a table, simplified and counted."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.induce.settings import Settings
from nri.outcome import Classes
from nri.outcome.base import Values
from nri.rule import Clause, Dnf, Domain, Kind, Label, Literal, Op, Rule, clause_matrix, simplify
from nri.rule.literal import is_card
from nri.search.clauses import AnyClause, IndexCount, members
from nri.search.result import Induced
from nri.table.table import Table

Branches = Sequence[tuple[Clause, Label]]
"""Clauses and the class that each predicts, in the order in which they are tried."""


def literal_meanings(variables: Sequence[Literal], domain: Domain) -> tuple[Literal, ...]:
    """[2N], what each literal index means; if ``sex`` is ``f`` or ``m``, not ``sex = m`` is ``sex = f``."""
    return (*variables, *(_negation(variable, domain) for variable in variables))


def _negation(variable: Literal, domain: Domain) -> Literal:
    values = domain[variable.column].values if variable.column in domain else None
    if variable.kind is Kind.TEXT and values is not None and len(values) == 2:
        (other,) = (value for value in values if value != variable.value)
        return Literal(variable.column, Op.EQ, other)
    return variable.negate()


def assemble(
    induced: Induced, literals: Sequence[Literal], domain: Domain, table: Table, settings: Settings
) -> Rule:
    """Return induced clauses as a rule about the columns of a table, by what each literal index means."""

    def meant(clause: AnyClause) -> Clause:
        own = {literals[j] for j in members(clause)}
        return Clause(own, min(clause.at_least, len(own)) if isinstance(clause, IndexCount) else None)

    branches = [(meant(clause), table.classes[c]) for c, clause in induced.branches]
    return simplified(branches, table.classes[induced.default], domain, table, settings)


def simplified(plain: Branches, default: Label, domain: Domain, table: Table, settings: Settings) -> Rule:
    """Simplify conditions on a domain, if that breaks no limit and costs no row, and count.

    The clauses of a lone class are simplified together, those of an ordered list one by one.
    """
    if not settings.negations:  # knowing all categories is what turns "red or green" into "not blue"
        domain = {
            name: cells
            for name, cells in domain.items()
            if not any(isinstance(value, str) for value in cells.values or ())
        }
    labels = {label for _, label in plain}
    if len(labels) == 1:
        (label,) = labels
        simple = [(clause, label) for clause in simplify(Dnf(clause for clause, _ in plain), domain)]
    else:
        simple = [(one, label) for clause, label in plain for one in simplify(Dnf([clause]), domain)]
    simple = _asking_if_known(simple, in_order=len(labels) > 1)
    rule = count_branches(simple, default, table)
    if simple == list(plain):
        return rule
    literal_by_literal = count_branches(plain, default, table)
    worse = right_weight(rule, table) < right_weight(literal_by_literal, table) - 1e-9
    least = min(settings.min_precision, least_precision(literal_by_literal, table))
    return literal_by_literal if worse or least_precision(rule, table) < least else rule


def _asking_if_known(branches: Branches, in_order: bool) -> list[tuple[Clause, Label]]:
    """Join branches such as ``days <= 9`` and ``days > 5``, which together ask if a cell is known."""
    joined: list[tuple[Clause, Label]] = []
    for clause, label in branches:
        for i in range(len(joined) - 1 if in_order and joined else 0, len(joined)):
            other, same = joined[i]
            either = label == same and len(clause) == len(other) == 1 and _either(*clause, *other)
            if either:
                joined[i] = Clause([either, either.negate()], 1), label
                break
        else:
            joined.append((clause, label))
    return joined


def _either(one: Literal, other: Literal) -> Literal | None:
    """Return a literal that holds or fails wherever one of two does, if they leave no known cell."""
    if (one.column, one.kind, one.op) != (other.column, other.kind, other.op.negated):
        return None
    low, high = (one, other) if one.op is Op.GT else (other, one)
    return high if low.value == high.value or (high.op is Op.LE and low.value < high.value) else None  # type: ignore[operator]


def count_branches(branches: Branches, default: Label, table: Table) -> Rule:
    """Return clauses with their classes as a counted rule, those of a lone class sorted by precision."""
    labels = {label for _, label in branches}
    if len(labels) == 1 and not is_card([clause for clause, _ in branches]):
        return count_classes({labels.pop(): Dnf(clause for clause, _ in branches)}, default, table)
    return _counted(branches, default, table)


def count_classes(conditions: Mapping[Label, Dnf], default: Label, table: Table) -> Rule:
    """Return the clauses of classes as a rule: in the order of their precision, counted on a table."""
    described = [label for label in table.classes if label in conditions]
    branches = [(clause, label) for label in described for clause in conditions[label]]
    return _counted(branches, default, table, by_precision=True)


def _counted(branches: Branches, default: Label, table: Table, *, by_precision: bool = False) -> Rule:
    clauses, values = [clause for clause, _ in branches], [label for _, label in branches]
    fires = clause_matrix(clauses, table.columns, len(table))
    if by_precision and clauses:
        # of equals those that explain most rows come first, class by class
        counts = fires.T @ table.class_weights
        own = [table.classes.index(label) for label in values]
        gain = [2 * counts[i, k] - counts[i].sum() for i, k in enumerate(own)]
        order = np.array(sorted(range(len(own)), key=lambda i: (own[i], -gain[i], len(clauses[i]))))
        order = order[table.labels.order(fires[:, order], table.weights, [values[i] for i in order])]
        clauses, values, fires = [clauses[i] for i in order], [values[i] for i in order], fires[:, order]
    return table.labels.rule(clauses, fires, table.weights, [*values, default]).with_plans(table.plans)


def count_clauses(clauses: Sequence[Clause], table: Table, values: Values = None) -> Rule:
    """Return clauses, in the order in which they are tried, as a rule; see ``Outcome.rule``."""
    fires = clause_matrix(clauses, table.columns, len(table))
    return table.explained.rule(clauses, fires, table.weights, values).with_plans(table.plans)


def constant_rule(table: Table, value: Label | None = None) -> Rule:
    """Return the rule without branches: one prediction for all rows, the most frequent class or the mean."""
    return count_clauses((), table, None if value is None else [value])


def with_plain_values(rule: Rule, table: Table, *, all_rows: bool = True) -> Rule:
    """Write ``children = 0`` for ``children <= 0`` where no cell is less, and ``= 4`` for ``3 < x <= 4``.

    This is for whole numbers; the least cell is known where the table has all rows.
    """

    def plain(clause: Clause) -> Clause:
        literals: list[Literal] = []
        for name, group in groupby(clause, key=lambda literal: literal.column):
            own, column = list(group), table.columns[name]
            ops = {literal.op for literal in own}
            # one lower bound, one upper bound, or both in a conjunction
            is_range = len(ops) == len(own) and (len(ops) == 1 or not clause.counts)
            if column.kind is Kind.NUMBER and rule.plans[name].whole and is_range:
                least = float(column.values[column.known].min(initial=np.inf)) if all_rows else np.inf
                own = _one_value(own, least)
            literals += own
        return Clause(literals, clause.at_least if clause.counts else None)

    return replace(rule, branches=tuple(replace(b, clause=plain(b.clause)) for b in rule.branches))


def _one_value(literals: list[Literal], least: float) -> list[Literal]:
    """Return the one whole number that bounds of a column leave, if they leave just one."""
    bounds = {x.op: math.floor(x.value) for x in literals if isinstance(x.value, int | float)}
    if Op.LE not in bounds or bounds[Op.LE] != max(bounds.get(Op.GT, -math.inf) + 1, least):
        return literals
    return [Literal(literals[0].column, Op.EQ, bounds[Op.LE])]


def branches_of(rule: Rule) -> list[tuple[Clause, Label]]:
    """Return the clause and the class of each branch."""
    return [(branch.clause, branch.value) for branch in rule.branches]


def coded_predictions(rule: Rule, table: Table) -> NDArray[Any]:
    """[M]: predictions as the table's outcome scores them: class indices, numbers or risks."""
    if isinstance(table.outcome, Classes):
        return rule.predict_index(table.columns, len(table))
    return rule.predict(table.columns, len(table))


def right_weight(rule: Rule, table: Table) -> float:
    """Weight of the rows whose class is predicted, and of others as far as they are near it."""
    right = table.labels.right(rule.predict_index(table.columns, len(table)))
    return float((table.weights * right)[right > 0].sum())


def least_precision(rule: Rule, table: Table) -> float:
    """Share of its class among the rows that the least precise clause covers; 1 without clauses."""
    counts = clause_matrix(rule.clauses, table.columns, len(table)).T @ table.class_weights
    own = rule.class_indices[:-1]
    shares = [float(row[k] / row.sum()) if row.sum() > 0 else 0.0 for row, k in zip(counts, own, strict=True)]
    return min(shares, default=1.0)
