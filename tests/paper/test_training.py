"""The paper's network learns, resumes exactly, and its configurations say what they claim."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from nri.errors import ConfigError
from nri.networks import load_training
from nri.paper.torch.config import PaperConfig
from nri.paper.torch.tnorm import SoftRule
from nri.paper.torch.training import PaperTrainConfig, PaperTraining, slot_state
from nri.seeded.torch.training import SeededTraining
from nri.synth.paper import PaperPreset
from nri.train.checkpoint import load_checkpoint
from nri.train.config import OptimConfig, RunConfig
from nri.train.loop import CHECKPOINT, train

CONFIGS = Path(__file__).parents[2] / "configs"


def task(steps: int = 6, **changes) -> PaperTraining:
    config = PaperTrainConfig(
        batch=16,
        model=PaperConfig(width=16, layers=1, heads=2, bottleneck=8),
        optim=OptimConfig(steps=steps, learning_rate=3e-3, warmup=2, average=0.9),
        run=RunConfig(validation_batches=2, log_every=4),
    )
    return PaperTraining(replace(config, **changes))


def test_a_resumed_run_ends_with_the_same_weights_as_an_uninterrupted_one(tmp_path):
    train(task(), tmp_path / "whole")
    train(task(), tmp_path / "parts", until=2)
    train(task(), tmp_path / "parts")
    whole, parts = (load_checkpoint(tmp_path / name / CHECKPOINT) for name in ("whole", "parts"))
    assert whole.inducer == "paper"
    assert whole.episodes == parts.episodes == 96
    assert all(torch.equal(whole.weights[name], parts.weights[name]) for name in whole.weights)
    assert all(torch.equal(whole.average[name], parts.average[name]) for name in whole.average)


def test_the_counterfactual_loss_may_set_in_between_two_rows_of_metrics(tmp_path):
    """The warm-up ends after 3 of 6 updates and a row covers 4: it once failed on the new term."""
    train(task(), tmp_path)
    assert "necessity" in (tmp_path / "metrics.jsonl").read_text()


def test_training_makes_deployed_rules_better_than_those_of_fresh_weights(tmp_path):
    learner = task(steps=60, batch=64)
    before = learner.validate(learner.build())
    after = learner.validate(train(learner, tmp_path))
    assert after["clean/accuracy"] > before["clean/accuracy"] + 0.05


def test_noise_and_holes_set_in_after_the_clean_share():
    learner = task(clean_share=0.5, data=PaperPreset(max_label_noise=0.5, max_missing=0.5))
    shown = []
    network = learner.build()
    network.register_forward_hook(lambda _, inputs, __: shown.append(inputs[0]))
    for index in (2, 3):  # the last clean update of six, and the first that is not
        learner.loss(network, index)
    corrupted = [bool((~b.known & b.row_valid[:, :, None] & b.variable_valid[:, None]).any()) for b in shown]
    assert corrupted == [False, True]


def test_slots_that_are_used_alike_have_no_variance_and_sharp_gates_no_entropy():
    z = torch.zeros(5, 2, 4)
    alike = slot_state(SoftRule(z, torch.ones(5, 2)))
    one_only = slot_state(SoftRule(z, torch.tensor([1.0, 0.0]).expand(5, 2)))
    undecided = slot_state(SoftRule(z, torch.full((5, 2), 0.5)))
    assert alike["usage_variance"] == 0
    assert one_only["usage_variance"] == pytest.approx(0.25)
    assert one_only["gate_entropy"] == pytest.approx(0, abs=1e-4)
    assert undecided["gate_entropy"] == pytest.approx(0.6931, abs=1e-3)


def test_the_published_run_is_what_the_paper_states():
    published = load_training(CONFIGS / "paper.toml")
    config = published.config
    assert isinstance(config, PaperTrainConfig)
    assert (config.model.slots, config.model.width, config.model.layers, config.model.heads) == (8, 384, 3, 4)
    assert config.batch * config.optim.batches_per_step == 8192
    assert (config.optim.steps, config.optim.learning_rate, config.optim.weight_decay) == (500, 6e-4, 1e-2)
    assert (config.optim.warmup, config.optim.clip) == (100, 1.0)
    assert (config.data.n_spurious, config.data.flip_rate) == (3, 0.3)
    assert (config.loss.clause_dropout, config.loss.min_kept) == (0.25, 2)


def test_a_configuration_names_its_network():
    assert isinstance(load_training(CONFIGS / "seeded.toml"), SeededTraining)
    assert isinstance(load_training(CONFIGS / "paper-cpu.toml"), PaperTraining)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('task = "papper"', "unknown task 'papper'"),
        ('task = "paper"\n[model]\nwitdh = 3', "unknown key 'witdh'"),
        ('task = "paper"\nbatch = 0', "batch = 0 draws nothing"),
        ('task = "paper"\n[data]\nn_spurious = 9', "narrower than the 21 columns"),
    ],
)
def test_a_mistake_in_a_configuration_is_told(tmp_path, text, message):
    path = tmp_path / "run.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_training(path)
