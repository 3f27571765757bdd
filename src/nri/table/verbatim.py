"""Verbatim: columns added to a delimited text whose own cells stay as they were written."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pandas as pd

from nri.table.atomic import atomic_file
from nri.table.write import format_of, protect_from_formulas, write_table

_DELIMITERS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True, slots=True)
class DelimitedText:
    """A table as somebody wrote it, and what was read from it."""

    text: str
    delimiter: str


@dataclass(frozen=True, slots=True)
class _Record:
    written: str
    """the whole line, or lines if a cell has several, without its end"""
    end: str
    fields: list[str]


def write_beside(
    frame: pd.DataFrame,
    added: pd.DataFrame,
    source: DelimitedText | None,
    destination: str | Path | IO[str],
) -> None:
    r"""Write a table with more columns at its end.

    Cells of a delimited text are written as they were, at the same delimiter, so that long numbers, dates and
    marks for missing cells do not change. Only a name that asks for another format changes the delimiter.

    Parameters
    ----------
    frame : DataFrame
        The table as it was read, for everything but delimited text.
    added : DataFrame
        The new columns, with as many rows.
    source : DelimitedText, optional
        What the table was read from, if that is delimited text.
    destination : str, Path or text file object
        A file is replaced only when the new one is complete.

    Examples
    --------
    >>> file = io.StringIO()
    >>> source = DelimitedText("code;share\n007;1,10\n", ";")
    >>> write_beside(pd.DataFrame({"code": [7]}), pd.DataFrame({"said": ["yes"]}), source, file)
    >>> file.getvalue()
    'code;share;said\n007;1,10;yes\n'
    """
    format = format_of(destination)
    records = [] if source is None or format == "parquet" else _split(source)
    if source is None or len(records) != len(frame) + 1:  # so nothing is written beside a wrong row
        write_table(frame.join(added), destination)
        return
    delimiter = _delimiter_for(destination, format, source.delimiter)
    lines = _lines(records, added, source.delimiter, delimiter)
    if isinstance(destination, str | Path):
        with atomic_file(destination) as file:
            file.writelines(lines)
    else:
        destination.writelines(lines)


def _delimiter_for(destination: str | Path | IO[str], format: str, given: str) -> str:
    """Return the delimiter to write: the one that was read, unless the name's ending says otherwise."""
    named = isinstance(destination, str | Path) and Path(destination).suffix
    return _DELIMITERS[format] if named and "\t" in (given, _DELIMITERS[format]) else given


def _split(source: DelimitedText) -> list[_Record]:
    """Return the records of a text, the header first; none if it cannot be split."""
    taken: list[str] = []

    def lines() -> Iterator[str]:
        for line in io.StringIO(source.text, newline=""):
            taken.append(line)
            yield line

    records = []
    try:
        for fields in csv.reader(lines(), delimiter=source.delimiter, skipinitialspace=True):
            written = "".join(taken)
            taken.clear()
            body = written.rstrip("\r\n")
            if body.strip() or source.delimiter in body:  # blank lines are no rows
                records.append(_Record(body, written[len(body) :], fields))
    except csv.Error:
        return []
    return records


def _lines(records: list[_Record], added: pd.DataFrame, given: str, wanted: str) -> Iterator[str]:
    rows = [added.columns.tolist(), *zip(*(added[name].tolist() for name in added.columns), strict=True)]
    end = records[0].end or "\n"
    for record, cells in zip(records, rows, strict=True):
        old = record.written if given == wanted else _joined(record.fields, wanted)
        new = _joined([protect_from_formulas(cell) for cell in cells], wanted)
        yield f"{old}{wanted}{new}{record.end or end}"


def _joined(cells: list[Any], delimiter: str) -> str:
    """Return cells in one line, in quotation marks where they need them."""
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator="").writerow(cells)
    return file.getvalue()
