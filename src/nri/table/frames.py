"""Frames: whatever a caller holds as columns by their names, and the cells of a column by their type.

A frame of any library is taken apart by narwhals; an array, a list of rows or a dict of columns by numpy.
"""

import datetime as dt
import numbers
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.rule.column import Column
from nri.rule.labels import writable
from nri.rule.literal import Kind
from nri.table.cells import (
    Cells,
    TextCells,
    TypedCells,
    check_distinct,
    missing_cells,
    number_as_text,
    objects_of,
)

_PLAIN_CELLS = (str, bytes, bytearray, bool, np.bool_, numbers.Real, Decimal, dt.date, dt.time, dt.timedelta)
_SPANS = ("Interval", "Period")  # how pandas calls cells that are plain values all the same


def columns_of(X: Any) -> dict[str, Any]:
    """Return the columns of a table by their names, which are distinct texts; their cells stay as they are.

    It may be a frame of any library, an array, a list of rows or of records, or a dict of columns, and is
    never changed. Columns without names are called ``x0``, ``x1``, ... Each is an array, or a series of
    narwhals.

    >>> list(columns_of([[1, "red"], [2, "blue"]]))
    ['x0', 'x1']
    """
    try:
        names, columns = _taken_apart(X)
    except UnicodeEncodeError as error:
        writable(str(error.object))
        raise
    if not columns:
        rows = len(X) if hasattr(X, "__len__") else 0
        cause = f"0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required"
        raise InputError(f"{cause}; give a column")
    texts = ["/".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in names]
    check_distinct(map(writable, texts))
    return dict(zip(texts, columns, strict=True))


def _taken_apart(X: Any) -> tuple[list[Any], list[Any]]:
    """Return the names and the columns of whatever container it is."""
    sparse = sys.modules.get("scipy.sparse")  # what the caller has not imported cannot have made X
    if sparse is not None and sparse.issparse(X):
        raise InputError("Sparse data was passed, but dense data is required; use X.toarray() to convert it")
    if isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X):
        names = dict.fromkeys(name for row in X for name in row)
        return list(names), [objects_of(row.get(name) for row in X) for name in names]
    if isinstance(X, Mapping):
        columns = [_column(name, cells) for name, cells in X.items()]
        if len({len(column) for column in columns}) > 1:
            raise InputError("the columns do not make a table; give columns of one length")
        return list(X), columns
    frame = None if isinstance(X, np.ndarray | list | tuple) else _of_library(X)
    if frame is None:
        array = _matrix(X)
        return [f"x{place}" for place in range(array.shape[1])], list(array.T)
    return frame.columns, [frame.get_column(name) for name in frame.columns]


def _column(name: object, cells: Any) -> Any:
    """Return the column of a dict: an array or a series of any library as it is, other cells as objects."""
    import narwhals as nw

    if type(cells).__module__.partition(".")[0] == "pandas":  # an index or an array of its own
        cells = sys.modules["pandas"].Series(cells)
    series = nw.from_native(cells, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series | TextCells) or (isinstance(cells, np.ndarray) and cells.ndim == 1):
        return series
    if isinstance(cells, str | bytes) or not isinstance(cells, Iterable):
        raise InputError(f"the columns do not make a table: {name!r} is one cell; give columns of one length")
    return objects_of(cells)


def _of_library(X: Any) -> Any:
    """Return a frame or a column of any library as a frame of narwhals; None if it is neither."""
    import narwhals as nw

    try:
        frame = nw.from_native(X, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError:
        check_distinct(map(str, getattr(X, "column_names", getattr(X, "columns", ()))))
        raise
    if isinstance(frame, nw.LazyFrame):
        return frame.collect()
    frame = frame.to_frame() if isinstance(frame, nw.Series) else frame
    return frame if isinstance(frame, nw.DataFrame) else None


def _matrix(X: Any) -> NDArray[Any]:
    """Convert an array or a list of rows; text and numbers side by side keep their own types."""
    try:
        array: NDArray[Any] = np.asanyarray(X)
        if array is not X and array.dtype.kind in "USO":
            array = np.asarray(X, dtype=object)  # numpy would turn [1, "red"] into two strings
    except ValueError as error:
        raise InputError(f"the rows differ in length or are no rows at all ({error}); give a table") from None
    if array.ndim != 2:
        cause = f"Expected 2D array, got {array.ndim}D array instead"
        remedy = "array.reshape(-1, 1) for one column, array.reshape(1, -1) for one row"
        raise InputError(f"{cause}. Reshape your data with {remedy}")
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported: give real numbers")
    return array


def cells_of(column: Any, name: str = "the column") -> Cells:
    """Return the cells of a column, by their type.

    Missing cells (None, NaN, NaT, what an array masks) are unknown, and so are infinite ones, with a note.
    Times with a zone are taken at UTC, durations as seconds, mixed columns as text. A cell that is no plain
    value (a list, a dict, a complex number, ...) is refused.
    """
    if isinstance(column, TextCells):
        return column
    if not isinstance(column, np.ndarray):
        return _of_series(column, name)
    mask, values = np.ma.getmaskarray(column), np.ma.getdata(column)
    match values.dtype.kind:
        case "f" | "i" | "u":
            return _numbers(values, ~mask, whole=values.dtype.kind != "f")
        case "b" | "M":
            return TypedCells(Column(values, ~mask))
        case "m":
            return replace(_numbers(values / np.timedelta64(1, "s"), ~mask), unit="s", floating=False)
        case "c":
            raise InputError(f"Complex data not supported: column {name!r}; give real numbers")
        case "V":
            raise InputError(f"column {name!r} holds raw memory, no values; leave it out")
    objects = values.astype(object)
    objects[mask] = None
    return _of_objects(objects, name)


def _of_series(series: Any, name: str) -> Cells:
    """Return the cells of a series of any library, by what narwhals says of its type."""
    import narwhals as nw

    dtype = series.dtype
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return _of_categories(series)
    if dtype == nw.String and not series.is_null().all():
        return typed_texts(series.to_list())
    if dtype == nw.Boolean:
        known = ~series.is_null().to_numpy()
        return TypedCells(Column(series.fill_null(False).to_numpy().astype(bool), known))
    if dtype.is_numeric():
        values = series.cast(nw.Float64).to_numpy().astype(np.float64)
        return _numbers(values, ~np.isnan(values), whole=dtype.is_integer())
    if dtype == nw.Datetime:
        moments = series.to_numpy().astype("datetime64[us]")  # at UTC, if it has a zone
        return TypedCells(Column(moments, ~np.isnat(moments)), unit="UTC" if dtype.time_zone else "")
    if dtype == nw.Duration:
        return cells_of(series.to_numpy(), name)
    if str(series.to_native().dtype).startswith("period"):
        return cells_of(np.asarray(series.to_native().dt.to_timestamp()), name)
    if dtype == nw.Unknown:
        return cells_of(np.asarray(series.to_native()), name)
    return _of_objects(objects_of(series.to_list()), name)


def plain_cells(column: Any) -> list[Any]:
    """Return the cells of a column as Python has them, None where one is missing."""
    if isinstance(column, TextCells):
        return [*objects_of([*column.texts, None])[column.codes]]
    if not isinstance(column, np.ndarray):
        column = objects_of(column.to_list() if hasattr(column, "to_list") else column.to_pylist())
    if column.dtype.kind == "M":
        column = column.astype("datetime64[us]")
    cells, missing = np.ma.getdata(column), np.ma.getmaskarray(column)
    missing = missing | missing_cells(cells)
    if cells.dtype in (np.float16, np.float32):
        cells = cells.astype(str).astype(np.float64)  # 0.1, not 0.10000000149011612
    objects = cells.astype(object)
    objects[missing] = None
    return [*objects]


def typed_texts(cells: Iterable[Any]) -> TextCells:
    """Return cells that are texts by type, or missing."""
    places: dict[str, int] = {}
    codes = [places.setdefault(cell, len(places)) if isinstance(cell, str) else -1 for cell in cells]
    return TextCells(np.array(codes, dtype=np.int64), tuple(map(writable, places)))


def _numbers(values: NDArray[Any], known: BoolArray, *, whole: bool = False) -> TypedCells:
    """Return numbers without those that are infinite; what is unknown has any value."""
    numbers = values.astype(np.float64)
    infinite = int(np.isinf(numbers[known]).sum())
    note = f"{infinite} of {len(numbers)} cells are infinite and count as missing" if infinite else ""
    whole = whole and bool(np.abs(numbers[known]).max(initial=0.0) < 2**62)
    return TypedCells(Column(numbers, known & np.isfinite(numbers)), whole, not whole, note)


def categories_of(cells: NDArray[Any], categories: Sequence[str] = ()) -> TextCells:
    """Return cells as categories, those given and others; one is text even where it is a number."""
    distinct = dict.fromkeys([*categories, *cells[~missing_cells(cells)]])
    places = {one: place for place, one in enumerate(distinct)}
    codes = np.array([places.get(cell, -1) for cell in cells], dtype=np.int64)
    return TextCells(codes, tuple(distinct), declared=True).respelled(writable(_as_text(x)) for x in distinct)


def _of_categories(series: Any) -> Cells:
    """Take the distinct values first: flags and dates stay what they are."""
    cells = objects_of(series.to_list())
    read = cells_of(objects_of(series.unique().to_list()), series.name)
    if isinstance(read, TypedCells) and (
        read.column.kind in (Kind.BOOLEAN, Kind.DATE) or not read.column.known.any()
    ):
        return cells_of(cells, series.name)
    return categories_of(cells)


def _of_objects(objects: NDArray[Any], name: str) -> Cells:
    """Look into the cells of a column that may hold anything."""
    known = ~missing_cells(objects)
    cells = objects[known].tolist()
    if not {*map(type, cells)}.isdisjoint({np.datetime64, np.timedelta64}):
        cells = [_of_numpy(cell, name) for cell in cells]
    sorts = {*map(type, cells)}

    def are(*wanted: type) -> bool:
        return all(issubclass(sort, wanted) for sort in sorts)

    def spread(values: list[Any], dtype: str) -> NDArray[Any]:
        spread = np.zeros(len(known), dtype=dtype)
        spread[known] = values
        return spread

    if not sorts:
        return TypedCells(Column(np.full(len(known), np.nan), known))
    strange = next((x for x in sorts if not issubclass(x, _PLAIN_CELLS) and x.__name__ not in _SPANS), None)
    if strange is not None:
        what = f"column {name!r} holds a {strange.__name__}"
        raise InputError(f"{what}, but an argument must be a string or a real number; leave it out")
    if are(bool, np.bool_):
        return TypedCells(Column(spread(cells, "bool"), known))
    if are(numbers.Real, Decimal, np.bool_):
        try:
            values = spread([float(cell) for cell in cells], "float64")
        except OverflowError:
            raise InputError(f"column {name!r} holds a number beyond 1e308; scale it") from None
        return _numbers(values, known, whole=are(numbers.Integral))
    if are(dt.date):
        zoned = any(getattr(cell, "tzinfo", None) is not None for cell in cells)
        moments = spread([_moment(cell) for cell in cells], "datetime64[us]")
        return TypedCells(Column(moments, known), unit="UTC" if zoned else "")
    if are(dt.timedelta):
        seconds = spread([cell.total_seconds() for cell in cells], "float64")
        return TypedCells(Column(seconds, known), unit="s")
    return typed_texts(spread(cells if are(str) else [_as_text(cell) for cell in cells], "object"))


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
    if isinstance(cell, bytes | bytearray):
        return cell.decode("utf-8", errors="replace")
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell))
    if isinstance(cell, numbers.Real | Decimal):
        try:
            return number_as_text(float(cell))
        except (OverflowError, ValueError):
            raise InputError("a column holds text and a number beyond 1e308; scale or leave it out") from None
    return str(cell)
