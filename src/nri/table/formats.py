"""Formats: gzip, and ARFF, the attribute-relation format of Weka and OpenML."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nri.errors import InputError
from nri.table.cells import check_distinct, objects_of, plain_numbers
from nri.table.files import Budget

PARQUET, GZIP = b"PAR1", b"\x1f\x8b"  # First bytes of files.
_STEP = 1 << 20  # bytes looked at in one go
_LAYERS = 3  # most layers of compression around a table; one is usual, two happen by mistake
_KEPT = 32 * _STEP  # bytes kept of a file before it is known to fit; a larger one is unpacked a second time


def unpacked(content: bytes, name: str, budget: Budget) -> bytes:
    """Undo gzip, all of its layers, within a budget."""
    kept: list[bytes] = []
    size = 0
    for chunk in _chunks(content, name):
        size += len(chunk)
        budget.check(name, unpacked=size)
        budget.check_text(size, 0, name)
        if size <= _KEPT:
            kept.append(chunk)
    return b"".join(kept if size <= _KEPT else _chunks(content, name))


def _chunks(content: bytes, name: str) -> Iterator[bytes]:
    """Undo layer by layer, a part at a time; nothing is kept."""
    stream: Any = io.BufferedReader(io.BytesIO(content))
    layers = 0
    try:
        while stream.peek(2).startswith(GZIP):
            layers += 1
            if layers > _LAYERS:
                raise InputError(f"{name} is compressed more than {_LAYERS} times; uncompress it first")
            layer: Any = gzip.GzipFile(fileobj=stream, mode="rb")
            stream = io.BufferedReader(layer, _STEP)
        while chunk := stream.read(_STEP):
            yield chunk
    except EOFError:
        raise InputError(f"{name} is damaged: it ends too early; get it again") from None
    except (OSError, zlib.error):
        raise InputError(f"{name} is damaged: it cannot be uncompressed; get it again") from None


_QUOTED = r"""'(?P<single>(?:\\.|[^'\\])*)' | "(?P<double>(?:\\.|[^"\\])*)" """
_ATTRIBUTE = re.compile(
    rf"@attribute \s+ (?: {_QUOTED} | (?P<bare>[^\s{{]+) ) \s* (?P<type>.+)", re.IGNORECASE | re.VERBOSE
)
_FIELD = re.compile(rf"""\s* (?: {_QUOTED} | (?P<bare>[^,'"]*?) ) \s* (?:,|$)""", re.VERBOSE)
_ARFF_TYPES = dict.fromkeys(("numeric", "real", "integer"), "numeric") | {"string": "text", "date": "text"}


def read_arff(text: str, name: str) -> dict[str, Any]:
    """Read a dense ARFF table: nominal, numeric, string and date columns, ``?`` for missing cells."""
    numbered = ((f"{name}, line {n}", line.strip()) for n, line in enumerate(text.splitlines(), start=1))
    lines = [(place, line) for place, line in numbered if line and not line.startswith("%")]
    data = next((i for i, (_, line) in enumerate(lines) if line.lower().startswith("@data")), None)
    declared = []
    for place, line in lines[:data]:
        if line.lower().startswith("@attribute"):
            declared.append(_attribute(line, place))
        elif not line.lower().startswith("@relation"):
            raise InputError(f"{place}: {line[:40]!r} is no ARFF declaration; correct the header")
    if data is None:
        raise InputError(f"{name} has no @data line; give an ARFF file with rows")
    if not declared:
        raise InputError(f"{name} declares no @attribute before @data; declare the columns")
    check_distinct((column for column, _ in declared), name)
    rows = {place: _arff_cells(line, place) for place, line in lines[data + 1 :]}
    if not rows:
        raise InputError(f"{name} has no rows after @data; give at least one row")
    for place, row in rows.items():
        if len(row) != len(declared):
            raise InputError(f"{place}: {len(row)} field(s) where {len(declared)} are declared; correct it")
    columns = zip(declared, zip(*rows.values(), strict=True), strict=True)
    return {one: _arff_column(one, kind, cells, [*rows]) for (one, kind), cells in columns}


def _attribute(line: str, place: str) -> tuple[str, str | list[str]]:
    """Return a column's name and its type: ``numeric``, ``text``, or its categories."""
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise InputError(f"{place}: {line[:60]!r} declares no name and type; write @attribute NAME TYPE")
    name, declared = _unquoted(match), match["type"].strip()
    if declared.startswith("{"):
        if not declared.endswith("}"):
            raise InputError(f"{place}: the categories of {name!r} have no closing brace; add it")
        return name, [text for text in _arff_cells(declared[1:-1], place) if text is not None]
    word = declared.split()[0]
    if word.lower() not in _ARFF_TYPES:
        raise InputError(f"{place}: {name!r} has type {word!r}; use numeric, string, date or {{categories}}")
    return name, _ARFF_TYPES[word.lower()]


def _arff_cells(line: str, place: str) -> list[str | None]:
    """Split a line at its commas; None is a missing cell, and a quoted ``'?'`` is not missing."""
    if line.startswith("{"):
        raise InputError(f"{place}: sparse ARFF is not read; convert the file to dense ARFF or CSV")
    cells: list[str | None] = []
    at = 0
    while (match := _FIELD.match(line, at)) is not None:
        cells.append(None if match["bare"] in ("?", "") else _unquoted(match))
        at = match.end()
        if not match[0].endswith(","):
            return cells
    raise InputError(f"{place}: a quotation mark is not closed or stands inside a cell; correct the line")


def _unquoted(match: re.Match[str]) -> str:
    if match["bare"] is not None:
        return match["bare"].strip()
    return re.sub(r"\\(.)", r"\1", match["single"] if match["single"] is not None else match["double"])


def _arff_column(name: str, declared: Any, cells: Sequence[str | None], places: Sequence[str]) -> Any:
    """Return numbers, categories, or texts, of which dates are recognised as in any other file."""
    if declared == "text":
        return np.array(cells, dtype=object)
    known: Any = np.array([cell is not None for cell in cells])
    if declared == "numeric":
        values: Any = plain_numbers([cell or "" for cell in cells])
        bad, what = known & np.isnan(values), f"no number, as {name!r} needs"
    else:
        from nri.table.frames import categories_of

        values = categories_of(objects_of(cells), declared)
        bad, what = values.codes >= len(dict.fromkeys(declared)), f"no category of {name!r}"
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(f"{places[row]}: {str(cells[row])[:40]!r} is {what}; correct the cell or write ?")
    return values
