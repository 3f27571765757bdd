"""``nri alternatives``: rules to choose from, and the one that is picked."""

import json
from pathlib import Path

import pytest

VISITS = Path(__file__).parents[2] / "docs" / "examples" / "visits.csv"
ASKED = ("alternatives", VISITS, "--target", "flu", "--within", 0.03)


def test_rules_are_listed_by_number_with_what_sets_them_apart(nri):
    done = nri(*ASKED, "-q")
    assert done.code == 0
    assert done.out.startswith("1.  the best rule, accuracy 0.")
    assert "\n2.  without `body_aches`, 0.7 points less (-" in done.out
    assert "\n    IF  (cough = yes AND fever = yes)" in done.out
    headings = [line for line in done.out.splitlines() if line.startswith(("column ", "lines "))]
    assert len(headings) == 2
    assert done.out.endswith("within a point and its error has 2 lines\n")


def test_json_holds_the_same_record(nri):
    shelf = json.loads(nri(*ASKED, "-q", "--format", "json").out)
    assert shelf["measure"] == "accuracy"
    assert shelf["best"]["rule"]["format"] == "nri-rule"
    assert shelf["others"][0]["words"] == "without `body_aches`, 0.7 points less"
    assert set(shelf["others"][0]["interval"]) == {"low", "high"}
    assert {one["column"] for one in shelf["columns"]} == set(shelf["best"]["columns"])
    assert shelf["frontier"][0]["lines"] == 1


def test_the_rule_that_is_picked_is_written_and_predicts(nri, tmp_path):
    picked = tmp_path / "rule.json"
    done = nri(*ASKED, "--pick", 2, "--out", picked)
    assert done.code == 0
    assert "rule 2 of " in done.out
    written = nri("predict", picked, VISITS, "-q")
    assert written.code == 0
    assert "body_aches" not in nri("export", picked, "-f", "sql").out


def test_limits_of_induce_narrow_the_list(nri, tmp_path):
    config = tmp_path / "settings.toml"
    config.write_text('require = ["fever"]\n')
    limits = ("--without", "ward", "--max-branches", 1, "--config", config, "--format", "json", "-q")
    shelf = json.loads(nri(*ASKED, *limits).out)
    for one in (shelf["best"], *shelf["others"]):
        assert one["lines"] == 1
        assert "fever" in one["columns"]
        assert "ward" not in one["columns"]


def test_costs_are_judged_by_cost(nri):
    done = nri(*ASKED, "--cost", "yes=5", "-q")
    assert "the best rule, cost " in done.out


def test_numbers_and_survival_are_listed_too(nri, tmp_path):
    table = tmp_path / "followed.csv"
    lines = ["age,days,dead,rent"]
    lines += [
        f"{30 + i % 50},{100 - i % 50},{'yes' if i % 3 else 'no'},{400 + 5 * (i % 50)}" for i in range(150)
    ]
    table.write_text("\n".join(lines))
    number = nri("alternatives", table, "--target", "rent", "--without", "days,dead", "-q")
    assert "the best rule, R² " in number.out
    survival = nri("alternatives", table, "--time", "days", "--event", "dead", "--without", "rent", "-q")
    assert "the best rule, concordance " in survival.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pick", 99], "--pick 99: there are"),
        (["--out", "rule.json"], "--out is for the rule that you pick; add --pick N"),
        (["--format", "sql"], "--format sql is for the rule that you pick"),
        (["--min-sensitivity", 0.9], "floors for sensitivity and specificity are about one of two classes"),
        (["--points"], "a card of points is chosen as a whole"),
        (["--model", "paper"], "model 'paper' has no other rules"),
    ],
)
def test_mistakes_end_in_one_line(nri, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = nri(*ASKED, "-q", *options)
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert message in line


def test_floors_are_met_by_the_best_rule_and_said(nri):
    done = nri(*ASKED, "--positive", "yes", "--min-sensitivity", 0.85)
    assert done.code == 0
    assert "the floor of 0.85 for sensitivity is met" in done.err
    assert done.out.startswith("1.  the rule chosen to meet the floor, accuracy 0.")
