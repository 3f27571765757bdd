"""Excel: find the table on a sheet of a workbook, whatever stands around it, and read its cells.

A sheet is no table: there may be a title above it, a header of two rows with merged cells, a second table
beside it. Empty rows and columns part a sheet into blocks, of which the largest is the table; a note says so
and names the option that chooses otherwise. Workbooks are parsed by python-calamine (extra ``excel``) in a
process of its own (:mod:`nri.table.excel_child`), whose memory and time are limited.
"""

import contextlib
import datetime as dt
import importlib.util
import io
import json
import logging
import re
import subprocess
import sys
import threading
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nri.errors import InputError
from nri.table.cells import check_distinct, number_as_text
from nri.table.files import MEMORY_A_CELL, Budget, in_words

logger = logging.getLogger(__name__)

INSTALL = "pip install 'nri[excel]'"
_ZIP, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_RANGE = re.compile(r"(?:(.*)!)?\$?([A-Za-z]{1,3})\$?(\d+)(?::\$?([A-Za-z]{1,3})\$?(\d+))?")
_LEAST_MEMORY, _MEMORY_A_BYTE = 1 << 30, 100
"""Bytes of memory for any workbook, and for each byte that it unpacks to, unless the budget is smaller."""
_LEAST_SECONDS, _BYTES_A_SECOND = 60, 1 << 20
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    OSError,
    EOFError,
    RuntimeError,
    ValueError,
)
"""What goes wrong with a damaged archive."""

Grid = list[list[Any]]
"""Rows of cells; None where a cell is empty."""


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
    sheets: tuple[str, ...]
    """sheets that hold something"""
    sheet: str
    header: int
    """row of the names, the last one if the header has several"""
    rows: tuple[int, ...]
    """row of the sheet for each row of the table"""
    right: int
    """last column of the table"""
    texts: frozenset[str]
    """columns whose cells are texts, so that marks such as NA among them mean nothing"""

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
    def size(self) -> int:
        """How many cells it has."""
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)


def column_letters(column: int) -> str:
    """Return what a spreadsheet calls a column, counted from 0.

    >>> column_letters(0), column_letters(27)
    ('A', 'AB')
    """
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def is_workbook(content: bytes) -> bool:
    """Whether bytes are a workbook of a spreadsheet: xlsx, xlsm, xlsb, ods or the old xls."""
    if content.startswith(_OLD):
        return True
    if not content.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
    except _DAMAGED:
        return False
    return bool(names & {"xl/workbook.xml", "xl/workbook.bin", "content.xml"})


def read_workbook(
    content: bytes, name: str, choice: SheetChoice, budget: Budget
) -> tuple[pd.DataFrame, Workbook]:
    """Return the cells of the table on a sheet, and where it is.

    By default it is on the first sheet with a table, and the largest table there.
    """
    with _Parser(content, name, budget) as parser:
        sizes = parser.answer()["sheets"]
        n_cells = sum((bottom + 1) * (right + 1) for *_, bottom, right in sizes)
        budget.check_cells(n_cells, name)
        budget.check_memory(MEMORY_A_CELL * n_cells, name)
        sheets = [sheet for sheet, _, bottom, _ in sorted(sizes, key=lambda one: not one[1]) if bottom]
        if not sheets:
            raise InputError(f"{name} has no sheet with cells; give one with a header row and rows")
        sheet, within = _chosen_sheet(sheets, choice, name)
        if sheet is None:
            sheet = _first_with_table(parser, sheets, name)
        grid, merged = parser.cells(sheet)
    where = f"{name}, sheet {sheet!r}"
    block = _find_table(grid, merged, within, where)
    header, names = _read_header(grid, merged, block, choice.header, where)
    below = range(header + 1, block.bottom + 1)
    rows = [row for row in below if any(grid[row][column] is not None for column in names)]
    if not rows:
        raise InputError(f"{where} has no rows below its header in row {header + 1}")
    _fill_merged(grid, merged, rows, block)
    kept = [c for c in names if names[c] or any(grid[row][c] is not None for row in rows)]
    titles = [names[column] or f"column {column_letters(column)}" for column in kept]
    try:
        check_distinct(titles)
    except InputError as error:
        raise InputError(f"{where}: {error} (the header is row {header + 1})") from None
    columns = {
        title: _column([grid[row][column] for row in rows])
        for title, column in zip(titles, kept, strict=True)
    }
    texts = frozenset(title for title, (_, is_text) in columns.items() if is_text)
    place = Workbook(content, tuple(sheets), sheet, header, tuple(rows), block.right, texts)
    return pd.DataFrame({title: cells for title, (cells, _) in columns.items()}), place


class _Parser:
    """A process that parses a workbook; one that dies, is late or fails at it is an InputError."""

    def __init__(self, content: bytes, name: str, budget: Budget) -> None:
        if importlib.util.find_spec("python_calamine") is None:
            raise InputError(f"{name} is an Excel workbook, which needs python-calamine; run: {INSTALL}")
        size = _unpacked_size(content, name, budget)
        self._name = name
        self._memory = min(budget.memory, _LEAST_MEMORY + _MEMORY_A_BYTE * size)
        self._seconds = _LEAST_SECONDS + size // _BYTES_A_SECOND
        script = Path(__file__).with_name("excel_child.py")
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # the parser writes a page about each panic
            )
        except OSError as error:
            raise InputError(
                f"{name} is a workbook, and no process can be started to parse it; save it as CSV ({error})"
            ) from None
        self._is_late = False
        self._timer = threading.Timer(self._seconds, self._stop)
        self._timer.daemon = True
        self._timer.start()
        self._send(json.dumps({"size": len(content), "memory": self._memory}).encode() + b"\n" + content)

    def __enter__(self) -> "_Parser":
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        self._process.wait()

    def cells(self, sheet: str) -> tuple[Grid, list[Block]]:
        """Return all cells of a sheet from the corner on, and the merged ones."""
        self._send(json.dumps(sheet).encode() + b"\n")
        answer = self.answer()
        grid = [[_plain_cell(cell) for cell in row] for row in answer["cells"]]
        bottom, right = len(grid) - 1, len(grid[0]) - 1 if grid else -1
        merged = [
            Block(top, left, min(end[0], bottom), min(end[1], right))
            for (top, left), end in answer["merged"]
            if top <= bottom and left <= right
        ]
        return grid, merged

    def answer(self) -> dict[str, Any]:
        """Return the next answer of the process."""
        line: bytes = self._process.stdout.readline()  # type: ignore[union-attr]
        answer: dict[str, Any] = {"problem": "late" if self._is_late else "memory"}  # it has died
        if line.endswith(b"\n"):
            answer = json.loads(line, object_hook=_from_json)
        problem = answer.get("problem")
        if problem is None:
            return answer
        if problem == "password":
            raise InputError(f"{self._name} is locked by a password; save a copy without one")
        if problem in ("late", "memory"):
            most = f"{self._seconds} s" if problem == "late" else f"{in_words(self._memory)} of memory"
            problem = f"it cannot be parsed within {most}"
        raise InputError(f"{self._name} is no readable workbook ({problem}); save it again, or as CSV")

    def _send(self, line: bytes) -> None:
        with contextlib.suppress(OSError):  # a process that has ended gives no answer either
            self._process.stdin.write(line)  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]

    def _stop(self) -> None:
        self._is_late = True
        self._process.kill()


def _unpacked_size(content: bytes, name: str, budget: Budget) -> int:
    """Return how many bytes a workbook unpacks to, whatever it says itself; refuse one that is too large."""
    if not content.startswith(_ZIP):
        return len(content)
    size = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            budget.check_unpacked(sum(part.file_size for part in archive.infolist()), name)
            for part in archive.infolist():
                part.file_size = 1 << 62  # so that reading goes on to the end of what is there
                with archive.open(part) as file:
                    while chunk := file.read(1 << 20):
                        size += len(chunk)
                        budget.check_unpacked(size, name)
    except InputError:
        raise
    except _DAMAGED:
        pass  # the parser finds out whether it matters
    return size


def _from_json(tagged: dict[str, Any]) -> Any:
    """Return a cell that JSON has no type for."""
    types: dict[str, Any] = {
        "date": dt.date.fromisoformat,
        "datetime": dt.datetime.fromisoformat,
        "time": dt.time.fromisoformat,
        "timedelta": lambda seconds: dt.timedelta(seconds=seconds),
    }
    tag, value = next(iter(tagged.items()))
    return types[tag](value) if tag in types else tagged


def _plain_cell(cell: Any) -> Any:
    if isinstance(cell, str):
        return cell if cell.strip() else None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= 2**53:
        return int(cell)  # a spreadsheet has no whole numbers, a table has
    return cell


def _column(cells: list[Any]) -> "tuple[pd.Series[Any], bool]":
    """Return a column of one type, and whether it is text: one text among other cells makes it so."""
    is_text = any(isinstance(cell, str | dt.time) for cell in cells)
    if is_text:
        cells = ["" if cell is None else _cell_text(cell) for cell in cells]
    return pd.Series(cells, dtype=object), is_text


def _cell_text(cell: Any) -> str:
    """Return a cell as the text that it would be in a text file."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int | float):
        return number_as_text(float(cell))
    if isinstance(cell, dt.date | dt.time):
        return cell.isoformat()
    return str(cell)


def _chosen_sheet(sheets: Sequence[str], choice: SheetChoice, name: str) -> tuple[str | None, Block | None]:
    """Return the sheet and the range that the user chose; None where there is no choice."""
    wanted, within = choice.sheet, None
    if wanted is not None and wanted not in sheets and (match := _RANGE.fullmatch(wanted)):
        left, top, right, bottom = match.groups()[1:]
        end = 10**7
        wanted = match[1] or None
        within = Block(
            int(top) - 1,
            _column_number(left),
            int(bottom) - 1 if bottom else end,
            _column_number(right) if right else end,
        )
    if wanted is None:
        return None if within is None else sheets[0], within
    wanted = wanted.strip("'") if wanted.strip("'") in sheets else wanted
    if wanted in sheets:
        return wanted, within
    if wanted.isdigit() and 1 <= int(wanted) <= len(sheets):
        return sheets[int(wanted) - 1], within
    raise InputError(f"{name} has no sheet {wanted!r}; it has {', '.join(repr(sheet) for sheet in sheets)}")


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _first_with_table(parser: _Parser, sheets: Sequence[str], name: str) -> str:
    """Return the first sheet that holds more than lines of text: many a workbook begins with a cover."""
    if len(sheets) == 1:
        return sheets[0]
    chosen = next((one for one in sheets if _has_table(*parser.cells(one))), sheets[0])
    others = ", ".join(repr(one) for one in sheets if one != chosen)
    logger.warning("%s: sheet %r is read; others are %s (--sheet NAME)", name, chosen, others)
    return chosen


def _has_table(grid: Grid, merged: list[Block]) -> bool:
    """Whether a sheet has a block of two rows and two columns at least, rather than lines of text."""
    return any(one.bottom > one.top and one.right > one.left for one in _blocks(grid, merged))


def _find_table(grid: Grid, merged: list[Block], within: Block | None, where: str) -> Block:
    """Return the block that holds the table, or the part of the chosen range that has cells."""
    whole = Block(0, 0, len(grid) - 1, max(len(row) for row in grid) - 1)
    if within is not None:
        block = replace(within, bottom=min(within.bottom, whole.bottom), right=min(within.right, whole.right))
        if block.top > block.bottom or block.left > block.right:
            raise InputError(f"{where} has nothing at {within}; its cells are in {whole}")
        return block
    blocks = [one for one in _blocks(grid, merged) if one.bottom > one.top]
    tables = [one for one in blocks if one.right > one.left] or blocks
    if not tables:
        raise InputError(f"{where} has no table: give one with a header row and rows below it")
    largest = max(tables, key=lambda one: one.size)
    others = [str(one) for one in tables if one is not largest]
    if others:
        logger.warning(
            "%s: the largest table is read, %s; others are at %s (--sheet RANGE)",
            where,
            largest,
            ", ".join(others),
        )
    return largest


def _blocks(grid: Grid, merged: list[Block]) -> list[Block]:
    """Return the rectangles that empty columns, and then empty rows, part."""
    filled = np.array([[cell is not None for cell in row] for row in grid], dtype=bool)
    for one in merged:
        filled[one.top : one.bottom + 1, one.left : one.right + 1] |= filled[one.top, one.left]
    blocks: list[Block] = []
    for top, bottom in _runs(filled.any(axis=1)):
        band = filled[top : bottom + 1]
        for left, right in _runs(band.any(axis=0)):
            rows = np.flatnonzero(band[:, left : right + 1].any(axis=1)) + top
            blocks.append(Block(int(rows[0]), left, int(rows[-1]), right))
    return _rejoined(grid, blocks)


def _runs(filled: Any) -> list[tuple[int, int]]:
    """Return first and last place of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], filled, [False]]).astype(int)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _rejoined(grid: Grid, blocks: list[Block]) -> list[Block]:
    """Join blocks that an empty row parts but that are one table: the lower one has no names of its own."""
    joined: list[Block] = []
    for block in blocks:
        for i, upper in enumerate(joined):
            inside = upper.left <= block.left and block.right <= upper.right
            if inside and upper.bottom < block.top and upper.bottom > upper.top and not _names(grid, block):
                joined[i] = replace(upper, bottom=block.bottom)
                break
        else:
            joined.append(block)
    return joined


def _names(grid: Grid, block: Block) -> bool:
    """Whether a block begins with a row of texts above cells that are something else."""
    first = grid[block.top][block.left : block.right + 1]
    if block.top == block.bottom or not all(isinstance(cell, str) for cell in first):
        return False
    below = grid[block.top + 1][block.left : block.right + 1]
    return len(set(first)) == len(first) and not all(isinstance(cell, str) for cell in below)


def _read_header(
    grid: Grid, merged: list[Block], block: Block, wanted: int | None, where: str
) -> tuple[int, dict[int, str]]:
    """Return the last row of the header, and the name of each column."""
    if wanted is not None:
        last = wanted - 1
        if not block.top <= last < block.bottom:
            raise InputError(f"{where}: no header in row {wanted}; the table is in {block}")
        first = last
        while first > block.top and _spans(merged, first - 1, block):
            first -= 1
    else:
        width = block.right - block.left + 1
        enough = max(1, min(2, width), width // 2)
        lines = range(block.top, block.bottom)
        first = next((row for row in lines if _named(grid, merged, row, block) >= enough), block.top)
        last = first
        while last + 1 < block.bottom and _spans(merged, last, block):
            last += 1
        if first > 0:
            logger.warning(
                "%s: the header is row %d; rows above it are passed over (--header ROW)", where, last + 1
            )
    names = {
        column: _name(grid, merged, first, last, column) for column in range(block.left, block.right + 1)
    }
    if last > first:
        example = next((name for name in names.values() if " " in name), "")
        logger.warning(
            "%s: the header has %d rows, whose names are joined, as %r", where, last - first + 1, example
        )
    return last, names


def _named(grid: Grid, merged: list[Block], row: int, block: Block) -> int:
    """Return how many columns have a name in a row; a title over the whole table is the name of none."""
    covered = {
        column
        for one in merged
        if one.top <= row <= one.bottom and grid[one.top][one.left] is not None
        if not (one.left <= block.left and one.right >= block.right)
        for column in range(one.left, one.right + 1)
    }
    columns = range(block.left, block.right + 1)
    return sum(grid[row][column] is not None or column in covered for column in columns)


def _spans(merged: list[Block], row: int, block: Block) -> bool:
    """Whether a cell of a header row stands over several columns or rows, so that the next has names too."""
    return any(
        one.top <= row <= one.bottom
        and block.left <= one.left <= block.right
        and (one.right > one.left or one.bottom > row)
        for one in merged
    )


def _name(grid: Grid, merged: list[Block], first: int, last: int, column: int) -> str:
    parts: list[str] = []
    for row in range(first, last + 1):
        cell = _merged_cell(grid, merged, row, column)
        text = "" if cell is None else _cell_text(cell).strip()
        if text and (not parts or parts[-1] != text):
            parts.append(" ".join(text.split()))
    return " ".join(parts)


def _merged_cell(grid: Grid, merged: list[Block], row: int, column: int) -> Any:
    for one in merged:
        if one.top <= row <= one.bottom and one.left <= column <= one.right:
            return grid[one.top][one.left]
    return grid[row][column]


def _fill_merged(grid: Grid, merged: list[Block], rows: Sequence[int], block: Block) -> None:
    """Give every row the cell that is merged over it: it stands for all of them."""
    for one in merged:
        if one.bottom < rows[0] or one.left > block.right or one.right < block.left:
            continue
        for row in range(max(one.top, rows[0]), one.bottom + 1):
            for column in range(one.left, one.right + 1):
                grid[row][column] = grid[one.top][one.left]
