"""The network with coverage feedback: what cannot change its gates, and what its data are."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.errors import ConfigError
from nri.networks import export_weights, load_network, load_training, make_training, train_network
from nri.paper.model import PaperModel, PaperNetwork, shipped_paper_network
from nri.paper.torch.batch import EpisodeBatch
from nri.paper.torch.feedback import FeedbackConfig, FeedbackData, FeedbackInducer, FeedbackTrainConfig
from nri.paper.torch.training import Views
from nri.search.limits import Limits
from nri.synth import dnf_truth
from nri.train.checkpoint import load_checkpoint

ROOT = Path(__file__).parents[2]
TINY = {
    "task": "paper-feedback",
    "model": {"width": 8, "layers": 1, "heads": 2, "hidden": 8, "rounds": 4, "anew": [2]},
    "data": {"max_rows": 40, "max_variables": 14, "cells": 4000, "max_episodes": 8},
    "optim": {"steps": 3, "warmup": 1},
    "run": {"validate_every": 100},
}


def network(seed: int = 0) -> FeedbackInducer:
    config = FeedbackConfig(width=8, layers=1, heads=2, hidden=8, rounds=5, anew=(2,))
    torch.manual_seed(seed)
    return FeedbackInducer(config).eval()


def table(seed: int) -> EpisodeBatch:
    rng = np.random.default_rng(seed)
    M, N = int(rng.integers(3, 30)), int(rng.integers(2, 12))
    known = torch.from_numpy(rng.random((1, M, N)) < 0.9)
    labels = rng.random((1, M)) < 0.5
    labels[0, :2] = True, False
    return EpisodeBatch(
        torch.from_numpy(rng.random((1, M, N)) < 0.5).float() * known,
        known,
        torch.from_numpy(labels).float(),
        torch.ones(1, M, dtype=torch.bool),
        torch.ones(1, N, dtype=torch.bool),
    )


@settings(deadline=None, max_examples=usually(6, 20))
@given(seed=st.integers(0, 10**6))
def test_permuting_columns_permutes_the_gates(seed):
    """Unlike the text's network, whose example keys know positions."""
    batch, model = table(seed), network(seed)
    N = batch.values.shape[2]
    order = torch.from_numpy(np.random.default_rng(seed).permutation(N))
    other = EpisodeBatch(
        batch.values[:, :, order],
        batch.known[:, :, order],
        batch.labels,
        batch.row_valid,
        batch.variable_valid,
    )
    with torch.no_grad():
        one, two = model(batch), model(other)
    torch.testing.assert_close(one.z[:, :, torch.cat([order, order + N])], two.z, atol=1e-4, rtol=1e-3)
    torch.testing.assert_close(one.w, two.w, atol=1e-4, rtol=1e-3)


@settings(deadline=None, max_examples=usually(6, 20))
@given(seed=st.integers(0, 10**6))
def test_a_slot_asks_for_literals_of_one_positive_row_alone(seed):
    batch, model = table(seed), network(seed)
    with torch.no_grad():
        z = model(batch).z[0]
    literals = batch.literals[0][batch.labels[0] == 1]
    assert all(any((row[slot > 0] == 1).all() for row in literals) for slot in z)


def test_luck_decides_where_slots_start_and_nothing_else():
    batch, model = table(7), network()
    with torch.no_grad():
        luck = torch.rand(batch.labels.shape, generator=torch.Generator().manual_seed(1))
        one, same = model(batch, luck), model(batch, luck.clone())
        torch.testing.assert_close(one.z, same.z)
        assert (one.z - model(batch, luck.flip(1)).z).abs().max() > 1e-4


def test_its_tables_are_of_the_sizes_that_the_configuration_says():
    data = FeedbackData(cells=20_000)
    shapes, noisy, missing = [], 0, 0
    for index in range(150):
        batch = data.draw(np.random.default_rng([1, index]))
        M = batch.n_support
        shapes.append((M, batch.values.shape[2]))
        if batch.clauses is not None and (batch.truth <= 1).all():
            noisy += bool((batch.labels != (batch.truth[:, :M] > 0.5)).any())
        missing += not batch.known.all()
    rows, columns = zip(*shapes, strict=True)
    assert min(rows) >= 16
    assert 300 < max(rows) <= 512
    assert 60 < max(columns) <= 128
    assert noisy > 20
    assert missing > 20


def test_labels_of_rules_follow_their_clauses_also_beside_distractors():
    data = FeedbackData(wide_share=0.0, max_missing=0.0, cells=20_000)
    for index in range(30):
        batch = data.draw(np.random.default_rng([2, index]))
        np.testing.assert_array_equal(dnf_truth(batch.clauses, batch.values), batch.truth > 0.5)


def test_it_trains_exports_and_answers_alike(tmp_path):
    checkpoint = train_network(TINY, tmp_path / "run")
    card = export_weights(checkpoint, tmp_path / "net.onnx")
    assert (card["inducer"], card["step"]) == ("paper-feedback", 3)
    shipped, trained = PaperNetwork(tmp_path / "net.onnx"), Views(load_network(checkpoint))
    for seed in range(10):
        batch = table(seed)
        with torch.no_grad():
            z, w = trained(batch.values, batch.known, batch.labels[0])
        values, known = batch.values.numpy() > 0, batch.known.numpy()
        (gates,) = shipped.gates(values, known, batch.labels[0].numpy() > 0)
        np.testing.assert_allclose(gates.z, z[0], atol=1e-4)
        np.testing.assert_allclose(gates.w, w[0], atol=1e-4)


def test_an_interrupted_run_goes_on_as_if_it_had_not_been(tmp_path):
    whole = train_network(TINY, tmp_path / "whole")
    train_network(TINY, tmp_path / "parts", until=1)
    parts = train_network(TINY, tmp_path / "parts")
    one, two = load_network(whole).state_dict(), load_network(parts).state_dict()
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_the_shipped_run_is_the_configuration_that_is_there():
    """Its second part; the first is the same but for the columns that follow the label, and shorter."""
    first, second = (
        load_training(ROOT / "configs" / f"{name}.toml").config
        for name in ("paper-feedback", "paper-feedback-spurious")
    )
    assert isinstance(second, FeedbackTrainConfig)
    card = shipped_paper_network("paper-feedback").card
    kept = load_checkpoint(ROOT / "checkpoints" / "paper-feedback" / "checkpoint.safetensors")
    assert (kept.step, kept.config) == (card["step"], card["config"])
    trained = make_training({"task": "paper-feedback", **card["config"]}, "card").config
    assert second == replace(trained, run=second.run)
    assert (first.model, first.loss) == (second.model, second.loss)


def test_impossible_sizes_are_refused():
    with pytest.raises(ConfigError, match="rounds = 0 is out of bounds; give at least 1"):
        FeedbackConfig(rounds=0)


def test_disjunctions_that_tie_in_the_texts_network_are_found():
    """Rules of one shape and sign, 256 rows; the text's network finds few of them (docs/paper-results.md)."""
    from nri.episode import make_episode

    right = {}
    for name in ("paper", "paper-feedback"):
        model = PaperModel(shipped_paper_network(name))
        rng = np.random.default_rng(0)
        exact = []
        for _ in range(20):
            X = rng.random((1280, 12)) < 0.5
            labels = X[:, 0] | X[:, 1] | X[:, 2]
            seen = make_episode(X[:256], labels=labels[:256].astype(np.int64))
            induced = model.induce(seen, np.arange(12), Limits(positive=1), rng)
            exact.append((induced.predict(X[256:], np.ones_like(X[256:])) == labels[256:]).all())
        right[name] = np.mean(exact)
    assert right["paper-feedback"] > 0.7
    assert right["paper"] < 0.3


@pytest.mark.parametrize(
    ("part", "values", "told"),
    [
        ("model", {"anew": 3}, "anew must be a list, not 3"),
        ("model", {"anew": ["3"]}, "anew must be of type int, not '3'"),
        ("model", {"anew": [2, 4]}, r"anew = \[2, 4\] is outside the rounds; give numbers from 1 to 3"),
        ("model", {"anew": [0]}, r"anew = \[0\] is outside the rounds; give numbers from 1 to 3"),
        ("data", {"wide_share": 2}, "wide_share = 2.0 is out of bounds; give 0 to 1"),
        ("data", {"max_clauses": 0}, "max_clauses = 0 is out of bounds; give at least 1"),
        ("data", {"min_rows": 50}, "leave nothing to draw; give min_rows <= max_rows"),
        ("data", {"max_variables": 12}, "leave nothing to draw; .* 12 < max_variables"),
    ],
)
def test_a_configuration_that_could_not_be_trained_is_refused_in_one_line(part, values, told, tmp_path):
    """Rounds beyond the last gave an IndexError in the loss, round 0 judged the last round twice."""
    with pytest.raises(ConfigError, match=told):
        train_network(TINY | {part: TINY[part] | values}, tmp_path / "run")
    assert not (tmp_path / "run").exists()
