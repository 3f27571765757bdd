"""Write: tables with their predictions, as CSV, TSV, Parquet or Excel; what was a file stays as it was.

A workbook keeps its other cells, sheets, formulas and formats; writing it needs openpyxl (extra ``excel``).
A text in it is never a formula. A file is written whole or not at all.
"""

import csv
import datetime as dt
import io
import itertools
import logging
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from copy import copy
from pathlib import Path
from typing import IO, Any

import numpy as np

from nri.errors import InputError, require_extra
from nri.rule import Column, ColumnPlan, Kind, spelled
from nri.table.excel import Workbook, column_letters
from nri.table.frames import columns_of, plain_cells
from nri.table.source import DelimitedText, Source

logger = logging.getLogger(__name__)

_BY_SUFFIX = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet"}
_BY_SUFFIX |= {".xlsx": "xlsx", ".xlsm": "xlsx"}
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_FORMULA_START = ("=", "+", "-", "@", "\t", "\r")
_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?([eE][+-]?[0-9]+)?")


@contextmanager
def atomic_file(path: str | Path, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a temporary file that replaces the path once it is complete; devices are written directly."""
    target = Path(path).resolve()  # a link stays a link: what it points to is replaced
    if os.path.isdir(target):
        raise InputError(f"{path} is a folder; name a file to write to")
    if not os.path.isdir(target.parent):
        raise InputError(f"there is no folder {target.parent} to write {target.name} to; make it first")
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    place = target if os.path.exists(target) and not os.path.isfile(target) else temporary
    try:
        with place.open("wb") if binary else place.open("w", encoding="utf-8", newline="") as file:
            yield file
            if place is target:
                return
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
        with suppress(OSError), ExitStack() as after:  # so that the new name outlasts a power cut
            folder = os.open(target.parent, os.O_RDONLY)
            after.callback(os.close, folder)
            os.fsync(folder)
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror or error}); choose another") from None
    finally:  # there is none left after success; after Ctrl-C there may be
        temporary.unlink(missing_ok=True)


def _opened(destination: str | Path | IO[Any], binary: bool = False) -> AbstractContextManager[IO[Any]]:
    """Open a path, to be written whole or not at all; a stream is taken as it is."""
    if isinstance(destination, str | Path):
        return atomic_file(destination, binary=binary)
    return nullcontext(destination)


def write_table(table: Any, destination: str | Path | IO[Any], *, format: str | None = None) -> None:
    """Write columns by their names, or any frame, whole or not at all; the name's ending says the format."""
    chosen, columns = format or format_of(destination), columns_of(table)
    if chosen not in _BY_SUFFIX.values():
        raise InputError(f"cannot write tables as {chosen!r}; use csv, tsv, parquet or xlsx")
    with _opened(destination, binary=chosen not in _DELIMITERS) as file:
        write_rows(columns, file, chosen)


def protect_from_formulas(cell: Any) -> Any:
    """Return a text cell so that no spreadsheet runs it; anything else as it is."""
    if not isinstance(cell, str) or not cell.startswith(_FORMULA_START):
        return cell
    harmless = cell in ("+", "-") or _PLAIN_NUMBER.fullmatch(cell)
    return cell if harmless else "'" + cell


def format_of(destination: str | Path | IO[str]) -> str:
    """Return the format that a name's ending asks for; CSV if it has none."""
    if not isinstance(destination, str | Path):
        return "csv"
    suffix = Path(destination).suffix.lower()
    if suffix and suffix not in _BY_SUFFIX:
        raise InputError(f"no table format ends in {suffix!r}; use .csv, .tsv, .xlsx or .parquet")
    return _BY_SUFFIX.get(suffix, "csv")


def write_rows(columns: Mapping[str, Any], file: IO[Any], format: str, *, header: bool = True) -> None:
    """Write rows to an open file; in CSV and TSV they may be without the names above them."""
    if format == "parquet":
        require_extra("parquet", "writing a Parquet file", "pyarrow")
        import pyarrow as pa
        from pyarrow import parquet

        cells = {name: x if isinstance(x, np.ndarray) else plain_cells(x) for name, x in columns.items()}
        parquet.write_table(pa.table(cells), file)
        return
    if format == "xlsx":
        book = _openpyxl().Workbook()
        _put_columns(book.active, columns, 1, range(1, len(next(iter(columns.values()))) + 2))
        book.active.freeze_panes = "A2"
        book.save(file)
        return
    writer = csv.writer(file, delimiter=_DELIMITERS[format], lineterminator="\n")
    if header:
        writer.writerow(columns)
    writer.writerows(zip(*map(as_written, map(plain_cells, columns.values())), strict=True))


def as_written(cells: list[Any]) -> list[Any]:
    """Return cells as they stand in a text: true and false as rules spell them, days alone."""
    moments = [cell for cell in cells if isinstance(cell, dt.datetime)]
    if moments and all(one.tzinfo is None and one.time() == dt.time() for one in moments):
        cells = [cell.date() if isinstance(cell, dt.datetime) else cell for cell in cells]
    return [spelled(x) if isinstance(x, bool | np.bool_) else x for x in cells]


def write_beside(source: Source, added: Mapping[str, Any], destination: str | Path | IO[str]) -> None:
    """Write a table with more columns at its end.

    Cells of a delimited text are written as they were, at the same delimiter unless the name asks for another
    format. A file is replaced only when the new one is complete.
    """
    format, added = format_of(destination), columns_of(added)
    if format == "xlsx" and source.workbook is not None and source.workbook.can_be_kept:
        with _opened(destination, binary=True) as file:
            write_into_workbook(source.workbook, added, file)
        return
    text = source.written
    wanted = None if text is None else delimiter_for(destination, text.delimiter)
    lines = None if text is None or wanted is None else lines_beside(text, added, wanted)
    if lines is None:  # so nothing is written beside a wrong row
        write_table({**typed_columns(source), **added}, destination)
        return
    with _opened(destination) as file:
        file.writelines(lines)


def lines_beside(text: DelimitedText, added: Mapping[str, Any], delimiter: str) -> list[str] | None:
    """Return the lines of a text, its header first, with more cells behind; None if rows do not match."""
    same = text.delimiter == delimiter
    records = _records(text, simple=same and '"' not in text.text and "\r" not in text.text)
    columns = map(as_written, map(plain_cells, added.values()))
    rows = [tuple(added), *zip(*columns, strict=True)]
    if len(records) != len(rows):
        return None
    usual_end = records[0][1] or "\n"
    # predictions have few different values
    joined = {cells: _joined(cells, delimiter) for cells in set(rows)}
    lines = []
    for (written, end, fields), cells in zip(records, rows, strict=True):
        old = written if same else _joined(fields, delimiter)
        lines.append(f"{old}{delimiter}{joined[cells]}{end or usual_end}")
    return lines


def delimiter_for(destination: str | Path | IO[str], delimiter: str) -> str | None:
    """Return the delimiter to write: as read, unless the name's ending says otherwise; None for no text."""
    format = format_of(destination)
    if format not in _DELIMITERS:
        return None
    named = isinstance(destination, str | Path) and Path(destination).suffix
    return _DELIMITERS[format] if named and "\t" in (delimiter, _DELIMITERS[format]) else delimiter


def typed_columns(source: Source) -> dict[str, Any]:
    """Return the columns with types; those of a text file get the types that they were read as."""
    if source.written is None:
        return dict(source.rows)
    table = source.table()
    return {name: _typed(column, table.plans[name]) for name, column in table.columns.items()}


def _typed(column: Column, plan: ColumnPlan) -> Any:
    if column.kind is Kind.TEXT:
        return column.texts
    values = column.values
    if plan.is_zero_one or (column.kind is Kind.NUMBER and plan.whole):
        values = np.where(column.known, values, 0).astype(np.int64)
    return np.ma.array(values, mask=~column.known)


def _records(text: DelimitedText, *, simple: bool) -> list[tuple[str, str, list[str]]]:
    """Return each record of a text as it is written, its end and, unless it is simple, its fields."""
    if simple:
        return [(line, "\n", []) for line in text.text.split("\n") if line.strip() or text.delimiter in line]
    lines, start, records = list(io.StringIO(text.text, newline="")), 0, []
    reader = csv.reader(lines, delimiter=text.delimiter, skipinitialspace=True)
    try:
        for fields in reader:
            written, start = "".join(lines[start : reader.line_num]), reader.line_num
            body = written.rstrip("\r\n")
            if body.strip() or text.delimiter in body:  # blank lines are no rows
                records.append((body, written[len(body) :], fields))
    except csv.Error:
        return []
    return records


def _joined(cells: Sequence[Any], delimiter: str) -> str:
    """Return cells in one line, in quotation marks where they need them."""
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator="").writerow(cells)
    return file.getvalue()


def write_into_workbook(place: Workbook, added: Mapping[str, Any], file: IO[bytes]) -> None:
    """Write the workbook with more columns at the right of the table that was read."""
    book = _openpyxl().load_workbook(io.BytesIO(place.content), keep_vba=b"vbaProject.bin" in place.content)
    sheet, rows = book[place.sheet], [row + 1 for row in (place.header, *place.rows)]
    first = _free_column(sheet, rows, place.right + 2, len(added))
    _put_columns(sheet, added, first, rows, sheet.cell(rows[0], place.right + 1))
    book.save(file)


def _free_column(sheet: Any, rows: Sequence[int], wanted: int, width: int) -> int:
    """Return the first of some columns, from the one that is wanted on, that are empty in these rows."""

    def is_free(first: int) -> bool:
        return all(sheet.cell(row, first + i).value is None for row in rows for i in range(width))

    first = next(filter(is_free, itertools.count(wanted)))
    if first > wanted:
        column = column_letters(first - 1)
        logger.warning("the columns beside the table are taken; predictions are in column %s", column)
    return first


def _put_columns(
    sheet: Any, columns: Mapping[str, Any], first: int, rows: Sequence[int], like: Any = None
) -> None:
    """Put names and cells into these rows of a sheet from a column on, the names styled like some cell."""
    for column, (name, cells) in enumerate(columns.items(), start=first):
        for row, value in zip(rows, [name, *plain_cells(cells)], strict=True):
            cell = sheet.cell(row, column)
            cell.value = value.item() if isinstance(value, np.generic) else value
            if cell.data_type == "f":  # a text that begins with = is a text
                cell.data_type = "s"
        if like is not None and like.has_style:
            sheet.cell(rows[0], column)._style = copy(like._style)


def _openpyxl() -> Any:
    require_extra("excel", "writing an Excel workbook", "openpyxl")
    import openpyxl

    return openpyxl
