"""The door for callers: any table that they may hold becomes one of ours."""

import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from nri.errors import InputError
from nri.rule.column import Columns
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan
from nri.table.cells import writable
from nri.table.reading import recast
from nri.table.source import Source
from nri.table.table import Table


def table_of(X: Any, *, kinds: Mapping[str, Kind] | None = None, exact: bool = False) -> Table:
    """Return what a caller holds as a table, its columns read and no target chosen.

    Parameters
    ----------
    X : DataFrame, polars frame, pyarrow table, array, list of rows, list of records or dict of columns
        See :func:`as_frame`. The caller's object is never changed.
    kinds, exact
        See :func:`nri.table.files.read_table`.

    Examples
    --------
    >>> table_of({"age": [30, None]}).columns["age"].known.tolist()
    [True, False]
    """
    return X if isinstance(X, Table) else Source(as_frame(X)).table(kinds=kinds, exact=exact)


def read_columns(X: Any, plans: Mapping[str, ColumnPlan]) -> Columns:
    """Return the columns that plans are for, read by them; others are not looked at.

    Parameters
    ----------
    X
        As for :func:`table_of`, or a source or table that was read before.
    plans
        How each of the columns is to be read.
    """
    if isinstance(X, Table):
        X.require(plans)
        return {name: recast(X.columns[name], plan, name) for name, plan in plans.items()}
    source = X if isinstance(X, Source) else Source(as_frame(X))
    return source.columns(plans)


def as_frame(X: Any) -> pd.DataFrame:
    """Return the table as a DataFrame whose column names are distinct strings.

    Cells are left as they are, and the caller's object is never changed.

    Parameters
    ----------
    X : DataFrame, polars frame, pyarrow table, array, list of rows, list of records or dict of columns
        Plain arrays and lists of rows have no names: their columns are called ``x0``, ``x1``, ...

    Raises
    ------
    InputError
        If it is no table, has no column, or two columns have the same name.

    Examples
    --------
    >>> as_frame([[1, "red"], [2, "blue"]]).columns.tolist()
    ['x0', 'x1']
    """
    frame = _to_pandas(X)
    if frame.shape[1] == 0:
        raise InputError(
            f"the table has 0 feature(s) (shape=({len(frame)}, 0)) while a minimum of 1 is required; "
            "give at least one column"
        )
    frame = frame.set_axis(_text_names(frame.columns), axis="columns")
    check_distinct(frame.columns.tolist())
    return frame


def check_distinct(names: list[str]) -> None:
    """Raise an InputError when two columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        shown = ", ".join(repr(name) for name in repeated[:3]) + (", ..." if len(repeated) > 3 else "")
        raise InputError(f"duplicate column names: {shown}; give each column its own name")


def _to_pandas(X: Any) -> pd.DataFrame:
    """Turn whatever container it is into a DataFrame, with names ``x0``, ``x1``, ... if it had none."""
    if isinstance(X, pd.DataFrame):
        return X
    if isinstance(X, pd.Series):
        return X.to_frame()
    foreign = _from_other_library(X)
    if foreign is not None:
        return foreign
    if isinstance(X, Mapping):
        return _built(dict(X))
    if isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X):
        return _built(list(X))
    return _from_array(X)


def _from_other_library(X: Any) -> pd.DataFrame | None:
    """Convert a polars, pyarrow or scipy object; None if it is none of these.

    A library the caller has not imported cannot have made ``X``, so none is imported here.
    """
    polars = sys.modules.get("polars")
    if polars is not None:
        if isinstance(X, polars.LazyFrame):
            X = X.collect()
        if isinstance(X, polars.Series):
            X = X.to_frame()
        if isinstance(X, polars.DataFrame):
            return _from_polars(X)
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(X, arrow.Table):
        frame: pd.DataFrame = X.to_pandas()
        return frame
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None and sparse.issparse(X):
        raise InputError("Sparse data was passed, but dense data is required; use X.toarray() to convert it")
    return None


def _from_polars(X: Any) -> pd.DataFrame:
    """Convert column by column: polars' own ``to_pandas`` would turn integers with gaps into floats."""
    columns = [
        pd.Series(_known_to_arrow(column).to_arrow().to_pandas(integer_object_nulls=True)) for column in X
    ]
    frame = pd.concat(columns, axis="columns") if columns else pd.DataFrame(index=range(X.height))
    return frame.set_axis(X.columns, axis="columns")


def _known_to_arrow(column: Any) -> Any:
    """Return a polars column that Arrow can hold: no whole numbers of 128 bits, no name with a zero byte."""
    column = column.alias("column")
    if str(column.dtype) in ("Int128", "UInt128"):
        small = column.cast(sys.modules["polars"].Int64, strict=False)
        fits = small.null_count() == column.null_count()
        return small if fits else column.cast(sys.modules["polars"].Float64)
    return column


def _from_array(X: Any) -> pd.DataFrame:
    """Convert an array or a list of rows; text and numbers side by side keep their own types."""
    try:
        array = X if isinstance(X, np.ndarray) else np.asarray(X)
        if not isinstance(X, np.ndarray) and array.dtype.kind in "USO":
            array = np.asarray(X, dtype=object)  # numpy would turn [1, "red"] into two strings
    except ValueError as error:
        raise InputError(f"the rows differ in length or are no rows at all ({error}); give a table") from None
    if array.ndim != 2:
        raise InputError(
            f"Expected 2D array, got {array.ndim}D array instead: the table has no rows and columns. "
            "Reshape your data with array.reshape(-1, 1) for one column or array.reshape(1, -1) for one row"
        )
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported: give real numbers")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))  # pandas counts only in the machine's own order
    try:
        frame = pd.DataFrame(array, columns=pd.Index([f"x{i}" for i in range(array.shape[1])]))
        return frame.infer_objects() if array.dtype == object else frame
    except UnicodeEncodeError as error:
        writable(str(error.object))
        raise


def _built(data: Any) -> pd.DataFrame:
    """Build a DataFrame from a dict of columns or a list of records."""
    try:
        return pd.DataFrame(data)
    except UnicodeEncodeError as error:
        writable(str(error.object))
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"the columns do not make a table ({error}); give columns of one length") from None


def _text_names(names: "pd.Index[Any]") -> list[str]:
    """Return each name as text; the levels of a MultiIndex are joined by a slash."""
    return [
        writable("/".join(str(part) for part in name) if isinstance(name, tuple) else str(name))
        for name in names
    ]
