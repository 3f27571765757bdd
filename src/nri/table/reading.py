"""Reading: decide once what a column means, and read cells by that decision ever after.

:func:`understand` makes a plan for cells that come without one; :func:`read_by` reads cells by the plan that
was made when the column was first seen. No other module decides what a column is.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.rule.column import Column, ColumnPlan, empty_column
from nri.rule.literal import Kind
from nri.table.cells import Cells, TextCells, TypedCells, number_as_text
from nri.table.kinds import (
    TRUE_FALSE,
    ZERO_ONE,
    ParsedTexts,
    category,
    date,
    example,
    is_missing_word,
    number,
)


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """A column with its meaning."""

    column: Column
    plan: ColumnPlan
    note: str = ""
    """how it was read, where that is not obvious; mostly empty"""


def understand(
    cells: Cells, *, kind: Kind | None = None, exact: bool = False, decimal_comma: bool = False
) -> ReadColumn:
    """Decide what a column means by all of its cells, unless its ``kind`` is given.

    With ``exact`` texts that differ only in case and blanks are kept apart; with ``decimal_comma`` ``3,14``
    is a number, as it is in files with semicolons.

    >>> from nri.table.cells import text_cells
    >>> read = understand(text_cells(np.array(["1", "?", " 2"], dtype=object)))
    >>> read.plan.kind.value, read.column.values.tolist()
    ('number', [1.0, nan, 2.0])
    """
    if isinstance(cells, TypedCells):
        return _typed(cells, kind)
    if kind is not None and kind is not Kind.TEXT:
        return read_by(cells, ColumnPlan(kind, stated=False), "the column")
    parsed = _recognise(cells, kind, exact, decimal_comma)
    return ReadColumn(_column(parsed, cells), parsed.plan, parsed.note)


def read_by(cells: Cells, plan: ColumnPlan, name: str) -> ReadColumn:
    """Read cells by a plan; those that do not fit it are missing, with a note.

    If most cells do not fit, it is another column: an InputError names column, row and cell.
    """
    if isinstance(cells, TypedCells):
        return ReadColumn(recast(cells.column, plan, name), plan, cells.note)
    try:
        parsed = _read_texts(cells, plan)
    except InputError as error:
        raise InputError(f"column {name!r}: {error}") from None
    column = _column(parsed, cells)
    filled = [text not in plan.missing and not is_missing_word(text) for text in cells.texts]
    meant = np.array([*filled, False], dtype=bool)[cells.codes]  # code -1 is the last
    lost = meant & ~column.known
    if 2 * int(lost.sum()) > int(meant.sum()):
        row = int(np.flatnonzero(lost)[0])
        raise InputError(
            f"column {name!r}, row {row + 1}: {example(cells.texts[cells.codes[row]])} is no {plan.kind}; "
            "correct the cell, or leave it empty if it is not known"
        )
    return ReadColumn(column, parsed.plan, parsed.note)


def guess_of(cells: Cells, plan: ColumnPlan) -> object:
    """Return what reading cells by a plan infers from all of them together; None if nothing.

    A column that is read in parts must give the same guess in all of them.
    """
    if isinstance(cells, TypedCells) or plan.kind is Kind.TEXT or not cells.texts:
        return None
    if plan.kind is Kind.DATE:
        return date.guess(cells.texts, plan)
    return number.guess(cells.texts, cells.counts, plan)


def _typed(cells: TypedCells, kind: Kind | None) -> ReadColumn:
    column = cells.column
    plan = ColumnPlan(column.kind, whole=cells.whole)
    if kind is not None and kind is not column.kind:
        return ReadColumn(recast(column, ColumnPlan(kind), "the column"), ColumnPlan(kind), cells.note)
    if column.kind is Kind.BOOLEAN:
        plan = replace(TRUE_FALSE, no_and_yes=("False", "True"))
    elif column.kind is Kind.NUMBER and kind is None:
        known = column.values[column.known]
        if len(known) and number.are_zero_one(known):
            return ReadColumn(Column(column.values == 1, column.known), ZERO_ONE, cells.note)
    return ReadColumn(column, plan, cells.note)


def _recognise(cells: TextCells, kind: Kind | None, exact: bool, decimal_comma: bool) -> ParsedTexts:
    """Try the kinds one by one; texts that are nothing else are categories."""
    texts, counts = cells.texts, cells.counts
    if not texts:
        return ParsedTexts(np.zeros(0), ColumnPlan(Kind.NUMBER))
    if kind is Kind.TEXT or cells.declared:
        return category.recognise(texts, counts, exact=exact)
    parsed = None
    if cells.loose:
        parsed = number.recognise_boolean(texts) or number.recognise_plain(texts, decimal_comma=decimal_comma)
    parsed = parsed or date.recognise(texts, counts)
    if parsed is None:
        parsed = number.recognise_formatted(texts, counts, decimal_comma=decimal_comma)
        if parsed is not None and not parsed.note and not cells.loose:
            parsed = None  # plain numbers as text were meant as categories
    if parsed is None:
        parsed = category.recognise(texts, counts, exact=exact)
        note = "; ".join(part for part in (parsed.note, date.ambiguity(texts)) if part)
        return replace(parsed, note=note)
    if parsed.plan.kind is Kind.NUMBER and number.are_zero_one(parsed.values[~np.isnan(parsed.values)]):
        plan = replace(parsed.plan, kind=Kind.BOOLEAN, no_and_yes=ZERO_ONE.no_and_yes, whole=False)
        return replace(parsed, plan=plan)
    return parsed


def _column(parsed: ParsedTexts, cells: TextCells) -> Column:
    """Spread the values of the distinct texts over the rows."""
    known = cells.codes >= 0
    kind = parsed.plan.kind
    if not len(cells.texts):
        return empty_column(kind, len(cells))
    if kind is Kind.TEXT:
        categories, places = np.unique(parsed.values, return_inverse=True)
        return Column(places[cells.codes], known, tuple(categories.tolist()))
    values: NDArray[Any] = parsed.values[cells.codes]
    if kind is Kind.BOOLEAN:
        return Column(values == 1, known & ~np.isnan(values))
    return Column(values, known & ~(np.isnat(values) if kind is Kind.DATE else np.isnan(values)))


def _read_texts(cells: TextCells, plan: ColumnPlan) -> ParsedTexts:
    if not cells.texts:
        return ParsedTexts(np.zeros(0), plan)
    reader = {
        Kind.BOOLEAN: number.read_boolean,
        Kind.NUMBER: number.read,
        Kind.DATE: date.read,
        Kind.TEXT: category.read,
    }
    return reader[plan.kind](cells.texts, cells.counts, plan)


def recast(column: Column, plan: ColumnPlan, name: str) -> Column:
    """Return typed cells as the kind of a plan, where they can be nothing else."""
    kind, present = plan.kind, column.kind
    if not column.known.any():
        return empty_column(kind, len(column))
    if kind is Kind.TEXT:
        return _respelled(column if present is kind else _as_texts(column), plan)
    if present is kind:
        return column
    if kind is Kind.BOOLEAN and present is Kind.NUMBER:
        return Column(column.values == 1, column.known)
    if kind is Kind.NUMBER and present is Kind.BOOLEAN:
        return Column(as_numbers(column), column.known)
    row = int(np.flatnonzero(column.known)[0])
    raise InputError(
        f"column {name!r} holds a {present} ({example(str(column.values[row]))} in row {row + 1}) where a "
        f"{kind} is expected; give the column as it was when the rule was induced"
    )


def as_numbers(column: Column) -> FloatArray:
    """[M]: numbers as they are, yes as 1 and no as 0; NaN where unknown."""
    return np.where(column.known, column.values.astype(np.float64), np.nan)


def _as_texts(column: Column) -> Column:
    values = np.full(len(column), None, dtype=object)
    cells = column.values[column.known]
    written = map(number_as_text, cells) if column.kind is Kind.NUMBER else map(str, cells)
    values[column.known] = list(written)
    return Column(values, column.known)


def _respelled(column: Column, plan: ColumnPlan) -> Column:
    """Return texts in the spellings that a plan uses."""
    assert column.categories is not None, "only texts are spelled"
    used = category.read(column.categories, np.ones(len(column.categories), dtype=np.int64), plan).values
    if tuple(used) == column.categories:
        return column
    categories, places = np.unique(used, return_inverse=True)
    return Column(places[column.values], column.known, tuple(categories.tolist()))
