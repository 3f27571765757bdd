"""Methods that predict a number or a risk, two registries: the rule, its posterior and their rivals."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from nri_bench.arrays import FloatArray

Curves = Callable[[FloatArray], FloatArray]
"""From times [T] to the chances [S, T] that rows go so long without the event."""


@dataclass(frozen=True)
class Answer:
    """What a fitted method says about other rows, and how long it is."""

    predicted: FloatArray
    """[S]: numbers, or risks"""
    segments: int | None = None
    """leaves, rules or clauses with the rest; None if it cannot be read"""
    literals: int | None = None
    curves: Curves | None = None


@dataclass(frozen=True)
class MeasuredMethod:
    """A way to predict a number or a risk."""

    name: str
    label: str
    fit_and_say: Callable[[pd.DataFrame, Any, pd.DataFrame], Answer]
    """from rows to learn from, their numbers [M] or times and events [M, 2], and rows to predict"""


def _rule(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from nri import NRIRegressor

    model = NRIRegressor().fit(X, y)
    rule = model.rule_
    return Answer(model.predict(query), len(rule.branches) + 1, rule.n_literals)


def _posterior(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from nri import NRIRegressor

    return Answer(NRIRegressor().fit(X, y).posterior_mean(query))


def _tree(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from sklearn.tree import DecisionTreeRegressor

    support, other = _encoded(X, query)
    model = DecisionTreeRegressor(max_leaf_nodes=8, random_state=0).fit(support, y)
    return Answer(model.predict(other), *_leaves_and_literals(model.tree_))


def _leaves_and_literals(tree: Any) -> tuple[int, int]:
    """Return the leaves of a tree, and the conditions on the way to all of them."""
    leaves = tree.children_left == -1
    depth = np.zeros(len(leaves), dtype=np.int64)
    for node in np.flatnonzero(~leaves):  # parents come before their children
        for child in (tree.children_left[node], tree.children_right[node]):
            depth[child] = depth[node] + 1
    return int(leaves.sum()), int(depth[leaves].sum())


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


def _forest(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from sklearn.ensemble import RandomForestRegressor

    support, other = _encoded(X, query)
    return Answer(RandomForestRegressor(300, random_state=0).fit(support, y).predict(other))


def _ebm(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from interpret.glassbox import ExplainableBoostingRegressor

    support, other = _encoded(X, query)
    model = ExplainableBoostingRegressor(random_state=0, n_jobs=1).fit(support, y)
    return Answer(np.asarray(model.predict(other), dtype=np.float64))


def _rulekit(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from rulekit.regression import RuleRegressor  # starts Java, so never in the parent of all children

    support, other = _numbered(X, query)
    model = RuleRegressor().fit(support, pd.Series(y, name="outcome"))
    predicted = np.asarray(model.predict(other), dtype=np.float64)
    return Answer(predicted, *_rules_and_literals(model.model.rules))


def _rules_and_literals(rules: Any) -> tuple[int, int]:
    return len(rules), sum(str(rule).count(" AND ") + 1 for rule in rules)


def _mean(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    return Answer(np.full(len(query), float(y.mean())), 1, 0)


def _survival_rule(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from nri import NRISurvival

    model = NRISurvival().fit(X, y)
    rule, curves = model.rule_, model.predict_survival_function(query)
    return Answer(
        model.predict(query),
        len(rule.branches) + 1,
        rule.n_literals,
        lambda times: _at(curves.index.to_numpy(), curves.to_numpy().T, times),
    )


def _survival_posterior(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from nri import NRISurvival

    return Answer(NRISurvival().fit(X, y).posterior_risk(query))


def _one_curve(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from lifelines import KaplanMeierFitter

    curve = KaplanMeierFitter().fit(y[:, 0], y[:, 1])
    predicted = np.ones(len(query))
    return Answer(predicted, 1, 0, lambda times: np.tile(curve.predict(times).to_numpy(), (len(query), 1)))


def _cox(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from lifelines import CoxPHFitter

    support, other = _numbered(X, query)
    varied = [name for name in support if support[name].std() > 1e-9]
    rows = support[varied].assign(time=np.maximum(y[:, 0], 1e-6), event=y[:, 1])
    model = CoxPHFitter(penalizer=0.1).fit(rows, "time", "event")
    return Answer(
        model.predict_partial_hazard(other[varied]).to_numpy(),
        curves=lambda times: model.predict_survival_function(other[varied], times=times).to_numpy().T,
    )


def _survival_tree(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from sksurv.tree import SurvivalTree

    support, other = _encoded(X, query)
    model = SurvivalTree(max_leaf_nodes=8, min_samples_leaf=5, random_state=0).fit(support, _structured(y))
    curves = model.predict_survival_function(other, return_array=True)
    leaves = _leaves_and_literals(model.tree_)
    return Answer(model.predict(other), *leaves, lambda times: _at(model.unique_times_, curves, times))


def _survival_forest(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from sksurv.ensemble import RandomSurvivalForest

    support, other = _encoded(X, query)
    model = RandomSurvivalForest(200, min_samples_leaf=5, random_state=0).fit(support, _structured(y))
    curves = model.predict_survival_function(other, return_array=True)
    return Answer(model.predict(other), curves=lambda times: _at(model.unique_times_, curves, times))


def _survival_rulekit(X: pd.DataFrame, y: FloatArray, query: pd.DataFrame) -> Answer:
    from rulekit.survival import SurvivalRules

    support, other = _numbered(X, query)
    model = SurvivalRules(survival_time_attr="outcome_time").fit(
        support.assign(outcome_time=y[:, 0]), pd.Series(y[:, 1].astype(int).astype(str), name="event")
    )
    predicted = model.predict(other.assign(outcome_time=0.0))
    median = [np.interp(-0.5, -np.asarray(one["probabilities"]), one["times"]) for one in predicted]
    return Answer(-np.array(median), *_rules_and_literals(model.model.rules))


def _structured(y: FloatArray) -> Any:
    return np.array([(event > 0, time) for time, event in y], dtype=[("event", bool), ("time", float)])


def _at(own: FloatArray, curves: FloatArray, times: FloatArray) -> FloatArray:
    """Return curves [S, own times] at other times; before the first all rows are there."""
    place = np.searchsorted(own, times, side="right")
    return np.column_stack([np.ones(len(curves)), curves])[:, place]


def _numbered(X: pd.DataFrame, query: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return encoded rows with names that no method stumbles over."""
    support, other = _encoded(X, query)
    names = [f"x{i}" for i in range(support.shape[1])]
    return pd.DataFrame(support, columns=names), pd.DataFrame(other, columns=names)


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


def _registry(*methods: MeasuredMethod) -> dict[str, MeasuredMethod]:
    return {method.name: method for method in methods}


NUMBER_METHODS = _registry(
    MeasuredMethod("constant", "Mean", _mean),
    MeasuredMethod("rule", "NRI rule", _rule),
    MeasuredMethod("posterior", "NRI posterior", _posterior),
    MeasuredMethod("tree-8", "Tree, 8 leaves", _tree),
    MeasuredMethod("figs", "FIGS, 12 splits", _figs),
    MeasuredMethod("rulekit", "RuleKit", _rulekit),
    MeasuredMethod("ridge", "Ridge", _ridge),
    MeasuredMethod("ebm", "EBM", _ebm),
    MeasuredMethod("random-forest", "Random forest", _forest),
)
SURVIVAL_METHODS = _registry(
    MeasuredMethod("constant", "One curve", _one_curve),
    MeasuredMethod("rule", "NRI rule", _survival_rule),
    MeasuredMethod("posterior", "NRI posterior", _survival_posterior),
    MeasuredMethod("tree-8", "Survival tree, 8 leaves", _survival_tree),
    MeasuredMethod("rulekit", "RuleKit", _survival_rulekit),
    MeasuredMethod("cox", "Cox, ridge", _cox),
    MeasuredMethod("random-forest", "Random survival forest", _survival_forest),
)
"""Every method by its name. The tree and the forest for survival need scikit-survival."""
