"""Seeded greedy growth: clauses that cover a seed, one literal at a time, all seeds at once."""

import numpy as np
from numpy.typing import NDArray

from nri.episode import BoolArray
from nri.infer.candidates import IndexClause
from nri.infer.limits import Limits
from nri.infer.scores import Score
from nri.infer.task import Task

Seeds = NDArray[np.int64]
"""Row indices."""


def choose_seeds(task: Task, most: int, rng: np.random.Generator) -> Seeds:
    """Return the rows worth covering, or a sample of ``most`` of them, in rising order.

    A row is worth covering when its class is the likelier one. Where no row is (a rare class under
    a posterior), those with the most mass stand in.
    """
    worth = np.flatnonzero(task.gain > 0)
    if not len(worth):
        order = np.argsort(-task.gain, kind="stable")
        worth = np.sort(order[: min(most, 5)])
    if len(worth) <= most:
        return worth
    share = np.maximum(task.positive[worth], 1e-12)
    return np.sort(rng.choice(worth, size=most, replace=False, p=share / share.sum()))


def grow_from_seeds(task: Task, seeds: Seeds, score: Score, limits: Limits) -> list[IndexClause]:
    """Return every prefix of the clause that each seed grows.

    Counts are taken anew after each literal, on the rows that the clause still covers. Seeds whose
    clauses coincide share their counts, so the work is two matrix products for each round.

    Parameters
    ----------
    task, score, limits
        What is learned, how literals are ranked, and what a clause may be.
    seeds
        Rows that the clauses must cover.
    """
    truth = task.literals.astype(np.float32)
    masses = np.stack([task.positive, task.negative]).astype(np.float32)
    available = task.literals[seeds] & limits.literal_mask(task.n_variables)
    prior = task.prior
    clauses = np.full((len(seeds), 0), -1, dtype=np.int64)
    active = np.arange(len(seeds))
    found: dict[IndexClause, None] = {}
    for _ in range(limits.max_literals):
        if not len(active) or not task.n_variables:
            break
        states, which = _distinct(clauses[active])
        rows = _covered(task.literals, states).astype(np.float32)
        before = (rows @ masses.T).astype(np.float64)
        after = np.stack([(rows * mass) @ truth for mass in masses]).astype(np.float64)
        gains = score(after[0], after[1], before[:, :1], before[:, 1:], prior)
        gains = np.where(available[active], gains[which], -np.inf)
        best = np.argmax(gains, axis=1)
        growing = gains[np.arange(len(active)), best] > 1e-9
        active, best = active[growing], best[growing]
        available[active, best] = False
        clauses = np.concatenate([clauses, np.full((len(seeds), 1), -1)], axis=1)
        clauses[active, -1] = best
        found.update(dict.fromkeys(_as_clauses(clauses[active])))
        impure = after[1][which[growing], best] > 1e-9 * task.total
        active = active[impure]
    return list(found)


def _distinct(clauses: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different states, order of literals aside, and which one each seed is in."""
    if not clauses.shape[1]:
        return clauses[:1], np.zeros(len(clauses), dtype=np.int64)
    states, which = np.unique(np.sort(clauses, axis=1), axis=0, return_inverse=True)
    return states, which.reshape(-1)


def _covered(literals: BoolArray, states: NDArray[np.int64]) -> BoolArray:
    """[states, M], rows on which each state fires."""
    rows = np.ones((len(states), len(literals)), dtype=bool)
    for column in states.T:
        rows &= literals.T[column]
    return rows


def _as_clauses(index: NDArray[np.int64]) -> list[IndexClause]:
    """Rows of literal indices as canonical clauses."""
    return [tuple(row) for row in np.unique(np.sort(index, axis=1), axis=0).tolist()]
