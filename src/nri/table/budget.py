"""Budget: how many bytes, cells and how much memory a table may take, checked before it is read.

A few kilobytes can unpack to gigabytes, and a short file can announce a billion cells. Whoever opens a file
(:func:`nri.table.files.open_source`) has a budget, and what does not fit is refused while it is still small:
compressed layers are counted as they are undone and not kept, lines and delimiters of text are counted,
Parquet files and workbooks say how large they are.
"""

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nri.errors import InputError

_GZIP = b"\x1f\x8b"
_STEP = 1 << 20
"""Bytes looked at in one go."""
_LAYERS = 3
"""Most layers of compression around a table; one is usual, two happen by mistake."""
_KEPT = 32 * _STEP
"""Bytes kept of an unpacked file before it is known to fit; a larger one is unpacked a second time."""

MEMORY_A_BYTE, MEMORY_A_CELL = 12, 50
"""About what a text file takes while it is read, for each byte and for each cell (docs/limits.md)."""
MEMORY_A_VALUE = 32
"""About what a value takes that has a type of its own, as in Parquet files."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a table may take. Each check raises an InputError that says what was found and what is allowed."""

    bytes: int
    """most bytes of a file as it comes"""
    unpacked: int
    """most bytes of all layers once compression is undone"""
    cells: int
    """most cells"""
    memory: int
    """most bytes of memory while it is read, as far as can be told before"""
    remedy: str = "give fewer rows or columns"
    """what to do about it"""

    def check_bytes(self, size: int, name: str) -> None:
        """Refuse a file that has too many bytes."""
        if size > self.bytes:
            raise InputError(f"{name} is larger than {in_words(self.bytes)}, the most taken; {self.remedy}")

    def check_unpacked(self, size: int, name: str) -> None:
        """Refuse a file that unpacks to too many bytes."""
        if size > self.unpacked:
            raise InputError(f"{name} unpacks to more than {in_words(self.unpacked)}; {self.remedy}")

    def check_cells(self, cells: int, name: str) -> None:
        """Refuse a table that has too many cells."""
        if cells > self.cells:
            most = f"{self.cells:,}".replace(",", " ")
            raise InputError(f"{name} has more than {most} cells, the most taken; {self.remedy}")

    def check_memory(self, size: int, name: str) -> None:
        """Refuse a table that would take too much memory."""
        if size > self.memory:
            raise InputError(
                f"{name} would take more than {in_words(self.memory)} of memory, the most there is for it; "
                f"{self.remedy}"
            )

    def check_text(self, size: int, cells: int, name: str) -> None:
        """Refuse a text file by its bytes and cells."""
        self.check_cells(cells, name)
        self.check_memory(MEMORY_A_BYTE * size + MEMORY_A_CELL * cells, name)


def machine_budget() -> Budget:
    """Return the budget for files on this machine: what memory is free, now."""
    free = free_memory()
    return Budget(bytes=free, unpacked=free, cells=2_000_000_000, memory=free)


def free_memory() -> int:
    """Return the bytes of memory that can be had without pushing others out, or a guess at it."""
    found = [size for size in (_free_of_linux(), _free_of_group()) if size is not None]
    if found:
        return min(found)
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return 4 << 30


def in_words(size: int) -> str:
    """Write a number of bytes.

    >>> in_words(50 << 20), in_words(3 << 30), in_words(100)
    ('50 MB', '3.0 GB', '100 bytes')
    """
    if size >= 1 << 30:
        return f"{size / (1 << 30):.1f} GB"
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size} bytes"


def unpacked(content: bytes, name: str, budget: Budget) -> bytes:
    """Undo gzip, all of its layers, within a budget.

    >>> import gzip
    >>> unpacked(gzip.compress(gzip.compress(b"a,b")), "t.csv.gz", machine_budget())
    b'a,b'
    """
    if not content.startswith(_GZIP):
        return content
    kept: list[bytes] = []
    count = _Count(budget, name)
    for chunk in _layers(content, name):
        count.add(chunk)
        if count.size <= _KEPT:
            kept.append(chunk)
    return b"".join(kept if count.size <= _KEPT else _layers(content, name))


class _Count:
    """Counts of what comes out of a compressed file, refused as soon as it is too much."""

    def __init__(self, budget: Budget, name: str) -> None:
        self.budget, self.name = budget, name
        self.size = self.marks = 0
        self._looked_for = b""

    def add(self, chunk: bytes) -> None:
        """Count a further part."""
        if not self.size and not chunk.startswith((b"PAR1", b"PK\x03\x04")):
            self._looked_for = b"\n" + _likely_delimiter(chunk[: 1 << 16])
        self.size += len(chunk)
        self.budget.check_unpacked(self.size, self.name)
        if self._looked_for:
            self.marks += count_marks(chunk, self._looked_for)
            self.budget.check_text(self.size, self.marks, self.name)


def count_marks(content: bytes, marks: bytes) -> int:
    r"""Return how many bytes are one of some.

    >>> count_marks(b"a,b\n1,2\n", b"\n,")
    4
    """
    array = np.frombuffer(content, dtype=np.uint8)
    return sum(int(np.count_nonzero(array == mark)) for mark in marks)


def _likely_delimiter(start: bytes) -> bytes:
    return max((b",", b";", b"\t", b"|"), key=start.count)


def _layers(content: bytes, name: str) -> Iterator[bytes]:
    """Undo layer by layer, a part at a time; nothing is kept."""
    chunks: Iterator[bytes] = (content[at : at + _STEP] for at in range(0, len(content), _STEP))
    for _ in range(_LAYERS):
        first = next(chunks, b"")
        chunks = _put_back(first, chunks)
        if not first.startswith(_GZIP):
            return chunks
        chunks = _undone(chunks, name)
    first = next(chunks, b"")
    if first.startswith(_GZIP):
        raise InputError(f"{name} is compressed more than {_LAYERS} times; uncompress it first")
    return _put_back(first, chunks)


def _put_back(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _undone(chunks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Undo one layer, of one gzip member or several."""
    member = zlib.decompressobj(wbits=31)
    begun = False
    for chunk in chunks:
        rest = chunk
        while rest:
            if member.eof:
                rest = rest.lstrip(b"\0")  # a member may be padded
                if not rest:
                    break
                member, begun = zlib.decompressobj(wbits=31), False
            try:
                part = member.decompress(rest, _STEP)
            except zlib.error:
                raise InputError(f"{name} is damaged: it cannot be uncompressed; get it again") from None
            begun = True
            rest = member.unused_data if member.eof else member.unconsumed_tail
            if part:
                yield part
    if begun and not member.eof:
        raise InputError(f"{name} is damaged: it ends too early; get it again")


def _free_of_linux() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


def _free_of_group() -> int | None:
    """Return what a container leaves free, if there is one with a limit."""
    try:
        most = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii").strip()
        return None if most == "max" else max(0, int(most) - int(used))
    except (OSError, ValueError):
        return None
