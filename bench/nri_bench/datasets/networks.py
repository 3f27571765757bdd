"""Boolean networks: published ones that the package pyboolnet ships, and random ones; and their transitions.

The files of the package are read where they are installed and never copied; the package is not imported.
"""

import importlib.util
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from nri import InputError
from nri_bench.arrays import IntArray
from nri_dynamics import Dynamics, read_dynamics

RANDOM = {f"random-{n}": n for n in (10, 20, 40)}
"""Random networks by their size; see :func:`random_network`."""
MOST_REGULATORS = 4
NOT_PUBLISHED = ("multivalued", "raf", "remy_tumorigenesis_myversion")
"""Files that are no network of their own: exercises, and another version of one that is there."""
_EXERCISES = ("n3s1", "n5s3", "n6s1", "n7s3", "n12c5", "randomnet")


@dataclass(frozen=True, eq=False)
class Transitions:
    """States and what follows them, as observed, and other states to be judged on."""

    table: pd.DataFrame
    """columns x and x'"""
    fresh: IntArray
    """[M, N], states that were not observed"""


def published_names() -> tuple[str, ...]:
    """Return the published networks of pyboolnet, from the smallest file to the largest."""
    files = sorted(_folder().glob("*/*.bnet"), key=lambda path: (path.stat().st_size, path.stem))
    names = [path.stem for path in files if path.stem == path.parent.name]
    return tuple(n for n in names if n not in NOT_PUBLISHED and not n.startswith(_EXERCISES))


def load_network(name: str) -> Dynamics:
    """Return a network by its name."""
    if name in RANDOM:
        return random_network(np.random.default_rng([7, RANDOM[name]]), RANDOM[name])
    path = _folder() / name / f"{name}.bnet"
    if not path.exists():
        raise InputError(f"no network {name!r}; use one of {', '.join((*RANDOM, *published_names()))}")
    return read_dynamics(path)


def _folder() -> Path:
    found = importlib.util.find_spec("pyboolnet")
    if found is None or found.origin is None:
        raise InputError("published networks come with pyboolnet, not installed; run: pip install pyboolnet")
    return Path(found.origin).parent / "repository"


def random_network(rng: np.random.Generator, n: int) -> Dynamics:
    """Give each variable one to four regulators and a random function that is not constant."""
    lines = []
    for i in range(n):
        chosen = rng.choice(n, size=int(rng.integers(1, MOST_REGULATORS + 1)), replace=False)
        cells = np.arange(2 ** len(chosen))[:, None] >> np.arange(len(chosen)) & 1
        holds = rng.random(len(cells)) < 0.5
        holds[rng.integers(len(cells))] ^= holds.all() or not holds.any()
        terms = [
            "&".join(f"x{j}" if on else f"!x{j}" for j, on in zip(chosen, cell, strict=True))
            for cell in cells[holds]
        ]
        lines.append(f"x{i}, {' | '.join(terms)}")
    return read_dynamics(io.StringIO("\n".join(lines)))


def next_states(system: Dynamics, states: IntArray) -> IntArray:
    """[M, N]: what follows each state; inputs stay."""
    predicted = system.predict(pd.DataFrame(states, columns=list(system.names)))
    following = states.copy()
    for i, name in enumerate(system.names):
        if name in predicted:
            following[:, i] = predicted[name].astype(np.int64)
    return following


SAMPLES = ("all", "10 %", "1 %", "500", "trajectories")
"""How a network is observed; states are drawn with replacement."""
_SHARES = {"10 %": 0.1, "1 %": 0.01}
_FEWEST, _DRAWN = 5, 500
"""States that are drawn at least where a share is, and those of the sample of that name."""
MOST_FOR_ALL = 12
"""Variables up to which all transitions are observed."""
_MOST_FOR_SHARES = 13
"""Variables up to which a share of all states is observed; a tenth of more is thousands of rows."""
_COURSE, _COURSES = 8, 25
"""Steps of a trajectory, and trajectories."""
_FRESH = 1000


def can_be_observed(n: int, sample: str) -> bool:
    """Whether a network of n variables is small enough for a sample."""
    return n <= {"all": MOST_FOR_ALL, "10 %": _MOST_FOR_SHARES, "1 %": _MOST_FOR_SHARES}.get(sample, n)


def observe(system: Dynamics, sample: str, noise: float, rng: np.random.Generator) -> Transitions:
    """Observe a network: states drawn at random or along trajectories, cells flipped by chance.

    Parameters
    ----------
    system
        The network.
    sample
        One of :data:`SAMPLES`.
    noise
        Share of all cells, before and after, that are flipped.
    rng
        The only source of chance.
    """
    n = len(system.names)
    if sample == "all":
        before = np.arange(2**n)[:, None] >> np.arange(n) & 1
        after = next_states(system, before)
    elif sample == "trajectories":
        before, after = _trajectories(system, rng)
    else:
        drawn = max(_FEWEST, round(_SHARES[sample] * 2**n)) if sample in _SHARES else _DRAWN
        before = rng.integers(0, 2, (drawn, n))
        after = next_states(system, before)
    seen = {row.tobytes() for row in before}
    others = rng.integers(0, 2, (_FRESH, n))
    fresh = np.array([row for row in others if row.tobytes() not in seen], dtype=np.int64).reshape(-1, n)
    cells = np.concatenate([before, after], axis=1)
    cells = cells ^ (rng.random(cells.shape) < noise)
    names = [*system.names, *(f"{name}'" for name in system.names)]
    return Transitions(pd.DataFrame(cells, columns=names), fresh)


def _trajectories(system: Dynamics, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    states = rng.integers(0, 2, (_COURSES, len(system.names)))
    before, after = [], []
    for _ in range(_COURSE):
        following = next_states(system, states)
        before.append(states)
        after.append(following)
        states = following
    return np.concatenate(before), np.concatenate(after)
