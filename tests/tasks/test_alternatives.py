import dataclasses
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from effort import usually
from example_tables import random_table
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

from nri import Alternatives, NRIClassifier, NRIRegressor, NRISurvival, Settings, alternatives, read_table
from nri.errors import InputError
from nri.induce.floors import Floors
from nri.induce.induce import induce_rule
from nri.outcome import Classes
from nri.seeded.model import SeededModel
from nri.table import table_of

VISITS = Path(__file__).parents[2] / "docs" / "examples" / "visits.csv"


def frame_of(n: int = 300, seed: int = 0) -> pd.DataFrame:
    """A label that `a` or its noisy twin `b` tells with `c`, three ways of saying the same, and chance."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.integers(0, 2, n), "c": rng.integers(0, 2, n)})
    frame["b"] = frame.a ^ (rng.random(n) < 0.02)
    frame["d"] = rng.normal(size=n).round(2)
    noise = rng.random(n) < 0.08
    frame["y"] = np.where((frame.a & frame.c).astype(bool) ^ noise, "yes", "no")
    return frame


@cache
def twins() -> Alternatives:
    return alternatives(read_table(frame_of(), "y"), within=0.05)


@cache
def visits() -> Alternatives:
    return alternatives(read_table(VISITS, "flu"), within=0.05)


def number_frame(n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"rooms": rng.integers(1, 6, n), "floor": rng.integers(0, 9, n)})
    frame["area"] = 20 * frame.rooms + rng.normal(0, 3, n).round(1)
    frame["rent"] = 200.0 * (frame.rooms > 2) + 50 * (frame.floor > 4) + rng.normal(500, 20, n).round()
    return frame


def survival_frame(n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.integers(30, 90, n), "stage": rng.integers(1, 5, n)})
    hazard = 0.01 * np.exp(0.04 * (frame.age - 60) + 0.9 * (frame.stage > 2))
    days = np.ceil(rng.exponential(1 / hazard))
    followed = rng.integers(50, 300, n)
    frame["dead"] = np.where(days <= followed, "yes", "no")
    frame["days"] = np.minimum(days, followed)
    return frame


def measured_shelves() -> dict[str, Alternatives]:
    return {
        "number": alternatives(read_table(number_frame(), "rent"), within=0.5),
        "survival": alternatives(read_table(survival_frame(), time="days", event="dead"), within=0.5),
    }


def test_scores_are_not_called_expected_where_labels_alone_judge():
    """Accuracy on the rows that chose the rule once stood there as accuracy to expect."""
    assert twins().basis == "to expect"
    greedy = alternatives(read_table(frame_of(), "y"), Settings(model="greedy"))
    assert greedy.basis == "on these rows"


def test_the_best_rule_is_the_one_that_is_induced():
    assert visits().best.rule == induce_rule(read_table(VISITS, "flu")).rule
    assert visits().best.words == "the best rule"
    assert visits().rules[0] is visits().best


def noisy_rule(seed: int = 0, n: int = 120) -> pd.DataFrame:
    """Labels that follow a rule but for one in twenty, among columns of chance."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 2, (n, 6)), columns=[f"x{i}" for i in range(6)])
    for i in range(6):
        frame[f"z{i}"] = rng.normal(size=n).round(2)
    rule = ((frame.x0 == 1) & (frame.z0 > 0)) | ((frame.x1 == 1) & (frame.z1 > 0.3))
    return frame.assign(y=np.where(rule ^ (rng.random(n) < 0.05), "yes", "no"))


def cancer_frame() -> pd.DataFrame:
    table = load_breast_cancer(as_frame=True)
    return table.data.assign(y=np.where(table.target == 1, "benign", "malignant"))


@pytest.mark.parametrize("model", ["seeded", "greedy"])
@pytest.mark.parametrize("make", [noisy_rule, cancer_frame, frame_of, lambda: frame_of(60, 3)])
def test_the_best_rule_is_induced_whatever_decides(make, model):
    table, limits = read_table(make(), "y"), Settings(model=model)
    assert alternatives(table, limits).best.rule == induce_rule(table, limits).rule


def test_the_best_rule_is_the_likeliest_where_that_is_not_the_cheapest(monkeypatch):
    cheapest, likeliest, usual = [], [], SeededModel._probable_rule

    def noted(self, by_labels, *given):
        cheapest.append(by_labels.branches)
        likeliest.append(usual(self, by_labels, *given))
        return likeliest[-1]

    monkeypatch.setattr(SeededModel, "_probable_rule", noted)
    table = read_table(noisy_rule(seed=7), "y")
    shelf = alternatives(table, within=0.05)
    assert shelf.best.rule == induce_rule(table).rule
    assert likeliest[0].branches != cheapest[0]
    assert shelf.others


def test_alternatives_are_within_the_difference_and_short_ones_come_first():
    shelf = visits()
    assert shelf.others
    assert all(one.difference >= -0.05 for one in shelf.others)
    sizes = [(one.lines, one.literals) for one in shelf.others]
    assert sizes == sorted(sizes)


def test_no_two_decide_the_same_rows_by_the_same_columns():
    table = read_table(VISITS, "flu")
    keys = [
        (frozenset(one.columns), one.rule.predict_index(table.columns, len(table)).tobytes())
        for one in visits().rules
    ]
    assert len(set(keys)) == len(keys)


def test_sizes_and_columns_are_those_of_the_rule():
    for one in visits().rules:
        assert (one.lines, one.columns) == (len(one.rule.branches), one.rule.columns)
        assert one.literals == sum(map(len, one.rule.clauses))
        assert one.interval.low <= one.difference <= one.interval.high
        assert one.difference == pytest.approx(one.score - visits().best.score, abs=1e-8)


def test_every_column_of_the_best_rule_has_the_best_rule_without_it():
    shelf = visits()
    assert {one.column for one in shelf.columns} == set(shelf.best.columns)
    assert all(one.column not in one.without.columns for one in shelf.columns)
    prices = [one.without.difference for one in shelf.columns]
    assert prices == sorted(prices)


def test_a_twin_stands_in_for_a_column():
    shelf = twins()
    assert set(shelf.best.columns) == {"a", "c"}
    (of_a,) = [one for one in shelf.columns if one.column == "a"]
    assert of_a.without.columns == ("b", "c")
    assert of_a.stand_ins == ("b",)
    assert of_a.without.words.startswith("`b` in the place of `a`, ")
    assert shelf.groups == (("a", "b"),)
    assert "b" in {name for one in shelf.others for name in one.columns}


def test_an_exact_copy_stands_in_for_a_column():
    frame = frame_of()
    frame["b"] = frame.a
    shelf = alternatives(read_table(frame, "y"))
    assert shelf.groups == (("a", "b"),)
    assert shelf.others[0].words.endswith("the same on every row")


def test_the_frontier_has_one_rule_for_each_number_of_lines():
    lines = [one.lines for one in visits().frontier]
    assert lines == sorted(set(lines))
    assert visits().best in visits().frontier
    assert lines[0] == 1
    assert visits().shortest in visits().frontier


def test_words_say_what_is_different():
    words = [one.words for one in visits().frontier if one.lines == 1]
    assert words[0].startswith("without `age`, `body_aches`, one line instead of two, ")
    assert words[0].endswith(" points less")


def test_errors_that_cost_are_judged_by_their_cost():
    shelf = alternatives(read_table(VISITS, "flu"), Settings(costs={"yes": 5}), within=0.2)
    assert shelf.measure == "cost"
    assert all(one.difference <= 0.2 for one in shelf.others)
    assert any("a row dearer" in one.without.words for one in shelf.columns)


def test_limits_narrow_the_shelf():
    limits = Settings(never=["ward"], max_branches=1)
    shelf = alternatives(read_table(VISITS, "flu"), limits, within=0.2)
    assert all("ward" not in one.columns and one.lines == 1 for one in shelf.rules)
    required = alternatives(read_table(VISITS, "flu"), Settings(require=["fever"]), within=0.2)
    assert all("fever" in one.columns for one in required.rules)
    assert "fever" not in {one.column for one in required.columns}


def test_labels_judge_where_there_is_no_posterior():
    shelf = alternatives(read_table(frame_of(), "y"), Settings(model="greedy"), within=0.05)
    assert shelf.others
    assert shelf.best.score == pytest.approx(0.92, abs=0.05)


def test_several_classes_have_alternatives():
    frame = frame_of()
    frame["y"] = np.where(frame.d > 0.8, "high", frame.y)
    shelf = alternatives(read_table(frame, "y"), within=0.05)
    assert shelf.others
    assert shelf.frontier[0].lines == 1
    assert all(one.column not in one.without.columns for one in shelf.columns)


def test_numbers_and_survival_have_the_same_record():
    shelves = measured_shelves()
    assert (shelves["number"].measure, shelves["survival"].measure) == ("R²", "concordance")
    for shelf in shelves.values():
        assert shelf.others
        assert {one.column for one in shelf.columns} == set(shelf.best.columns)
        assert [one.lines for one in shelf.frontier] == list(range(1, shelf.best.lines + 1))


def test_a_number_has_stand_ins():
    shelf = alternatives(read_table(number_frame(), "rent"), within=0.1)
    stand_ins = {one.column: one.stand_ins for one in shelf.columns}
    assert stand_ins.get("rooms", stand_ins.get("area")) in (("area",), ("rooms",))


def test_estimators_have_the_same_shelf():
    frame = frame_of()
    X, y = frame.drop(columns="y"), frame.y
    assert NRIClassifier().alternatives(X, y, within=0.05) == twins()
    numbers, survival = number_frame(), survival_frame()
    regressor = NRIRegressor().alternatives(numbers.drop(columns="rent"), numbers.rent)
    assert regressor.measure == "R²"
    assert NRISurvival().alternatives(survival, time="days", event="dead").measure == "concordance"


def said(shelf: Alternatives) -> list[object]:
    """Everything but the order in which equal columns are named."""
    every = [*shelf.rules, *(one.without for one in shelf.columns), *shelf.frontier]
    return [(one.rule, one.score, one.difference, one.interval, one.words) for one in every]


few = settings(max_examples=usually(2, 6), deadline=None)


@few
@given(st.integers(0, 2**16))
def test_the_order_of_rows_and_columns_is_irrelevant(seed):
    frame, labels = random_table(seed, 80)
    names = [f"c{i}" for i in range(frame.shape[1])]
    frame = frame.set_axis(names, axis="columns").assign(y=labels)
    rng = np.random.default_rng(seed)
    other = frame.iloc[rng.permutation(len(frame))][[*rng.permutation(names), "y"]]
    first, second = (
        alternatives(read_table(one.reset_index(drop=True), "y"), within=0.1) for one in (frame, other)
    )
    assert said(first) == said(second)


def test_a_long_table_is_judged_by_a_sample():
    frame = pd.concat([frame_of(5000, seed) for seed in range(2)], ignore_index=True)
    shelf = alternatives(read_table(frame, "y"), within=0.05)
    assert set(shelf.best.columns) == {"a", "c"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"within": -0.1}, "within is -0.1; give a difference of scores, 0 or more"),
        ({"within": "much"}, "within is 'much'; give a difference of scores"),
        ({"most": 0}, "most is 0: use 1 or more"),
        ({"settings": Settings(model="paper")}, "model 'paper' has no other rules"),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(InputError, match=message):
        alternatives(read_table(VISITS, "flu"), **options)


def test_a_constant_has_no_alternatives():
    table = table_of({"x": [1, 2, 3]}).with_outcome(Classes("y", ("a",), np.zeros(3, dtype=np.int64)))
    with pytest.raises(InputError, match="'y' is the same in all rows"):
        alternatives(table)


def test_the_record_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        visits().within = 1.0


def test_rows_that_belong_together_make_intervals_wider():
    frame = pd.concat([frame_of(60)] * 5, ignore_index=True)
    frame["patient"] = np.tile(np.arange(60), 5)
    alone = alternatives(read_table(frame.drop(columns="patient"), "y"), within=0.2)
    together = alternatives(read_table(frame, "y").arranged("patient"), within=0.2)
    reach = [{one.words: one.interval.high - one.difference for one in s.others} for s in (alone, together)]
    shared = [words for words in reach[0] if words in reach[1] and "every row" not in words]
    assert shared
    assert all(reach[1][words] > 1.5 * reach[0][words] for words in shared)


def test_a_rule_that_is_clearly_worse_is_not_recommended_for_its_few_rows():
    """Of sixty rows, a rule of one line was recommended that has eight points less."""
    shelf = visits()
    one, two = shelf.frontier[:2]
    assert one.difference < -0.05
    assert one.interval.low <= 0 <= one.interval.high
    assert shelf.shortest is two


def test_rules_on_the_shelf_keep_a_floor_as_far_as_the_best_one_does():
    table = read_table(noisy_rule(seed=3, n=200), "y", positive="yes")
    free = alternatives(table, within=0.1)
    floored = alternatives(table, within=0.1, floors=Floors(sensitivity=0.95))
    assert floored.floored is not None
    assert floored.floored.tilt > 1
    assert (free.measure, floored.measure) == ("accuracy", "accuracy")

    def found(one) -> float:
        ill = table.codes == 1
        return float((one.rule.predict_index(table.columns, len(table)) == 1)[ill].mean())

    assert found(floored.best) > found(free.best)
    assert min(found(one) for one in floored.others) > min(found(one) for one in free.others)


def test_the_classifier_hands_its_floors_to_the_shelf():
    frame = noisy_rule(seed=3, n=200)
    clf = NRIClassifier("greedy", positive="yes", min_sensitivity=0.95)
    shelf = clf.alternatives(frame.drop(columns="y"), frame.y)
    assert shelf.floored.floors == Floors(sensitivity=0.95)


def test_the_shelf_of_a_long_table_says_that_it_is_about_a_sample():
    long = alternatives(read_table(frame_of(9000), "y"), Settings(model="greedy", max_branches=1))
    assert long.sampled is not None
    assert long.sampled <= 8192
    assert twins().sampled is None


def test_a_longer_rule_that_reads_more_and_is_no_better_is_not_listed():
    """The shelf of the irises named a rule of five lines that decides as the best one of three does."""
    iris = load_iris(as_frame=True)
    frame = iris.data.assign(species=iris.target_names[iris.target])
    shelf = alternatives(read_table(frame, "species"))
    assert shelf.others
    for one in shelf.others:
        assert (
            one.lines <= shelf.best.lines
            or not set(one.columns) >= set(shelf.best.columns)
            or one.difference > 0
        )
