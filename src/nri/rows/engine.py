"""Engines: what answers queries in SQL about a table that need not fit in memory.

Every query is on one name, :data:`ROWS`; what comes back are aggregates, or a sample. DuckDB runs inside this
process and reads files where they are; others are in :mod:`nri.rows.database`.
"""

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray
from nri.errors import InputError, require_extra
from nri.rule import ColumnPlan, Kind
from nri.rule.render.sql_dialects import Dialect, dialect_of, float_literal, identifier, text_literal
from nri.table.by_plan import read_by
from nri.table.cells import MISSING_MARKS, TextCells, objects_of
from nri.table.frames import plain_cells
from nri.table.parquet import INDEX
from nri.table.table import Note, logger
from nri.texts import first_line

ROWS = "nri_rows"  # What the table is called in queries.
_KINDS = {
    r"bool(ean)?": Kind.BOOLEAN,
    r"u?(tiny|small|big|huge)?int(eger)?\d*|(float|double|decimal)\d*(\(.*\))?": Kind.NUMBER,
    r"date|timestamp[^\[]*": Kind.DATE,
    r"(varchar|string|enum|uuid)(\(.*\))?": Kind.TEXT,
}
"""What the names of types mean, as DuckDB, Spark and ibis call them."""
_AS_TEXT = re.compile(r"ENUM\(|UUID$")
_MOST_TEXTS = 3_000_000  # Most different texts of a column whose cells DuckDB cannot read by itself.
_IN_TEXT = re.compile(r"(?s)Line: (\d+).*?(?:Columns: (\d+) Found: (\d+)|not utf-8).*\n\s*file = ([^\n]+)")
NOT_UTF8 = "it is not UTF-8; save it as UTF-8, or read it into memory (--engine memory)"


Answer = dict[str, NDArray[Any]]
"""The columns that a query gives, by their names; cells that are NULL are masked, or None."""


@dataclass(frozen=True)
class RawColumn:
    """A column as the engine has it."""

    name: str
    kind: Kind | None  # None if its cells are nothing that a rule could use: lists, structures, bytes
    floating: bool = False  # whether it holds fractions by its type


@dataclass(eq=False)
class Engine:
    """A table in an engine."""

    dialect: Dialect
    columns: Sequence[RawColumn]
    query: Callable[[str], Answer]  # answers a query on :data:`ROWS`
    close: Callable[[], None] = lambda: None
    """ends the connection, unless it is the caller's, and removes what was kept on disk for it"""
    plans: Mapping[str, ColumnPlan] = field(default_factory=dict)
    """how columns are read that were texts before they were copied"""

    def kept(self, sql: str) -> str:
        """Return what to select from for the answer to a query that others ask about."""
        return f"({sql}) AS kept"

    def usable(self) -> list[RawColumn]:
        """Return the columns that a rule could use, with a note on each other one."""
        for one in self.columns:
            if one.kind is None:
                logger.warning("%s", Note(one.name, "lists, structures and bytes are left out"))
        return [one for one in self.columns if one.kind is not None]

    def figures(self, items: Mapping[str, str], where: str = "") -> dict[str, Any]:
        """Return aggregates of all rows by their names."""
        answer = self.query(select(items, where)) if items else {}
        return {name: plain_cells(cells)[0] for name, cells in answer.items()}

    def counted(self, keys: Mapping[str, str], where: str = "") -> Answer:
        """Return the different values of expressions, and as ``n`` how many rows have them."""
        places = ", ".join(str(place) for place in range(1, len(keys) + 1))
        return self.query(f"{select({**keys, 'n': 'COUNT(*)'}, where)} GROUP BY {places}")

    def distinct(self, column: str) -> tuple[NDArray[Any], FloatArray]:
        """Return the different cells of a column, in no order, and how many rows hold each."""
        answer = self.counted({"v": identifier(column, self.dialect)})
        return objects_of(plain_cells(answer["v"])), answer["n"].astype(np.float64)


def select(items: Mapping[str, str], where: str = "") -> str:
    """Write a query on the rows: expressions by their names, and which rows."""
    listed = ", ".join(f"{expression} AS {alias}" for alias, expression in items.items())
    return f"SELECT {listed} FROM {ROWS}" + (f" WHERE {where}" if where else "")


def raw_column(name: str, type_name: str) -> RawColumn:
    """Return a column by the name of its type.

    >>> raw_column("x", "DECIMAL(10,2)").floating, raw_column("x", "INTEGER[]").kind
    (True, None)
    """
    written = type_name.lower().removeprefix("!")  # which ibis writes where no cell is missing
    kind = next((kind for one, kind in _KINDS.items() if re.fullmatch(one, written, re.DOTALL)), None)
    return RawColumn(name, kind, floating=kind is Kind.NUMBER and "int" not in written)


class Duck:
    """A connection to DuckDB, and a folder for what does not fit in memory, which goes with it."""

    def __init__(self, memory: str | None = None, database: Path | None = None) -> None:
        require_extra(None, "a table that stays in its files", "duckdb")
        import duckdb

        self.folder = Path(tempfile.mkdtemp(prefix="nri-engine-"))
        self._remove_folder = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.raw: Any = duckdb.connect(str(database or ":memory:"), read_only=database is not None)
        # nothing is fetched, and no variable of ours is a table
        off = ("autoinstall_known_extensions", "python_enable_replacements")
        for setting in (*off, "preserve_insertion_order", "enable_progress_bar"):
            self.raw.execute(f"SET {setting} = false")
        self.raw.execute(f"SET temp_directory = {text_literal(str(self.folder))}; SET TimeZone = 'UTC'")
        if (allowed := os.environ.get("OMP_NUM_THREADS")) is not None:
            first = allowed.partition(",")[0].strip()  # OpenMP takes one number for each level of nesting
            self.raw.execute(f"SET threads = {max(1, int(first)) if first.isdecimal() else 1}")
        try:
            if memory is not None:
                self.raw.execute(f"SET memory_limit = {text_literal(memory)}")
        except duckdb.Error:
            raise InputError(f"--memory {memory!r} is no amount of memory; write e.g. 2GB or 800MB") from None

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a statement, and return the rows that it gives; errors come also while they are fetched."""
        with _one_line_errors():
            return list(self.raw.execute(sql).fetchall())

    def copy(self, sql: str) -> str:
        """Write the answer to a query into the folder, and return what to select from."""
        file = self.folder / f"copy{len(list(self.folder.iterdir()))}.parquet"
        self.execute(f"COPY ({sql}) TO {text_literal(str(file))} (FORMAT parquet, COMPRESSION zstd)")
        return parquet_source([file])

    def close(self) -> None:
        """End the connection, and remove what was kept on disk."""
        with suppress(Exception):
            self.raw.close()
        self._remove_folder()


class DuckEngine(Engine):
    """A table that DuckDB answers queries on."""

    def __init__(self, connection: Duck, source: str, plans: Mapping[str, ColumnPlan] | None = None) -> None:
        """``source`` is what to select from."""
        described = connection.execute(f"DESCRIBE SELECT * FROM {source}")
        # what numpy has no type for comes as text
        texts = [quoted(name) for name, kind, *_ in described if _AS_TEXT.match(kind)]
        instead = f"REPLACE ({', '.join(f'{one}::VARCHAR AS {one}' for one in texts)})" if texts else ""
        rows = f"SELECT * {instead} FROM {source}"

        def query(sql: str) -> Answer:
            with _one_line_errors():
                return dict(connection.raw.execute(f"{self.head} {sql}").fetchnumpy())

        self.connection, self.source, self.head = connection, source, f"WITH {ROWS} AS ({rows})"
        columns = [raw_column(one[0], one[1]) for one in described if not one[0].startswith(INDEX)]
        super().__init__(dialect_of("duckdb"), columns, query, connection.close, plans or {})

    def kept(self, sql: str) -> str:
        """Write the answer to a file, so that it is computed once."""
        return self.connection.copy(f"{self.head} {sql}")


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Report what went wrong in the database in one line."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        cause = f"the memory that DuckDB may use does not suffice ({first_line(error)})"
        raise InputError(f"{cause}; give it more, e.g. --memory 4GB, or fewer columns") from None
    except (duckdb.InterruptException, RuntimeError) as error:
        if "interrupted" not in str(error):
            raise
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        if (place := _IN_TEXT.search(str(error))) is None:
            raise InputError(f"DuckDB cannot read the table ({first_line(error)}); check the file") from None
        line, wanted, n_fields, file = place.groups()  # as memory says it
        remedy = "correct the line, and quote cells that contain the delimiter"
        cause = f"{n_fields} field(s) where the header has {wanted}; {remedy}" if n_fields else NOT_UTF8
        raise InputError(f"{file}, line {line}: {cause}") from None


def parquet_source(files: Sequence[Path]) -> str:
    """Write what to select from for Parquet files of one table."""
    listed = ", ".join(text_literal(str(file)) for file in files)
    return f"read_parquet([{listed}], union_by_name = true)"


def quoted(name: str) -> str:
    """Write a name."""
    return identifier(name, dialect_of("duckdb"))


def copied(rows: DuckEngine, plans: Mapping[str, ColumnPlan], *, loose: bool) -> DuckEngine:
    """Return the table with some text columns read by their plans."""
    replaced, joins = [], []
    for place, (name, plan) in enumerate(plans.items()):
        cell = f"r.{quoted(name)}"
        text = f"TRIM({cell})" if loose else cell
        read = _by_duckdb(text, plan, loose)
        if read is None:
            _map_texts(rows, name, text, plan, f"map{place}")
            joins.append(f"LEFT JOIN map{place} ON map{place}.t = {text}")
            read = f"map{place}.v"
        replaced.append(f"{read} AS {quoted(name)}")
    listed = f"r.* REPLACE ({', '.join(replaced)}) FROM {rows.source} AS r {' '.join(joins)}"
    return DuckEngine(rows.connection, rows.connection.copy(f"SELECT {listed}"), {**rows.plans, **plans})


def _by_duckdb(text: str, plan: ColumnPlan, loose: bool) -> str | None:
    """Write how DuckDB reads cells by a plan; None if it cannot."""
    if plan.kind is Kind.TEXT:
        marks = sorted({*(MISSING_MARKS if loose else ()), *plan.missing})
        listed = ", ".join(text_literal(word) for word in marks)
        return f"CASE WHEN {text} IN ({listed}) THEN NULL ELSE {text} END" if marks else text
    formatted = plan.unit != ("", "") or plan.thousands or plan.decimal != "."
    if plan.kind is Kind.NUMBER or plan.is_zero_one:
        if formatted:
            return None
        value = f"TRY_CAST({text} AS DOUBLE)"
        codes = "".join(f" AND {value} <> {float_literal(code)}" for code in plan.missing_values)
        return f"CASE WHEN ISFINITE({value}){codes} THEN {value} END"
    if plan.kind is Kind.BOOLEAN:
        yes, no = "('true', '1', '1.0')", "('false', '0', '0.0')"
        return f"CASE WHEN LOWER({text}) IN {yes} THEN TRUE WHEN LOWER({text}) IN {no} THEN FALSE END"
    return None


def _map_texts(rows: DuckEngine, name: str, text: str, plan: ColumnPlan, into: str) -> None:
    """Register what each different text of a column means, as a table of the connection."""
    duck = rows.connection
    cells = duck.execute(f"SELECT DISTINCT {text} FROM {rows.source} AS r LIMIT {_MOST_TEXTS + 1}")
    if len(cells) > _MOST_TEXTS:
        cause = f"column {name!r} holds more than {_MOST_TEXTS} different texts, too many for {plan.kind}s"
        raise InputError(f"{cause}; write it as such, or leave it out (--without)")
    texts = [one for (one,) in cells if one is not None and one not in MISSING_MARKS]
    read = read_by(TextCells(np.arange(len(texts), dtype=np.int64), tuple(texts), loose=True), plan, name)
    values = np.ma.array(read.column.values, mask=~read.column.known)
    duck.raw.register(into, {"t": objects_of(texts), "v": values})
