"""Old workbooks (.xls): whether the file is sound, and how many cells its sheets become, before it is read.

Such a file is a small file system: sectors that name the next one. Where damage leads a chain back to itself,
or a cell far out, the reader would fill all memory; so chains are followed here first, and cells looked at.
"""

import struct
from collections.abc import Iterator

from nri.errors import InputError

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NO_SECTOR = 0xFFFFFFFA
"""From here on numbers of sectors mean an end, or that there is none."""
_CELLS = {0x0006, 0x0201, 0x0203, 0x0204, 0x0205, 0x027E, 0x00FD, 0x00D6}
"""Records of one cell; they begin with its row and column."""
_ROWS_OF_CELLS = {0x00BD, 0x00BE}
"""Records of several cells of a row; they end with the last column."""
_SHEET = 0x0809
"""The record that a sheet begins with."""


class _DamagedError(Exception):
    """A chain, a length or a place that cannot be."""


def cells_of(content: bytes, name: str) -> int:
    """Return how many cells the sheets become; refuse a file that is not sound."""
    try:
        return _Sectors(content).cells()
    except (_DamagedError, struct.error, IndexError):
        raise InputError(f"{name} is damaged: it is no sound workbook; save it again, as .xlsx") from None


class _Sectors:
    def __init__(self, content: bytes) -> None:
        self.content = content
        shift, small = struct.unpack_from("<HH", content, 30)
        if (shift, small) not in ((9, 6), (12, 6)):
            raise _DamagedError
        self.size = 1 << shift
        self.n_sectors = -(-len(content) // self.size)
        n_tables, directory = struct.unpack_from("<II", content, 44)
        self.least, self.small_table, n_small, extra, n_extra = struct.unpack_from("<IIIII", content, 56)
        if max(n_tables, n_small, n_extra) > self.n_sectors:
            raise _DamagedError
        places = [*struct.unpack_from("<109I", content, 76)]
        seen: set[int] = set()
        while extra < _NO_SECTOR:
            if extra in seen:
                raise _DamagedError
            seen.add(extra)
            *more, extra = struct.unpack(f"<{self.size // 4}I", self.sector(extra))
            places += more
        self.next = [
            number
            for place in places[:n_tables]
            if place < _NO_SECTOR
            for number in struct.unpack(f"<{self.size // 4}I", self.sector(place))
        ]
        self.entries = self._entries(self.stream(directory))

    def sector(self, number: int) -> bytes:
        at = (number + 1) * self.size
        found = self.content[at : at + self.size]
        if (len(found) < self.size and at + len(found) < len(self.content)) or not found:
            raise _DamagedError
        return found.ljust(self.size, b"\0")

    def stream(self, start: int, table: list[int] | None = None) -> bytes:
        """Follow a chain to its end; one that comes back to itself is damage."""
        return b"".join(self.sector(number) for number in _chain(start, table or self.next))

    def _entries(self, directory: bytes) -> list[tuple[str, int, int]]:
        found = []
        for at in range(0, len(directory) - 127, 128):
            length = struct.unpack_from("<H", directory, at + 64)[0]
            start, size = struct.unpack_from("<II", directory, at + 116)
            if length > 64 or (length and size > len(self.content)):
                raise _DamagedError
            if length:
                text = directory[at : at + max(0, length - 2)].decode("utf-16-le", errors="replace")
                found.append((text, start, size))
        if not found:
            raise _DamagedError
        return found

    def cells(self) -> int:
        """Return the cells of all sheets, each a full rectangle up to its last row and column."""
        root = self.entries[0]
        container = self.stream(root[1]) if root[1] < _NO_SECTOR else b""
        small: list[int] = []
        if self.small_table < _NO_SECTOR:
            table = self.stream(self.small_table)
            small = [*struct.unpack(f"<{len(table) // 4}I", table)]
        total = 0
        for text, start, size in self.entries[1:]:
            if not size or start >= _NO_SECTOR:
                continue
            if size >= self.least:
                data = self.stream(start)[:size]
            else:
                data = b"".join(container[64 * n : 64 * n + 64] for n in _chain(start, small))[:size]
            if text.lower() in ("workbook", "book"):
                total += _cells(data)
        return total


def _chain(start: int, table: list[int]) -> Iterator[int]:
    number, left = start, len(table)
    while number < _NO_SECTOR:
        if number >= len(table) or not left:
            raise _DamagedError
        yield number
        number, left = table[number], left - 1


def _cells(data: bytes) -> int:
    total = bottom = right = at = 0
    while at + 4 <= len(data):
        kind, length = struct.unpack_from("<HH", data, at)
        body = data[at + 4 : at + 4 + length]
        at += 4 + length
        if kind == _SHEET:
            total, bottom, right = total + bottom * right, 0, 0
        elif kind in _CELLS and len(body) >= 4:
            row, column = struct.unpack_from("<HH", body)
            bottom, right = max(bottom, row + 1), max(right, column + 1)
        elif kind in _ROWS_OF_CELLS and len(body) >= 6:
            bottom = max(bottom, struct.unpack_from("<H", body)[0] + 1)
            right = max(right, *(column + 1 for column in struct.unpack("<HH", body[2:4] + body[-2:])))
    return total + bottom * right
