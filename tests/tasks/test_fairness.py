"""Whom a rule concerns: protected-looking columns by name, and what the rule does with each group."""

import numpy as np
import pandas as pd
import pytest

from nri.induce.assemble import count_classes, count_clauses
from nri.outcome import Number, Survival
from nri.rule import Clause, Column, Dnf, Literal, Op
from nri.table import label_table, table_of
from nri.tasks.fairness import _bands, by_group, looks_protected, note_on, protected_columns


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("sex", "sex"),
        ("Geschlecht", "sex"),
        ("applicant_race", "origin"),
        ("black", "origin"),
        ("afam", "origin"),
        ("single", "family"),
        ("single_dose", None),
        ("Staatsangehörigkeit", "origin"),
        ("nationalité", "origin"),
        ("Âge", None),
        ("age", "age"),
        ("Lebensalter (Jahre)", "age"),
        ("fecha de nacimiento", "age"),
        ("zip code", "place"),
        ("Código Postal", "place"),
        ("religião", "religion"),
        ("estado civil", "family"),
        ("package", None),
        ("language", None),
        ("white blood cells", None),
        ("average", None),
    ],
)
def test_names_that_look_protected_are_known_in_several_languages(name, what):
    assert looks_protected(name) == ("age" if name == "Âge" else what)


@pytest.fixture
def loans():
    """A rule that denies by `black`, as one once did without a word."""
    frame = pd.DataFrame(
        {
            "black": [True] * 40 + [False] * 60,
            "income": [*range(40), *range(60)],
            "denied": ["yes"] * 30 + ["no"] * 70,
        }
    )
    table = label_table(table_of(frame), "denied")
    rule = Dnf([Clause([Literal("black", Op.EQ, True)])])
    return table, count_classes({"yes": rule}, "no", table)


def test_each_group_is_told_how_often_the_rule_fires_and_is_right(loans):
    table, rule = loans
    assert protected_columns(rule) == ("black",)
    found = by_group(table, rule, "black")
    assert [(g.name, g.rows, g.fires.value, g.right.value) for g in found.groups] == [
        ("yes", 40, 1.0, 0.75),
        ("no", 60, 0.0, 1.0),
    ]
    assert found.groups[0].right.interval.low < 0.75 < found.groups[0].right.interval.high
    assert "the rule uses 'black', which may be protected (no: fires on 0 %" in note_on(found)


def test_bands_end_at_plain_numbers():
    """They ended at a cell of the table, such as 42.78713210130048, whose digits nobody can use."""
    age = Column(np.linspace(20.123456789, 80.987654321, 200), np.ones(200, dtype=bool))
    names = [name for name, _ in _bands(age)]
    assert names == ["up to 35.5", "above 35.5, up to 51", "above 51, up to 66.2", "above 66.2"]


def test_numbers_are_told_in_bands_and_every_row_is_in_one_group(loans):
    table, rule = loans
    found = by_group(table, rule, "income")
    assert not found.used
    assert sum(group.rows for group in found.groups) == len(table)
    assert found.groups[0].name.startswith("up to ")
    assert 3 <= len(found.groups) <= 4
    lower = [group.name.split(" to ")[0] for group in found.groups[1:]]
    assert all(name.startswith("above ") for name in lower)  # no edge is in two bands


def test_many_categories_are_joined_and_missing_cells_are_a_group_of_their_own():
    rng = np.random.default_rng(0)
    cells = [None if i % 10 == 0 else f"town {i % 20}" for i in range(200)]
    frame = pd.DataFrame({"town": cells, "x": rng.integers(0, 2, 200), "y": ["a", "b"] * 100})
    table = label_table(table_of(frame), "y")
    rule = count_classes({"b": Dnf([Clause([Literal("x", Op.EQ, True)])])}, "a", table)
    found = by_group(table, rule, "town")
    assert len(found.groups) == 9
    assert [group.name for group in found.groups[-2:]] == ["11 others", "(missing)"]
    assert sum(group.rows for group in found.groups) == 200


def test_groups_of_a_number_and_of_a_risk_have_their_predicted_and_actual_mean(loans):
    table, _ = loans
    clause = Clause([Literal("black", Op.EQ, True)])
    values = np.arange(100.0)
    of_number = table.with_outcome(Number("limit", values))
    rule = count_clauses([clause], of_number)
    yes, no = by_group(of_number, rule, "black").groups
    assert (yes.right, yes.fires.value, no.fires.value) == (None, 1.0, 0.0)
    assert yes.actual == pytest.approx(values[:40].mean())
    assert yes.predicted == pytest.approx(rule.branches[0].value)
    assert "predicted" in note_on(by_group(of_number, rule, "black"))
    followed = table.with_outcome(Survival("left", "days", values + 1, np.arange(100) % 2 == 0))
    yes, no = by_group(followed, count_clauses([clause], followed), "black").groups
    assert yes.actual > no.actual  # the earlier days are theirs
    assert yes.predicted > no.predicted
