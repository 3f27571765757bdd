"""Delimited texts out of the ordinary: long and wide ones, split by pyarrow.

The columns of plain numbers of a text with very many columns become numbers at once, some at a time.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nri.rule.column import Column
from nri.table.cells import MISSING_MARKS, TypedCells

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 27
"""Bytes split at once: what splitting takes beside its result grows with it, the pieces of columns shrink."""
_AT_ONCE = 2000  # columns of a wide text that are split at once


def header_for(text: str, delimiter: str) -> str:
    """Return a line of names for a text that has none: ``column 1;column 2``."""
    width = len(next(csv.reader(io.StringIO(text), delimiter=delimiter), []))
    return delimiter.join(f"column {place}" for place in range(1, width + 1))


def split_long(text: str, delimiter: str) -> list[pa.ChunkedArray[Any]] | None:
    """Split into columns of texts, the header line first; None without pyarrow, or if rows differ in length.

    The text is not intricate (:func:`nri.table.delimited.is_intricate`).
    """
    try:
        import pyarrow as pa
        import pyarrow.compute as pc
        from pyarrow import csv as arrow_csv
    except ModuleNotFoundError:
        return None
    try:
        width = len(next(filter(None, csv.reader(_lines_of(text), delimiter=delimiter))))
        longest = max(map(len, _lines_of(text))) * 4 + 4  # in bytes at most; a row must fit into a block
        block = min(max(longest, _BLOCK), 2**31 - 1)
        types = {f"f{place}": pa.string() for place in range(width)}
        cells = arrow_csv.read_csv(
            pa.BufferReader(text.encode()),
            arrow_csv.ReadOptions(autogenerate_column_names=True, block_size=block, use_threads=False),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values='"' in text),
            arrow_csv.ConvertOptions(column_types=types, strings_can_be_null=False),
        )
    except (csv.Error, StopIteration, pa.ArrowInvalid, UnicodeEncodeError):
        return None
    if cells.num_columns != width:
        return None
    if delimiter + " " not in text and not text.startswith(" ") and "\n " not in text:
        return list(cells.columns)
    return [pc.utf8_ltrim(column, " ") for column in cells.columns]


def _lines_of(text: str) -> Iterator[str]:
    """Yield the lines of a text, without a copy of it."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def read_wide(text: str, delimiter: str) -> dict[str, Any] | None:
    """Split a wide text with a header line, and read columns of plain numbers; None if it is not plain."""
    edges = None if not text.isascii() or '"' in text or "\r" in text else _edges(text, delimiter)
    if edges is None or len(edges) < 2:
        return None
    columns: dict[str, Any] = {}
    width = text[: edges[0, -1]].count(delimiter) + 1
    for group in range(edges.shape[1] - 1):
        pieces = (text[start:end] for start, end in edges[:, group : group + 2].tolist())
        joined = "\n".join(piece.removeprefix(delimiter) for piece in pieces)
        cells = split_long(joined, delimiter)
        if cells is None or len(cells[0]) != len(edges):
            return None
        # one piece of memory for all: small ones would lie between texts that go, and keep their room
        values = np.empty((len(cells), len(edges) - 1))
        known = np.empty(values.shape, dtype=bool)
        for place, column in enumerate(cells):
            body = column.slice(1).combine_chunks()
            plain = plain_numbers_of(body)
            if plain is not None:
                values[place], known[place] = plain.column.values, plain.column.known
                plain = TypedCells(Column(values[place], known[place]), plain.whole)
            columns[str(column[0].as_py()).strip()] = body if plain is None else plain
    if "" in columns or len(columns) < width:
        return None  # reading it in the usual way shows what is wrong
    return columns


def _edges(text: str, delimiter: str) -> NDArray[np.int64] | None:
    """[lines, groups + 1]: where groups of columns begin and end in the text; None if lines differ."""
    rows, widths, start = [], set(), 0
    for line in _lines_of(text):
        content = line.removesuffix("\n")
        places = np.flatnonzero(np.frombuffer(content.encode(), dtype=np.uint8) == ord(delimiter))
        widths.add(len(places))
        if not content.strip() or len(widths) > 1:
            return None
        rows.append([start, *(start + places[_AT_ONCE - 1 :: _AT_ONCE]).tolist(), start + len(content)])
        start += len(line)
    return np.array(rows, dtype=np.int64)


def plain_numbers_of(cells: pa.Array[Any]) -> TypedCells | None:
    """Return texts that are plain numbers or marks for nothing as numbers; None if one is anything else.

    As :func:`nri.table.cells.recognise_plain`, but of all cells at once: measurements hardly repeat.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        values = np.asarray(pc.cast(cells, pa.float64()))
        known = np.isfinite(values)
    except pa.ArrowInvalid:
        known = np.zeros(0, dtype=bool)
    if not len(known) or not known.all():
        cells = pc.utf8_trim_whitespace(cells)
        cells = pc.if_else(
            pc.is_in(cells, pa.array(sorted(MISSING_MARKS))), pa.scalar(None, pa.string()), cells
        )
        try:
            values = pc.cast(cells, pa.float64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            return None
        known = np.asarray(cells.is_valid())
        if not known.any() or not np.isfinite(values[known]).all():
            return None
    begin_with_zero = cells.filter(pc.starts_with(pc.ascii_ltrim(cells, "+-"), "0"))
    if pc.any(pc.match_substring_regex(begin_with_zero, "^[+-]?0[0-9]+$")).as_py():
        return None  # 0042 is a code
    numbers = values[known]
    whole = bool((numbers == np.floor(numbers)).all() and np.abs(numbers).max() < 2**62)
    whole = whole and not pc.any(pc.match_substring_regex(cells, "[^0-9+-]")).as_py()
    return TypedCells(Column(values, known), whole)
