from itertools import combinations

import numpy as np
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st
from search_problems import episodes, random_posterior

from nri.episode import make_episode
from nri.search.candidates import build_pool
from nri.search.limits import Limits
from nri.search.objective import DescriptionLength, ExpectedError, clause_bits
from nri.search.propose import all_conjunctions
from nri.search.rows import search_rows
from nri.search.select import ERROR_WEIGHTS, LocalSearch, Moves, Pricing, State, shortlisted

OBJECTIVES = [DescriptionLength(), ExpectedError(0.05)]


def problem(episode, objective, seed=None):
    posterior = None if seed is None else random_posterior(episode, seed)
    task = search_rows(episode, posterior).task(1)
    n_literals = 2 * task.n_variables
    pool = build_pool(task.literals, all_conjunctions(task.n_variables, np.arange(n_literals), 2))
    return task, Pricing(pool, task, objective, Limits())


def plain_value(task, pricing, objective, rule):
    """The objective's value of a rule within the bound on errors, counted without any shortcut."""
    pool = pricing.pool
    covered = np.zeros(task.n_rows, bool)
    for position in rule:
        covered |= task.literals[:, list(pool.clauses[position])].all(axis=1)
    errors = task.errors(covered)
    lengths = np.array([len(pool.clauses[i]) for i in rule], dtype=int)
    cost = float(objective.cost(np.array(errors), clause_bits(lengths, pool.n_literals).sum(), task.total))
    excess = errors - pricing.error_bound
    return cost + 1e6 + 1e3 * excess if excess > 0 else cost


def draw_state(data, pool):
    chosen = data.draw(st.sets(st.integers(0, len(pool) - 1), max_size=min(4, len(pool))))
    banned = data.draw(st.none() | st.sampled_from(sorted(set(range(len(pool))) - chosen) or [None]))
    return State(tuple(sorted(chosen)), banned)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("drops", [1, 2])
@settings(deadline=None, max_examples=usually(13, 40))
@given(episode=episodes(max_variables=3, whole=True), data=st.data())
def test_the_best_move_is_the_best_of_all_moves_tried_one_by_one(objective, drops, episode, data):
    task, pricing = problem(episode, objective)
    states = [draw_state(data, pricing.pool) for _ in range(2)]
    most = max(1, *(len(state.chosen) for state in states))
    moves = Moves(pricing, states, drops, most)
    for number, state in enumerate(states):
        values = [np.inf]
        for gone in (g for k in ((0, 1) if drops == 1 else (2,)) for g in combinations(state.chosen, k)):
            base = set(state.chosen) - set(gone)
            added = set(range(len(pricing.pool))) - {state.banned} if len(base) < most else set()
            rules = [base, *(base | {i} for i in added - base)]
            values += [plain_value(task, pricing, objective, sorted(rule)) for rule in rules]
        value, rule = moves.best(number)
        assert value == pytest.approx(min(values))
        if value < np.inf:
            assert plain_value(task, pricing, objective, rule) == pytest.approx(value)
            assert state.banned not in rule


@pytest.mark.parametrize("objective", OBJECTIVES)
@settings(deadline=None, max_examples=usually(10, 30))
@given(episode=episodes(whole=True), data=st.data())
def test_starts_descend_together_to_where_each_descends_alone(objective, episode, data):
    _, pricing = problem(episode, objective)
    search = LocalSearch(pricing, 4)
    states = [draw_state(data, pricing.pool) for _ in range(4)]
    assert search.descend(states) == [search.descend([state])[0] for state in states]


@settings(deadline=None, max_examples=usually(10, 30))
@given(episodes(), st.none() | st.integers(0, 99), st.integers(4, 40))
def test_a_short_list_is_the_head_of_a_stable_sort_under_each_error_weight(episode, seed, most):
    task, pricing = problem(episode, OBJECTIVES[0], seed)
    pool = pricing.pool
    kept = set(range(len(pool))) if len(pool) <= most else set(np.flatnonzero(pool.lengths <= 1))
    for weight in ERROR_WEIGHTS:
        gain = np.where(task.gain < 0, weight * task.gain, task.gain).astype(np.float32)
        summed = pool.sums(gain[None])[0]
        assert summed == pytest.approx(pool.truth @ gain.astype(float), abs=1e-4)
        kept |= set(np.argsort(-summed, kind="stable")[: most // len(ERROR_WEIGHTS)])
    assert set(shortlisted(pool, task, most)) == kept


def test_a_full_rule_takes_no_further_clause():
    values = np.random.default_rng(0).random((60, 4)) < 0.5
    _, pricing = problem(make_episode(values, labels=values[:, 0] | values[:, 1]), OBJECTIVES[0])
    first = pricing.pool.clauses.index((0,))
    best = {most: Moves(pricing, [State((first,))], 1, most).best(0)[1] for most in (1, 2)}
    assert pricing.pool.rule(best[2]) == ((0,), (1,))
    assert len(best[1]) == 1
