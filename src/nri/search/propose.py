"""Propose: candidate clauses for one class against the rest, from counts alone.

Clauses that cover a seed row are grown one literal at a time, all seeds at once.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import comb

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.search.candidates import build_pool
from nri.search.clauses import ClauseArray, choices, one_of_each, stacked, subsets
from nri.search.limits import Limits
from nri.search.rows import OneVsRest
from nri.search.select import shortlist

Proposer = Callable[[OneVsRest, Limits, np.random.Generator], ClauseArray]
"""Returns candidate clauses for one class against the rest; the pool sees to duplicates, order and limits."""


@dataclass(frozen=True)
class SymbolicProposer:
    """Seeded greedy clauses and their surroundings; on small tables every conjunction there is."""

    max_seeds: int = 200  # Most rows that clauses are grown from.
    m_strengths: tuple[float, ...] = (2.0, 10.0)  # Imaginary rows of the m-estimates that also rank literals.
    n_pairs: int = 16  # Best literals of which every pair is a candidate.
    widen_variables: int = 7  # Literals of a seed of which every short conjunction is a candidate.
    widen_literals: int = 4  # Longest of these conjunctions.
    widen_seeds: int = 40  # Most seeds that are widened.
    exhaustive: int = 12_000  # Most conjunctions that are simply all proposed.
    further: tuple[ClauseArray, ...] = ()  # Clauses that are proposed as they are.

    def __call__(self, task: OneVsRest, limits: Limits, rng: np.random.Generator) -> ClauseArray:
        """Return candidate clauses, some of them more than once."""
        return stacked(self._batches(task, limits, rng), 2 * task.n_variables)

    def _batches(self, task: OneVsRest, limits: Limits, rng: np.random.Generator) -> Iterator[ClauseArray]:
        mask = limits.literal_mask(task.n_variables)
        usable = np.flatnonzero(mask)
        yield from self.further
        seeds = choose_seeds(task, self.max_seeds, rng)
        scores = (foil_gain, *map(m_estimate, self.m_strengths))
        for grown in grow_from_seeds(task, seeds, scores, limits):
            yield grown
            yield without_one(grown)
        yield up_to(best_literals(task, usable, self.n_pairs)[None], 2, 2 * task.n_variables)
        # sets of ever more literals, at most one for each variable; 0 when even pairs are too many
        sizes = range(min(4, limits.max_literals) + 1)
        numbers = list(accumulate(comb(len(usable) // 2, k) * 2**k for k in sizes))
        longest = max((k for k in sizes[2:] if numbers[k] <= self.exhaustive), default=0)
        if longest:
            yield all_conjunctions(task.n_variables, usable, longest)
        if longest < self.widen_literals:
            seeds = choose_seeds(task, self.widen_seeds, rng)
            necessary = necessary_literals(task, seeds, mask, self.widen_variables)
            yield up_to(necessary, min(self.widen_literals, limits.max_literals), 2 * task.n_variables)


def all_conjunctions(n_variables: int, usable: IntArray, longest: int) -> ClauseArray:
    """Return every conjunction of up to ``longest`` usable literals."""
    n_literals = 2 * n_variables
    parts = [np.full((1, 1), n_literals)]
    for length in range(1, longest + 1):
        index = subsets(usable[None], length)
        sound = np.ones(len(index), dtype=bool)
        for low, high in choices(length, 2):
            sound &= index[:, high] - index[:, low] != n_variables
        parts.append(index[sound])
    return stacked(parts, n_literals)


def without_one(clauses: ClauseArray) -> ClauseArray:
    """Return each clause with each one of its literals dropped, and shorter ones as they are."""
    longest = clauses.shape[1]
    return subsets(clauses, longest - 1) if longest > 1 else clauses


def up_to(literals: IntArray, longest: int, n_literals: int) -> ClauseArray:
    """Return every conjunction of up to ``longest`` of the literals in each row of an array."""
    ordered = np.sort(literals, axis=1)
    sizes = range(1, min(longest, ordered.shape[1]) + 1)
    return stacked([subsets(ordered, size) for size in sizes], n_literals)


def best_literals(task: OneVsRest, usable: IntArray, most: int) -> IntArray:
    """Return the usable literals with the best weighted relative accuracy, best first."""
    positive, negative = task.positive, task.negative
    p, n = np.stack([positive, negative]) @ task.literals[:, usable]
    score = p / max(positive.sum(), 1e-12) - n / max(negative.sum(), 1e-12)
    return usable[np.argsort(-np.round(score, 9), kind="stable")[:most]]


def necessary_literals(task: OneVsRest, seeds: IntArray, mask: NDArray[np.bool_], most: int) -> ClauseArray:
    """[seeds, most], literals true at each seed that keep out wrong rows and let in right ones.

    A row counts the more, the fewer variables it differs in from the seed.
    """
    truth = task.literals.astype(np.float32)
    here = truth[seeds] * mask
    agreement = here @ truth.T
    distance = here.sum(axis=1, keepdims=True) - agreement
    own = np.arange(len(seeds)), seeds
    distance[own] = distance.max() + 1.0
    near = np.exp2(distance.min(axis=1, keepdims=True) - distance).astype(np.float32)
    near[own] = 0.0  # the seed is no evidence about itself
    kept_out = 1.0 - truth
    masses = (near * mass.astype(np.float32) for mass in (task.negative, task.positive))
    wrong, right = (mass / np.maximum(mass.sum(axis=1, keepdims=True), 1e-12) for mass in masses)
    score = np.round(wrong @ kept_out - right @ kept_out, 4)
    score = np.where(here > 0, score, -np.inf)
    order = np.argsort(-score, axis=1, kind="stable")[:, :most]
    return np.where(np.take_along_axis(score, order, axis=1) > -np.inf, order, 2 * task.n_variables)


def baseline_clauses(task: OneVsRest, limits: Limits) -> ClauseArray:
    """Return ALWAYS and every single usable literal."""
    usable = np.flatnonzero(limits.literal_mask(task.n_variables))
    return np.append(usable, 2 * task.n_variables)[:, None]


EXTENDED = 1000  # About how many candidates are extended by each literal of a required column.


def with_required(clauses: ClauseArray, task: OneVsRest, limits: Limits) -> ClauseArray:
    """Return clauses that have a literal of each required set; others are extended by each such literal."""
    kept = clauses
    free = replace(limits, required=(), min_precision=0.0)  # what is extended need not be precise yet
    usable = limits.literal_mask(task.n_variables)
    for mask in limits.required:
        wanted = np.append(mask & usable, False)
        pool = shortlist(build_pool(task.literals, kept, free), task, EXTENDED)
        lacking = pool.index[~wanted[pool.index].any(axis=1)]
        speaking = kept[wanted[kept].any(axis=1)]
        added = np.flatnonzero(wanted).tolist()
        extended = [np.column_stack([lacking, np.full(len(lacking), literal)]) for literal in added]
        kept = stacked([speaking, *extended], pool.n_literals)
    return kept


Score = Callable[[FloatArray, FloatArray, float], FloatArray]
"""(masses before, masses after, prior share) -> score; a literal is worth adding where it is above zero.

Masses [2, ...] are the weights of the class and of the others that a clause covers, without and with it.
"""


def foil_gain(before: FloatArray, after: FloatArray, prior: float) -> FloatArray:
    """Positives kept, times the bits that each of them gains in precision."""
    return np.asarray(after[0] * (_log_precision(after) - _log_precision(before)))


def _log_precision(masses: FloatArray) -> FloatArray:
    """Return the binary logarithm of the class's share of masses [2, ...]."""
    return np.asarray(np.log2(np.maximum(masses[0], 1e-9) / np.maximum(masses[0] + masses[1], 1e-9)))


def m_estimate(strength: float) -> Score:
    """Precision shrunk towards the prior share by so many imaginary rows, as gain over before."""

    def shrunk(masses: FloatArray, prior: float) -> FloatArray:
        return np.asarray((masses[0] + strength * prior) / (masses[0] + masses[1] + strength))

    def score(before: FloatArray, after: FloatArray, prior: float) -> FloatArray:
        return shrunk(after, prior) - shrunk(before, prior)

    return score


def choose_seeds(task: OneVsRest, most: int, rng: np.random.Generator) -> IntArray:
    """Return the rows whose class is the likelier one, or a sample of ``most`` of them, in rising order.

    Where there is no such row (a rare class under a posterior), those with the most mass stand in.
    """
    worth = np.flatnonzero(task.gain > 0)
    if not len(worth):
        order = np.argsort(-task.gain, kind="stable")
        worth = np.sort(order[: min(most, 5)])
    if len(worth) <= most:
        return worth
    share = np.maximum(task.positive[worth], 1e-12)
    return np.sort(rng.choice(worth, size=most, replace=False, p=share / share.sum()))


def grow_from_seeds(
    task: OneVsRest, seeds: IntArray, scores: Sequence[Score], limits: Limits
) -> list[ClauseArray]:
    """Return every prefix of the clause that each seed grows under each score, by length and each once.

    Counts are taken anew after each literal, on the rows that the clause still covers. Equal clauses share
    their counts, so a round costs two matrix products.
    """
    counts, prior = _Counts(task), float(task.positive.sum()) / (task.total or 1.0)
    available = task.literals[seeds] & limits.literal_mask(task.n_variables)
    # clauses in the making: one run for each score and seed, and which of the different clauses it is
    runs = [np.repeat(np.arange(len(scores)), len(seeds)), np.tile(np.arange(len(seeds)), len(scores))]
    state = np.zeros(len(runs[0]), dtype=np.int64)
    states: ClauseArray = np.empty((1, 0), dtype=np.int64)
    prefixes: list[ClauseArray] = []
    for _ in range(limits.max_literals):
        if not len(state) or not task.n_variables:
            break
        before, after = counts(states)
        rankings = [score(before, after, prior) for score in scores]
        best, growing = _next_literals(rankings, states, runs[0], available[runs[1]], state)
        impure = after[1][state, best] > 1e-9 * task.total
        grown = np.sort(np.column_stack([states[state], best])[growing], axis=1)
        first, state = one_of_each(grown, 2 * task.n_variables)
        prefixes.append(grown[first])
        runs, state = [one[growing & impure] for one in runs], state[impure[growing]]
        used, state = np.unique(state, return_inverse=True)
        states = prefixes[-1][used]
    return prefixes


class _Counts:
    """What clauses cover, and what they would with one literal more."""

    def __init__(self, task: OneVsRest) -> None:
        self.literals = task.literals
        # With hard labels a row has mass on one side only, and the other side need not read it.
        self.sides = [
            (mass > 0, mass[mass > 0].astype(np.float32), task.literals[mass > 0].astype(np.float32))
            for mass in (task.positive, task.negative)
        ]

    def __call__(self, states: ClauseArray) -> tuple[FloatArray, FloatArray]:
        """[2, states, 1] mass of the class and of the others, [2, states, L] the same with a literal more."""
        covered = np.ones((len(states), len(self.literals)), dtype=bool)
        for column in states.T:
            covered &= self.literals.T[column]
        before, after = [], []
        for rows, mass, truth in self.sides:
            weighted = (covered if rows.all() else covered[:, rows]) * mass
            before.append(weighted.sum(axis=1, keepdims=True))
            after.append(weighted @ truth)
        return np.array(before, dtype=np.float64), np.array(after, dtype=np.float64)


def _next_literals(
    rankings: list[FloatArray], states: ClauseArray, score: IntArray, available: BoolArray, state: IntArray
) -> tuple[IntArray, BoolArray]:
    """Return for each run the available literal that ranks first by its score, and whether that one gains."""
    best = np.zeros(len(state), dtype=np.int64)
    gain = np.zeros(len(state))
    for number, ranking in enumerate(rankings):
        ranking[np.arange(len(states))[:, None], states] = -np.inf  # no literal twice
        mine = np.flatnonzero(score == number)
        gains = np.where(available[mine], ranking[state[mine]], -np.inf)
        best[mine] = np.argmax(gains, axis=1)
        gain[mine] = gains[np.arange(len(mine)), best[mine]]
    return best, gain > 1e-9
