"""The expert that believes in rules: its weights, and what it says of a row without the row."""

import numpy as np
import pytest
from scipy.special import logsumexp

from nri.episode import make_episode
from nri.search.greedy import induce
from nri.search.limits import Limits
from nri.search.objective import LN2, DescriptionLength
from nri.seeded.model import SeededModel
from nri.seeded.posterior import Posterior
from nri.seeded.rules import RuleMixture, _likelihood
from nri.seeded.sample import take_sample


def a_table(n_rows=60, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.random((n_rows, 6)) < 0.5
    truth = (values[:, 0] & values[:, 1]) | values[:, 2]
    return make_episode(values, labels=(truth ^ (rng.random(n_rows) < noise)).astype(np.int64))


def priced_rules(episode):
    return induce(episode, rng=np.random.default_rng(0), near=True).priced


def a_mixture(episode, priced):
    return RuleMixture([(priced[1], True), (priced[0], False)], episode, episode.labels == 1, episode.weights)


def test_the_cheapest_rule_comes_first_and_no_rule_twice():
    episode = a_table(noise=0.1)
    for priced in priced_rules(episode):
        assert len(set(priced.rules)) == len(priced.rules) == len(priced.bits) > 50


def test_left_out_chances_are_those_of_a_mixture_without_the_row():
    episode = a_table(n_rows=30, noise=0.1)
    priced = priced_rules(episode)
    mixture = a_mixture(episode, priced)
    for row in range(0, 30, 7):
        rest = np.delete(np.arange(30), row)
        without = RuleMixture(
            [(priced[1], True), (priced[0], False)],
            episode.take(rest),
            episode.labels[rest] == 1,
            episode.weights[rest],
        )
        expected = without.chances(episode.take(np.array([row])))
        np.testing.assert_allclose(mixture.left_out[row], expected[0], atol=1e-9)


def test_left_out_chances_multiply_to_the_evidence_of_a_sequence():
    """The likelihood is one of exchangeable labels: what a row adds does not depend on its turn."""
    errors, total = np.array([0.0, 1.0, 3.0]), 10.0
    both = np.logaddexp(_likelihood(errors, total + 1)[0], _likelihood(errors + 1, total + 1)[0])
    np.testing.assert_allclose(both, _likelihood(errors, total)[0])


def test_weights_are_by_bits_and_errors():
    episode = a_table(noise=0.1)
    priced = priced_rules(episode)
    mixture, bits = a_mixture(episode, priced), np.concatenate([priced[1].bits, priced[0].bits])
    wrong = mixture._predicted(episode) != (episode.labels == 1)
    log_weights = -DescriptionLength().price * LN2 * bits + _likelihood(wrong.sum(axis=1), 60.0)[0]
    np.testing.assert_allclose(mixture.weights, np.exp(log_weights - logsumexp(log_weights)))


def test_the_posterior_is_nearly_certain_where_labels_follow_a_rule():
    episode = a_table(n_rows=80)
    sample = take_sample(episode, 100, np.random.default_rng(0))
    beliefs = Posterior(sample, np.arange(6), None, priced_rules(episode)).evaluate(episode, 0)
    assert beliefs.rule_share > 0.95
    assert (np.where(episode.labels == 1, beliefs.chances[:, 1], beliefs.chances[:, 0]) > 0.9).all()


def test_rules_have_a_small_share_where_labels_are_chance():
    rng = np.random.default_rng(3)
    episode = make_episode(rng.random((60, 6)) < 0.5, labels=rng.integers(0, 2, 60))
    sample = take_sample(episode, 100, rng)
    beliefs = Posterior(sample, np.arange(6), None, priced_rules(episode)).evaluate(episode, 0)
    assert beliefs.rule_share < 0.7


def test_chances_of_rows_without_their_labels_are_less_sure_than_these():
    episode = a_table(n_rows=40, noise=0.15, seed=4)
    chosen = SeededModel().induce(episode, np.arange(6), Limits(positive=1), np.random.default_rng(0))
    held_out = chosen.held_out
    assert held_out is not None
    assert held_out.masses.sum() == pytest.approx(episode.weights.sum())
    decided = chosen.predict(episode.values, episode.known)[held_out.rows]
    right = held_out.masses[np.arange(len(decided)), decided].sum() / held_out.masses.sum()
    assert right < np.mean(chosen.predict(episode.values, episode.known) == episode.labels)
