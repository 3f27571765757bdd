"""Result rows: one JSON object for each line, appended as they come."""

import itertools
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from nri.errors import InputError

Row = dict[str, Any]

Key = tuple[tuple[str, Any], ...]


def row_key(row: Mapping[str, Any]) -> Key:
    """Return what identifies a row: its fields up to ``status``; those after it are what was found.

    >>> row_key({"method": "tree", "seed": 0, "status": "ok", "accuracy": 0.9})
    (('method', 'tree'), ('seed', 0))
    """
    fields = itertools.takewhile(lambda field: field[0] != "status", row.items())
    return tuple(sorted(fields))


def read_rows(path: Path) -> list[Row]:
    """Read rows; of two with the same key the later one counts. No file, no rows.

    A last line cut short by an interruption is passed over; any other line that is not a JSON
    object is an error.
    """
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    by_key: dict[Key, Row] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            if number == len(lines):
                continue
            raise InputError(f"{path}: line {number} is not JSON ({error.msg}); delete that line") from error
        key = row_key(row)
        by_key.pop(key, None)
        by_key[key] = row
    return list(by_key.values())


def append_row(path: Path, row: Mapping[str, Any]) -> None:
    """Append one row in a single write, so that two runs may share a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps({name: _short(value) for name, value in row.items()}, ensure_ascii=False) + "\n"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(handle, (_mend(path) + line).encode())
    finally:
        os.close(handle)


def drop_rows(path: Path, unwanted: Callable[[Row], bool]) -> int:
    """Rewrite the file without some rows; return how many went."""
    rows = read_rows(path)
    kept = [row for row in rows if not unwanted(row)]
    if len(kept) < len(rows):
        write_rows(path, kept)
    return len(rows) - len(kept)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Replace the file's rows, all or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    swap = path.with_suffix(".tmp")
    swap.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    swap.replace(path)


def _mend(path: Path) -> str:
    """Return a line break if the file's last line lacks one because a run was cut short."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return ""
        file.seek(-1, os.SEEK_END)
        return "" if file.read(1) == b"\n" else "\n"


def _short(value: Any) -> Any:
    """Round to what the measurement is worth, which keeps the files small; NaN becomes null."""
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.5g}")
    return value
