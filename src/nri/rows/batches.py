"""Batches: the rows of files of any size in their order, some at a time.

Parquet files come as pyarrow tables, text files as pieces of text that end where a row ends.
"""

import codecs
import csv
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING

from nri.errors import InputError, require_extra
from nri.rows.files import Files, delimiter_of, open_bytes
from nri.table.delimited import read_delimited
from nri.table.files import check_control
from nri.table.parquet import INDEX
from nri.table.source import DelimitedText, Source, source_of

if TYPE_CHECKING:
    import pyarrow as pa

_CELLS = 2_000_000  # About so many cells of a Parquet file are held at once.
_LETTERS = 1 << 24  # About so many letters of a text file are held at once.


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows, one after the other."""

    first: int  # number of the first one, from 1
    rows: "pa.Table"  # their cells; of text files all texts
    written: DelimitedText | None = None  # the piece of a text file that they were, below its header

    def __len__(self) -> int:
        return int(self.rows.num_rows)

    @property
    def last(self) -> int:
        """Number of the last one."""
        return self.first + len(self) - 1

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.rows.column_names)

    def source(self, names: Iterable[str]) -> Source:
        """Return some columns, where there are such, as a table of unread cells."""
        rows = self.rows.select([one for one in names if one in self.names])
        if self.written is not None:
            return Source(dict(zip(rows.column_names, rows.columns, strict=True)), self.written)
        return source_of(rows) if rows.num_columns else Source({})


def batches(files: Files, columns: Collection[str] | None = None) -> Iterator[Batch]:
    """Yield all rows of files of one table, file after file; of Parquet files only the columns asked for."""
    require_extra(
        "parquet", "a table whose rows are read some at a time (--engine memory reads all)", "pyarrow"
    )
    first = 1
    for rows, written in _parquet(files, columns) if files.parquet else _texts(files):
        yield Batch(first, rows, written)
        first += rows.num_rows
    if first == 1:
        raise InputError(f"{files.paths[0]} has no rows; give at least one row")


_Rows = tuple["pa.Table", DelimitedText | None]  # Cells, and the piece of a text file that they were.


def _parquet(files: Files, columns: Collection[str] | None) -> Iterator[_Rows]:
    """Read Parquet files; columns that some of them lack are empty there."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schemas = [_selected(parquet.read_schema(path), columns) for path in files.paths]
        schema = pa.unify_schemas(schemas, promote_options="permissive").remove_metadata()
        at_once = max(1000, min(1 << 17, _CELLS // max(len(schema), 1)))
        for path, own in zip(files.paths, schemas, strict=True):
            with parquet.ParquetFile(path, pre_buffer=False) as file:  # else what was read is kept
                for part in file.iter_batches(at_once, columns=own.names, use_threads=False):
                    rows = [schema.empty_table(), pa.Table.from_batches([part])]
                    yield pa.concat_tables(rows, promote_options="permissive"), None
    except pa.ArrowException as error:
        cause = " ".join(str(error).split())[:100]
        raise InputError(f"{files.paths[0]} is no readable Parquet file ({cause}); write it again") from None


def _selected(schema: "pa.Schema", columns: Collection[str] | None) -> "pa.Schema":
    import pyarrow as pa

    named = [field for field in schema if not field.name.startswith(INDEX)]
    wanted = [field for field in named if columns is None or field.name in columns]
    return pa.schema(wanted or named)  # without a column rows could not be counted


def _texts(files: Files) -> Iterator[_Rows]:
    import pyarrow as pa

    delimiter = delimiter_of(files)
    names: list[str] | None = None
    for path in files.paths:
        with TextIOWrapper(open_bytes(path), encoding=_encoding(path), newline="") as text:
            header = _finished(next(filter(str.strip, text), ""), text, delimiter)
            header += "" if header.endswith(("\n", "\r")) else "\n"
            for piece in _pieces(text, delimiter):
                check_control(piece, str(path))
                written = DelimitedText(header + piece, delimiter)
                cells = pa.table(read_delimited(written.text, str(path), delimiter))
                if names is not None and cells.column_names != names:
                    raise InputError(f"{path} has other columns than what was read before; name all alike")
                names = cells.column_names
                yield cells, written


def _encoding(path: Path) -> str:
    """Return how a file is encoded, as :func:`nri.table.files.decode` would find it."""
    with closing(open_bytes(path)) as file:
        if file.read(2) in (b"\xff\xfe", b"\xfe\xff"):
            return "utf-16"
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            with closing(open_bytes(path)) as file:
                for _ in codecs.iterdecode(iter(partial(file.read, _LETTERS), b""), encoding):
                    pass
            return encoding
        except UnicodeDecodeError:
            continue
        except OSError as error:
            raise InputError(f"{path} cannot be read ({error}); get it again") from None
    return "latin-1"


def _pieces(text: IO[str], delimiter: str) -> Iterator[str]:
    """Yield a text in pieces of some length that end where a row ends."""
    while block := text.read(_LETTERS):
        block += text.readline()  # also the second mark of an end of line
        if '"' in block:  # which may hold ends of lines
            block = _finished(block, text, delimiter)
        if block.strip():
            yield block


def _finished(lines: str, text: IO[str], delimiter: str) -> str:
    """Return lines with those that their last row goes on in, which are read from a text."""
    begun, more = StringIO(lines, newline="").readlines(), []

    def all_lines() -> Iterator[str]:
        yield from begun
        while line := text.readline():
            more.append(line)
            yield line

    reader = csv.reader(all_lines(), delimiter=delimiter, skipinitialspace=True)
    try:
        while reader.line_num < len(begun):
            next(reader)
    except csv.Error as error:
        raise InputError(f"a row cannot be split into cells ({error}); close its quotation marks") from None
    return "".join([lines, *more])
