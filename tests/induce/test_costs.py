"""Costs: what an error on a row of a class costs decides the rule, and rows stay rows."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from nri import InputError, NRIClassifier, Settings, read_table
from nri.induce.floors import GRID, Floored, Floors, meet_floors
from nri.induce.validate import hold_out, mean_cost


def clinic(n=150, seed=0, share=0.2):
    """A marker that is high more often in the sick, who are a fifth."""
    rng = np.random.default_rng(seed)
    sick = rng.random(n) < share
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
    rules = NRIClassifier(class_weight={"sick": 8}).fit(X, y).rule_
    assert rules.support.rows == len(X)
    assert sum(estimate.rows for estimate in rules.estimates) == 150


def test_balanced_is_what_equal_classes_would_give():
    X, y = clinic()
    sick = int((y == "sick").sum())
    by_hand = NRIClassifier(class_weight={"sick": len(y) / sick, "well": len(y) / (len(y) - sick)})
    balanced = NRIClassifier(class_weight="balanced")
    assert str(balanced.fit(X, y).rule_) == str(by_hand.fit(X, y).rule_)


def test_equal_costs_change_nothing():
    X, y = clinic()
    assert str(NRIClassifier(class_weight={"sick": 3, "well": 3}).fit(X, y).rule_) == str(
        NRIClassifier().fit(X, y).rule_
    )


@pytest.mark.parametrize(
    ("costs", "named"),
    [
        ({"ill": 5}, "'ill'"),
        ({"sick": 0}, "from 1e-06"),
        ({"sick": "x"}, "from 1e-06"),
        ("heavy", "'balanced'"),
        (5, "5"),
    ],
)
def test_costs_without_a_meaning_are_refused(costs, named):
    X, y = clinic(40)
    with pytest.raises(InputError, match=named):
        NRIClassifier(class_weight=costs).fit(X, y)


def labelled(n=200, seed=0, share=0.2):
    X, y = clinic(n, seed, share)
    return read_table(X.assign(state=y), "state").about(0)


def test_mean_cost_is_what_errors_cost_on_held_out_rows():
    table = labelled()
    held = hold_out(table, Settings("greedy", costs={"sick": 5}), rng=np.random.default_rng(0))
    cost = held.cost(Settings(costs={"sick": 5}))
    sick = table.codes == 0
    by_hand = np.where(sick, 5.0, 1.0) * (held.predicted != table.codes)
    assert cost.mean == pytest.approx(by_hand.mean())
    assert cost.error == pytest.approx(by_hand.std() / np.sqrt(len(table)))
    assert cost.always == pytest.approx(min(5 * sick.mean(), 1 - sick.mean()))
    assert held.cost(Settings()) is None


def test_costs_of_weighted_rows_are_those_of_rows_repeated():
    table = labelled()
    times = np.random.default_rng(1).integers(1, 4, len(table))
    said = np.random.default_rng(2).integers(0, 2, len(table))
    costs = Settings(costs={"sick": 3})
    weighted = mean_cost(table.reweighted(times.astype(float)), said, costs)
    repeated = mean_cost(table.take(np.repeat(np.arange(len(table)), times)), np.repeat(said, times), costs)
    assert (weighted.mean, weighted.always) == pytest.approx((repeated.mean, repeated.always))


def test_a_rule_is_judged_by_what_it_costs_not_by_its_accuracy():
    """Where a missed case costs five false alarms a good rule errs often: ALWAYS well was recommended."""
    table = labelled()
    held = hold_out(table, Settings("greedy", costs={"sick": 5}), rng=np.random.default_rng(0))
    assert held.score.value < 0.8
    assert held.cost(Settings(costs={"sick": 5})).warning == ""
    always_well = mean_cost(table, np.ones(len(table), dtype=int), Settings(costs={"sick": 5}))
    assert "has no less cost than always" in always_well.warning


@pytest.mark.parametrize(("asked", "other"), [("sensitivity", "specificity"), ("specificity", "sensitivity")])
def test_a_floor_is_met_on_held_out_rows_at_a_price_in_the_other_figure(asked, other):
    table, settings = labelled(300, share=0.5), Settings("greedy")
    (plain,) = hold_out(table, settings, rng=np.random.default_rng(0)).diagnostics()
    more = 0.5 * getattr(plain, asked).value + 0.5
    found, held = meet_floors(table, settings, Floors(**{asked: more}), rng=np.random.default_rng(0))
    (counted,) = held.diagnostics()
    assert counted == found.diagnostics
    assert found.met
    assert found.tilt > 1 if asked == "sensitivity" else found.tilt < 1
    assert getattr(counted, asked).value >= more > getattr(found.plain, asked).value
    assert getattr(counted, other).value < getattr(found.plain, other).value
    assert "is met" in str(found)
    assert f"the price is a {other}" in str(found)


def test_of_the_weights_that_keep_a_floor_the_one_that_costs_least_elsewhere_is_taken():
    """The first of a coarse grid was taken: 0.90 for a floor of 0.80, and a specificity of 0.55, not 0.73."""
    table, floors, rng = labelled(300), Floors(sensitivity=0.75), np.random.default_rng
    found, _ = meet_floors(table, Settings("greedy"), floors, rng=rng(0))
    assert found.met
    for factor in GRID:
        (other,) = hold_out(table, Settings("greedy", tilt=factor), rng=rng(0)).diagnostics()
        if other.sensitivity.value >= floors.sensitivity:
            assert found.diagnostics.specificity.value >= other.specificity.value


def test_a_floor_that_leaves_a_rule_of_no_use_says_so():
    floors = Floors(specificity=0.99)
    (plain,) = hold_out(labelled(), Settings("greedy"), rng=np.random.default_rng(0)).diagnostics()
    nobody = replace(plain, sensitivity=replace(plain.sensitivity, value=0.0))
    told = str(Floored(floors, 0.1, nobody, plain))
    assert told.startswith("the floor of 0.99 for specificity is")
    assert told.endswith("such a rule finds no row of the class")


def test_a_floor_is_looked_for_on_the_folds_of_a_cross_validation():
    """The same table and seed had three cross-validations: by --cv, in the report and for floors."""
    table = labelled(300)
    found, _ = meet_floors(table, Settings("greedy"), Floors(sensitivity=0.8), rng=np.random.default_rng(4))
    (plain,) = hold_out(table, Settings("greedy"), rng=np.random.default_rng(4)).diagnostics()
    assert found.plain == plain


def test_a_floor_that_cannot_be_met_is_said_not_to_be():
    both = Floors(sensitivity=0.95, specificity=0.95)
    found, _ = meet_floors(labelled(), Settings("greedy"), both, rng=np.random.default_rng(0))
    assert not found.met
    assert "is NOT met" in str(found)


def test_an_estimator_keeps_a_floor_and_counts_real_rows():
    X, y = clinic(300)
    clf = NRIClassifier("greedy", min_sensitivity=0.8, positive="sick").fit(X, y)
    assert clf.floors_.met
    assert clf.floors_.diagnostics.sensitivity.value >= 0.8
    assert clf.rule_.support.rows == len(X)
    assert pickle.loads(pickle.dumps(clf)).floors_ == clf.floors_
    assert NRIClassifier("greedy", positive="sick").fit(X, y).floors_ is None
    with pytest.raises(InputError, match="one of two classes: name it"):
        NRIClassifier("greedy", min_sensitivity=0.8).fit(X, y)
    with pytest.raises(InputError, match="min_specificity is 2"):
        NRIClassifier("greedy", min_specificity=2, positive="sick").fit(X, y)


def test_a_rule_that_pays_by_costs_is_kept_though_each_branch_is_likelier_wrong():
    """With --cost yes=4 a table was always predicted ``no``, which cost twice as much as always ``yes``."""
    X, y = clinic(n=300, share=0.15)
    rule = NRIClassifier(class_weight={"sick": 6}, positive="sick").fit(X, y).rule_
    assert rule.branches
    assert all(branch.estimate.expected[0] < 0.5 for branch in rule.branches)
    paid = np.where(y == "sick", 6, 1) @ (rule.predict(X) != y)
    assert paid < min(6 * (y == "sick").sum(), (y == "well").sum())


def test_what_a_costly_class_promises_is_its_share():
    """Where errors had costs, 285 of 2380 rows were said to be about 0.50 on new ones."""
    X, y = clinic(n=300, share=0.15)
    rule = NRIClassifier(class_weight={"sick": 100}).fit(X, y).rule_
    for one in rule.estimates:
        share = one.counts[rule.classes.index(one.value)] / one.rows
        assert one.expected[rule.classes.index(one.value)] < share + 0.15
