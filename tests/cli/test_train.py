"""Training and exporting from the command line, in a few updates of tiny networks."""

import importlib.util
import json
from pathlib import Path

import pytest
from trainings import judged_briefly

from nri.paper.model import PaperNetwork

TINY_PAPER = """
task = "paper"
batch = 8
[model]
width = 8
layers = 1
heads = 2
bottleneck = 4
[optim]
steps = 4
batches_per_step = 2
warmup = 1
[run]
log_every = 2
validate_every = 2
validation_batches = 1
"""


@pytest.fixture(autouse=True, scope="module")
def _judged_briefly():
    with judged_briefly():
        yield


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "tiny-paper.toml"
    path.write_text(TINY_PAPER)
    return path


def test_a_run_is_trained_in_parts_and_exported(nri, config, tmp_path):
    run = tmp_path / "run"
    first = nri("train", "--config", config, "--directory", run, "--until", 2)
    assert first.code == 0
    assert "2 of 2 updates" in first.err
    assert "episodes/s" in first.err
    assert nri("train", "--config", config, "--directory", run, "--quiet").err == ""
    steps = [json.loads(line)["step"] for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert steps == [2, 2, 4, 4]  # a row of losses and a row of scores each
    out = tmp_path / "net.onnx"
    assert nri("export-weights", run / "checkpoint.safetensors", "--out", out).code == 0
    assert PaperNetwork(out).card["episodes"] == 64


def test_the_default_directory_has_the_name_of_the_configuration(nri, config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert nri("train", "--config", config, "--until", 1, "--quiet").code == 0
    assert (tmp_path / "runs" / "tiny-paper" / "checkpoint.safetensors").exists()


def test_the_seeded_network_is_trained_by_the_same_command(nri, tmp_path):
    tiny = Path(__file__).parents[2] / "configs" / "tiny.toml"
    done = nri("train", "--config", tiny, "--directory", tmp_path, "--until", 1)
    assert done.code == 0
    assert "training seeded" in done.err


def test_what_is_not_installed_is_one_line_with_a_remedy(nri, config, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else find(name, *rest)
    )
    refused = nri("train", "--config", config)
    assert refused.code == 2
    assert refused.err.count("\n") == 1
    assert "pip install 'nri[train]'" in refused.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task = 'oracle'", "unknown task 'oracle'"),
        ("[optim]\nspeed = 1", "unknown key 'speed'"),
        ("[", "TOML"),
    ],
)
def test_a_mistake_in_the_configuration_is_one_line(nri, tmp_path, text, message):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    refused = nri("train", "--config", path)
    assert refused.code == 2
    assert message in refused.err


def test_a_file_that_is_no_checkpoint_and_a_name_that_is_no_onnx_file_are_refused(nri, config, tmp_path):
    assert "cannot read checkpoint" in nri("export-weights", config, "--out", tmp_path / "a.onnx").err
    assert "must end in .onnx" in nri("export-weights", config, "--out", tmp_path / "a.bin").err
