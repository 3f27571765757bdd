import json

import pytest
from hypothesis import given
from rule_strategies import cases, columns_of

from nri.api import read_rule, write_rule
from nri.errors import InputError
from nri.rule import (
    Branch,
    ClassTarget,
    Clause,
    ColumnPlan,
    Kind,
    Literal,
    Mean,
    NumberTarget,
    Op,
    Risk,
    Rule,
    Shares,
    SurvivalTarget,
    from_json,
)
from nri.rule.render.as_json import VERSION, to_dict

OLD = Clause([Literal("age", Op.GT, 61)])
RULE = Rule(
    ClassTarget("flu", ("no", "yes")),
    [Branch(OLD, Shares("yes", [1, 9], [2 / 12, 10 / 12]))],
    Shares("no", [8, 2], [9 / 12, 3 / 12]),
    Shares("yes", [9, 11], [0.45, 0.55]),
)
MEAN = Mean(31.5, 20, 31.0, 28.0, 34.0, (20.0, 25.0, 30.0, 37.0, 42.0))
RISK = Risk(1.5, 20, 9, (1.0, 0.6), (0.9, 0.4), (1.0, 0.8), (20, 8), 118.0, 106.0, None)
NUMBER = Rule(NumberTarget("bill", decimals=1), [Branch(OLD, MEAN)], MEAN, MEAN, 0.4)
SURVIVAL = Rule(SurvivalTarget("died", "days", (0.0, 100.0)), [Branch(OLD, RISK)], RISK, RISK, 0.01)


@given(cases())
def test_reading_gives_back_exactly_what_was_written(case):
    schema, rule, table = case
    again = from_json(rule.render("json"))
    assert again == rule
    assert again.clauses == rule.clauses
    assert [type(label) for label in again.classes] == [type(label) for label in rule.classes]
    assert again.render("json") == rule.render("json")
    columns = columns_of(schema, table)
    assert (again.predict_proba(columns) == rule.predict_proba(columns)).all()


@pytest.mark.parametrize("rule", [RULE, NUMBER, SURVIVAL], ids=lambda rule: rule.predicts.kind)
def test_every_outcome_has_the_one_layout_and_is_read_back(rule):
    data = to_dict(rule)
    assert (data["format"], data["version"]) == ("nri-rule", 4)
    assert set(data) - {"fit"} == {
        "format",
        "version",
        "predicts",
        "branches",
        "otherwise",
        "support",
        "columns",
    }
    assert set(data["branches"][0]) == {"literals", "estimate"}
    assert from_json(json.dumps(data)) == rule


def changed(rule=RULE, **changes):
    return json.dumps(to_dict(rule) | changes)


def with_target(**changes):
    data = to_dict(RULE)
    data["predicts"].update(changes)
    return json.dumps(data)


def with_branch(rule=RULE, **changes):
    data = to_dict(rule)
    data["branches"][0].update(changes)
    return json.dumps(data)


def with_estimate(rule=RULE, **changes):
    data = to_dict(rule)
    data["branches"][0]["estimate"].update(changes)
    return json.dumps(data)


def with_literal(**changes):
    data = to_dict(RULE)
    data["branches"][0]["literals"][0].update(changes)
    return json.dumps(data)


def without_literals():
    data = to_dict(RULE)
    del data["branches"][0]["literals"]
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a rule file"),
        ("{", "not a rule file"),
        ("[" * 100_000, "not a rule file"),
        ("1" * 5000, "not a rule file"),
        ("[]", "must be an object"),
        ("{}", "lacks 'format'"),
        (changed(format="pickle"), "not a rule file"),
        (changed(version=VERSION + 1), "install a newer nri"),
        (changed(version="1"), "must be a whole number"),
        (changed(version=True), "must be a whole number"),
        (changed(version=0), "the first one is 1"),
        (with_target(name=3), "'name' must be text"),
        (with_target(classes="no"), "'classes' must be a list"),
        (with_target(classes=["no", None]), r"'classes'\[1\]: a class label cannot be None"),
        (with_target(kind="colour"), "unknown kind 'colour': use classes, number or survival"),
        (changed(otherwise="no"), "'otherwise' must be an object"),
        (with_estimate(expected=[1, "2"]), r"'expected'\[1\] must be a number"),
        (with_estimate(expected=[1, True]), r"'expected'\[1\] must be a number"),
        (with_estimate(counts=[1, -2]), "'estimate': class counts must be"),
        (with_estimate(counts=[1]), "1 counts for 2 classes"),
        (with_estimate(counts=[1, 10**400]), "'counts'"),
        (with_estimate(value="maybe"), "'maybe' is not a class"),
        (changed(branches=[{"literals": []}]), "lacks 'estimate'"),
        (without_literals(), r"'branches'\[0\] lacks 'literals'"),
        (with_estimate(NUMBER, value="much"), "'value' must be a number"),
        (with_estimate(NUMBER, quantiles=[1, 2]), "needs two ends of its interval and 5 quantiles"),
        (with_estimate(NUMBER, quantiles=[5, 4, 3, 2, 1]), "quantiles in increasing order"),
        (with_estimate(SURVIVAL, survival=[1.0]), "must have a value for each of the times"),
        (with_literal(op="~"), r"'literals'\[0\]: no comparison '~'"),
        (with_literal(kind="colour"), "'kind': 'colour' is not a valid Kind"),
        (with_literal(kind="text"), "number where text is announced"),
        (with_literal(kind="date", value="yesterday"), "Invalid isoformat"),
        (with_literal(kind="date", value=5), "'value': "),
        (with_literal(value=None), "literal cannot compare with NoneType"),
        (with_literal(value=float("nan")), "literal cannot compare with nan"),
        (with_literal(column=["x"]), "'column' must be text"),
    ],
)
def test_a_bad_file_is_refused_with_cause_and_place(text, message):
    with pytest.raises(InputError, match=message) as caught:
        from_json(text)
    assert "\n" not in str(caught.value)


VERSION_1 = {
    "format": "nri-ruleset",
    "version": 1,
    "target": "flu",
    "classes": ["no", "yes"],
    "rules": [
        {
            "label": "yes",
            "clauses": [
                {
                    "literals": [{"column": "age", "op": ">", "kind": "number", "value": 61}],
                    "evidence": [1, 9],
                }
            ],
        }
    ],
    "default": {"label": "no", "evidence": [8, 2]},
    "support": [9, 11],
    "prior": [1, 1],
}


def test_the_layout_of_version_4_is_stable():
    literal = {"column": "age", "op": ">", "kind": "number", "value": 61}
    assert to_dict(RULE) == {
        "format": "nri-rule",
        "version": 4,
        "predicts": {"kind": "classes", "name": "flu", "classes": ["no", "yes"]},
        "branches": [
            {
                "literals": [literal],
                "estimate": {"value": "yes", "counts": [1, 9], "expected": [2 / 12, 10 / 12]},
            }
        ],
        "otherwise": {"value": "no", "counts": [8, 2], "expected": [9 / 12, 3 / 12]},
        "support": {"value": "yes", "counts": [9, 11], "expected": [0.45, 0.55]},
        "columns": {},
    }
    plan = ColumnPlan(Kind.NUMBER, decimal=",", unit=("", "kg"), missing=("unknown",))
    kept = to_dict(RULE.with_plans({"age": plan}))["columns"]
    assert kept == {"age": {"kind": "number", "decimal": ",", "unit": ["", "kg"], "missing": ["unknown"]}}


def test_a_clause_that_counts_says_how_many_it_needs():
    data = to_dict(RULE)
    branch = data["branches"][0]
    branch["literals"] += [branch["literals"][0] | {"column": name} for name in ("urea", "pulse")]
    branch["at_least"] = 2
    rule = from_json(json.dumps(data))
    assert str(rule.conditions("yes")) == "AT LEAST 2 OF (age > 61, pulse > 61, urea > 61)"
    assert to_dict(rule)["branches"][0]["at_least"] == 2
    for wrong in (0, 4, "2", True):
        branch["at_least"] = wrong
        with pytest.raises(InputError, match=r"'branches'\[0\]"):
            from_json(json.dumps(data))


@pytest.mark.parametrize("version", [1, 2, 3])
def test_files_of_earlier_versions_are_read_and_predict_as_they_did(version):
    rule = from_json(json.dumps(VERSION_1 | {"version": version, "columns": {}}))
    assert rule == RULE
    assert not rule.plans["age"].stated
    assert rule.predict({"age": ["70 kg", "50 kg", "unknown", "64 kg"]}).tolist() == [
        "yes",
        "no",
        "no",
        "yes",
    ]


def test_files_of_version_1_have_no_columns():
    assert from_json(json.dumps(VERSION_1)) == RULE
    with pytest.raises(InputError, match="lacks 'columns'"):
        from_json(json.dumps(VERSION_1 | {"version": 2}))


def test_earlier_files_count_what_was_left_to_a_clause():
    data = json.loads(json.dumps(VERSION_1))
    data["rules"][0]["clauses"][0]["decided"] = [0, 5]
    rule = from_json(json.dumps(data))
    assert rule.branches[0].estimate.counts == (0, 5)
    assert from_json(rule.render("json")) == rule


def test_earlier_files_with_two_rules_for_a_class_are_refused():
    data = VERSION_1 | {"rules": VERSION_1["rules"] * 2}
    with pytest.raises(InputError, match="a class has two rules"):
        from_json(json.dumps(data))


@pytest.mark.parametrize(
    "columns",
    [
        [],
        {"age": {}},
        {"age": {"kind": "colour"}},
        {"age": {"kind": "number", "mood": "good"}},
        {"age": {"kind": "number", "unit": ["kg"]}},
        {"age": {"kind": "text", "spellings": ["a"]}},
        {"age": {"kind": "date", "day_first": 1}},
    ],
)
def test_a_damaged_plan_is_refused_in_one_line(columns):
    with pytest.raises(InputError) as caught:
        from_json(json.dumps(to_dict(RULE) | {"columns": columns}))
    assert "columns" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_rules_are_not_written_under_an_ending_of_no_format(tmp_path):
    """``write_rule(rules, "rule.foo")`` wrote plain text without a word, which cannot be read back."""
    with pytest.raises(InputError, match=r"no format ends in '\.foo'; end the name in \.txt, "):
        write_rule(RULE, tmp_path / "rule.foo")
    assert not list(tmp_path.iterdir())
    write_rule(RULE, tmp_path / "rule.foo", format="json")
    assert read_rule(tmp_path / "rule.foo") == RULE
    for name in ("rule", "rule.txt", "rule.TXT"):
        write_rule(RULE, tmp_path / name)
        assert (tmp_path / name).read_text().startswith("IF ")
