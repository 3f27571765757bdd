"""What experts and network think together, and whom it is asked of."""

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
    return Posterior(take_sample(episode, 100, rng), np.arange(6)), episode.cells


def test_rows_that_the_network_hears_are_answered_as_if_it_heard_all():
    posterior, rows = a_posterior()
    whole, part = posterior.ask(rows), posterior.ask(rows, heard=10)
    assert len(part.heard) == 10
    assert len(whole.heard) == len(rows)
    np.testing.assert_allclose(part.chances[part.heard], whole.chances[part.heard], atol=1e-6)
    np.testing.assert_allclose(part.reasons[0], whole.reasons[0][part.heard], atol=1e-5)


def test_rows_that_it_does_not_hear_are_answered_by_the_experts_alone():
    posterior, rows = a_posterior()
    part, by_experts = posterior.ask(rows, heard=10), posterior.ask(rows, heard=0)
    unheard = np.setdiff1d(np.arange(len(rows)), part.heard)
    np.testing.assert_allclose(part.chances[unheard], by_experts.chances[unheard], atol=1e-6)
    assert (np.abs(part.chances - by_experts.chances)[part.heard] > 1e-4).any()
    assert len(by_experts.heard) == len(by_experts.reasons[0]) == 0


def test_chances_sum_to_one_whoever_is_asked():
    posterior, rows = a_posterior(n_classes=3)
    for heard in (None, 7, 0):
        np.testing.assert_allclose(posterior.ask(rows, heard).chances.sum(axis=1), 1)
