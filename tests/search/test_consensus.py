import numpy as np
import pytest
from search_problems import dnf_truth

from nri.episode import make_episode
from nri.search.candidates import build_pool
from nri.search.consensus import Consensus, doubt_of, mixed_rows, rivals_of
from nri.search.greedy import induce
from nri.search.limits import Limits
from nri.search.objective import DescriptionLength, clause_bits
from nri.search.propose import all_conjunctions
from nri.search.rows import search_rows
from nri.search.select import Selection, select


def problem(seed=0, n_rows=40):
    rng = np.random.default_rng(seed)
    values = rng.random((n_rows, 5)) < 0.5
    labels = dnf_truth(values, [(0, 1), (2, 8)]) ^ (rng.random(n_rows) < 0.1)
    task = search_rows(make_episode(values, labels=labels)).task(1)
    pool = build_pool(task.literals, all_conjunctions(task.n_variables, np.arange(10), 2))
    return task, pool


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_rivals_are_counted_and_priced_like_the_rules_they_are(size):
    task, pool = problem()
    objective, limits = DescriptionLength(), Limits(max_clauses=size)
    chosen = Selection(pool.clauses[12 : 12 + size], cost=0.0, errors=0.0)
    rivals = rivals_of(chosen, 1, pool, task, objective, limits)
    covers = rivals.covers(task.literals)
    seen = set()
    for index, (base, added) in enumerate(zip(rivals.base, rivals.added, strict=True)):
        rule = pool.rule(sorted({*rivals.bases[base], *([added] if added >= 0 else [])}))
        fires = np.zeros(task.n_rows, bool)
        for clause in rule:
            fires |= task.literals[:, list(clause)].all(axis=1)
        assert (covers[index] == fires).all()
        assert rivals.errors[index] == pytest.approx(task.errors(fires))
        bits = clause_bits(np.array([len(c) for c in rule], int), 10).sum()
        assert rivals.costs[index] == pytest.approx(
            float(objective.cost(rivals.errors[index], bits, task.total))
        )
        assert len(rule) <= size
        assert rule not in seen, "a rule listed twice would be believed twice"
        seen.add(rule)
    assert {chosen.clauses, (), *((c,) for c in pool.clauses)} <= seen


def test_a_rule_that_others_contradict_is_in_more_doubt():
    """Variables 0 and 1 err on one row each; all others are worse, but err where variable 1 does."""
    labels = np.arange(12) % 2 == 0
    errs = [(0,), (1,), *((1, other) for other in range(2, 12))]
    values = np.array([labels ^ np.isin(np.arange(12), rows) for rows in errs]).T
    task = search_rows(make_episode(values, labels=labels)).task(1)
    pool = build_pool(task.literals, np.append(np.arange(12), 24)[:, None])
    objective, limits = DescriptionLength(), Limits(max_clauses=1)
    cheapest = select(pool, task, objective, limits)
    rivals = rivals_of(cheapest, 1, pool, task, objective, limits)
    assert cheapest.clauses == ((0,),), "a draw, settled by position"
    other = Selection(((1,),), cheapest.cost, cheapest.errors)
    lonely, backed = (
        doubt_of(taken, 1, [rivals], task, Consensus(n_rows=5000), np.random.default_rng(0))
        for taken in (cheapest, other)
    )
    assert 0 < backed < lonely < 0.5


def test_doubt_falls_with_the_rows_that_speak_for_a_rule():
    values = np.random.default_rng(0).random((200, 8)) < 0.5
    labels = dnf_truth(values, [(0, 1), (2, 11)]).astype(int)
    few, many = (
        induce(make_episode(values[:n], labels=labels[:n]), rng=np.random.default_rng(0)) for n in (16, 200)
    )
    assert many.doubt < 0.001
    assert few.doubt > 0.03


def test_mixed_rows_take_every_cell_from_a_row_that_weighs():
    literals = np.array([[1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]], bool)
    rows = mixed_rows(literals, np.array([1.0, 2.0, 0.0]), 50, np.random.default_rng(0))
    assert rows[:, 0].all()
    assert not rows[:, 2].any()
    assert (rows[:, 1] != rows[:, 3]).all()
    assert 0 < rows[:, 1].sum() < 50
