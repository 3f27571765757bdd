"""The paper's network learns, resumes exactly, and its configurations say what they claim."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from nri.errors import ConfigError
from nri.networks import load_training
from nri.paper.episodes import PaperPreset
from nri.paper.torch.network import PaperConfig
from nri.paper.torch.tnorm import SoftRule
from nri.paper.torch.training import PaperTrainConfig, PaperTraining, slot_state
from nri.seeded.torch.training import SeededTraining
from nri.train.checkpoint import load_checkpoint
from nri.train.config import OptimConfig, RunConfig, to_dict
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


def test_the_published_run_is_that_of_the_published_code_line_by_line():
    """It once had a falling rate, averaged weights, another objective and 8192 fresh episodes an update."""
    config = load_training(CONFIGS / "paper.toml").config
    assert isinstance(config, PaperTrainConfig)
    assert to_dict(replace(config, run=RunConfig())) == {
        "seed": 42,
        "batch": 256,
        "pool": 256,
        "clean_share": 0.0,
        "run": to_dict(RunConfig()),
        "model": {
            "slots": 8,
            "width": 384,
            "layers": 3,
            "heads": 4,
            "feedforward": 4,
            "n_train": 15,
            "bottleneck": 64,
            "extension_seed": 0,
            "extension_scale": 1.0,
            "dropout": 0.1,
        },
        "data": {
            "min_variables": 6,
            "max_variables": 12,
            "min_rows": 24,
            "max_rows": 48,
            "min_clauses": 1,
            "max_clauses": 6,
            "min_literals": 1,
            "max_literals": 4,
            "n_spurious": 3,
            "flip_rate": 0.3,
            "label_noise": 0.0,
            "missing": 0.0,
            "max_label_noise": 0.0,
            "max_missing": 0.0,
            "shuffle_columns": False,
            "even_share": 0.0,
        },
        "loss": {
            "gate_noise": True,
            "coverage_hinge": 1.0,
            "gated_margin": True,
            "switch_by_gates": True,
            "sampled_counterfactuals": 4,
            "counterfactual_scales_all": False,
            "length": 0.0,
            "max_length": 4.0,
            "empty_is_silent": True,
            "switch": 0.1,
            "usage": 0.1,
            "activation": 0.05,
            "repulsion": 0.0,
            "entropy": 0.0,
            "margin": 1.0,
            "margin_positive": 0.7,
            "margin_negative": 0.3,
            "counterfactual": 0.15,
            "counterfactual_overlap": 0.1,
            "counterfactual_balance": 0.01,
            "counterfactual_warmup": 0.5,
            "select_threshold": 0.3,
            "clause_dropout": 0.25,
            "min_kept": 2,
        },
        "optim": {
            "steps": 500,
            "batches_per_step": 1,
            "learning_rate": 6e-4,
            "schedule": "constant",
            "final_learning_rate": 1e-5,
            "warmup": 100,
            "weight_decay": 1e-2,
            "clip": 1.0,
            "average": 0.0,
        },
    }


def test_a_pool_shows_the_same_episodes_again_and_none_shows_fresh_ones():
    for pool, again in ((32, True), (0, False)):
        learner, shown = task(pool=pool), []
        network = learner.build()
        network.register_forward_hook(lambda _, inputs, __, shown=shown: shown.append(inputs[0].values))
        for index in range(3):  # a pool of 32 is two batches of 16
            learner.loss(network, index)
        assert torch.equal(shown[0], shown[2]) is again
        assert not torch.equal(shown[0], shown[1])


def test_without_averaging_the_weights_themselves_are_kept(tmp_path):
    optim = OptimConfig(steps=3, learning_rate=3e-3, warmup=2, average=0.0)
    train(task(optim=optim), tmp_path)
    kept = load_checkpoint(tmp_path / CHECKPOINT)
    assert all(torch.equal(kept.weights[name], kept.average[name]) for name in kept.weights)


def test_dropout_is_drawn_for_each_batch_and_idle_in_validation():
    learner = task(model=PaperConfig(width=16, layers=1, heads=2, bottleneck=8, dropout=0.3))
    network = learner.build()
    before = torch.random.get_rng_state()
    first, again, other = (float(learner.loss(network, index).total.detach()) for index in (1, 1, 2))
    assert first == again
    assert first != other
    assert torch.equal(torch.random.get_rng_state(), before)  # nobody else's chance is touched
    network.eval()
    scores = [learner.validate(network) for _ in range(2)]
    assert scores[0] == scores[1]


def test_a_configuration_names_its_network():
    assert isinstance(load_training(CONFIGS / "seeded.toml"), SeededTraining)
    assert isinstance(load_training(CONFIGS / "paper-cpu.toml"), PaperTraining)
    for name in ("paper-noise", "paper-shapes"):
        assert isinstance(load_training(CONFIGS / f"{name}.toml"), PaperTraining)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('task = "papper"', "unknown task 'papper'"),
        ('task = "paper"\n[model]\nwitdh = 3', "unknown key 'witdh'"),
        ('task = "paper"\nbatch = 0', "batch = 0 is out of bounds; give at least 1"),
        ('task = "paper"\nbatch = 10\npool = 15', "pool = 15 is no multiple of batch = 10"),
        ('task = "paper"\n[model]\ndropout = 1.0', "dropout = 1.0 is out of bounds; give 0 to 0.99"),
        ('task = "paper"\n[data]\nn_spurious = 9', "narrower than the 21 columns"),
    ],
)
def test_a_mistake_in_a_configuration_is_told(tmp_path, text, message):
    path = tmp_path / "run.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_training(path)
