"""Counting clauses: found where they are the truth, priced like all else, and never beyond the limits."""

import numpy as np
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.episode import literal_truth, make_episode
from nri.search.candidates import clause_truth
from nri.search.clauses import IndexCount, members
from nri.search.counts import propose_counts
from nri.search.greedy import induce
from nri.search.limits import Limits
from nri.search.objective import DescriptionLength, ExpectedError
from nri.search.rows import search_rows


def voters(n_rows=120, n_variables=8, seed=0):
    """Rows whose class says whether at least three of the first five variables hold."""
    values = np.random.default_rng(seed).random((n_rows, n_variables)) < 0.5
    return make_episode(values, labels=(values[:, :5].sum(axis=1) >= 3).astype(np.int64))


def test_a_vote_is_found_as_one_counting_clause():
    found = induce(voters(), rng=np.random.default_rng(0), limits=Limits(counts="auto", positive=1))
    assert found.rules[1] == (IndexCount((0, 1, 2, 3, 4), 3),)
    assert found.errors == 0


def test_without_leave_no_clause_counts():
    found = induce(voters(), rng=np.random.default_rng(0), limits=Limits(counts="never", positive=1))
    assert found.rules[1]
    assert not any(isinstance(clause, IndexCount) for clause in found.rules[1])


def test_where_no_literal_speaks_for_the_class_nothing_is_counted():
    """A column that tells nothing left no literal to choose from, and the best of none is an error."""
    episode = make_episode(np.array([[True], [True], [False], [False]]), labels=np.array([1, 0, 1, 0]))
    found = induce(episode, rng=np.random.default_rng(0), limits=Limits(counts="auto", positive=1))
    assert found.rules[1] == ()


def test_counting_only_leaves_counts_and_single_literals():
    rng = np.random.default_rng(3)
    values = rng.random((80, 6)) < 0.5
    episode = make_episode(values, labels=(values[:, 0] & values[:, 1]).astype(np.int64))
    found = induce(episode, rng=rng, limits=Limits(counts="only", positive=1))
    assert all(isinstance(clause, IndexCount) or len(clause) <= 1 for clause in found.rules[1])


@settings(max_examples=usually(8, 25), deadline=None)
@given(seed=st.integers(0, 10_000), most=st.integers(2, 6), price=st.sampled_from([0.05, 0.5]))
def test_proposed_counts_keep_the_limits_and_say_what_they_gain(seed, most, price):
    rng = np.random.default_rng(seed)
    values, known = rng.random((40, 7)) < 0.5, rng.random((40, 7)) < 0.9
    episode = make_episode(values, known, labels=rng.integers(0, 2, 40))
    task = search_rows(episode).task(1)
    limits = Limits(max_literals=most, allowed=np.arange(14) < 7 if seed % 2 else None)
    for count in propose_counts(task, limits, ExpectedError(price)):
        assert 2 <= count.at_least < len(count.literals) <= limits.max_literals
        assert limits.literal_mask(7)[list(count.literals)].all()
        assert len({j % 7 for j in count.literals}) == len(count.literals), (
            "one literal of a variable at most"
        )
        counted = literal_truth(episode.values, episode.known)[:, list(count.literals)].sum(axis=1)
        fires = clause_truth(literal_truth(episode.values, episode.known), [count])[0]
        np.testing.assert_array_equal(fires, counted >= count.at_least)


@settings(max_examples=usually(5, 15), deadline=None)
@given(seed=st.integers(0, 10_000))
def test_room_for_counts_never_costs(seed):
    """Counts are further candidates: with them the objective is no worse."""
    rng = np.random.default_rng(seed)
    values = rng.random((50, 6)) < 0.5
    episode = make_episode(values, labels=rng.integers(0, 2, 50))
    never, auto = (
        induce(
            episode, rng=np.random.default_rng(0), limits=Limits(counts=counts), objective=DescriptionLength()
        )
        for counts in ("never", "auto")
    )
    assert auto.cost <= never.cost + 1e-6


def test_three_classes_may_have_a_count_each():
    rng = np.random.default_rng(5)
    values = rng.random((200, 9)) < 0.5
    votes = values.reshape(200, 3, 3).sum(axis=2)
    labels = np.where(votes[:, 0] >= 2, 0, np.where(votes[:, 1] >= 2, 1, 2))
    limits = Limits(counts="auto")
    found = induce(make_episode(values, labels=labels), rng=np.random.default_rng(0), limits=limits)
    counting = [clause for rule in found.rules for clause in rule if isinstance(clause, IndexCount)]
    assert counting
    assert max(len(members(clause)) for rule in found.rules for clause in rule) <= limits.max_literals


def test_a_limit_of_one_literal_leaves_nothing_to_count():
    task = search_rows(voters()).task(1)
    assert propose_counts(task, Limits(max_literals=1), ExpectedError(0.01)) == []


@settings(max_examples=usually(8, 25), deadline=None)
@given(seed=st.integers(0, 10_000))
def test_every_member_of_a_count_speaks_for_its_class_on_its_own(seed):
    """ "mean radius <= 15" was counted for malignant tumours beside "mean area > 695": it mended one cut by
    another, and whoever read it took it for a reason."""
    rng = np.random.default_rng(seed)
    values = rng.random((60, 8)) < 0.5
    values[:, 1] = values[:, 0] ^ (rng.random(60) < 0.1)  # nearly the same column twice
    episode = make_episode(values, labels=(values[:, :5].sum(axis=1) + rng.normal(size=60) > 2.5).astype(int))
    task = search_rows(episode).task(1)
    mean = task.gain.sum() / task.total
    for count in propose_counts(task, Limits(), ExpectedError(0.05)):
        for literal in count.literals:
            holds = task.literals[:, literal]
            assert task.gain[holds].sum() / task.weights[holds].sum() > mean


def test_a_count_has_one_member_of_a_column():
    """Thresholds of one number are variables of one column: a score of them is no count."""
    rng = np.random.default_rng(5)
    numbers = rng.random((300, 4))
    cuts = (0.3, 0.5, 0.7)
    values = np.concatenate([numbers > cut for cut in cuts], axis=1)
    columns = np.tile(np.arange(4), len(cuts))
    labels = ((numbers > 0.5).sum(axis=1) >= 2).astype(np.int64)
    episode = make_episode(values, labels=labels)
    limits = Limits(counts="auto", columns=columns)
    for count in propose_counts(search_rows(episode).task(1), limits, DescriptionLength()):
        named = columns[np.array(count.literals) % values.shape[1]]
        assert len(set(named.tolist())) == len(named) <= 6
        assert 2 <= count.at_least <= len(named) - 1
