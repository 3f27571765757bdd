"""The truth of literals, clauses and rules on rows: the one definition.

A literal holds where its cell is known and compares as stated; a clause fires where as many of its literals
as it asks for, mostly all, are known to hold; a rule fires where a clause does.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.rule.clause import Clause, Dnf
from nri.rule.column import Column, Columns, row_count
from nri.rule.literal import Kind, Literal, Op

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
    return _compare(column, literal) & column.known, column.known


def clause_truth(clause: Clause, columns: Columns, n_rows: int | None = None) -> BoolArray:
    """[M]: where enough literals of the clause are known to hold."""
    return clause_matrix([clause], columns, n_rows)[:, 0]


def clause_matrix(clauses: Iterable[Clause], columns: Columns, n_rows: int | None = None) -> BoolArray:
    """[M, number of clauses]: where each clause fires; a literal that clauses share is compared once."""
    clauses = list(clauses)
    fires = np.ones((row_count(columns, n_rows), len(clauses)), dtype=bool, order="F")
    holds = {
        literal: literal_truth(literal, columns)[0]
        for literal in dict.fromkeys(literal for clause in clauses for literal in clause)
    }
    for t, clause in enumerate(clauses):
        if clause.literals:
            fires[:, t] = enough_hold([holds[literal] for literal in clause], clause.at_least)
    return fires


def enough_hold(holds: Sequence[BoolArray], at_least: int) -> BoolArray:
    """[M]: where at least so many of the literals hold, of which there is one or more.

    >>> a, b, c = np.array([True, True]), np.array([True, False]), np.array([False, False])
    >>> enough_hold([a, b, c], 2).tolist()
    [True, False]
    """
    if at_least == len(holds):
        fires: BoolArray = np.logical_and.reduce(holds)
        return fires
    counts = np.zeros(len(holds[0]), dtype=np.int32)
    for truth in holds:
        counts += truth
    return counts >= at_least


def rule_truth(rule: Dnf, columns: Columns, n_rows: int | None = None) -> BoolArray:
    """[M]: where a clause of the rule fires.

    >>> from nri.rule import column_of
    >>> rule = Dnf([Clause([Literal("age", Op.GT, 61)])])
    >>> rule_truth(rule, {"age": column_of([70, 50, None])}).tolist()
    [True, False, False]
    """
    fires: BoolArray = np.logical_or.reduce(clause_matrix(rule, columns, n_rows), axis=1)
    return fires


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


def _compare(column: Column, literal: Literal) -> BoolArray:
    values = column.values
    value: Any = literal.value
    if column.categories is not None:
        value = _code(column.categories, str(value))
    elif literal.kind is Kind.DATE:
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


def _code(categories: tuple[str, ...], text: str) -> int:
    """Return the code of a text, one that no cell has if it is none of the categories."""
    place = bisect_left(categories, text)
    return place if place < len(categories) and categories[place] == text else len(categories)
