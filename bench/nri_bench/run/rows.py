"""Result rows: one JSON object for each line, appended as they come, by one run at a time."""

import itertools
import json
import math
import os
import socket
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from nri import InputError

Row = dict[str, Any]

Key = tuple[tuple[str, Any], ...]

UNSAID: Mapping[str, Mapping[str, Any]] = {"rules": {"protocol": "p4"}, "ablation": {"sets": "uci"}}
"""By experiment, key fields that older rows lack, and what their lack means."""


def row_key(row: Mapping[str, Any]) -> Key:
    """Return what identifies a row: its fields up to ``status``; those after it are what was found.

    >>> row_key({"method": "tree", "seed": 0, "status": "ok", "accuracy": 0.9})
    (('method', 'tree'), ('seed', 0))
    """
    fields = itertools.takewhile(lambda field: field[0] != "status", row.items())
    return tuple(sorted(fields))


def read_rows(path: Path) -> list[Row]:
    """Read rows; of two with the same key the later one counts. No file, no rows.

    A last line cut short by an interruption is passed over; any other line that is not a row is an error.
    """
    if not path.exists():
        return []
    *lines, rest = path.read_bytes().split(b"\n")
    rows = [
        _read_line(line, f"{path}: line {number}") for number, line in enumerate(lines, 1) if line.strip()
    ]
    if _is_row(rest):
        rows.append(_read_line(rest, f"{path}: the last line"))
    by_key: dict[Key, Row] = {}
    for row in rows:
        key = row_key(row)
        by_key.pop(key, None)
        by_key[key] = row
    return list(by_key.values())


def _read_line(line: bytes, where: str) -> Row:
    try:
        row = json.loads(line.decode("utf-8"))
    except json.JSONDecodeError as error:
        raise InputError(f"{where} is not JSON ({error.msg}); delete that line") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not UTF-8 text ({error.reason}); delete that line") from error
    if not isinstance(row, dict) or "status" not in row:
        raise InputError(f"{where} is no result row (an object with a status); delete that line")
    unsaid = UNSAID.get(str(row.get("experiment")), {})
    return {**{name: value for name, value in unsaid.items() if name not in row}, **row}


def _is_row(line: bytes) -> bool:
    try:
        _read_line(line, "")
    except InputError:
        return False
    return True


def append_row(path: Path, row: Mapping[str, Any]) -> None:
    """Append one row in a single write, after mending what an interrupted run left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps({name: _short(value) for name, value in row.items()}, ensure_ascii=False) + "\n"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(handle, _mend(handle, path) + line.encode())
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
    swap = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        swap.write_text(text, encoding="utf-8")
        swap.replace(path)
    finally:
        swap.unlink(missing_ok=True)


def _mend(handle: int, path: Path) -> bytes:
    """Cut off the fragment of a row that an interrupted run left; return the line break a whole one lacks.

    A line break after the fragment would make it a line like any other, which no later read passes over.
    """
    size = os.fstat(handle).st_size
    if size == 0 or os.pread(handle, 1, size - 1) == b"\n":
        return b""
    rest = path.read_bytes().rpartition(b"\n")[2]
    if _is_row(rest):
        return b"\n"
    os.ftruncate(handle, size - len(rest))
    return b""


def _short(value: Any) -> Any:
    """Round to what the measurement is worth, which keeps the files small; NaN becomes null."""
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.5g}")
    return value


@contextmanager
def only_run(paths: Iterable[Path]) -> Iterator[None]:
    """Keep these files of rows for this process until the block is left.

    Two runs would do every job twice, and a rewrite could lose rows. Beside each file a hidden ``.NAME.lock``
    says who writes it. What counts is the kernel's lock on it, which ends with the process however that ends.
    """
    with ExitStack() as stack:
        for path in sorted(set(paths)):
            mark = path.with_name(f".{path.name}.lock")
            mark.parent.mkdir(parents=True, exist_ok=True)
            try:
                stack.enter_context(FileLock(mark).acquire(timeout=0))
            except Timeout:
                holder = mark.read_text(encoding="utf-8").strip() or "another process"
                raise InputError(
                    f"{path}: {holder} is writing it; wait until that run ends, or take another --out"
                ) from None
            mark.write_text(f"process {os.getpid()} on {socket.gethostname()}\n", encoding="utf-8")
        yield


def commit_of(folder: Path | None = None) -> str:
    """Return the short commit of the checkout, with ``+`` if the sources differ from it; "" outside one."""
    folder = Path(__file__).resolve().parent if folder is None else folder
    head = _git(folder, "rev-parse", "--short", "HEAD")
    if not head:
        return ""
    top = Path(_git(folder, "rev-parse", "--show-toplevel"))
    changed = _git(top, "status", "--porcelain", "--", "src", "bench/nri_bench")
    return head + ("+" if changed else "")


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
