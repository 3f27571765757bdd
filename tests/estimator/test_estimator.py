import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from example_tables import random_table, visits
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nri import NRIClassifier
from nri.errors import InputError

FLU = """\
IF  (cough AND fever)     6 of 6 rows, about 0.89 on new ones
THEN flu = yes            ELSE no   18 of 18 rows, about 0.99 on new ones"""


def test_the_printed_rule_is_in_the_callers_words():
    assert str(NRIClassifier().fit(*visits()).rule_) == FLU


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [0, 1], [False, True], [-1, 2], [0.0, 1.0], np.array(["n", "y"], dtype=object)],
)
def test_labels_come_back_as_they_were_given(labels):
    table, y = visits()
    y = np.asarray(labels)[(y == "yes").to_numpy().astype(int)]
    clf = NRIClassifier().fit(table, y)
    predicted = clf.predict(table)
    assert predicted.dtype == y.dtype == clf.classes_.dtype
    assert (predicted == y).all()
    assert clf.score(table, y) == 1.0


@pytest.mark.parametrize(
    "make",
    [lambda t: t, pl.from_pandas, lambda t: t.convert_dtypes(), lambda t: t.to_dict("list")],
    ids=["pandas", "polars", "nullable", "dict"],
)
def test_the_same_table_in_any_container_gives_the_same_rule(make):
    table, labels = visits()
    assert str(NRIClassifier().fit(make(table), pl.Series("flu", labels.tolist())).rule_) == FLU


def test_a_float_array_of_zero_one_and_nan_is_used_as_it_is():
    cells = np.array([[0.0, 1], [1, 1], [1, 0], [np.nan, 1]] * 5)
    clf = NRIClassifier().fit(cells, [0, 1, 0, 0] * 5)
    assert [str(clause) for clause in clf.rule_.clauses] == ["x0 AND x1"]
    assert clf.predict([[1.0, 1.0], [np.nan, 1.0]]).tolist() == [1, 0]
    assert not hasattr(clf, "feature_names_in_")


@pytest.mark.parametrize(
    "make", [lambda t: t.to_dict("list"), lambda t: t.to_dict("records"), pl.from_pandas]
)
def test_names_are_found_in_any_container_that_has_them(make):
    table, labels = visits()
    clf = NRIClassifier().fit(make(table), labels)
    assert clf.feature_names_in_.tolist() == ["fever", "cough", "age", "ward"]
    assert (clf.predict(make(table[["cough", "fever"]])) == labels).all()


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "category", "string", "float64"])
def test_labels_of_any_pandas_dtype_are_taken(dtype):
    table, labels = visits()
    y = (labels == "yes").astype(int).astype({"string": str}.get(dtype, "int64")).astype(dtype)
    clf = NRIClassifier().fit(table, y)
    assert (clf.predict(table) == np.asarray(y)).all()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "one a row"),
        (np.ones((24, 2)), "Sample weights must be 1D"),
        (np.full(24, -1.0), "negative"),
        (np.zeros(24), "zero"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, message):
    with pytest.raises(InputError, match=message):
        NRIClassifier().fit(*visits(), sample_weight=weights)


def test_a_notebook_shows_the_rule_as_a_table():
    assert "<table" in NRIClassifier().fit(*visits()).rule_._repr_html_()


def test_prediction_needs_only_the_columns_of_the_rule_in_any_order():
    table, labels = visits()
    clf = NRIClassifier().fit(table, labels)
    few = table[["cough", "fever"]].assign(unheard_of="x")
    assert (clf.predict(few) == labels).all()
    with pytest.raises(InputError, match=r"no column 'cough'.*'caugh'"):
        clf.predict(few.rename(columns={"cough": "caugh"}))


def test_an_array_is_read_by_position_with_a_warning_if_names_were_known():
    table, labels = visits()
    table = table.drop(columns="ward")
    clf = NRIClassifier().fit(table, labels)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        predicted = clf.predict(table.to_numpy())
    assert (predicted == labels).all()
    with pytest.raises(InputError, match="X has 2 features, but NRIClassifier is expecting 3"):
        clf.predict(np.zeros((1, 2)))


def test_columns_named_by_numbers_are_found_again_by_position_and_by_name():
    table, labels = visits()
    numbered = table[["fever", "cough"]].set_axis([10, 20], axis="columns")
    clf = NRIClassifier().fit(numbered, labels)
    assert clf.rule_.columns == ("10", "20")
    assert (clf.predict(numbered[[20, 10]]) == labels).all()
    assert (clf.predict(numbered.to_numpy()) == labels).all()


def test_an_unseen_category_is_equal_to_nothing():
    table = pd.DataFrame({"colour": ["red", "green", "blue"] * 8})
    clf = NRIClassifier(positive=1).fit(table, [1, 0, 0] * 8)
    assert clf.predict(pd.DataFrame({"colour": ["violet", "red", None]})).tolist() == [0, 1, 0]


def test_probabilities_follow_the_decision_and_the_precision():
    table, labels = random_table(1, n_rows=200)
    clf = NRIClassifier().fit(table, labels)
    proba = clf.predict_proba(table)
    assert proba.shape == (200, 2)
    assert proba.sum(axis=1) == pytest.approx(1)
    assert (clf.classes_[proba.argmax(axis=1)] == clf.predict(table)).all()
    assert proba.max() < 1


def test_three_classes_are_all_predicted():
    table = pd.DataFrame({"x": np.arange(60) + 0.5})
    labels = np.repeat(["low", "mid", "high"], 20)
    clf = NRIClassifier().fit(table, labels)
    assert clf.score(table, labels) == 1.0
    assert clf.predict_proba(table).shape == (60, 3)
    assert {estimate.value for estimate in clf.rule_.estimates} == {"low", "mid", "high"}


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_the_rule_is_about_the_positive_class(positive):
    clf = NRIClassifier(positive=positive).fit(*visits())
    assert list(clf.rule_.described) == [positive]


def test_explanations_name_what_fired_or_what_was_lacking():
    table, labels = visits()
    clf = NRIClassifier().fit(table, labels)
    fired, missed = clf.explain(table.iloc[[0, 1]])
    assert str(fired) == "flu = yes (probability 0.89)\n  because: cough AND fever => yes"
    assert [str(miss.literal) for miss in missed.nearest[0].misses] == ["cough"]


def test_what_is_left_out_is_named_with_the_reason():
    table, labels = visits()
    clf = NRIClassifier().fit(table.assign(empty=None, patient_id=range(100, 124)), labels)
    assert [str(one) for one in clf.left_out_] == [
        "empty has no value at all",
        "patient_id looks like an identifier",
    ]


def test_the_same_seed_gives_the_same_rule_and_none_is_a_fixed_seed():
    table, labels = random_table(5, n_rows=150)
    fits = [NRIClassifier(random_state=seed).fit(table, labels).rule_ for seed in (None, None, 7, 7)]
    assert fits[0] == fits[1]
    assert fits[2] == fits[3]


def test_pickling_keeps_the_rule_as_json_and_the_predictions():
    table, labels = random_table(2)
    clf = NRIClassifier().fit(table.assign(note=None), labels)
    data = pickle.dumps(clf)
    again = pickle.loads(data)
    assert b"nri-rule" in data
    assert b"Binarizer" not in data
    assert again.rule_ == clf.rule_
    assert again.left_out_ == clf.left_out_
    assert again.get_params() == clf.get_params()
    assert (again.predict_proba(table) == clf.predict_proba(table)).all()


def test_a_saved_estimator_carries_no_rows_of_the_table_and_says_what_it_lacks():
    table, labels = random_table(2)
    clf = NRIClassifier().fit(table, labels)
    assert clf.posterior_proba(table).shape == (len(table), 2)
    with pytest.raises(InputError, match=r"there is no posterior: .* fit again, or use predict_proba"):
        pickle.loads(pickle.dumps(clf)).posterior_proba(table)


def test_the_posterior_reads_columns_by_name_and_gives_probabilities():
    table, labels = random_table(3)
    clf = NRIClassifier().fit(table, labels)
    chances = clf.posterior_proba(table)
    assert (chances >= 0).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_allclose(clf.posterior_proba(table[table.columns[::-1]]), chances, atol=1e-6)
    with pytest.raises(InputError, match="there is no posterior"):
        NRIClassifier("greedy").fit(table, labels).posterior_proba(table)


def test_an_unfitted_estimator_can_be_pickled_and_says_that_it_is_unfitted():
    again = pickle.loads(pickle.dumps(NRIClassifier(max_clauses=3)))
    assert again.max_clauses == 3
    with pytest.raises(NotFittedError):
        again.predict([[1.0]])


def test_a_second_fit_forgets_the_first():
    table, labels = visits()
    clf = NRIClassifier().fit(table, labels)
    clf.fit(np.eye(2)[[0, 1] * 5], [0, 1] * 5)
    assert not hasattr(clf, "feature_names_in_")
    assert clf.classes_.tolist() == [0, 1]
    assert clf.n_features_in_ == 2


def test_it_works_in_pipelines_searches_and_cross_validation():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = (X[:, 0] > 0.3).astype(int)
    pipeline = make_pipeline(StandardScaler(), NRIClassifier())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    search = GridSearchCV(NRIClassifier(), {"max_clauses": [1, 2], "negations": [True, False]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.9
    assert clone(NRIClassifier(columns=["a"], positive=1)).get_params()["columns"] == ["a"]


def test_the_estimator_shows_itself_with_its_changed_parameters():
    assert repr(NRIClassifier(max_clauses=2)) == "NRIClassifier(max_clauses=2)"
