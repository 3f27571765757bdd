import sys
from collections.abc import Callable
from subprocess import run

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from padded_episodes import pad_episodes

from nri.episode import Episode, literal_truth, make_episode
from nri.errors import ConfigError
from nri.paper.model import DeployConfig, deploy, discrimination
from nri.paper.torch.network import PaperInducer
from nri.paper.torch.tnorm import SoftRule, execute
from nri.search.candidates import clause_truth

quick = settings(deadline=None, max_examples=25)

TABLE = make_episode(
    np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]], bool), labels=np.array([1, 1, 0, 0])
)


def test_open_gates_become_clauses_with_the_surest_slot_first() -> None:
    z = np.array([[0.9, 0.1, 0.0, 0.0, 0.0, 0.6], [0.0, 0.5, 0.0, 0.0, 0.0, 0.0], [1.0] + [0.0] * 5])
    assert deploy(z, np.array([0.5, 0.9, 0.49]), TABLE) == ((1,), (0, 5))


def test_slots_without_literals_and_repeated_clauses_are_dropped() -> None:
    z = np.array([[0.9, 0, 0, 0, 0, 0], [0.4] * 6, [0.8, 0, 0, 0, 0, 0]])
    assert deploy(z, np.ones(3), TABLE) == ((0,),)


def test_no_open_slot_gives_the_rule_that_never_holds() -> None:
    assert deploy(np.ones((2, 6)), np.zeros(2), TABLE) == ()


def test_long_clauses_keep_their_highest_gates() -> None:
    z = np.array([[0.6, 0.9, 0.7, 0.0, 0.0, 0.0]])
    assert deploy(z, np.ones(1), TABLE, DeployConfig(max_literals=2)) == ((1, 2),)


def test_four_literals_are_the_published_limit_and_the_papers_text_has_none() -> None:
    z = np.array([[0.9, 0.8, 0.7, 0.6, 0.55, 0.95]])
    assert deploy(z, np.ones(1), TABLE) == ((0, 1, 2, 5),)
    assert deploy(z, np.ones(1), TABLE, DeployConfig()) == ((0, 1, 2, 3, 4, 5),)


def test_the_filter_keeps_the_clauses_that_discriminate_best() -> None:
    z = np.zeros((3, 6))
    z[0, 1], z[1, 0], z[2, 3] = 1, 1, 1  # useless, perfect, and perfectly wrong
    w = np.array([0.9, 0.6, 0.8])
    assert deploy(z, w, TABLE, DeployConfig(top_clauses=1)) == ((0,),)
    assert deploy(z, w, TABLE, DeployConfig(top_clauses=2)) == ((0,), (1,))


def test_discrimination_is_the_difference_of_class_means_and_survives_a_single_class() -> None:
    truth = np.array([[1, 0], [0, 0], [1, 1]])
    assert discrimination(truth, np.array([1, 1, 0])).tolist() == [-0.5, -1.0]
    assert discrimination(truth, np.array([0, 0, 0])).tolist() == pytest.approx([-2 / 3, -1 / 3])


@quick
@given(seed=st.integers(0, 10**6))
def test_hard_clauses_hold_where_their_soft_twins_do(
    random_episode: Callable[..., Episode], seed: int
) -> None:
    episode = random_episode(seed, 9, 4)
    membership = np.random.default_rng(seed).random((3, 8)) < 0.3
    membership[:, 0] |= ~membership.any(1)
    soft = SoftRule(torch.tensor(membership).float(), torch.ones(3))
    truth = execute(soft, pad_episodes([episode]).literals[0]).clauses
    clauses = [tuple(np.flatnonzero(members)) for members in membership]
    hard = clause_truth(literal_truth(episode.values, episode.known), clauses)
    np.testing.assert_array_equal(hard.T, (truth > 0.75).numpy())


def test_a_network_induces_rules_over_each_tables_own_literals(
    tiny: PaperInducer, random_episode: Callable[..., Episode]
) -> None:
    torch.manual_seed(0)
    model = PaperInducer(tiny.config)
    episodes = [random_episode(0, 8, 3), random_episode(1, 12, 7)]
    batch = pad_episodes(episodes)
    with torch.no_grad():
        rules = model(batch)
    for z, w, valid, episode in zip(rules.z, rules.w, batch.literal_valid, episodes, strict=True):
        assert z[:, valid].shape == (3, 2 * episode.n_variables)
        for clause in deploy(z[:, valid].numpy(), w.numpy(), episode):
            assert max(clause) < 2 * episode.n_variables


def test_deploying_needs_no_torch() -> None:
    """The installed product runs the network elsewhere and deploys its gates."""
    code = "import sys, nri.paper.model; sys.exit('torch' in sys.modules)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0
    broken = code.replace("nri.paper.model", "nri.paper.model, torch")
    assert run([sys.executable, "-c", broken], check=False).returncode == 1


@pytest.mark.parametrize("mistake", [{"max_literals": 0}, {"top_clauses": 0}])
def test_impossible_thresholds_are_refused(mistake: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(mistake))):
        DeployConfig(**mistake)  # type: ignore[arg-type]


def test_tuned_clauses_are_the_fewest_that_decide_most_support_rows() -> None:
    z = np.array([[0, 0.9, 0, 0, 0, 0], [0.9, 0, 0, 0, 0, 0], [0, 0, 0.9, 0, 0, 0]])
    tuned = DeployConfig(tune_clauses=True)
    assert deploy(z, np.ones(3), TABLE, tuned) == ((0,),)
    assert deploy(z[[0, 2]], np.ones(2), TABLE, tuned) == ()  # neither is better than saying nothing
