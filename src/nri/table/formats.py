"""Formats: gzip, Parquet, and ARFF, the attribute-relation format of Weka and OpenML."""

from __future__ import annotations

import base64
import gzip
import io
import os
import re
import struct
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError, require_extra
from nri.table.cells import check_distinct, objects_of, plain_numbers
from nri.table.files import Budget

PARQUET, GZIP = b"PAR1", b"\x1f\x8b"  # First bytes of files.
_STEP = 1 << 20  # bytes looked at in one go
_LAYERS = 3  # most layers of compression around a table; one is usual, two happen by mistake
_KEPT = 32 * _STEP  # bytes kept of a file before it is known to fit; a larger one is unpacked a second time


def unpacked(content: bytes, name: str, budget: Budget) -> bytes:
    """Undo gzip, all of its layers, within a budget."""
    kept: list[bytes] = []
    size = cells = 0
    marks = b""
    for chunk in _chunks(content, name):
        if not size and not chunk.startswith((PARQUET, b"PK\x03\x04")):
            marks = b"\n" + max((b",", b";", b"\t", b"|"), key=chunk[: 1 << 16].count)
        size += len(chunk)
        budget.check(name, unpacked=size)
        if marks:
            cells += sum(map(chunk.count, marks))
            budget.check_text(size, cells, name)
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


_MEMORY_A_VALUE = 32  # about what a value takes that has a type of its own
_MOST_TIMES = 30  # different times of day that may be categories, such as the begin of shifts
INDEX = "__index_level_"  # how pandas calls an index without a name in a file; it is no column
_NUMBER = r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*|BOOLEAN"
_READ_AS_IT_IS = re.compile(rf"{_NUMBER}|VARCHAR|BLOB|DATE|TIME.*|INTERVAL")  # other types become text
_NESTED = re.compile(r".*\]|(STRUCT|MAP|UNION)\b.*", re.DOTALL)
_DURATION, _UNITS = 18, ("s", "ms", "us", "ns")  # how a schema of Arrow counts types and units of time


def read_parquet(content: bytes, name: str, budget: Budget) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the columns of a Parquet file, and why some cannot be read: lists, structures, times of day."""
    require_extra(None, f"{name} is a Parquet file, which", "duckdb")
    import duckdb

    try:
        with _on_disk(content) as path, duckdb.connect() as database:
            database.execute(
                "SET TimeZone = 'UTC'; SET threads = 1; SET autoinstall_known_extensions = false"
            )
            _check_parquet(database, path, name, budget)
            kinds = {
                one: kind
                for one, kind, *_ in database.execute(f"DESCRIBE FROM read_parquet('{path}')").fetchall()
                if not one.startswith(INDEX)
            }
            cells = [f"{_as_read(one, kind)} AS {_quoted(one)}" for one, kind in kinds.items()]
            columns: dict[str, Any] = database.execute(
                f"SELECT {', '.join(cells)} FROM read_parquet('{path}')"
            ).fetchnumpy()
            _restore_types(columns, database, path)
    except InputError:
        raise
    except (
        duckdb.Error,
        struct.error,
        ValueError,
    ) as error:  # what bytes were changed by chance decides which one it is
        cause = " ".join(str(error).split())[:100] or type(error).__name__
        raise InputError(f"{name} is no readable Parquet file ({cause}); write it again") from None
    if not len(next(iter(columns.values()), ())):
        raise InputError(f"{name} has no rows; give at least one row")
    reasons = {one: _why_unreadable(kind, columns[one]) for one, kind in kinds.items()}
    return columns, {
        one: f"{what}; left out, give plain values instead" for one, what in reasons.items() if what
    }


@contextmanager
def _on_disk(content: bytes) -> Iterator[str]:
    """Lend bytes a path, as DuckDB reads files only; a file without a name, where systems have such."""
    try:
        if not os.path.isdir("/dev/fd"):
            with tempfile.TemporaryDirectory(prefix="nri-") as folder:
                path = Path(folder) / "table.parquet"
                path.write_bytes(content)
                yield path.as_posix().replace("'", "''")
            return
        with tempfile.TemporaryFile() as file:
            file.write(content)
            file.flush()
            yield f"/dev/fd/{file.fileno()}"
    except OSError as error:
        raise InputError(f"there is no room to unpack a Parquet file ({error}); set TMPDIR") from None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _as_read(name: str, kind: str) -> str:
    as_it_is = _READ_AS_IT_IS.fullmatch(kind) or _NESTED.fullmatch(kind)
    return _quoted(name) if as_it_is else f"{_quoted(name)}::VARCHAR"


def _why_unreadable(kind: str, cells: NDArray[Any]) -> str:
    """Return what the cells of a column are where they are no plain values; else nothing."""
    if _NESTED.fullmatch(kind):
        return f"the cells are nested ({kind[:40]})"
    if kind.startswith("TIME") and cells.dtype == object and len({*cells.tolist()} - {None}) > _MOST_TIMES:
        return "the cells are times of day, too many different ones for categories"
    return ""


def _check_parquet(database: Any, path: str, name: str, budget: Budget) -> None:
    """Refuse a file by what it says of itself, before anything is unpacked, and then by its texts."""
    about = f"FROM parquet_metadata('{path}')"
    first = database.execute(f"SELECT path_in_schema {about} WHERE row_group_id = 0").fetchall()
    check_distinct(one for (one,) in first)
    sums = "sum(num_values)::BIGINT, sum(total_uncompressed_size)::BIGINT"
    values, size = database.execute(f"SELECT {sums} {about}").fetchone()
    least = _MEMORY_A_VALUE * (values or 0) + (size or 0)
    budget.check(name, cells=values or 0, unpacked=size or 0, memory=least)
    texts = database.execute(
        f"SELECT path_in_schema, sum(num_values * total_uncompressed_size) {about} "
        "WHERE type = 'BYTE_ARRAY' AND NOT contains(path_in_schema, ', ') GROUP BY ALL"
    ).fetchall()
    if least + sum(most for _, most in texts) > budget.memory:  # a text may occur often, and stand there once
        lengths = [f"coalesce(sum(octet_length({_quoted(text)}::BLOB)), 0)" for text, _ in texts]
        counted = database.execute(f"SELECT {' + '.join(lengths)} FROM read_parquet('{path}')").fetchone()
        budget.check(name, memory=least + int(counted[0]))


def _restore_types(columns: dict[str, Any], database: Any, path: str) -> None:
    """Give spans of time and categories back the type that DuckDB drops, where Arrow wrote the file."""
    from nri.table.frames import categories_of

    key = f"SELECT value FROM parquet_kv_metadata('{path}') WHERE key = 'ARROW:schema'"
    for (schema,) in database.execute(key).fetchall():
        for name, kind, unit, is_category in _fields_of_arrow(base64.b64decode(schema)):
            if name in columns and is_category:
                columns[name] = categories_of(np.ma.filled(columns[name].astype(object), None))
            elif name in columns and kind == _DURATION:
                columns[name] = columns[name].astype(f"timedelta64[{_UNITS[unit]}]")


def _fields_of_arrow(schema: bytes) -> Iterator[tuple[str, int, int, bool]]:
    """Yield name, type, unit of time and whether it is a dictionary of each column; see flatbuffers."""

    def at(form: str, place: int) -> int:
        return int(struct.unpack_from(form, schema, place)[0])

    def follow(place: int) -> int:
        return place + at("<I", place)

    def entry(table: int, index: int) -> int:
        """Return where an entry of a table is; 0 if the table leaves it out."""
        entries = table - at("<i", table)
        offset = at("<H", entries + 4 + 2 * index) if 4 + 2 * index < at("<H", entries) else 0
        return table + offset if offset else 0

    fields = follow(entry(follow(entry(follow(8), 2)), 1))  # behind a mark and the length: message, schema
    for place in range(fields + 4, fields + 4 + 4 * at("<I", fields), 4):
        field = follow(place)
        name = follow(entry(field, 0))
        kind = at("<B", entry(field, 2))
        unit = entry(follow(entry(field, 3)), 0) if kind == _DURATION else 0
        text = schema[name + 4 : name + 4 + at("<I", name)].decode()
        yield text, kind, at("<h", unit) if unit else 1, entry(field, 4) > 0


_QUOTED = r"""'(?P<single>(?:\\.|[^'\\])*)' | "(?P<double>(?:\\.|[^"\\])*)" """
_ATTRIBUTE = re.compile(
    rf"@attribute \s+ (?: {_QUOTED} | (?P<bare>[^\s{{]+) ) \s* (?P<type>.+)", re.IGNORECASE | re.VERBOSE
)
_FIELD = re.compile(rf"""\s* (?: {_QUOTED} | (?P<bare>[^,'"]*?) ) \s* (?:,|$)""", re.VERBOSE)
_ARFF_TYPES = {
    "numeric": "numeric",
    "real": "numeric",
    "integer": "numeric",
    "string": "text",
    "date": "text",
}


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
    places = [place for place, _ in lines[data + 1 :]]
    if not places:
        raise InputError(f"{name} has no rows after @data; give at least one row")
    rows = [_arff_cells(line, place) for place, line in lines[data + 1 :]]
    for row, place in zip(rows, places, strict=True):
        if len(row) != len(declared):
            raise InputError(f"{place}: {len(row)} field(s) where {len(declared)} are declared; correct it")
    columns = zip(declared, zip(*rows, strict=True), strict=True)
    return {one: _arff_column(one, kind, cells, places) for (one, kind), cells in columns}


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
