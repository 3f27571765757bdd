"""More candidates: everything that occurs on a small table, and the surroundings of good clauses."""

from collections.abc import Iterable
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from nri.episode import FloatArray
from nri.infer.candidates import IndexClause
from nri.infer.task import Task


def count_conjunctions(n_literals: int, longest: int) -> int:
    """Count the sets of up to so many literals, at most one for each of ``n_literals / 2`` variables."""
    n_variables = n_literals // 2
    return sum(comb(n_variables, k) * 2**k for k in range(longest + 1))


def all_conjunctions(n_variables: int, usable: NDArray[np.int64], longest: int) -> list[IndexClause]:
    """Return every conjunction of up to ``longest`` usable literals."""
    found: list[IndexClause] = [()]
    for length in range(1, longest + 1):
        index = np.array(list(combinations(usable.tolist(), length)), dtype=np.int64).reshape(-1, length)
        variables = np.sort(index % n_variables, axis=1)
        sound = (np.diff(variables, axis=1) > 0).all(axis=1)
        found += [tuple(row) for row in index[sound].tolist()]
    return found


def without_one(clauses: Iterable[IndexClause]) -> list[IndexClause]:
    """Return each clause with each one of its literals dropped."""
    return [clause[:i] + clause[i + 1 :] for clause in clauses for i in range(len(clause))]


def subsets(literals: Iterable[int], longest: int) -> list[IndexClause]:
    """Return every conjunction of up to ``longest`` of these literals."""
    ordered = sorted(literals)
    return [subset for length in range(1, longest + 1) for subset in combinations(ordered, length)]


def best_literals(task: Task, usable: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return the usable literals with the best weighted relative accuracy, best first."""
    positive, negative = task.positive, task.negative
    p = positive @ task.literals[:, usable]
    n = negative @ task.literals[:, usable]
    score = p / max(positive.sum(), 1e-12) - n / max(negative.sum(), 1e-12)
    return usable[np.argsort(-score, kind="stable")[:most]]


def necessary_literals(
    task: Task, seeds: NDArray[np.int64], mask: NDArray[np.bool_], most: int
) -> NDArray[np.int64]:
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
    return np.where(np.take_along_axis(score, order, axis=1) > -np.inf, order, -1)


def _share(weights: FloatArray) -> FloatArray:
    """Scale each row to sum one."""
    return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12))
