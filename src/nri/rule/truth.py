"""The truth of literals, clauses and rules on rows: the one hard definition and the one soft one.

Hard: a literal holds where its cell is known and compares as stated; a clause fires where every
literal is known to hold; a rule fires where a clause does. Soft: a literal is 1, 0, or 0.5 where
its cell is unknown; a clause is the product of its literals, a rule 1 minus the product of the
clauses' complements. On rows without unknown cells the two agree.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError
from nri.rule.clause import Clause, Rule
from nri.rule.column import BoolArray, Column, Columns, FloatArray, row_count
from nri.rule.literal import Kind, Literal, Op

UNKNOWN = 0.5
"""Soft truth of a literal whose cell is unknown."""

_COMPARABLE = {
    Kind.BOOLEAN: (Kind.BOOLEAN, Kind.NUMBER),
    Kind.NUMBER: (Kind.NUMBER, Kind.BOOLEAN),
    Kind.TEXT: (Kind.TEXT,),
    Kind.DATE: (Kind.DATE,),
}
"""For each kind of literal, the kinds of column it can be asked about; True is the number 1."""

Truth = tuple[BoolArray, BoolArray]
"""(holds, known), each [M]; an unknown literal does not hold."""


def literal_truth(literal: Literal, columns: Columns) -> Truth:
    """Return where the literal is known to hold, and where it is known at all."""
    column = _column_for(literal, columns)
    if column is None:
        n = len(columns[literal.column])
        return np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    return _compare(column.values, literal) & column.known, column.known


def clause_truth(clause: Clause, columns: Columns, n_rows: int | None = None) -> BoolArray:
    """[M]: where every literal of the clause is known to hold."""
    return clause_matrix([clause], columns, n_rows)[:, 0]


def clause_matrix(clauses: Iterable[Clause], columns: Columns, n_rows: int | None = None) -> BoolArray:
    """[M, number of clauses]: where each clause fires; a literal that clauses share is compared once."""
    clauses = list(clauses)
    fires = np.ones((row_count(columns, n_rows), len(clauses)), dtype=bool, order="F")
    holds: dict[Literal, BoolArray] = {}
    for t, clause in enumerate(clauses):
        for literal in clause:
            if literal not in holds:
                holds[literal] = literal_truth(literal, columns)[0]
            fires[:, t] &= holds[literal]
    return fires


def rule_truth(rule: Rule, columns: Columns, n_rows: int | None = None) -> BoolArray:
    """[M]: where a clause of the rule fires.

    >>> from nri.rule import column_of
    >>> rule = Rule([Clause([Literal("age", Op.GT, 61)])])
    >>> rule_truth(rule, {"age": column_of([70, 50, None])}).tolist()
    [True, False, False]
    """
    fires: BoolArray = np.logical_or.reduce(clause_matrix(rule, columns, n_rows), axis=1)
    return fires


def soft_literal(literal: Literal, columns: Columns) -> FloatArray:
    """[M]: 1 where the literal holds, 0 where it does not, 0.5 where its cell is unknown."""
    holds, known = literal_truth(literal, columns)
    return np.where(known, holds.astype(np.float64), UNKNOWN)


def soft_clause(clause: Clause, columns: Columns, n_rows: int | None = None) -> FloatArray:
    """[M]: product of the literals' soft truths."""
    score = np.ones(row_count(columns, n_rows))
    for literal in clause:
        score *= soft_literal(literal, columns)
    return score


def soft_rule(rule: Rule, columns: Columns, n_rows: int | None = None) -> FloatArray:
    """[M]: the product t-norm's disjunction of the clauses' soft truths."""
    miss = np.ones(row_count(columns, n_rows))
    for clause in rule:
        miss *= 1.0 - soft_clause(clause, columns, n_rows)
    return 1.0 - miss


def _column_for(literal: Literal, columns: Columns) -> Column | None:
    """Return the literal's column, None if nothing in it is known (then its kind says nothing)."""
    if literal.column not in columns:
        raise InputError(
            f"column {literal.column!r} is missing: the rule reads it, so the table must have it"
        )
    column = columns[literal.column]
    if column.kind not in _COMPARABLE[literal.kind]:
        if column.known.any():
            raise InputError(
                f"column {literal.column!r} holds {column.kind} cells where the rule compares "
                f"{literal.kind} ones: convert the column"
            )
        return None
    return column


def _compare(values: NDArray[Any], literal: Literal) -> BoolArray:
    value: Any = literal.value
    if literal.kind is Kind.DATE:
        value = np.datetime64(value, "us")
    elif literal.kind is Kind.BOOLEAN and values.dtype.kind == "b":
        return values if literal.positive else ~values
    match literal.op:
        case Op.EQ:
            truth = values == value
        case Op.NE:
            truth = values != value
        case Op.GT:
            truth = values > value
        case Op.LE:
            truth = values <= value
    return np.asarray(truth, dtype=bool)
