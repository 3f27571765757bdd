"""Frames: whatever a caller holds as a DataFrame, and the cells of its columns by their types.

A frame of pandas or polars, an Arrow table, an array, a list of rows or a dict of columns becomes a
DataFrame; no later module uses pandas to hold rows.
"""

import datetime as dt
import numbers
import sys
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from nri.arrays import BoolArray
from nri.errors import InputError, require_extra
from nri.rule.column import Column
from nri.table.cells import Cells, TextCells, TypedCells, check_distinct, number_as_text

_TIMES = (dt.date, dt.time, dt.timedelta, pd.Interval, pd.Period)
_PLAIN_CELLS = (str, bytes, bool, np.bool_, numbers.Real, Decimal, *_TIMES)


def as_frame(X: Any) -> pd.DataFrame:
    """Return a table as a DataFrame whose column names are distinct strings; its cells stay as they are.

    It may be a frame of any library, an array, a list of rows or of records, or a dict of columns, and is
    never changed. Columns without names are called ``x0``, ``x1``, ...

    >>> as_frame([[1, "red"], [2, "blue"]]).columns.tolist()
    ['x0', 'x1']
    """
    try:
        frame = _to_pandas(X)
    except UnicodeEncodeError as error:
        writable(str(error.object))
        raise
    if frame.shape[1] == 0:
        shape = f"shape=({len(frame)}, 0)"
        raise InputError(f"0 feature(s) ({shape}) while a minimum of 1 is required; give a column")
    names = ["/".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in frame.columns]
    frame = frame.set_axis([writable(name) for name in names], axis="columns")
    check_distinct(frame.columns)
    return frame


def writable(text: str) -> str:
    """Return a text, or refuse it if no file could hold it: half a character (a lone surrogate)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        shown = ascii(text)[:60]
        raise InputError(f"the text {shown} holds half a character, which no file can; replace it") from None
    return text


def _to_pandas(X: Any) -> pd.DataFrame:
    """Turn whatever container it is into a DataFrame, with names ``x0``, ``x1``, ... if it had none."""
    if isinstance(X, pd.DataFrame | pd.Series):
        return X if isinstance(X, pd.DataFrame) else X.to_frame()
    sparse = sys.modules.get("scipy.sparse")  # what the caller has not imported cannot have made X
    if sparse is not None and sparse.issparse(X):
        raise InputError("Sparse data was passed, but dense data is required; use X.toarray() to convert it")
    is_records = isinstance(X, list | tuple) and bool(X) and all(isinstance(row, Mapping) for row in X)
    if not is_records and not isinstance(X, Mapping):
        is_plain = isinstance(X, np.ndarray | list | tuple)
        frame = None if is_plain else _from_other_library(X)
        return _from_array(X) if frame is None else frame
    try:
        return pd.DataFrame(dict(X) if isinstance(X, Mapping) else list(X))
    except UnicodeEncodeError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"the columns do not make a table ({error}); give columns of one length") from None


def _from_other_library(X: Any) -> pd.DataFrame | None:
    """Convert a frame or a column of any library that narwhals knows: polars, Arrow, Modin; else None."""
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True, allow_series=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, nw.Series):
        frame = frame.to_frame()
    if not isinstance(frame, nw.DataFrame):
        return None
    if not frame.implementation.is_polars() or not frame.columns:
        return frame.to_pandas()
    # polars' own conversion would turn integers with gaps into floats; Arrow holds no name with a zero byte,
    # nor whole numbers of 128 bits
    require_extra("parquet", "a polars frame", "pyarrow")
    wide = [name for name, kind in frame.schema.items() if kind in (nw.Int128, nw.UInt128)]
    fits = {name: (frame[name].abs().max() or 0) < 2**62 for name in wide}
    plain = frame.with_columns(nw.col(name).cast(nw.Int64 if fits[name] else nw.Float64) for name in wide)
    arrow = plain.rename({name: str(place) for place, name in enumerate(frame.columns)}).to_arrow()
    converted: pd.DataFrame = arrow.to_pandas(integer_object_nulls=True)
    return converted.set_axis(frame.columns, axis="columns")


def _from_array(X: Any) -> pd.DataFrame:
    """Convert an array or a list of rows; text and numbers side by side keep their own types."""
    try:
        array = X if isinstance(X, np.ndarray) else np.asarray(X)
        if not isinstance(X, np.ndarray) and array.dtype.kind in "USO":
            array = np.asarray(X, dtype=object)  # numpy would turn [1, "red"] into two strings
    except ValueError as error:
        raise InputError(f"the rows differ in length or are no rows at all ({error}); give a table") from None
    if array.ndim != 2:
        remedy = (
            "Reshape your data with array.reshape(-1, 1) for one column, array.reshape(1, -1) for one row"
        )
        raise InputError(f"Expected 2D array, got {array.ndim}D array instead. {remedy}")
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported: give real numbers")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))  # pandas counts only in the machine's own order
    frame = pd.DataFrame(array, columns=pd.Index([f"x{i}" for i in range(array.shape[1])]))
    return frame.infer_objects() if array.dtype == object else frame


def cells_of(series: "pd.Series[Any]") -> Cells:
    """Return the cells of one pandas column, by their type.

    Missing cells (None, NaN, NaT, pd.NA) are unknown, and so are infinite ones, with a note: they come from a
    division by zero, not from measuring. Times with a zone are taken at UTC, durations as seconds, and a
    column that mixes text with other things as text. A cell that is no plain value (a list, a dict, a complex
    number, ...) is refused.
    """
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "fiu":  # most columns, and the fastest to read
        values = series.to_numpy().astype(np.float64)
        read = _numbers(values, whole=dtype.kind != "f", floating=dtype.kind == "f")
        if dtype.kind == "f" or np.abs(values).max(initial=0.0) <= 2**53:
            return read
        return replace(read, note="whole numbers beyond 2^53 are rounded; give codes and identifiers as text")
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_categories(series)
    if isinstance(dtype, pd.StringDtype) and series.notna().any():  # all are texts by their type
        return typed_texts(series)
    if isinstance(dtype, pd.SparseDtype):
        return cells_of(pd.Series(np.asarray(series), name=series.name))
    if types.is_bool_dtype(dtype):
        known = _known(series)
        return TypedCells(_spread(np.asarray(series[known], dtype=bool), known))
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
        return replace(_numbers(np.asarray(series.dt.total_seconds(), dtype=np.float64)), unit="s")
    return _of_objects(series)


def typed_texts(cells: "NDArray[Any] | pd.Series[Any]") -> TextCells:
    """Return cells that are texts by type, or missing."""
    codes, distinct = pd.factorize(cells)
    return TextCells(codes.astype(np.int64), tuple(writable(str(text)) for text in distinct))


def _known(series: "pd.Series[Any]") -> BoolArray:
    try:
        return np.asarray(series.notna(), dtype=bool)
    except ArithmeticError:  # a decimal that signals when it is compared
        missing = [c.is_nan() if isinstance(c, Decimal) else np.all(pd.isna(c)) for c in series]
        return ~np.array(missing, dtype=bool)
    except TypeError:
        raise InputError(f"column {series.name!r} holds raw memory, no values; leave it out") from None


def _numbers(values: NDArray[np.float64], *, whole: bool = False, floating: bool = False) -> TypedCells:
    infinite = int(np.isinf(values).sum())
    note = f"{infinite} of {len(values)} cells are infinite and count as missing" if infinite else ""
    return TypedCells(Column(values, np.isfinite(values)), whole, floating, note)


def _dates(series: "pd.Series[Any]") -> TypedCells:
    zoned = getattr(series.dtype, "tz", None) is not None
    if zoned:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    values = series.to_numpy(dtype="datetime64[us]")
    return TypedCells(Column(values, ~np.isnat(values)), unit="UTC" if zoned else "")


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
        return typed_texts(np.where(known, objects, np.array(None)))
    if inferred == "empty":
        return _numbers(np.full(len(known), np.nan))
    strange = next((cell for cell in cells if not isinstance(cell, _PLAIN_CELLS)), None)
    if strange is not None:
        what = f"column {series.name!r} holds a {type(strange).__name__}"
        raise InputError(f"{what}, but an argument must be a string or a real number; leave it out")
    if inferred == "boolean":
        return TypedCells(_spread(cells.astype(bool), known))
    if all(isinstance(cell, numbers.Real | Decimal | np.bool_) for cell in cells):
        try:
            values = cells.astype(np.float64)
        except OverflowError:
            raise InputError(f"column {series.name!r} holds a number beyond 1e308; scale it") from None
        return _numbers(_spread(values, known).values, whole=inferred == "integer")
    if all(isinstance(cell, dt.date) for cell in cells):
        zoned = any(getattr(cell, "tzinfo", None) is not None for cell in cells)
        moments = np.array([_moment(cell) for cell in cells], "datetime64[us]")
        return TypedCells(_spread(moments, known), unit="UTC" if zoned else "")
    if all(isinstance(cell, dt.timedelta) for cell in cells):
        seconds = np.array([cell.total_seconds() for cell in cells])
        return replace(_numbers(_spread(seconds, known).values), unit="s")
    return typed_texts(
        np.array([_as_text(c) if k else None for c, k in zip(objects, known, strict=True)], object)
    )


def _spread(cells: NDArray[Any], known: BoolArray) -> Column:
    """Put the known cells back to their rows; what stands between them is settled by the column."""
    values = np.zeros(len(known), dtype=cells.dtype)
    values[known] = cells
    return Column(values, known)


def _of_numpy(cell: Any, name: object) -> Any:
    """Return numpy's moments and spans of time as Python's; a span would pass for a whole number."""
    if not isinstance(cell, np.datetime64 | np.timedelta64):
        return cell
    try:
        plain = cell.astype(f"{cell.dtype.kind}8[us]").item()
    except TypeError:
        plain = None
    if not isinstance(plain, dt.date | dt.timedelta):
        raise InputError(f"column {name!r}: {cell!r} is beyond the calendar; leave such cells empty")
    return plain


def _moment(cell: dt.date) -> np.datetime64:
    """Return a date as its midnight, a time with a zone as UTC."""
    if isinstance(cell, dt.datetime) and cell.tzinfo is not None:
        try:
            cell = cell.astimezone(dt.UTC).replace(tzinfo=None)
        except OverflowError:
            raise InputError(f"{cell} is beyond the calendar at UTC; leave such cells empty") from None
    return np.datetime64(cell.isoformat(), "us")


def _as_text(cell: Any) -> str:
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
