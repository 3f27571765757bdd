"""Whole numbers are said by their value, and two halves of a column by what they mean."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nri import Settings, induce_rule, read_table
from nri.rule import Op

ROWS = 80


def rule_of(children: list[int], label: list[bool], **settings):
    frame = pd.DataFrame({"children": children, "ill": np.where(label, "yes", "no")})
    return induce_rule(read_table(frame, "ill"), Settings(**settings)).rule


def test_the_least_whole_number_is_said_as_itself():
    children = [i % 4 for i in range(ROWS)]
    rule = rule_of(children, [c == 0 for c in children])
    assert {str(clause) for clause in rule.clauses} == {"children = 0"}


def test_a_range_of_one_whole_number_is_said_as_that_number():
    children = [i % 6 for i in range(ROWS)]
    rule = rule_of(children, [c == 4 for c in children])
    assert [str(clause) for clause in rule.clauses] == ["children = 4"]
    assert rule.predict(pd.DataFrame({"children": [3, 4, 5]})).tolist() == ["no", "yes", "no"]


def test_a_cut_above_the_least_number_stays_a_cut():
    children = [i % 6 for i in range(ROWS)]
    rule = rule_of(children, [c <= 2 for c in children])
    assert all(literal.op is not Op.EQ for clause in rule.clauses for literal in clause)


def test_numbers_with_decimals_stay_cuts():
    frame = pd.DataFrame({"dose": [0.0, 0.5, 1.0, 1.5] * 20})
    frame["ill"] = np.where(frame["dose"] <= 0, "yes", "no")
    clauses = induce_rule(read_table(frame, "ill")).rule.clauses
    assert all(literal.op.ordered for clause in clauses for literal in clause)


@pytest.mark.parametrize("outcome", ["number", "classes"])
@given(least=st.integers(-3, 3), value=st.integers(0, 3))
def test_saying_it_plainly_changes_no_prediction(outcome, least, value):
    children = [least + i % 5 for i in range(ROWS)]
    meant = [c == least + value for c in children]
    target = [10.0 * m + i % 3 for i, m in enumerate(meant)] if outcome == "number" else meant
    frame = pd.DataFrame({"children": children, "y": target})
    rule = induce_rule(read_table(frame, "y"), Settings(model="greedy")).rule
    fires = rule.decide(read_table(frame, "y").columns)
    counted = [branch.estimate.rows for branch in rule.branches]
    assert [int((np.asarray(fires) == i).sum()) for i in range(len(counted))] == counted


def test_two_halves_of_a_column_are_said_to_ask_if_it_is_known():
    days = [i % 20 + 1 if i % 2 else None for i in range(60)]
    frame = pd.DataFrame({"days": days, "died": ["yes" if i % 2 else "no" for i in range(60)]})
    rule = induce_rule(read_table(frame, "died")).rule
    text = str(rule)
    assert "IF  (days is known)" in text
    assert rule.predict({"days": [3, None]}).tolist() == ["yes", "no"]
