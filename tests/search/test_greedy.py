import numpy as np
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st
from search_problems import dnf_truth, episodes, random_posterior

from nri.episode import make_episode
from nri.search.clauses import clause_tuples
from nri.search.limits import Limits
from nri.search.propose import SymbolicProposer, choose_seeds, foil_gain, grow_from_seeds, m_estimate
from nri.search.rows import search_rows

SCORES = [foil_gain, m_estimate(2.0)]


def grow(task, seeds, score, limits):
    grown = grow_from_seeds(task, seeds, [score], limits)
    return [clause for batch in grown for clause in clause_tuples(batch, 2 * task.n_variables)]


def proposed(task, limits, rng):
    return clause_tuples(SymbolicProposer()(task, limits, rng), 2 * task.n_variables)


def table(n_rows=60, n_variables=8, seed=0):
    return np.random.default_rng(seed).random((n_rows, n_variables)) < 0.5


@pytest.mark.parametrize("score", SCORES)
@settings(deadline=None, max_examples=usually(10, 30))
@given(episode=episodes(), seed=st.integers(0, 99))
def test_every_clause_covers_the_seed_it_grew_from(score, episode, seed):
    task = search_rows(episode, random_posterior(episode, seed)).task(1)
    for row in choose_seeds(task, 5, np.random.default_rng(0)):
        for clause in grow(task, np.array([row]), score, Limits(max_literals=3)):
            assert task.literals[row, list(clause)].all()
            assert len(clause) <= 3


@pytest.mark.parametrize("score", SCORES)
def test_all_seeds_together_grow_what_each_grows_alone(score):
    values = table()
    task = search_rows(make_episode(values, labels=dnf_truth(values, [(0, 1), (2, 11)]))).task(1)
    seeds = choose_seeds(task, 100, np.random.default_rng(0))
    alone = {c for row in seeds for c in grow(task, np.array([row]), score, Limits())}
    assert set(grow(task, seeds, score, Limits())) == alone


@pytest.mark.parametrize("score", SCORES)
def test_a_copy_of_the_first_literal_is_worth_nothing_once_it_is_chosen(score):
    """Counts are taken anew: ranked once, the copy of x0 would come before the needed x1."""
    rng = np.random.default_rng(3)
    values = rng.random((400, 4)) < 0.5
    values[:, 3] = values[:, 0]
    labels = values[:, 0] & (values[:, 1] | (rng.random(400) < 0.4))
    task = search_rows(make_episode(values, labels=labels)).task(1)
    row = np.flatnonzero(task.literals[:, 0] & task.literals[:, 1])[:1]
    found = grow(task, row, score, Limits())
    assert (0, 1) in found
    assert not any({0, 3} <= set(clause) for clause in found)


@settings(deadline=None, max_examples=usually(6, 20))
@given(episodes(max_rows=12, whole=True))
def test_a_weight_counts_like_repeated_rows(episode):
    times = episode.weights.astype(int)
    repeated = make_episode(
        np.repeat(episode.values, times, axis=0),
        np.repeat(episode.known, times, axis=0),
        np.repeat(episode.labels, times),
    )
    rules = [
        proposed(search_rows(e).task(1), Limits(), np.random.default_rng(0)) for e in (episode, repeated)
    ]
    assert rules[0] == rules[1]


def test_seeds_are_capped_and_the_same_for_the_same_generator():
    values = table(300)
    task = search_rows(make_episode(values, labels=values[:, 0])).task(1)
    seeds = [choose_seeds(task, 20, np.random.default_rng(s)).tolist() for s in (1, 1, 2)]
    assert seeds[0] == seeds[1] != seeds[2]
    assert len(set(seeds[0])) == 20
    assert (task.gain[seeds[0]] > 0).all()


def test_a_class_that_is_never_the_likelier_one_still_has_seeds():
    values = table(20, 5)
    posterior = np.tile([0.9, 0.1], (20, 1))
    task = search_rows(make_episode(values), posterior).task(1)
    assert len(choose_seeds(task, 10, np.random.default_rng(0))) > 0
    assert () in proposed(task, Limits(), np.random.default_rng(0))


def test_proposals_hold_the_true_clauses_of_a_wide_table():
    rng = np.random.default_rng(5)
    values = rng.random((400, 60)) < 0.5
    rule = [(1, 65, 40), (10, 90)]
    task = search_rows(make_episode(values, labels=dnf_truth(values, rule))).task(1)
    found = set(proposed(task, Limits(), rng))
    assert {tuple(sorted(clause)) for clause in rule} <= found


def test_forbidden_literals_are_never_proposed():
    values = table(80, 6)
    limits = Limits(allowed=np.isin(np.arange(12), range(1, 6)))
    task = search_rows(make_episode(values, labels=values[:, 0])).task(1)
    for clause in proposed(task, limits, np.random.default_rng(0)):
        assert 0 not in clause
        assert all(j < 6 for j in clause)


def test_a_single_row_has_no_neighbours_and_still_gets_proposals():
    """The distance to the nearest other row was infinite, and its difference not a number."""
    task = search_rows(make_episode(table(1, 40), labels=np.array([1]))).task(1)
    assert () in proposed(task, Limits(), np.random.default_rng(0))
