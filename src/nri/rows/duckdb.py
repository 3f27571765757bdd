"""DuckDB: files beyond memory, read where they are by a database that runs inside this process."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from nri.errors import InputError
from nri.rows.engine import ROWS, RawColumn
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan
from nri.rule.render.sql_dialects import Dialect, dialect_of, identifier, text_literal
from nri.table.by_plan import read_by
from nri.table.cells import MISSING_MARKS, ZERO_ONE, TextCells

_NUMBERS = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
)
INDEX = "__index_level_"
"""How pandas calls an index without a name; it is no column."""
_FRACTIONS = ("FLOAT", "DOUBLE", "DECIMAL")


def raw_column(name: str, type_name: str) -> RawColumn:
    """Return a column by its type in DuckDB.

    >>> raw_column("x", "DECIMAL(10,2)").floating, raw_column("x", "INTEGER[]").kind
    (True, None)
    """
    kind = type_name.upper()
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION")):
        return RawColumn(name, None)
    if kind == "BOOLEAN":
        return RawColumn(name, Kind.BOOLEAN, flags=True)
    if kind in _NUMBERS:
        return RawColumn(name, Kind.NUMBER)
    if kind.startswith(_FRACTIONS):
        return RawColumn(name, Kind.NUMBER, floating=True)
    if kind == "DATE" or kind.startswith("TIMESTAMP"):
        return RawColumn(name, Kind.DATE)
    return RawColumn(name, Kind.TEXT if kind.startswith(("VARCHAR", "ENUM", "UUID")) else None)


class Scratch:
    """A folder for what does not fit in memory; it goes with its owner, or with the process."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="nri-engine-")
        self.cleanup = weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


class DuckEngine:
    """A table that DuckDB answers queries on."""

    def __init__(self, connection: Any, source: str, folder: "Scratch | None" = None) -> None:
        self.connection = connection
        self.source = source
        """what to select from"""
        self.folder = folder
        """for what is kept on disk, if there is any"""

    @property
    def dialect(self) -> Dialect:
        """How SQL is written there."""
        return dialect_of("duckdb")

    @cached_property
    def columns(self) -> Sequence[RawColumn]:
        """What the table has."""
        described = self.execute(f"DESCRIBE SELECT * FROM {self.source}").fetchall()
        return [raw_column(one[0], one[1]) for one in described if not one[0].startswith(INDEX)]

    def query(self, sql: str) -> Any:
        """Answer a query as a pyarrow table."""
        with _one_line_errors():
            return self.connection.sql(f"WITH {ROWS} AS (SELECT * FROM {self.source}) {sql}").to_arrow_table()

    def execute(self, sql: str) -> Any:
        """Run a statement."""
        with _one_line_errors():
            return self.connection.execute(sql)

    def close(self) -> None:
        """Forget the connection, and whatever was kept on disk for it."""
        with suppress(Exception):
            self.connection.close()
        if self.folder is not None:
            self.folder.cleanup()


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Report what went wrong in the database in one line."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise InputError(
            f"the memory that DuckDB may use does not suffice ({_first_line(error)}); give it more, "
            "e.g. --memory 4GB, or fewer columns"
        ) from None
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        raise InputError(f"DuckDB cannot read the table ({_first_line(error)}); check the file") from None


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def connect(
    memory: str | None = None, threads: int | None = None, database: Path | None = None
) -> "tuple[Any, Scratch]":
    """Return a connection of its own, and the folder for what does not fit in memory."""
    import duckdb

    folder = Scratch()
    connection = duckdb.connect(str(database or ":memory:"), read_only=database is not None)
    connection.execute("SET autoinstall_known_extensions = false")  # nothing is fetched
    connection.execute("SET python_enable_replacements = false")  # no variable of ours is a table
    connection.execute(f"SET temp_directory = {text_literal(folder.name)}")
    connection.execute("SET preserve_insertion_order = false")
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET TimeZone = 'UTC'")
    threads = threads or _threads_from_environment()
    if threads is not None:
        connection.execute(f"SET threads = {threads}")
    if memory is not None:
        try:
            connection.execute(f"SET memory_limit = {text_literal(memory)}")
        except duckdb.Error:
            raise InputError(f"--memory {memory!r} is no amount of memory; write e.g. 2GB or 800MB") from None
    return connection, folder


def _threads_from_environment() -> int | None:
    """Return how many threads the environment allows; what is no number stands for one."""
    setting = os.environ.get("OMP_NUM_THREADS")
    if setting is None:
        return None
    first = setting.split(",")[0].strip()  # OpenMP takes one number for each level of nesting
    return max(1, int(first)) if first.isdecimal() else 1


def parquet_source(files: Sequence[Path]) -> str:
    """Write what to select from for Parquet files of one table."""
    listed = ", ".join(text_literal(str(file)) for file in files)
    return f"read_parquet([{listed}], union_by_name = true)"


def quoted(name: str) -> str:
    """Write a name."""
    return identifier(name, dialect_of("duckdb"))


_MOST_TEXTS = 3_000_000
"""Most different texts of a column whose cells DuckDB cannot read by itself."""


def copied(rows: DuckEngine, plans: Mapping[str, ColumnPlan], *, loose: bool) -> DuckEngine:
    """Return the table with some text columns read by their plans."""
    assert rows.folder is not None, "there is a place for copies"
    items, joins = [], []
    for place, one in enumerate(rows.columns):
        column = f"r.{quoted(one.name)}"
        plan = plans.get(one.name)
        if plan is None:
            items.append(column)
            continue
        text = f"TRIM({column})" if loose else column
        read = _by_duckdb(text, plan, loose)
        if read is None:
            _map_texts(rows, one.name, text.replace("r.", "", 1), plan, place)
            joins.append(f"LEFT JOIN map{place} ON map{place}.t = {text}")
            read = f"map{place}.v"
        items.append(f"{read} AS {quoted(one.name)}")
    file = Path(rows.folder.name) / f"copy{len(list(Path(rows.folder.name).iterdir()))}.parquet"
    select = f"SELECT {', '.join(items)} FROM {rows.source} AS r {' '.join(joins)}"
    rows.execute(f"COPY ({select}) TO {text_literal(str(file))} (FORMAT parquet, COMPRESSION zstd)")
    return DuckEngine(rows.connection, parquet_source([file]), rows.folder)


def _by_duckdb(text: str, plan: ColumnPlan, loose: bool) -> str | None:
    """Write how DuckDB reads cells by a plan; None if it cannot."""
    if plan.kind is Kind.TEXT:
        marks = ", ".join(text_literal(mark) for mark in sorted(MISSING_MARKS))
        return f"CASE WHEN {text} IN ({marks}) THEN NULL ELSE {text} END" if loose else text
    dressed = plan.unit != ("", "") or plan.thousands or plan.decimal != "."
    if plan.kind is Kind.NUMBER or plan.no_and_yes == ZERO_ONE.no_and_yes:
        if dressed:
            return None
        value = f"TRY_CAST({text} AS DOUBLE)"
        return f"CASE WHEN ISFINITE({value}) THEN {value} END"
    if plan.kind is Kind.BOOLEAN:
        yes, no = "('true', '1', '1.0')", "('false', '0', '0.0')"
        return f"CASE WHEN LOWER({text}) IN {yes} THEN TRUE WHEN LOWER({text}) IN {no} THEN FALSE END"
    return None


def _map_texts(rows: DuckEngine, name: str, text: str, plan: ColumnPlan, place: int) -> None:
    """Keep what each different text of a column means, as a table of the database."""
    import pyarrow as pa

    found = rows.execute(f"SELECT DISTINCT {text} AS t FROM {rows.source} LIMIT {_MOST_TEXTS + 1}").fetchall()
    if len(found) > _MOST_TEXTS:
        raise InputError(
            f"column {name!r} holds more than {_MOST_TEXTS} different texts, too many for {plan.kind}s; "
            "write it as such, or leave it out (--without)"
        )
    texts = [one for (one,) in found if one is not None and one not in MISSING_MARKS]
    read = read_by(TextCells(np.arange(len(texts), dtype=np.int64), tuple(texts), loose=True), plan, name)
    values: Any = read.column.values
    meant = pa.table({"t": texts, "v": pa.array(values, mask=~read.column.known)})
    rows.connection.register(f"meant{place}", meant)
    rows.execute(f"CREATE OR REPLACE TEMP TABLE map{place} AS SELECT * FROM meant{place}")
    rows.connection.unregister(f"meant{place}")
