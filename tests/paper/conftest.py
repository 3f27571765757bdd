from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from padded_episodes import pad_episodes

from nri.episode import Episode, make_episode
from nri.paper.torch.batch import EpisodeBatch
from nri.paper.torch.network import PaperConfig, PaperInducer


def make_random_episode(seed: int, n_rows: int, n_variables: int, missing: float = 0.2) -> Episode:
    """A two-class table with unknown cells and labels that depend on two of its variables."""
    rng = np.random.default_rng(seed)
    values = rng.random((n_rows, n_variables)) < 0.5
    known = rng.random((n_rows, n_variables)) >= missing
    labels = values[:, 0] & values[:, -1] | (rng.random(n_rows) < 0.2)
    return make_episode(values, known, labels.astype(np.int64))


def make_double_batch(
    episodes: Sequence[Episode], n_rows: int | None = None, n_variables: int | None = None
) -> EpisodeBatch:
    """A batch in double precision, so that equalities are sharp."""
    batch = pad_episodes(episodes, n_rows, n_variables)
    return replace(batch, values=batch.values.double(), labels=batch.labels.double())


@pytest.fixture(scope="session")
def random_episode() -> Callable[..., Episode]:
    return make_random_episode


@pytest.fixture(scope="session")
def double_batch() -> Callable[..., EpisodeBatch]:
    return make_double_batch


@pytest.fixture(scope="session")
def tiny_config() -> PaperConfig:
    return PaperConfig(slots=3, width=16, layers=2, heads=2, n_train=6, bottleneck=8)


@pytest.fixture(scope="session")
def tiny(tiny_config: PaperConfig) -> PaperInducer:
    torch.manual_seed(0)
    return PaperInducer(tiny_config).double()
