"""A checkpoint is whole or refused: flipped weights loaded, lost fields raised, metrics were told twice."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.torch import save_file

from nri.errors import InputError
from nri.networks import export_weights
from nri.seeded.torch.training import SeededTrainConfig, SeededTraining
from nri.train.checkpoint import FORMAT, load_checkpoint, save_checkpoint
from nri.train.config import from_dict, read_toml
from nri.train.loop import CHECKPOINT, METRICS, forget_rows_after, train

TINY = Path(__file__).parents[2] / "configs" / "tiny.toml"


def task(**run) -> SeededTraining:
    config = from_dict(SeededTrainConfig, read_toml(TINY), str(TINY))
    optim = replace(config.optim, steps=4, warmup=1)
    return SeededTraining(replace(config, optim=optim, run=replace(config.run, log_every=1, **run)))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    train(task(), folder, until=2)
    return folder / CHECKPOINT


def parts_of(path):
    with safe_open(path, framework="pt") as file:
        return file.metadata(), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def test_no_bit_of_a_checkpoint_can_be_flipped_unseen(trained, tmp_path):
    whole, rng = trained.read_bytes(), np.random.default_rng(0)
    header = int.from_bytes(whole[:8], "little") + 8
    places = [*rng.integers(0, header, 150), *rng.integers(header, len(whole), 100)]
    unchanged = load_checkpoint(trained)
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path = tmp_path / "x.safetensors"
        path.write_bytes(damaged)
        try:
            kept = load_checkpoint(path)
        except InputError:
            continue
        # a blank of the JSON may have become another blank: then nothing was changed
        assert (kept.step, kept.config) == (unchanged.step, unchanged.config)


def test_a_checkpoint_that_was_cut_is_refused(trained, tmp_path):
    whole = trained.read_bytes()
    for end in (0, 4, 8, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "x.safetensors").write_bytes(whole[:end])
        with pytest.raises(InputError, match="cannot read checkpoint"):
            load_checkpoint(tmp_path / "x.safetensors")


@pytest.mark.parametrize("field", ["inducer", "step", "episodes", "config"])
@pytest.mark.parametrize("value", [None, "x", "[]", "-1"])
def test_a_lost_or_senseless_field_is_told_in_one_line_also_without_a_checksum(
    trained, tmp_path, field, value
):
    """They raised KeyError, ValueError, TypeError and AttributeError."""
    header, tensors = parts_of(trained)
    header = {key: text for key, text in header.items() if key != "sha256"} | {"format": "nri-checkpoint-1"}
    header = {key: text for key, text in (header | {field: value}).items() if text is not None}
    save_file(tensors, tmp_path / CHECKPOINT, metadata=header)
    with pytest.raises(InputError) as refused:
        export_weights(tmp_path / CHECKPOINT, tmp_path / "out.onnx")
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "out.onnx").exists()


@pytest.mark.parametrize("spoil", [
    lambda tensors: tensors.pop(next(name for name in tensors if name.startswith("average/"))),
    lambda tensors: tensors.pop(next(name for name in tensors if name.startswith("weights/"))),
    lambda tensors: tensors.update({"optimizer/nobody/exp_avg": tensors[next(iter(tensors))].clone()}),
    lambda tensors: tensors.update({"nothing": tensors[next(iter(tensors))].clone()}),
    lambda tensors: tensors.update({"nothing/x": tensors[next(iter(tensors))].clone()}),
    lambda tensors: tensors.update({name: tensors[name].reshape(-1)[:1].clone() for name in tensors}),
], ids=["average", "weights", "optimizer", "no group", "unknown group", "shapes"])  # fmt: skip
def test_tensors_that_are_not_those_of_the_network_are_refused(trained, tmp_path, spoil):
    header, tensors = parts_of(trained)
    spoil(tensors)
    del header["sha256"]
    save_file(tensors, tmp_path / CHECKPOINT, metadata=header | {"format": "nri-checkpoint-1"})
    with pytest.raises(InputError) as refused:
        train(task(), tmp_path)
    assert "\n" not in str(refused.value)


def test_checkpoints_of_version_0_1_are_read(trained, tmp_path):
    header, tensors = parts_of(trained)
    assert header["format"] == FORMAT
    del header["sha256"]
    save_file(tensors, tmp_path / CHECKPOINT, metadata=header | {"format": "nri-checkpoint-1"})
    assert load_checkpoint(tmp_path / CHECKPOINT).step == 2


def test_the_run_of_another_network_is_not_gone_on_with(trained, tmp_path):
    save_checkpoint(replace(load_checkpoint(trained), inducer="paper"), tmp_path / CHECKPOINT)
    with pytest.raises(InputError, match="holds the 'paper' network, not the 'seeded' one"):
        train(task(), tmp_path)


def test_a_checkpoint_reaches_the_disk_before_it_takes_its_place(trained, tmp_path, monkeypatch):
    calls = []
    fsync, put = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (calls.append("fsync"), fsync(handle))[1])
    monkeypatch.setattr(os, "replace", lambda *paths: (calls.append("replace"), put(*paths))[1])
    save_checkpoint(load_checkpoint(trained), tmp_path / CHECKPOINT)
    assert calls == ["fsync", "replace", "fsync"]  # the file, its name, the folder


def test_a_run_that_was_killed_tells_no_update_twice(tmp_path):
    train(task(), tmp_path, until=2)
    kept = (tmp_path / CHECKPOINT).read_bytes()
    train(task(), tmp_path)  # two updates more, but then the checkpoint is the older one and a line is half
    (tmp_path / CHECKPOINT).write_bytes(kept)
    with (tmp_path / METRICS).open("a") as file:
        file.write('{"step": 9, "lo')
    train(task(), tmp_path)
    steps = [json.loads(line)["step"] for line in (tmp_path / METRICS).read_text().splitlines()]
    assert steps == [1, 2, 3, 4]


def test_metrics_that_are_no_later_than_the_checkpoint_stay(tmp_path):
    forget_rows_after(tmp_path / METRICS, 3)  # there are none yet
    rows = '{"step": 2}\n{"step": 2, "valid/x": 1}\n{"step": 3}\n'
    (tmp_path / METRICS).write_text(rows + '{"step": 4}\nnonsense\n[1]\n')
    forget_rows_after(tmp_path / METRICS, 3)
    assert (tmp_path / METRICS).read_text() == rows
