"""Databases: a table, or the answer to a query, by the URL of the database that holds it.

A database in a file is only read: one that is not there is not made, and nothing is left beside it. Its URL
is taken as ibis and as SQLAlchemy write it. DuckDB is queried directly, all others by ibis.
"""

import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from nri.errors import InputError, nearest, require_extra, similar_files
from nri.rows.engine import ROWS, Duck, DuckEngine, Engine, parquet_source, quoted, raw_column
from nri.rule.render.sql_dialects import BACKENDS, DIALECTS, dialect_of
from nri.table.cells import objects_of
from nri.table.files import DATABASES, database_of, url_of, without_password
from nri.table.frames import columns_of, plain_cells
from nri.texts import first_line

_IN_MEMORY = ("", ":memory:")
_MOTHERDUCK = ("md:", "motherduck:")
_BY_ENDING = {".duckdb": "duckdb", ".sqlite": "sqlite", ".db": "sqlite"}
"""What ``file://`` and such an ending mean."""
_WAL_MODE = 2  # Byte 18 of an SQLite file whose changes go to a log beside it.


def open_database(url: str, table: str | None, query: str | None, *, memory: str | None = None) -> Engine:
    """Return a table, or the answer to a query, of the database at a URL."""
    if (table is None) == (query is None):
        raise InputError("say which rows of the database: --table NAME or --query SELECT, one of the two")
    shown = without_password(url)
    try:
        scheme, _, rest = url.partition("://")
        place = rest.partition("?")[0]  # without options behind it
        scheme = _BY_ENDING.get(Path(place).suffix, scheme) if scheme == "file" else scheme
        remote = place.startswith(_MOTHERDUCK)
        in_file = scheme in DATABASES and place.strip("/") not in _IN_MEMORY and not remote
        path = _existing(scheme, place) if in_file else None
        if scheme == "duckdb" and not remote:
            return _by_duckdb(url, Duck(memory, path), table, query)
        return _by_ibis(url, path, table, query)
    except InputError:
        raise
    except Exception as error:
        cause = first_line(error).replace(url, shown)
        remedy = "check the address" if query is None else "check the address and the query"
        if "lock" in cause:
            remedy = "end the program that writes to it, or give a copy of it"
        raise InputError(f"{shown} does not answer as asked ({cause}); {remedy}") from None


def _by_duckdb(url: str, connection: Duck, table: str | None, query: str | None) -> DuckEngine:
    if table is not None:
        listing = "SELECT table_name, table_schema, current_schema() FROM information_schema.tables"
        held = connection.raw.execute(listing).fetchall()
        parts = {name if schema == own else f"{schema}.{name}": (schema, name) for name, schema, own in held}
        place = next((one for name, one in parts.items() if name.lower() == table.lower()), None)
        if place is None:
            raise _no_table(url, table, [*parts])
        return DuckEngine(connection, ".".join(map(quoted, place)))
    answer = f"({str(query).strip().rstrip(';')}\n)"  # a comment may end it
    connection.raw.execute(f"DESCRIBE SELECT * FROM {answer}").fetchall()  # raises at once for a mistake
    return DuckEngine(connection, answer)


def _by_ibis(url: str, path: Path | None, table: str | None, query: str | None) -> Engine:
    require_extra("scale", "a database", "ibis")
    import ibis
    from ibis.common.exceptions import TableNotFound

    backend = ibis.connect(url) if path is None else ibis.sqlite.from_connection(_read_only(path))
    try:
        if query is not None:
            return _of_ibis(backend.sql(query))
        schema, _, name = str(table).rpartition(".")
        for place, inside in ((table, None), (name, schema)):  # a name may hold a dot itself
            with suppress(TableNotFound, sqlite3.OperationalError):
                return _of_ibis(backend.table(place, database=inside or None))
        raise _no_table(url, str(table), backend.list_tables())
    except BaseException:
        backend.disconnect()
        raise


def _no_table(url: str, table: str, present: Sequence[str]) -> InputError:
    others = nearest(table, sorted(present), "it") if present else "; it has no tables"
    return InputError(f"no table {table!r} in {without_password(url)}{others}")


def _existing(scheme: str, place: str) -> Path:
    """Return the file that a URL means; raise if it is not there, since who connects to it makes it."""
    inner = Path(place.lstrip("/"))
    tried = [Path("/") / inner] if place.startswith("/") else []
    if not place.startswith("//"):  # SQLAlchemy writes a file of this folder with one slash before it
        tried.append(inner.absolute())
    path = next((one for one in tried if one.is_file()), None)
    if path is None:
        like = next(filter(None, map(similar_files, tried)), "")
        remedy = like or f"; write {scheme}:///absolute/path or {scheme}://path/from/this/folder"
        raise InputError(f"no file {' nor '.join(map(str, tried))}{remedy}")
    detected = database_in(path)
    if detected is not None and detected != scheme:
        raise InputError(f"{path} is {DATABASES[detected]}; give {url_of(detected, path)}")
    return path


def _read_only(path: Path) -> Any:
    """Connect to an SQLite file for reading only."""
    with path.open("rb") as file:
        logged = file.read(19)[18:] == bytes([_WAL_MODE])
    log = path.with_name(path.name + "-wal")
    # to read a file whose log is gone, SQLite would make a new log and leave it; that it is gone also says
    # that no program writes to the file
    kept = "&immutable=1" if logged and not log.exists() else ""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{kept}", uri=True)


def dialect_name(backend: str) -> str | None:
    """Return the dialect of what ibis, or the scheme of a URL, calls so; None if we do not write it."""
    name = BACKENDS.get(backend, backend)
    return name if name in DIALECTS else None


def engine_of(table: Any) -> Engine | None:
    """Return a table that stays where it is as an engine; None if it is none."""
    openers: dict[tuple[str, str], Callable[[Any], Engine]] = {
        ("ibis", "Table"): _of_ibis,
        ("duckdb", "DuckDBPyRelation"): _of_relation,
        ("polars", "LazyFrame"): _of_polars,
        ("pyspark.sql", "DataFrame"): _of_spark,
    }
    for (package, name), opener in openers.items():
        if package in sys.modules and isinstance(table, getattr(sys.modules[package], name)):
            return opener(table)
    return None


def _of_relation(relation: Any) -> Engine:
    """Return a relation of DuckDB, on its own connection, which is left open."""
    columns = [*map(raw_column, relation.columns, map(str, relation.types))]
    return Engine(dialect_of("duckdb"), columns, lambda sql: dict(relation.query(ROWS, sql).fetchnumpy()))


def _of_spark(frame: Any) -> Engine:
    """Return a DataFrame of PySpark, asked where it is; its session is left open."""
    view = f"nri_{id(frame):x}"
    frame.createOrReplaceTempView(view)

    def query(sql: str) -> dict[str, Any]:
        arrow = frame.sparkSession.sql(f"WITH {ROWS} AS (SELECT * FROM {view}) {sql}").toArrow()
        return {name: objects_of(plain_cells(cells)) for name, cells in columns_of(arrow).items()}

    return Engine(dialect_of("spark"), [raw_column(*one) for one in frame.dtypes], query)


def _of_polars(frame: Any) -> Engine:
    """Stream a LazyFrame into a columnar file that goes with the rows; DuckDB answers for it."""
    connection = Duck()
    file = connection.folder / "frame.parquet"
    frame.sink_parquet(file)
    return DuckEngine(connection, parquet_source([file]))


def _of_ibis(table: Any) -> Engine:
    """Return a table of any database that ibis speaks to; only aggregates and samples are fetched."""
    backend = table.get_backend()
    if (name := dialect_name(backend.name)) is None:
        tested = "duckdb, sqlite, postgres, spark"  # they give the same rule on the same rows
        raise InputError(f"NRI cannot ask {backend.name}; copy the table to one of {tested}")
    backend._run_pre_execute_hooks(table)  # frames in memory that it is made of become tables there
    rows = backend.compile(table)
    if name == "duckdb":
        return _of_relation(backend.con.sql(rows))
    if name == "spark":
        return _of_spark(backend._session.sql(rows))

    def query(sql: str) -> dict[str, Any]:
        cursor = backend.raw_sql(f"WITH {ROWS} AS ({rows}) {sql}")
        try:
            names, records = [one[0] for one in cursor.description], cursor.fetchall()
        finally:
            cursor.close()
            backend.con.rollback()  # nothing was changed: this only ends the transaction
        return {name: objects_of(row[place] for row in records) for place, name in enumerate(names)}

    columns = [raw_column(one, str(kind)) for one, kind in table.schema().items()]
    return Engine(dialect_of(name), columns, query, backend.disconnect)


def database_in(path: Path) -> str | None:
    """Return the scheme of the database that a file is; None if it is something else, or not there."""
    try:
        if not path.is_file():  # what a pipe says can be read once only
            return None
        with path.open("rb") as file:
            return database_of(file.read(16))
    except (OSError, ValueError):
        return None  # reading it shows what is wrong
