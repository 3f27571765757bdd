"""Pictures of estimators: the numbers drawn are those of the rule, and matplotlib comes only then."""

import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from nri import (
    CalibrationDisplay,
    CoverageDisplay,
    NRIClassifier,
    NRIRegressor,
    RuleDisplay,
    WhyDisplay,
    progress_bar,
)


@pytest.fixture(scope="module")
def flats():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"rooms": rng.integers(1, 6, 120), "old": rng.random(120) < 0.4, "noise": rng.random(120)}
    )
    rent = 500.0 + 300 * (X["rooms"] > 3) - 100 * X["old"] + rng.normal(0, 10, 120)
    return X, rent.rename("rent")


@pytest.fixture(scope="module")
def fitted(flats):
    X, rent = flats
    dear = (rent > 600).map({True: "dear", False: "cheap"})
    return NRIClassifier(model="greedy").fit(X, dear), NRIRegressor().fit(X, rent), dear


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def test_a_line_for_each_clause_and_what_it_says(fitted):
    clf, reg, _ = fitted
    shown = RuleDisplay.from_estimator(clf)
    assert len(shown.clauses) == len(clf.rules_.decisions)
    assert shown.ax_.get_title(loc="left") == "Rule for rent"
    numbers = RuleDisplay.from_estimator(reg)
    assert numbers.values.tolist() == reg.rules_.values.tolist()
    assert numbers.clauses[-1] == "any other row"


def test_coverage_counts_every_row_once(fitted, flats):
    clf, reg, dear = fitted
    X, rent = flats
    counted = CoverageDisplay.from_estimator(clf, X, dear)
    assert counted.right.sum() == (clf.predict(X) == dear).sum()
    assert (counted.right + counted.wrong).sum() == len(X)
    spread = CoverageDisplay.from_estimator(reg, X, rent)
    assert sum(map(len, spread.values)) == len(X)


def test_why_marks_each_condition(fitted, flats):
    clf, reg, _ = fitted
    X = flats[0].assign(rooms=flats[0]["rooms"].astype("Int64")).head(5)
    X.loc[0, "rooms"] = pd.NA
    _, ax = plt.subplots()
    told = WhyDisplay.from_estimator(reg, X, 0, ax=ax)
    assert told.ax_ is ax
    states = {state for conditions in told.conditions for name, state in conditions if "rooms" in name}
    assert states == {"unknown"}
    assert "rent = " in WhyDisplay.from_estimator(clf, X, 1).said


def test_calibration_compares_what_is_said_with_what_is_found(fitted, flats):
    clf, reg, dear = fitted
    X, rent = flats
    shares = CalibrationDisplay.from_estimator(clf, X, dear)
    assert ((shares.low <= shares.found) & (shares.found <= shares.high)).all()
    assert shares.rows.sum() == len(X)
    values = CalibrationDisplay.from_estimator(reg, X, rent)
    assert set(values.said) == set(reg.predict(X))


def test_importance_is_what_leaving_a_column_out_costs(fitted, flats):
    clf, reg, _ = fitted
    for model in (clf, reg):
        assert model.feature_importances_.sum() == pytest.approx(1)
        assert model.feature_importances_[2] == 0  # noise is in no clause
    assert reg.column_costs_["rooms"] > reg.column_costs_["old"] > 0
    blind = flats[0].assign(rooms=np.nan)
    lost = reg.score(*flats) - reg.score(blind, flats[1])
    assert reg.column_costs_["rooms"] == pytest.approx(lost)


def test_a_notebook_shows_the_rule_with_its_looks(fitted):
    clf, reg, _ = fitted
    for model in (clf, reg):
        shown = model._repr_mimebundle_()["text/html"]
        assert "nri-notebook" in shown
        assert "<script" not in shown
        assert shown == model.rules_._repr_html_()
    assert "nri-notebook" not in NRIRegressor()._repr_mimebundle_()["text/html"]


def test_a_bar_counts_steps():
    with progress_bar("counting", 2) as step:
        step()
        step()


def test_matplotlib_is_not_loaded_before_something_is_drawn():
    code = "import sys, nri; nri.RuleDisplay; nri.NRIRegressor; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
