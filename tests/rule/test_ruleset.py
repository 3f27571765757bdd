import numpy as np
import pytest
from hypothesis import given
from rule_strategies import cases, columns_of, n_rows

from nri.errors import InputError
from nri.rule import (
    FALSE,
    TRUE,
    ClassRule,
    Clause,
    Dnf,
    Evidence,
    Literal,
    Op,
    RuleSet,
    clause_truth,
    column_of,
    count_ruleset,
)

FEVER, COUGH, OLD = (
    Clause([Literal("fever", Op.EQ, True)]),
    Clause([Literal("cough", Op.EQ, True)]),
    Clause([Literal("age", Op.GT, 61)]),
)
COLUMNS = {
    "fever": column_of([True, True, False, None, False]),
    "cough": column_of([True, False, True, None, False]),
    "age": column_of([70, 50, None, None, 20]),
}


def two_class(rule=None, **changes):
    fields = {
        "target": "flu",
        "classes": ("no", "yes"),
        "rules": (ClassRule("yes", rule or Dnf([FEVER]), [Evidence([1, 9])] * len(rule or [1])),),
        "default": "no",
        "default_evidence": Evidence([8, 2]),
        "support": Evidence([9, 11]),
        "prior": (1.0, 1.0),
    }
    return RuleSet(**(fields | changes))


@given(cases())
def test_the_likeliest_class_is_the_predicted_one(case):
    schema, ruleset, table = case
    columns = columns_of(schema, table)
    probabilities = ruleset.predict_proba(columns)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (probabilities >= 0).all()
    ranked = np.sort(probabilities, axis=1)
    assert (ranked[:, -1] > ranked[:, -2]).all(), "a tie would leave the class open"
    assert (probabilities.argmax(axis=1) == ruleset.predict_index(columns)).all()
    assert [ruleset.classes[i] for i in ruleset.predict_index(columns)] == ruleset.predict(columns).tolist()


@given(cases())
def test_the_firing_clause_of_highest_precision_decides(case):
    schema, ruleset, table = case
    columns = columns_of(schema, table)
    labels = ruleset.predict(columns)
    fires = [clause_truth(decision.clause, columns) for decision in ruleset.decisions]
    for m in range(n_rows(table)):
        firing = [d for d, fired in zip(ruleset.decisions, fires, strict=True) if fired[m]]
        best = max((d.precision for d in firing), default=None)
        expected = [d.label for d in firing if d.precision == best] or [ruleset.default]
        assert labels[m] in expected


@given(cases())
def test_prediction_needs_only_the_columns_the_rules_read(case):
    schema, ruleset, table = case
    columns = columns_of(schema, table)
    used = {name: columns[name] for name in ruleset.columns}
    assert (ruleset.predict(used, n_rows(table)) == ruleset.predict(columns)).all()


def test_a_conflict_goes_to_the_more_precise_clause_whatever_its_class():
    rules = (
        ClassRule("a", Dnf([FEVER]), [Evidence([6, 4, 0])]),
        ClassRule("b", Dnf([COUGH]), [Evidence([0, 9, 1])]),
    )
    ruleset = RuleSet("y", ("a", "b", "c"), rules, "c", Evidence([0, 0, 5]), Evidence([6, 13, 6]), (0, 0, 0))
    assert ruleset.predict(COLUMNS).tolist() == ["b", "a", "b", "c", "c"]
    assert ruleset.predict_proba(COLUMNS)[0].tolist() == [0, 0.9, 0.1]
    assert [decision.label for decision in ruleset.decisions] == ["b", "a"]


def test_shrinkage_makes_many_rows_count_more_than_few():
    rules = (
        ClassRule("a", Dnf([FEVER]), [Evidence([1, 0])]),
        ClassRule("b", Dnf([COUGH]), [Evidence([2, 40])]),
    )
    ruleset = RuleSet("y", ("a", "b"), rules, "b", Evidence([0, 0]), Evidence([3, 40]), (1, 1))
    assert ruleset.predict(COLUMNS)[0] == "b", "one row in favour is less than 40 of 42"


def test_a_clause_can_decide_against_its_own_counts_and_still_lead():
    ruleset = two_class(rules=(ClassRule("yes", Dnf([FEVER]), [Evidence([7, 3])]),))
    row = ruleset.predict_proba(COLUMNS)[0]
    assert row[1] > row[0]
    assert row == pytest.approx([0.5, 0.5], abs=1e-5)


def test_no_evidence_at_all_still_gives_the_default():
    ruleset = two_class(rules=(), default_evidence=Evidence([0, 0]), prior=(0, 0))
    assert ruleset.predict({}, n_rows=2).tolist() == ["no", "no"]
    assert ruleset.predict_proba({}, n_rows=1)[0] == pytest.approx([0.5, 0.5], abs=1e-5)


def test_evidence_is_counted_on_the_support_rows():
    weights = np.array([[0, 1], [0, 1], [1, 0], [0.25, 0.75], [2, 0]])
    ruleset = count_ruleset("flu", ["no", "yes"], {"yes": Dnf([FEVER, OLD])}, COLUMNS, weights, shrinkage=2)
    assert [evidence.counts for evidence in ruleset.rules[0].evidence] == [(0, 2), (0, 1)]
    assert ruleset.default_evidence.counts == (3.25, 0.75)
    assert ruleset.support.counts == (3.25, 2.75)
    assert sum(ruleset.prior) == 2
    assert ruleset.default == "no"
    assert ruleset.columns == ("fever", "age")


def test_a_clause_is_as_sure_as_the_rows_left_to_it_were_right():
    """With several classes a clause of precision 0.43 was right on nearly every row that came down to it."""
    n = 300
    first, second = np.arange(n) < 160, np.arange(n) < 280
    columns = {"a": column_of(first.tolist()), "b": column_of(second.tolist())}
    labels = np.eye(3)[np.where(first, 0, np.where(second, 1, 2))]
    rules = {
        "x": Dnf([Clause([Literal("a", Op.EQ, True)])]),
        "y": Dnf([Clause([Literal("b", Op.EQ, True)])]),
    }
    ruleset = count_ruleset("t", "xyz", rules, columns, labels)
    assert ruleset.rules[1].evidence[0].share(1) == pytest.approx(120 / 280)
    assert ruleset.rules[1].decided[0].counts == (0, 120, 0)
    assert ruleset.predict_proba(columns)[200, 1] > 0.9


def test_uncovered_rows_go_to_their_own_majority_not_the_overall_one():
    labels = np.eye(3)[[0, 0, 1, 2, 0]]
    rules = {"a": Dnf([FEVER, Clause([Literal("age", Op.LE, 30)])])}
    ruleset = count_ruleset("y", "abc", rules, COLUMNS, np.vstack([labels]), shrinkage=0)
    assert ruleset.default == "b"


def test_rules_that_are_always_or_never_true():
    assert two_class(TRUE).predict(COLUMNS).tolist() == ["yes"] * 5
    assert two_class(rules=(ClassRule("yes", FALSE, []),)).predict(COLUMNS, 5).tolist() == ["no"] * 5


@pytest.mark.parametrize(
    ("classes", "dtype"), [((0, 1), "i"), ((False, True), "b"), ((0.5, 1.5), "f"), (("no", "yes"), "O")]
)
def test_labels_come_back_as_the_type_they_went_in(classes, dtype):
    ruleset = two_class(
        classes=classes, default=classes[0], rules=(ClassRule(classes[1], TRUE, [Evidence([0, 1])]),)
    )
    assert ruleset.predict(COLUMNS).dtype.kind == dtype
    assert ruleset.predict(COLUMNS).tolist() == [classes[1]] * 5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"default": "maybe"}, "'maybe' is not a class of 'flu'"),
        ({"classes": ()}, "at least one class"),
        ({"classes": ("no", "no")}, "classes must differ"),
        ({"classes": ("no", 1)}, "classes mix sorts"),
        ({"classes": ("no", None)}, "label cannot be None"),
        ({"classes": (0.0, float("nan"))}, "label cannot be nan"),
        ({"prior": (1.0,)}, "1 counts for 2 classes"),
        ({"support": Evidence([1, 2, 3])}, "3 counts for 2 classes"),
        ({"rules": (ClassRule("yes", FALSE, []),) * 2}, "a class has two rules"),
    ],
)
def test_impossible_rule_sets_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        two_class(**changes)


def test_impossible_evidence_is_refused():
    with pytest.raises(InputError, match="not negative"):
        Evidence([1, -1])
    with pytest.raises(InputError, match="evidence for 0"):
        ClassRule("yes", Dnf([FEVER]), [])
    with pytest.raises(InputError, match="shape"):
        count_ruleset("y", "ab", {}, COLUMNS, np.ones((5, 3)))
    with pytest.raises(InputError, match="shrinkage"):
        count_ruleset("y", "ab", {}, COLUMNS, np.ones((5, 2)), shrinkage=-1)


def test_a_column_has_one_kind_throughout():
    rule = Dnf([Clause([Literal("x", Op.EQ, True)]), Clause([Literal("x", Op.EQ, "yes")])])
    with pytest.raises(InputError, match="column 'x' is compared as boolean and as text"):
        two_class(rule)
