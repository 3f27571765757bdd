"""Excel sizes: how large a workbook is, before it is read.

A sheet with one cell in its last row and column has seventeen thousand million cells once it is a grid, and
the parts of a workbook are compressed. So parts are unpacked without being kept, and the last row and column
of each sheet are looked for.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator

from nri.errors import InputError
from nri.table.budget import MEMORY_A_CELL, Budget
from nri.table.excel_old import MAGIC, cells_of

_STEP = 1 << 20
_PLACE = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\br=["']([A-Z]{1,3})([0-9]{1,7})["']""")
_ROW = re.compile(rb"""<(?:\w+:)?row\s[^>]*?\br=["']([0-9]{1,7})["']""")
_TAG = re.compile(rb"<table:(?:covered-)?table-(row|cell)\b([^>]*)>")
_REPEATED = re.compile(rb"""number-(?:rows|columns)-repeated=["']([0-9]{1,9})["']""")
_LONGEST = 4096
"""Bytes of a part kept beside the next, so that a tag across the border is seen."""


def check_workbook(content: bytes, name: str, budget: Budget) -> None:
    """Refuse a workbook that is too large; the reader says what is wrong with a damaged one."""
    if content.startswith(MAGIC):
        cells = cells_of(content, name)
        budget.check_cells(cells, name)
        budget.check_memory(MEMORY_A_CELL * cells, name)
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            budget.check_unpacked(sum(part.file_size for part in parts), name)
            size = cells = 0
            for part in parts:
                count = _counter(part.filename)
                for chunk in _inflated(content, part):
                    size += len(chunk)
                    budget.check_unpacked(size, name)
                    count.add(chunk)
                cells += count.cells
                budget.check_cells(cells, name)
                budget.check_memory(2 * size + MEMORY_A_CELL * cells, name)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError, EOFError, ValueError) as error:
        if isinstance(error, InputError):
            raise


def _counter(part: str) -> "_Cells":
    if part.startswith("xl/worksheets/") and part.endswith(".xml"):
        return _Sheet()
    if part.startswith("xl/worksheets/") and part.endswith(".bin"):
        return _BinarySheet()
    return _OpenSheets() if part == "content.xml" else _Cells()


class _Cells:
    """Counts the cells of the grid that a part becomes; most parts become none."""

    cells = 0

    def add(self, chunk: bytes) -> None:
        """Look at a further piece."""


class _Sheet(_Cells):
    """A sheet as XML."""

    def __init__(self) -> None:
        self._rest = b""
        self._bottom = self._right = 0

    def add(self, chunk: bytes) -> None:
        text = self._rest + chunk
        for letters, row in _PLACE.findall(text):
            self._bottom = max(self._bottom, int(row))
            self._right = max(self._right, _column(letters))
        for row in _ROW.findall(text):
            self._bottom = max(self._bottom, int(row))
        self._rest = text[-_LONGEST:]
        self.cells = self._bottom * self._right


class _OpenSheets(_Cells):
    """The sheets of an OpenDocument file, where a row or cell may say how often it is repeated.

    Empty cells at the end of a row and empty rows at the end of a sheet, up to its border, are not read.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._bottom = self._right = 0
        self._row = 0
        """rows up to the present one, its repetitions included"""
        self._column = 0

    def add(self, chunk: bytes) -> None:
        text = self._rest + chunk
        end = max(text.rfind(b">") + 1, len(text) - _LONGEST)
        for what, inside in _TAG.findall(text[:end]):
            repeated = _REPEATED.search(inside)
            times = int(repeated[1]) if repeated else 1
            if what == b"row":
                self._row, self._column = self._row + times, 0
                continue
            self._column += times
            if not inside.endswith(b"/"):
                self._bottom, self._right = self._row, max(self._right, self._column)
        self._rest = text[end:]
        self.cells = self._bottom * self._right


class _BinarySheet(_Cells):
    """A sheet as records: a kind, a length, and what belongs to it."""

    def __init__(self) -> None:
        self._rest = b""
        self._bottom = self._right = 0

    def add(self, chunk: bytes) -> None:
        data, at = self._rest + chunk, 0
        while (record := _record(data, at)) is not None:
            kind, start, end = record
            if kind == 0 and end - start >= 4:
                self._bottom = max(self._bottom, int.from_bytes(data[start : start + 4], "little") + 1)
            elif 1 <= kind <= 11 and end - start >= 4:
                self._right = max(self._right, int.from_bytes(data[start : start + 4], "little") + 1)
            at = end
        self._rest = data[at:]
        self.cells = self._bottom * self._right


def _record(data: bytes, at: int) -> tuple[int, int, int] | None:
    """Return the kind of the record at a place, and where its content begins and ends; None if it is cut."""
    kind, at = _varied(data, at, 2)
    length, at = _varied(data, at, 4)
    return None if at < 0 or at + length > len(data) else (kind, at, at + length)


def _varied(data: bytes, at: int, most: int) -> tuple[int, int]:
    """Return a number of up to so many bytes, seven bits each, and the place after it; -1 if it is cut."""
    number = 0
    for place in range(most):
        if at < 0 or at + place >= len(data):
            return 0, -1
        number |= (data[at + place] & 0x7F) << (7 * place)
        if data[at + place] < 0x80:
            return number, at + place + 1
    return number, at + most


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _inflated(content: bytes, part: zipfile.ZipInfo) -> Iterator[bytes]:
    """Unpack a part, whatever it says it unpacks to."""
    at = part.header_offset
    lengths = int.from_bytes(content[at + 26 : at + 28], "little") + int.from_bytes(
        content[at + 28 : at + 30], "little"
    )
    packed = content[at + 30 + lengths : at + 30 + lengths + part.compress_size]
    if part.compress_type != zipfile.ZIP_DEFLATED:
        yield packed
        return
    stream = zlib.decompressobj(wbits=-15)
    while packed and not stream.eof:
        yield stream.decompress(packed, _STEP)
        packed = stream.unconsumed_tail
