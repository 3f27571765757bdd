"""The truth of conditions on rows, and which clause decides a row: the one definition of both.

A literal holds where its cell is known and compares as stated; a clause fires where enough of its literals,
mostly all, hold. The first clause that fires decides a row; where none does, the ELSE. Clauses of classes are
ordered by their estimated precision, equal ones by class and then by reading.
"""

import operator
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.errors import InputError
from nri.rule.column import Column, Columns, row_count
from nri.rule.literal import Clause, Dnf, Kind, Literal, Op

STRENGTH = 2.0  # Imaginary rows, classes in them as among all rows, that every count is mixed with.
_TIE = 9  # Decimals to which precisions are compared, so that the order of sums does not settle who is first.
_MARGIN = 1e-6  # Least lead of the decided class, far above rounding and below what is displayed.

_NUMERIC = {Kind.BOOLEAN, Kind.NUMBER}  # Kinds that compare with each other: True is the number 1.

COMPARE = {Op.EQ: operator.eq, Op.NE: operator.ne, Op.GT: operator.gt, Op.LE: operator.le}


def literal_truth(literal: Literal, columns: Columns) -> tuple[BoolArray, BoolArray]:
    """[M] each: where the literal is known to hold, and where it is known at all."""
    if literal.column not in columns:
        raise InputError(f"column {literal.column!r} is missing: the table must have it")
    column = columns[literal.column]
    if column.kind is literal.kind or {column.kind, literal.kind} <= _NUMERIC:
        return _compare(column, literal) & column.known, column.known
    if column.known.any():
        raise InputError(f"column {literal.column!r} holds {column.kind} cells: convert it to {literal.kind}")
    return np.zeros_like(column.known), column.known


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
    """[M]: where at least so many of the literals hold, of which there is one or more."""
    if at_least == len(holds):
        fires: BoolArray = np.logical_and.reduce(holds)
        return fires
    counts = np.zeros(len(holds[0]), dtype=np.int32)
    for truth in holds:
        counts += truth
    return counts >= at_least


def rule_truth(rule: Dnf, columns: Columns, n_rows: int | None = None) -> BoolArray:
    """[M]: where a clause of the rule fires."""
    fires: BoolArray = np.logical_or.reduce(clause_matrix(rule, columns, n_rows), axis=1)
    return fires


def _compare(column: Column, literal: Literal) -> BoolArray:
    values = column.values
    value: Any = literal.value
    if column.categories is not None:
        value = _code(column.categories, str(value))
    elif literal.kind is Kind.DATE:
        value = np.datetime64(value, "us")
    elif literal.kind is Kind.BOOLEAN and values.dtype.kind == "b":
        return values if literal.positive else ~values
    return np.asarray(COMPARE[literal.op](values, value), dtype=bool)


def _code(categories: tuple[str, ...], text: str) -> int:
    """Return the code of a text, one that no cell has if it is none of the categories."""
    place = bisect_left(categories, text)
    return place if place < len(categories) and categories[place] == text else len(categories)


def estimated_precision(own: FloatArray, covered: FloatArray, share: FloatArray) -> FloatArray:
    """Return the share of its class among the rows of a clause, shrunk towards that among all rows."""
    return (own + STRENGTH * share) / (covered + STRENGTH)


def deciding_order(precision: FloatArray, classes: IntArray) -> IntArray:
    """Return the clauses in the order in which they decide."""
    return np.lexsort((np.arange(len(precision)), classes, -np.round(precision, _TIE)))


def first_to_fire(fires: BoolArray) -> IntArray:
    """[M]: which clause of [M, K], in their order, decides each row; K where none fires."""
    always = np.ones((len(fires), 1), dtype=bool)
    first: IntArray = np.argmax(np.concatenate([fires, always], axis=1), axis=1)
    return first


def shrink(counts: Sequence[float] | FloatArray, prior: Sequence[float] | FloatArray) -> FloatArray:
    """[n_classes]: class probabilities, the counts shrunk towards the prior's pseudo-counts."""
    mass = np.asarray(counts, dtype=np.float64) + np.asarray(prior, dtype=np.float64)
    total = mass.sum()
    return mass / total if total > 0 else np.full(len(mass), 1.0 / len(mass))


def favour(probabilities: FloatArray, index: int, counts: Sequence[float] | FloatArray) -> FloatArray:
    """Return the nearest distribution in which class ``index`` leads: those above it are pooled with it.

    Where another class leads among the rows themselves, as where errors of one class cost more, shares stay.
    """
    others = np.delete(probabilities, index)
    if counts[index] < max(counts) or len(others) == 0 or probabilities[index] >= others.max() + _MARGIN:
        return probabilities
    pooled, mean = [index], float(probabilities[index])
    for j in sorted(range(len(probabilities)), key=lambda j: -probabilities[j]):
        if j != index and probabilities[j] > mean:
            mean = (mean * len(pooled) + float(probabilities[j])) / (len(pooled) + 1)
            pooled.append(j)
    result = probabilities.copy()
    result[pooled] = mean
    result *= 1.0 - _MARGIN
    result[index] += _MARGIN
    return result
