from collections.abc import Callable

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from padded_episodes import pad_episodes

from nri.episode import Episode, literal_truth
from nri.train.loop import moved

quick = settings(deadline=None, max_examples=25)


@quick
@given(seed=st.integers(0, 10**6), n_rows=st.integers(1, 6), n_variables=st.integers(1, 9))
def test_a_narrow_table_keeps_its_negations_in_a_wide_batch(
    random_episode: Callable[..., Episode], seed: int, n_rows: int, n_variables: int
) -> None:
    """Padded to 15 variables, a table of 9 once kept only 3 of its negations, one of 7 none."""
    episode = random_episode(seed, n_rows, n_variables)
    batch = pad_episodes([episode, random_episode(seed, 8, 15)])
    own = batch.literals[0, :n_rows][:, batch.literal_valid[0]].numpy()
    assert own.shape == (n_rows, 2 * n_variables)
    np.testing.assert_array_equal(own == 1, literal_truth(episode.values, episode.known))
    np.testing.assert_array_equal(own == 0.5, np.tile(~episode.known, 2))


def test_padding_is_marked_and_holds_nothing(random_episode: Callable[..., Episode]) -> None:
    batch = pad_episodes([random_episode(0, 3, 2), random_episode(1, 5, 4)])
    assert batch.row_valid.sum(1).tolist() == [3, 5]
    assert batch.variable_valid.sum(1).tolist() == [2, 4]
    assert not batch.known[0, 3:].any()
    assert not batch.known[0, :, 2:].any()
    assert not batch.labels[0, 3:].any()
    assert (batch.positives + batch.negatives == batch.row_valid).all()


def test_a_batch_moves_to_a_device_whole(random_episode: Callable[..., Episode]) -> None:
    batch = moved(pad_episodes([random_episode(0, 3, 2)]), torch.device("meta"))
    assert {tensor.device.type for tensor in vars(batch).values()} == {"meta"}
    assert len(batch) == 1


def test_batches_are_single_precision(random_episode: Callable[..., Episode]) -> None:
    batch = pad_episodes([random_episode(0, 3, 2)])
    assert batch.values.dtype == batch.labels.dtype == torch.float32
