"""``nri bench dynamics``: are Boolean networks found from transitions, few, noisy or along trajectories?"""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from nri import InputError
from nri_bench.datasets.networks import (
    MOST_FOR_ALL,
    RANDOM,
    SAMPLES,
    can_be_observed,
    load_network,
    next_states,
    observe,
    published_names,
)
from nri_bench.experiments.base import Experiment, Options
from nri_bench.methods.dynamics import LEARNERS, PROCESSOR_LIMIT, SMALL, Learned
from nri_bench.run import Job, Measures, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nri_dynamics import Dynamics

NOISE = (0.0, 0.01, 0.05)
QUICK = ("fewest", "greedy", "tree")
TIMED = ("fewest", "pride", "tree")
"""Learners that are timed side by side, from 500 transitions without noise."""
FEW = 5
"""Regulators up to which a variable is counted apart: 500 states show nearly all of 32 combinations."""
_JUDGED = 4096
"""States on which rules that are no formulas are compared with the truth, where not on all of them."""


def jobs(options: Options) -> list[Job]:
    """One job for each learner, network, sample, noise rate and seed; timed: those that are compared."""
    usual = QUICK if options.quick else TIMED if options.timed else tuple(LEARNERS)
    learners = options.methods or usual
    unknown = [name for name in learners if name not in LEARNERS]
    if unknown:
        raise InputError(f"no way to learn networks {unknown[0]!r}; use one of {', '.join(LEARNERS)}")
    networks = options.sets or (("random-10",) if options.quick else (*RANDOM, *published_names()))
    samples = ("500",) if options.quick or options.timed else SAMPLES
    noises = (0.0,) if options.timed else (0.0, 0.05) if options.quick else NOISE
    seeds = options.seeds or (0,)
    made = []
    for network in networks:
        n = len(load_network(network).names)
        made += [
            _job(name, network, n, sample, noise, seed)
            for sample in samples
            if can_be_observed(n, sample)
            for noise in noises
            for seed in seeds
            for name in learners
            if LEARNERS[name].reach(n, sample, noise)
        ]
    return made


def _job(name: str, network: str, n: int, sample: str, noise: float, seed: int) -> Job:
    learner = LEARNERS[name]
    return Job(
        key={
            "experiment": "dynamics",
            "method": name,
            "network": network,
            "sample": sample,
            "noise": noise,
            "seed": seed,
        },
        work=learn_network,
        arguments={"method": name, "network": network, "sample": sample, "noise": noise, "seed": seed},
        facts={"N": n, "versions": learner.versions},
        packages=learner.packages,
    )


def learn_network(method: str, network: str, sample: str, noise: float, seed: int) -> Measures:
    """Learn a network from observed transitions; compare each rule and the next states of unseen states.

    ``fit_seconds`` are processor seconds: other work on the machine does not count, but slows memory down.
    """
    truth = load_network(network)
    rng = np.random.default_rng([seed, len(truth.names), SAMPLES.index(sample), round(1000 * noise)])
    seen = observe(truth, sample, noise, rng)
    started = time.process_time()
    with _given_up_after(PROCESSOR_LIMIT):
        learned = LEARNERS[method].learn(seen.table, seed)
    seconds = time.process_time() - started
    equal = _equal_rules(truth, learned, rng)
    regulators = Counter(one.target for one in truth.influences)
    few = {name for name in truth.rules if regulators[name] <= FEW}
    measures: Measures = {
        "M": len(seen.table),
        "fit_seconds": seconds,
        "equal": len(equal) / len(truth.rules),
        "few": len(few),
        "few_equal": len(few & equal),
        "accuracy": None,
        "states": None,
    }
    if len(seen.fresh):
        right = learned.step(seen.fresh) == next_states(truth, seen.fresh)
        measures |= {"accuracy": float(right.mean()), "states": float(right.all(axis=1).mean())}
    return measures


@contextmanager
def _given_up_after(seconds: float) -> Iterator[None]:
    """Raise once so many processor seconds are used up; a clock would be unfair on a busy machine."""

    def give_up(number: int, frame: object) -> None:
        raise TimeoutError(f"given up after {seconds:g} processor seconds")

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def _equal_rules(truth: Dynamics, learned: Learned, rng: np.random.Generator) -> set[str]:
    """Return the variables whose rule is the true one, in other words or the same."""
    if learned.system is not None:
        return set(truth.compare(learned.system).same)
    n = len(truth.names)
    states = (
        np.arange(2**n)[:, None] >> np.arange(n) & 1
        if n <= MOST_FOR_ALL
        else rng.integers(0, 2, (_JUDGED, n))
    )
    alike = (learned.step(states) == next_states(truth, states)).all(axis=0)
    return {name for name, same in zip(truth.names, alike, strict=True) if same and name in truth.rules}


def table(rows: Sequence[Row]) -> str:
    """Rules found and next states right, a line for each learner, sample and noise rate."""
    from nri_bench.tables.dynamics import dynamics_table

    return dynamics_table(rows)


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Next values of unseen states that are right, over the share of flipped cells."""
    from nri_bench.figures.curves import accuracy_curves

    shown = [row for row in rows if row["sample"] == "500" and row["N"] <= SMALL]
    fits = Counter(row["method"] for row in shown)
    complete = [row for row in shown if fits[row["method"]] == max(fits.values())]
    figure = accuracy_curves(
        complete, over="noise", label="cells flipped in 500 random transitions (%)", scale=100
    )
    return {"dynamics": figure} if figure else {}


EXPERIMENT = Experiment(
    "dynamics",
    "Are Boolean networks found from their transitions?",
    jobs,
    table,
    figures,
    takes=("sets",),
)
