"""Assemble: from clauses in index space to a rule about the columns of a table, simplified and counted."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray
from nri.outcome import Classes
from nri.rule import Clause, Dnf, Domain, Kind, Label, Literal, Op, Rule, clause_matrix, simplify
from nri.search.clauses import AnyClause, IndexCount, members
from nri.search.result import Induced
from nri.table.table import Table

Branches = Sequence[tuple[Clause, Label]]
"""Clauses and the class that each predicts, in the order in which they are tried."""


def literal_meanings(variables: Sequence[Literal], domain: Domain) -> tuple[Literal, ...]:
    """[2N], what each literal index means, as a person would say it.

    The negation of a category with one alternative names the alternative: with ``sex`` either ``f`` or
    ``m``, not ``sex = m`` becomes ``sex = f``.
    """
    return (*variables, *(_negation(variable, domain) for variable in variables))


def _negation(variable: Literal, domain: Domain) -> Literal:
    values = domain[variable.column].values if variable.column in domain else None
    if variable.kind is Kind.TEXT and values is not None and len(values) == 2:
        (other,) = (value for value in values if value != variable.value)
        return Literal(variable.column, Op.EQ, other)
    return variable.negate()


def is_negated(literal: Literal) -> bool:
    """Whether a person would call it negated: ``NOT smoker``, ``colour != red``, but not ``age <= 61``."""
    return literal.op is Op.NE


def assemble(
    induced: Induced,
    literals: Sequence[Literal],
    domain: Domain,
    table: Table,
    *,
    negations: bool = True,
    min_precision: float = 0.0,
) -> Rule:
    """Return induced clauses as a rule about the columns of a table.

    Clauses are simplified on the table's domain if that breaks no limit and costs no support row.
    ``literals`` is the meaning of each literal index; ``negations`` says whether simplifying may bring in
    negated literals.
    """
    branches = [(in_literals(clause, literals), table.classes[c]) for c, clause in induced.branches]
    default = table.classes[induced.default]
    return simplified(branches, default, domain, table, negations=negations, min_precision=min_precision)


def in_literals(clause: AnyClause, literals: Sequence[Literal]) -> Clause:
    """Return one clause by what its literal indices mean."""
    at_least = clause.at_least if isinstance(clause, IndexCount) else None
    meant = {literals[j] for j in members(clause)}
    return Clause(meant, None if at_least is None else min(at_least, len(meant)))


def simplified(
    plain: Branches,
    default: Label,
    domain: Domain,
    table: Table,
    *,
    negations: bool = True,
    min_precision: float = 0.0,
) -> Rule:
    """Simplify conditions on a domain, if that breaks no limit and costs no row, and count.

    The clauses of a lone class are simplified together. In a list of several classes order matters: there
    each clause is simplified on its own.
    """
    if not negations:  # knowing all categories is what turns "red or green" into "not blue"
        domain = {name: cells for name, cells in domain.items() if not _has_categories(cells.values)}
    labels = {label for _, label in plain}
    if len(labels) == 1:
        (label,) = labels
        simple = [(clause, label) for clause in simplify(Dnf(clause for clause, _ in plain), domain)]
    else:
        simple = [(one, label) for clause, label in plain for one in simplify(Dnf([clause]), domain)]
    rule = count_branches(simple, default, table)
    if simple == list(plain):
        return rule
    literal_by_literal = count_branches(plain, default, table)
    worse = right_weight(rule, table) < right_weight(literal_by_literal, table) - 1e-9
    precision, least = least_precision(rule, table), least_precision(literal_by_literal, table)
    return literal_by_literal if worse or precision < min(min_precision, least) else rule


def _has_categories(values: tuple[object, ...] | None) -> bool:
    return values is not None and any(isinstance(value, str) for value in values)


def count_branches(branches: Branches, default: Label, table: Table) -> Rule:
    """Return clauses with their classes as a rule counted on a table.

    A list of several classes stays in its order. Among the clauses of one class order does not matter for
    what is predicted: they are read by their precision.
    """
    labels = {label for _, label in branches}
    if len(labels) == 1:
        return count_classes({labels.pop(): Dnf(clause for clause, _ in branches)}, default, table)
    clauses, values = [clause for clause, _ in branches], [label for _, label in branches]
    fires = clause_matrix(clauses, table.columns, len(table))
    rule = table.labels.rule(clauses, fires, table.weights, [*values, default])
    return rule.with_plans(table.plans)


def count_classes(conditions: Mapping[Label, Dnf], default: Label, table: Table) -> Rule:
    """Return the clauses of classes as a rule: in the order of their precision, counted on a table."""
    classes = table.labels
    pairs = [
        (clause, label) for label in classes.classes if label in conditions for clause in conditions[label]
    ]
    clauses, values = [clause for clause, _ in pairs], [label for _, label in pairs]
    fires = clause_matrix(clauses, table.columns, len(table))
    order = _reading_order(fires, clauses, values, table)
    clauses, values, fires = [clauses[i] for i in order], [values[i] for i in order], fires[:, order]
    order = classes.order(fires, table.weights, values).tolist() if clauses else []
    ordered, decided = [clauses[i] for i in order], [values[i] for i in order]
    rule = classes.rule(ordered, fires[:, order], table.weights, [*decided, default])
    return rule.with_plans(table.plans)


def _reading_order(
    fires: BoolArray, clauses: Sequence[Clause], values: Sequence[Label], table: Table
) -> list[int]:
    """Return the clauses of each class, those that explain most rows first; it decides between equals."""
    counts = fires.T @ table.class_weights
    own = [table.classes.index(label) for label in values]
    gain = [2 * counts[i, k] - counts[i].sum() for i, k in enumerate(own)]
    return sorted(range(len(clauses)), key=lambda i: (own[i], -gain[i], len(clauses[i])))


def count_clauses(clauses: Sequence[Clause], table: Table) -> Rule:
    """Return clauses, in the order in which they are tried, as a rule that predicts what is counted."""
    fires = clause_matrix(clauses, table.columns, len(table))
    return table.explained.rule(clauses, fires, table.weights).with_plans(table.plans)


def constant_rule(table: Table, value: Label | None = None) -> Rule:
    """Return the rule without branches: one prediction for all rows, the most frequent class or the mean."""
    fires = np.zeros((len(table), 0), dtype=bool)
    return table.explained.rule((), fires, table.weights, None if value is None else [value])


def branches_of(rule: Rule) -> list[tuple[Clause, Label]]:
    """Return the clause and the class of each branch."""
    return [(branch.clause, branch.value) for branch in rule.branches]


def coded_predictions(rule: Rule, table: Table) -> NDArray[Any]:
    """[M]: predictions as the table's outcome scores them: class indices, numbers or risks."""
    if isinstance(table.outcome, Classes):
        return rule.predict_index(table.columns, len(table))
    return rule.predict(table.columns, len(table))


def right_weight(rule: Rule, table: Table) -> float:
    """Weight of the rows whose class is predicted."""
    predicted = rule.predict_index(table.columns, len(table))
    return float(table.weights[predicted == table.codes].sum())


def least_precision(rule: Rule, table: Table) -> float:
    """Share of its class among the rows that the least precise clause covers; 1 without clauses."""
    masses = table.class_weights
    counts = clause_matrix(rule.clauses, table.columns, len(table)).T @ masses
    own = rule.class_indices[:-1]
    shares = [float(row[k] / row.sum()) if row.sum() > 0 else 0.0 for row, k in zip(counts, own, strict=True)]
    return min(shares, default=1.0)
