"""Decision lists: what is found, what a branch is worth, and that a looser limit never costs anything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_problems import deciding_branch, episodes

from nri.episode import literal_truth, make_episode
from nri.search.greedy import induce
from nri.search.limits import Limits


def three_classes(n_rows=300, seed=0):
    """A list: first x0, then x1 AND x2, else the third class."""
    values = np.random.default_rng(seed).random((n_rows, 6)) < 0.5
    labels = np.where(values[:, 0], 0, np.where(values[:, 1] & values[:, 2], 1, 2))
    return make_episode(values, labels=labels)


def found(episode, limits=None):
    return induce(episode, rng=np.random.default_rng(0), limits=limits or Limits())


def test_a_hidden_list_is_found_as_it_is():
    induced = found(three_classes())
    assert induced.errors == 0
    assert len(induced.branches) == 2
    assert {c for c, _ in induced.branches} | {induced.default} == {0, 1, 2}


def test_the_first_branch_that_fires_decides():
    episode = three_classes()
    induced = found(episode)
    literals = literal_truth(episode.values, episode.known)
    places = deciding_branch(induced, literals)
    classes = np.array([*(c for c, _ in induced.branches), induced.default])
    assert (induced.predict(episode.values, episode.known) == classes[places]).all()
    assert tuple(map(set, induced.rules)) == tuple(
        {clause for c, clause in induced.branches if c == k} for k in range(3)
    )


@pytest.mark.parametrize(("n_classes", "most"), [(3, 6), (4, 8), (5, 10), (8, 11), (20, 23)])
def test_the_usual_budget_is_about_two_lines_a_class(n_classes, most):
    assert Limits().branches(n_classes) == most


@settings(max_examples=20)
@given(episodes(max_rows=30, max_variables=5, n_classes=4), st.integers(1, 4))
def test_a_list_keeps_its_limits_and_more_lines_never_cost(episode, most):
    strict, loose = found(episode, Limits(max_branches=most)), found(episode, Limits(max_branches=most + 1))
    assert len(strict.branches) <= most
    assert loose.cost <= strict.cost + 1e-6 or loose.errors < strict.errors


@settings(max_examples=20)
@given(episodes(max_rows=30, max_variables=5, n_classes=3))
def test_every_branch_is_worth_its_line(episode):
    """Its class has a larger share of the rows that it decides than of those that reach it."""
    induced = found(episode)
    places = deciding_branch(induced, literal_truth(episode.values, episode.known))
    masses = np.eye(3)[episode.labels] * episode.weights[:, None]
    if len(induced.branches) < 2:
        return  # a single literal may stand so that no rule is worse than one
    for place, (c, _) in enumerate(induced.branches):
        decided, reaching = masses[places == place].sum(axis=0), masses[places >= place].sum(axis=0)
        assert decided[c] / decided.sum() > reaching[c] / reaching.sum()
