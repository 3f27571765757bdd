import numpy as np
import pytest
from effort import THOROUGH
from sklearn.tree import DecisionTreeClassifier

from nri import InputError
from nri_bench.datasets import load_dataset
from nri_bench.methods import METHODS, RuleSize, choose_methods, get_method, rule_size
from nri_bench.methods.dnf import clause_truth
from nri_bench.methods.neural_dnf import NeuralDNFClassifier
from nri_bench.methods.rivals import RipperClassifier, RuleFitClassifier
from nri_bench.methods.simple import BestLiteralClassifier, TreeDNFClassifier
from nri_bench.run.score import Problem, auc, fit_and_score, note_of

RIVALS = [
    name
    for name, method in METHODS.items()
    if method.family != "ours" and name not in ("exact", "bayes-limit")
]
"""Limits are no learners: the exact one wants labels without an error, the other few columns."""
QUICK = [name for name in RIVALS if name not in ("ebm", "rulefit")]
"""Those that fit in a moment; the others learn two classes, and all else in ``make test-all``."""

pytestmark = pytest.mark.filterwarnings("ignore")  # the rivals' own deprecations


def two_classes(n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, 6)).astype(float)
    return X, ((X[:, 0] == 1) & (X[:, 1] == 1) | (X[:, 2] == 1)).astype(int)


def three_classes(seed=0):
    X, y = two_classes(80, seed)
    return X, y + (X[:, 5] == 1) * (y == 1)


def mislabelled(y, share=0.1):
    """Some labels changed: where classes part without an error, EBM boosts on for minutes."""
    y = y.copy()
    wrong = np.random.default_rng(9).choice(len(y), int(share * len(y)), replace=False)
    y[wrong] = (y[wrong] + 1) % (y.max() + 1)
    return y


@pytest.mark.parametrize("name", RIVALS)
def test_every_rival_learns_two_and_three_classes_and_says_scores(name):
    brief = name not in QUICK and not THOROUGH
    for X, y in (two_classes(),) if brief else (two_classes(), three_classes()):
        X, y = X.copy(), mislabelled(y)
        X[0, 0] = np.nan
        model = get_method(name).make(0).fit(X, y)
        assert set(model.predict(X)) <= set(y)
        scores = model.predict_proba(X)
        assert scores.shape == (len(y), len(set(y)))
        assert np.isfinite(scores).all()
        if name != "majority":
            assert np.mean(model.predict(X) == y) > max(np.bincount(y)) / len(y)


@pytest.mark.parametrize("name", RIVALS if THOROUGH else QUICK)
def test_every_rival_gives_the_same_answer_twice(name):
    """Also where two splits are equally good, and other rows tell them apart: FIGS once tossed a coin."""
    X, y = two_classes(seed=3)
    X, query = np.hstack([X, X]), np.hstack([X, X[::-1]])
    one, two = (get_method(name).make(5).fit(X, mislabelled(y)).predict_proba(query) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_missing_cells_get_the_supports_most_frequent_value():
    X = np.array([[1.0], [1.0], [0.0], [np.nan], [0.0]])
    model = get_method("tree").make(0).fit(X[:3], [1, 1, 0])
    assert model.predict(X[3:]).tolist() == [1, 0]


def test_our_own_methods_get_missing_cells_as_they_are():
    assert all(method.keeps_missing == (method.family == "ours") for method in METHODS.values())


def test_a_column_never_seen_in_the_support_is_no_error():
    X = np.array([[1.0, np.nan], [0.0, np.nan], [1.0, np.nan], [0.0, np.nan]])
    model = get_method("logistic").make(0).fit(X, [1, 0, 1, 0])
    assert model.predict(np.array([[1.0, 1.0]])).tolist() == [1]


def test_best_literal_is_the_column_with_fewest_errors():
    X = np.array([[0, 1], [0, 1], [1, 1], [1, 0], [1, 0]], dtype=float)
    y = np.array(["a", "a", "b", "b", "b"])
    model = BestLiteralClassifier().fit(X, y)
    assert model.column_ == 0
    assert model.predict(X).tolist() == y.tolist()
    assert rule_size(model) == RuleSize(1, 1)


def test_a_tree_and_its_dnf_say_the_same():
    X, y = two_classes(seed=1)
    query = two_classes(500, seed=2)[0]
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    dnf = TreeDNFClassifier(0).fit(X, y)
    np.testing.assert_array_equal(tree.predict(query), dnf.predict(query))
    leaves = rule_size(tree)
    assert leaves.clauses == tree.get_n_leaves()
    assert rule_size(dnf).clauses < leaves.clauses


def test_ripper_predicts_exactly_what_wittgenstein_predicts():
    import pandas as pd
    import wittgenstein

    data = load_dataset("tic-tac-toe")
    X, y = data.X[::5], data.y[::5]
    ours = RipperClassifier(0).fit(X, y)
    theirs = wittgenstein.RIPPER(random_state=0)
    frame = pd.DataFrame(X.astype(int), columns=[f"v{i}" for i in range(X.shape[1])])
    positive = int(np.argmin(np.bincount(y)))
    theirs.fit(frame, y=y, pos_class=positive)
    said = np.asarray(theirs.predict(frame))
    np.testing.assert_array_equal(ours.predict(X) == positive, said)
    assert rule_size(ours).clauses == len(theirs.ruleset_.rules) > 0


def test_an_empty_ripper_rule_set_is_the_majority_and_says_so():
    """The paper's table has 20.6 % on hepatitis: an empty rule set read as the minority everywhere."""
    X = np.random.default_rng(0).integers(0, 2, (6, 8)).astype(float)
    y = np.array([0, 0, 0, 0, 0, 1])
    model = get_method("ripper").make(0).fit(X, y)
    assert rule_size(model) == RuleSize(0, 0)
    assert model.predict(X).tolist() == [0] * 6
    assert "empty rule set" in note_of(model)


def test_a_weightless_rulefit_is_the_majority_and_says_so():
    """One row of the rarer class leaves RuleFit without weights, and it then said that class everywhere."""
    X = np.random.default_rng(0).integers(0, 2, (6, 8)).astype(float)
    model = RuleFitClassifier(0).fit(X, np.array([1, 1, 1, 1, 1, 0]))
    assert model.predict(X).tolist() == [1] * 6
    assert "every weight is zero" in note_of(model)


def test_neural_dnf_finds_a_planted_conjunction():
    X, _ = two_classes(120, seed=4)
    y = ((X[:, 0] == 1) & (X[:, 3] == 0)).astype(int)
    model = NeuralDNFClassifier(random_state=0).fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.97
    size = rule_size(model)
    assert size.clauses > 0
    assert size.literals > 0


def test_sizes_are_counted_for_rules_and_not_for_black_boxes():
    X, y = two_classes()
    sizes = {name: rule_size(get_method(name).make(0).fit(X, y)) for name in QUICK}
    boxes = {name for name, size in sizes.items() if size is None}
    assert boxes == {"logistic", "random-forest", "xgboost", "lightgbm"}
    assert sizes["majority"] == RuleSize(0, 0)
    assert sizes["figs"].clauses >= 2


def test_a_missing_cell_makes_a_clause_fail():
    X = np.array([[1.0, 0.0], [np.nan, 0.0], [1.0, np.nan]])
    assert clause_truth(X, ((0, True), (1, False))).tolist() == [True, False, False]


def test_an_unknown_method_is_named():
    with pytest.raises(InputError, match="no method 'forest'"):
        choose_methods(["forest"])


def test_a_missing_package_names_the_remedy(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"needs xgboost; run: pip install \./bench"):
        choose_methods(["xgboost"])


def test_a_class_missing_from_the_support_is_no_failure():
    """XGBoost wants labels without gaps; nursery's rarest class has two rows in all."""
    X, y = two_classes()
    y = np.where(y == 1, 2, 0)
    query_y = y.copy()
    query_y[:3] = 1
    measures = fit_and_score("xgboost", Problem(X, y, X, query_y))
    assert measures["accuracy"] >= 0.9
    assert 0.5 < measures["auc"] <= 1


def test_auc_is_one_for_a_perfect_order_and_undefined_for_one_class():
    scores = np.array([[0.9, 0.1], [0.2, 0.8]])
    assert auc(np.array([0, 1]), scores) == 1.0
    assert auc(np.array([0, 0]), scores) is None
    three = np.eye(3)[[0, 1, 2]]
    assert auc(np.array([0, 1, 2]), three) == 1.0
