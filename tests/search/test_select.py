import numpy as np
import pytest
from effort import usually
from exact_selection import select_exact
from hypothesis import given, settings
from hypothesis import strategies as st
from search_problems import dnf_truth, episodes, random_posterior

from nri.episode import make_episode
from nri.search.candidates import build_pool
from nri.search.limits import Limits
from nri.search.objective import DescriptionLength, ExpectedError
from nri.search.propose import all_conjunctions
from nri.search.rows import search_rows
from nri.search.select import select, shortlist

OBJECTIVES = [DescriptionLength(), ExpectedError(0.05)]


def full_pool(task, longest=2):
    return build_pool(
        task.literals, all_conjunctions(task.n_variables, np.arange(2 * task.n_variables), longest)
    )


def random_task(seed, n_rows=30, n_variables=4, soft=False):
    rng = np.random.default_rng(seed)
    values = rng.random((n_rows, n_variables)) < 0.5
    labels = dnf_truth(values, [(0, 1), (2,)]) ^ (rng.random(n_rows) < 0.15)
    episode = make_episode(values, labels=labels)
    return search_rows(episode, random_posterior(episode, seed) if soft else None).task(1)


@pytest.mark.parametrize("objective", OBJECTIVES)
@settings(deadline=None, max_examples=usually(20, 60))
@given(
    episode=episodes(),
    seed=st.none() | st.integers(0, 99),
    max_clauses=st.integers(1, 3),
    negations=st.booleans(),
)
def test_never_worse_than_majority_and_the_best_literal(objective, episode, seed, max_clauses, negations):
    posterior = None if seed is None else random_posterior(episode, seed)
    task = search_rows(episode, posterior).task(1)
    n_variables = task.n_variables
    allowed = None if negations else np.arange(2 * n_variables) < n_variables
    limits = Limits(max_clauses=max_clauses, allowed=allowed)
    usable = np.flatnonzero(limits.literal_mask(task.n_variables))
    pool = build_pool(task.literals, all_conjunctions(task.n_variables, usable, 2), limits)
    selection = select(pool, task, objective, limits)
    nothing = np.zeros(task.n_rows, bool)
    simple = [nothing, ~nothing, *(task.literals[:, j] for j in usable)]
    assert selection.errors <= min(task.errors(covered) for covered in simple) + 1e-6
    assert len(selection.clauses) <= max_clauses


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_errors_and_cost_are_those_of_the_chosen_clauses(objective):
    task = random_task(1, soft=True)
    selection = select(full_pool(task), task, objective, Limits())
    covered = np.any([task.literals[:, list(c)].all(axis=1) for c in selection.clauses], axis=0)
    assert selection.errors == pytest.approx(task.errors(covered))


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("soft", [False, True])
def test_local_search_finds_the_exact_optimum_on_most_small_problems(objective, soft):
    equal = 0
    for seed in range(16):
        task = random_task(seed, soft=soft)
        pool, limits = full_pool(task), Limits(max_clauses=4)
        found = select(pool, task, objective, limits)
        best = select_exact(pool, task, objective, limits, max_errors=found.pricing.most_errors)
        assert best.proven
        assert found.cost >= best.cost - 1e-6, "nothing is cheaper than the exact optimum"
        equal += found.cost <= best.cost + 1e-6
    assert equal >= 12


def test_an_or_of_four_literals_is_found():
    """Growing from nothing with one error weight got stuck here: one literal looks like noise."""
    rng = np.random.default_rng(0)
    values = rng.random((100, 12)) < 0.5
    task = search_rows(make_episode(values, labels=values[:, :4].any(axis=1))).task(1)
    selection = select(full_pool(task), task, DescriptionLength(), Limits())
    assert set(selection.clauses) == {(0,), (1,), (2,), (3,)}


def test_labels_of_pure_noise_are_not_explained():
    rng = np.random.default_rng(7)
    values = rng.random((300, 10)) < 0.5
    task = search_rows(make_episode(values, labels=rng.random(300) < 0.3)).task(1)
    assert len(select(full_pool(task), task, DescriptionLength(), Limits()).clauses) <= 1


@settings(deadline=None, max_examples=usually(8, 25))
@given(episodes(max_rows=16), st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(episode, seed):
    order = np.random.default_rng(seed).permutation(len(episode))
    shuffled = make_episode(
        episode.values[order],
        episode.known[order],
        episode.labels[order],
        episode.weights[order],
        n_classes=2,
    )
    results = []
    for e in (episode, shuffled):
        task = search_rows(e).task(1)
        results.append(select(full_pool(task), task, DescriptionLength(), Limits()).clauses)
    assert results[0] == results[1]


def test_an_empty_pool_gives_the_empty_rule():
    task = random_task(0)
    pool = build_pool(task.literals, np.empty((0, 1), dtype=int))
    for chosen in (
        select(pool, task, DescriptionLength(), Limits()),
        select(shortlist(pool, task, 5), task, ExpectedError(), Limits()),
    ):
        assert chosen.clauses == ()
        assert chosen.errors == task.errors(np.zeros(task.n_rows, bool))


def test_a_short_list_keeps_single_literals_and_the_best_clause():
    task = random_task(2, n_rows=80, n_variables=7)
    pool = full_pool(task, 3)
    short = shortlist(pool, task, 40)
    assert len(short) < len(pool)
    assert {(j,) for j in range(14)} <= set(short.clauses)
    assert pool.clauses[int(np.argmax(pool.truth @ task.gain))] in short.clauses


def test_a_large_pool_searched_from_a_short_list_is_chosen_as_well(monkeypatch):
    rng = np.random.default_rng(11)
    values = rng.random((120, 12)) < 0.5
    labels = dnf_truth(values, [(0, 1, 2), (3, 16), (5, 18)]) ^ (rng.random(120) < 0.05)
    task = search_rows(make_episode(values, labels=labels)).task(1)
    pool = full_pool(task, 3)
    monkeypatch.setattr("nri.search.select.SHORTLIST", 100)
    quick = select(pool, task, DescriptionLength(), Limits())
    monkeypatch.setattr("nri.search.select.SHORTLIST", len(pool))
    thorough = select(pool, task, DescriptionLength(), Limits())
    assert quick.cost == pytest.approx(thorough.cost)


def test_an_exact_search_without_time_falls_back_and_says_so():
    task = random_task(3)
    pool = full_pool(task)
    hurried = select_exact(pool, task, DescriptionLength(), Limits(), time_limit=0.0)
    assert not hurried.proven
    assert hurried.clauses == select(pool, task, DescriptionLength(), Limits()).clauses
