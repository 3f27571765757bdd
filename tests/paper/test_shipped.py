"""The weights that ship: whole, small, and good enough to find simple rules."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nri import NRIClassifier
from nri.episode import make_episode
from nri.networks import load_training, make_training
from nri.paper.model import PaperModel, shipped_paper_network
from nri.search.limits import Limits
from nri.train.checkpoint import load_checkpoint
from nri.weights import shipped_file

ROOT = Path(__file__).parents[2]


def test_the_card_states_training_and_the_file_is_small():
    card = shipped_paper_network().card
    assert card["inducer"] == "paper"
    assert card["episodes"] == card["step"] * card["config"]["batch"]
    assert card["config"]["model"]["slots"] == 8
    assert len(card["commit"]) >= 7
    assert shipped_file("paper").stat().st_size < 5 * 2**20


def test_the_weights_are_those_of_the_checkpoint_and_the_configuration_beside_them():
    """The first weights shipped without either, so nobody could go on from them or see why these."""
    card = shipped_paper_network().card
    kept = load_checkpoint(ROOT / "checkpoints" / "paper" / "checkpoint.safetensors")
    assert (kept.step, kept.episodes, kept.config) == (card["step"], card["episodes"], card["config"])
    written = load_training(ROOT / "configs" / "paper-cpu.toml").config
    # options that came later say by their defaults what the run did
    trained = make_training({"task": "paper", **card["config"]}, "card").config
    assert replace(written, run=trained.run) == trained


def test_the_checkpoint_that_ships_is_the_best_of_its_run_on_synthetic_tables():
    lines = shipped_file("paper").with_suffix(".metrics.jsonl").read_text().splitlines()
    choice = {row["step"]: row["valid/text/choice"] for row in map(json.loads, lines) if len(row) > 20}
    assert max(choice, key=choice.get) == shipped_paper_network().card["step"]


@pytest.mark.parametrize("model", ["paper", "paper-tuned", "paper-feedback"])
def test_networks_and_deployments_are_models_by_name(model):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (200, 8)).astype(float)
    y = (X[:, 2] == 1) & (X[:, 5] == 0)
    assert NRIClassifier(model=model, random_state=0).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize(("n_variables", "least"), [(8, 0.95), (40, 0.85)])
def test_conjunctions_are_found_in_most_tables(n_variables, least):
    """By the text's rule; tables of 40 columns are three times as wide as those of training."""
    rng = np.random.default_rng(0)
    right = []
    for _ in range(10):
        X = rng.random((400, n_variables)) < 0.5
        a, b = rng.choice(n_variables, 2, replace=False)
        labels = (X[:, a] & ~X[:, b]).astype(int)
        table = make_episode(X[:100], labels=labels[:100])
        found = PaperModel().induce(table, np.arange(n_variables), Limits(positive=1), rng)
        right.append(np.mean(found.predict(X[100:], np.ones_like(X[100:])) == labels[100:]))
    assert np.mean(right) > least


def test_the_classifier_takes_it_by_name_with_missing_cells_and_several_classes():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (150, 6)).astype(float)
    y = np.select([X[:, 0] == 1, X[:, 1] == 1], ["a", "b"], "c")
    frame = pd.DataFrame(X, columns=list("uvwxyz"))
    frame.iloc[::7, 3] = np.nan
    model = NRIClassifier(model="paper", random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.8
    assert NRIClassifier(model="paper", random_state=0).fit(frame, y).rule_ == model.rule_
