"""Columns: arrays of cells with a mask of the known ones, and the plans by which cells are read.

:data:`Columns` are the one form in which a table reaches a rule. A *plan* says how the cells of a column are
to be read, decided once and kept with the rule; :mod:`nri.table.by_plan` reads cells by it.
"""

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, IntArray
from nri.errors import InputError
from nri.rule.literal import Kind, Value, kind_of, plain_value

_KINDS = {"b": Kind.BOOLEAN, "f": Kind.NUMBER, "M": Kind.DATE}
_UNKNOWN: dict[Kind, Any] = {
    Kind.BOOLEAN: np.bool_(False),
    Kind.NUMBER: np.float64(np.nan),
    Kind.TEXT: np.int32(-1),
    Kind.DATE: np.datetime64("NaT", "us"),
}
"""What an unknown cell of each kind holds, in the type of all cells."""


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """M cells of one kind, and which of them are known.

    Integers become float64 and dates datetime64[us]; NaN, NaT and None are never known. An unknown cell holds
    False, NaN, NaT or code -1. Texts are given as they are, or as codes together with their categories.

    >>> Column(np.array([61.0, np.nan]), np.array([True, True])).known.tolist()
    [True, False]
    >>> colours = Column(np.array(["red", "blue", "red"], dtype=object), np.array([True, True, False]))
    >>> colours.values.tolist(), colours.categories
    ([1, 0, -1], ('blue', 'red'))
    """

    values: NDArray[Any]  # [M]; bool, float64, datetime64[us], or int32 codes into the categories
    known: BoolArray  # [M]
    categories: tuple[str, ...] | None = None
    """the texts that codes stand for, in sorted order; None where cells are no texts"""

    def __post_init__(self) -> None:
        values, known = np.asarray(self.values), np.asarray(self.known, dtype=bool)
        if values.ndim != 1 or values.shape != known.shape:
            raise InputError(f"a column needs one known-flag for each cell, not {known.shape}")
        if self.categories is None:
            values, known, categories = _standard(values, known)
            object.__setattr__(self, "categories", categories)
        unknown = _UNKNOWN[Kind.TEXT if self.categories is not None else _KINDS[values.dtype.kind]]
        values = values.astype(unknown.dtype, copy=False)
        object.__setattr__(self, "values", values if known.all() else np.where(known, values, unknown))
        object.__setattr__(self, "known", known)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def kind(self) -> Kind:
        """What sort of cells the column holds."""
        return Kind.TEXT if self.categories is not None else _KINDS[self.values.dtype.kind]

    @property
    def texts(self) -> NDArray[Any]:
        """[M] of a text column: each cell's text, None where it is unknown."""
        assert self.categories is not None, "only texts have categories"
        texts: NDArray[Any] = np.array([*self.categories, None], dtype=object)
        return np.asarray(texts[self.values])  # code -1 is the last

    def cell(self, row: int) -> Value | None:
        """Return one cell as a plain Python value, None if unknown."""
        if not self.known[row]:
            return None
        value = self.values[row]
        if self.categories is not None:
            return self.categories[int(value)]
        if self.kind is Kind.NUMBER and not np.isfinite(value):
            return float(value)  # a cell may be infinite, a literal's value may not
        return plain_value(value)

    def take(self, rows: NDArray[Any]) -> "Column":
        """Return the column at these rows (indices or a mask)."""
        return Column(self.values[rows], self.known[rows], self.categories)

    def distinct(self) -> tuple[NDArray[Any], IntArray]:
        """Return the different known cells in order (texts as texts), and how many cells hold each.

        >>> column_of(["b", "a", "b", None]).distinct()
        (array(['a', 'b'], dtype=object), array([1, 2]))
        """
        if self.categories is None:
            values, counts = np.unique(self.values[self.known], return_counts=True)
            return values, counts.astype(np.int64)
        counts = np.bincount(self.values[self.known], minlength=len(self.categories))
        present = np.flatnonzero(counts)
        return np.array(self.categories, dtype=object)[present], counts[present].astype(np.int64)


@dataclass(frozen=True)
class ColumnDomain:
    """What the cells of one column can be.

    >>> ColumnDomain(["red", "blue"]).values
    ('blue', 'red')
    """

    values: tuple[Value, ...] | None
    """All values that known cells can have (a closed set), None if any can occur."""

    def __init__(self, values: Iterable[object] | None = None) -> None:
        closed = None if values is None else {plain_value(value) for value in values}
        kinds = {kind_of(value) for value in closed or ()}
        if len(kinds) > 1:
            raise InputError(f"a column's values mix {' and '.join(sorted(kinds))}: use one kind")
        object.__setattr__(self, "values", None if closed is None else tuple(sorted(closed)))


BOOLEAN = ColumnDomain([False, True])  # A column of yes and no, with unknown cells.

OPEN = ColumnDomain()  # A column of any numbers, dates or texts, with unknown cells.

Domain = Mapping[str, ColumnDomain]
"""What is known about columns; those that are not mentioned are :data:`OPEN`."""


Columns = Mapping[str, Column]  # A table as the symbols see it: a column for each name, all of one length.


def column_of(cells: Sequence[object]) -> Column:
    """Build a column from plain Python cells of one kind; None and NaN are unknown."""
    known = np.array([cell is not None and cell == cell for cell in cells], dtype=bool)
    seen = [cell for cell, is_known in zip(cells, known, strict=True) if is_known]
    kinds = {kind_of(cell) for cell in seen} or {Kind.NUMBER}
    kinds -= {Kind.BOOLEAN} if Kind.NUMBER in kinds else set()
    if len(kinds) > 1:
        raise InputError(f"a column mixes {' and '.join(sorted(kinds))} cells: convert them to one kind")
    (kind,) = kinds
    values: NDArray[Any] = np.full(len(cells), None if kind is Kind.TEXT else _UNKNOWN[kind])
    values[known] = [plain_value(cell) for cell in seen] if kind is Kind.DATE else seen
    return Column(values, known)


def empty_column(kind: Kind, n_rows: int) -> Column:
    """Return a column of a kind of which no cell is known."""
    values = np.full(n_rows, _UNKNOWN[kind])
    return Column(values, np.zeros(n_rows, dtype=bool), () if kind is Kind.TEXT else None)


def row_count(columns: Columns, n_rows: int | None = None) -> int:
    """Return M, which the columns must agree on; a rule without columns needs ``n_rows``."""
    lengths = {name: len(column) for name, column in columns.items()}
    if n_rows is not None:
        lengths["n_rows"] = n_rows
    if not lengths:
        raise InputError("no column to count the rows by: pass n_rows")
    if len(set(lengths.values())) > 1:
        raise InputError(f"columns differ in length: {lengths}; give as many cells in each")
    return next(iter(lengths.values()))


_KEPT_CATEGORIES = 100  # Most categories of a column that are kept with a rule.


@dataclass(frozen=True)
class ColumnPlan:
    """What the cells of one column mean."""

    kind: Kind
    decimal: str = "."  # what stands before the decimals of a number
    thousands: str = ""  # characters that may stand between the thousands of a number
    unit: tuple[str, str] = ("", "")
    """the currency in front of numbers and the unit behind them, each empty if there is none"""
    whole: bool = False  # whether all numbers were whole by their type or their writing
    day_first: bool | None = None
    """of dates like ``02/03/2024``, whether the day comes first; None where dates show it themselves"""
    missing: tuple[str, ...] = ()  # words and codes that stand for nothing in this column
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    """for a column of codes the categories that they stand for"""
    no_and_yes: tuple[str, str] = ("false", "true")  # how no and yes are written in a boolean column
    categories: tuple[str, ...] = ()
    """the texts that cells were, in sorted order, by the spelling that is used"""
    spellings: Mapping[str, str] = field(default_factory=dict, hash=False)
    """for categories that were written in several ways, from each other way to the one that is used"""
    folded: bool = False  # whether texts that differ only in case and blanks are one category
    stated: bool = True
    """False in rules that older versions wrote: then the cells at hand say how they are written"""

    @property
    def missing_values(self) -> tuple[Any, ...]:
        """The numbers or dates that stand for nothing.

        >>> ColumnPlan(Kind.NUMBER, missing=("-999", "unknown")).missing_values
        (-999,)
        """
        values: list[Any] = []
        for text in self.missing if self.kind is not Kind.TEXT else ():
            with suppress(ValueError):
                is_date = self.kind is Kind.DATE
                values.append(dt.datetime.fromisoformat(text) if is_date else plain_value(float(text)))
        return tuple(values)

    @property
    def is_plain_number(self) -> bool:
        """Whether cells are numbers with a point before the decimals and nothing between thousands."""
        return self.kind is Kind.NUMBER and self.stated and (self.decimal, self.thousands) == (".", "")

    @property
    def is_zero_one(self) -> bool:
        """Whether yes and no are written as 1 and 0."""
        return self.no_and_yes == ("0", "1")

    def spelled(self, category: str) -> tuple[str, ...]:
        """Return every way in which a category was written, the one that is used first.

        >>> ColumnPlan(Kind.TEXT, spellings={"YES": "yes"}).spelled("yes")
        ('yes', 'YES')
        """
        if self.labels:
            return tuple(code for code, label in self.labels.items() if label == category) or (category,)
        return (category, *(other for other, used in self.spellings.items() if used == category))

    def kept_with(self, mentioned: Collection[str]) -> "ColumnPlan":
        """Return the plan as a rule keeps it: of very many categories only those that it mentions."""
        if len(self.categories) <= _KEPT_CATEGORIES:
            return self
        kept = tuple(text for text in self.categories if text in mentioned)
        spellings = {other: used for other, used in self.spellings.items() if used in mentioned}
        return replace(self, categories=kept, spellings=spellings)


def _standard(
    values: NDArray[Any], known: BoolArray
) -> tuple[NDArray[Any], BoolArray, tuple[str, ...] | None]:
    """Return cells in the type of their kind, what is missing by itself unknown, and categories of texts."""
    kind = values.dtype.kind
    if kind in "UO":
        return _encoded(values.astype(object), known)
    if kind not in "biufM":
        raise InputError(f"a column cannot hold {values.dtype}: convert it to bool, numbers, text or dates")
    values = values.astype({"M": "datetime64[us]", "b": "bool"}.get(kind, "float64"), copy=False)
    return values, known & ~np.isnan(values), None


def _encoded(texts: NDArray[Any], known: BoolArray) -> tuple[NDArray[Any], BoolArray, tuple[str, ...]]:
    known = known & np.array([text is not None for text in texts], dtype=bool)
    for cell_type in {type(text) for text in texts[known]}:
        if not issubclass(cell_type, str):
            raise InputError(f"a text column holds a {cell_type.__name__}: convert its cells to text")
    codes = np.full(len(texts), -1, dtype=np.int32)
    categories, codes[known] = np.unique(texts[known], return_inverse=True)
    return codes, known, tuple(map(str, categories))
