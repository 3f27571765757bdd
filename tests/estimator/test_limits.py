"""What a user can ask of a rule, and what happens when the asking is wrong."""

import numpy as np
import pandas as pd
import pytest
from effort import usually
from example_tables import random_table, visits
from hypothesis import given, settings
from hypothesis import strategies as st

from nri import NRIClassifier
from nri.errors import InputError
from nri.rule import Op, clause_matrix


@settings(max_examples=usually(5, 15), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    max_clauses=st.integers(1, 3),
    max_literals=st.integers(1, 3),
    negations=st.booleans(),
    min_precision=st.sampled_from([0.0, 0.8, 0.95]),
)
def test_rules_keep_every_limit(seed, max_clauses, max_literals, negations, min_precision):
    table, labels = random_table(seed, n_rows=50)
    labels = np.where(
        table["sex"] == "m", labels, np.random.default_rng(seed).choice(["no", "yes", "maybe"], 50)
    )
    clf = NRIClassifier(
        max_clauses=max_clauses,
        max_literals=max_literals,
        negations=negations,
        min_precision=min_precision,
    )
    rule = clf.fit(table, labels).rule_
    assert all(len(rule.conditions(label)) <= max_clauses for label in rule.described)
    fires = clause_matrix(rule.clauses, rule.read(table), len(table))
    for branch, fired in zip(rule.branches, fires.T, strict=True):
        assert len(branch.clause) <= max_literals
        assert negations or all(literal.op is not Op.NE for literal in branch.clause)
        assert (labels[fired] == branch.value).mean() >= min_precision - 1e-9


@pytest.mark.parametrize(
    "columns", [["cough", "age"], {"cough": True, "age": True}, {"fever": False, "ward": False}]
)
def test_only_the_columns_allowed_are_used(columns):
    table, labels = visits()
    clf = NRIClassifier(columns=columns).fit(table, labels)
    assert set(clf.rule_.columns) <= {"cough", "age"}
    assert clf.n_features_in_ == 4


@settings(max_examples=usually(5, 15), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), require=st.sampled_from([["age"], ["sex"], ["age", "sex"]]))
def test_every_clause_speaks_about_the_required_columns(seed, require):
    table, labels = random_table(seed, n_rows=50)
    rule = NRIClassifier(require=require, max_literals=3).fit(table, labels).rule_
    for clause in rule.clauses:
        assert set(require) <= set(clause.columns)
        assert len(clause) <= 3


def test_a_required_column_joins_a_rule_that_does_better_without_it():
    table, labels = visits()
    freely = NRIClassifier().fit(table, labels).rule_
    asked = NRIClassifier(require=["ward"], columns=["cough", "fever"]).fit(table, labels).rule_
    assert "ward" not in freely.columns
    assert "ward" in asked.columns
    assert len(asked.columns) > 1, "the other columns still serve"


def test_without_negations_a_category_with_one_alternative_is_said_by_the_alternative():
    table = pd.DataFrame({"sex": ["f", "m"] * 10, "age": np.arange(20) % 7})
    clf = NRIClassifier(negations=False, positive=1).fit(table, [1, 0] * 10)
    assert [str(clause) for clause in clf.rule_.clauses] == ["sex = f"]


def test_without_negations_categories_are_not_merged_into_an_exclusion():
    """Simplifying "red or green" to "not blue" would bring back what the user has forbidden."""
    table = pd.DataFrame({"colour": ["red", "green", "blue"] * 10})
    clf = NRIClassifier(negations=False, positive=1).fit(table, [1, 1, 0] * 10)
    assert {str(clause) for clause in clf.rule_.clauses} == {"colour = green", "colour = red"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "magic"}, "no model 'magic'; use one of 'seeded', 'greedy', 'paper', 'paper-tuned', "),
        ({"max_clauses": 0}, "max_clauses is 0"),
        ({"max_clauses": 2.5}, "max_clauses is 2.5, which is no whole number: use 1 or more"),
        ({"max_clauses": None}, "max_clauses is None, which is no whole number"),
        ({"max_literals": "3"}, "max_literals is '3', which is no whole number"),
        ({"min_precision": "high"}, "min_precision is 'high', which is no number: use one from 0 to 1"),
        ({"max_literals": 0}, "max_literals is 0"),
        ({"min_precision": 2}, "min_precision is 2"),
        (
            {"counts": "often"},
            "counts is 'often', which is none of auto, never, only, points: use one of them",
        ),
        ({"binarize": "deep"}, "binarize is 'deep', which is none of auto, paper"),
        ({"columns": ["fevr"]}, "no column 'fevr'; did you mean 'fever'"),
        ({"columns": "fever"}, "give a list of names"),
        ({"columns": dict.fromkeys(("fever", "cough", "age", "ward"), False)}, "exclude every column"),
        ({"require": ["fevr"]}, "no column 'fevr'; did you mean 'fever'"),
        ({"require": "fever"}, "give a list of names"),
        ({"require": ["fever"], "columns": {"fever": False}}, "'fever' is required and never to be used"),
        ({"require": ["fever", "cough"], "max_literals": 1}, "every clause must speak about 2 columns"),
        ({"positive": "maybe"}, "positive='maybe' is no class; choose one of"),
    ],
)
def test_an_impossible_wish_is_refused_with_a_remedy(options, message):
    with pytest.raises(InputError, match=message) as caught:
        NRIClassifier(**options).fit(*visits())
    assert "\n" not in str(caught.value)


def test_a_required_column_that_cannot_be_used_is_refused_with_its_reason():
    table, labels = visits()
    with pytest.raises(InputError, match="column 'place' is required, but it has one value only"):
        NRIClassifier(require=["place"]).fit(table.assign(place="here"), labels)


def test_a_positive_class_among_three_is_refused():
    table, labels = visits()
    with pytest.raises(InputError, match="positive='yes' is for two classes, but there are 3"):
        NRIClassifier(positive="yes").fit(
            table, labels.replace({"no": "nein"}).where(labels.index < 9, "vielleicht")
        )


@pytest.mark.parametrize(
    ("table", "labels", "message"),
    [
        (pd.DataFrame({"a": [1, 1, 1]}), [0, 1, 0], "no column can be used: a has one value only"),
        (pd.DataFrame({"a": [1, 2, 3]}), [0, 1], "3 rows and 2 labels"),
        (pd.DataFrame({"a": [1, 2, 3]}), [0, None, 1], "Input y contains NaN"),
        (pd.DataFrame({"a": [1, 2, 3]}), [0.0, np.inf, 1.0], "Input y contains infinity"),
        (pd.DataFrame({"a": [1, 2, 3]}), np.array([0, "x", 1], dtype=object), "labels mix"),
        (pd.DataFrame({"a": []}), [], "0 sample"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), [1], "duplicate column names: 'a'"),
    ],
)
def test_a_table_that_cannot_be_learned_from_is_refused(table, labels, message):
    with pytest.raises(ValueError, match=message):
        NRIClassifier().fit(table, labels)


def test_rows_of_one_class_give_the_rule_that_always_says_so():
    clf = NRIClassifier().fit([[0.0], [1.0]], ["sick", "sick"])
    assert str(clf.rule_).startswith("ALWAYS     y = sick")
    assert clf.predict([[0.0]]).tolist() == ["sick"]
