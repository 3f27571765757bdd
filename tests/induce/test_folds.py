"""Rows that belong together or come after one another: no row may judge a rule that it taught."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nri import InputError, NRIClassifier, Settings, cross_validate, diagnose, induce_rule, read_table
from nri.induce.folds import copies_of, dealt_groups, grouping_column, groups_of, make_folds, note_on_rows
from nri.induce.validate import bootstraps, hold_out

QUICK = Settings(model="greedy")


def visits(n_patients=30, n_visits=8, seed=0):
    """Visits of patients that hardly differ; whether a patient is ill has nothing to do with anything."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n_patients), n_visits)
    cells = rng.normal(size=(n_patients, 4))[who] + 0.1 * rng.normal(size=(len(who), 4))
    frame = pd.DataFrame(cells.round(2), columns=list("abcd"))
    names = np.array([f"P{one}" for one in who])
    return frame.assign(patient=names, ill=rng.integers(0, 2, n_patients)[who])


def random_rows(n=40, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 4)).round(2), columns=list("abcd"))
    return frame.assign(ill=rng.integers(0, 2, n))


@given(st.lists(st.integers(0, 9), min_size=2, max_size=40), st.integers(2, 6), st.integers(0, 99))
def test_no_group_is_in_two_folds_and_every_fold_has_rows(groups, folds, seed):
    groups = np.unique(groups, return_inverse=True)[1]
    if groups.max() == 0:
        return
    fold = dealt_groups(groups % 2, groups, folds, np.random.default_rng(seed))
    assert set(fold.tolist()) == set(range(min(folds, groups.max() + 1)))
    assert all(len(set(fold[groups == group].tolist())) == 1 for group in groups)


def test_a_rule_that_knows_the_patients_is_no_good_for_new_ones():
    """Cross-validated accuracy was 0.97 where new patients are a coin toss."""
    scores = []
    for seed in range(4):
        table = read_table(visits(seed=seed), "ill", groups="patient")
        assert "patient" not in table.names
        scores.append(cross_validate(table, QUICK, rng=np.random.default_rng(0)))
    assert np.mean([score.value for score in scores]) == pytest.approx(0.5, abs=0.15)
    assert all(score.interval.low < 0.5 < score.interval.high for score in scores)


def test_copies_of_rows_do_not_judge_the_rule_that_they_taught():
    """Random rows written four times were predicted with an accuracy of 0.89."""
    values = []
    for seed in range(4):
        table = read_table(pd.concat([random_rows(seed=seed)] * 4), "ill")
        held = hold_out(table, QUICK, rng=np.random.default_rng(0))
        assert all(len(set(held.fold[i::40].tolist())) == 1 for i in range(40))
        values.append(held.score.value)
    assert np.mean(values) == pytest.approx(0.5, abs=0.15)
    assert note_on_rows(table) == "120 of 160 rows are exact copies of others; copies are kept together"


def test_a_few_copies_among_many_rows_are_found():
    rows = random_rows(60)
    table = read_table(pd.concat([rows, rows[:3]]), "ill")
    assert len(np.unique(copies_of(table))) == 60
    assert copies_of(read_table(rows, "ill")) is None


@pytest.mark.parametrize("share", [0.5, 0.1])
@pytest.mark.parametrize("parity", [False, True])
def test_rows_of_a_few_yes_no_columns_are_alike_by_chance_and_no_copies(share, parity):
    rng = np.random.default_rng(0)
    cells = (rng.random((200, 5)) < share).astype(int)
    y = cells.sum(axis=1) % 2 if parity else rng.integers(0, 2, 200)
    table = read_table(pd.DataFrame(cells, columns=list("abcde")).assign(y=y), "y")
    assert copies_of(table) is None
    assert groups_of(table).tolist() == list(range(200))


def test_a_column_within_which_rows_are_nearly_alike_is_named_with_the_option():
    table = read_table(visits(), "ill")
    assert note_on_rows(table) == (
        "rows of one 'patient' are nearly alike; if they belong together, say so (groups='patient')"
    )
    rng = np.random.default_rng(0)
    frame = random_rows(240).assign(site=rng.choice(list("abcdefgh"), 240), age=rng.integers(20, 60, 240))
    assert note_on_rows(read_table(frame, "ill")) == ""


def test_rows_in_time_order_are_judged_by_rules_from_earlier_rows():
    """What counted last year does not count this year: only an order of time shows it."""
    rng = np.random.default_rng(0)
    x, day = rng.integers(0, 2, 120), rng.permutation(120)
    frame = pd.DataFrame({"x": x, "z": rng.normal(size=120), "day": day, "y": x ^ (day >= 100)})
    table = read_table(frame, "y", time_order="day")
    assert table.names == ("x", "z")
    folds = make_folds(table, 5, rng)
    for k in range(5):
        assert day[folds.inside(k)].max() < day[folds.fold == k].min()
    held = hold_out(table, QUICK, rng=rng)
    assert len(held.table) == 100
    assert (held.predicted != held.table.codes)[held.fold == 4].all()
    assert "earlier" in held.method


def test_groups_in_time_order_are_judged_without_their_own_earlier_rows():
    frame = pd.DataFrame({"x": range(12), "who": [*"abcd"] * 3, "day": range(12), "y": [0, 1] * 6})
    table = read_table(frame, "y", groups="who", time_order="day")
    folds = make_folds(table, 5, np.random.default_rng(0))
    for k in range(5):
        assert not set(folds.groups[folds.inside(k)]) & set(folds.groups[folds.fold == k])


@pytest.mark.parametrize("outcome", [{"target": "size"}, {"time": "size", "event": "ill"}])
def test_numbers_and_survival_keep_groups_together_too(outcome):
    frame = visits(10, 4).assign(size=lambda rows: 50 + 10 * rows.groupby("patient")["a"].transform("first"))
    table = read_table(frame, groups="patient", **outcome)
    held = hold_out(table, rng=np.random.default_rng(0))
    assert all(len(set(held.fold[table.groups.codes == k].tolist())) == 1 for k in range(10))
    assert held.score.interval.low <= held.score.value <= held.score.interval.high


def test_samples_draw_whole_groups():
    table = read_table(visits(), "ill", groups="patient")
    sample = next(bootstraps(table, len(table), np.random.default_rng(0)))
    drawn = [set(sample.weights[table.groups.codes == k].tolist()) for k in range(30)]
    assert all(len(weights) == 1 for weights in drawn)
    assert sample.weights.sum() == 240


def test_groups_can_be_an_array_and_a_missing_one_stands_alone():
    frame = visits()
    who = frame.pop("patient").to_numpy(dtype=object)
    who[:3] = None
    table = read_table(frame, "ill").arranged(groups=who)
    assert len(set(table.groups.codes[:3])) == 3
    by_array = cross_validate(read_table(frame, "ill"), QUICK, rng=np.random.default_rng(0), groups=who)
    assert by_array == cross_validate(table, QUICK, rng=np.random.default_rng(0))
    (of_ill,) = diagnose(read_table(frame, "ill"), QUICK, rng=np.random.default_rng(0), groups=who)
    assert of_ill.accuracy.value == by_array.value


def test_a_grouping_column_is_never_a_feature_of_the_classifier():
    frame = visits(10, 4)
    y = frame.pop("ill")
    model = NRIClassifier(model="greedy", positive=1, min_sensitivity=0.6).fit(frame, y, groups="patient")
    assert "patient" not in model.rule_.columns
    assert model.floors_.reached("sensitivity") + model.floors_.reached("specificity") < 1.6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": "who"}, "no column 'who'"),
        ({"groups": [1, 2]}, "groups: 2 values for 240 rows"),
        ({"groups": "ill"}, "target 'ill' groups or orders the rows as well; name another column there"),
        ({"time_order": "patient"}, "time order 'patient' has text cells; give dates or numbers"),
    ],
)
def test_groups_and_orders_that_cannot_be_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        read_table(visits(), "ill", **options)


def test_one_group_cannot_judge_itself():
    table = read_table(visits().assign(patient="P0"), "ill", groups="patient")
    with pytest.raises(InputError, match="all rows are of one group"):
        hold_out(table, QUICK, rng=np.random.default_rng(0))
    assert induce_rule(table, QUICK).rule.target == "ill"


def test_patients_are_named_before_their_ages():
    """A patient has one age: rows of one age are nearly alike, too."""
    frame = visits()
    frame.insert(0, "age", 30 + frame.groupby("patient", sort=False).ngroup() // 2)
    assert grouping_column(read_table(frame, "ill")) == "patient"


def test_a_number_that_a_few_columns_go_with_is_no_group():
    """Rows of one birthplace had one price of cigarettes and nothing else, and were to be grouped."""
    rng = np.random.default_rng(0)
    place = rng.integers(0, 30, 600)
    prices = {name: rng.normal(size=30)[place] for name in ("price", "tax")}
    frame = pd.DataFrame(rng.normal(size=(600, 8)), columns=list("abcdefgh")).assign(place=place, **prices)
    assert grouping_column(read_table(frame.assign(ill=rng.integers(0, 2, 600)), "ill")) is None
    visited = visits().assign(patient=lambda rows: rows["patient"].str[1:].astype(int))
    assert grouping_column(read_table(visited, "ill")) == "patient"
