"""Methods that predict a number, one registry: the rule of segments and its rivals, each from a raw table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from nri_bench.arrays import FloatArray


@dataclass(frozen=True)
class Answer:
    """What a fitted method says about other rows, and how long it is."""

    said: FloatArray
    segments: int | None = None
    """leaves, rules or clauses with the rest; None if nobody could read it"""
    literals: int | None = None


@dataclass(frozen=True)
class NumberMethod:
    """A way to predict a number."""

    name: str
    label: str
    fit_and_say: Callable[[pd.DataFrame, FloatArray, pd.DataFrame], Answer]
    """from the rows to learn from and the rows to say a number of"""


def _segments(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from nri import NRIRegressor

    model = NRIRegressor().fit(X, y)
    rule = model.rule_
    return Answer(model.predict(query), len(rule.branches) + 1, rule.n_literals)


def _tree(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from sklearn.tree import DecisionTreeRegressor

    support, other = _encoded(X, query)
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(support, y)
    leaves = model.tree_.children_left == -1
    depth = np.zeros(len(leaves), dtype=np.int64)
    for node in np.flatnonzero(~leaves):  # parents come before their children
        for child in (model.tree_.children_left[node], model.tree_.children_right[node]):
            depth[child] = depth[node] + 1
    return Answer(model.predict(other), int(leaves.sum()), int(depth[leaves].sum()))


def _figs(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from imodels import FIGSRegressor

    support, other = _encoded(X, query)
    model = FIGSRegressor(max_rules=12).fit(support, y)
    splits = int(model.complexity_)
    return Answer(np.asarray(model.predict(other), dtype=np.float64), splits + len(model.trees_), splits)


def _ridge(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from sklearn.linear_model import RidgeCV

    support, other = _encoded(X, query)
    return Answer(RidgeCV(np.logspace(-2, 4, 13)).fit(support, y).predict(other))


def _rulekit(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from rulekit.regression import RuleRegressor  # starts Java, so never in the parent of all children

    support, other = _encoded(X, query)
    names = [f"x{i}" for i in range(support.shape[1])]
    model = RuleRegressor().fit(pd.DataFrame(support, columns=names), pd.Series(y, name="outcome"))
    said = np.asarray(model.predict(pd.DataFrame(other, columns=names)), dtype=np.float64)
    rules = model.model.rules
    return Answer(said, len(rules), sum(str(rule).count(" AND ") + 1 for rule in rules))


def _mean(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    return Answer(np.full(len(query), float(y.mean())), 1, 0)


def _encoded(X: pd.DataFrame, query: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
    """Return numbers without gaps for methods that need them: standardised, categories one by one."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = [name for name in X if X[name].dtype.kind in "ifb"]
    others = [name for name in X if name not in numbers]
    X, query = (frame.astype(dict.fromkeys(others, str)) for frame in (X, query))
    made: Any = make_column_transformer(
        (make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False, max_categories=30), others),
    )
    return made.fit_transform(X), made.transform(query)


NUMBER_METHODS: dict[str, NumberMethod] = {
    method.name: method
    for method in (
        NumberMethod("mean", "Mean", _mean),
        NumberMethod("segments", "NRI segments", _segments),
        NumberMethod("tree", "Tree of depth 4", _tree),
        NumberMethod("figs", "FIGS, 12 splits", _figs),
        NumberMethod("rulekit", "RuleKit", _rulekit),
        NumberMethod("ridge", "Ridge", _ridge),
    )
}
"""Every method by its name."""
