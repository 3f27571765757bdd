"""What a person knows goes in: clauses, cuts, conditions and directions; the rule is the best around them."""

import numpy as np
import pandas as pd
import pytest

from nri.errors import InputError
from nri.induce.path import Settings, induce_rules
from nri.rule import Clause, Literal, Op, Rule, count_ruleset
from nri.table import label_table, table_of


@pytest.fixture(scope="module")
def patients():
    """Diabetes is glucose above 140, or old with a high pressure, but for a few; wards mean nothing."""
    rng = np.random.default_rng(3)
    n = 240
    frame = pd.DataFrame(
        {
            "glucose": rng.integers(70, 200, n),
            "age": rng.integers(20, 95, n),
            "pressure": rng.integers(60, 120, n),
            "ward": rng.choice(["north", "south"], n),
        }
    )
    ill = (frame.glucose > 140) | ((frame.age > 61) & (frame.pressure > 90))
    ill ^= rng.random(n) < 0.03
    frame["diabetes"] = np.where(ill, "yes", "no")
    return label_table(table_of(frame), "diabetes", "yes")


def induced(table, **wishes):
    return induce_rules(table, Settings(model="greedy", **wishes)).ruleset


def literals(ruleset):
    return [x for rule in ruleset.rules for clause in rule.rule for x in clause]


def accuracy(ruleset, table):
    return (ruleset.predict_index(table) == table.codes).mean()


def test_a_number_is_cut_only_where_a_person_says(patients):
    """Thresholds are else found and then moved to where the rule needs them."""
    free = {x.value for x in literals(induced(patients)) if x.column == "age"}
    assert free
    assert not free & {50, 65}
    told = induced(patients, cuts={"age": [50, 65]})
    assert {x.value for x in literals(told) if x.column == "age"} <= {50, 65}
    assert accuracy(told, patients) > 0.9


def test_what_is_forbidden_is_not_said_nor_anything_stricter(patients):
    said = literals(induced(patients, forbid=["glucose > 120"]))
    assert not [x for x in said if x.column == "glucose" and x.op is Op.GT and x.value >= 120]
    assert not [x for x in literals(induced(patients, forbid=["ward = north"])) if x.value == "north"]


def test_a_column_that_goes_up_never_speaks_against_the_class(patients):
    flipped = induced(patients, monotone={"glucose": "down"})
    assert not [x for x in literals(flipped) if x.column == "glucose" and x.op is Op.GT]
    ruleset = induced(patients, monotone={"glucose": "up", "age": "up"})
    assert {x.op for x in literals(ruleset) if x.column in ("glucose", "age")} == {Op.GT}
    rows = {"glucose": [80, 120, 150, 190], "age": [50] * 4, "pressure": [80] * 4, "ward": ["north"] * 4}
    said = ruleset.predict_index(pd.DataFrame(rows))
    assert (np.diff(said) >= 0).all()


def test_clauses_to_keep_stay_as_they_are_and_others_are_found_around_them(patients):
    guideline = Clause([Literal("age", Op.GT, 70), Literal("pressure", Op.GT, 95)])
    kept = count_ruleset(
        "diabetes", patients.classes, {"yes": Rule([guideline])}, patients.columns, patients.class_weights
    )
    around = induced(patients, keep=kept)
    (rule,) = around.rules
    assert rule.label == "yes"
    assert guideline in rule.rule.clauses
    assert len(rule.rule) > 1
    assert accuracy(around, patients) > accuracy(kept, patients) + 0.2
    alone = induced(patients, keep=kept, max_clauses=1)
    assert alone.rules[0].rule.clauses == (guideline,)


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"cuts": {"agge": [50]}}, "no column 'agge'; did you mean 'age'"),
        ({"cuts": {"ward": [50]}}, "cuts for 'ward': its cells are text"),
        ({"monotone": {"age": "sideways"}}, "up or down, not 'sideways'"),
        ({"forbid": ["age"]}, "names a column only; compare it"),
        ({"forbid": ["age > old"]}, "'old' is no number"),
        ({"forbid": ["agge > 80"]}, "no column 'agge'"),
    ],
)
def test_what_the_table_cannot_follow_is_told(patients, wishes, message):
    with pytest.raises(InputError, match=message):
        induced(patients, **wishes)


def test_a_direction_is_that_of_one_class(patients):
    with pytest.raises(InputError, match="of one class: name it"):
        induced(patients.about(None), monotone={"age": "up"})
