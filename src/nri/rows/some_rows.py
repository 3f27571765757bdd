"""Some rows of files of any size: a sample by a hash of the cells, for work that needs its rows in memory.

The sample does not depend on the order of rows or on the run. Rows are drawn with equal chances, so that
shares among them are those of all rows, up to chance. Where few rows differ, copies are dealt out evenly:
of n rows that are alike, a share p is taken, and the hash decides about the fraction that is left.
"""

from dataclasses import dataclass

import numpy as np

from nri.errors import InputError
from nri.rows.batches import as_frame
from nri.rows.duckdb import DuckEngine, connect, parquet_source, quoted
from nri.rows.engine import ROWS
from nri.rows.files import Files, delimiter_of, text_source
from nri.table.source import DelimitedText, Source
from nri.table.table import Note, logger

TAKEN = 20_000
"""About how many rows are taken by default."""
_ALIKE = 50
"""Fewer different rows than so many for each one wanted are counted one by one."""
_HASHES = 2.0**64
_HASH, _COPIES = "__nri_hash", "__nri_copies"


@dataclass(frozen=True, eq=False)
class SomeRows:
    """Rows that were taken from a larger table."""

    source: Source
    n_rows: int
    """rows of the whole table"""

    @property
    def note(self) -> str:
        """How many of how many rows were taken, in one line."""
        if len(self.source) == self.n_rows:
            return f"all {self.n_rows} rows were taken"
        return f"{len(self.source)} of {self.n_rows} rows were taken, by a hash of their cells"


def some_rows(files: Files, size: int = TAKEN, *, memory: str | None = None) -> SomeRows:
    """Take about so many rows of files, by a hash of their cells; of a table that has no more, all."""
    connection, folder = connect(memory)
    engine = DuckEngine(connection, "", folder)
    try:
        engine.source = parquet_source(files.paths) if files.parquet else text_source(files)
        return _drawn(engine, files, size)
    finally:
        engine.close()


def _drawn(engine: DuckEngine, files: Files, size: int) -> SomeRows:
    for one in engine.columns:
        if one.kind is None:
            logger.warning("%s", Note(one.name, "lists, structures and bytes are left out"))
    columns = [quoted(one.name) for one in engine.columns if one.kind is not None]
    listed = ", ".join(columns)
    hashed = f"hash({listed})"
    asked = engine.query(
        f"SELECT COUNT(*) AS n, approx_count_distinct({hashed}) AS d FROM {ROWS}"
    ).to_pydict()
    n_rows, different = int(asked["n"][0]), int(asked["d"][0])
    share = min(1.0, size / max(n_rows, 1))
    if share == 1.0 or different >= _ALIKE * size:
        below = f"WHERE {_HASH} <= {int(share * _HASHES)}" if share < 1.0 else ""
        taken = engine.query(
            f"SELECT * FROM (SELECT {listed}, {hashed} AS {_HASH} FROM {ROWS}) {below} ORDER BY {_HASH}"
        ).drop_columns([_HASH])
    else:
        groups = f"SELECT {listed}, {hashed} AS {_HASH}, COUNT(*) AS {_COPIES} FROM {ROWS} GROUP BY ALL"
        found = engine.query(f"{groups} ORDER BY {_HASH}")
        fraction, copies = (np.asarray(found.column(one).to_numpy(), np.float64) for one in (_HASH, _COPIES))
        dealt = np.floor(share * copies + fraction / _HASHES).astype(np.int64)
        taken = found.drop_columns([_HASH, _COPIES]).take(np.repeat(np.arange(found.num_rows), dealt))
    if not n_rows:
        raise InputError(f"{files.paths[0]} has no rows; give at least one row")
    if files.parquet:
        return SomeRows(Source(as_frame(taken)), n_rows)
    filled = [column.fill_null("") for column in taken.columns]
    taken = taken.from_arrays(filled, taken.column_names)
    return SomeRows(Source(taken, DelimitedText("", delimiter_of(files))), n_rows)
