"""Files: the bytes and the text of whatever file may hold a table, within a budget; databases in files.

A few kilobytes can unpack to gigabytes, so that a :class:`Budget` is checked while a file is still small.
"""

import contextlib
import logging
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from nri.errors import InputError, missing_file

logger = logging.getLogger(__name__)

DATABASES = {"sqlite": "an SQLite database", "duckdb": "a DuckDB database"}
"""What databases in a file are called, by the scheme of their URL."""
_MARKS = {"sqlite": (0, b"SQLite format 3\0"), "duckdb": (8, b"DUCK")}
"""Where in a file which bytes say what it is."""
_KNOWN_BY_START = {
    b"PK\x03\x04": "a zip archive; give the table that is in it",
    b"%PDF": "a PDF document; give a CSV, TSV, Excel, Parquet or ARFF table",
}
_STEP = 1 << 24  # bytes read in one go
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
REMEDY = "give a CSV, TSV, Excel, Parquet or ARFF table"

_MEMORY_A_BYTE, MEMORY_A_CELL = 12, 50
"""About what a text file takes while it is read, for each byte and for each cell (docs/limits.md)."""


_REFUSALS = {
    "bytes": "is larger than {}, the most taken",
    "unpacked": "unpacks to more than {}",
    "cells": "has more than {} cells, the most taken",
    "memory": "would take more than {} of memory, the most there is for it",
}


@dataclass(frozen=True, slots=True)
class Budget:
    """What a table may take. Each check raises an InputError that names the limit and a remedy."""

    bytes: int  # most bytes of a file as it comes
    unpacked: int  # most bytes of all layers once compression is undone
    cells: int  # most cells
    memory: int  # most bytes of memory while it is read, as far as can be estimated before
    remedy: str = "give fewer rows or columns"  # what to do about it

    def check(self, name: str, **sizes: int) -> None:
        """Refuse a file of which one of these limits is exceeded."""
        for limit, size in sizes.items():
            most = getattr(self, limit)
            if size > most:
                shown = f"{most:,}".replace(",", " ") if limit == "cells" else size_text(most)
                raise InputError(f"{name} {_REFUSALS[limit].format(shown)}; {self.remedy}")

    def check_text(self, size: int, cells: int, name: str) -> None:
        """Refuse a text file by its bytes and cells."""
        self.check(name, cells=cells, memory=_MEMORY_A_BYTE * size + MEMORY_A_CELL * cells)


def machine_budget() -> Budget:
    """Return the budget for files on this machine: what memory is free, now."""
    free = free_memory()
    return Budget(bytes=free, unpacked=free, cells=2_000_000_000, memory=free)


def free_memory() -> int:
    """Return the bytes of memory that can be had without pushing others out, or an estimate."""
    free: list[int] = []
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    with contextlib.suppress(OSError, ValueError):  # a container may have a limit of its own; "max" is none
        used = int(Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii"))
        free.append(max(0, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")) - used))
    if free:
        return min(free)
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return 4 << 30


def size_text(size: int) -> str:
    """Write a number of bytes: 3.0 GB, 50 MB, 100 bytes."""
    if size >= 1 << 30:
        return f"{size / (1 << 30):.1f} GB"
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size} bytes"


def read_content(source: str | Path | IO[Any], budget: Budget) -> tuple[str, bytes | str]:
    """Return what to call a file, a file object or, as ``"-"``, standard input, and all that is in it."""
    if source == "-":
        return "standard input", _read_all(sys.stdin.buffer, "standard input", budget)
    if not isinstance(source, str | Path):
        name = getattr(source, "name", None)
        name = name if isinstance(name, str) else "the file"
        return name, _read_all(source, name, budget)
    if isinstance(source, str) and "://" in source and not os.path.exists(source):
        raise InputError(f"{without_password(source)} is a URL, not a file; download the table and give that")
    path, name = Path(source), str(Path(source))
    try:
        if path.is_dir():
            raise InputError(f"{name} is a folder; give a file in it")
        with path.open("rb") as file:
            scheme = database_of(file.peek(16))  # before its size: a table of it may be small
            if scheme is not None:
                url = f"{url_of(scheme, path)} --table NAME"
                raise InputError(f"{path} is {DATABASES[scheme]}; give nri induce its URL, {url}, or a CSV")
            budget.check(name, bytes=path.stat().st_size)
            return name, _read_all(file, name, budget)
    except FileNotFoundError:
        raise missing_file(path) from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise InputError(f"{name} cannot be read ({cause}); check its name and permissions") from None


def _read_all(source: IO[Any], name: str, budget: Budget) -> bytes | str:
    """Read to the end, or as far as the budget goes: a pipe or a device does not say how much it has."""
    parts: list[bytes | str] = []
    size = 0
    try:
        while part := source.read(_STEP):
            parts.append(part)
            size += len(part)
            budget.check(name, bytes=size)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name} cannot be read ({error}); {REMEDY}") from None
    content: bytes | str = type(parts[0])().join(parts) if parts else ""  # type: ignore[arg-type]
    return content.removeprefix("\ufeff") if isinstance(content, str) else content


def decode(content: bytes, name: str) -> str:
    """Return the text of a file: UTF-8, UTF-16 with its mark, or else Western European with a message."""
    for start, what in _KNOWN_BY_START.items():
        if content.startswith(start):
            raise InputError(f"{name} is {what}")
    if (scheme := database_of(content[:16])) is not None:
        raise InputError(f"{name} is {DATABASES[scheme]}; export the table as CSV")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", errors="replace")
    elif b"\0" in content:
        raise InputError(f"{name} is a binary file, no table; {REMEDY}")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line, hint = content.count(b"\n", 0, error.start) + 1, "save it as UTF-8 if letters look wrong"
            try:
                encoding, text = "Windows-1252", content.decode("cp1252")
            except UnicodeDecodeError:
                encoding, text = "Latin-1", content.decode("latin-1")
            logger.warning("%s is not UTF-8 (line %d); read as %s: %s", name, line, encoding, hint)
    check_control(text, name)
    return text


def check_control(text: str, name: str) -> None:
    """Refuse a text with control characters."""
    if _CONTROL.search(text):
        raise InputError(f"{name} is not text (it has control characters), so it is no table; {REMEDY}")


def database_of(start: bytes) -> str | None:
    """Return the scheme of the database that a file is, by its first bytes; None if it is something else."""
    return next((scheme for scheme, (at, mark) in _MARKS.items() if start[at:].startswith(mark)), None)


def url_of(scheme: str, path: Path) -> str:
    """Return the URL of a database in a file: ``sqlite:///data/shop.sqlite``."""
    return f"{scheme}:///{path.absolute().as_posix().lstrip('/')}"


def without_password(url: str) -> str:
    """Return a URL as it may be shown: of ``postgres://me:secret@host/shop``, ``postgres://host/shop``."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
