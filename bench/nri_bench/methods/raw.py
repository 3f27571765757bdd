"""The methods on raw tables: what a careful person does to mixed columns before each of them.

Ours read a frame as it is. The others get numbers with gaps filled by the median, yes and no and categories
with gaps filled by the most frequent value, categories one-hot; logistic regression gets every column scaled.
RIPPER and RuleKit read categories themselves and are given them, RuleKit also the gaps.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nri import InputError, NRIClassifier
from nri_bench.arrays import FloatArray
from nri_bench.methods.raw_rivals import RawRipperClassifier
from nri_bench.methods.registry import Method, choose_methods, get_method

SCALED = ("logistic",)
ONE_VS_REST = ("boosted-rules",)
"""Knows several classes, but is much better in pairs: 60.8 against 51.5 on 22 sets of the choosing half at
n = 100. FIGS is better with all at once (56.7 against 55.5) and keeps that."""


@dataclass(frozen=True)
class Variant:
    """One of our methods that gets more than the others: rows without labels, costs, or to be steady."""

    name: str
    label: str
    of: str
    unlabelled: int = 0
    """at most so many rows are shown without their labels"""
    miss: float = 1.0
    """what missing a row of the rarer of two classes costs, where a false alarm costs 1"""
    stable: bool = False
    """whether the rule is to be one that other rows would have given too"""

    def available(self) -> bool:
        """Whether the installed nri knows what the variant needs."""
        if self.unlabelled and "unlabelled" not in signature(NRIClassifier.fit).parameters:
            return False
        known = NRIClassifier().get_params()
        return (self.miss == 1.0 or "class_weight" in known) and (not self.stable or "stable" in known)


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("seeded+300", "NRI seeded, 300 unlabelled", "seeded", unlabelled=300),
        Variant("seeded+2000", "NRI seeded, 2000 unlabelled", "seeded", unlabelled=2000),
        Variant("seeded-5:1", "NRI seeded, costs 5 : 1", "seeded", miss=5.0),
        Variant("seeded-stable", "NRI seeded, stable", "seeded", stable=True),
    )
}
"""By name; never mixed with the methods that get labels only."""


def choose_raw(names: Iterable[str]) -> list[Method]:
    """Return the named methods and variants, and refuse those that this installation cannot run."""
    chosen = []
    for name in names:
        variant = VARIANTS.get(name)
        if variant is not None and not variant.available():
            raise InputError(f"method {name!r}: this version of nri cannot be told that; leave it out")
        [method] = choose_methods([variant.of if variant else name])
        chosen.append(replace(method, name=name, label=variant.label) if variant else method)
    return chosen


def make_raw(name: str, random_state: int = 0) -> Any:
    """Return an unfitted estimator that takes a typed frame with gaps and any number of classes."""
    variant = VARIANTS.get(name)
    method = get_method(variant.of if variant else name)
    if variant and variant.stable:
        return method.build(random_state).set_params(stable=True)
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
