"""What a person knows goes in: clauses, cuts, conditions and directions; the rule is the best around them."""

import numpy as np
import pandas as pd
import pytest
from rule_strategies import counted
from sklearn.base import clone

from nri import NRIClassifier, NRIRegressor, read_table
from nri.errors import InputError
from nri.induce.induce import induce_rule
from nri.induce.settings import Knowledge, Settings
from nri.rule import Clause, Dnf, Literal, Op
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


def induced(table, max_clauses=8, **known):
    settings = Settings(model="greedy", max_clauses=max_clauses, knowledge=Knowledge(**known))
    return induce_rule(table, settings).rule


def literals(rule):
    return [x for clause in rule.clauses for x in clause]


def accuracy(rule, table):
    return (rule.predict_index(table) == table.codes).mean()


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
    rule = induced(patients, monotone={"glucose": "up", "age": "up"})
    assert {x.op for x in literals(rule) if x.column in ("glucose", "age")} == {Op.GT}
    rows = {"glucose": [80, 120, 150, 190], "age": [50] * 4, "pressure": [80] * 4, "ward": ["north"] * 4}
    said = rule.predict_index(pd.DataFrame(rows))
    assert (np.diff(said) >= 0).all()


def test_clauses_to_keep_stay_as_they_are_and_others_are_found_around_them(patients):
    guideline = Clause([Literal("age", Op.GT, 70), Literal("pressure", Op.GT, 95)])
    kept = counted(
        "diabetes", patients.classes, {"yes": Dnf([guideline])}, patients.columns, patients.class_weights
    )
    around = induced(patients, keep=kept)
    assert around.described == ("yes",)
    assert guideline in around.clauses
    assert len(around.clauses) > 1
    assert accuracy(around, patients) > accuracy(kept, patients) + 0.2
    alone = induced(patients, keep=kept, max_clauses=1)
    assert alone.clauses == (guideline,)


def test_a_column_of_a_clause_to_keep_is_not_called_constant(patients):
    """Around `insurance = yes` only rows without insurance are left: it had "one value only"."""
    kept = counted(
        "diabetes",
        patients.classes,
        {"yes": Dnf([Clause([Literal("ward", Op.EQ, "north")])])},
        patients.columns,
        patients.class_weights,
    )
    found = induce_rule(patients, Settings(model="greedy", knowledge=Knowledge(keep=kept)))
    assert "ward" not in [one.column for one in found.left_out]


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
    with pytest.raises(InputError, match="about one class: name it"):
        induced(patients.about(None), monotone={"age": "up"})


def test_an_estimator_takes_the_same_and_says_what_it_costs(patients):
    frame = pd.DataFrame({name: column.values for name, column in patients.columns.items() if name != "ward"})
    y = np.array(patients.classes)[patients.codes]
    known = Knowledge(cuts={"glucose": [100, 180]}, forbid=["age > 60"])
    told = clone(NRIClassifier("greedy", positive="yes", knowledge=known)).fit(frame, y)
    assert {x.value for x in literals(told.rule_) if x.column == "glucose"} <= {100, 180}
    price = told.knowledge_price_
    assert price.score == told.score(frame, y)
    assert price.free == NRIClassifier("greedy", positive="yes").fit(frame, y).score(frame, y)
    assert f"costs {100 * (price.free - price.score):.1f} points" in str(price)
    assert NRIClassifier("greedy").fit(frame, y).knowledge_price_ is None
    with pytest.raises(InputError, match="give a record"):
        NRIClassifier(knowledge={"cuts": {"age": [50]}}).fit(frame, y)
    with pytest.raises(InputError, match="knowledge is 5; give a record"):
        Settings(knowledge=5)


def test_a_rule_for_a_number_is_cut_where_a_person_says_and_says_nothing_forbidden():
    """It once took these wishes and paid them no heed."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 90, 200), "size": rng.integers(0, 50, 200)})
    price = 100.0 + 50 * (frame["age"] > 43) + 30 * (frame["size"] > 25) + rng.random(200)
    free = NRIRegressor().fit(frame, price)
    assert not {x.value for x in literals(free.rule_) if x.column == "age"} <= {40, 65}
    told = NRIRegressor(knowledge=Knowledge(cuts={"age": [40, 65]}, forbid=["size > 20"])).fit(frame, price)
    said = literals(told.rule_)
    assert {x.value for x in said if x.column == "age"} <= {40, 65}
    assert not [x for x in said if x.column == "size" and x.op is Op.GT and x.value >= 20]
    with pytest.raises(InputError, match="for a rule about a class, but"):
        NRIRegressor(knowledge=Knowledge(monotone={"age": "up"})).fit(frame, price)


def test_a_condition_that_cannot_be_read_names_the_setting(patients):
    with pytest.raises(InputError, match="forbid: no column 'agee'; did you mean 'age'"):
        induced(patients, forbid=["agee > 80"])


def test_a_whole_number_is_forbidden_from_its_value_on():
    """``age >= 80`` was read as ``age > 80``, so that ``age > 79`` was still said."""
    rng = np.random.default_rng(0)
    age = rng.integers(20, 100, 300)
    table = read_table({"age": age, "old": np.where(age >= 80, "yes", "no")}, "old", positive="yes")
    free = induce_rule(table).rule
    assert "age > 79" in str(free)
    bound = induce_rule(table, Settings(knowledge=Knowledge(forbid=["age >= 80"]))).rule
    assert "age > 79" not in str(bound)
