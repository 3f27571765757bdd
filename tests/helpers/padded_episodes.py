"""Tables of different sizes in one batch, padded, as training has them."""

from collections.abc import Sequence

import numpy as np

from nri.episode import Episode
from nri.paper.torch.batch import EpisodeBatch, batch_from_arrays


def pad_episodes(
    episodes: Sequence[Episode], n_rows: int | None = None, n_variables: int | None = None
) -> EpisodeBatch:
    """Put two-class episodes side by side, padded to the largest of them (or further, if asked)."""
    M = max([n_rows or 0, *(len(episode) for episode in episodes)])
    N = max([n_variables or 0, *(episode.n_variables for episode in episodes)])
    B = len(episodes)
    values = np.zeros((B, M, N), bool)
    known = np.zeros((B, M, N), bool)
    labels = np.zeros((B, M), bool)
    row_valid = np.zeros((B, M), bool)
    variable_valid = np.zeros((B, N), bool)
    for index, episode in enumerate(episodes):
        rows, variables = slice(len(episode)), slice(episode.n_variables)
        values[index, rows, variables] = episode.values
        known[index, rows, variables] = episode.known
        labels[index, rows] = episode.labels
        row_valid[index, rows] = True
        variable_valid[index, variables] = True
    return batch_from_arrays(values, known, labels, row_valid, variable_valid)
