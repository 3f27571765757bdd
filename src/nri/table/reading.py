"""Reading: what a column means is decided here, once, and what a plan says is obeyed here.

:func:`understand` looks at cells that come without a plan and makes one; :func:`read_by` reads cells by the
plan that was made when the column was first seen. Nobody else decides what a column is.
"""

from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.rule.column import Column, empty_column
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan
from nri.table.cells import Cells, TextCells, TypedCells, number_as_text
from nri.table.kinds import boolean, category, date, number
from nri.table.kinds.found import Found, example
from nri.table.kinds.missing import is_missing_word


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """Cells with their meaning."""

    column: Column
    plan: ColumnPlan
    note: str = ""
    """what a person should know about how it was read; mostly empty"""


def understand(
    cells: Cells, *, kind: Kind | None = None, exact: bool = False, decimal_comma: bool = False
) -> ReadColumn:
    """Decide what a column means by looking at all of its cells.

    Parameters
    ----------
    cells
        The column as it came.
    kind
        What it is to be, where somebody knows.
    exact
        Whether texts that differ only in case and blanks are kept apart.
    decimal_comma
        Whether ``3,14`` is a number, as it is in files with semicolons.

    Examples
    --------
    >>> from nri.table.cells import text_cells
    >>> found = understand(text_cells(np.array(["1", "?", " 2"], dtype=object)))
    >>> found.plan.kind.value, found.column.values.tolist()
    ('number', [1.0, nan, 2.0])
    """
    if isinstance(cells, TypedCells):
        return _typed(cells, kind)
    if kind is not None and kind is not Kind.TEXT:
        return read_by(cells, ColumnPlan(kind, stated=False), "the column")
    found = _recognised(cells, kind, exact, decimal_comma)
    return ReadColumn(_column(found, cells), found.plan, found.note)


def read_by(cells: Cells, plan: ColumnPlan, name: str) -> ReadColumn:
    """Read cells by a plan; those that it cannot make sense of are missing, with a note.

    Raises
    ------
    InputError
        If most cells make no sense: then it is another column. The message names column, row and cell.
    """
    if isinstance(cells, TypedCells):
        return ReadColumn(recast(cells.column, plan, name), plan, cells.note)
    try:
        found = _read_texts(cells, plan)
    except InputError as error:
        raise InputError(f"column {name!r}: {error}") from None
    column = _column(found, cells)
    meant = _has_meaning(cells, plan)
    lost = meant & ~column.known
    if 2 * int(lost.sum()) > int(meant.sum()):
        _refuse(cells, lost, plan.kind, name)
    return ReadColumn(column, found.plan, found.note)


def guess_of(cells: Cells, plan: ColumnPlan) -> object:
    """Return what reading cells by a plan decides by all of them together; None if each speaks for itself.

    Whoever reads a column in parts must find the same guess in all of them.
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
        plan = replace(boolean.WORDS, no_and_yes=("False", "True"))
    elif column.kind is Kind.NUMBER and kind is None and _is_zero_one(column):
        return ReadColumn(Column(column.values == 1, column.known), boolean.DIGITS, cells.note)
    return ReadColumn(column, plan, cells.note)


def _is_zero_one(column: Column) -> bool:
    known = column.values[column.known]
    return bool(len(known)) and boolean.are_zero_one(known)


def _recognised(cells: TextCells, kind: Kind | None, exact: bool, decimal_comma: bool) -> Found:
    """Ask the kinds one by one; categories take what nobody else wants."""
    texts, counts = cells.texts, cells.counts
    if not texts:
        return Found(np.zeros(0), ColumnPlan(Kind.NUMBER))
    if kind is Kind.TEXT or cells.declared:
        return category.recognise(texts, counts, exact=exact)
    found = None
    if cells.loose:
        found = boolean.recognise(texts) or number.recognise_plain(texts, decimal_comma=decimal_comma)
    found = found or date.recognise(texts, counts)
    found = found or _dressed(cells, decimal_comma)
    if found is None:
        found = category.recognise(texts, counts, exact=exact)
        note = "; ".join(part for part in (found.note, date.ambiguity(texts)) if part)
        return replace(found, note=note)
    if found.plan.kind is Kind.NUMBER and boolean.are_zero_one(found.values[~np.isnan(found.values)]):
        plan = replace(found.plan, kind=Kind.BOOLEAN, no_and_yes=boolean.DIGITS.no_and_yes, whole=False)
        return replace(found, plan=plan)
    return found


def _dressed(cells: TextCells, decimal_comma: bool) -> Found | None:
    found = number.recognise_dressed(cells.texts, cells.counts, decimal_comma=decimal_comma)
    plain = found is not None and not found.note
    return None if plain and not cells.loose else found  # plain numbers as text were meant as categories


def _column(found: Found, cells: TextCells) -> Column:
    """Spread what the distinct texts mean over the rows."""
    known = cells.codes >= 0
    if not len(cells.texts):
        return empty_column(found.plan.kind, len(cells))
    if found.plan.kind is Kind.TEXT:
        categories, places = np.unique(found.values, return_inverse=True)
        return Column(places[cells.codes], known, tuple(categories.tolist()))
    values: NDArray[Any] = found.values[cells.codes]
    if found.plan.kind is Kind.BOOLEAN:
        return Column(values == 1, known & ~np.isnan(values))
    missing = np.isnat(values) if found.plan.kind is Kind.DATE else np.isnan(values)
    return Column(values, known & ~missing)


def _read_texts(cells: TextCells, plan: ColumnPlan) -> Found:
    if not cells.texts:
        return Found(np.zeros(0), plan)
    reader = {
        Kind.BOOLEAN: boolean.read,
        Kind.NUMBER: number.read,
        Kind.DATE: date.read,
        Kind.TEXT: category.read,
    }
    return reader[plan.kind](cells.texts, cells.counts, plan)


def _has_meaning(cells: TextCells, plan: ColumnPlan) -> NDArray[np.bool_]:
    """[M]: where a cell is more than a word for nothing."""
    said = [text not in plan.missing and not is_missing_word(text) for text in cells.texts]
    return np.array([*said, False], dtype=bool)[cells.codes]  # code -1 is the last


def _refuse(cells: TextCells, bad: NDArray[np.bool_], kind: Kind, name: str) -> NoReturn:
    row = int(np.flatnonzero(bad)[0])
    raise InputError(
        f"column {name!r}, row {row + 1}: {example(cells.texts[cells.codes[row]])} is no {kind}; "
        "correct the cell, or leave it empty if it is not known"
    )


def recast(column: Column, plan: ColumnPlan, name: str) -> Column:
    """Return typed cells as the kind of a plan, where they can be nothing else."""
    kind, found = plan.kind, column.kind
    if not column.known.any():
        return empty_column(kind, len(column))
    if kind is Kind.TEXT:
        return _respelled(column if found is kind else _as_texts(column), plan)
    if found is kind:
        return column
    if kind is Kind.BOOLEAN and found is Kind.NUMBER:
        return Column(column.values == 1, column.known)
    if kind is Kind.NUMBER and found is Kind.BOOLEAN:
        return Column(as_numbers(column), column.known)
    row = int(np.flatnonzero(column.known)[0])
    raise InputError(
        f"column {name!r} holds a {found} ({example(str(column.values[row]))} in row {row + 1}) where a "
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
