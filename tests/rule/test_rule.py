import numpy as np
import pytest
from hypothesis import given
from rule_strategies import cases, columns_of, counted, n_rows

from nri.errors import InputError
from nri.rule import (
    FALSE,
    TRUE,
    Branch,
    ClassTarget,
    Clause,
    Dnf,
    Literal,
    Mean,
    NumberTarget,
    Op,
    Rule,
    Shares,
    clause_truth,
    column_of,
)
from nri.rule.truth import estimated_precision

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


def shares(value, counts):
    """An estimate whose probabilities are the shares of the rows."""
    return Shares(value, counts, [count / sum(counts) for count in counts])


def two_class(clauses=(FEVER,), **changes):
    fields = {
        "predicts": ClassTarget("flu", ("no", "yes")),
        "branches": [Branch(clause, shares("yes", [1, 9])) for clause in clauses],
        "otherwise": shares("no", [8, 2]),
        "support": shares("yes", [9, 11]),
    }
    return Rule(**(fields | changes))


@given(cases())
def test_the_likeliest_class_is_the_predicted_one_where_it_leads_among_the_rows(case):
    schema, rule, table = case
    columns = columns_of(schema, table)
    probabilities = rule.predict_proba(columns)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (probabilities >= 0).all()
    leads = np.array([one.counts[rule.classes.index(one.value)] == max(one.counts) for one in rule.estimates])
    leads = leads[rule.decide(columns, len(probabilities))]
    ranked = np.sort(probabilities, axis=1)
    assert (ranked[leads, -1] > ranked[leads, -2]).all(), "a tie would leave the class open"
    assert (probabilities.argmax(axis=1) == rule.predict_index(columns))[leads].all()
    assert [rule.classes[i] for i in rule.predict_index(columns)] == rule.predict(columns).tolist()


@given(cases())
def test_the_first_branch_that_fires_decides(case):
    schema, rule, table = case
    columns = columns_of(schema, table)
    labels = rule.predict(columns)
    fires = [clause_truth(branch.clause, columns) for branch in rule.branches]
    for m in range(n_rows(table)):
        firing = [b.value for b, fired in zip(rule.branches, fires, strict=True) if fired[m]]
        assert labels[m] == [*firing, rule.default][0]


@given(cases())
def test_prediction_needs_only_the_columns_that_the_rule_reads(case):
    schema, rule, table = case
    columns = columns_of(schema, table)
    used = {name: columns[name] for name in rule.columns}
    assert (rule.predict(used, n_rows(table)) == rule.predict(columns)).all()


def test_the_more_precise_clause_comes_first_whatever_its_class():
    n = 30
    columns = {
        "fever": column_of([True] * 10 + [False] * 20),
        "cough": column_of([False] * 5 + [True] * 10 + [False] * 15),
    }
    codes = np.where(np.arange(n) < 8, 0, np.where(np.arange(n) < 15, 1, 2))
    rule = counted("y", "abc", {"a": Dnf([FEVER]), "b": Dnf([COUGH])}, columns, np.eye(3)[codes])
    assert [branch.value for branch in rule.branches] == ["a", "b"]
    assert rule.predict(COLUMNS).tolist() == ["a", "a", "b", "c", "c"]
    share = (codes == 0).mean()
    assert estimated_precision(8, 10, share) > estimated_precision(7, 10, (codes == 1).mean())


def test_many_rows_count_more_than_few():
    columns = {
        "fever": column_of([True, *[False] * 43]),
        "cough": column_of([True] * 42 + [False] * 2),
    }
    codes = np.array([0, 0, *[1] * 40, 1, 1])
    rule = counted("y", "ab", {"a": Dnf([FEVER]), "b": Dnf([COUGH])}, columns, np.eye(2)[codes])
    assert rule.predict(COLUMNS)[0] == "b", "one row in favour is less than 40 of 42"


def test_a_clause_that_decides_against_its_counts_promises_no_more_than_they_say():
    """Where errors had costs, 285 of 2380 rows were said to be about 0.50 on new ones."""
    columns = {"fever": column_of([True] * 10 + [False] * 10)}
    codes = np.array([0] * 7 + [1] * 3 + [0] * 10)
    rule = counted("flu", ["no", "yes"], {"yes": Dnf([FEVER])}, columns, np.eye(2)[codes])
    row = rule.predict_proba(COLUMNS)[0]
    assert rule.predict(COLUMNS)[0] == "yes"
    assert 0.2 < row[1] < 0.35


def test_rows_are_counted_where_a_branch_decides():
    weights = np.array([[0, 1], [0, 1], [1, 0], [0.25, 0.75], [2, 0]])
    rule = counted("flu", ["no", "yes"], {"yes": Dnf([FEVER, OLD])}, COLUMNS, weights)
    assert [branch.clause for branch in rule.branches] == [FEVER, OLD]
    assert [estimate.counts for estimate in rule.estimates] == [(0, 2), (0, 0), (3.25, 0.75)]
    assert rule.support.counts == (3.25, 2.75)
    assert rule.default == "no"
    assert rule.columns == ("fever", "age")
    assert sum(estimate.rows for estimate in rule.estimates) == rule.support.rows


@given(cases())
def test_every_row_is_counted_once(case):
    _, rule, _ = case
    total = np.sum([estimate.counts for estimate in rule.estimates], axis=0)
    assert total == pytest.approx(rule.support.counts)


def test_a_branch_is_as_sure_as_the_rows_left_to_it_were_right():
    """With several classes a clause of precision 0.43 was right on nearly every row that came down to it."""
    n = 300
    first, second = np.arange(n) < 160, np.arange(n) < 280
    columns = {"a": column_of(first.tolist()), "b": column_of(second.tolist())}
    labels = np.eye(3)[np.where(first, 0, np.where(second, 1, 2))]
    conditions = {
        "x": Dnf([Clause([Literal("a", Op.EQ, True)])]),
        "y": Dnf([Clause([Literal("b", Op.EQ, True)])]),
    }
    rule = counted("t", "xyz", conditions, columns, labels)
    assert rule.branches[1].estimate.counts == (0, 120, 0)
    assert rule.predict_proba(columns)[200, 1] > 0.9


def test_rules_that_are_always_or_never_true():
    assert two_class(TRUE.clauses).predict(COLUMNS).tolist() == ["yes"] * 5
    assert two_class(FALSE.clauses).predict(COLUMNS, 5).tolist() == ["no"] * 5
    assert two_class(()).predict({}, n_rows=2).tolist() == ["no", "no"]


@pytest.mark.parametrize(
    ("classes", "dtype"), [((0, 1), "i"), ((False, True), "b"), ((0.5, 1.5), "f"), (("no", "yes"), "O")]
)
def test_labels_come_back_as_the_type_they_went_in(classes, dtype):
    rule = two_class(
        predicts=ClassTarget("y", classes),
        branches=[Branch(Clause([]), shares(classes[1], [0, 1]))],
        otherwise=shares(classes[0], [8, 2]),
        support=shares(classes[1], [9, 11]),
    )
    assert rule.predict(COLUMNS).dtype.kind == dtype
    assert rule.predict(COLUMNS).tolist() == [classes[1]] * 5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (lambda: {"otherwise": shares("maybe", [8, 2])}, "'maybe' is not a class of 'flu'"),
        (lambda: {"predicts": ClassTarget("flu", ())}, "at least one class"),
        (lambda: {"predicts": ClassTarget("flu", ("no", "no"))}, "classes must differ"),
        (lambda: {"predicts": ClassTarget("flu", ("no", 1))}, "classes mix sorts"),
        (lambda: {"predicts": ClassTarget("flu", ("no", None))}, "label cannot be None"),
        (lambda: {"predicts": ClassTarget("flu", (0.0, float("nan")))}, "label cannot be nan"),
        (lambda: {"support": shares("no", [1, 2, 3])}, "3 counts for 2 classes"),
        (lambda: {"otherwise": shares("no", [1, -1, 3])}, "not negative"),
    ],
)
def test_impossible_rules_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        two_class(**changes())


def test_a_number_that_is_not_finite_is_refused():
    nothing = Mean(float("nan"), 0, 0, 0, 0, (0, 0, 0, 0, 0))
    with pytest.raises(InputError, match="no finite number"):
        Rule(NumberTarget("rent"), [], nothing, nothing)


def test_a_column_has_one_kind_throughout():
    clauses = Clause([Literal("x", Op.EQ, True)]), Clause([Literal("x", Op.EQ, "yes")])
    with pytest.raises(InputError, match="column 'x' is compared as boolean and as text"):
        two_class(clauses)


def test_classes_are_refused_of_a_rule_for_a_number():
    some = Mean(3.0, 5, 3.0, 2.0, 4.0, (1, 2, 3, 4, 5))
    with pytest.raises(InputError, match=r"predicts a number, 'rent', where classes are needed"):
        Rule(NumberTarget("rent"), [], some, some).predict_proba({}, 1)
