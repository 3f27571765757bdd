"""Cover: the shortest rule that holds in some cells and fails in others; the rest may be either.

A cell is a combination of the regulators' values. A clause is a condition on each regulator, and all clauses
there are stand in one array with an axis for each regulator: so the number of cells that each of them covers
is a few matrix products. The clauses that no larger one replaces are the prime implicants, and the fewest of
them that cover all cells (then those with the fewest literals) are found by integer programming. Of equally
short rules the one with the fewest different literals is taken: a regulator mostly acts one way.
"""

from collections.abc import Sequence
from math import prod

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.dynamics.variables import Conditions, Variable
from nri.rule import FALSE, TRUE, Clause, Dnf

_MOST_CLAUSES = 2_500_000
"""Clauses there may be for all of them to be looked at: 13 regulators of two values."""
_SECONDS = 10.0
"""Time after which the shortest cover found so far is taken."""


def shortest_rule(regulators: Sequence[Variable], on: IntArray, off: IntArray, *, proven: bool = True) -> Dnf:
    """Return the rule with the fewest clauses, then literals, that covers all of ``on`` and none of ``off``.

    Parameters
    ----------
    regulators
        What the rule may speak about.
    on, off
        [A, k] and [B, k], cells as codes of the regulators' values; they have none in common.
    proven
        Whether it shall be the shortest for certain; if not, clauses are taken one by one.
    """
    if len(on) == 0:
        return FALSE
    if len(off) == 0:
        return TRUE
    conditions = [one.conditions for one in regulators]
    if prod(len(one.allows) for one in conditions) > _MOST_CLAUSES:
        clauses = _grown(conditions, on, off)
    else:
        clauses = _primes(conditions, on, off)
    covers = covering(conditions, clauses, on)
    sizes = np.sum([one.sizes[clauses[:, i]] for i, one in enumerate(conditions)], axis=0)
    asks = np.concatenate(
        [clauses[:, [i]] == np.arange(1, len(one.allows)) for i, one in enumerate(conditions)], axis=1
    )
    return rule_of(conditions, clauses[_fewest(covers, sizes, asks, proven=proven)])


def rule_of(conditions: Sequence[Conditions], clauses: IntArray) -> Dnf:
    """Return clauses, [A, k] indices of conditions, in literals."""
    return Dnf(
        Clause(literal for one, i in zip(conditions, row, strict=True) for literal in one.literals[int(i)])
        for row in clauses
    )


def all_clauses(conditions: Sequence[Conditions]) -> IntArray:
    """[P, k]: a condition on each regulator, all combinations; the first one asks nothing."""
    sizes = tuple(len(one.allows) for one in conditions)
    return np.stack(np.unravel_index(np.arange(prod(sizes)), sizes), axis=1).astype(np.int64)


def _primes(conditions: Sequence[Conditions], on: IntArray, off: IntArray) -> IntArray:
    """[P, k]: the largest clauses that cover a cell of ``on`` and none of ``off``."""
    good = _count(conditions, off) == 0
    larger = np.zeros_like(good)
    for axis, one in enumerate(conditions):
        for small, big in _enlargements(one):
            place = [slice(None)] * len(conditions)
            place[axis], source = small, list(place)  # type: ignore[call-overload]
            source[axis] = big  # type: ignore[call-overload]
            larger[tuple(place)] |= good[tuple(source)]
    return np.argwhere(good & ~larger & (_count(conditions, on) > 0))


def _count(conditions: Sequence[Conditions], cells: IntArray) -> FloatArray:
    """Return for every clause how many of the cells it covers; an axis for each regulator."""
    shape = tuple(one.allows.shape[1] for one in conditions)
    counts: FloatArray = np.zeros(shape, dtype=np.float32)
    counts[tuple(cells.T)] = 1.0
    for axis, one in enumerate(conditions):
        counts = np.moveaxis(np.tensordot(one.allows.astype(np.float32), counts, axes=(1, axis)), 0, axis)
    return counts


def _enlargements(one: Conditions) -> list[tuple[int, int]]:
    """Pairs of conditions of which the second allows all that the first does, and more."""
    n = len(one.allows)
    return [
        (small, big)
        for small in range(n)
        for big in range(n)
        if small != big and bool((one.allows[small] <= one.allows[big]).all())
    ]


def _grown(conditions: Sequence[Conditions], on: IntArray, off: IntArray) -> IntArray:
    """[P, k]: a large clause around each cell of ``on``, for regulators too many to look at all clauses."""
    clauses = []
    for cell in on:
        chosen = [
            int(np.argmin(one.allows.sum(axis=1) + 99 * ~one.allows[:, v]))
            for one, v in zip(conditions, cell, strict=True)
        ]
        outside = np.array(
            [~one.allows[c][off[:, i]] for i, (one, c) in enumerate(zip(conditions, chosen, strict=True))]
        )
        for axis in np.argsort(outside.sum(axis=1), kind="stable").tolist():
            others = np.delete(outside, axis, axis=0).any(axis=0)
            if others.all():  # the others keep every cell of ``off`` out
                outside[axis] = False
                chosen[axis] = 0
        clauses.append(chosen)
    return np.unique(np.array(clauses, dtype=np.int64), axis=0)


def covering(conditions: Sequence[Conditions], clauses: IntArray, cells: IntArray) -> BoolArray:
    """[P, A]: which clause covers which cell."""
    covers = np.ones((len(clauses), len(cells)), dtype=bool)
    for axis, one in enumerate(conditions):
        covers &= one.allows[clauses[:, axis]][:, cells[:, axis]]
    return covers


def _fewest(covers: BoolArray, sizes: IntArray, asks: BoolArray, *, proven: bool) -> IntArray:
    """Return the clauses of a cover: the fewest, then with the fewest literals, then different conditions.

    Parameters
    ----------
    covers
        [P, A], which clause covers which cell.
    sizes
        [P], literals.
    asks
        [P, Q], which clause puts which condition on a regulator.
    proven
        Whether it shall be so for certain.
    """
    needed = np.unique(np.flatnonzero(covers.sum(axis=0) == 1))
    essential = np.unique(covers[:, needed].argmax(axis=0)) if len(needed) else np.zeros(0, dtype=np.int64)
    open_cells = ~covers[essential].any(axis=0)
    if not open_cells.any():
        return essential
    left: BoolArray = np.unique(covers[:, open_cells], axis=1)
    useful = np.flatnonzero(left.any(axis=1))
    left, cost = left[useful], 1.0 + sizes[useful] / 1000.0
    if proven:
        chosen = _integer_program(left, cost, asks[useful] & ~asks[essential].any(axis=0))
    else:
        chosen = greedy_cover(left, cost)
    return np.concatenate([essential, useful[chosen]])


def _integer_program(covers: BoolArray, cost: FloatArray, asks: BoolArray) -> IntArray:
    """Choose clauses that cover all cells, and pay a little for every condition that one of them asks."""
    n, n_cells = covers.shape
    clause, condition = np.nonzero(asks)
    rows = np.arange(len(clause))
    paid = sparse.csr_array(
        (np.repeat([1.0, -1.0], len(rows)), (np.tile(rows, 2), np.concatenate([condition + n, clause]))),
        shape=(len(rows), n + asks.shape[1]),
    )
    covered = sparse.csr_array(np.concatenate([covers.T, np.zeros((n_cells, asks.shape[1]))], axis=1))
    solved = milp(
        np.concatenate([cost, np.full(asks.shape[1], 1e-5)]),
        constraints=[LinearConstraint(covered, lb=1.0), LinearConstraint(paid, lb=0.0)],
        integrality=np.ones(n + asks.shape[1]),
        bounds=Bounds(0.0, 1.0),
        options={"time_limit": _SECONDS, "mip_rel_gap": 0.0},
    )
    return greedy_cover(covers, cost) if solved.x is None else np.flatnonzero(solved.x[:n] > 0.5)


def greedy_cover(covers: BoolArray, cost: FloatArray) -> IntArray:
    """Take the clause that covers most per cost until all is covered."""
    left, chosen = np.ones(covers.shape[1], dtype=bool), []
    while left.any():
        best = int(np.argmax((covers & left).sum(axis=1) / cost))
        chosen.append(best)
        left &= ~covers[best]
    return np.array(chosen, dtype=np.int64)
