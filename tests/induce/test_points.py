import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nri import NRIClassifier, Settings, alternatives, induce_rule, read_rule, read_table
from nri.errors import InputError
from nri.rule import Literal, Op
from nri.rule.literal import is_card

POINTS = Settings(counts="points")


def patients(n: int = 300, seed: int = 0, gaps: float = 0.05) -> pd.DataFrame:
    """Four signs that add up, among two that say nothing; some cells are missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(18, 95, n).astype(float), "urea": rng.normal(7, 3, n).round(1)})
    frame["confused"] = rng.choice(["yes", "no"], n, p=[0.3, 0.7])
    frame["low"] = rng.random(n) < 0.3
    frame["ward"] = rng.choice(["north", "west", "east"], n)
    frame["height"] = rng.normal(170, 9, n).round()
    logit = -3 + (frame.age > 50) + (frame.age > 70) + 1.5 * (frame.urea > 8) + 1.5 * frame.low
    logit += 1.5 * (frame.confused == "yes")
    frame["died"] = np.where(rng.random(n) < 1 / (1 + np.exp(-logit)), "yes", "no")
    for name in ("age", "urea", "confused"):
        frame.loc[rng.random(n) < gaps, name] = None
    return frame


@pytest.fixture(scope="module")
def card():
    return induce_rule(read_table(patients(), "died", positive="yes"), POINTS).rule


def executed(rule, frame: pd.DataFrame) -> dict[str, list[str]]:
    """What each export predicts, run by the program that it is for."""
    space: dict[str, object] = {}
    exec(rule.render("python"), space)
    cells = frame.astype(object).where(frame.notna(), None).to_dict("records")
    rows = frame.drop(columns="died")
    with closing(sqlite3.connect(":memory:")) as connection:
        rows.to_sql("patients", connection, index=False)
        sqlite = connection.execute(rule.to_sql("sqlite", table="patients")).fetchall()
    with duckdb.connect() as connection:
        connection.register("patients", rows)
        duck = connection.execute(rule.to_sql("duckdb", table="patients")).fetchall()
    return {
        "python": [space["predict"](row) for row in cells],
        "sqlite": [row[-1] for row in sqlite],
        "duckdb": [row[-1] for row in duck],
    }


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 1000))
def test_exports_of_a_card_predict_what_the_card_predicts(seed):
    frame, asked = patients(120, seed), patients(200, seed + 1, gaps=0.2)
    rule = induce_rule(read_table(frame, "died"), POINTS).rule
    predicted = rule.predict(asked).tolist()
    for name, values in executed(rule, asked).items():
        assert values == predicted, name


def test_a_card_counts_the_same_conditions_and_its_shares_rise_with_each_total(card):
    assert is_card(card.clauses)
    frame = patients(2000, 5)
    holds = sum(truth(one, frame) for one in card.clauses[0])
    share = pd.Series(card.predict_proba(frame)[:, 1]).groupby(holds).agg(["min", "max"])
    assert (share["min"] == share["max"]).all()  # the total says it all
    assert share["min"].is_monotonic_increasing
    assert share["min"].iloc[-1] > share["min"].iloc[0] + 0.3


def truth(literal: Literal, frame: pd.DataFrame) -> np.ndarray:
    cells = frame[literal.column]
    compared = {
        Op.GT: lambda: cells > literal.value,
        Op.LE: lambda: cells <= literal.value,
        Op.EQ: lambda: cells == literal.value,
        Op.NE: lambda: cells != literal.value,
    }[literal.op]()
    return (compared & cells.notna()).to_numpy(dtype=float)


def test_a_card_names_the_signs_that_add_up_and_ranks_better_than_the_rule(card):
    assert set(card.columns) <= {"age", "urea", "confused", "low"}
    assert len(card.columns) >= 3
    asked = patients(4000, 9)
    plain = induce_rule(read_table(patients(), "died", positive="yes")).rule
    happened = (asked.died == "yes").to_numpy()

    def log_loss(rule) -> float:
        chance = rule.predict_proba(asked)[:, 1]
        return float(-np.log(np.where(happened, chance, 1 - chance)).mean())

    assert log_loss(card) < log_loss(plain) - 0.02


def test_a_card_reads_as_one_and_comes_back_from_json(card, tmp_path):
    text = card.render("text")
    assert text.startswith("A POINT FOR EACH OF\n")
    assert text == card.render("points")
    assert "points " in text
    assert "rows are yes, about" in text
    assert "THEN died = yes from " in text
    (tmp_path / "card.json").write_text(card.render("json"))
    again = read_rule(tmp_path / "card.json")
    assert again.render("text") == text
    assert (again.predict(patients(50, 3)) == card.predict(patients(50, 3))).all()


def test_every_row_of_the_table_is_in_one_line_of_the_card(card):
    assert sum(one.rows for one in card.estimates) == 300
    assert sum(one.counts[1] for one in card.estimates) == (patients().died == "yes").sum()


def test_an_explanation_names_the_total_and_what_the_next_one_lacks(card):
    told = card.explain(patients(80, 4))
    assert all(len(one.fired) <= 1 and len(one.nearest) <= 1 for one in told)
    between = next(one for one in told if one.fired and one.nearest)
    assert between.nearest[0].branch is card.branches[card.branches.index(between.fired[0]) - 1]


def test_members_of_a_column_point_the_same_way():
    table = read_table(patients(600, 2), "died")
    rule = induce_rule(table, Settings(counts="points", max_literals=12)).rule
    for name in rule.columns:
        ops = {one.op for one in rule.clauses[0] if one.column == name}
        assert not {Op.GT, Op.LE} <= ops


def test_limits_of_a_card_hold():
    table = read_table(patients(), "died", positive="yes")
    small = induce_rule(table, Settings(counts="points", max_literals=3, max_branches=2, never=["age"])).rule
    assert len(small.clauses[0]) <= 3
    assert len(small.branches) <= 2
    assert "age" not in small.columns


@pytest.mark.parametrize("model", ["seeded", "greedy"])
def test_a_card_does_not_depend_on_the_order_of_rows(model):
    limits = Settings(counts="points", model=model)
    frame = patients(150, 6)
    rules = [
        induce_rule(read_table(one, "died"), limits).rule
        for one in (frame, frame.sample(frac=1, random_state=1))
    ]
    assert rules[0].render("text") == rules[1].render("text")


def test_costs_move_the_total_from_which_a_class_is_predicted():
    table = read_table(patients(), "died", positive="yes")

    def least(costs):
        rule = induce_rule(table, Settings(counts="points", costs=costs)).rule
        return rule.predict(patients(1000, 8)).tolist().count("yes")

    assert least({"yes": 6.0}) > least(None)


def test_the_card_of_a_sample_is_counted_on_all_rows():
    frame = patients(9000, 7)
    rule = induce_rule(
        read_table(frame, "died", positive="yes"), Settings(counts="points", model="greedy")
    ).rule
    assert is_card(rule.clauses)
    assert rule.support.rows == 9000


@pytest.mark.parametrize(
    ("wish", "named"),
    [({"require": ["age"]}, "require"), ({"min_precision": 0.5}, "min_precision")],
)
def test_wishes_about_single_clauses_are_refused_for_a_card(wish, named):
    with pytest.raises(InputError, match=f"^{named} is about single clauses, and a card of points has none"):
        Settings(counts="points", **wish)


@pytest.mark.parametrize("target", ["ward", "height"])
def test_a_card_is_for_two_classes(target):
    with pytest.raises(InputError, match=r"^points are for two classes"):
        induce_rule(read_table(patients(), target), POINTS)


def test_a_card_has_no_shelf():
    with pytest.raises(InputError, match=r"^a card of points is chosen as a whole"):
        alternatives(read_table(patients(60), "died"), POINTS)


def test_the_classifier_makes_a_card():
    frame = patients()
    clf = NRIClassifier(counts="points", positive="yes").fit(frame.drop(columns="died"), frame.died)
    assert is_card(clf.rule_.clauses)


def test_a_card_of_many_rows_stays_a_card():
    """From 700 rows on the rule of points was pruned into clauses that were no card."""
    frame = patients(1500).fillna({"age": 50, "urea": 7, "confused": "no"})
    rule = induce_rule(read_table(frame, "died", positive="yes"), Settings("greedy", counts="points")).rule
    assert is_card(rule.clauses)
