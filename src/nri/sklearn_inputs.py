"""Labels, weights and names as scikit-learn's callers give them, checked the way scikit-learn checks them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from nri.episode import FloatArray, IntArray
from nri.errors import InputError
from nri.rule import Label
from nri.rule.labels import as_label
from nri.table.notes import note_once
from nri.table.target import alike_classes


@dataclass(frozen=True, eq=False)
class Labels:
    """A label for each row, as class indices."""

    codes: IntArray
    """[M]"""
    classes: NDArray[Any]
    """the labels as the caller's dtype, sorted"""
    name: str
    """what to call the target in a rule"""

    @property
    def plain_classes(self) -> tuple[Label, ...]:
        """The labels as plain Python values."""
        return tuple(as_label(label) for label in self.classes)


def read_labels(y: Any, n_rows: int) -> Labels:
    """Take labels apart into classes and indices.

    Parameters
    ----------
    y
        Array, list, or series of pandas or polars.
    n_rows
        Rows of the table, which the labels must match.
    """
    if y is None:
        raise InputError("requires y to be passed, but the target y is None: give a label for each row")
    name = _name_of(y)
    if hasattr(y, "to_pandas"):  # a polars series or frame
        y = y.to_pandas()
    if isinstance(y, pd.Series | pd.DataFrame):
        missing = bool(np.asarray(y.isna()).any())
        y = np.asarray(y if missing else y.to_numpy())
    labels = column_or_1d(y, warn=True)
    if bool(np.asarray(pd.isna(labels)).any()):
        raise InputError("Input y contains NaN: a label is missing; leave such rows out")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InputError("Input y contains infinity: a label cannot be infinite; leave such rows out")
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise InputError("labels mix text with other values; convert them all to text") from None
    check_classification_targets(labels)
    if len(labels) != n_rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: {n_rows} rows and "
            f"{len(labels)} labels; give one label for each row"
        )
    if not n_rows:
        raise InputError("Found array with 0 sample(s) while a minimum of 1 is required; give rows")
    note_once(name, alike_classes([as_label(label) for label in classes]))
    return Labels(codes.astype(np.int64), classes, name)


def read_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Return one weight for each row, None if all count the same."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise InputError(
            f"sample_weight has shape {weights.shape} for {n_rows} rows: Sample weights must be 1D, one a row"
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError("sample_weight has negative or missing entries; use 0 or more")
    if not weights.any():
        raise InputError("every sample_weight is zero; give at least one row some weight")
    return weights


def feature_names(X: Any) -> NDArray[Any] | None:
    """Return the names of the columns if the table has some and all are text, else None."""
    if isinstance(X, Mapping):
        names = list(X)
    elif isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X):
        names = list(dict.fromkeys(name for row in X for name in row))
    elif hasattr(X, "collect_schema"):  # polars; the names of a lazy frame are a query of their own
        names = list(X.collect_schema().names())
    else:
        names = list(getattr(X, "column_names", getattr(X, "columns", ())))  # pyarrow; pandas
    return np.array(names, dtype=object) if names and all(isinstance(name, str) for name in names) else None


def _name_of(y: Any) -> str:
    name = getattr(y, "name", None)
    if name is None and isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        name = y.columns[0]
    return str(name) if isinstance(name, str | int) and str(name) else "y"
