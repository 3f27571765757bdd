"""Networks to learn, and learners that are judged alike."""

import importlib.util

import numpy as np
import pytest

from nri_bench.datasets.networks import load_network, next_states, observe
from nri_bench.experiments.base import Options
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


def test_slow_learners_are_tried_on_large_networks_without_noise_only():
    tried = {}
    for job in EXPERIMENT.jobs(Options(sets=("random-40",))):
        tried.setdefault(job.key["method"], set()).add((job.key["sample"], job.key["noise"]))
    assert tried["pride"] == tried["greedy"] == tried["paper"] == {("500", 0.0)}
    assert tried["fewest"] == {(s, noise) for s in ("500", "trajectories") for noise in (0.0, 0.01, 0.05)}
    assert not {"gula", "seeded"} & set(tried)


def test_a_timed_run_is_what_is_compared_side_by_side():
    jobs = EXPERIMENT.jobs(Options(sets=("random-10", "random-20"), timed=True))
    assert {(job.key["sample"], job.key["noise"]) for job in jobs} == {("500", 0.0)}
    assert {job.key["method"] for job in jobs} == {"fewest", "pride", "tree"}


def test_a_rival_that_does_not_end_is_told_as_such():
    row = {"experiment": "dynamics", "sample": "500", "noise": 0.0, "seed": 0, "status": "ok", "N": 20}
    found = {"equal": 1.0, "accuracy": 1.0, "states": 1.0, "few": 1, "few_equal": 1, "fit_seconds": 0.5}
    ours = [{**row, **found, "method": "fewest", "network": name} for name in ("a", "b")]
    ended = {**row, **found, "method": "pride", "network": "a", "fit_seconds": 5.0}
    lost = {**row, "method": "pride", "network": "b", "status": "failed", "message": "TimeoutError: given up"}
    text = EXPERIMENT.table([*ours, ended, lost])
    assert "PRIDE took 10 to 10 times as long on 1 networks" in text
    assert "On 1 more it did not end within 120 processor seconds, where ours took 0.5 at most" in text
    assert "> 120 |" in text


def test_learners_are_compared_on_the_same_networks_only():
    """A mean over fewer networks stood beside means over all, and compared the networks."""
    row = {"experiment": "dynamics", "sample": "10 %", "noise": 0.0, "seed": 0, "status": "ok", "N": 10}
    found = {"equal": 1.0, "accuracy": 1.0, "fit_seconds": 0.1}
    rows = [{**row, **found, "method": "fewest", "network": name} for name in ("a", "b")]
    text = EXPERIMENT.table([*rows, {**row, **found, "method": "tree", "network": "a"}])
    assert "2 networks of up to 13 variables" in text
    assert "NRI fewest regulators" in text
    assert "a tree for each variable" not in text
