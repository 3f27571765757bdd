from itertools import combinations

import numpy as np
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st
from search_problems import episodes

from nri.episode import literal_truth, make_episode
from nri.search import candidates
from nri.search.candidates import clause_truth
from nri.search.clauses import clause_array
from nri.search.limits import Limits


def build_pool(literals, clauses, *limits):
    return candidates.build_pool(literals, clause_array(clauses, literals.shape[1]), *limits)


def all_clauses(n_variables, longest=3):
    return [c for k in range(longest + 1) for c in combinations(range(2 * n_variables), k)]


@settings(deadline=None, max_examples=usually(13, 40))
@given(episodes(max_rows=140, max_variables=3))
def test_truth_is_that_of_a_plain_row_by_row_reading(episode):
    literals = literal_truth(episode.values, episode.known)
    clauses = all_clauses(episode.n_variables)
    expected = [[all(row[j] for j in clause) for row in literals] for clause in clauses]
    assert (clause_truth(literals, clauses) == np.array(expected)).all()


@settings(deadline=None, max_examples=usually(13, 40))
@given(episodes(max_variables=4))
def test_a_pool_holds_every_truth_vector_once_by_its_shortest_clause(episode):
    literals = literal_truth(episode.values, episode.known)
    clauses = all_clauses(episode.n_variables)
    pool = build_pool(literals, clauses)
    shortest = {}
    for clause in clauses:
        rows = literals[:, list(clause)].all(axis=1).tobytes()
        if any(rows):
            shortest.setdefault(rows, len(clause))
    assert {row.tobytes(): len(c) for row, c in zip(pool.truth, pool.clauses, strict=True)} == shortest
    assert len(pool) == len(shortest)


@settings(deadline=None, max_examples=usually(20, 60))
@given(episodes(max_variables=4), st.data())
def test_a_pool_is_the_plain_definition_by_sets_of_tuples(episode, data):
    literals = literal_truth(episode.values, episode.known)
    n = episode.n_variables
    clauses = data.draw(st.lists(st.lists(st.integers(0, 2 * n - 1), max_size=4), max_size=40))
    masks = st.lists(st.booleans(), min_size=2 * n, max_size=2 * n).map(np.array)
    limits = Limits(
        max_literals=data.draw(st.integers(1, 3)),
        allowed=data.draw(st.none() | masks),
        required=data.draw(st.just(()) | st.tuples(masks)),
    )
    usable = limits.literal_mask(n)
    first = {}
    for clause in sorted({tuple(sorted(set(c))) for c in clauses}, key=lambda c: (len(c), c)):
        speaks = all(any(mask[j] for j in clause) for mask in limits.required)
        fires = literals[:, list(clause)].all(axis=1)
        if len(clause) <= limits.max_literals and usable[list(clause)].all() and speaks and fires.any():
            first.setdefault(fires.tobytes(), clause)
    assert build_pool(literals, clauses, limits).clauses == tuple(first.values())


@settings(deadline=None, max_examples=usually(6, 20))
@given(episodes(max_variables=3), st.randoms(use_true_random=False))
def test_the_order_of_proposals_does_not_matter(episode, random):
    literals = literal_truth(episode.values, episode.known)
    clauses = all_clauses(episode.n_variables)
    shuffled = [tuple(random.sample(c, len(c))) for c in random.sample(clauses, len(clauses))]
    assert build_pool(literals, clauses).clauses == build_pool(literals, shuffled + clauses[:3]).clauses


def test_contradictions_are_left_out_even_where_they_would_tie_with_nothing():
    literals = literal_truth(np.array([[True], [False]]), np.ones((2, 1), bool))
    assert build_pool(literals, [(0, 1), (0,)]).clauses == ((0,),)


def test_unknown_cells_make_neither_literal_fire():
    episode = make_episode(np.array([[True], [False], [False]]), np.array([[True], [True], [False]]))
    pool = build_pool(literal_truth(episode.values, episode.known), [(0,), (1,)])
    assert pool.truth.tolist() == [[True, False, False], [False, True, False]]


def test_always_is_not_confused_with_a_literal_that_holds_everywhere():
    literals = literal_truth(np.ones((3, 1), bool), np.ones((3, 1), bool))
    assert build_pool(literals, [(0,)]).clauses == ((0,),)
    assert build_pool(literals, [(0,), ()]).clauses == ((),)


def test_limits_keep_out_long_forbidden_and_negated_clauses():
    rng = np.random.default_rng(0)
    literals = literal_truth(rng.random((50, 3)) < 0.5, np.ones((50, 3), bool))
    allowed = np.array([True, True, False, False, False, False])
    pool = build_pool(literals, all_clauses(3), Limits(max_literals=2, allowed=allowed))
    assert set(pool.clauses) == {(), (0,), (1,), (0, 1)}


def test_least_precision_counts_weights():
    literals = literal_truth(np.array([[1, 0], [1, 0], [0, 1]], bool), np.ones((3, 2), bool))
    positive, weights = np.array([3.0, 0.0, 0.0]), np.array([3.0, 1.0, 1.0])
    pool = build_pool(literals, [(0,), (1,)])
    assert pool.precise(positive, weights, 0.75).clauses == ((0,),)
    none = pool.precise(positive, weights, 0.76)
    assert none.clauses == ()
    assert none.truth.shape == (0, 3)
