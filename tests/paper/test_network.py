import copy
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.episode import Episode, make_episode
from nri.errors import ConfigError
from nri.paper.torch.batch import EpisodeBatch
from nri.paper.torch.network import PaperConfig, PaperInducer
from nri.paper.torch.tnorm import SoftRule
from nri.paper.torch.training import PaperTrainConfig, PaperTraining

quick = settings(deadline=None, max_examples=15)
seeds = st.integers(0, 10**6)
rows, variables = st.integers(2, 10), st.integers(1, 9)

MakeBatch = Callable[..., EpisodeBatch]
MakeEpisode = Callable[..., Episode]


def assert_same(rule: SoftRule, other: SoftRule) -> None:
    torch.testing.assert_close(rule.z, other.z)
    torch.testing.assert_close(rule.w, other.w)


@quick
@given(seed=seeds, m=rows, n=variables)
def test_the_order_of_rows_does_not_matter(
    tiny: PaperInducer,
    random_episode: MakeEpisode,
    double_batch: MakeBatch,
    seed: int,
    m: int,
    n: int,
) -> None:
    episode = random_episode(seed, m, n)
    order = np.random.default_rng(seed).permutation(m)
    shuffled = make_episode(episode.values[order], episode.known[order], episode.labels[order])
    assert_same(tiny(double_batch([shuffled])), tiny(double_batch([episode])))


@quick
@given(seed=seeds, m=rows, n=variables, more_rows=st.integers(0, 5), more_variables=st.integers(0, 8))
def test_padding_does_not_change_the_rule(
    tiny: PaperInducer,
    random_episode: MakeEpisode,
    double_batch: MakeBatch,
    seed: int,
    m: int,
    n: int,
    more_rows: int,
    more_variables: int,
) -> None:
    episode = random_episode(seed, m, n)
    alone = tiny(double_batch([episode]))
    batch = double_batch([episode], m + more_rows, n + more_variables)
    padded = tiny(batch)
    valid = batch.literal_valid[0]
    assert_same(SoftRule(padded.z[..., valid], padded.w), alone)
    assert (padded.z[..., ~valid] == 0).all()


@quick
@given(seed=seeds, sizes=st.lists(st.tuples(rows, variables), min_size=1, max_size=4))
def test_a_batch_equals_its_tables_one_by_one(
    tiny: PaperInducer,
    random_episode: MakeEpisode,
    double_batch: MakeBatch,
    seed: int,
    sizes: list[tuple[int, int]],
) -> None:
    episodes = [random_episode(seed + i, m, n) for i, (m, n) in enumerate(sizes)]
    batch = double_batch(episodes)
    together = tiny(batch)
    for i, episode in enumerate(episodes):
        valid = batch.literal_valid[i]
        mine = SoftRule(together.z[i : i + 1][..., valid], together.w[i : i + 1])
        assert_same(mine, tiny(double_batch([episode])))


def without_value_keys(model: PaperInducer) -> PaperInducer:
    """The same network with keys made of labels alone."""
    blind = copy.deepcopy(model)
    with torch.no_grad():
        blind.encoder.keys.columns.zero_()
    return blind


def permuted_columns(episode: Episode, order: np.ndarray) -> Episode:
    return make_episode(episode.values[:, order], episode.known[:, order], episode.labels)


@quick
@given(seed=seeds, m=rows, n=st.integers(1, 6))
def test_permuting_columns_permutes_the_rule_when_keys_do_not_read_positions(
    tiny: PaperInducer, random_episode: MakeEpisode, double_batch: MakeBatch, seed: int, m: int, n: int
) -> None:
    model = without_value_keys(tiny)
    episode = random_episode(seed, m, n)
    order = np.random.default_rng(seed).permutation(n)
    permuted = model(double_batch([permuted_columns(episode, order)]))
    original = model(double_batch([episode]))
    literal_order = np.concatenate([order, order + n])
    assert_same(permuted, SoftRule(original.z[..., literal_order], original.w))


def test_the_papers_value_keys_do_read_positions(
    tiny: PaperInducer, random_episode: MakeEpisode, double_batch: MakeBatch
) -> None:
    """Not a wish but a fact about the paper's design, recorded so that nobody claims otherwise."""
    episode = random_episode(0, 10, 5)
    order = np.array([4, 3, 2, 1, 0])
    permuted = tiny(double_batch([permuted_columns(episode, order)]))
    original = tiny(double_batch([episode]))
    assert not torch.allclose(permuted.z, original.z[..., np.concatenate([order, order + 5])])


def test_a_table_wider_than_training_changes_nothing_in_the_network(
    tiny: PaperInducer, random_episode: MakeEpisode, double_batch: MakeBatch
) -> None:
    """The published forward grew a random layer for a wide table and kept it for the next one."""
    narrow, wide = double_batch([random_episode(0, 8, 4)]), double_batch([random_episode(1, 8, 20)])
    state = copy.deepcopy(tiny.state_dict())
    first_narrow, first_wide = tiny(narrow), tiny(wide)
    torch.manual_seed(99)
    assert_same(tiny(wide), first_wide)
    assert_same(tiny(narrow), first_narrow)
    assert state.keys() == tiny.state_dict().keys()
    for name, tensor in tiny.state_dict().items():
        assert torch.equal(tensor, state[name]), name


def test_the_same_seed_builds_the_same_network(tiny_config: PaperConfig) -> None:
    task = PaperTraining(PaperTrainConfig(seed=5, model=replace(tiny_config, n_train=15)))
    torch.manual_seed(1)
    first = task.build().state_dict()
    torch.manual_seed(2)
    second = task.build().state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_every_parameter_learns(
    tiny: PaperInducer, random_episode: MakeEpisode, double_batch: MakeBatch
) -> None:
    model = copy.deepcopy(tiny)
    rule = model(double_batch([random_episode(seed, 10, 6) for seed in range(4)]))
    (rule.z.square().sum() + rule.w.square().sum()).backward()
    idle = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert not idle


def test_the_published_size_is_the_default() -> None:
    config = PaperConfig()
    assert (config.slots, config.width, config.layers, config.heads) == (8, 384, 3, 4)
    assert (config.n_train, config.bottleneck) == (15, 64)


@pytest.mark.parametrize("mistake", [{"slots": 0}, {"width": 30}, {"extension_scale": -1.0}])
def test_impossible_sizes_are_refused(mistake: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(mistake))):
        replace(PaperConfig(), **mistake)
