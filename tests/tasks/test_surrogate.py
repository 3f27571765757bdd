import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from nri import surrogate_of_model
from nri.errors import InputError
from nri.induce.settings import Settings
from nri.table import table_of


def houses(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({"size": rng.uniform(30, 200, n), "garden": rng.integers(0, 2, n)})


def test_rules_say_what_the_model_says_not_what_is_true():
    X = houses()
    model = LogisticRegression(max_iter=500).fit(X, X["size"] > 100)
    found = surrogate_of_model(model, X)
    said = found.rule.predict({name: _column(X, name) for name in found.rule.columns}, len(X))
    assert (said == model.predict(X)).mean() > 0.9
    assert found.fidelity.value > 0.9 > found.fidelity.baseline
    assert found.rule.target == "prediction"


def _column(X, name):
    return table_of(X).columns[name]


def test_several_classes_are_mimicked():
    data = load_iris(as_frame=True)
    model = RandomForestClassifier(10, random_state=0).fit(data.data, data.target_names[data.target])
    found = surrogate_of_model(model, data.data, settings=Settings(max_clauses=2))
    assert set(found.rule.classes) == {"setosa", "versicolor", "virginica"}
    assert found.fidelity.value > 0.85


def test_a_threshold_turns_a_regressor_into_yes_and_no():
    X = houses()
    model = LinearRegression().fit(X, 3 * X["size"])
    found = surrogate_of_model(model, X, threshold=300)
    assert found.rule.classes == (False, True)
    assert found.rule.columns == ("size",)
    assert found.fidelity.value > 0.9


@pytest.mark.parametrize("model", [LogisticRegression(max_iter=500), LinearSVC()])
def test_a_threshold_on_a_classifier_is_on_its_score(model):
    X = houses()
    X["size"] /= 100
    model.fit(X, X["size"] > 1.0)
    strict = surrogate_of_model(model, X, threshold=0.9)
    score = model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else model.decision_function(X)
    assert strict.rule.support.counts == ((score <= 0.9).sum(), (score > 0.9).sum())


def test_weights_count():
    X = houses()
    model = LogisticRegression(max_iter=500).fit(X, X["size"] > 100)
    found = surrogate_of_model(model, X, sample_weight=np.full(200, 2.0))
    assert found.rule.support.rows == 400


def test_a_model_with_one_answer_cannot_be_mimicked():
    X = houses()
    model = LinearRegression().fit(X, 3 * X["size"])
    with pytest.raises(InputError, match="on every row"):
        surrogate_of_model(model, X, threshold=1e9)


def test_a_regressor_is_mimicked_as_a_number():
    X = houses()
    model = LinearRegression().fit(X, 3 * X["size"])
    found = surrogate_of_model(model, X)
    assert found.rule.columns == ("size",)
    assert found.fidelity.measure == "R²"
    assert found.fidelity.value > 0.8 > found.fidelity.baseline
