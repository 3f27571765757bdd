"""Files of any size: which way a file goes, and how DuckDB opens it."""

import bz2
import csv
import glob
import gzip
import os
import shutil
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from nri.errors import InputError, require_extra, similar_files
from nri.rows.engine import NOT_UTF8, ROWS, Duck, DuckEngine, copied, parquet_source, quoted
from nri.rule import ColumnPlan, Kind
from nri.rule.render.sql_dialects import float_literal, text_literal
from nri.table.cells import check_distinct, text_cells
from nri.table.codes import DEFAULT, ReadOptions
from nri.table.delimited import sniff_delimiter
from nri.table.source import DelimitedText, Source, understand
from nri.table.table import Note, logger

ENGINES = ("auto", "memory", "duckdb")
LARGE_ROWS = 300_000  # Rows of a Parquet file from which on it is left where it is.
LARGE_BYTES = 60_000_000  # The same for the bytes of a text file; of a compressed one a fifth of it.
_LONG = 20_000  # Least rows of a large text file: a wide one of fewer rows is read into memory.
_COMPRESSED = (".gz", ".zst", ".bz2")
_TEXT = {".csv": None, ".txt": None, ".tsv": "\t", ".tab": "\t"}
_PARQUET = (".parquet", ".pq")
_LOOKED_AT = 20_000  # About so many rows of a text file say what its columns mean.
_START = 1 << 16


@dataclass(frozen=True)
class Files:
    """Files that are one table."""

    paths: tuple[Path, ...]
    parquet: bool
    delimiter: str | None = None  # of text files, where the name says it

    @property
    def size(self) -> int:
        """Bytes, of compressed text about as many as it unpacks to."""
        return sum(os.path.getsize(path) * (5 if path.suffix in _COMPRESSED else 1) for path in self.paths)

    @property
    def many(self) -> bool:
        """Whether they are more than one."""
        return len(self.paths) > 1

    @property
    def is_large(self) -> bool:
        """Whether they stay on disk unless the user says otherwise."""
        if self.many:
            return True
        if self.parquet:
            with suppress(InputError), closing(Duck()) as duck:  # reading it reports what is wrong
                about = f"parquet_file_metadata({text_literal(str(self.paths[0]))})"
                return int(duck.execute(f"SELECT sum(num_rows) FROM {about}")[0][0]) > LARGE_ROWS
        if self.size <= LARGE_BYTES:
            return False
        start = _start(self.paths[0], 16 * _START)
        return self.size * max(start.count(b"\n"), 1) > _LONG * len(start)


def files_of(place: str) -> Files | None:
    """Return the files that a name or a pattern stands for; None if an engine cannot read them.

    >>> files_of("-") is None
    True
    """
    names = [place] if os.path.isfile(place) else sorted(glob.glob(place, recursive=True))
    paths = tuple(Path(name) for name in names if os.path.isfile(name))
    if not paths:
        if glob.has_magic(place):
            raise InputError(f"no file is called like {place}{similar_files(Path(place))}; check the pattern")
        return None
    lower = [Path(path.name.lower()) for path in paths]
    endings = {Path(one.stem).suffix if one.suffix in _COMPRESSED else one.suffix for one in lower}
    if endings <= set(_PARQUET):
        return Files(paths, parquet=True)
    if endings <= set(_TEXT) and len({_TEXT[ending] for ending in endings}) == 1:
        return Files(paths, parquet=False, delimiter=_TEXT[endings.pop()])
    if len(paths) > 1:
        raise InputError(f"{place} stands for files of several kinds; give CSV or Parquet files of one table")
    return None


def goes_by_engine(place: str, engine: str = "auto") -> Files | None:
    """Return the files if DuckDB is to answer for them, None if they are to be read into memory."""
    if engine not in ENGINES:
        raise InputError(f"no engine {engine!r}; use one of {', '.join(ENGINES)}")
    files = files_of(place)
    if engine == "memory" and files is not None and files.many:
        raise InputError(f"{place} stands for {len(files.paths)} files; leave --engine memory out")
    if engine == "duckdb" and files is None:
        raise InputError(f"--engine is for CSV, TSV and Parquet files, {place} is none; leave it out")
    if engine == "memory" or files is None:
        return None
    return files if engine == "duckdb" or files.is_large else None


def open_files(
    files: Files,
    *,
    memory: str | None = None,
    options: Callable[[Sequence[str]], ReadOptions] = lambda names: DEFAULT,
) -> DuckEngine:
    """Open files where they are; texts are copied once, since every cell of them must be understood."""
    connection = Duck(memory)
    free = shutil.disk_usage(connection.folder).free
    if not files.parquet and files.size > 2 * free:  # a columnar copy takes a third to a half
        need = f"{files.size // 2**20} MB of text need room in {connection.folder}"
        remedy = "set TMPDIR to a larger disk, or write the table as Parquet"
        raise InputError(f"{need}, which has {free // 2**20} MB left; {remedy}")
    rows = DuckEngine(connection, _source(files))
    if files.parquet:
        return rows
    return copied(rows, _plans(rows, files, options([one.name for one in rows.columns])), loose=True)


def _source(files: Files) -> str:
    """Write what to select from; every cell of a text file is text."""
    if files.parquet:
        return parquet_source(files.paths)
    listed, delimiter = ", ".join(text_literal(str(path)) for path in files.paths), delimiter_of(files)
    (above, names), *others = [_header(path, delimiter) for path in files.paths]
    typed = ", ".join(f"{text_literal(name)}: 'VARCHAR'" for name in names)
    options = f"header = false, auto_detect = false, skip = {above}, columns = {{{typed}}}"
    if any(one != (above, names) for one in others):
        options = "header = true, all_varchar = true, union_by_name = true"
    return (
        f"""read_csv([{listed}], {options}, delim = {text_literal(delimiter)}, quote = '"', escape = '"')"""
    )


def _header(path: Path, delimiter: str) -> tuple[int, list[str]]:
    """Return how many lines a text file has up to its names, and these as memory has them."""
    start = _start(path, 64 * _START)
    try:
        text = start[: start.rfind(b"\n") + 1 or None].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: {NOT_UTF8}") from None
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    above, cells = next((one for one in enumerate(rows, start=1) if any(map(str.strip, one[1]))), (0, []))
    if not above:
        raise InputError(f"{path} is empty; give a table with a header line and at least one row")
    names = [cell.strip() or f"column {place}" for place, cell in enumerate(cells, start=1)]
    alike = names if len({*names}) < len(names) else map(str.lower, names)  # which are one to DuckDB
    check_distinct(alike, str(path), " (the first line must hold the names)")
    return above, names


def delimiter_of(files: Files) -> str:
    """Return what stands between the cells of text files."""
    if files.delimiter is not None:
        return files.delimiter
    start = _start(files.paths[0], _START).decode("utf-8", errors="replace")
    return sniff_delimiter(start[: start.rfind("\n") + 1] or start)


def _start(path: Path, size: int) -> bytes:
    """Return the first bytes of a text file."""
    with open_bytes(path) as file:
        try:
            return bytes(file.read(size))
        except (OSError, EOFError, zlib.error):  # what unpacking raises
            raise InputError(f"{path} is damaged: it cannot be uncompressed; get it again") from None


def open_bytes(path: Path) -> Any:
    """Open a file; compression that its name speaks of is undone."""
    if path.suffix == ".zst":
        require_extra("parquet", f"{path} is compressed by zstd, which", "pyarrow")
        import pyarrow as pa

        return pa.input_stream(str(path), compression="zstd")
    if path.suffix == ".gz":
        return gzip.open(path)
    return bz2.open(path) if path.suffix == ".bz2" else path.open("rb")


def _plans(rows: DuckEngine, files: Files, options: ReadOptions) -> dict[str, ColumnPlan]:
    """Decide what the columns of a text file mean, by rows that are chosen by a hash of their cells."""
    names, duck = [one.name for one in rows.columns], rows.connection
    listed = ", ".join(map(quoted, names))
    if not (start := duck.execute(f"SELECT {listed} FROM {rows.source} LIMIT 1000")):
        raise InputError(f"{files.paths[0]} has no rows; give at least one row")
    width = sum(len(str(cell)) + 1 for row in start for cell in row) / len(start)
    every = max(1, int(files.size / width / _LOOKED_AT))
    drawn = duck.execute(f"SELECT {listed} FROM {rows.source} WHERE hash({listed}) % {every} = 0")
    comma = delimiter_of(files) == ";"
    plans = {}
    for name, column in zip(names, zip(*(drawn or start), strict=True), strict=True):
        cells = np.array(["" if cell is None else cell for cell in column], dtype=object)
        read = understand(text_cells(cells), name, options, decimal_comma=comma)
        if read.note and read.plan.kind is not Kind.TEXT:  # of texts all are asked for later
            logger.warning("%s", Note(name, f"in a sample of {len(cells)} rows, {read.note}"))
        plans[name] = read.plan
    return plans


_ALIKE = 50  # Fewer different rows than so many for each one wanted are counted one by one.
_HASHES = 2.0**64


def some_rows(files: Files, size: int) -> tuple[Source, int]:
    """Take about so many rows of files by a hash of their cells, to be held in memory, and count all.

    Rows have equal chances. Where few differ, of n equal rows a share is taken; the hash decides on the rest.
    """
    with closing(Duck()) as connection:
        engine = DuckEngine(connection, _source(files))
        listed = ", ".join(quoted(one.name) for one in engine.usable())
        hashed = f"hash({listed})"
        counts = engine.figures({"n": "COUNT(*)", "d": f"approx_count_distinct({hashed})"})
        n_rows = int(counts["n"])
        share = min(1.0, size / max(n_rows, 1))
        if share == 1.0 or counts["d"] >= _ALIKE * size:
            rows = f"{ROWS} WHERE {hashed} <= {int(share * _HASHES)} ORDER BY {hashed}"
        else:
            copies = f"SELECT {listed}, {hashed} AS nri_hash, COUNT(*) AS nri_n FROM {ROWS} GROUP BY ALL"
            dealt = f"FLOOR({float_literal(share)} * nri_n + nri_hash / {float_literal(_HASHES)})"
            rows = f"({copies}) AS c, UNNEST(RANGE(CAST({dealt} AS BIGINT))) ORDER BY nri_hash"
        drawn = engine.query(f"SELECT {listed} FROM {rows}")
    if not n_rows:
        raise InputError(f"{files.paths[0]} has no rows; give at least one row")
    if files.parquet:
        return Source(drawn), n_rows
    filled = {name: np.ma.filled(cells, "") for name, cells in drawn.items()}
    return Source(filled, DelimitedText("", delimiter_of(files))), n_rows
