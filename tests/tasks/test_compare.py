import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nri import compare_rules
from nri.errors import InputError
from nri.induce.assemble import count_classes, count_clauses
from nri.outcome import Classes, Number
from nri.rule import Clause, Dnf, Literal, Op, rule_truth
from nri.table import table_of

FRAME = pd.DataFrame(
    {
        "age": [30.0, 58, 60, 70, 80, None],
        "fever": [True, True, False, False, True, True],
        "ward": list("abcabc"),
        "flu": ["yes", "no", "no", "yes", "yes", "no"],
    }
)
FEVER = Literal("fever", Op.EQ, True)


def older(age: float) -> Literal:
    return Literal("age", Op.GT, age)


def ruleset(*clauses, default="no", label="yes"):
    codes = (FRAME.flu == "yes").to_numpy().astype(int)
    return of_classes({label: Dnf(clauses)}, codes, default)


def of_classes(conditions, codes, default, classes=("no", "yes"), frame=FRAME):
    table = table_of(frame.drop(columns="flu", errors="ignore")).with_outcome(Classes("flu", classes, codes))
    return count_classes(conditions, default, table)


def test_clauses_are_kept_moved_dropped_and_added():
    old = ruleset(Clause([FEVER]), Clause([older(57)]), Clause([Literal("ward", Op.EQ, "a")]))
    new = ruleset(Clause([FEVER]), Clause([older(61)]), Clause([Literal("ward", Op.EQ, "b")]))
    (change,) = compare_rules(old, new).classes
    assert change.kept == (Clause([FEVER]),)
    assert [(str(one.old), str(one.new)) for one in change.moved] == [("age > 57", "age > 61")]
    assert [str(clause) for clause in change.dropped] == ["ward = a"]
    assert [str(clause) for clause in change.added] == ["ward = b"]
    assert change.relation == "other rows"


@pytest.mark.parametrize(
    ("old", "new", "relation"),
    [
        ([Clause([older(57)])], [Clause([older(61)])], "fewer rows"),
        ([Clause([older(61)])], [Clause([older(57)])], "more rows"),
        ([Clause([older(61)])], [Clause([older(61)]), Clause([older(70)])], "the same rows"),
        ([Clause([older(61)])], [Clause([FEVER])], "other rows"),
    ],
)
def test_where_the_new_rule_fires_is_told_for_any_table(old, new, relation):
    assert compare_rules(ruleset(*old), ruleset(*new)).classes[0].relation == relation


def test_the_example_is_said_in_the_rules_own_words():
    found = compare_rules(ruleset(Clause([older(61), FEVER])), ruleset(Clause([older(61)])))
    assert str(found.classes[0].example) == "age > 61 AND NOT fever"


literals = st.sampled_from(
    [FEVER, FEVER.negate(), older(57), older(61).negate(), Literal("ward", Op.EQ, "a")]
)
clauses = st.lists(literals, min_size=1, max_size=4, unique=True).flatmap(
    lambda members: st.integers(1, len(members)).map(lambda k: Clause(members, k))
)
rules = st.lists(clauses, max_size=3).map(Dnf)


def test_a_clause_that_asks_for_more_of_the_same_conditions_has_moved():
    members = [FEVER, older(61), Literal("ward", Op.EQ, "a")]
    found = compare_rules(ruleset(Clause(members, 1)), ruleset(Clause(members, 2)))
    (change,) = found.classes
    assert [str(one.new) for one in change.moved] == ["AT LEAST 2 OF (age > 61, fever, ward = a)"]
    assert change.relation == "fewer rows"
    assert str(change.example) == "age <= 61 AND NOT fever AND ward = a"


@given(rules, rules)
def test_on_every_row_of_the_example_just_one_of_the_rules_fires(one, other):
    found = compare_rules(ruleset(*one), ruleset(*other))
    grid = _grid()
    differs = _fires(one, grid) ^ _fires(other, grid)
    example = found.classes[0].example if found.classes else None
    if example is None:
        assert not differs.any()
    else:
        assert differs[_fires(Dnf([example]), grid)].all()


def _grid():
    """Rows on either side of every threshold."""
    cells = [(age, fever, ward) for age in (50.0, 57, 60, 61, 70) for fever in (True, False) for ward in "ab"]
    return pd.DataFrame(cells, columns=["age", "fever", "ward"])


def _fires(rule, grid):
    return rule_truth(rule, table_of(grid).columns, len(grid))


NOT_OLD = Clause([older(61).negate()])


@pytest.mark.parametrize(
    ("old", "new", "yes", "no", "example"),
    [
        ([Clause([older(61)])], [NOT_OLD], "the same rows", "the same rows", None),
        ([Clause([older(57)])], [NOT_OLD], "fewer rows", "more rows", "age > 57 AND age <= 61"),
        ([Clause([older(70)])], [NOT_OLD], "more rows", "fewer rows", "age > 61 AND age <= 70"),
        ([Clause([FEVER])], [NOT_OLD], "other rows", "other rows", "age <= 61 AND fever"),
    ],
)
def test_rules_about_opposite_classes_are_compared_by_what_they_say(old, new, yes, no, example):
    """They fire on other rows of necessity, which was told as a difference though they said the same."""
    found = compare_rules(ruleset(*old), ruleset(*new, label="no", default="yes"))
    assert found.opposite
    assert {one.label: one.relation for one in found.classes} == {"yes": yes, "no": no}
    assert {None if one.example is None else str(one.example) for one in found.classes} == {example}


@given(rules, rules)
def test_on_every_row_of_the_example_opposite_rules_say_opposite_things(one, other):
    found = compare_rules(ruleset(*one), ruleset(*other, label="no", default="yes"))
    if found.opposite:
        grid = _grid()
        differs = _fires(one, grid) == _fires(other, grid)
        example = found.classes[0].example
        assert differs[_fires(Dnf([example]), grid)].all() if example is not None else not differs.any()


def test_rows_are_told_on_which_the_two_differ():
    found = compare_rules(ruleset(Clause([older(57)])), ruleset(Clause([older(61)])), FRAME)
    assert found.rows.differs.tolist() == [False, True, True, False, False, False]
    assert found.rows.changes == (("yes", "no", 2),)
    assert found.rows.score_old.value == pytest.approx(3 / 6)
    assert found.rows.score_new.value == pytest.approx(5 / 6)


def test_a_table_without_the_truth_gives_no_accuracy():
    found = compare_rules(ruleset(Clause([FEVER])), ruleset(Clause([older(61)])), FRAME.drop(columns="flu"))
    assert found.rows.score_old is None


def test_the_same_rule_says_the_same():
    found = compare_rules(ruleset(Clause([FEVER])), ruleset(Clause([FEVER])), FRAME)
    assert found.same_words
    assert not found.rows.differs.any()
    assert not compare_rules(ruleset(Clause([FEVER])), ruleset(Clause([FEVER]), default="yes")).same_words


def test_columns_that_came_and_went_are_named():
    found = compare_rules(ruleset(Clause([FEVER])), ruleset(Clause([older(61)])))
    assert (found.columns_dropped, found.columns_added) == (("fever",), ("age",))


def test_rules_about_other_classes_cannot_be_compared():
    other = of_classes({}, np.zeros(6, dtype=int), "mild", ("mild", "severe"))
    with pytest.raises(InputError, match="different classes"):
        compare_rules(ruleset(Clause([FEVER])), other)


def test_rules_about_other_targets_cannot_be_compared():
    """A copy of the target under another name gave "both rules are the same"."""
    with pytest.raises(InputError, match="different targets, 'cost' and 'price'; compare rules for the same"):
        compare_rules(of_number(Clause([FEVER])), of_number(Clause([FEVER]), name="price"))


@pytest.mark.parametrize(("label", "default"), [("yes", "no"), ("no", "no"), ("no", "yes")])
def test_a_column_of_two_kinds_cannot_be_compared_whichever_class_the_rules_are_about(label, default):
    """Kinds were compared within a class alone, so that a number and a text gave more or fewer rows."""
    words = Dnf([Clause([Literal("age", Op.EQ, "old")])])
    frame = pd.DataFrame({"age": ["old", "young"]})
    with_words = of_classes({label: words}, np.array([0, 1]), default, frame=frame)
    with pytest.raises(InputError, match="number in one rule and text in the other"):
        compare_rules(ruleset(Clause([older(61)])), with_words)


def of_number(*clauses, name="cost"):
    values = np.array([1.0, 5, 6, 9, 12, 2])
    table = table_of(FRAME.drop(columns="flu")).with_outcome(Number(name, values))
    return count_clauses(clauses, table)


def test_rules_for_a_number_are_compared_by_their_regions_and_row_by_row():
    old, new = (
        of_number(Clause([older(65)]), Clause([FEVER])),
        of_number(Clause([older(59)]), Clause([FEVER])),
    )
    rows = FRAME.assign(cost=[1.0, 5, 6, 9, 12, 2])
    found = compare_rules(old, new, rows)
    (change,) = found.classes
    assert change.label is None
    assert change.kept == (Clause([FEVER]),)
    assert [(str(one.old), str(one.new)) for one in change.moved] == [("age > 65", "age > 59")]
    assert change.relation == "more rows"
    for region in found.regions:
        grid = _grid()
        there = grid[_fires(Dnf([region.where]), grid)]
        assert set(old.predict(there)) <= {region.old}
        assert set(new.predict(there)) <= {region.new}
        assert region.old != region.new
    assert any("age > 59" in str(one.where) for one in found.regions)
    differs = old.predict(FRAME) != new.predict(FRAME)
    assert found.rows.differs.tolist() == differs.tolist()
    assert found.rows.score_new.measure == "R²"


@given(st.lists(clauses, max_size=3, unique=True), st.lists(clauses, max_size=3, unique=True))
def test_regions_name_every_pair_of_predictions_that_differ(one, other):
    old, new = of_number(*one), of_number(*other)
    grid = _grid()
    pairs = set(zip(old.predict(grid), new.predict(grid), strict=True))
    named = {(region.old, region.new) for region in compare_rules(old, new).regions}
    assert {pair for pair in pairs if pair[0] != pair[1]} <= named


def test_a_number_cannot_be_compared_with_classes():
    with pytest.raises(InputError, match="same target"):
        compare_rules(ruleset(Clause([FEVER])), of_number(Clause([FEVER])))
