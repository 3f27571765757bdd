"""The shipped networks, run by numpy, give what PyTorch and onnxruntime give, for any table."""

from functools import cache
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.networks import load_network
from nri.paper.torch.training import Views
from nri.seeded.torch.training import INPUT_AXES, OneTable
from nri.weights import EXPERTS, Network, shipped_file
from nri.weights.onnx import FLOATS_IN_CACHE, OPERATORS, read_graph

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"
NEAR = {"seeded": 1e-5, "paper": 1e-5, "paper-feedback": 2e-4}
"""Largest difference. Rounds of feedback enlarge rounding: PyTorch and onnxruntime differ by as much."""


@cache
def runtimes(name: str) -> tuple[Network, onnxruntime.InferenceSession, torch.nn.Module]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 3, 1
    session = onnxruntime.InferenceSession(shipped_file(name), options, providers=["CPUExecutionProvider"])
    network = load_network(CHECKPOINTS / name / "checkpoint.safetensors")
    return Network(shipped_file(name)), session, (OneTable if name == "seeded" else Views)(network)


def inputs(
    name: str, rng: np.random.Generator, M: int, N: int, S: int, missing: float
) -> dict[str, np.ndarray]:
    if name != "seeded":
        known = rng.random((S, M, N)) >= missing
        values = (rng.random((S, M, N)) < rng.random(N)) & known
        return {"values": values.astype("f4"), "known": known, "labels": (rng.random(M) < 0.5).astype("f4")}
    size = {"M": M, "N": N, "S": S, "E": len(EXPERTS)}
    arrays = {key: rng.normal(0, 0.2, [size[axis] for axis in axes]) for key, axes in INPUT_AXES.items()}
    for key in ("rows", "seeds"):
        arrays[key] = rng.choice(
            [-1, 0, 1], p=[0.5 - missing / 2, missing, 0.5 - missing / 2], size=arrays[key].shape
        )
    arrays["labels"] = rng.random(M) < 0.5
    arrays["weights"] = rng.integers(1, 4, M)
    arrays["apart"] = np.tile(arrays["weights"], (S, 1))
    return {key: array.astype("f4") for key, array in arrays.items()}


@pytest.mark.parametrize("name", NEAR)
@settings(deadline=None, max_examples=usually(10, 100), derandomize=True)
@given(
    M=st.integers(2, 90),
    N=st.integers(1, 70),
    S=st.integers(1, 20),
    missing=st.sampled_from([0.0, 0.2, 0.9]),
    seed=st.integers(0),
)
def test_numpy_pytorch_and_onnxruntime_agree(name, M, N, S, missing, seed):
    by_numpy, by_onnx, by_torch = runtimes(name)
    feed = inputs(name, np.random.default_rng(seed), M, N, S, missing)
    outputs = by_numpy.run(feed)
    with torch.no_grad():
        expected = by_torch(*map(torch.from_numpy, feed.values()))
    for ours, theirs, torchs in zip(outputs, by_onnx.run(None, feed), expected, strict=True):
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, theirs, atol=NEAR[name])
        np.testing.assert_allclose(ours, torchs, atol=NEAR[name])


def test_gelu_is_right_to_six_digits_of_arrays_of_any_size():
    for shape in ((0,), (7, 3), (2, FLOATS_IN_CACHE)):
        x = np.linspace(-9, 9, int(np.prod(shape)), dtype=np.float32).reshape(shape)
        expected = torch.nn.functional.gelu(torch.from_numpy(x).double()).numpy()
        np.testing.assert_allclose(OPERATORS["Gelu"](x), expected, atol=2e-6)


def test_networks_that_were_exported_without_an_operator_for_gelu_still_run():
    """Until version 0.3 it was written as five operators, among them the error function."""
    x = np.linspace(-6, 6, 1001, dtype=np.float32)
    expected = torch.erf(torch.from_numpy(x).double()).numpy()
    np.testing.assert_allclose(OPERATORS["Erf"](x), expected, atol=5e-7)


@pytest.mark.parametrize("length", [0, 1, 7, 1000, 100_000])
def test_a_part_of_a_file_is_no_network(length):
    """It is refused by an error that the reader of weights turns into one line."""
    whole = shipped_file("paper").read_bytes()
    with pytest.raises((LookupError, TypeError, ValueError)):
        read_graph(whole[:length])
