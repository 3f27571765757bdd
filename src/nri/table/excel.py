"""Excel: find the table on a sheet of a workbook, whatever stands around it, and read its cells.

A sheet is no table: there may be a title above it, a header of two rows with merged cells, a second table
beside it (:mod:`nri.table.excel_layout`). Needs python-calamine (extra ``excel``).
"""

import datetime as dt
import io
import logging
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pandas as pd

from nri.errors import InputError
from nri.table.excel_layout import (
    Block,
    Grid,
    cell_text,
    column_letters,
    fill_merged,
    filled_cells,
    find_table,
    has_cells,
    is_table,
    read_header,
)
from nri.table.frame import check_distinct
from nri.table.panics import is_panic, panics_unheard
from nri.table.source import Workbook

logger = logging.getLogger(__name__)

INSTALL = "pip install 'nri[excel]'"
_ZIP, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_RANGE = re.compile(r"(?:(.*)!)?\$?([A-Za-z]{1,3})\$?(\d+)(?::\$?([A-Za-z]{1,3})\$?(\d+))?")


@dataclass(frozen=True)
class SheetChoice:
    """What somebody says about where the table is."""

    sheet: str | None = None
    """name or number of the sheet; a range may follow or stand for it: ``Visits!B3:F90``, ``B3:F90``"""
    header: int | None = None
    """row of the header as the spreadsheet numbers rows; the last one where the header has several"""


def is_workbook(content: bytes) -> bool:
    """Whether bytes are a workbook of a spreadsheet: xlsx, xlsm, xlsb, ods or the old xls."""
    if content.startswith(_OLD):
        return True
    if not content.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):  # damaged in one way or another
        return False
    return bool(names & {"xl/workbook.xml", "xl/workbook.bin", "content.xml"})


def read_workbook(content: bytes, name: str, choice: SheetChoice) -> tuple[pd.DataFrame, Workbook]:
    """Return the cells of the table on a sheet, and where it was.

    Parameters
    ----------
    content
        The whole file.
    name
        What to call it in messages.
    choice
        Which sheet, and where on it; by default the first one with a table, and the largest table on it.
    """
    with _damage_told(name):
        book = _opened(content, name)
        sheets = _filled_sheets(book, name)
    sheet, within = _named_sheet(sheets, choice, name)
    with _damage_told(name):
        if sheet is None:
            sheet = _first_with_table(book, sheets, name)
        grid, merged = _cells(book.get_sheet_by_name(sheet))
    block = find_table(grid, merged, within, f"{name}, sheet {sheet!r}")
    header, names = read_header(grid, merged, block, choice.header, f"{name}, sheet {sheet!r}")
    rows = [row for row in range(header + 1, block.bottom + 1) if filled_cells(grid, row, block)]
    if not rows:
        raise InputError(f"{name}, sheet {sheet!r} has no rows below its header in row {header + 1}")
    fill_merged(grid, merged, rows, block)
    columns_of_block = range(block.left, block.right + 1)
    kept = [column for column in columns_of_block if names[column] or has_cells(grid, rows, column)]
    titles = [names[column] or f"column {column_letters(column)}" for column in kept]
    try:
        check_distinct(titles)
    except InputError as error:
        raise InputError(f"{name}, sheet {sheet!r}: {error} (the header is row {header + 1})") from None
    columns = [_column([grid[row][column] for row in rows]) for column in kept]
    texts = frozenset(title for title, (_, is_text) in zip(titles, columns, strict=True) if is_text)
    frame = pd.DataFrame({title: cells for title, (cells, _) in zip(titles, columns, strict=True)})
    place = Workbook(content, tuple(sheets), sheet, header, tuple(rows), block.right, texts)
    return frame, place


@contextmanager
def _damage_told(name: str) -> Iterator[None]:
    """Tell in one line what the reader cannot read; where it panics, that is no Exception."""
    try:
        with panics_unheard():
            yield
    except (InputError, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        cause = " ".join(str(error).split())[:100]
        raise InputError(f"{name} is no readable workbook ({cause}); save it again, or as CSV") from None


def _opened(content: bytes, name: str) -> Any:
    try:
        from python_calamine import CalamineWorkbook, PasswordError
    except ImportError:
        raise InputError(
            f"{name} is an Excel workbook, which needs python-calamine; run: {INSTALL}"
        ) from None
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(content))
    except PasswordError:
        raise InputError(f"{name} is locked by a password; save a copy without one") from None


def _filled_sheets(book: Any, name: str) -> list[str]:
    """Return the sheets that hold cells, hidden ones after the others."""
    hidden = {one.name for one in book.sheets_metadata if not str(one.visible).endswith("Visible")}
    names = sorted(book.sheet_names, key=lambda sheet: sheet in hidden)
    filled = [sheet for sheet in names if book.get_sheet_by_name(sheet).total_height > 0]
    if not filled:
        raise InputError(f"{name} has no sheet with cells; give one with a header row and rows")
    return filled


def _named_sheet(sheets: Sequence[str], choice: SheetChoice, name: str) -> tuple[str | None, Block | None]:
    """Return the sheet and the range that somebody named; None for what they left open."""
    wanted, within = choice.sheet, None
    if wanted is not None and wanted not in sheets and (match := _RANGE.fullmatch(wanted)):
        wanted, within = match[1] or None, _block(*match.groups()[1:])
    if wanted is None:
        return None if within is None else sheets[0], within
    wanted = wanted.strip("'") if wanted.strip("'") in sheets else wanted
    if wanted in sheets:
        return wanted, within
    if wanted.isdigit() and 1 <= int(wanted) <= len(sheets):
        return sheets[int(wanted) - 1], within
    raise InputError(f"{name} has no sheet {wanted!r}; it has {', '.join(repr(sheet) for sheet in sheets)}")


def _first_with_table(book: Any, sheets: Sequence[str], name: str) -> str:
    """Return the first sheet that holds more than lines of text: many a workbook begins with a cover."""
    if len(sheets) == 1:
        return sheets[0]
    chosen = next((one for one in sheets if is_table(*_cells(book.get_sheet_by_name(one)))), sheets[0])
    others = ", ".join(repr(one) for one in sheets if one != chosen)
    logger.warning("%s: sheet %r is read; others are %s (--sheet NAME)", name, chosen, others)
    return chosen


def _block(left: str, top: str, right: str | None, bottom: str | None) -> Block:
    far = 10**7
    return Block(
        int(top) - 1,
        _column_number(left),
        int(bottom) - 1 if bottom else far,
        _column_number(right) if right else far,
    )


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _cells(sheet: Any) -> tuple[Grid, list[Block]]:
    """Return all cells from the corner on, and the merged ones."""
    merged = [Block(*start, *end) for start, end in sheet.merged_cell_ranges or ()]
    grid = [[_cell(cell) for cell in row] for row in sheet.to_python(skip_empty_area=False)]
    return grid, merged


def _cell(cell: Any) -> Any:
    if isinstance(cell, str):
        return cell if cell.strip() else None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= 2**53:
        return int(cell)  # a spreadsheet has no whole numbers, a table has
    return cell


def _column(cells: list[Any]) -> "tuple[pd.Series[Any], bool]":
    """Return a column of one type, and whether it is text: one text among other cells makes it so."""
    is_text = any(isinstance(cell, str | dt.time) for cell in cells)
    if is_text:
        cells = ["" if cell is None else cell_text(cell) for cell in cells]
    return pd.Series(cells, dtype=object), is_text
