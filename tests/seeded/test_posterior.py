"""The posterior of experts, rules and network, and which rows the network sees."""

import numpy as np

from nri.episode import Cells, make_episode
from nri.seeded.posterior import Posterior
from nri.seeded.sample import take_sample


def a_posterior(n_classes: int = 2) -> tuple[Posterior, Cells]:
    """Return what 60 rows of six variables lead to, and the rows themselves."""
    rng = np.random.default_rng(7)
    values = rng.random((60, 6)) < 0.5
    labels = (values[:, 0].astype(int) + values[:, 1] * (n_classes > 2)).astype(np.int64)
    episode = make_episode(values, labels=labels)
    return Posterior(take_sample(episode, 100, rng), np.arange(6)), episode


def test_rows_that_the_network_sees_are_evaluated_as_if_it_saw_all():
    posterior, rows = a_posterior()
    whole, part = posterior.evaluate(rows), posterior.evaluate(rows, network_rows=10)
    assert len(part.network_rows) == 10
    assert len(whole.network_rows) == len(rows)
    np.testing.assert_allclose(part.chances[part.network_rows], whole.chances[part.network_rows], atol=1e-6)
    np.testing.assert_allclose(part.reasons[0], whole.reasons[0][part.network_rows], atol=1e-5)


def test_rows_that_it_does_not_see_are_evaluated_by_the_experts_alone():
    posterior, rows = a_posterior()
    part, by_experts = posterior.evaluate(rows, network_rows=10), posterior.evaluate(rows, network_rows=0)
    unseen = np.setdiff1d(np.arange(len(rows)), part.network_rows)
    np.testing.assert_allclose(part.chances[unseen], by_experts.chances[unseen], atol=1e-6)
    assert (np.abs(part.chances - by_experts.chances)[part.network_rows] > 1e-4).any()
    assert len(by_experts.network_rows) == len(by_experts.reasons[0]) == 0


def test_chances_sum_to_one_whatever_the_network_sees():
    posterior, rows = a_posterior(n_classes=3)
    for most in (None, 7, 0):
        np.testing.assert_allclose(posterior.evaluate(rows, most).chances.sum(axis=1), 1)
