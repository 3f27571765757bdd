"""Engines: what answers queries in SQL about a table that need not fit in memory.

Every query is on one name, :data:`ROWS`. An engine (DuckDB here, others by :mod:`nri.rows.database`) knows
what the name stands for; what comes back are aggregates, or a sample.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pandas as pd

from nri.rule.literal import Kind
from nri.rule.render.sql_dialects import Dialect

ROWS = "nri_rows"
"""What the table is called in queries."""


@dataclass(frozen=True)
class RawColumn:
    """A column as the engine has it."""

    name: str
    kind: Kind | None
    """None if its cells are nothing that a rule could use: lists, structures, bytes"""
    floating: bool = False
    """whether it holds fractions by its type"""
    flags: bool = False
    """whether it holds true and false by its type"""


class Engine(Protocol):
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

    def close(self) -> None:
        """End the connection, and remove whatever was kept on disk for it."""
        ...


def select(items: Mapping[str, str], *, where: str = "", group: Sequence[str] = ()) -> str:
    """Write a query on the rows: expressions by their names, which rows, and names to group by."""
    listed = ", ".join(f"{expression} AS {alias}" for alias, expression in items.items())
    sql = f"SELECT {listed} FROM {ROWS}"
    if where:
        sql += f" WHERE {where}"
    if group:
        places = [str(place + 1) for place, alias in enumerate(items) if alias in group]
        sql += f" GROUP BY {', '.join(places)}"
    return sql


def as_frame(rows: Any) -> pd.DataFrame:
    """Return rows as pandas has them, whole numbers with gaps as whole numbers."""
    columns = zip(rows.column_names, rows.columns, strict=True)
    return pd.DataFrame({name: column.to_pandas(integer_object_nulls=True) for name, column in columns})
