"""Excel, written: predictions beside a table in its own workbook, or a new workbook. Needs openpyxl.

A workbook that was read keeps its other cells, sheets, formulas and formats; only new columns are touched.
A text is never written as a formula, whatever it begins with.
"""

import io
import logging
from copy import copy
from typing import IO, Any

import numpy as np
import pandas as pd

from nri.errors import InputError
from nri.table.excel import INSTALL
from nri.table.excel_layout import column_letters
from nri.table.source import Workbook

logger = logging.getLogger(__name__)


def write_into_workbook(place: Workbook, added: pd.DataFrame, file: IO[bytes]) -> None:
    """Write the workbook with more columns at the right of the table that was read."""
    book = _openpyxl().load_workbook(io.BytesIO(place.content), keep_vba=b"vbaProject.bin" in place.content)
    sheet = book[place.sheet]
    first = _free_column(sheet, place, len(added.columns))
    for i, name in enumerate(added.columns):
        column = first + i
        beside = sheet.cell(place.header + 1, place.right + 1)
        _put(sheet, place.header + 1, column, name, like=beside)
        for row, value in zip(place.rows, added[name].tolist(), strict=True):
            _put(sheet, row + 1, column, value)
    book.save(file)


def write_new_workbook(frame: pd.DataFrame, file: IO[bytes]) -> None:
    """Write a table as the only sheet of a new workbook."""
    book = _openpyxl().Workbook()
    sheet = book.active
    for column, name in enumerate(frame.columns, start=1):
        _put(sheet, 1, column, name)
        for row, value in enumerate(frame[name].tolist(), start=2):
            _put(sheet, row, column, value)
    sheet.freeze_panes = "A2"
    book.save(file)


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise InputError(f"writing an Excel workbook needs openpyxl; run: {INSTALL}") from None
    return openpyxl


def _free_column(sheet: Any, place: Workbook, width: int) -> int:
    """Return the first of some columns, counted from 1, that are empty beside the table."""
    rows = [place.header, *place.rows]
    for first in range(place.right + 2, sheet.max_column + 2):
        cells = (sheet.cell(row + 1, first + i) for row in rows for i in range(width))
        if all(cell.value is None for cell in cells):
            break
    else:
        first = max(sheet.max_column, place.right + 1) + 1
    if first > place.right + 2:
        logger.warning(
            "the columns beside the table are taken; predictions are in column %s", column_letters(first - 1)
        )
    return first


def _put(sheet: Any, row: int, column: int, value: Any, like: Any = None) -> None:
    if isinstance(value, np.generic):
        value = value.item()
    cell = sheet.cell(row, column)
    cell.value = None if value is pd.NaT or value is pd.NA or value != value else value
    if cell.data_type == "f":  # a text that begins with = is a text
        cell.data_type = "s"
    if like is not None and like.has_style:
        cell._style = copy(like._style)
