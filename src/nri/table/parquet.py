"""Parquet: files of columns by DuckDB, with the types that Arrow noted in them."""

from __future__ import annotations

import base64
import os
import re
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError, require_extra
from nri.table.cells import check_distinct
from nri.table.files import Budget
from nri.table.frames import categories_of

_MEMORY_A_VALUE = 32  # about what a value takes that has a type of its own
_MOST_TIMES = 30  # different times of day that may be categories, such as the begin of shifts
INDEX = "__index_level_"  # how pandas calls an index without a name in a file; it is no column
_NUMBER = r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*|BOOLEAN"
_NESTED = re.compile(r".*\]|(STRUCT|MAP|UNION)\b.*", re.DOTALL)
_AS_IT_IS = re.compile(rf"{_NUMBER}|VARCHAR|BLOB|DATE|TIME(?! W).*|INTERVAL|{_NESTED.pattern}", re.DOTALL)
_ELSE = {
    "TIME WITH TIME ZONE": "TIME"
}  # at UTC, as older pyarrow writes all; columns of other types become text
_DURATION, _UNITS = 18, ("s", "ms", "us", "ns")  # how a schema of Arrow counts types and units of time


def read_parquet(content: bytes, name: str, budget: Budget) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the columns of a Parquet file, and why some cannot be read: lists, structures, times of day."""
    require_extra(None, f"{name} is a Parquet file, which", "duckdb")
    import duckdb

    try:
        with _on_disk(content) as path, duckdb.connect() as database:
            database.execute("SET TimeZone = 'UTC'; SET threads = 1")
            database.execute("SET autoinstall_known_extensions = false")
            _check_parquet(database, path, name, budget)
            rows = f"FROM read_parquet('{path}')"
            described = database.execute(f"DESCRIBE {rows}").fetchall()
            kinds = {one: kind for one, kind, *_ in described if not one.startswith(INDEX)}
            cells = [f"{_quoted(one)}{_cast(kind)} AS {_quoted(one)}" for one, kind in kinds.items()]
            columns: dict[str, Any] = database.execute(f"SELECT {', '.join(cells)} {rows}").fetchnumpy()
            _restore_types(columns, database, path)
    except InputError:
        raise
    except (duckdb.Error, struct.error, ValueError) as error:  # it depends on which bytes were changed
        cause = " ".join(str(error).split())[:100] or type(error).__name__
        raise InputError(f"{name} is no readable Parquet file ({cause}); write it again") from None
    if not len(next(iter(columns.values()), ())):
        raise InputError(f"{name} has no rows; give at least one row")
    reasons = {one: _why_unreadable(kind, columns[one]) for one, kind in kinds.items()}
    return columns, {one: what for one, what in reasons.items() if what}


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


def _cast(kind: str) -> str:
    return "" if _AS_IT_IS.fullmatch(kind) else f"::{_ELSE.get(kind, 'VARCHAR')}"


def _why_unreadable(kind: str, cells: NDArray[Any]) -> str:
    """Return what the cells of a column are where they are no plain values; else nothing."""
    what = ""
    if _NESTED.fullmatch(kind):
        what = f"nested ({kind[:40]})"
    elif kind.startswith("TIME") and cells.dtype == object and len({*cells.tolist()} - {None}) > _MOST_TIMES:
        what = "times of day, too many different ones for categories"
    return what and f"the cells are {what}; left out, give plain values instead"


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
