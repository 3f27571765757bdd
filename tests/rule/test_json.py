import json

import pytest
from hypothesis import given
from rule_strategies import cases, columns_of

from nri.api import read_rules, write_rules
from nri.errors import InputError
from nri.rule import (
    ClassRule,
    Clause,
    ColumnPlan,
    Dnf,
    Evidence,
    Kind,
    Literal,
    Op,
    RuleSet,
    from_json,
    render,
)
from nri.rule.render.as_json import VERSION, to_dict

RULESET = RuleSet(
    target="flu",
    classes=("no", "yes"),
    rules=(ClassRule("yes", Dnf([Clause([Literal("age", Op.GT, 61)])]), [Evidence([1, 9])]),),
    default="no",
    default_evidence=Evidence([8, 2]),
    support=Evidence([9, 11]),
    prior=(1.0, 1.0),
)


@given(cases())
def test_reading_gives_back_exactly_what_was_written(case):
    schema, ruleset, table = case
    again = from_json(render(ruleset, "json"))
    assert again == ruleset
    assert [rule.rule.clauses for rule in again.rules] == [rule.rule.clauses for rule in ruleset.rules]
    assert [type(label) for label in again.classes] == [type(label) for label in ruleset.classes]
    assert render(again, "json") == render(ruleset, "json")
    columns = columns_of(schema, table)
    assert (again.predict_proba(columns) == ruleset.predict_proba(columns)).all()


def changed(**changes):
    return json.dumps(to_dict(RULESET) | changes)


def with_literal(**changes):
    data = to_dict(RULESET)
    data["rules"][0]["clauses"][0]["literals"][0].update(changes)
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
        (changed(target=3), "'target' must be text"),
        (changed(classes="no"), "'classes' must be a list"),
        (changed(classes=["no", None]), r"'classes'\[1\]: a class label cannot be None"),
        (changed(default="no"), "'default' must be an object"),
        (changed(prior=[1, "2"]), r"'prior'\[1\] must be a number"),
        (changed(prior=[1, True]), r"'prior'\[1\] must be a number"),
        (changed(support=[1, -2]), "'support': class counts must be"),
        (changed(support=[1]), "1 counts for 2 classes"),
        (changed(support=[1, 10**400]), "'support'"),
        (changed(rules=[{"label": "yes"}]), "lacks 'clauses'"),
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


def test_two_equal_clauses_in_a_file_are_refused():
    data = to_dict(RULESET)
    data["rules"][0]["clauses"] *= 2
    with pytest.raises(InputError, match="1 clauses but evidence for 2"):
        from_json(json.dumps(data))


def test_what_a_clause_decided_is_kept_where_it_is_less_than_it_covered():
    data = to_dict(RULESET)
    data["rules"][0]["clauses"][0]["decided"] = [0, 5]
    ruleset = from_json(json.dumps(data))
    assert ruleset.rules[0].decided[0].counts == (0, 5)
    assert from_json(render(ruleset, "json")) == ruleset


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


def test_the_layout_of_version_3_is_stable():
    assert to_dict(RULESET) == VERSION_1 | {"version": 3, "columns": {}}
    plan = ColumnPlan(Kind.NUMBER, decimal=",", unit=("", "kg"), missing=("unknown",))
    kept = to_dict(RULESET.with_plans({"age": plan}))["columns"]
    assert kept == {"age": {"kind": "number", "decimal": ",", "unit": ["", "kg"], "missing": ["unknown"]}}


def test_a_clause_that_counts_says_how_many_it_needs():
    data = to_dict(RULESET)
    clause = data["rules"][0]["clauses"][0]
    clause["literals"] += [clause["literals"][0] | {"column": name} for name in ("urea", "pulse")]
    clause["at_least"] = 2
    ruleset = from_json(json.dumps(data))
    assert str(ruleset.rules[0].rule) == "AT LEAST 2 OF (age > 61, pulse > 61, urea > 61)"
    assert to_dict(ruleset)["rules"][0]["clauses"][0]["at_least"] == 2
    for wrong in (0, 4, "2", True):
        clause["at_least"] = wrong
        with pytest.raises(InputError, match=r"'rules'\[0\], 'clauses'\[0\]"):
            from_json(json.dumps(data))


def test_files_of_version_2_are_read():
    assert from_json(json.dumps(VERSION_1 | {"version": 2, "columns": {}})) == RULESET


def test_files_of_version_1_are_read_and_predict_as_they_did():
    ruleset = from_json(json.dumps(VERSION_1))
    assert ruleset == RULESET
    assert not ruleset.plans["age"].stated
    assert ruleset.predict({"age": ["70 kg", "50 kg", "unknown", "64 kg"]}).tolist() == [
        "yes",
        "no",
        "no",
        "yes",
    ]


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
def test_a_damaged_plan_is_told_in_one_line(columns):
    with pytest.raises(InputError) as caught:
        from_json(json.dumps(to_dict(RULESET) | {"columns": columns}))
    assert "columns" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_rules_are_not_written_under_an_ending_of_no_format(tmp_path):
    """``write_rules(rules, "rule.foo")`` wrote plain text without a word, which nobody reads back."""
    with pytest.raises(InputError, match=r"no format ends in '\.foo'; end the name in \.txt, "):
        write_rules(RULESET, tmp_path / "rule.foo")
    assert not list(tmp_path.iterdir())
    write_rules(RULESET, tmp_path / "rule.foo", format="json")
    assert read_rules(tmp_path / "rule.foo") == RULESET
    for name in ("rule", "rule.txt", "rule.TXT"):
        write_rules(RULESET, tmp_path / name)
        assert (tmp_path / name).read_text().startswith("IF ")
