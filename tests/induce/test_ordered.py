"""Ordered classes: an error costs as many as it is classes off, and the rule errs less far."""

import numpy as np
import pandas as pd
import pytest

from nri import InputError, NRIClassifier, Settings, induce_rule, read_table
from nri.induce.constraints import cost_weighted, error_prices
from nri.induce.validate import hold_out, mean_cost

GRADES = ("low", "middle", "high", "top")


def graded(n=300, seed=0):
    """Two steps and noise, cut into four grades whose names do not stand in their order."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 4)).round(2), columns=list("abcd"))
    felt = 1.5 * (X["a"] > 0) + 1.5 * (X["b"] > 0.5) + rng.normal(size=n)
    return X, np.array(GRADES)[np.digitize(felt, [0.5, 1.8, 3.0])]


def off(said, truth):
    return float(np.abs(ranks(said) - ranks(truth)).mean())


def ranks(labels):
    return np.array([GRADES.index(label) for label in labels])


@pytest.mark.parametrize("model", ["seeded", "greedy"])
def test_a_rule_for_ordered_classes_is_less_far_off(model):
    far = {ordered: [] for ordered in (None, GRADES)}
    for seed in range(3):
        (X, y), (others, truth) = graded(200, seed), graded(3000, seed + 100)
        for ordered in far:
            far[ordered].append(off(NRIClassifier(model, ordered=ordered).fit(X, y).predict(others), truth))
    assert np.mean(far[GRADES]) < np.mean(far[None])


def test_between_two_ends_the_middle_is_predicted():
    """Where low and high are as likely, the most frequent class is two off every other time."""
    answers = ["low"] * 45 + ["middle"] * 10 + ["high"] * 45 + ["low"] * 60
    rows = {"asked": ["late"] * 100 + ["early"] * 60, "answer": answers}
    table = read_table(rows, "answer")
    rule = induce_rule(table, Settings("greedy", ordered=GRADES)).rule
    assert rule.predict({"asked": ["late", "early"]}).tolist() == ["middle", "low"]
    assert "middle" not in induce_rule(table, Settings("greedy")).rule.predict({"asked": ["late"]})


def test_ordered_categories_of_pandas_need_no_option():
    X, y = graded()
    told = NRIClassifier(ordered=GRADES).fit(X, y)
    by_dtype = NRIClassifier().fit(X, pd.Series(pd.Categorical(y, GRADES, ordered=True), name="y"))
    assert str(by_dtype.rule_) == str(told.rule_)
    assert by_dtype.order_ == GRADES
    unordered = NRIClassifier().fit(X, pd.Series(pd.Categorical(y, GRADES), name="y"))
    assert unordered.order_ == ()


def test_the_order_of_two_classes_changes_nothing():
    X, y = graded()
    y = np.where(y == "top", "top", "low")
    assert str(NRIClassifier(ordered=["low", "top"]).fit(X, y).rule_) == str(NRIClassifier().fit(X, y).rule_)


def test_an_error_costs_as_many_as_it_is_classes_off():
    X, y = graded()
    table = read_table(X.assign(grade=y), "grade")
    prices = error_prices(table, Settings(ordered=GRADES, costs={"top": 5}))
    place = table.classes.index
    assert prices[place("low"), place("top")] == 3
    assert prices[place("top"), place("low")] == 15
    assert (np.diag(prices) == 0).all()
    always_middle = np.full(len(table), place("middle"))
    distance = mean_cost(table, always_middle, Settings(ordered=GRADES))
    assert distance.measure == "distance"
    assert distance.mean == pytest.approx(off(["middle"] * len(y), y))
    assert distance.always == pytest.approx(min(off([label] * len(y), y) for label in GRADES))


def test_rows_weigh_their_dearest_error_and_near_misses_are_worth_some():
    X, y = graded()
    table = read_table(X.assign(grade=y), "grade")
    weighted = cost_weighted(table, Settings(ordered=GRADES))
    said = np.full(len(table), table.classes.index("middle"))
    wrong = weighted.weights.sum() - weighted.weights @ weighted.labels.right(said)
    assert wrong == pytest.approx(np.abs(ranks(y) - 1).sum())


def test_held_out_distance_is_that_of_the_predictions():
    X, y = graded()
    table, settings = read_table(X.assign(grade=y), "grade"), Settings("greedy", ordered=GRADES)
    held = hold_out(table, settings, rng=np.random.default_rng(0))
    said = [table.classes[code] for code in held.predicted]
    assert held.cost(settings).mean == pytest.approx(off(said, y))


@pytest.mark.parametrize(
    ("ordered", "named"),
    [(["low", "middle"], "'high' once"), ("low,middle", "list the classes"), (5, "list")],
)
def test_an_order_that_says_nothing_is_refused(ordered, named):
    X, y = graded(60)
    with pytest.raises(InputError, match=named):
        NRIClassifier(ordered=ordered).fit(X, y)
