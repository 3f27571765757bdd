"""Adapters: tables that a caller holds in a database or on a cluster, as engines that answer queries.

An ibis table, a relation of DuckDB, a LazyFrame of polars and a DataFrame of PySpark are taken as they are. A
library that the caller has not imported cannot have made the table, so none is imported for that.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from nri.rows.duckdb import DuckEngine, connect, parquet_source, raw_column
from nri.rows.engine import ROWS, Engine, RawColumn
from nri.errors import InputError
from nri.rule.literal import Kind
from nri.rule.render.sql_dialects import BACKENDS, DIALECTS, Dialect, dialect_of

TESTED = ("duckdb", "sqlite", "postgres", "spark")
"""Dialects that give the same rule on the same rows, as tests show."""


def dialect_name(backend: str) -> str | None:
    """Return the dialect of what ibis, or the scheme of a URL, calls so; None if we do not write it.

    >>> dialect_name("mssql"), dialect_name("https")
    ('tsql', None)
    """
    name = BACKENDS.get(backend, backend)
    return name if name in DIALECTS else None


def engine_of(table: Any) -> Engine | None:
    """Return a table that stays where it is as an engine; None if it is none."""
    ibis, duckdb = sys.modules.get("ibis"), sys.modules.get("duckdb")
    polars, spark = sys.modules.get("polars"), sys.modules.get("pyspark.sql")
    if ibis is not None and isinstance(table, ibis.Table):
        return IbisEngine(table)
    if duckdb is not None and isinstance(table, duckdb.DuckDBPyRelation):
        return RelationEngine(table)
    if polars is not None and isinstance(table, polars.LazyFrame):
        return _from_polars(table)
    if spark is not None and isinstance(table, spark.DataFrame):
        return SparkEngine(table)
    return None


@dataclass(frozen=True, eq=False)
class RelationEngine:
    """A relation of DuckDB, on its own connection."""

    relation: Any

    @property
    def dialect(self) -> Dialect:
        """How SQL is written there."""
        return dialect_of("duckdb")

    @property
    def columns(self) -> Sequence[RawColumn]:
        """What the table has."""
        kinds = zip(self.relation.columns, self.relation.types, strict=True)
        return [raw_column(name, str(kind)) for name, kind in kinds]

    def query(self, sql: str) -> Any:
        """Answer a query as a pyarrow table."""
        return self.relation.query(ROWS, sql).to_arrow_table()

    def close(self) -> None:
        """The connection belongs to the caller."""


class IbisEngine:
    """A table of any database that ibis speaks to; only aggregates and samples are fetched."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.backend = table.get_backend()

    @cached_property
    def dialect(self) -> Dialect:
        """How SQL is written there."""
        name = dialect_name(self.backend.name)
        if name is None:
            asked, known = self.backend.name, ", ".join(TESTED)
            raise InputError(f"{asked} is no database that NRI can ask; copy the table to one of {known}")
        return dialect_of(name)

    @cached_property
    def columns(self) -> Sequence[RawColumn]:
        """What the table has."""
        return [_typed(name, kind) for name, kind in self.table.schema().items()]

    @cached_property
    def _source(self) -> str:
        return str(self.backend.compile(self.table))

    def query(self, sql: str) -> Any:
        """Answer a query as a pyarrow table."""
        asked = f"WITH {ROWS} AS ({self._source}) {sql}"
        if self.dialect.name == "duckdb":
            return self.backend.con.sql(asked).to_arrow_table()
        if self.dialect.name == "spark":
            return self.backend._session.sql(asked).toArrow()
        return _fetched(self.backend, asked)

    def close(self) -> None:
        """End the connection."""
        self.backend.disconnect()


def _fetched(backend: Any, sql: str) -> Any:
    """Return the answer of a database that hands out rows as a pyarrow table."""
    import pyarrow as pa

    cursor = backend.raw_sql(sql)
    try:
        names = [one[0] for one in cursor.description]
        rows = cursor.fetchall()
    finally:
        cursor.close()
        backend.con.rollback()  # nothing was changed: this only ends the transaction
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})


def _typed(name: str, kind: Any) -> RawColumn:
    """Return a column by its type in ibis."""
    if kind.is_boolean():
        return RawColumn(name, Kind.BOOLEAN, flags=True)
    if kind.is_integer():
        return RawColumn(name, Kind.NUMBER)
    if kind.is_floating() or kind.is_decimal():
        return RawColumn(name, Kind.NUMBER, floating=True)
    if kind.is_date() or kind.is_timestamp():
        return RawColumn(name, Kind.DATE)
    return RawColumn(name, Kind.TEXT if kind.is_string() or kind.is_uuid() else None)


class SparkEngine:
    """A DataFrame of PySpark, asked where it is."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self._view = f"nri_{id(frame):x}"
        frame.createOrReplaceTempView(self._view)

    @property
    def dialect(self) -> Dialect:
        """How SQL is written there."""
        return dialect_of("spark")

    @cached_property
    def columns(self) -> Sequence[RawColumn]:
        """What the table has."""
        words = {"string": "VARCHAR", "int": "INTEGER", "array": "[]", "binary": "BLOB"}
        kinds = {name: words.get(kind.split("<")[0], kind.upper()) for name, kind in self.frame.dtypes}
        return [raw_column(name, kind) for name, kind in kinds.items()]

    def query(self, sql: str) -> Any:
        """Answer a query as a pyarrow table."""
        return self.frame.sparkSession.sql(f"WITH {ROWS} AS (SELECT * FROM {self._view}) {sql}").toArrow()

    def close(self) -> None:
        """The session belongs to the caller."""


def _from_polars(frame: Any) -> Engine:
    """Stream a LazyFrame into a columnar file that goes with the rows; DuckDB answers for it."""
    connection, folder = connect()
    file = Path(folder.name) / "frame.parquet"
    frame.sink_parquet(file)
    return DuckEngine(connection, parquet_source([file]), folder)
