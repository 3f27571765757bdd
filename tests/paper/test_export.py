"""The paper's network as a file gives the gates of the torch network, for any table."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.errors import InputError
from nri.networks import export_weights, load_network
from nri.paper.model import PaperNetwork
from nri.paper.torch.network import PaperConfig
from nri.paper.torch.training import PaperTrainConfig, PaperTraining, Views
from nri.train.config import OptimConfig
from nri.train.loop import CHECKPOINT, train
from nri.weights import checksum_of


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> tuple[Path, Path]:
    directory = tmp_path_factory.mktemp("export")
    config = PaperTrainConfig(
        batch=8,
        model=PaperConfig(width=16, layers=2, heads=2, bottleneck=8),
        optim=OptimConfig(steps=3, warmup=1),
    )
    train(PaperTraining(config), directory)
    export_weights(directory / CHECKPOINT, directory / "net.onnx")
    return directory / CHECKPOINT, directory / "net.onnx"


@pytest.fixture(scope="module")
def twins(exported) -> tuple[PaperNetwork, Views]:
    checkpoint, onnx_file = exported
    return PaperNetwork(onnx_file), Views(load_network(checkpoint))


@settings(deadline=None, max_examples=usually(13, 40))
@given(
    M=st.integers(2, 90), N=st.integers(1, 70), missing=st.sampled_from([0.0, 0.2, 0.9]), seed=st.integers(0)
)
def test_the_file_and_torch_give_the_same_gates(twins, M, N, missing, seed):
    shipped, network = twins
    rng = np.random.default_rng(seed)
    known = rng.random((3, M, N)) >= missing
    values = (rng.random((3, M, N)) < rng.random(N)) & known
    labels = rng.random(M) < 0.5
    gates = shipped.gates(values, known, labels)
    assert [one.z.shape for one in gates] == [(8, 2 * N)] * 3
    with torch.no_grad():
        z, w = network(*(torch.from_numpy(a) for a in (values.astype("f4"), known, labels.astype("f4"))))
    np.testing.assert_allclose([one.z for one in gates], z, atol=1e-5)
    np.testing.assert_allclose([one.w for one in gates], w, atol=1e-5)


def test_damaged_weights_and_those_of_another_network_are_refused(exported, tmp_path):
    _, onnx_file = exported
    card = json.loads(onnx_file.with_suffix(".json").read_text())
    damaged = tmp_path / "net.onnx"
    damaged.write_bytes(onnx_file.read_bytes()[:-1] + b"x")
    damaged.with_suffix(".json").write_text(json.dumps(card))
    with pytest.raises(InputError, match="damaged"):
        PaperNetwork(damaged)
    damaged.write_bytes(onnx_file.read_bytes())
    other = card | {"inducer": "seeded"}
    damaged.with_suffix(".json").write_text(json.dumps(other | {"checksum": checksum_of(other)}))
    with pytest.raises(InputError, match="holds the 'seeded' network"):
        PaperNetwork(damaged)


def test_the_card_tells_where_the_weights_come_from(exported):
    card = PaperNetwork(exported[1]).card
    assert (card["inducer"], card["step"], card["episodes"]) == ("paper", 3, 24)
    assert card["config"]["model"]["width"] == 16
    assert card["commit"]
