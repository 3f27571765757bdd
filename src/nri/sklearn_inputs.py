"""Labels, weights and names as scikit-learn's callers give them, checked the way scikit-learn checks them."""

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError, listed
from nri.induce.settings import names, shown
from nri.outcome import Classes
from nri.rule.labels import as_label
from nri.table.cells import spelling_note, spellings_of
from nri.table.frames import as_frame, settled_weights
from nri.table.table import Note, logger


def read_labels(y: Any, n_rows: int, *, exact: bool = False) -> tuple[Classes, NDArray[Any]]:
    """Take labels apart into classes and indices; return the classes as the caller's dtype as well."""
    if y is None:
        raise InputError("requires y to be passed, but the target y is None: give a label for each row")
    name = name_of(y)
    labels = _one_column(y)
    try:
        classes, codes = _classes(labels)
    except TypeError:
        raise InputError(_MIXED) from None
    try:
        check_classification_targets(labels if len(labels) < _MANY else np.repeat(classes, _REPEATS))
    except (TypeError, ValueError) as error:  # bytes, dates, fractions, huge numbers
        raise InputError(f"{_cause(error)}; give text, numbers or booleans as labels") from None
    if len(labels) != n_rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: {n_rows} rows and "
            f"{len(labels)} labels; give one label for each row"
        )
    if not n_rows:
        raise InputError("Found array with 0 sample(s) while a minimum of 1 is required; give rows")
    codes = codes.reshape(-1).astype(np.int64)
    if labels.dtype.kind in "OU" and not exact:
        classes, codes = _joined_spellings(classes, codes, name)
    return Classes(name, tuple(as_label(label) for label in classes), codes), classes


_MANY, _REPEATS = 10_000, 3
"""Labels from which scikit-learn is asked about the classes alone, each so often that it is no surprise."""


def _classes(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the different labels in order, and which of them each one is; texts are sorted once each."""
    if labels.dtype != object:
        return np.unique(labels, return_inverse=True)
    codes, found = pd.factorize(labels)
    classes, places = np.unique(found, return_inverse=True)
    return classes, places[codes]


_MIXED = "labels mix text, numbers or booleans, of which some may look alike; convert them all to text"


def _one_column(y: Any) -> NDArray[Any]:
    """Return labels as one array without missing ones."""
    if hasattr(y, "to_pandas"):  # a polars series or frame
        y = as_frame(y)
        y = y.iloc[:, 0] if y.shape[1] == 1 else y
    if isinstance(y, pd.Series | pd.DataFrame):
        missing = bool(np.asarray(y.isna()).any())
        y = np.asarray(y if missing else y.to_numpy())
    unsorted = isinstance(y, list | tuple) or (isinstance(y, np.ndarray) and y.dtype == object)
    if unsorted and set(map(type, y)) != {str} and len({sort for cell in y if (sort := _sort_of(cell))}) > 1:
        raise InputError(_MIXED)  # numpy would make one class of 1 and "1"
    labels = _flat(y)
    if bool(np.asarray(pd.isna(labels)).any()):
        raise InputError("Input y contains NaN: a label is missing; leave such rows out")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InputError("Input y contains infinity: a label cannot be infinite; leave such rows out")
    return np.asarray(labels)


def _flat(y: Any) -> NDArray[Any]:
    """Return one array of cells, with scikit-learn's warning where it was a column."""
    try:
        return np.asarray(column_or_1d(y, warn=True))
    except (TypeError, ValueError) as error:
        raise InputError(f"{_cause(error)}; give one label for each row, in a list or an array") from None


def _cause(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _sort_of(cell: Any) -> str:
    if isinstance(cell, bool | np.bool_):
        return "boolean"
    if isinstance(cell, str | bytes):
        return "text"
    return "number" if isinstance(cell, numbers.Real) and cell == cell else ""


def _joined_spellings(classes: NDArray[Any], codes: IntArray, name: str) -> tuple[NDArray[Any], IntArray]:
    """Make one class of texts that differ only in case and blanks, with a note."""
    texts = [str(label) for label in classes]
    spellings = spellings_of(texts, np.bincount(codes))
    if not spellings:
        return classes, codes
    logger.warning("%s", Note(name, spelling_note(spellings)))
    kept = [i for i, text in enumerate(texts) if text not in spellings]
    places = {texts[i]: place for place, i in enumerate(kept)}
    into = np.array([places[spellings.get(text, text)] for text in texts], dtype=np.int64)
    return classes[kept], into[codes]


def read_unlabelled(rows: Any, frame: pd.DataFrame, *, named: bool) -> pd.DataFrame:
    """Return rows without labels under the names of the labelled ones; without names their order tells."""
    more = as_frame(rows)
    if named:
        lacks = [name for name in frame.columns if name not in more.columns]
        if lacks:
            raise InputError(
                f"unlabelled: no column {listed(lacks)}, which X has; give rows with the columns of X, "
                "cells may be missing"
            )
        return more
    if more.shape[1] != frame.shape[1]:
        raise InputError(
            f"unlabelled: {more.shape[1]} columns, X has {frame.shape[1]}; give rows with the columns of X"
        )
    return more.set_axis(list(frame.columns), axis="columns")


def read_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Return one weight for each row, None if all count the same."""
    if sample_weight is None:
        return None
    if hasattr(sample_weight, "to_pandas"):  # polars
        sample_weight = sample_weight.to_numpy()
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"sample_weight is {shown(sample_weight)}: give a number of 0 or more for each row"
        ) from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise InputError(
            f"sample_weight has shape {weights.shape} for {n_rows} rows: Sample weights must be 1D, one a row"
        )
    return settled_weights(weights, "sample_weight")


def feature_names(X: Any) -> NDArray[Any] | None:
    """Return the names of the columns if the table has some and all are text, else None."""
    if isinstance(X, Mapping):
        found = list(X)
    elif isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X):
        found = list(dict.fromkeys(name for row in X for name in row))
    elif hasattr(X, "collect_schema"):  # polars; the names of a lazy frame are a query of their own
        found = list(X.collect_schema().names())
    else:
        found = list(getattr(X, "column_names", getattr(X, "columns", ())))  # pyarrow; pandas
    return np.array(found, dtype=object) if found and all(isinstance(name, str) for name in found) else None


def wished_columns(
    columns: Sequence[str] | Mapping[str, bool] | None, require: Sequence[str] | None
) -> tuple[list[str] | None, list[str], list[str]]:
    """Return which columns alone to use (None for all), which never, and which every clause must name."""
    use: list[str] | None = None
    never: list[str] = []
    if isinstance(columns, Mapping):
        use = [str(name) for name, wanted in columns.items() if wanted] or None
        never = [str(name) for name, wanted in columns.items() if not wanted]
    elif columns is not None:
        use = names("columns", columns)
    return use, never, [] if require is None else names("require", require)


def read_numbers(y: Any, n_rows: int) -> tuple[str, FloatArray]:
    """Return the name of a number that is to be explained, and its values."""
    if y is None:
        raise InputError("requires y to be passed, but the target y is None: give a number for each row")
    name = name_of(y)
    if hasattr(y, "to_pandas"):  # a polars series or frame
        y = as_frame(y)
        y = y.iloc[:, 0] if y.shape[1] == 1 else y
    found = _flat(y)
    if found.dtype.kind == "c":
        raise InputError("Complex data not supported: give real numbers as y")
    try:
        values = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "y holds cells that are no numbers (Unknown label type); use NRIClassifier for classes"
        ) from None
    if len(values) != n_rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: {n_rows} rows and "
            f"{len(values)} values; give one for each row"
        )
    if not n_rows:
        raise InputError("Found array with 0 sample(s) while a minimum of 1 is required; give rows")
    if np.isnan(values).any():
        raise InputError("Input y contains NaN: a value is missing; leave such rows out")
    if not np.isfinite(values).all():
        raise InputError("Input y contains infinity: a value cannot be infinite; leave such rows out")
    return name, values


def name_of(y: Any) -> str:
    """Return the name of a target, y if it has none."""
    name = getattr(y, "name", None)
    if name is None and isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        name = y.columns[0]
    return str(name) if isinstance(name, str | int) and str(name) else "y"
