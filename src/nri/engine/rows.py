"""Rows: whatever answers questions in SQL about a table that need not fit in memory.

Every question is a query on one name, :data:`ROWS`. An engine (DuckDB here, others by
:mod:`nri.engine.connect`) knows what the name stands for; what comes back are aggregates, or a sample. What
is written below is the part of SQL that databases write alike, and the few words for which they do not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from nri.rule.literal import Kind
from nri.rule.render.sql_dialects import Dialect, identifier, text_literal

ROWS = "nri_rows"
"""What the table is called in queries."""


@dataclass(frozen=True)
class RawColumn:
    """A column as the engine has it."""

    name: str
    kind: Kind | None
    """None if its cells are nothing that a rule could speak about: lists, structures, bytes"""
    floating: bool = False
    """whether it holds fractions by its type"""
    flags: bool = False
    """whether it holds true and false by its type"""


class Rows(Protocol):
    """A table in an engine."""

    @property
    def dialect(self) -> Dialect:
        """How SQL is written there."""
        ...

    @property
    def columns(self) -> Sequence[RawColumn]:
        """What the table has."""
        ...

    def query(self, sql: str) -> Any:
        """Answer a query on :data:`ROWS` as a pyarrow table."""
        ...


_DOUBLE = {"postgres": "DOUBLE PRECISION", "sqlite": "REAL"}
_MICROSECONDS = {
    "postgres": "CAST(EXTRACT(EPOCH FROM CAST({x} AS TIMESTAMP)) * 1000000 AS BIGINT)",
    "spark": "UNIX_MICROS(CAST({x} AS TIMESTAMP))",
    "sqlite": "(CAST(STRFTIME('%s', {x}) AS INTEGER) * 1000000"
    " + CAST(SUBSTR(STRFTIME('%f', {x}), 4, 3) AS INTEGER) * 1000)",
}
_FIRST_LETTER = {"sqlite": "UNICODE", "duckdb": "UNICODE"}


def double(sql: str, dialect: Dialect) -> str:
    """Write an expression as a float64."""
    return f"CAST({sql} AS {_DOUBLE.get(dialect.name, 'DOUBLE')})"


def microseconds(sql: str, dialect: Dialect) -> str:
    """Write a moment as whole microseconds since 1970."""
    return _MICROSECONDS.get(dialect.name, "EPOCH_US(CAST({x} AS TIMESTAMP))").format(x=sql)


def letter(sql: str, dialect: Dialect) -> str:
    """Write the number of a text's first letter."""
    return f"{_FIRST_LETTER.get(dialect.name, 'ASCII')}({sql})"


def number(value: float) -> str:
    """Write a float64 so that every engine reads exactly this one.

    >>> number(0.1), number(3)
    ('0.1e0', '3.0e0')
    """
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def name(column: str, dialect: Dialect) -> str:
    """Write a column's name."""
    return identifier(column, dialect)


def texts(values: Sequence[str], dialect: Dialect) -> str:
    """Write texts as a list in brackets."""
    return "(" + ", ".join(text_literal(value, dialect) for value in values) + ")"


def same_text(column: str, dialect: Dialect) -> str:
    """Write a text column so that texts are told apart by every letter."""
    return f"{column} COLLATE BINARY" if dialect.text == "sqlite" else column


def select(items: Mapping[str, str], *, where: str = "", group: Sequence[str] = ()) -> str:
    """Write a query on the rows.

    Parameters
    ----------
    items
        Expressions by the names that they get.
    where
        Which rows; all if empty.
    group
        Names of items that rows are grouped by.
    """
    listed = ", ".join(f"{expression} AS {alias}" for alias, expression in items.items())
    sql = f"SELECT {listed} FROM {ROWS}"
    if where:
        sql += f" WHERE {where}"
    if group:
        places = [str(place + 1) for place, alias in enumerate(items) if alias in group]
        sql += f" GROUP BY {', '.join(places)}"
    return sql
