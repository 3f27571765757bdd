"""Assemble: from rules in index space to rules in the words of the table, simplified and counted anew."""

from collections.abc import Mapping, Sequence

from nri.rule import (
    Clause,
    Dnf,
    Domain,
    Kind,
    Label,
    Literal,
    Op,
    RuleSet,
    clause_matrix,
    count_ruleset,
    simplify,
)
from nri.search.clauses import AnyClause, IndexCount, members
from nri.search.result import Induced
from nri.table.table import Table


def literal_meanings(variables: Sequence[Literal], domain: Domain) -> tuple[Literal, ...]:
    """[2N], what each literal index means, in the words a person would use.

    The negation of a category with one alternative names the alternative: with ``sex`` either ``f`` or
    ``m``, not ``sex = m`` is said as ``sex = f``.
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
) -> RuleSet:
    """Say induced rules in the words of the table.

    Each rule is simplified on the table's domain if that breaks no limit and costs no support row.

    Parameters
    ----------
    induced
        Rules as literal indices.
    literals
        [2N], the meaning of each index.
    domain
        What the cells of columns can be.
    table
        Rows that precision and coverage are counted on.
    negations
        Whether simplifying may bring in negated literals.
    min_precision
        Least share of its class among the rows of a clause.
    """
    plain = {
        label: Dnf(in_literals(clause, literals) for clause in rule)
        for label, rule in zip(table.classes, induced.rules, strict=True)
    }
    if len(table.classes) == 2:
        described = [label for label, rule in plain.items() if not rule.is_false]
        plain = {label: plain[label] for label in described}
    default = table.classes[induced.default]
    return in_words(plain, default, domain, table, negations=negations, min_precision=min_precision)


def in_literals(clause: AnyClause, literals: Sequence[Literal]) -> Clause:
    """Say one clause by what its literal indices mean."""
    at_least = clause.at_least if isinstance(clause, IndexCount) else None
    said = {literals[j] for j in members(clause)}
    return Clause(said, None if at_least is None else min(at_least, len(said)))


def in_words(
    plain: Mapping[Label, Dnf],
    default: Label,
    domain: Domain,
    table: Table,
    *,
    negations: bool = True,
    min_precision: float = 0.0,
) -> RuleSet:
    """Simplify rules on the table's domain, if that breaks no limit and costs no support row, and count.

    Parameters
    ----------
    plain
        The rule of each class that has one.
    default
        Label of rows that no clause covers.
    domain, table, negations, min_precision
        As for :func:`assemble`.
    """
    if not negations:  # knowing all categories is what turns "red or green" into "not blue"
        domain = {name: cells for name, cells in domain.items() if not _has_categories(cells.values)}
    simple = {label: simplify(rule, domain) for label, rule in plain.items()}
    told = counted(simple, default, table)
    if simple == plain:
        return told
    literal_by_literal = counted(plain, default, table)
    worse = right_weight(told, table) < right_weight(literal_by_literal, table) - 1e-9
    if worse or least_precision(told) < min(min_precision, least_precision(literal_by_literal)):
        return literal_by_literal
    return told


def _has_categories(values: tuple[object, ...] | None) -> bool:
    return values is not None and any(isinstance(value, str) for value in values)


def counted(rules: Mapping[Label, Dnf], default: Label, table: Table) -> RuleSet:
    """Count the evidence on a table, put the clauses that explain most rows first, and keep the plans."""
    weights = table.class_weights
    n = len(weights)
    ordered = {}
    for index, label in enumerate(table.classes):
        if label not in rules:
            continue
        rule = rules[label]
        counts = clause_matrix(rule, table.columns, n).T @ weights
        gain = 2 * counts[:, index] - counts.sum(axis=1)
        order = sorted(range(len(rule)), key=lambda i: (-gain[i], len(rule.clauses[i])))
        ordered[label] = Dnf(rule.clauses[i] for i in order)
    used = {name: table.columns[name] for rule in ordered.values() for name in rule.columns}
    ruleset = count_ruleset(table.target, table.classes, ordered, used, weights, default=default)
    return ruleset.with_plans(table.plans)


def right_weight(ruleset: RuleSet, table: Table) -> float:
    """Weight of the support rows that are decided rightly."""
    decided = ruleset.predict_index(table.columns, len(table))
    return float(table.weights[decided == table.codes].sum())


def least_precision(ruleset: RuleSet) -> float:
    """Share of its class among the rows of the least precise clause; 1 without clauses."""
    shares = [
        evidence.share(ruleset.index_of(rule.label)) or 0.0
        for rule in ruleset.rules
        for evidence in rule.evidence
    ]
    return min(shares, default=1.0)
