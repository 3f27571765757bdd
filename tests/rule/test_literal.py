import datetime as dt
import pickle

import numpy as np
import pytest
from hypothesis import given
from rule_strategies import dnfs, literals, schemas

from nri.errors import InputError
from nri.rule import ALWAYS, FALSE, TRUE, Clause, Dnf, Kind, Literal, Op


def test_one_spelling_for_each_meaning():
    assert Literal("s", Op.EQ, False) == Literal("s", Op.NE, True)
    assert Literal("x", Op.GT, 3.0) == Literal("x", ">", np.int64(3))
    assert Literal("d", Op.GT, dt.date(2024, 1, 2)) == Literal("d", Op.GT, np.datetime64("2024-01-02", "ns"))
    noon_utc = dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC)
    assert Literal("d", Op.LE, noon_utc.astimezone(dt.timezone(dt.timedelta(hours=5)))).value == dt.datetime(
        2024, 1, 1, 12
    )


def test_true_and_one_are_different_meanings():
    assert Literal("x", Op.EQ, True) != Literal("x", Op.EQ, 1)
    assert Literal("x", Op.EQ, "1").kind is Kind.TEXT


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 10**400, None, [1], np.datetime64("NaT"), b"a"]
)
def test_values_without_a_comparison_are_refused(value):
    with pytest.raises(InputError, match="literal cannot compare"):
        Literal("x", Op.EQ, value)


def test_order_on_booleans_and_text_is_refused():
    with pytest.raises(InputError, match="has no order"):
        Literal("x", Op.GT, True)
    with pytest.raises(InputError, match="has no order"):
        Literal("x", Op.LE, "red")


def test_unknown_comparison_and_unnamed_column_are_refused():
    with pytest.raises(InputError, match="no comparison '<'"):
        Literal("x", "<", 3)
    with pytest.raises(InputError, match="named by text"):
        Literal(7, Op.GT, 3)


@given(schemas().flatmap(literals))
def test_negation_is_its_own_inverse(literal):
    assert literal.negate() != literal
    assert literal.negate().negate() == literal


@given(schemas().flatmap(dnfs))
def test_rules_are_canonical_and_survive_pickling(rule):
    shuffled = Dnf(Clause(reversed(clause.literals), clause.at_least) for clause in reversed(rule.clauses))
    assert shuffled == rule
    assert hash(shuffled) == hash(rule)
    assert pickle.loads(pickle.dumps(rule)) == rule


def test_true_and_false_are_explicit():
    assert (str(TRUE), str(FALSE)) == ("(always)", "never")


def test_a_clause_asks_for_one_to_all_of_its_different_literals():
    a, b, c = (Literal(name, Op.EQ, True) for name in "abc")
    assert Clause([a, b, a], 2) == Clause([a, b]), "all of them is a conjunction"
    assert Clause([a, b], 1) != Clause([a, b])
    assert Clause([a, b, c], 2).counts
    assert not Clause([a, b, c]).counts
    assert (ALWAYS.at_least, ALWAYS.counts) == (0, False)
    for listed, wrong in (([a, b], 0), ([a, b], 3), ([a, a, b], 3), ([], 1)):
        with pytest.raises(InputError, match="at least"):
            Clause(listed, wrong)


def test_clauses_are_compared_by_what_they_need():
    a, b, c = (Literal(name, Op.EQ, True) for name in "abc")
    two = Clause([a, b, c], 2)
    assert two.shape != Clause([a, b, c]).shape
    assert two.criteria == Clause([a, b, c]).criteria


def test_rules_read_as_sentences():
    rule = Dnf([Clause([Literal("fever", Op.NE, True), Literal("age", Op.GT, 61)])])
    assert str(rule) == "(age > 61 AND NOT fever)"
    assert rule.columns == ("age", "fever")
    assert sum(map(len, rule.clauses)) == 2
