"""Pictures of estimators: the numbers drawn are those of the rule, and matplotlib comes only then."""

import subprocess
import sys
import warnings

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
    induce_rule,
)
from nri.induce.assemble import count_classes
from nri.outcome import Classes, Survival
from nri.rule import Clause, Dnf, Literal, Op
from nri.table import table_of


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
    assert len(shown.clauses) == len(clf.rule_.branches) + 1
    assert shown.ax_.get_title(loc="left") == "Rule for rent"
    numbers = RuleDisplay.from_estimator(reg)
    assert numbers.values.tolist() == [one.value for one in reg.rule_.estimates]
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
    shown = WhyDisplay.from_estimator(reg, X, 0, ax=ax)
    assert shown.ax_ is ax
    states = {state for conditions in shown.conditions for name, state in conditions if "rooms" in name}
    assert states == {"unknown"}
    assert "rent = " in WhyDisplay.from_estimator(clf, X, 1).prediction


def test_calibration_compares_what_is_predicted_with_what_is_observed(fitted, flats):
    clf, reg, dear = fitted
    X, rent = flats
    shares = CalibrationDisplay.from_estimator(clf, X, dear)
    assert ((shares.low <= shares.observed) & (shares.observed <= shares.high)).all()
    assert shares.rows.sum() == len(X)
    values = CalibrationDisplay.from_estimator(reg, X, rent)
    assert set(values.predicted) == set(reg.predict(X))


@pytest.fixture(scope="module")
def counting():
    """A rule that counts long conditions, and its rows."""
    rng = np.random.default_rng(0)
    names = [f"a rather long name of a column {letter}" for letter in "abcde"]
    X = pd.DataFrame(rng.integers(0, 2, (80, 5)), columns=names).astype(bool)
    table = table_of(X).with_outcome(
        Classes("ill", ("no", "yes"), (X.sum(axis=1) >= 3).astype(int).to_numpy())
    )
    members = [Literal(name, Op.EQ, True) for name in names]
    return count_classes({"yes": Dnf([Clause(members, 3)])}, "no", table), table


def test_long_conditions_leave_the_picture_its_width(counting):
    """Labels took two thirds of it, conditions were drawn over each other, and the layout gave a warning."""
    rule, table = counting
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        displays = [
            RuleDisplay.from_rule(rule),
            CoverageDisplay.from_rule(rule, table),
            WhyDisplay.from_rule(rule, table),
            CalibrationDisplay.from_rule(rule, table),
        ]
        for shown in displays:
            shown.figure_.canvas.draw()
    for shown in displays:
        width = shown.figure_.bbox.width
        assert shown.ax_.get_position().width > 0.75
        boxes = [text.get_window_extent() for text in shown.ax_.texts]
        assert all(box.x1 <= width + 1 for box in boxes)
        overlapping = [
            (one, other) for i, one in enumerate(boxes) for other in boxes[:i] if one.overlaps(other)
        ]
        assert not overlapping
    assert "3 are needed" in displays[2].clauses[0]


def test_a_survival_rule_has_pictures(flats):
    X = flats[0]
    rng = np.random.default_rng(1)
    time = rng.exponential(np.where(X.rooms > 3, 20.0, 100.0))
    table = table_of(X).with_outcome(Survival("dead", "days", time, rng.random(120) < 0.7))
    rule = induce_rule(table).rule
    shown = RuleDisplay.from_rule(rule)
    assert shown.values.tolist() == [one.value for one in rule.estimates]
    assert ((shown.low < shown.values) & (shown.values < shown.high)).all()
    counted = CoverageDisplay.from_rule(rule, table)
    assert counted.right.sum() == table.outcome.event.sum()
    assert WhyDisplay.from_rule(rule, table).prediction.startswith("dead = risk")
    assert CalibrationDisplay.from_rule(rule, table).rows.sum() == 120


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
        assert shown == model.rule_._repr_html_()
    assert "nri-notebook" not in NRIRegressor()._repr_mimebundle_()["text/html"]


def test_matplotlib_is_not_loaded_before_something_is_drawn():
    code = "import sys, nri; nri.RuleDisplay; nri.NRIRegressor; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
