"""Excel: find the table on a sheet of a workbook, whatever stands around it, and read its cells.

Empty rows and columns part a sheet into blocks, of which the largest is the table, with a note. Workbooks are
parsed by python-calamine (extra ``excel``) in a process with limits (:mod:`nri.table.excel_child`).
"""

from __future__ import annotations

import datetime as dt
import io
import json
import logging
import re
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import groupby
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError, require_extra
from nri.table.cells import check_distinct, number_as_text, objects_of
from nri.table.files import MEMORY_A_CELL, Budget, size_text

logger = logging.getLogger(__name__)

_ZIP, _OLD = b"PK", b"\xd0\xcf\x11\xe0"  # First bytes of workbooks; the newer ones are archives.
WORKBOOKS = (_ZIP, _OLD)  # First bytes of files that may be one.
_RANGE = re.compile(r"(?:(.*)!)?\$?([A-Za-z]{1,3})\$?(\d+)(?::\$?([A-Za-z]{1,3})\$?(\d+))?")
_LEAST_MEMORY, _MEMORY_A_BYTE = 1 << 30, 100
"""Bytes of memory for any workbook, and for each byte that it unpacks to, unless the budget is smaller."""
_LEAST_SECONDS, _BYTES_A_SECOND = 60, 1 << 20
_END = 10**7  # a row and a column beyond every sheet
_NOTHING = np.array(None)  # an empty cell, as an array that others are compared with
# what goes wrong with a damaged archive
_DAMAGED = (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError, EOFError, RuntimeError, ValueError)


@dataclass(frozen=True)
class SheetChoice:
    """Where in a workbook the table is, as far as the user says."""

    sheet: str | None = None
    """name or number of the sheet; a range may follow or replace it: ``Visits!B3:F90``, ``B3:F90``"""
    header: int | None = None
    """row of the header as the spreadsheet numbers rows; the last one where the header has several"""


@dataclass(frozen=True, eq=False)
class Workbook:
    """Where in which workbook a table was; rows and columns are counted from 0."""

    content: bytes
    sheets: tuple[str, ...]  # sheets that hold something
    sheet: str
    header: int  # row of the names, the last one if the header has several
    rows: tuple[int, ...]  # row of the sheet for each row of the table
    right: int  # last column of the table

    @property
    def can_be_kept(self) -> bool:
        """Whether predictions can be put into the same workbook: only into the newer format."""
        return b"xl/workbook.xml" in self.content


@dataclass(frozen=True)
class Block:
    """A rectangle of cells, counted from 0; the last row and column belong to it."""

    top: int
    left: int
    bottom: int
    right: int

    def __str__(self) -> str:
        return f"{column_letters(self.left)}{self.top + 1}:{column_letters(self.right)}{self.bottom + 1}"

    @property
    def area(self) -> tuple[slice, slice]:
        """Its rows and columns, to index an array with."""
        return slice(self.top, self.bottom + 1), slice(self.left, self.right + 1)

    def within(self, whole: Block) -> Block | None:
        """Its part inside a block that begins in the corner of the sheet; None if there is none."""
        part = replace(self, bottom=min(self.bottom, whole.bottom), right=min(self.right, whole.right))
        return part if part.top <= part.bottom and part.left <= part.right else None

    @property
    def is_wide(self) -> bool:
        """Whether it has several rows and columns, as a table has."""
        return self.bottom > self.top and self.right > self.left


def column_letters(column: int) -> str:
    """Return what a spreadsheet calls a column, counted from 0: A, B, ..., Z, AA, AB, ..."""
    above, rest = divmod(column, 26)
    return (column_letters(above - 1) if above else "") + ascii_uppercase[rest]


def _column_number(letters: str) -> int:
    return reduce(lambda above, letter: 26 * (above + 1) + ascii_uppercase.index(letter), letters.upper(), -1)


def is_workbook(content: bytes, *, by_name: bool = False) -> bool:
    """Whether bytes are a workbook: xlsx, xlsm, xlsb, ods or the old xls; one ``by_name`` may be damaged."""
    if not content.startswith(_ZIP) or by_name:
        return content.startswith(WORKBOOKS)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return not {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}.isdisjoint(archive.namelist())
    except _DAMAGED:
        return False


def read_workbook(
    content: bytes, name: str, choice: SheetChoice, budget: Budget
) -> tuple[dict[str, NDArray[Any]], Workbook]:
    """Return the cells of a table, by default the largest on the first sheet with one, and where it is."""
    if choice.header == 0:
        raise InputError(f"{name}: a sheet without names cannot be read; put a row of names above it")
    parsed = _parse(content, name, choice.sheet, budget)
    n_cells = sum((bottom + 1) * (right + 1) for *_, bottom, right in parsed["sheets"])
    budget.check(name, cells=n_cells, memory=MEMORY_A_CELL * n_cells)
    visible_first = sorted(parsed["sheets"], key=lambda one: not one[1])
    sheets = [sheet for sheet, _, bottom, _ in visible_first if bottom]
    if not sheets:
        raise InputError(f"{name} has no sheet with cells; give one with a header row and rows")
    chosen, within = _chosen_sheet(sheets, choice, name)
    candidates = [_Sheet(name, one, *parsed["cells"][one]) for one in ([chosen] if chosen else sheets)]
    sheet = candidates[0] if len(candidates) == 1 else _first_with_table(candidates, name)
    block = sheet.table(within)
    header, names = sheet.header(block, choice.header)
    below = sheet.filled[header + 1 : block.bottom + 1, block.left : block.right + 1]
    rows = (np.flatnonzero(below.any(axis=1)) + header + 1).tolist()
    if not rows:
        raise InputError(f"{sheet.where} has no rows below its header in row {header + 1}")
    titles, columns = [], []
    for column, title in names.items():
        # every row has the cell that is merged over it: it stands for all of them
        cells = sheet.unmerged[rows, column].tolist()
        if any(isinstance(cell, str | dt.time) for cell in cells):  # one text makes all of them texts
            cells = ["" if cell is None else _cell_text(cell) for cell in cells]
        if title or any(cell is not None for cell in cells):
            titles.append(title or f"column {column_letters(column)}")
            columns.append(objects_of(cells))
    check_distinct(titles, sheet.where, f" (the header is row {header + 1})")
    place = Workbook(content, tuple(sheets), sheet.name, header, tuple(rows), block.right)
    return dict(zip(titles, columns, strict=True)), place


def _parse(content: bytes, name: str, sheet: str | None, budget: Budget) -> dict[str, Any]:
    """Return the sizes of all sheets and the cells of the named one, or of all, from another process."""
    require_extra("excel", f"{name} is an Excel workbook, which", "python_calamine")
    size = _unpacked_size(content, name, budget)
    memory = min(budget.memory, _LEAST_MEMORY + _MEMORY_A_BYTE * size)
    seconds = _LEAST_SECONDS + size // _BYTES_A_SECOND
    most = min(budget.cells, budget.memory // MEMORY_A_CELL)
    request = json.dumps({"sheet": sheet, "memory": memory, "cells": most}).encode() + b"\n" + content
    command = [sys.executable, "-P", str(Path(__file__).with_name("excel_child.py"))]
    answer = {"problem": f"it cannot be parsed within {size_text(memory)} of memory"}  # unless there is one
    try:  # the parser writes a page about each panic
        done = subprocess.run(command, input=request, capture_output=True, timeout=seconds, check=False)
        if done.stdout.endswith(b"\n"):
            answer |= json.loads(done.stdout, object_hook=_from_json)
    except subprocess.TimeoutExpired:
        answer = {"problem": f"it cannot be parsed within {seconds} s"}
    except OSError as error:
        raise InputError(f"{name}: no process can be started to parse it; save it as CSV ({error})") from None
    if answer["problem"] == "password":
        raise InputError(f"{name} is locked by a password; save a copy without one")
    if answer["problem"]:
        raise InputError(f"{name} is no readable workbook ({answer['problem']}); save it again, or as CSV")
    return answer


def _unpacked_size(content: bytes, name: str, budget: Budget) -> int:
    """Return how many bytes a workbook unpacks to; refuse one that is too large, or larger than it says."""
    if not content.startswith(_ZIP):
        return len(content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(part.file_size for part in archive.infolist())
            budget.check(name, unpacked=size)
            damaged = archive.testzip() is not None
    except InputError:
        raise
    except _DAMAGED:
        damaged = True
    if damaged:
        raise InputError(f"{name} is no readable workbook (it is damaged); save it again, or as CSV")
    return size


def _from_json(tagged: dict[str, Any]) -> Any:
    """Return a cell that JSON has no type for."""
    tag, value = next(iter(tagged.items()))
    if tag == "timedelta:":
        return dt.timedelta(seconds=value)
    types = {"date:": dt.date, "datetime:": dt.datetime, "time:": dt.time}
    return types[tag].fromisoformat(value) if tag in types else tagged  # type: ignore[attr-defined]


def _plain_cell(cell: Any) -> Any:
    if isinstance(cell, str):
        return cell if cell.strip() else None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= 2**53:
        return int(cell)  # a spreadsheet has no whole numbers, a table has
    return cell


def _cell_text(cell: Any) -> str:
    """Return a cell as the text that it would be in a text file."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int | float):
        return number_as_text(float(cell))
    return cell.isoformat() if isinstance(cell, dt.date | dt.time) else str(cell)


def _chosen_sheet(sheets: Sequence[str], choice: SheetChoice, name: str) -> tuple[str | None, Block | None]:
    """Return the sheet and the range that the user chose; None where there is no choice."""
    wanted, within = choice.sheet, None
    if wanted is not None and wanted not in sheets and (match := _RANGE.fullmatch(wanted)):
        wanted, left, top, right, bottom = match.groups()
        wanted = wanted or sheets[0]
        last = int(bottom) - 1 if bottom else _END
        within = Block(int(top) - 1, _column_number(left), last, _column_number(right) if right else _END)
    if wanted is None:
        return None, None
    wanted = wanted.strip("'") if wanted.strip("'") in sheets else wanted
    if wanted in sheets:
        return wanted, within
    if wanted.isdigit() and 1 <= int(wanted) <= len(sheets):
        return sheets[int(wanted) - 1], within
    raise InputError(f"{name} has no sheet {wanted!r}; it has {', '.join(repr(sheet) for sheet in sheets)}")


def _first_with_table(sheets: Sequence[_Sheet], name: str) -> _Sheet:
    """Return the first sheet that holds more than lines of text: many a workbook begins with a cover."""
    chosen = next((one for one in sheets if any(block.is_wide for block in one.blocks)), sheets[0])
    others = ", ".join(repr(one.name) for one in sheets if one is not chosen)
    logger.warning("%s: sheet %r is read; others are %s (--sheet NAME)", name, chosen.name, others)
    return chosen


class _Sheet:
    """The cells of a sheet, None where one is empty."""

    def __init__(self, book: str, name: str, rows: list[list[Any]], merged: list[Any]) -> None:
        self.where, self.name = f"{book}, sheet {name!r}", name
        self.cells: NDArray[Any] = np.empty((len(rows), len(rows[0])), dtype=object)
        for place, row in enumerate(rows):
            self.cells[place] = [_plain_cell(cell) for cell in row]
        self.filled = np.not_equal(self.cells, _NOTHING)
        self.whole = Block(0, 0, self.cells.shape[0] - 1, self.cells.shape[1] - 1)
        ranges = [Block(*start, *end).within(self.whole) for start, end in merged]
        self.merged = [one for one in ranges if one is not None]
        self.unmerged, self.spans = self.cells.copy(), np.zeros(self.cells.shape, dtype=bool)
        for one in self.merged:
            self.unmerged[one.area] = self.cells[one.top, one.left]
            # over several columns or rows, so that the next names too
            self.spans[one.top : one.bottom + (one.right > one.left), one.left] = True

    def table(self, within: Block | None) -> Block:
        """Return the block that holds the table, or the part of the chosen range that has cells."""
        if within is not None:
            block = within.within(self.whole)
            if block is None:
                raise InputError(f"{self.where} has nothing at {within}; its cells are in {self.whole}")
            return block
        blocks = [one for one in self.blocks if one.bottom > one.top]
        tables = [one for one in blocks if one.is_wide] or blocks
        if not tables:
            raise InputError(f"{self.where} has no table: give one with a header row and rows below it")
        largest = max(tables, key=lambda one: self.cells[one.area].size)
        others = ", ".join(str(one) for one in tables if one is not largest)
        if others:
            message = "%s: the largest table is read, %s; others are at %s (--sheet RANGE)"
            logger.warning(message, self.where, largest, others)
        return largest

    @cached_property
    def blocks(self) -> list[Block]:
        """The rectangles that empty columns, and then empty rows, part."""
        filled = self.filled | np.not_equal(self.unmerged, _NOTHING)
        blocks: list[Block] = []
        for top, bottom in _runs(filled.any(axis=1)):
            band = filled[top : bottom + 1]
            for left, right in _runs(band.any(axis=0)):
                rows = np.flatnonzero(band[:, left : right + 1].any(axis=1)) + top
                self._add(Block(int(rows[0]), left, int(rows[-1]), right), blocks)
        return blocks

    def _add(self, block: Block, blocks: list[Block]) -> None:
        """Add a block, or join it to one above that an empty row parts from it if it has no names."""
        for i, upper in enumerate(blocks):
            inside = upper.left <= block.left and block.right <= upper.right
            if inside and upper.top < upper.bottom < block.top and not self._has_names(block):
                blocks[i] = replace(upper, bottom=block.bottom)
                return
        blocks.append(block)

    def _has_names(self, block: Block) -> bool:
        """Whether a block begins with a row of texts above cells that are something else."""
        first, *below = self.cells[block.area].tolist()
        if not below or not all(isinstance(cell, str) for cell in first):
            return False
        return len(set(first)) == len(first) and not all(isinstance(cell, str) for cell in below[0])

    def header(self, block: Block, wanted: int | None) -> tuple[int, dict[int, str]]:
        """Return the last row of the header of a table, and the name of each column."""
        columns = range(block.left, block.right + 1)
        if wanted is not None:
            first = last = wanted - 1
            if not block.top <= last < block.bottom:
                raise InputError(f"{self.where}: no header in row {wanted}; the table is in {block}")
            while first > block.top and self.spans[first - 1, columns].any():
                first -= 1
        else:
            enough = max(min(2, len(columns)), len(columns) // 2)
            lines = range(block.top, block.bottom)
            first = last = next((row for row in lines if self._named(row, block) >= enough), block.top)
            while last + 1 < block.bottom and self.spans[last, columns].any():
                last += 1
            if first > 0:
                message = "%s: the header is row %d; rows above it are skipped (--header ROW)"
                logger.warning(message, self.where, last + 1)
        names = {column: self._name(first, last, column) for column in columns}
        if last > first:
            example = next((name for name in names.values() if " " in name), "")
            message = "%s: the header has %d rows, whose names are joined, as %r"
            logger.warning(message, self.where, last - first + 1, example)
        return last, names

    def _named(self, row: int, block: Block) -> int:
        """Return how many columns have a name in a row; a title over the whole table is the name of none."""
        named = self.filled[row].copy()
        for one in self.merged:
            is_title = one.left <= block.left and one.right >= block.right
            if one.top <= row <= one.bottom and not is_title and self.filled[one.top, one.left]:
                named[one.left : one.right + 1] = True
        return int(named[block.left : block.right + 1].sum())

    def _name(self, first: int, last: int, column: int) -> str:
        cells = self.unmerged[first : last + 1, column].tolist()
        texts = [" ".join(_cell_text(cell).split()) for cell in cells if cell is not None]
        return " ".join(text for text, _ in groupby(texts))


def _runs(filled: Any) -> list[tuple[int, int]]:
    """Return first and last place of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], filled, [False]]).astype(int)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
