"""More candidates: everything that occurs on a small table, and the surroundings of good clauses."""

from math import comb

import numpy as np
from numpy.typing import NDArray

from nri.episode import FloatArray, IntArray
from nri.infer.clauses import ClauseArray, choices, stacked, subsets
from nri.infer.task import Task


def count_conjunctions(n_literals: int, longest: int) -> int:
    """Count the sets of up to so many literals, at most one for each of ``n_literals / 2`` variables."""
    n_variables = n_literals // 2
    return sum(comb(n_variables, k) * 2**k for k in range(longest + 1))


def all_conjunctions(n_variables: int, usable: IntArray, longest: int) -> ClauseArray:
    """Return every conjunction of up to ``longest`` usable literals."""
    n_literals = 2 * n_variables
    found = [np.full((1, 1), n_literals)]
    for length in range(1, longest + 1):
        index = subsets(usable[None], length)
        sound = np.ones(len(index), dtype=bool)
        for low, high in choices(length, 2):
            sound &= index[:, high] - index[:, low] != n_variables
        found.append(index[sound])
    return stacked(found, n_literals)


def without_one(clauses: ClauseArray) -> ClauseArray:
    """Return each clause with each one of its literals dropped, and shorter ones as they are."""
    longest = clauses.shape[1]
    return subsets(clauses, longest - 1) if longest > 1 else clauses


def up_to(literals: IntArray, longest: int, n_literals: int) -> ClauseArray:
    """Return every conjunction of up to ``longest`` of the literals in each row of an array."""
    ordered = np.sort(literals, axis=1)
    sizes = range(1, min(longest, ordered.shape[1]) + 1)
    return stacked([subsets(ordered, size) for size in sizes], n_literals)


def best_literals(task: Task, usable: IntArray, most: int) -> IntArray:
    """Return the usable literals with the best weighted relative accuracy, best first."""
    positive, negative = task.positive, task.negative
    p, n = np.stack([positive, negative]) @ task.literals[:, usable]
    score = p / max(positive.sum(), 1e-12) - n / max(negative.sum(), 1e-12)
    return usable[np.argsort(-score, kind="stable")[:most]]


def necessary_literals(task: Task, seeds: IntArray, mask: NDArray[np.bool_], most: int) -> ClauseArray:
    """[seeds, most], literals true at each seed that keep out the wrong rows most like it.

    A row counts the more the fewer variables it differs in from the seed; a literal is good when the
    near rows that it keeps out are wrong ones and those that it lets in are right ones.
    """
    truth = task.literals.astype(np.float32)
    here = truth[seeds] * mask
    agreement = here @ truth.T
    distance = here.sum(axis=1, keepdims=True) - agreement
    own = np.arange(len(seeds)), seeds
    distance[own] = distance.max() + 1.0
    near = np.exp2(distance.min(axis=1, keepdims=True) - distance).astype(np.float32)
    near[own] = 0.0  # the seed tells nothing about itself
    kept_out = 1.0 - truth
    wrong, right = (_share(near * mass.astype(np.float32)) for mass in (task.negative, task.positive))
    score = wrong @ kept_out - right @ kept_out
    score = np.where(here > 0, score, -np.inf)
    order = np.argsort(-score, axis=1, kind="stable")[:, :most]
    return np.where(np.take_along_axis(score, order, axis=1) > -np.inf, order, 2 * task.n_variables)


def _share(weights: FloatArray) -> FloatArray:
    """Scale each row to sum one."""
    return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12))
