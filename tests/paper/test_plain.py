"""The unfolded forward pass has the numbers of the quick one; the symmetry that follows from it."""

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st
from padded_episodes import pad_episodes

from nri.episode import make_episode
from nri.networks import load_network
from nri.paper.plain import Steps, forward, rule_holds
from nri.paper.torch.batch import batch_from_arrays
from nri.paper.torch.feedback import FeedbackConfig, FeedbackInducer
from nri.paper.torch.network import PaperConfig, PaperInducer
from nri.paper.torch.tnorm import SoftRule, execute

ROOT = Path(__file__).parents[2]
seeds = st.integers(0, 10**6)


def weights(network: torch.nn.Module) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in network.state_dict().items()}


def fresh(seed: int) -> PaperInducer:
    config = PaperConfig(slots=4, width=16, layers=2, heads=4, bottleneck=8)
    torch.manual_seed(seed)
    return PaperInducer(config).eval()


def quick(network: torch.nn.Module, values, known, labels) -> SoftRule:
    rows, variables = np.ones((1, len(values)), bool), np.ones((1, values.shape[1]), bool)
    batch = batch_from_arrays((values & known)[None], known[None], labels[None], rows, variables)
    with torch.no_grad():
        return network(batch)


def table(seed: int, missing: float):
    rng = np.random.default_rng(seed)
    M, N = int(rng.integers(2, 30)), int(rng.integers(1, 16))
    labels = rng.random(M) < 0.5
    labels[:2] = True, False
    return rng.random((M, N)) < rng.random(N), rng.random((M, N)) >= missing, labels


@settings(deadline=None, max_examples=usually(8, 25))
@given(seed=seeds, missing=st.sampled_from([0.0, 0.3]))
def test_the_unfolded_forward_pass_has_the_gates_of_the_quick_one(seed, missing):
    network = fresh(seed)
    values, known, labels = table(seed, missing)
    steps, rule = (
        forward(weights(network), values & known, known, labels),
        quick(network, values, known, labels),
    )
    np.testing.assert_allclose(steps.z, rule.z[0], atol=2e-5)
    np.testing.assert_allclose(steps.w, rule.w[0], atol=2e-5)
    done = execute(rule, torch.from_numpy(steps.literals).float()[None], empty_is_silent=False)
    np.testing.assert_allclose(steps.clauses, done.clauses[0], atol=2e-4)
    np.testing.assert_allclose(steps.prediction, done.rule[0], atol=2e-4)


def test_the_shipped_weights_unfold_too():
    network = load_network(ROOT / "checkpoints" / "paper" / "checkpoint.safetensors")
    values, known, labels = table(5, 0.1)
    steps, rule = (
        forward(weights(network), values & known, known, labels),
        quick(network, values, known, labels),
    )
    np.testing.assert_allclose(steps.z, rule.z[0], atol=1e-4)


def test_every_numbered_equation_is_cited_beside_what_computes_it():
    folder = ROOT / "src" / "nri" / "paper"
    text = "\n".join(path.read_text() for path in folder.rglob("*.py"))
    cited = {int(number) for number in re.findall(r"\((\d+)\)(?: ``?\w|[ ,:]|\.)", text)}
    assert set(range(1, 24)) <= cited
    labels = ("dnf", "phi", "h0", "example_key", "h1", "film", "clause_state", "literal_gate", "clause_gate")
    for number, label in enumerate((*labels, "clause_rank", "clause_truth", "prediction"), start=2):
        assert re.search(rf"\({number}\) `*{label}", text), (number, label)


def truth_table(n_variables: int, rule: tuple[tuple[int, ...], ...]):
    rows = np.array(list(product((False, True), repeat=n_variables)))
    literals = np.concatenate([rows, ~rows], 1).astype(float)
    return rows, np.ones_like(rows), rule_holds(rule, literals)


def alike(steps: Steps) -> list[list[int]]:
    """Groups of literals with equal statistics."""
    groups: dict[bytes, list[int]] = {}
    for j, phi in enumerate(np.round(steps.phi, 12) + 0.0):
        groups.setdefault(phi.tobytes(), []).append(j)
    return list(groups.values())


@settings(deadline=None, max_examples=usually(8, 25))
@given(seed=seeds, missing=st.sampled_from([0.0, 0.2]))
def test_literals_with_equal_statistics_have_equal_gates_whatever_the_weights(seed, missing):
    """Eq. (6) gives them equal embeddings: all literals share the keys and values of the attention."""
    values, known, labels = table(seed, missing)
    values, known = np.repeat(values & known, 2, 1), np.repeat(known, 2, 1)
    rng = np.random.default_rng(seed)
    for label in (True, False):  # each copy covers other rows of a class, as often
        rows = np.flatnonzero(labels == label)
        shuffled = rng.permutation(rows)
        values[rows, 1::2], known[rows, 1::2] = values[shuffled, 1::2], known[shuffled, 1::2]
    if values.shape[1] > 15:
        values, known = values[:, :14], known[:, :14]
    steps = forward(weights(fresh(seed)), values, known, labels)
    for group in alike(steps):
        assert np.ptp(steps.z[:, group], axis=1).max() < 1e-9


@pytest.mark.parametrize(
    ("rule", "tied"),
    [
        (((0,), (1,)), (0, 1)),
        (((0, 1), (2, 3)), (0, 1, 2, 3)),
        (((0, 1, 2), (3, 4, 5)), (0, 1, 2, 3, 4, 5)),
    ],
    ids=["x0 or x1", "x0 x1 or x2 x3", "x0 x1 x2 or x3 x4 x5"],
)
@settings(deadline=None, max_examples=usually(3, 5))
@given(seed=seeds)
def test_on_its_whole_truth_table_no_weights_let_the_texts_network_tell_the_clauses_apart(rule, tied, seed):
    network = fresh(seed)
    with torch.no_grad():
        for tensor in network.parameters():
            tensor.mul_(3)  # not only small, fresh ones
    steps = forward(weights(network), *truth_table(6, rule))
    assert np.ptp(steps.z[:, list(tied)], axis=1).max() < 1e-9


def test_feedback_on_coverage_breaks_the_tie():
    torch.manual_seed(0)
    network = FeedbackInducer(FeedbackConfig(width=16, hidden=8)).eval()
    values, _, labels = truth_table(4, ((0,), (1,)))
    with torch.no_grad():
        z = network(pad_episodes([make_episode(values, labels=labels.astype(np.int64))])).z[0]
    assert (z[:, 0] - z[:, 1]).abs().max() > 1e-4
