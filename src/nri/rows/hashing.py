"""The hash by which rows are drawn: a number from 0 to 1 made of a row's cells.

It is made of multiplications, sums and floors of float64 numbers, which numpy and every SQL engine compute to
the same last bit, so that the same rows are drawn everywhere, in whatever order they come. Four number and
date columns are hashed as long as these separate rows; else all columns, texts by length and a few letters.
:func:`hash_of` adds up their *terms* in numpy, :class:`nri.rows.sql.SqlRows` writes the same as SQL.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nri.arrays import FloatArray
from nri.rule import Column, Kind

ROUNDS = (104729.375, 15485.8671875, 32452.843505859375)
"""Factors of the three rounds that stretch the sum of terms before its fraction is taken."""
UNKNOWN = 0.3779296875  # What an unknown cell adds.
FOLD = 7919.375  # Another stretch of the hash: the fold of a row has nothing to do with whether it is drawn.
_FEW = 4  # Columns that are hashed first.
_SPREAD = 2.0**24  # The range of a column is stretched to about this before its fraction is taken.


@dataclass(frozen=True)
class Term:
    """One summand of the hash: the fraction of a stretched cell."""

    column: str
    part: str  # number, flag, or of a text: length, first, last, middle
    low: float = 0.0
    high: float = 0.0  # of a number; cells outside count as unknown
    factor: float = 0.0
    yes: float = 0.0
    no: float = 0.0  # what a flag adds


def ways_to_hash(
    kinds: Mapping[str, Kind | None], spans: Mapping[str, tuple[float, float]]
) -> list[tuple[Term, ...]]:
    """Return the terms of two hashes, the quick one first; the second separates more rows."""
    measured = sorted(name for name, (low, high) in spans.items() if high > low)
    terms = [_number(name, *spans[name], place) for place, name in enumerate(measured, 1)]
    flags = sorted(name for name, kind in kinds.items() if kind is Kind.BOOLEAN)
    texts = sorted(name for name, kind in kinds.items() if kind is Kind.TEXT)
    others = []
    for place, name in enumerate(flags):
        yes, no = ((0.7548776662466927 * (2 * place + k)) % 1.0 for k in (1, 2))
        others.append(Term(name, "flag", yes=yes, no=no))
    letters = itertools.product(texts, ("length", "first", "last", "middle"))
    for place, (name, part) in enumerate(letters, 1):
        others.append(Term(name, part, factor=(0.5698402909980532 * place) % 1.0))
    return list(dict.fromkeys(tuple(one) for one in (terms[:_FEW], [*terms, *others]) if one))


def _number(name: str, low: float, high: float, place: int) -> Term:
    exponent = np.floor(np.log2(_SPREAD / (high - low)))
    factor = (1.0 + (0.6180339887498949 * place) % 1.0) * 2.0 ** float(np.clip(exponent, -1000, 1000))
    return Term(name, "number", low, high, factor)


def hash_of(terms: Sequence[Term], columns: Mapping[str, Column]) -> FloatArray:
    """[M]: the hash of each row."""
    total = np.zeros(len(next(iter(columns.values()))))
    for term in terms:
        total = total + _added(term, columns[term.column])
    total = total * ROUNDS[0]
    for factor in ROUNDS[1:]:
        total = _fraction(total) * factor
    return _fraction(total)


def _added(term: Term, column: Column) -> FloatArray:
    if term.part == "flag":
        return np.where(column.known, np.where(column.values, term.yes, term.no), UNKNOWN)
    if term.part == "number":
        values = as_floats(column)
        inside = column.known & (values >= term.low) & (values <= term.high)
        fraction = _fraction((np.where(inside, values, term.low) - term.low) * term.factor)
        return np.where(inside, fraction, UNKNOWN)
    of_texts = np.array([*(_of_text(text, term.part) for text in column.categories or ()), 0.0])
    return np.where(column.known, _fraction(of_texts * term.factor)[column.values], UNKNOWN)


def _fraction(numbers: FloatArray) -> FloatArray:
    return numbers - np.floor(numbers)


def _of_text(text: str, part: str) -> int:
    """Return the length of a text, or the code of one of its letters."""
    places = {"first": 0, "last": -1, "middle": len(text) // 2}
    return len(text) if part == "length" or not text else ord(text[places[part]])


def as_floats(column: Column) -> FloatArray:
    """[M]: cells as numbers; dates as microseconds since 1970. What is unknown is not looked at."""
    if column.kind is Kind.DATE:
        moments = np.where(column.known, column.values, np.datetime64(0, "us"))
        return moments.astype("datetime64[us]").astype(np.int64).astype(np.float64)
    return np.asarray(column.values, dtype=np.float64)


def shares_of(counts: FloatArray, size: int) -> FloatArray:
    """Return which share of each stratum to draw, about so many rows in all.

    Every stratum gets at least half of an equal part, if it has so many rows, and the rest goes by size.

    >>> shares_of(np.array([10_000.0, 90_000.0, 10.0]), 1000).round(4).tolist()
    [0.0167, 0.0093, 1.0]
    """
    total = max(float(counts.sum()), 1.0)
    if total <= size:
        return np.ones(len(counts))
    least = np.minimum(counts, size / (2 * max(len(counts), 1)))
    wanted = np.maximum(counts * size / total, least)
    wanted *= size / max(wanted.sum(), 1.0) if wanted.sum() > size else 1.0
    return np.minimum(1.0, np.maximum(wanted, least) / np.maximum(counts, 1.0))
