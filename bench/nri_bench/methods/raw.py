"""The methods on raw tables: what a careful person does to mixed columns before each of them.

Ours read a frame as it is. The others get numbers with gaps filled by the median, yes and no and categories
with gaps filled by the most frequent value, categories one-hot; logistic regression gets every column scaled.
RIPPER and RuleKit read categories themselves and are given them, RuleKit also the gaps.
"""

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nri_bench.arrays import FloatArray
from nri_bench.methods.registry import get_method

SCALED = ("logistic",)


def make_raw(name: str, random_state: int = 0) -> Any:
    """Return an unfitted estimator that takes a typed frame with gaps and any number of classes."""
    method = get_method(name)
    estimator = method.build(random_state)
    if method.family == "ours":
        return estimator
    if method.one_vs_rest:
        estimator = OneVsRestClassifier(estimator)
    return make_pipeline(OneHot(), *([StandardScaler()] if name in SCALED else []), estimator)


class OneHot(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Turns a typed frame into numbers; what fills gaps and which categories there are, the support says."""

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
        """Learn medians, most frequent values and categories."""
        self.filling_: dict[str, Any] = {}
        self.categories_: dict[str, list[str]] = {}
        for name in X.columns:
            known = X[name].dropna()
            if _is_category(X[name]):
                self.categories_[name] = sorted(known.unique())
                self.filling_[name] = _most_frequent(known)
            elif X[name].dtype == "boolean":
                self.filling_[name] = float(bool(_most_frequent(known)))
            else:
                self.filling_[name] = float(_numbers(known).median()) if len(known) else 0.0
        return self

    def transform(self, X: pd.DataFrame) -> FloatArray:
        """[M, columns]; a category that the support lacks is none of its columns."""
        parts = [np.empty((len(X), 0))]
        for name, filling in self.filling_.items():
            if name in self.categories_:
                filled = X[name].where(X[name].notna(), filling).to_numpy(dtype=object)
                parts += [(filled == category)[:, None] for category in self.categories_[name]]
            else:
                parts.append(_numbers(X[name]).fillna(filling).to_numpy(np.float64)[:, None])
        return np.hstack(parts).astype(np.float64)


def _is_category(column: "pd.Series[Any]") -> bool:
    return column.dtype == object


def _numbers(column: "pd.Series[Any]") -> "pd.Series[float]":
    if column.dtype.kind == "M":
        days: pd.Series[float] = (column - pd.Timestamp(0)) / pd.Timedelta(days=1)
        return days
    return column.astype("Float64").astype(np.float64) if column.dtype == "boolean" else column.astype(float)


def _most_frequent(known: "pd.Series[Any]") -> Any:
    """Return the value that most cells have, the first in order of those that tie; None without cells."""
    return known.mode().iloc[0] if len(known) else None
