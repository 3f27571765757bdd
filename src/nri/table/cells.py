"""Cells: one column as it came, before its meaning is decided.

A column comes as texts (from a text file, where everything is text, or because its type is text) or with a
type of its own. Distinct texts are parsed once, however many cells hold them. No later module uses pandas.
"""

import datetime as dt
import numbers
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from nri.arrays import BoolArray, IntArray
from nri.errors import InputError
from nri.rule.column import Column
from nri.table.kinds import MISSING_MARKS

if TYPE_CHECKING:
    import pyarrow as pa

_PLAIN_CELLS = (str, bytes, bool, np.bool_, numbers.Real, Decimal, dt.date, dt.time, pd.Interval, pd.Period)


@dataclass(frozen=True, eq=False)
class TextCells:
    """A column of texts."""

    codes: IntArray
    """[M], index of each cell's text; -1 where the cell is missing"""
    texts: tuple[str, ...]
    """[D], all different"""
    loose: bool = False
    """whether they are texts only because they come from a text file"""
    declared: bool = False
    """whether its type says that these are categories, whatever they look like"""

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def counts(self) -> IntArray:
        """[D], how many cells hold each text."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class TypedCells:
    """A column of numbers, booleans or dates by its type."""

    column: Column
    whole: bool = False
    """whether cells are integers by type; a float that happens to be whole is not"""
    floating: bool = False
    """whether cells are floats by type"""
    note: str = ""

    def __len__(self) -> int:
        return len(self.column)


Cells = TextCells | TypedCells


def text_cells(cells: "NDArray[Any] | pa.Array[Any]") -> TextCells:
    """Return the cells of a text file's column: without blanks around them, marks for nothing missing.

    >>> cells = text_cells(np.array([" a", "NA", "a"], dtype=object))
    >>> cells.codes.tolist(), cells.texts
    ([0, -1, 0], ('a',))
    """
    codes: NDArray[Any]
    if isinstance(cells, np.ndarray):
        codes, uniques = pd.factorize(cells)
        distinct = uniques.tolist()
    else:
        encoded = cells.dictionary_encode()
        codes, distinct = np.asarray(encoded.indices), encoded.dictionary.to_pylist()
    stripped = [text.strip() for text in distinct]
    places = {text: i for i, text in enumerate(dict.fromkeys(t for t in stripped if t not in MISSING_MARKS))}
    into = np.array([places.get(text, -1) for text in stripped], dtype=np.int64)
    return TextCells(into[codes] if len(into) else codes.astype(np.int64), tuple(places), loose=True)


def plain_numbers_of(cells: "pa.Array[Any]") -> TypedCells | None:
    """Return texts that are plain numbers or marks for nothing as numbers; None if one is anything else.

    As :func:`nri.table.kinds.number.recognise_plain`, but of all cells at once rather than of distinct texts:
    long columns of measurements hardly repeat.

    >>> import pyarrow as pa
    >>> plain_numbers_of(pa.array(["1.5", " NA", "2"])).column.values.tolist()
    [1.5, nan, 2.0]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        values = np.asarray(pc.cast(cells, pa.float64()))
        known = np.isfinite(values)
    except pa.ArrowInvalid:
        known = np.zeros(0, dtype=bool)
    if not len(known) or not known.all():
        cells = pc.utf8_trim_whitespace(cells)
        cells = pc.if_else(pc.is_in(cells, _arrow_marks()), pa.scalar(None, pa.string()), cells)
        try:
            values = pc.cast(cells, pa.float64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            return None
        known = np.asarray(cells.is_valid())
        if not known.any() or not np.isfinite(values[known]).all():
            return None
    begin_with_zero = cells.filter(pc.starts_with(pc.ascii_ltrim(cells, "+-"), "0"))
    if pc.any(pc.match_substring_regex(begin_with_zero, "^[+-]?0[0-9]+$")).as_py():
        return None  # 0042 is a code
    numbers = values[known]
    whole = bool((numbers == np.floor(numbers)).all() and np.abs(numbers).max() < 2**62)
    whole = whole and not pc.any(pc.match_substring_regex(cells, "[^0-9+-]")).as_py()
    return TypedCells(Column(values, known), whole)


@cache
def _arrow_marks() -> "pa.Array[Any]":
    import pyarrow as pa

    return pa.array(sorted(MISSING_MARKS))


def typed_texts(cells: NDArray[Any], known: BoolArray, *, declared: bool = False) -> TextCells:
    """Return cells that are texts by type."""
    codes = np.full(len(known), -1, dtype=np.int64)
    codes[known], distinct = pd.factorize(cells[known])
    return TextCells(codes, tuple(writable(str(text)) for text in distinct), declared=declared)


def writable(text: str) -> str:
    """Return a text, or refuse it if no file could hold it: half a character (a lone surrogate)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"the text {ascii(text)[:60]} holds half a character, which no file can hold; "
            "replace it, e.g. by text.encode('utf-8', 'replace').decode()"
        ) from None
    return text


def cells_of(series: "pd.Series[Any]") -> Cells:
    """Return the cells of one pandas column, by their type.

    Missing cells (None, NaN, NaT, pd.NA) are unknown, and so are infinite ones, with a note: they come from a
    division by zero, not from measuring. Times with a zone are taken at UTC, durations
    as seconds, and a column that mixes text with other things as text.
    A cell that is no plain value (a list, a dict, a complex number, ...) is refused.
    """
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "fiu":  # most columns, and the fastest to read
        values = series.to_numpy().astype(np.float64)
        return _numbers(values, whole=dtype.kind != "f", floating=dtype.kind == "f")
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_categories(series)
    if isinstance(dtype, pd.StringDtype) and series.notna().any():
        codes, distinct = pd.factorize(series)  # all are texts by their type
        return TextCells(codes.astype(np.int64), tuple(writable(str(text)) for text in distinct))
    if isinstance(dtype, pd.SparseDtype):
        return cells_of(pd.Series(np.asarray(series), name=series.name))
    if types.is_bool_dtype(dtype):
        return _booleans(series)
    if types.is_complex_dtype(dtype):
        raise InputError(f"Complex data not supported: column {series.name!r}; give real numbers")
    if types.is_numeric_dtype(dtype):
        values = np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
        return _numbers(values, whole=types.is_integer_dtype(dtype), floating=types.is_float_dtype(dtype))
    if isinstance(dtype, pd.PeriodDtype):
        return _dates(series.dt.to_timestamp())
    if types.is_datetime64_any_dtype(dtype) and dtype.type is not dt.date:  # arrow's dates are objects
        return _dates(series)
    if types.is_timedelta64_dtype(dtype):
        return _numbers(np.asarray(series.dt.total_seconds(), dtype=np.float64))
    return _of_objects(series)


def number_as_text(value: float) -> str:
    """Write a number that serves as a category: 2.0 is ``2``, as the same cell would be in a file."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _known(series: "pd.Series[Any]") -> BoolArray:
    try:
        return np.asarray(series.notna(), dtype=bool)
    except ArithmeticError:  # a decimal that signals when it is compared
        return np.array([not _is_missing(cell) for cell in series], dtype=bool)
    except TypeError:
        raise InputError(
            f"column {series.name!r} holds raw memory where values are needed; convert it or leave it out"
        ) from None


def _is_missing(cell: Any) -> bool:
    return cell.is_nan() if isinstance(cell, Decimal) else bool(np.all(pd.isna(cell)))


def _booleans(series: "pd.Series[Any]") -> TypedCells:
    known = _known(series)
    values = np.zeros(len(series), dtype=bool)
    values[known] = np.asarray(series[known], dtype=bool)
    return TypedCells(Column(values, known))


def _numbers(values: NDArray[np.float64], *, whole: bool = False, floating: bool = False) -> TypedCells:
    infinite = int(np.isinf(values).sum())
    note = f"{infinite} of {len(values)} cells are infinite and count as missing" if infinite else ""
    return TypedCells(Column(values, np.isfinite(values)), whole, floating, note)


def _dates(series: "pd.Series[Any]") -> TypedCells:
    if getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    values = series.to_numpy(dtype="datetime64[us]")
    return TypedCells(Column(values, ~np.isnat(values)))


def _of_categories(series: "pd.Series[Any]") -> Cells:
    """Take the distinct values first; a category is text even when it is written as a number."""
    codes = np.asarray(series.cat.codes, dtype=np.int64)
    categories = np.asarray(series.cat.categories, dtype=object)
    distinct = cells_of(pd.Series(np.asarray(series.cat.categories), name=series.name))
    if isinstance(distinct, TypedCells) and distinct.column.values.dtype.kind in "bM":
        known = codes >= 0  # code -1 is a missing cell: what it picks is not kept
        return TypedCells(Column(distinct.column.values[codes], known)) if len(categories) else distinct
    texts = [writable(_as_text(category)) for category in categories]
    places = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    into = np.array([*(places[text] for text in texts), -1], dtype=np.int64)
    return TextCells(into[codes], tuple(places), declared=True)


def _of_objects(series: "pd.Series[Any]") -> Cells:
    """Look into the cells of a column that may hold anything."""
    known = _known(series)
    objects = np.asarray(series, dtype=object)
    if not {*map(type, objects[known])}.isdisjoint({np.datetime64, np.timedelta64}):
        objects = np.array([_of_numpy(cell, series.name) for cell in objects], dtype=object)
    cells = objects[known]
    inferred = types.infer_dtype(cells, skipna=True)
    if inferred == "string":
        return typed_texts(objects, known)
    if inferred == "empty":
        return _numbers(np.full(len(known), np.nan))
    _refuse_strange_cells(cells, series.name)
    if inferred == "boolean":
        return TypedCells(_spread(cells.astype(bool), known, False))
    if all(isinstance(cell, numbers.Real | Decimal | np.bool_) for cell in cells):
        values = _spread(_as_floats(cells, series.name), known, np.nan).values
        return _numbers(values, whole=inferred == "integer")
    if all(isinstance(cell, dt.date) for cell in cells):
        moments = np.array([_moment(cell) for cell in cells], "datetime64[us]")
        return TypedCells(_spread(moments, known, np.datetime64("NaT")))
    if all(isinstance(cell, dt.timedelta) for cell in cells):
        return _numbers(_spread(np.array([c.total_seconds() for c in cells]), known, np.nan).values)
    texts = np.full(len(known), None, dtype=object)
    texts[known] = [_as_text(cell) for cell in cells]
    return typed_texts(texts, known)


def _of_numpy(cell: Any, name: object) -> Any:
    """Return numpy's moments and spans of time as Python's; a span would pass for a whole number."""
    if not isinstance(cell, np.datetime64 | np.timedelta64):
        return cell
    try:
        plain = cell.astype(f"{cell.dtype.kind}8[us]").item()
    except TypeError:
        plain = None
    if not isinstance(plain, dt.date | dt.timedelta):
        raise InputError(
            f"column {name!r} holds {cell!r}, which is beyond the calendar; leave such cells empty"
        )
    return plain


def _spread(cells: NDArray[Any], known: BoolArray, filler: Any) -> Column:
    """Put the known cells back to their rows, with a filler of their type between them."""
    values = np.full(len(known), filler, dtype=cells.dtype)
    values[known] = cells
    return Column(values, known)


def _refuse_strange_cells(cells: NDArray[Any], name: object) -> None:
    for cell in cells:
        if not isinstance(cell, (*_PLAIN_CELLS, dt.timedelta)):
            raise InputError(
                f"column {name!r} holds a {type(cell).__name__} where a plain value is needed "
                "(argument must be a string or a real number); split it into columns or leave it out"
            )


def _as_floats(cells: NDArray[Any], name: object) -> NDArray[np.float64]:
    try:
        return cells.astype(np.float64)
    except OverflowError:
        raise InputError(f"column {name!r} holds a number beyond 1e308; scale the column") from None


def _moment(cell: dt.date) -> np.datetime64:
    """Return a date as its midnight, a time with a zone as UTC."""
    if isinstance(cell, dt.datetime) and cell.tzinfo is not None:
        try:
            cell = cell.astimezone(dt.UTC).replace(tzinfo=None)
        except OverflowError:
            raise InputError(f"{cell} is beyond the calendar at UTC; leave such cells empty") from None
    return np.datetime64(cell.isoformat(), "us")


def _as_text(cell: Any) -> str:
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, bytes):
        return cell.decode("utf-8", errors="replace")
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell))
    if isinstance(cell, numbers.Real | Decimal):
        try:
            return number_as_text(float(cell))
        except (OverflowError, ValueError):
            raise InputError("a column holds text and a number beyond 1e308; scale or leave it out") from None
    return str(cell)
