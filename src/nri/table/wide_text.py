"""Wide text files: plain numbers are read as they are split, some columns at a time.

A hundred thousand columns as texts take several times the file: small pieces with gaps between them. Where
nobody will ask for the texts again, a column of plain numbers becomes numbers at once, and only others stay
texts.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from nri.rule.column import Column
from nri.table.cells import TypedCells, plain_numbers_of
from nri.table.delimited import lines_of, split_cells
from nri.table.frame import check_distinct

if TYPE_CHECKING:
    import pyarrow as pa

WIDE = 5000
"""Columns from which on a text is wide."""
_AT_ONCE = 2000
"""Columns that are split at once."""


def read_wide(text: str, delimiter: str) -> "tuple[pa.Table, dict[str, TypedCells]] | None":
    """Split a wide text with a header line; columns of plain numbers come apart, and are empty in the table.

    None if it is not wide, or not as plain as that: then :func:`nri.table.delimited.read_delimited` reads it.
    """
    import pyarrow as pa

    if text.find(delimiter) < 0 or text[: text.find("\n") + 1].count(delimiter) < WIDE:
        return None
    edges = None if not text.isascii() or '"' in text or "\r" in text else _edges(text, delimiter)
    if edges is None or len(edges) < 2:
        return None
    columns: dict[str, pa.Array] = {}
    numbers: dict[str, TypedCells] = {}
    names: list[str] = []
    for group in range(edges.shape[1] - 1):
        pieces = (text[start:end] for start, end in edges[:, group : group + 2].tolist())
        joined = "\n".join(piece.removeprefix(delimiter) for piece in pieces)
        cells = split_cells(joined, delimiter, passing=True)
        if cells is None or len(cells) != len(edges):
            return None
        # one piece of memory for all: small ones would lie between texts that go, and keep their room
        values = np.empty((cells.num_columns, len(edges) - 1))
        known = np.empty(values.shape, dtype=bool)
        for place, column in enumerate(cells.columns):
            name, body = str(column[0].as_py()).strip(), column.slice(1).combine_chunks()
            names.append(name)
            found = plain_numbers_of(body)
            columns[name] = body if found is None else pa.nulls(len(body))
            if found is not None:
                values[place], known[place] = found.column.values, found.column.known
                numbers[name] = TypedCells(Column(values[place], known[place]), found.whole)
    if "" in names or len(columns) < len(names):
        return None  # whoever reads it in the usual way says what is wrong
    check_distinct(names)
    return pa.table(columns), numbers


def _edges(text: str, delimiter: str) -> "np.ndarray | None":
    """[lines, groups + 1]: where groups of columns begin and end in the text; None if lines differ."""
    mark, found = ord(delimiter), []
    width = None
    for start, line in _numbered(text):
        if not line.strip():
            return None
        places = np.flatnonzero(np.frombuffer(line.encode(), dtype=np.uint8) == mark)
        width = len(places) if width is None else width
        if len(places) != width:
            return None
        found.append([start, *(start + places[_AT_ONCE - 1 :: _AT_ONCE]).tolist(), start + len(line)])
    edges = np.array(found, dtype=np.int64)
    return edges if all((a < b).all() for a, b in pairwise(edges.T)) else None


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    """Yield where each line begins, and the line without its end."""
    start = 0
    for line in lines_of(text):
        yield start, line.removesuffix("\n")
        start += len(line)
