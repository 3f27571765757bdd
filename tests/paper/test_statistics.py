from collections.abc import Callable

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.episode import Episode, make_episode
from nri.paper.torch.batch import NAMES, EpisodeBatch, literal_statistics

quick = settings(deadline=None, max_examples=25)
seeds = st.integers(0, 10**6)
rows, variables, missing = st.integers(1, 12), st.integers(1, 7), st.sampled_from([0.0, 0.3, 0.9])

MakeBatch = Callable[..., EpisodeBatch]
MakeEpisode = Callable[..., Episode]


def truth_rate(truth: np.ndarray, known: np.ndarray) -> float:
    return float(truth[known].mean()) if known.any() else 0.5


def covariance(j: int, k: int, truth: np.ndarray, known: np.ndarray) -> float:
    both = known[:, j] & known[:, k]
    if not both.any():
        return 0.0
    centred_j = truth[:, j] - truth_rate(truth[:, j], known[:, j])
    centred_k = truth[:, k] - truth_rate(truth[:, k], known[:, k])
    return float((centred_j * centred_k)[both].mean())


def slow_statistics(episode: Episode) -> np.ndarray:
    """The appendix, literal by literal and row by row."""
    L = 2 * episode.n_variables
    truth = np.concatenate([episode.values, ~episode.values], 1).astype(float)
    known = np.concatenate([episode.known, episode.known], 1)
    views = {"positive": episode.labels == 1, "negative": episode.labels == 0, "all": episode.labels >= 0}
    table = np.zeros((L, len(NAMES)))
    for j in range(L):
        rates, means = [], {}
        for view, chosen in views.items():
            p = truth_rate(truth[chosen, j], known[chosen, j])
            seen = known[chosen, j].mean() if chosen.any() else 0.0
            rates += [p, 1 - p, seen]
            c = np.array([covariance(j, k, truth[chosen], known[chosen]) for k in range(L) if k != j])
            means[view] = (np.abs(c).mean(), c.mean())
        p = rates[6]
        entropy = -sum(q * np.log(q) for q in (p, 1 - p) if q > 0)
        table[j] = [
            *rates,
            entropy,
            float(j < L // 2),
            0.0,
            means["all"][0],
            *means["positive"],
            *means["negative"],
            means["positive"][1] - means["negative"][1],
        ]
    return table


@quick
@given(seed=seeds, m=rows, n=variables, gap=missing)
def test_statistics_equal_the_slow_obvious_ones(
    random_episode: MakeEpisode, double_batch: MakeBatch, seed: int, m: int, n: int, gap: float
) -> None:
    episode = random_episode(seed, m, n, gap)
    fast = literal_statistics(double_batch([episode]))[0].numpy()
    np.testing.assert_allclose(fast, slow_statistics(episode), atol=1e-12)


@quick
@given(seed=seeds, m=rows, n=variables)
def test_the_order_of_rows_does_not_matter(
    random_episode: MakeEpisode, double_batch: MakeBatch, seed: int, m: int, n: int
) -> None:
    episode = random_episode(seed, m, n)
    order = np.random.default_rng(seed).permutation(m)
    shuffled = make_episode(episode.values[order], episode.known[order], episode.labels[order])
    torch.testing.assert_close(
        literal_statistics(double_batch([shuffled])), literal_statistics(double_batch([episode]))
    )


@quick
@given(seed=seeds, m=rows, n=variables)
def test_permuting_columns_permutes_the_statistics(
    random_episode: MakeEpisode, double_batch: MakeBatch, seed: int, m: int, n: int
) -> None:
    episode = random_episode(seed, m, n)
    order = np.random.default_rng(seed).permutation(n)
    permuted = make_episode(episode.values[:, order], episode.known[:, order], episode.labels)
    literal_order = np.concatenate([order, order + n])
    torch.testing.assert_close(
        literal_statistics(double_batch([permuted])),
        literal_statistics(double_batch([episode]))[:, literal_order],
    )


@quick
@given(seed=seeds, m=rows, n=variables)
def test_flipping_a_column_swaps_its_literals_statistics_but_for_the_polarity(
    random_episode: MakeEpisode, double_batch: MakeBatch, seed: int, m: int, n: int
) -> None:
    episode = random_episode(seed, m, n)
    values = episode.values.copy()
    values[:, 0] = ~values[:, 0]
    flipped = make_episode(values, episode.known, episode.labels)
    swap = np.arange(2 * n)
    swap[[0, n]] = n, 0
    others = [s for s, name in enumerate(NAMES) if name != "polarity"]
    before = literal_statistics(double_batch([episode]))[..., others]
    after = literal_statistics(double_batch([flipped]))[..., others]
    torch.testing.assert_close(after, before[:, swap])


@quick
@given(seed=seeds, m=rows, n=variables, more_rows=st.integers(0, 5), more_variables=st.integers(0, 5))
def test_padding_changes_nothing_and_has_no_statistics(
    random_episode: MakeEpisode,
    double_batch: MakeBatch,
    seed: int,
    m: int,
    n: int,
    more_rows: int,
    more_variables: int,
) -> None:
    episode = random_episode(seed, m, n)
    padded = double_batch([episode], m + more_rows, n + more_variables)
    statistics = literal_statistics(padded)[0]
    valid = padded.literal_valid[0]
    torch.testing.assert_close(statistics[valid], literal_statistics(double_batch([episode]))[0])
    assert (statistics[~valid] == 0).all()


def test_there_are_eighteen_statistics_with_names_of_their_own() -> None:
    assert len(NAMES) == len(set(NAMES)) == 18
