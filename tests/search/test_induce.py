from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_problems import deciding_branch, dnf_truth, episodes, random_posterior

from nri.episode import literal_truth, make_episode
from nri.search.greedy import induce
from nri.search.limits import Limits
from nri.search.objective import ExpectedError
from nri.search.propose import SymbolicProposer

SMALL = SymbolicProposer(max_seeds=20, widen_seeds=5, exhaustive=300)


def expected_accuracy(episode, probabilities, decided):
    return float((episode.weights * probabilities[np.arange(len(episode)), decided]).sum())


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@settings(deadline=None, max_examples=25)
@given(data=st.data(), seed=st.none() | st.integers(0, 99))
def test_support_accuracy_is_at_least_that_of_majority_and_best_literal(n_classes, data, seed):
    episode = data.draw(episodes(n_classes=n_classes))
    posterior = None if seed is None else random_posterior(episode, seed)
    induced = induce(episode, propose=SMALL, rng=np.random.default_rng(0), posterior=posterior)
    p = np.eye(n_classes)[episode.labels] if posterior is None else posterior
    right = expected_accuracy(episode, p, induced.predict(episode.values, episode.known))
    masses = p * episode.weights[:, None]
    best = masses.sum(axis=0).max()
    for fires in literal_truth(episode.values, episode.known).T:
        best = max(best, masses[fires].sum(axis=0).max() + masses[~fires].sum(axis=0).max())
    rounded = 1e-6 if posterior is None else 1e-5 * episode.weights.sum()  # see exact_in_sums
    assert right >= best - rounded
    assert induced.errors == pytest.approx(episode.weights.sum() - right, abs=rounded)


@pytest.mark.parametrize("rule", [[(0, 1)], [(0, 13), (2, 3)], [(0,), (1,), (14,)]])
def test_a_noise_free_rule_is_found_for_the_class_it_describes(rule):
    values = np.random.default_rng(4).random((80, 12)) < 0.5
    labels = dnf_truth(values, rule).astype(int)
    induced = induce(make_episode(values, labels=labels), rng=np.random.default_rng(0))
    everything = np.array(list(product([False, True], repeat=12)))
    decided = induced.predict(everything, np.ones_like(everything))
    assert (decided == dnf_truth(everything, rule)).all()


def test_the_class_with_the_shorter_rule_is_described_unless_told_otherwise():
    values = np.random.default_rng(1).random((100, 8)) < 0.5
    labels = 1 - (values[:, 0] & values[:, 1]).astype(int)
    episode = make_episode(values, labels=labels)
    free = induce(episode, rng=np.random.default_rng(0))
    fixed = induce(episode, rng=np.random.default_rng(0), limits=Limits(positive=1))
    assert free.rules == (((0, 1),), ())
    assert free.default == 1
    assert fixed.rules[0] == ()
    assert set(fixed.rules[1]) == {(8,), (9,)}
    assert fixed.default == 0


def test_renamed_columns_and_flipped_codes_change_only_the_names():
    rng = np.random.default_rng(2)
    values = rng.random((120, 10)) < 0.5
    labels = dnf_truth(values, [(0, 1), (2, 13)]).astype(int)
    order = rng.permutation(10)
    flipped = values[:, order] ^ np.isin(order, [1, 3])
    plain = induce(
        make_episode(values, labels=labels), rng=np.random.default_rng(0), limits=Limits(positive=1)
    )
    other = induce(
        make_episode(flipped, labels=labels), rng=np.random.default_rng(0), limits=Limits(positive=1)
    )

    def original(literal):
        variable, negated = order[literal % 10], literal >= 10
        return int(variable + 10 * (negated != (variable in (1, 3))))

    renamed = {tuple(sorted(map(original, clause))) for clause in other.rules[1]}
    assert renamed == set(plain.rules[1]) == {(0, 1), (2, 13)}


def test_the_same_seed_gives_the_same_rules():
    rng = np.random.default_rng(3)
    values = rng.random((150, 15)) < 0.5
    episode = make_episode(values, labels=rng.integers(0, 3, 150))
    first, second = (
        induce(episode, propose=SMALL, rng=np.random.default_rng(5), limits=Limits(max_clauses=3))
        for _ in range(2)
    )
    assert first.rules == second.rules
    assert first.default == second.default


def test_rows_that_no_rule_covers_go_to_the_likeliest_class_among_them():
    """Always taking the overall majority cost 15 points on one data set."""
    rng = np.random.default_rng(6)
    values = rng.random((200, 6)) < 0.5
    labels = np.where(values[:, 0] | values[:, 1], 2, np.where(values[:, 2], 1, 0))
    episode = make_episode(values, labels=labels)
    induced = induce(episode, rng=rng)
    assert np.bincount(labels).argmax() == 2
    assert (induced.predict(values, np.ones_like(values)) == labels).all()
    covered = np.zeros(200, bool)
    for rule in induced.rules:
        for clause in rule:
            covered |= literal_truth(values, np.ones_like(values))[:, list(clause)].all(axis=1)
    assert induced.default == np.bincount(labels[~covered], minlength=3).argmax()


def test_a_certain_posterior_says_the_same_as_labels():
    values = np.random.default_rng(9).random((60, 6)) < 0.5
    labels = (values[:, 0] & ~values[:, 3]).astype(int)
    objective = ExpectedError(0.01)
    hard = induce(make_episode(values, labels=labels), rng=np.random.default_rng(0), objective=objective)
    soft = induce(
        make_episode(values), rng=np.random.default_rng(0), objective=objective, posterior=np.eye(2)[labels]
    )
    assert hard.rules == soft.rules


def test_limits_hold_for_the_rules_of_several_classes():
    rng = np.random.default_rng(10)
    values = rng.random((200, 6)) < 0.5
    labels = values[:, 0] + values[:, 1] + values[:, 2] * 1
    limits = Limits(max_clauses=2, max_literals=2, min_precision=0.6)
    induced = induce(make_episode(values, labels=labels), rng=rng, limits=limits)
    assert any(induced.rules)
    assert all(len(rule) <= 2 for rule in induced.rules)
    assert all(len(clause) <= 2 for _, clause in induced.branches)
    places = deciding_branch(induced, literal_truth(values, np.ones_like(values)))
    for place, (c, _) in enumerate(induced.branches):
        assert (labels[places == place] == c).mean() >= 0.6  # on the rows that it decides


@pytest.mark.parametrize("labels", [[0, 0, 0, 0], [1, 1, 1, 1]])
def test_one_class_only_is_that_class_everywhere(labels):
    values = np.array([[0, 1], [1, 0], [1, 1], [0, 0]], bool)
    induced = induce(make_episode(values, labels=labels, n_classes=2), rng=np.random.default_rng(0))
    assert induced.predict(~values, np.ones_like(values)).tolist() == labels


def test_a_table_without_variables_gives_the_majority():
    episode = make_episode(np.zeros((5, 0), bool), labels=np.array([1, 1, 0, 1, 0]))
    assert induce(episode, rng=np.random.default_rng(0)).predict(
        np.zeros((2, 0), bool), np.zeros((2, 0), bool)
    ).tolist() == [1, 1]
