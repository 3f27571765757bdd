"""The seeded model: its posterior is sound, its rule keeps limits and guarantees, weights are rows."""

from dataclasses import replace

import numpy as np
import pytest
from effort import usually
from hypothesis import given, settings
from search_problems import dnf_truth, episodes

from nri.episode import literal_truth, make_episode
from nri.search.candidates import clause_truth
from nri.search.clauses import clause_tuples, members
from nri.search.greedy import induce
from nri.search.limits import Limits
from nri.seeded.model import SeededModel, association, reasons
from nri.seeded.posterior import Beliefs


def induced(episode, limits=None, groups=None, positive=None):
    groups = np.arange(episode.n_variables) if groups is None else groups
    limits = replace(limits or Limits(), positive=positive)
    return SeededModel().induce(episode, groups, limits, np.random.default_rng(0))


def table(n_rows=120, noise=0.0, seed=0, n_columns=8):
    rng = np.random.default_rng(seed)
    values = rng.random((n_rows, n_columns)) < 0.5
    truth = dnf_truth(values, [(0, 1), (2, n_columns + 3)])
    return values, truth ^ (rng.random(n_rows) < noise), truth


def test_a_hidden_rule_is_found():
    values, labels, _ = table()
    result = induced(make_episode(values, labels=labels))
    rng = np.random.default_rng(1)
    unseen = rng.random((500, 8)) < 0.5
    assert (result.predict(unseen, np.ones_like(unseen)) == dnf_truth(unseen, [(0, 1), (2, 11)])).all()


def test_a_hidden_rule_is_found_under_noise():
    values, labels, _ = table(n_rows=250, noise=0.2)
    result = induced(make_episode(values, labels=labels))
    unseen = np.random.default_rng(1).random((500, 8)) < 0.5
    truth = dnf_truth(unseen, [(0, 1), (2, 11)])
    assert (result.predict(unseen, np.ones_like(unseen)) == truth).mean() > 0.85


@settings(max_examples=usually(5, 15))
@given(episodes(max_rows=16, max_variables=4, n_classes=3))
def test_chances_are_probabilities_for_any_table(episode):
    result = induced(episode)
    assert result.posterior is not None
    beliefs = result.posterior.evaluate(episode)
    assert beliefs.chances.shape == (len(episode), 3)
    assert np.isfinite(beliefs.chances).all()
    assert (beliefs.chances >= 0).all()
    np.testing.assert_allclose(beliefs.chances.sum(axis=1), 1.0)


@settings(max_examples=usually(5, 15))
@given(episodes(max_rows=12, max_variables=4, whole=True))
def test_a_weight_of_two_is_the_same_as_two_rows(episode):
    again = np.repeat(np.arange(len(episode)), episode.weights.astype(int))
    repeated = make_episode(episode.values[again], episode.known[again], episode.labels[again], n_classes=2)
    assert induced(episode).rules == induced(repeated).rules


@settings(max_examples=usually(8, 25))
@given(episodes(max_rows=20, max_variables=4, n_classes=2))
def test_a_rule_is_better_on_its_own_table_than_always_predicting_one_class(episode):
    """Plausible rows once gave a rule that was right on 48 % of a table whose larger class had 52 %."""
    result = induced(episode)
    weights = np.bincount(episode.labels, episode.weights, minlength=2)
    always = weights.sum() - weights.max()
    assert result.errors < always if any(result.rules) else result.errors <= always + 1e-9


def test_a_column_that_is_hardly_in_the_rule_is_not_named_if_another_rule_does_without_it():
    values, labels, _ = table(n_rows=100, noise=0.2, seed=13)
    episode = make_episode(values, labels=labels)
    by_labels = induce(episode, rng=np.random.default_rng(0), near=True)

    def named(result):
        return {j % 8 for _, clause in result.branches for j in members(clause)}

    def likeliest(support):
        return SeededModel()._probable_rule(by_labels, support, np.arange(8), episode)

    assert named(by_labels) - {0, 1, 2, 3}, "noise has put another column into the cheapest rule"
    likely = np.array([1, 1, 1, 1, 0.4, 0.4, 0.4, 0.4])
    assert likeliest(np.ones(8)).branches == by_labels.branches
    assert likeliest(likely).branches
    assert named(likeliest(likely)) <= {0, 1, 2, 3}
    assert likeliest(np.zeros(8)).branches == by_labels.branches  # some rule is better than none


def test_association_is_in_standard_errors():
    rng = np.random.default_rng(0)
    values = rng.random((400, 40)) < 0.5
    labels = values[:, 0] ^ (rng.random(400) < 0.2)
    errors = association(make_episode(values, labels=labels))
    assert errors[0] == pytest.approx(0.6 * np.sqrt(400), rel=0.15)
    assert 0.5 < np.sqrt(np.mean(errors[1:] ** 2)) < 1.5


def test_limits_are_kept():
    values, labels, _ = table(noise=0.1)
    allowed = np.isin(np.arange(16), range(1, 8))
    limits = Limits(max_clauses=2, max_literals=2, allowed=allowed)
    rules = induced(make_episode(values, labels=labels), limits).rules
    clauses = [clause for rule in rules for clause in rule]
    assert 0 < len(clauses) <= 2
    assert all(len(clause) <= 2 and all(0 < j < 8 for j in clause) for clause in clauses)


def test_a_least_precision_is_kept_on_the_labelled_rows():
    values, labels, _ = table(noise=0.15)
    episode = make_episode(values, labels=labels)
    result = induced(episode, Limits(min_precision=0.95))
    literals = literal_truth(episode.values, episode.known)
    for c, rule in enumerate(result.rules):
        for fires in clause_truth(literals, rule):
            assert (labels[fires] == c).mean() >= 0.95


def test_the_posterior_knows_more_than_chance_about_unseen_rows():
    values, labels, _ = table(n_rows=80, noise=0.05)
    result = induced(make_episode(values, labels=labels))
    unseen = np.random.default_rng(2).random((400, 8)) < 0.5
    truth = dnf_truth(unseen, [(0, 1), (2, 11)])
    chances = result.posterior.chances(make_episode(unseen))
    assert ((chances[:, 1] > 0.5) == truth).mean() > 0.8


@pytest.mark.parametrize("n_columns", [1, 300])
def test_very_few_and_very_many_columns_work(n_columns):
    rng = np.random.default_rng(0)
    values = rng.random((30, n_columns)) < 0.5
    result = induced(make_episode(values, labels=values[:, 0].astype(np.int64)))
    assert result.errors == 0


def test_an_exact_and_short_rule_is_taken_from_the_labels_alone():
    """Recovery: a posterior that hesitates must not give up a rule that explains every label."""
    rng = np.random.default_rng(3)
    values = rng.random((48, 12)) < 0.5
    labels = dnf_truth(values, [(0, 1), (2, 15), (4, 17)])
    episode = make_episode(values, labels=labels)
    assert induced(episode).rules == induce(episode, rng=np.random.default_rng(0)).rules


def test_a_reason_holds_on_its_row():
    values = np.array([[True, False, True], [False, False, False]])
    gates = np.array([[2.0, 1.0, -1.0], [-3.0, 0.5, 4.0]])
    beliefs = Beliefs(np.full((2, 2), 0.5), np.arange(2), (gates,), 0.0, None, np.empty((0, 2)), 1.0)
    assert set(clause_tuples(reasons(beliefs, values, 2), 6)) == {(0, 4), (4, 5)}
    assert set(clause_tuples(reasons(beliefs, values, 1), 6)) == {(0,), (5,)}


def test_reasons_are_of_the_rows_that_the_network_has_seen():
    values = np.array([[True, True, True], [False, False, False], [True, False, True]])
    beliefs = Beliefs(
        np.full((3, 2), 0.5), np.array([1]), (np.array([[2.0, -1.0, 1.0]]),), 0.0, None, np.empty((0, 2)), 1.0
    )
    assert set(clause_tuples(reasons(beliefs, values, 3), 6)) == {(3, 5)}
