"""Delimited text: CSV and TSV with any of the usual delimiters, split into cells.

Short texts are split by the standard library, which is there at once; long ones by pyarrow if it is there.
What these would split in another way, or refuse, is left to pandas: quotation marks after blanks, lines of
blanks, rows that differ in length.
"""

import csv
import io
import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nri.errors import InputError
from nri.table.cells import check_distinct
from nri.table.ragged import split_slowly

if TYPE_CHECKING:
    import pyarrow as pa

TextColumn = Any
"""A column of texts: an array of objects or, of a long text, a chunked array of pyarrow."""

logger = logging.getLogger(__name__)

_FRACTION = re.compile(r"[+-]?[0-9]*[.,][0-9]+")
DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_CHARACTERS = 65_536
_SAMPLE_RECORDS = 100
_SHORT = 1_000_000
"""Letters of a text up to which it is split by the standard library."""
_BLOCK = 1 << 27
"""Bytes split at once: what splitting takes beside its result grows with it, the pieces of columns shrink."""
_PIECE = 1 << 22
"""Letters that are encoded at once."""


def read_delimited(text: str, name: str, delimiter: str) -> "dict[str, TextColumn]":
    """Split delimited text with a header line into columns of texts.

    A text without a header or rows, with rows of different lengths or a name twice is refused.
    """
    if not text.strip():
        raise InputError(f"{name} is empty; give a table with a header line and at least one row")
    columns = _split_short(text, delimiter) if len(text) <= _SHORT else None
    if columns is None:
        cells = split_cells(text, delimiter) if len(text) > _SHORT else None
        columns = split_slowly(text, name, delimiter) if cells is None else cells.columns
    names = [str(column[0]).strip() for column in columns]
    body = [column[1:] for column in columns]
    if not len(body[0]):
        raise InputError(f"{name} has a header line but no rows; give at least one row")
    body, names = _without_empty_margin(body, names)
    if not names:
        raise InputError(f"{name} has delimiters but neither names nor cells; give a header line and rows")
    if _looks_like_row(names, body):
        logger.warning(
            "%s: the first line looks like a row; if it is one, add --header 0, or a line of names", name
        )
    names = [column or f"column {place}" for place, column in enumerate(names, start=1)]
    try:
        check_distinct(names)
    except InputError as error:
        raise InputError(f"{name}: {error} (the first line must hold the names)") from None
    return dict(zip(names, body, strict=True))


def _looks_like_row(names: list[str], body: "list[TextColumn]") -> bool:
    """Whether all names are numbers with fractions, or cells of their own columns: there is no header."""
    fractions = [_FRACTION.fullmatch(column) is not None for column in names]
    if not any(fractions):
        return False  # most headers; whole numbers may be years
    return all(
        fraction or any(name == str(cell) for cell in column[:_SAMPLE_RECORDS])
        for name, fraction, column in zip(names, fractions, body, strict=True)
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


def _split_short(text: str, delimiter: str) -> "list[TextColumn] | None":
    """Split a text by the standard library; None if that is not sure to be done right."""
    if _is_intricate(text, delimiter):
        return None
    try:
        reader = csv.reader(
            io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True
        )
        records = [record for record in reader if record]
    except csv.Error:
        return None
    if any(len(record) != len(records[0]) for record in records):
        return None
    cells = np.array(records, dtype=object)
    return list(cells.T)


def split_cells(text: str, delimiter: str, *, passing: bool = False) -> "pa.Table | None":
    """Split into text cells, the header line first; None if that is not sure to be done right.

    With ``passing`` the cells are soon freed again.
    """
    try:
        import pyarrow as pa
        import pyarrow.compute as pc
        from pyarrow import csv as arrow_csv
    except ModuleNotFoundError:
        return None
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


def _without_empty_margin(body: "list[TextColumn]", names: list[str]) -> "tuple[list[TextColumn], list[str]]":
    """Drop unnamed columns without a cell, which a delimiter at the end of each line leaves behind."""
    if all(names):
        return body, names
    kept = [
        place
        for place, column in enumerate(names)
        if column or any(str(cell).strip() for cell in body[place])
    ]
    return [body[place] for place in kept], [names[place] for place in kept]
