"""The shipped file answers as the torch network does, for any table, and is refused when damaged."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from nri.errors import InputError
from nri.networks import export_weights, load_network
from nri.seeded.experts import Experts
from nri.seeded.torch.training import OneTable, SeededTrainConfig, SeededTraining
from nri.train.config import from_dict, read_toml
from nri.train.loop import CHECKPOINT, train
from nri.weights import SeededNetwork

TINY = Path(__file__).parents[2] / "configs" / "tiny.toml"


def loaded(path: Path) -> SeededTrainConfig:
    return from_dict(SeededTrainConfig, read_toml(path), str(path))


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> tuple[Path, Path]:
    directory = tmp_path_factory.mktemp("export")
    config = loaded(TINY)
    train(SeededTraining(replace(config, optim=replace(config.optim, steps=5))), directory)
    export_weights(directory / CHECKPOINT, directory / "net.onnx")
    return directory / CHECKPOINT, directory / "net.onnx"


def table(rng: np.random.Generator, M: int, N: int, S: int):
    cells = rng.choice([-1, 0, 1], p=[0.45, 0.1, 0.45], size=(M + S, N)).astype(np.float32)
    labels = (rng.random(M) < 0.5).astype(np.float32)
    labels[:2] = 0, 1
    return cells[:M], labels, np.ones(M, dtype=np.float32), cells[M:]


def evaluate(network: SeededNetwork, rows, labels, weights, query):
    experts = Experts(rows, labels, weights)
    table = {"rows": rows, "labels": labels, "weights": weights, "row_opinions": experts.support}
    parts = {"seed_opinions": experts.opine(query), "seed_parts": experts.parts(query)}
    return network.evaluate(table, {"seeds": query, **parts})


@pytest.mark.parametrize(("M", "N", "S"), [(2, 1, 1), (6, 3, 2), (50, 12, 8), (120, 70, 40), (300, 5, 3)])
def test_the_file_and_torch_give_the_same_answers(exported, M, N, S):
    checkpoint, onnx_file = exported
    rows, labels, weights, query = table(np.random.default_rng(M), M, N, S)
    answer = evaluate(SeededNetwork(onnx_file), rows, labels, weights, query)
    experts = Experts(rows, labels)
    arrays = (
        rows,
        labels,
        weights,
        query,
        np.ones((S, M), np.float32),
        experts.support,
        experts.opine(query),
        experts.parts(query),
    )
    with torch.no_grad():
        expected = OneTable(load_network(checkpoint))(*map(torch.from_numpy, arrays))
    np.testing.assert_allclose(answer[0], expected[0], atol=1e-5)
    np.testing.assert_allclose(answer[1], expected[1], atol=1e-5)
    np.testing.assert_allclose(answer[2], expected[2], atol=1e-5)


def test_answers_do_not_depend_on_how_rows_are_put_into_chunks(exported, monkeypatch):
    network = SeededNetwork(exported[1])
    rows, labels, weights, query = table(np.random.default_rng(1), 40, 9, 25)
    whole = evaluate(network, rows, labels, weights, query)
    monkeypatch.setattr("nri.weights.FLOATS_AT_ONCE", 1500)
    chunked = evaluate(network, rows, labels, weights, query)
    np.testing.assert_allclose(chunked[0], whole[0], atol=1e-5)


def test_damaged_weights_are_refused(exported, tmp_path):
    _, onnx_file = exported
    damaged = tmp_path / "net.onnx"
    damaged.write_bytes(onnx_file.read_bytes()[:-1] + b"x")
    damaged.with_suffix(".json").write_bytes(onnx_file.with_suffix(".json").read_bytes())
    with pytest.raises(InputError, match="damaged"):
        SeededNetwork(damaged)


def test_missing_weights_are_one_clear_line(tmp_path):
    with pytest.raises(InputError, match=r"no weights at .*none\.onnx"):
        SeededNetwork(tmp_path / "none.onnx")


def test_the_card_tells_where_the_weights_come_from(exported):
    card = SeededNetwork(exported[1]).card
    assert card["step"] == 5
    assert card["config"]["seed"] == 3
    assert len(card["sha256"]) == 64
    assert card["commit"]
