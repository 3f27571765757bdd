"""Networks to learn, and learners that are judged alike."""

import importlib.util

import numpy as np
import pytest

from nri_bench.datasets.networks import load_network, next_states, observe
from nri_bench.experiments.dynamics import EXPERIMENT, learn_network
from nri_bench.methods.dynamics import LEARNERS


def test_a_random_network_is_the_same_every_time():
    first, second = load_network("random-10"), load_network("random-10")
    assert first.compare(second).equal


def test_unseen_states_are_unseen_and_noise_flips_its_share():
    network = load_network("random-10")
    seen = observe(network, "10 %", 0.0, np.random.default_rng(0))
    before = {row.tobytes() for row in seen.table.iloc[:, :10].to_numpy()}
    assert not any(row.tobytes() in before for row in seen.fresh)
    noisy = observe(network, "10 %", 0.05, np.random.default_rng(0))
    assert 0.02 < float((noisy.table.to_numpy() != seen.table.to_numpy()).mean()) < 0.08


@pytest.mark.parametrize("name", ["tree", "pride"])
def test_a_rival_explains_transitions_without_noise(name):
    learner = LEARNERS[name]
    if any(importlib.util.find_spec(package) is None for package in learner.packages):
        pytest.skip("pip install './bench[networks]'")
    network = load_network("random-10")
    table = observe(network, "10 %", 0.0, np.random.default_rng(0)).table
    states = table.iloc[:, :10].to_numpy()
    assert (learner.learn(table, 0).step(states) == next_states(network, states)).mean() > 0.99


def test_a_network_is_found_and_its_row_makes_a_table():
    measures = learn_network("fewest", "random-10", "10 %", 0.0, 0)
    assert measures["equal"] == 1.0
    key = {"experiment": "dynamics", "method": "fewest", "network": "random-10", "sample": "10 %"}
    row = {**key, "noise": 0.0, "seed": 0, "status": "ok", "N": 10, **measures}
    lost = {**row, "method": "gula", "status": "timeout", "equal": None, "accuracy": None}
    text = EXPERIMENT.table([row, lost])
    assert "| NRI fewest regulators |" in text
    assert "pylfit GULA †1" in text
