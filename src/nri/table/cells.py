"""Cells: one pandas column as a typed array and a mask, by what the cells themselves are."""

import datetime as dt
import numbers
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from nri.errors import InputError
from nri.rule.column import Column
from nri.rule.literal import Kind
from nri.table.notes import note_once

_TEXT_CELLS = (str, bytes, bool, np.bool_, numbers.Real, Decimal, dt.date, dt.time, pd.Interval, pd.Period)


def read_cells(series: "pd.Series[Any]") -> Column:
    """Return the cells of one pandas column as they are: bool, float64, text or datetime64[us].

    Missing cells (None, NaN, NaT, pd.NA) are unknown, and so are infinite ones, with a note: they come from a
    division by zero, not from measuring. Times with a zone are taken at UTC, durations
    as seconds, and a column that mixes text with other things as text.

    Raises
    ------
    InputError
        If a cell is no plain value (a list, a dict, a complex number, ...).
    """
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "fiu":  # most columns, and the fastest to read
        return _finite(series.to_numpy().astype(np.float64), series.name)
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_categories(series)
    if isinstance(dtype, pd.SparseDtype):
        return read_cells(pd.Series(np.asarray(series), name=series.name))
    if types.is_bool_dtype(dtype):
        return _booleans(series)
    if types.is_complex_dtype(dtype):
        raise InputError(f"Complex data not supported: column {series.name!r}; give real numbers")
    if types.is_numeric_dtype(dtype):
        return _numbers(series)
    if isinstance(dtype, pd.PeriodDtype):
        return _dates(series.dt.to_timestamp())
    if types.is_datetime64_any_dtype(dtype) and dtype.type is not dt.date:  # arrow's dates are objects
        return _dates(series)
    if types.is_timedelta64_dtype(dtype):
        return _numbers(series.dt.total_seconds())
    return _of_objects(series)


def number_as_text(value: float) -> str:
    """Write a number that serves as a category: 2.0 is ``2``, as the same cell would be in a file."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def is_integer(series: "pd.Series[Any]") -> bool:
    """Whether the cells are whole numbers by their type (a float that happens to be whole is not)."""
    if series.dtype == object:
        return types.infer_dtype(series, skipna=True) == "integer"
    return types.is_integer_dtype(series.dtype)


def _known(series: "pd.Series[Any]") -> NDArray[np.bool_]:
    return np.asarray(series.notna(), dtype=bool)


def _booleans(series: "pd.Series[Any]") -> Column:
    known = _known(series)
    values = np.zeros(len(series), dtype=bool)
    values[known] = np.asarray(series[known], dtype=bool)
    return Column(values, known)


def _numbers(series: "pd.Series[Any]") -> Column:
    return _finite(np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan)), series.name)


def _finite(values: NDArray[np.float64], name: object) -> Column:
    known = np.isfinite(values)
    infinite = int(np.isinf(values).sum())
    if infinite:
        note_once(str(name), f"{infinite} of {len(values)} cells are infinite and count as missing")
    return Column(values, known)


def _dates(series: "pd.Series[Any]") -> Column:
    if getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    values = series.to_numpy(dtype="datetime64[us]")
    return Column(values, ~np.isnat(values))


def _of_categories(series: "pd.Series[Any]") -> Column:
    """Take the distinct values first; a category is text even when it is written as a number."""
    codes = np.asarray(series.cat.codes, dtype=np.int64)
    distinct = read_cells(pd.Series(np.asarray(series.cat.categories), name=series.name))
    if distinct.kind in (Kind.NUMBER, Kind.TEXT):
        distinct = Column(_as_texts(np.asarray(series.cat.categories, dtype=object)), distinct.known)
    if not len(distinct):
        return Column(np.full(len(codes), np.nan), codes >= 0)
    return Column(distinct.values[codes], codes >= 0)  # code -1 is a missing cell: what it picks is not kept


def _of_objects(series: "pd.Series[Any]") -> Column:
    """Look into the cells of a column that may hold anything."""
    known = _known(series)
    cells = np.asarray(series, dtype=object)[known]
    found = types.infer_dtype(cells, skipna=True)
    if found == "string":
        return _spread(cells, known, None)
    if found == "empty":
        return Column(np.full(len(known), np.nan), known)
    _refuse_strange_cells(cells, series.name)
    if found == "boolean":
        return _spread(cells.astype(bool), known, False)
    if all(isinstance(cell, numbers.Real | Decimal | np.bool_) for cell in cells):
        return _finite(_spread(_as_floats(cells, series.name), known, np.nan).values, series.name)
    if all(isinstance(cell, dt.date) for cell in cells):
        return _spread(
            np.array([_moment(cell) for cell in cells], "datetime64[us]"), known, np.datetime64("NaT")
        )
    if all(isinstance(cell, dt.timedelta) for cell in cells):
        return _spread(np.array([cell.total_seconds() for cell in cells]), known, np.nan)
    return _spread(_as_texts(cells), known, None)


def _spread(cells: NDArray[Any], known: NDArray[np.bool_], filler: Any) -> Column:
    """Put the known cells back to their rows, with a filler of their type between them."""
    values = np.full(len(known), filler, dtype=cells.dtype)
    values[known] = cells
    return Column(values, known)


def _refuse_strange_cells(cells: NDArray[Any], name: object) -> None:
    for cell in cells:
        if not isinstance(cell, (*_TEXT_CELLS, dt.timedelta)):
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
        cell = cell.astimezone(dt.UTC).replace(tzinfo=None)
    return np.datetime64(cell.isoformat(), "us")


def _as_texts(cells: NDArray[Any]) -> NDArray[Any]:
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [_as_text(cell) for cell in cells]
    return texts


def _as_text(cell: Any) -> str:
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, bytes):
        return cell.decode("utf-8", errors="replace")
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell))
    if isinstance(cell, numbers.Real | Decimal):
        return number_as_text(float(cell))
    return str(cell)
