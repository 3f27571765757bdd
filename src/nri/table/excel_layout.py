"""Layout of a sheet: where its table is, which rows are its header, and what merged cells stand for.

Blocks are what empty rows and columns part. The largest one is the table; a title above it, a second table
beside it and the rows of a header are told, together with the option that chooses otherwise.
"""

import datetime as dt
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nri.errors import InputError
from nri.table.cells import number_as_text

logger = logging.getLogger(__name__)

Grid = list[list[Any]]
"""Rows of cells; None where a cell is empty."""


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


def filled_cells(grid: Grid, row: int, block: Block) -> int:
    """Return how many cells of a row of a block are filled."""
    return sum(cell is not None for cell in grid[row][block.left : block.right + 1])


def has_cells(grid: Grid, rows: Sequence[int], column: int) -> bool:
    """Whether a column has a cell in one of these rows."""
    return any(grid[row][column] is not None for row in rows)


def is_table(grid: Grid, merged: list[Block]) -> bool:
    """Whether a sheet has a block of two rows and two columns at least, rather than lines of text."""
    whole = Block(0, 0, len(grid) - 1, max(len(row) for row in grid) - 1)
    return any(one.bottom > one.top and one.right > one.left for one in _blocks(grid, merged, whole))


def find_table(grid: Grid, merged: list[Block], within: Block | None, where: str) -> Block:
    """Return the block that holds the table, or as much as there is of the range that was asked for."""
    whole = Block(0, 0, len(grid) - 1, max(len(row) for row in grid) - 1)
    if within is not None:
        block = Block(
            within.top, within.left, min(within.bottom, whole.bottom), min(within.right, whole.right)
        )
        if block.top > block.bottom or block.left > block.right:
            raise InputError(f"{where} has nothing at {within}; its cells are in {whole}")
        return block
    blocks = [one for one in _blocks(grid, merged, whole) if one.bottom > one.top]
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


def _blocks(grid: Grid, merged: list[Block], whole: Block) -> list[Block]:
    """Return the rectangles that empty columns, and then empty rows, part."""
    filled = np.array([[cell is not None for cell in row] for row in grid], dtype=bool)
    for one in merged:
        filled[one.top : one.bottom + 1, one.left : one.right + 1] |= filled[one.top, one.left]
    found: list[Block] = []
    for top, bottom in _runs(filled.any(axis=1)):
        band = filled[top : bottom + 1]
        for left, right in _runs(band.any(axis=0)):
            rows = np.flatnonzero(band[:, left : right + 1].any(axis=1)) + top
            found.append(Block(int(rows[0]), left, int(rows[-1]), right))
    return _rejoined(grid, found)


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


def read_header(
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
        text = "" if cell is None else cell_text(cell).strip()
        if text and (not parts or parts[-1] != text):
            parts.append(" ".join(text.split()))
    return " ".join(parts)


def _merged_cell(grid: Grid, merged: list[Block], row: int, column: int) -> Any:
    for one in merged:
        if one.top <= row <= one.bottom and one.left <= column <= one.right:
            return grid[one.top][one.left]
    return grid[row][column]


def fill_merged(grid: Grid, merged: list[Block], rows: Sequence[int], block: Block) -> None:
    """Give every row the cell that is merged over it: it stands for all of them."""
    for one in merged:
        if one.bottom < rows[0] or one.left > block.right or one.right < block.left:
            continue
        for row in range(max(one.top, rows[0]), one.bottom + 1):
            for column in range(one.left, one.right + 1):
                grid[row][column] = grid[one.top][one.left]


def cell_text(cell: Any) -> str:
    """Return a cell as the text that it would be in a text file."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int | float):
        return number_as_text(float(cell))
    if isinstance(cell, dt.date | dt.time):
        return cell.isoformat()
    return str(cell)
