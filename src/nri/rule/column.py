"""Columns: what rules are evaluated on, arrays of cells with a mask of the known ones.

This is the one form in which a table reaches the symbols; whoever has a DataFrame, an array or a
list turns it into :data:`Columns` first.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError
from nri.rule.literal import Kind, Value, plain_value

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_KINDS = {"b": Kind.BOOLEAN, "f": Kind.NUMBER, "O": Kind.TEXT, "M": Kind.DATE}
_UNKNOWN: dict[Kind, Any] = {
    Kind.BOOLEAN: False,
    Kind.NUMBER: np.nan,
    Kind.TEXT: None,
    Kind.DATE: np.datetime64("NaT"),
}


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """M cells of one kind, and which of them are known.

    Integers become float64 and dates datetime64[us]; NaN, NaT and None are never known. What an
    unknown cell holds is settled here (False, NaN, None or NaT), so it cannot leak into a result.

    >>> Column(np.array([61.0, np.nan]), np.array([True, True])).known.tolist()
    [True, False]
    """

    values: NDArray[Any]
    """[M]; bool, float64, object (of str) or datetime64[us]"""
    known: BoolArray
    """[M]"""

    def __post_init__(self) -> None:
        values = _standard_dtype(np.asarray(self.values))
        known = np.asarray(self.known, dtype=bool)
        if values.ndim != 1 or values.shape != known.shape:
            raise InputError(
                f"a column needs one known-flag for each cell: got shapes {values.shape} and {known.shape}"
            )
        known = known & ~_is_missing(values)
        kind = _KINDS[values.dtype.kind]
        if not known.all():
            values = values.copy()
            values[~known] = _UNKNOWN[kind]
        if kind is Kind.TEXT:
            _require_text(values[known])
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "known", known)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def kind(self) -> Kind:
        """What sort of cells the column holds."""
        return _KINDS[self.values.dtype.kind]

    def cell(self, row: int) -> Value | None:
        """Return one cell as a plain Python value, None if unknown."""
        if not self.known[row]:
            return None
        value = self.values[row]
        if self.kind is Kind.NUMBER and not np.isfinite(value):
            return float(value)  # a cell may be infinite, a literal's value may not
        return plain_value(value)

    def take(self, rows: NDArray[Any]) -> "Column":
        """Return the column at these rows (indices or a mask)."""
        return Column(self.values[rows], self.known[rows])


Columns = Mapping[str, Column]
"""A table as the symbols see it: a column for each name, all of one length."""


def column_of(cells: Sequence[object]) -> Column:
    """Build a column from plain Python cells of one kind; None and NaN are unknown.

    >>> column_of(["red", None]).known.tolist()
    [True, False]
    """
    known = np.array([cell is not None and cell == cell for cell in cells], dtype=bool)
    seen = [cell for cell, is_known in zip(cells, known, strict=True) if is_known]
    kinds = {_kind_of_cell(cell) for cell in seen} or {Kind.NUMBER}
    if kinds == {Kind.BOOLEAN, Kind.NUMBER}:
        kinds = {Kind.NUMBER}
    if len(kinds) > 1:
        raise InputError(f"a column mixes {' and '.join(sorted(kinds))} cells: convert them to one kind")
    (kind,) = kinds
    dtype = {Kind.BOOLEAN: "bool", Kind.NUMBER: "float64", Kind.TEXT: "object", Kind.DATE: "datetime64[us]"}
    values = np.full(len(cells), _UNKNOWN[kind], dtype=dtype[kind])
    values[known] = [plain_value(cell) for cell in seen] if kind is Kind.DATE else seen
    return Column(values, known)


def row_count(columns: Columns, n_rows: int | None = None) -> int:
    """Return M, which the columns must agree on; a rule without columns needs ``n_rows``."""
    lengths = {name: len(column) for name, column in columns.items()}
    if n_rows is not None:
        lengths["n_rows"] = n_rows
    if not lengths:
        raise InputError("no column to count the rows by: pass n_rows")
    (first, n), *others = lengths.items()
    for name, length in others:
        if length != n:
            raise InputError(f"columns differ in length: {first!r} has {n} rows, {name!r} has {length}")
    return n


def _standard_dtype(values: NDArray[Any]) -> NDArray[Any]:
    match values.dtype.kind:
        case "b":
            return values
        case "i" | "u" | "f":
            return values.astype(np.float64, copy=False)
        case "M":
            return values.astype("datetime64[us]", copy=False)
        case "U" | "O":
            return values.astype(object, copy=False)
    raise InputError(f"a column cannot hold {values.dtype}: convert it to bool, numbers, text or dates")


def _is_missing(values: NDArray[Any]) -> BoolArray:
    missing: BoolArray = np.zeros(values.shape, dtype=bool)
    match values.dtype.kind:
        case "f":
            missing = np.isnan(values)
        case "M":
            missing = np.isnat(values)
        case "O":
            missing = np.array([cell is None for cell in values], dtype=bool)
    return missing


def _require_text(cells: NDArray[Any]) -> None:
    for cell_type in {type(cell) for cell in cells}:
        if not issubclass(cell_type, str):
            raise InputError(f"a text column holds a {cell_type.__name__}: convert its cells to text")


def _kind_of_cell(cell: object) -> Kind:
    if isinstance(cell, bool | np.bool_):
        return Kind.BOOLEAN
    if isinstance(cell, int | float | np.number):
        return Kind.NUMBER
    if isinstance(cell, str):
        return Kind.TEXT
    if isinstance(cell, dt.date | np.datetime64):
        return Kind.DATE
    raise InputError(f"a column cannot hold {type(cell).__name__} {cell!r}: use bool, number, text or date")
