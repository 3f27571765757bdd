import numpy as np
from hypothesis import given
from rule_strategies import cases, columns_of

from nri.rule import FALSE, Clause, Literal, Op, Rule, clause_truth, column_of, count_ruleset

BOTH = Clause([Literal("fever", Op.EQ, True), Literal("cough", Op.EQ, True)])
OLD = Clause([Literal("chills", Op.EQ, True), Literal("age", Op.GT, 61), Literal("age", Op.LE, 90)])
COLUMNS = {
    "fever": column_of([True, True, False, False]),
    "cough": column_of([True, False, None, False]),
    "chills": column_of([True, False, False, True]),
    "age": column_of([70, 70, 70, None]),
}
RULESET = count_ruleset("flu", ["no", "yes"], {"yes": Rule([BOTH, OLD])}, COLUMNS, np.eye(2)[[1, 0, 0, 0]])


def test_a_fired_row_names_every_clause_that_fired():
    explanation = RULESET.explain(COLUMNS)[0]
    assert [decision.clause for decision in explanation.fired] == [BOTH, OLD]
    assert explanation.nearest == ()
    assert explanation.label == "yes"
    assert str(explanation).splitlines()[1:] == [
        "  because: cough AND fever => yes",
        "  also fired: 61 < age <= 90 AND chills => yes",
    ]


def test_an_unfired_row_names_what_the_nearest_clauses_lacked():
    _, one_failed, one_unknown_one_failed, unknowns = RULESET.explain(COLUMNS)
    assert [near.clause for near in one_failed.nearest] == [BOTH, OLD]
    assert one_failed.nearest[0].failed == (Literal("cough", Op.EQ, True),)
    assert "lacks chills (it is false)" in str(one_failed)
    assert [near.clause for near in one_unknown_one_failed.nearest] == [OLD]
    assert unknowns.nearest[0].clause == OLD, "two unknown literals are nearer than two false ones"
    assert unknowns.nearest[0].failed == ()
    assert len(unknowns.nearest[0].unknown) == 2
    assert "lacks age > 61 (it is unknown)" in str(unknowns)


def test_a_rule_set_without_clauses_explains_by_its_default():
    ruleset = count_ruleset("flu", ["no", "yes"], {"yes": FALSE}, COLUMNS, np.eye(2)[[1, 0, 0, 0]])
    explanation = ruleset.explain(COLUMNS)[0]
    assert explanation.fired == explanation.nearest == ()
    assert "no clause fired" in str(explanation)


@given(cases())
def test_explanations_agree_with_predictions(case):
    schema, ruleset, table = case
    columns = columns_of(schema, table)
    explanations = ruleset.explain(columns)
    assert [explanation.label for explanation in explanations] == ruleset.predict(columns).tolist()
    for m, explanation in enumerate(explanations):
        fired = {d.clause for d in ruleset.decisions if clause_truth(d.clause, columns)[m]}
        assert {decision.clause for decision in explanation.fired} == fired
        assert explanation.probability == ruleset.predict_proba(columns)[m].max()
        if fired:
            assert explanation.fired[0].label == explanation.label
        for near in explanation.nearest:
            assert near.misses
            assert set(near.failed) | set(near.unknown) <= set(near.clause)
