"""A sample merges what is the same, keeps class shares, and does not depend on the order of rows."""

import numpy as np
import pytest
from hypothesis import given
from search_problems import episodes

from nri.episode import make_episode
from nri.seeded.sample import signed_cells, take_sample


@given(episodes(max_rows=30, max_variables=3, n_classes=3))
def test_a_small_table_is_taken_whole_with_equal_rows_merged(episode):
    sample = take_sample(episode, 1000, np.random.default_rng(0))
    expected = {}
    for values, known, label, weight in zip(
        episode.values, episode.known, episode.labels, episode.weights, strict=True
    ):
        key = (values.tobytes(), known.tobytes(), int(label))
        expected[key] = expected.get(key, 0.0) + weight
    kept = {
        (v.tobytes(), k.tobytes(), int(c)): w
        for v, k, c, w in zip(
            sample.cells.values, sample.cells.known, sample.labels, sample.weights, strict=True
        )
    }
    assert kept == pytest.approx(expected)


@given(episodes(max_rows=30))
def test_the_order_of_rows_does_not_matter(episode):
    order = np.random.default_rng(1).permutation(len(episode))
    turned = make_episode(
        episode.values[order], episode.known[order], episode.labels[order], episode.weights[order], 2
    )
    one, other = (take_sample(e, 8, np.random.default_rng(0)) for e in (episode, turned))
    assert (one.cells.values == other.cells.values).all()
    assert (one.labels == other.labels).all()
    np.testing.assert_allclose(one.weights, other.weights)


def test_of_a_large_table_some_rows_of_each_class_are_drawn_and_its_share_is_kept():
    rng = np.random.default_rng(0)
    labels = (rng.random(5000) < 0.02).astype(np.int64)
    sample = take_sample(make_episode(rng.random((5000, 30)) < 0.5, labels=labels), 400, rng)
    assert 380 <= len(sample.labels) <= 410
    assert (sample.labels == 1).sum() >= 5
    share = sample.weights[sample.labels == 1].sum() / sample.weights.sum()
    assert share == pytest.approx(labels.mean())
    assert sample.weights.sum() == pytest.approx(400)


def test_a_row_that_stands_for_many_is_drawn_as_many_times():
    """Adult: heavy rows drawn as seldom as light ones, but with their weight, made the sample a lottery."""
    rng = np.random.default_rng(0)
    values = rng.random((3000, 20)) < 0.5
    weights = np.where(np.arange(3000) == 7, 600.0, 1.0)
    episode = make_episode(values, labels=(np.arange(3000) % 2).astype(np.int64), weights=weights)
    sample = take_sample(episode, 360, rng)
    assert sample.weights.max() == pytest.approx(60, rel=0.1)
    assert sorted(sample.weights)[-2] < 3


def test_cells_are_signed_and_unknown_ones_are_zero():
    signed = signed_cells(np.array([[True, False, False]]), np.array([[True, True, False]]))
    assert signed.tolist() == [[1.0, -1.0, 0.0]]
