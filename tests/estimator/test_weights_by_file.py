"""Weights of one's own: trained and exported by the public names, and named by their file."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from trainings import judged_briefly

import nri
from nri import InputError, NRIClassifier
from nri.weights import checksum_of

TINY = Path(__file__).parents[2] / "configs" / "tiny.toml"
TINY_PAPER = {
    "task": "paper",
    "batch": 8,
    "model": {"width": 8, "layers": 1, "heads": 2, "bottleneck": 4},
    "optim": {"steps": 4, "warmup": 1},
    "run": {"validate_every": 2, "validation_batches": 1},
}


@pytest.fixture(autouse=True, scope="module")
def _judged_briefly():
    with judged_briefly():
        yield


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> dict[str, Path]:
    """A file of weights for each kind of network."""
    folder = tmp_path_factory.mktemp("weights")
    for name, config in (("paper", TINY_PAPER), ("seeded", TINY)):
        nri.export_weights(nri.train_network(config, folder / name, until=3), folder / f"{name}.onnx")
    return {name: folder / f"{name}.onnx" for name in ("paper", "seeded")}


@pytest.fixture
def copied(trained, tmp_path) -> Path:
    """Weights that a test may spoil."""
    for file in (trained["paper"], trained["paper"].with_suffix(".json")):
        shutil.copy(file, tmp_path)
    return tmp_path / "paper.onnx"


def rows() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).integers(0, 2, (60, 5)).astype(float)
    return X, (X[:, 0] + X[:, 1] + X[:, 2] >= 2).astype(int)


def test_training_goes_on_in_the_same_folder_and_returns_the_checkpoint(tmp_path):
    first = nri.train_network(TINY_PAPER, tmp_path, until=1).read_bytes()
    path = nri.train_network(TINY_PAPER, str(tmp_path))
    assert path == tmp_path / "checkpoint.safetensors"
    assert path.read_bytes() != first
    scores = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in scores if "valid/clean/usage_variance" in row] == [2, 4]
    assert nri.export_weights(path, tmp_path / "net.onnx")["step"] == 4


@pytest.mark.parametrize(
    ("config", "until", "message"),
    [
        ({"task": "oracle"}, None, "config: unknown task 'oracle'"),
        ({"optim": {"speed": 1}}, None, "config: optim: unknown key 'speed'"),
        ("nowhere.toml", None, "no configuration file nowhere.toml"),
        (TINY_PAPER, 0, "until = 0 trains nothing"),
    ],
)
def test_a_mistake_in_what_to_train_is_one_line(tmp_path, config, until, message):
    with pytest.raises(InputError, match=message):
        nri.train_network(config, tmp_path / "run", until=until)
    assert not (tmp_path / "run").exists()


def test_weights_go_into_a_file_that_ends_in_onnx(trained, tmp_path):
    with pytest.raises(InputError, match=r"net\.bin: the file must end in \.onnx"):
        nri.export_weights(trained["paper"].parent / "paper" / "checkpoint.safetensors", tmp_path / "net.bin")


def test_the_shipped_weights_named_by_their_file_give_the_same_rule(tmp_path):
    X, y = rows()
    for name in ("paper", "seeded"):
        for ending in ("onnx", "json"):
            shutil.copy(Path(nri.__file__).parent / "weights" / f"{name}.{ending}", tmp_path)
        by_name = NRIClassifier(name).fit(X, y)
        by_file = NRIClassifier(str(tmp_path / f"{name}.onnx")).fit(X, y)
        assert str(by_file.rule_) == str(by_name.rule_)


def test_another_networks_posterior_is_its_own(trained):
    """Asked later, it would have been the shipped network's."""
    X, y = (cells[:12] for cells in rows())  # few: on many the clauses decide, whatever a network believes
    own, shipped = NRIClassifier(str(trained["seeded"])).fit(X, y), NRIClassifier("seeded").fit(X, y)
    assert np.abs(own.posterior_proba(X) - shipped.posterior_proba(X)).max() > 1e-3


def test_weights_written_anew_under_the_same_name_are_loaded_anew(copied, tmp_path):
    X, y = rows()
    first = NRIClassifier(str(copied)).fit(X, y)
    for ending in ("onnx", "json"):
        shutil.copy(Path(nri.__file__).parent / "weights" / f"paper.{ending}", tmp_path)
    second = NRIClassifier(str(copied)).fit(X, y)
    assert str(second.rule_) == str(NRIClassifier("paper").fit(X, y).rule_)
    assert str(second.rule_) != str(first.rule_)


def card_of(file: Path, **changes: object) -> None:
    card = file.with_suffix(".json")
    told = json.loads(card.read_text()) | changes
    card.write_text(json.dumps(told | {"checksum": checksum_of(told)}))


def other_bytes(file: Path) -> None:
    file.write_bytes(b"no network")


def described_bytes(file: Path) -> None:
    other_bytes(file)
    card_of(file, sha256=hashlib.sha256(b"no network").hexdigest())


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda file: file.unlink(),
            r"no weights at .*paper\.onnx; `nri export-weights` writes it and its card",
        ),
        (lambda file: file.with_suffix(".json").unlink(), r"has no card paper\.json beside it"),
        (lambda file: file.with_suffix(".json").write_text("{"), r"paper\.json is no card"),
        (lambda file: file.with_suffix(".json").write_bytes(b"\xff"), r"paper\.json is no card"),
        (lambda file: file.with_suffix(".json").write_text("[]"), r"paper\.json is no card"),
        (lambda file: file.with_suffix(".json").write_text('{"sha256": ""}'), r"paper\.json is no card"),
        (other_bytes, r"paper\.onnx is damaged: its SHA-256 is not that of its card"),
        (described_bytes, r"paper\.onnx is no network that nri can run"),
        (lambda file: card_of(file, inducer="oracle"), "holds the unknown network 'oracle'"),
        (
            lambda file: card_of(file, version=2),
            "has a card of version 2, this nri reads version 1",
        ),
        (lambda file: card_of(file, inducer="seeded"), "was trained with other experts"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_weights_that_cannot_be_used_are_refused_in_one_line(copied, spoil, message):
    spoil(copied)
    with pytest.raises(InputError, match=message) as refused:
        NRIClassifier(str(copied)).fit(*rows())
    assert "\n" not in str(refused.value)
