"""Delimited text: CSV and TSV with any of the usual delimiters, split into cells.

Most texts are split by pyarrow, which is quick with many columns and many rows. What it would split in
another way, or refuses, is left to pandas: quotation marks after blanks, lines of blanks, rows that differ in
length.
"""

import csv
import io
import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from nri.errors import InputError
from nri.table.cells import check_distinct

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

_FRACTION = re.compile(r"[+-]?[0-9]*[.,][0-9]+")
DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_CHARACTERS = 65_536
_SAMPLE_RECORDS = 100
_BLOCK = 1 << 27
"""Bytes split at once: what splitting takes beside its result grows with it, the pieces of columns shrink."""
_PIECE = 1 << 22
"""Letters that are encoded at once."""


def read_delimited(text: str, name: str, delimiter: str) -> "pa.Table":
    """Split delimited text with a header line into cells, every one of them text.

    A text without a header or rows, with rows of different lengths or a name twice is refused.
    """
    if not text.strip():
        raise InputError(f"{name} is empty; give a table with a header line and at least one row")
    cells = split_cells(text, delimiter)
    if cells is None:
        cells = _split_slowly(text, name, delimiter)
    names = [str(column[0].as_py()).strip() for column in cells.columns]
    body = cells.slice(1)
    if not len(body):
        raise InputError(f"{name} has a header line but no rows; give at least one row")
    body, names = _without_empty_margin(body, names)
    if _looks_like_row(names, body):
        logger.warning(
            "%s: the first line looks like a row; if it is one, put a line of names above it", name
        )
    names = [column or f"column {place}" for place, column in enumerate(names, start=1)]
    try:
        check_distinct(names)
    except InputError as error:
        raise InputError(f"{name}: {error} (the first line must hold the names)") from None
    return body.rename_columns(names)


def _looks_like_row(names: list[str], body: "pa.Table") -> bool:
    """Whether all names are numbers with fractions, or cells of their own columns: there is no header."""
    fractions = [_FRACTION.fullmatch(column) is not None for column in names]
    if not any(fractions):
        return False  # most headers; whole numbers may be years
    start = body.slice(0, _SAMPLE_RECORDS)
    return all(
        fraction or column in start.column(place).to_pylist()
        for place, (column, fraction) in enumerate(zip(names, fractions, strict=True))
    )


def sniff_delimiter(text: str) -> str:
    r"""Return the delimiter that splits the header and then most other lines into as many fields.

    >>> sniff_delimiter("a;b\n1,5;2,5\n")
    ';'
    """
    sample = text[:_SAMPLE_CHARACTERS]
    if len(sample) < len(text):  # the last line may be cut off
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        reader = csv.reader(io.StringIO(sample), delimiter=delimiter)
        try:
            records = [record for record, _ in zip(reader, range(_SAMPLE_RECORDS), strict=False) if record]
        except csv.Error:
            continue
        width = len(records[0]) if records else 0
        if width > 1:
            score = (sum(len(record) == width for record in records) / len(records), width)
            if score > best_score:
                best, best_score = delimiter, score
    return best


def split_cells(text: str, delimiter: str, *, passing: bool = False) -> "pa.Table | None":
    """Split into text cells, the header line first; None if that is not sure to be done right.

    With ``passing`` the cells are soon freed again.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv as arrow_csv

    if _is_intricate(text, delimiter):
        return None
    try:
        width = len(next(filter(None, csv.reader(lines_of(text), delimiter=delimiter))))
        longest = max(map(len, lines_of(text))) * 4 + 4  # in bytes at most; a row must fit into a block
        block = min(max(longest, _BLOCK), 2**31 - 1)
        cells = arrow_csv.read_csv(
            pa.PythonFile(io.BufferedReader(_Encoded(text)), "r"),
            arrow_csv.ReadOptions(autogenerate_column_names=True, block_size=block, use_threads=False),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values='"' in text),
            arrow_csv.ConvertOptions(
                column_types={f"f{place}": pa.string() for place in range(width)}, strings_can_be_null=False
            ),
            # the default keeps what many small pieces leave between them, to be used again
            pa.default_memory_pool() if passing else pa.system_memory_pool(),
        )
    except (csv.Error, StopIteration, pa.ArrowInvalid, UnicodeEncodeError):
        return None
    if cells.num_columns != width:
        return None
    if delimiter + " " not in text and not text.startswith(" ") and "\n " not in text:
        return cells
    trimmed = [pc.utf8_ltrim(column, " ") for column in cells.columns]
    return pa.table(trimmed, names=cells.column_names)


class _Encoded(io.RawIOBase):
    """The bytes of a text, a few at a time: those of a wide table are as many as its cells take."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._pieces = (text[start : start + _PIECE].encode() for start in range(0, len(text), _PIECE))
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = memoryview(next(self._pieces, b""))
        taken = self._rest[: len(buffer)]
        buffer[: len(taken)] = taken
        self._rest = self._rest[len(taken) :]
        return len(taken)


def _is_intricate(text: str, delimiter: str) -> bool:
    """Whether blanks stand alone on a line, or quotation marks elsewhere than around a whole cell."""
    beginnings = ("\n ", "\n\t", "\r ", "\r\t")
    may_be_blank = text[:1] in (" ", "\t") or any(blank in text for blank in beginnings)
    if may_be_blank and _BLANK_LINE.search(text):
        return True
    if '"' not in text:
        return False
    ends = re.escape(delimiter) + r"\r\n"
    quoted = re.finditer(rf'(?:^|(?<=[{ends}]))"(?:[^"]|"")*"(?=[{ends}]|$)', text)
    return sum(cell[0].count('"') for cell in quoted) != text.count('"')


_BLANK_LINE = re.compile(r"(?:^|[\r\n])[ \t]+(?:[\r\n]|$)")


def lines_of(text: str) -> Iterator[str]:
    """Yield the lines of a text, without a copy of it."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _split_slowly(text: str, name: str, delimiter: str) -> "pa.Table":
    """Split into text cells as pandas does; every row has the header's length."""
    import pyarrow as pa

    try:
        cells = pd.read_csv(
            io.StringIO(text),
            sep=delimiter,
            header=None,
            dtype=str,
            keep_default_na=False,
            na_filter=False,
            skipinitialspace=True,
        )
    except pd.errors.ParserError as error:
        cause = str(error).strip().removeprefix("Error tokenizing data. C error: ")
        if "EOF inside string" in cause:
            row = cause.rsplit(" ", 1)[-1]
            raise InputError(f"{name}: a cell of row {row} opens a quotation mark; close it") from None
        refuse_ragged_rows(text, name, delimiter)
        raise InputError(f"{name} cannot be split into cells ({cause}); give a CSV table") from None
    # pandas fills short rows with empty cells at the end, where a row may also be empty by right
    if (cells.iloc[:, -1] == "").any():
        refuse_ragged_rows(text, name, delimiter)
    texts = [pa.array(cells[place], type=pa.string()) for place in cells.columns]
    return pa.table(texts, names=[f"f{place}" for place in cells.columns])


def refuse_ragged_rows(text: str, name: str, delimiter: str) -> None:
    """Raise an InputError that names the first line with another number of fields than the header."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        width = 0
        for record in reader:
            if not record or (record == [""] and width != 1):
                continue
            width = width or len(record)
            if len(record) != width:
                raise InputError(
                    f"{name}, line {reader.line_num}: {len(record)} field(s) where the header has {width}; "
                    "correct the line, and put cells that contain the delimiter in quotation marks"
                )
    except csv.Error:
        return  # the caller's own message is better


def _without_empty_margin(body: "pa.Table", names: list[str]) -> "tuple[pa.Table, list[str]]":
    """Drop unnamed columns without a cell, which a delimiter at the end of each line leaves behind."""
    if all(names):
        return body, names
    kept = [
        place
        for place, column in enumerate(names)
        if column or any(cell.strip() for cell in body.column(place).to_pylist())
    ]
    return body.select(kept), [names[place] for place in kept]
