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
from nri_bench.methods.raw_rivals import RawRipperClassifier
from nri_bench.methods.registry import get_method

SCALED = ("logistic",)
ONE_VS_REST = ("boosted-rules",)
"""Knows several classes, but is much better in pairs: 60.8 against 51.5 on 22 sets of the choosing half at
n = 100. FIGS is better with all at once (56.7 against 55.5) and keeps that."""


def make_raw(name: str, random_state: int = 0) -> Any:
    """Return an unfitted estimator that takes a typed frame with gaps and any number of classes."""
    method = get_method(name)
    if method.family == "ours" or name == "rulekit":
        return method.build(random_state)
    if name == "ripper":
        return make_pipeline(Filled(), OneVsRestClassifier(RawRipperClassifier(random_state)))
    estimator = method.build(random_state)
    if method.one_vs_rest or name in ONE_VS_REST:
        estimator = OneVsRestClassifier(estimator)
    return make_pipeline(Filled(), OneHot(), *([StandardScaler()] if name in SCALED else []), estimator)


class Filled(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Fills gaps: numbers by the median, the rest by the most frequent value; yes and no become 1 and 0."""

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
        """Learn what to fill with; a column without cells is all zeros."""
        self.filling_ = {name: _filling(X[name]) for name in X.columns}
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """[M, columns] of floats and texts"""
        return pd.DataFrame({name: self._column(X[name], name) for name in self.filling_})

    def _column(self, column: "pd.Series[Any]", name: str) -> "pd.Series[Any]":
        filling = self.filling_[name]
        if isinstance(filling, str):
            return column.where(column.notna(), filling)
        return _numbers(column).fillna(filling)


class OneHot(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Gives each category of the support a column of zeros and ones; numbers stay."""

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
        """Learn the categories."""
        texts = [name for name in X.columns if X[name].dtype == object]
        self.categories_ = {name: sorted(X[name].unique()) for name in texts}
        return self

    def transform(self, X: pd.DataFrame) -> FloatArray:
        """[M, columns]; a category that the support lacks is none of its columns."""
        parts = [np.empty((len(X), 0))]
        for name in X.columns:
            cells = X[name].to_numpy()
            if name in self.categories_:
                parts += [(cells == category)[:, None] for category in self.categories_[name]]
            else:
                parts.append(cells[:, None])
        return np.hstack(parts).astype(np.float64)


def _filling(column: "pd.Series[Any]") -> float | str:
    known = column.dropna()
    if not len(known):
        return "" if column.dtype == object else 0.0
    if column.dtype == object:
        return str(known.mode().iloc[0])  # of those that tie, the first in order
    if column.dtype == "boolean":
        return float(bool(known.mode().iloc[0]))
    return float(_numbers(known).median())


def _numbers(column: "pd.Series[Any]") -> "pd.Series[float]":
    if column.dtype.kind == "M":
        days: pd.Series[float] = (column - pd.Timestamp(0)) / pd.Timedelta(days=1)
        return days
    return pd.Series(column.to_numpy(np.float64, na_value=np.nan), column.index)
