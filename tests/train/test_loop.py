"""Training resumes exactly, and a bad batch does no harm."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from effort import usually

from nri.errors import InputError
from nri.seeded.torch.training import SeededTrainConfig, SeededTraining
from nri.train.checkpoint import load_checkpoint
from nri.train.config import OptimConfig, from_dict, read_toml
from nri.train.loop import CHECKPOINT, METRICS, learning_rate, train

TINY = Path(__file__).parents[2] / "configs" / "tiny.toml"


def task(**optim) -> SeededTraining:
    config = from_dict(SeededTrainConfig, read_toml(TINY), str(TINY))
    return SeededTraining(replace(config, optim=replace(config.optim, **{"steps": 6, "warmup": 2} | optim)))


def rows(directory: Path) -> list[dict]:
    return [json.loads(line) for line in (directory / METRICS).read_text().splitlines()]


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[k], other[k]) for k in one)


def test_a_resumed_run_ends_with_the_same_weights_as_an_uninterrupted_one(tmp_path):
    train(task(), tmp_path / "whole")
    train(task(), tmp_path / "parts", until=3)
    assert load_checkpoint(tmp_path / "parts" / CHECKPOINT).step == 3
    train(task(), tmp_path / "parts")
    whole, parts = (load_checkpoint(tmp_path / name / CHECKPOINT) for name in ("whole", "parts"))
    assert whole.step == parts.step == 6
    assert whole.episodes == parts.episodes
    assert same(whole.weights, parts.weights)
    assert same(whole.average, parts.average)
    assert same(whole.optimizer, parts.optimizer)


def test_training_lowers_the_loss_on_small_tables_of_the_validation_suite(tmp_path):
    learner = task(steps=usually(25, 40), warmup=5)
    before = learner.validate(learner.build())
    after = learner.validate(train(learner, tmp_path))
    # forty updates of a tiny network show on tables like those it learns from, not on noisy or spurious rules
    seen = [f"{part}/excess" for part in ("small", "middle", "large")]
    assert sum(after[name] for name in seen) < 0.95 * sum(before[name] for name in seen)


def test_metrics_tell_losses_speed_and_validation(tmp_path):
    config = task(steps=2).config
    train(SeededTraining(replace(config, run=replace(config.run, validate_every=2, log_every=1))), tmp_path)
    kinds = {key for row in rows(tmp_path) for key in row}
    assert {"loss", "episodes_per_second", "learning_rate", "valid/recovery/error"} <= kinds


def test_an_update_without_a_finite_gradient_is_skipped_and_said(tmp_path, caplog):
    class Broken(SeededTraining):
        def loss(self, network, index):
            loss = super().loss(network, index)
            return replace(loss, total=loss.total * float("nan")) if index == 1 else loss

    train(Broken(task(steps=3).config), tmp_path)
    assert "update 1 has no finite gradient" in caplog.text
    kept = load_checkpoint(tmp_path / CHECKPOINT)
    assert all(torch.isfinite(tensor).all() for tensor in kept.weights.values())


def test_the_learning_rate_warms_up_and_falls_to_its_final_value():
    optim = OptimConfig(steps=100, warmup=10, learning_rate=1.0, final_learning_rate=0.1)
    rates = [learning_rate(optim, step) for step in range(101)]
    assert rates[0] == pytest.approx(0.1)
    assert max(rates) == pytest.approx(1.0)
    assert rates[100] == pytest.approx(0.1)
    assert all(a >= b for a, b in pairwise(rates[10:]))


def test_a_constant_learning_rate_stays_after_the_warm_up():
    optim = OptimConfig(steps=100, warmup=10, learning_rate=1.0, schedule="constant")
    assert [learning_rate(optim, step) for step in (0, 9, 10, 99)] == pytest.approx([0.1, 1.0, 1.0, 1.0])


def test_a_file_that_is_no_checkpoint_is_refused(tmp_path):
    path = tmp_path / "x.safetensors"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="cannot read checkpoint"):
        load_checkpoint(path)
    with pytest.raises(InputError, match="cannot read checkpoint"):
        load_checkpoint(tmp_path / "absent.safetensors")


def test_a_run_that_diverges_stops_and_leaves_no_weights(tmp_path):
    """It ended with exit code 0, and its weights could be exported."""
    with pytest.raises(InputError, match=r"training diverged.*lower optim\.learning_rate"):
        train(task(learning_rate=1e30, final_learning_rate=1e30), tmp_path)
    assert not (tmp_path / CHECKPOINT).exists()


def test_a_folder_is_no_checkpoint_and_the_message_names_the_file_in_it(tmp_path):
    with pytest.raises(InputError, match=rf"is a folder; give the checkpoint in it, e\.g\. .*{CHECKPOINT}"):
        load_checkpoint(tmp_path)
