import numpy as np
from hypothesis import given
from rule_strategies import cases, columns_of, counted

from nri.rule import FALSE, Clause, Dnf, Literal, Op, clause_truth, column_of

BOTH = Clause([Literal("fever", Op.EQ, True), Literal("cough", Op.EQ, True)])
OLD = Clause([Literal("chills", Op.EQ, True), Literal("age", Op.GT, 61), Literal("age", Op.LE, 90)])
COLUMNS = {
    "fever": column_of([True, True, False, False]),
    "cough": column_of([True, False, None, False]),
    "chills": column_of([True, False, False, True]),
    "age": column_of([70, 70, 70, None]),
}
RULE = counted("flu", ["no", "yes"], {"yes": Dnf([BOTH, OLD])}, COLUMNS, np.eye(2)[[1, 0, 0, 0]])


def test_a_fired_row_names_every_clause_that_fired():
    explanation = RULE.explain(COLUMNS)[0]
    assert [branch.clause for branch in explanation.fired] == [BOTH, OLD]
    assert explanation.nearest == ()
    assert explanation.value == "yes"
    assert "otherwise" not in repr(explanation)  # the rule is not written out for every row
    assert str(explanation).splitlines()[1:] == [
        "  because: cough AND fever => yes",
        "  also fired: 61 < age <= 90 AND chills => yes",
    ]


def test_an_unfired_row_names_what_the_nearest_clauses_lacked():
    _, one_failed, one_unknown_one_failed, unknowns = RULE.explain(COLUMNS)
    assert [near.clause for near in one_failed.nearest] == [BOTH, OLD]
    assert [miss.literal for miss in one_failed.nearest[0].misses] == [Literal("cough", Op.EQ, True)]
    assert "lacks chills (it is false)" in str(one_failed)
    assert [near.clause for near in one_unknown_one_failed.nearest] == [OLD]
    assert unknowns.nearest[0].clause == OLD, "two unknown literals are nearer than two false ones"
    assert len(unknowns.nearest[0].unknown) == len(unknowns.nearest[0].misses) == 2
    assert "lacks age > 61 (it is unknown)" in str(unknowns)


SIGNS = Clause(
    [
        Literal("glucose", Op.GT, 124),
        Literal("age", Op.GT, 50),
        Literal("bmi", Op.GT, 30),
        Literal("smoker", Op.EQ, True),
        Literal("history", Op.EQ, True),
    ],
    at_least=3,
)


def test_a_count_says_how_many_hold_and_what_is_nearest_to_holding():
    columns = {
        "glucose": column_of([120, 130, None]),
        "age": column_of([20, 20, 70]),
        "bmi": column_of([31, 31, 20]),
        "smoker": column_of([True, True, True]),
        "history": column_of([False, False, False]),
    }
    rule = counted("diabetes", ["no", "yes"], {"yes": Dnf([SIGNS])}, columns, np.eye(2)[[0, 1, 0]])
    missed, fired, unknown = rule.explain(columns)
    assert missed.nearest[0].lines == ("2 of 5 hold, 3 are needed; nearest: glucose > 124 (it is 120)",)
    assert (missed.nearest[0].n_held, missed.nearest[0].lacks) == (2, 1)
    assert fired.held == (tuple(x for x in SIGNS if x.column in ("bmi", "glucose", "smoker")),)
    assert str(fired).splitlines()[2] == "    3 of 5 hold, 3 are needed: bmi > 30, glucose > 124, smoker"
    assert "nearest: bmi > 30 (it is 20)" in str(unknown), "a number that is known comes first"
    assert [str(miss.literal.column) for miss in unknown.nearest[0].misses] == ["bmi", "glucose", "history"]


def test_a_rule_without_clauses_explains_by_its_default():
    rule = counted("flu", ["no", "yes"], {"yes": FALSE}, COLUMNS, np.eye(2)[[1, 0, 0, 0]])
    explanation = rule.explain(COLUMNS)[0]
    assert explanation.fired == explanation.nearest == ()
    assert "no branch fired" in str(explanation)


@given(cases())
def test_explanations_agree_with_predictions(case):
    schema, rule, table = case
    columns = columns_of(schema, table)
    explanations = rule.explain(columns)
    assert [explanation.value for explanation in explanations] == rule.predict(columns).tolist()
    for m, explanation in enumerate(explanations):
        fired = {clause for clause in rule.clauses if clause_truth(clause, columns)[m]}
        assert {branch.clause for branch in explanation.fired} == fired
        assert (
            explanation.probability == rule.predict_proba(columns)[m][rule.classes.index(explanation.value)]
        )
        if fired:
            assert explanation.fired[0].value == explanation.value
        for near in explanation.nearest:
            assert near.misses
            assert 0 < near.lacks <= len(near.misses)
            assert {miss.literal for miss in near.misses} <= set(near.clause)
