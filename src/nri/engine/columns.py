"""Columns of a table in an engine: how each is read by its plan, as SQL.

A cell becomes a *code*: 0 where it is unknown, and else the number of the part that it lies in, where the
literals that are asked about cut the column into parts. Rows with the same codes are alike to every rule that
is made of these literals.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.rule.column import Column
from nri.rule.literal import Kind, Literal, Op, Value
from nri.rule.regions import BOOLEAN, OPEN, ColumnDomain
from nri.rule.render.sql import SqlColumn, finite, microseconds_of
from nri.rule.render.sql_dialects import float_literal


@dataclass(frozen=True)
class EngineColumn(SqlColumn):
    """A column, how it is read, and what is known of all of its cells."""

    low: float = 0.0
    """least number of all rows, or microseconds since 1970 of dates"""
    high: float = 0.0
    whole: bool = False
    """whether numbers are whole by their type"""
    categories: tuple[str, ...] | None = None
    """every text that known cells hold, as the plan spells it; None if there are too many to know"""
    spelled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """for each category all its spellings in the table, where it has several"""

    @property
    def sql(self) -> str:
        """The column as numbers, microseconds, flags or texts; NULL where unknown."""
        value = self.value.sql(dialect=self.dialect.name)
        return finite(value) if self.may_be_infinite else value

    @property
    def domain(self) -> ColumnDomain:
        """What its cells can be."""
        if self.kind is Kind.BOOLEAN:
            return BOOLEAN
        return OPEN if self.categories is None else ColumnDomain(self.categories)

    def as_number(self, value: Value) -> float:
        """Return what a literal compares with as the engine's number."""
        assert not isinstance(value, str)
        return float(microseconds_of(value) if isinstance(value, dt.datetime) else value)

    def spellings(self, text: str) -> tuple[str, ...]:
        """Return every way in which a category is written in the table."""
        return self.spelled.get(text) or self.plan.spelled(text)

    def code(self, parts: "Parts") -> str:
        """Write the part of each cell, 0 where it is unknown."""
        if self.kind in (Kind.BOOLEAN, Kind.TEXT):
            values = [False, True] if self.kind is Kind.BOOLEAN else parts.texts
            first = 1 if self.kind is Kind.BOOLEAN else 2
            held = [self.holds(Literal(self.name, Op.EQ, value)) for value in values]
            conditions = [one.sql(dialect=self.dialect.name) for one in held]
        else:
            first = 2
            write = int if self.kind is Kind.DATE else float_literal
            conditions = [f"{self.sql} > {write(cut)}" for cut in parts.cuts]
        cases = [f" WHEN {one} THEN {first + place}" for place, one in enumerate(conditions)]
        return f"CASE{''.join(reversed(cases))} WHEN {self.sql} IS NOT NULL THEN 1 ELSE 0 END"

    def cells(self, codes: IntArray, parts: "Parts") -> Column:
        """[M]: a cell for each code that lies in its part."""
        known = codes > 0
        if self.kind is Kind.BOOLEAN:
            return Column(codes == 2, known)
        if self.kind is Kind.TEXT:
            return self._texts(codes, parts, known)
        edges = np.array([*parts.cuts, max(self.high, _above(parts.cuts[-1] if parts.cuts else self.high))])
        return self.column(edges[np.maximum(codes - 1, 0)], known)

    def column(self, values: FloatArray, known: np.ndarray) -> Column:
        """Return the engine's numbers as cells."""
        if self.kind is Kind.DATE:
            return Column(values.astype(np.int64).astype("datetime64[us]"), known)
        return Column(values, known)

    def _texts(self, codes: IntArray, parts: "Parts", known: np.ndarray) -> Column:
        """Let a category that is not asked about stand for all of these."""
        others = [text for text in self.categories or () if text not in parts.texts]
        other = others[0] if others else "\0"
        listed = sorted({*parts.texts, other})
        into = np.array([listed.index(text) for text in (other, *parts.texts)], dtype=np.int64)
        return Column(into[np.maximum(codes - 1, 0)], known, tuple(listed))


def _above(cut: float) -> float:
    """Return a number above a cut that is also another microsecond."""
    return float(max(np.nextafter(cut, np.inf), cut + 1.0))


@dataclass(frozen=True)
class Parts:
    """Where literals cut one column."""

    cuts: tuple[float, ...] = ()
    """of numbers and dates: increasing, as the engine's numbers"""
    texts: tuple[str, ...] = ()
    """of categories: sorted"""

    def size(self, kind: Kind) -> int:
        """How many codes there are, with that of unknown cells."""
        if kind is Kind.BOOLEAN:
            return 3
        return 2 + (len(self.texts) if kind is Kind.TEXT else len(self.cuts))


def parts_of(literals: Iterable[Literal], columns: Mapping[str, EngineColumn]) -> dict[str, Parts]:
    """Return for each column that literals speak about where they cut it, columns in sorted order."""
    values: dict[str, set[Value]] = {}
    for literal in literals:
        values.setdefault(literal.column, set()).add(literal.value)
    found = {}
    for column in sorted(values):
        one = columns[column]
        if one.kind is Kind.TEXT:
            found[column] = Parts(texts=tuple(sorted(map(str, values[column]))))
        elif one.kind is Kind.BOOLEAN:
            found[column] = Parts()
        else:
            found[column] = Parts(cuts=tuple(sorted({one.as_number(value) for value in values[column]})))
    return found
