"""Costs: what an error on a row of a class costs decides the rule, and rows stay rows."""

import numpy as np
import pandas as pd
import pytest

from nri import InputError, NRIClassifier


def clinic(n=150, seed=0):
    """A marker that is high more often in the sick, who are a fifth."""
    rng = np.random.default_rng(seed)
    sick = rng.random(n) < 0.2
    marker = np.round(rng.normal(np.where(sick, 1.2, 0.0), 1.0), 2)
    noise = np.round(rng.normal(size=n), 2)
    return pd.DataFrame({"marker": marker, "noise": noise}), np.where(sick, "sick", "well")


@pytest.mark.parametrize("model", ["greedy", "seeded"])
def test_a_dear_class_is_missed_less_often(model):
    X, y = clinic()
    plain, careful = (
        NRIClassifier(model, class_weight=costs).fit(X, y).predict(X) for costs in (None, {"sick": 8})
    )
    sick = y == "sick"
    assert (careful[sick] == "sick").mean() > (plain[sick] == "sick").mean()
    cost = [8 * (said[sick] != "sick").sum() + (said[~sick] == "sick").sum() for said in (plain, careful)]
    assert cost[1] < cost[0]


def test_counts_stay_those_of_real_rows():
    X, y = clinic()
    rules = NRIClassifier(class_weight={"sick": 8}).fit(X, y).rules_
    assert rules.support.total == len(X)
    assert "of 150" in str(rules)


def test_balanced_is_what_equal_classes_would_give():
    X, y = clinic()
    sick = int((y == "sick").sum())
    by_hand = NRIClassifier(class_weight={"sick": len(y) / sick, "well": len(y) / (len(y) - sick)})
    balanced = NRIClassifier(class_weight="balanced")
    assert str(balanced.fit(X, y).rules_) == str(by_hand.fit(X, y).rules_)


def test_equal_costs_change_nothing():
    X, y = clinic()
    assert str(NRIClassifier(class_weight={"sick": 3, "well": 3}).fit(X, y).rules_) == str(
        NRIClassifier().fit(X, y).rules_
    )


@pytest.mark.parametrize(
    ("costs", "named"),
    [
        ({"ill": 5}, "'ill'"),
        ({"sick": 0}, "above 0"),
        ({"sick": "x"}, "above 0"),
        ("heavy", "'balanced'"),
        (5, "5"),
    ],
)
def test_costs_without_a_meaning_are_refused(costs, named):
    X, y = clinic(40)
    with pytest.raises(InputError, match=named):
        NRIClassifier(class_weight=costs).fit(X, y)
