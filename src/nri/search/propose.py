"""Propose: candidate clauses for one class against the rest, from counts alone.

Clauses that cover a seed row are grown one literal at a time, all seeds at once.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.search.candidates import build_pool
from nri.search.clauses import ClauseArray, choices, one_of_each, stacked, subsets
from nri.search.limits import Limits
from nri.search.rows import OneVsRest
from nri.search.select import shortlist


class Proposer(Protocol):
    """Anything that suggests clauses for one class against the rest."""

    def __call__(self, task: OneVsRest, limits: Limits, rng: np.random.Generator) -> ClauseArray:
        """Return candidate clauses; the pool sees to duplicates, order and limits."""
        ...


@dataclass(frozen=True)
class SymbolicProposer:
    """Seeded greedy clauses and their surroundings; on small tables every conjunction there is."""

    max_seeds: int = 200
    """Most rows that clauses are grown from."""
    m_strengths: tuple[float, ...] = (2.0, 10.0)
    """Imaginary rows of the m-estimates that rank literals, beside FOIL gain."""
    n_pairs: int = 16
    """Best literals of which every pair is a candidate."""
    widen_variables: int = 7
    """Literals of a seed of which every short conjunction is a candidate."""
    widen_literals: int = 4
    """Longest of these conjunctions."""
    widen_seeds: int = 40
    """Most seeds that are widened."""
    exhaustive: int = 12_000
    """Most conjunctions that are simply all proposed."""

    def __call__(self, task: OneVsRest, limits: Limits, rng: np.random.Generator) -> ClauseArray:
        """Return candidate clauses, some of them more than once."""
        return stacked(self._batches(task, limits, rng), 2 * task.n_variables)

    def _batches(self, task: OneVsRest, limits: Limits, rng: np.random.Generator) -> Iterator[ClauseArray]:
        mask = limits.literal_mask(task.n_variables)
        usable = np.flatnonzero(mask)
        yield baseline_clauses(task, limits)
        yield from self._grown(task, limits, rng)
        yield up_to(best_literals(task, usable, self.n_pairs)[None], 2, 2 * task.n_variables)
        longest = self._exhaustive_length(len(usable), limits)
        if longest:
            yield all_conjunctions(task.n_variables, usable, longest)
        if longest < self.widen_literals:
            yield self._widened(task, mask, limits, rng)

    def _grown(self, task: OneVsRest, limits: Limits, rng: np.random.Generator) -> Iterator[ClauseArray]:
        """Clauses grown from seeds, and these with a literal less."""
        seeds = choose_seeds(task, self.max_seeds, rng)
        scores = (foil_gain, *map(m_estimate, self.m_strengths))
        for grown in grow_from_seeds(task, seeds, scores, limits):
            yield grown
            yield without_one(grown)

    def _widened(
        self, task: OneVsRest, mask: BoolArray, limits: Limits, rng: np.random.Generator
    ) -> ClauseArray:
        """Short conjunctions of what is necessary at some seeds."""
        seeds: IntArray = choose_seeds(task, self.widen_seeds, rng)
        necessary = necessary_literals(task, seeds, mask, self.widen_variables)
        return up_to(necessary, min(self.widen_literals, limits.max_literals), 2 * task.n_variables)

    def _exhaustive_length(self, n_literals: int, limits: Limits) -> int:
        """Longest conjunctions that can all be proposed; 0 when even pairs are too many."""
        lengths = range(2, min(4, limits.max_literals) + 1)
        fitting = [k for k in lengths if count_conjunctions(n_literals, k) <= self.exhaustive]
        return max(fitting, default=0)


def count_conjunctions(n_literals: int, longest: int) -> int:
    """Count the sets of up to so many literals, at most one for each of ``n_literals / 2`` variables."""
    n_variables = n_literals // 2
    return sum(comb(n_variables, k) * 2**k for k in range(longest + 1))


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
    return usable[np.argsort(-score, kind="stable")[:most]]


def necessary_literals(task: OneVsRest, seeds: IntArray, mask: NDArray[np.bool_], most: int) -> ClauseArray:
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


def baseline_clauses(task: OneVsRest, limits: Limits) -> ClauseArray:
    """Return ALWAYS and every single usable literal."""
    usable = np.flatnonzero(limits.literal_mask(task.n_variables))
    return np.append(usable, 2 * task.n_variables)[:, None]


def baseline_errors(task: OneVsRest, limits: Limits) -> float:
    """Errors of the best of: no clause, ALWAYS, one literal, all within the limits."""
    clauses = baseline_clauses(task, limits)
    pool = build_pool(task.literals, clauses, limits, positive=task.positive, weights=task.weights)
    nothing = task.errors(np.zeros(task.n_rows, dtype=bool))
    gains = pool.truth @ task.gain
    return max(0.0, nothing - max(0.0, float(gains.max(initial=0.0))))


EXTENDED = 1000
"""About how many candidates are extended by each literal of a required column."""


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
        extended = [_with_literal(lacking, literal) for literal in np.flatnonzero(wanted)]
        kept = stacked([speaking, *extended], pool.n_literals)
    return kept


def _with_literal(clauses: ClauseArray, literal: np.int64) -> ClauseArray:
    """Return the clauses with this literal as well."""
    return np.column_stack([clauses, np.full(len(clauses), literal)])


Score = Callable[[FloatArray, FloatArray, FloatArray, FloatArray, float], FloatArray]
"""(positive, negative, positive before, negative before, prior share) -> score; more is better.

The first two are the expected weights a longer clause covers, the next two those of the clause as
it stands. A literal is worth adding only where the score is above zero.
"""


def foil_gain(
    positive: FloatArray,
    negative: FloatArray,
    positive_before: FloatArray,
    negative_before: FloatArray,
    prior: float,
) -> FloatArray:
    """Positives kept, times the bits that each of them gains in precision."""
    after = np.log2(np.maximum(positive, 1e-9) / np.maximum(positive + negative, 1e-9))
    before = np.log2(np.maximum(positive_before, 1e-9) / np.maximum(positive_before + negative_before, 1e-9))
    return np.asarray(positive * (after - before))


def m_estimate(strength: float) -> Score:
    """Precision shrunk towards the prior share by so many imaginary rows, as gain over before."""

    def score(
        positive: FloatArray,
        negative: FloatArray,
        positive_before: FloatArray,
        negative_before: FloatArray,
        prior: float,
    ) -> FloatArray:
        after = shrunk_precision(positive, negative, prior, strength)
        return after - shrunk_precision(positive_before, negative_before, prior, strength)

    return score


def shrunk_precision(positive: FloatArray, negative: FloatArray, prior: float, strength: float) -> FloatArray:
    """Share of positives with ``strength`` imaginary rows at the prior share added."""
    return (positive + strength * prior) / (positive + negative + strength)


Seeds = NDArray[np.int64]
"""Row indices."""


def choose_seeds(task: OneVsRest, most: int, rng: np.random.Generator) -> Seeds:
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


def grow_from_seeds(
    task: OneVsRest, seeds: Seeds, scores: Sequence[Score], limits: Limits
) -> list[ClauseArray]:
    """Return every prefix of the clause that each seed grows under each score, by length and each once.

    Counts are taken anew after each literal, on the rows that the clause still covers. Seeds whose
    clauses coincide share their counts, whatever the score, so the work is two matrix products for each
    round.
    """
    counts = _Counts(task)
    available = task.literals[seeds] & limits.literal_mask(task.n_variables)
    runs = _Runs(
        score=np.repeat(np.arange(len(scores)), len(seeds)),
        seed=np.tile(np.arange(len(seeds)), len(scores)),
        state=np.zeros(len(scores) * len(seeds), dtype=np.int64),
    )
    states: ClauseArray = np.empty((1, 0), dtype=np.int64)
    prefixes: list[ClauseArray] = []
    for _ in range(limits.max_literals):
        if not len(runs.state) or not task.n_variables:
            break
        before, after = counts(states)
        rankings = [score(after[0], after[1], before[0], before[1], task.prior) for score in scores]
        best, growing = _best_literals(rankings, states, runs, available)
        impure = after[1][runs.state, best] > 1e-9 * task.total
        grown = np.column_stack([states[runs.state], best])[growing]
        states, state = _distinct(grown, 2 * task.n_variables)
        prefixes.append(states)
        runs = _Runs(runs.score[growing], runs.seed[growing], state).keep(impure[growing])
        states, runs = _in_use(states, runs)
    return prefixes


@dataclass(frozen=True, eq=False)
class _Runs:
    """Clauses in the making: one for each score and seed that still grows."""

    score: IntArray
    seed: IntArray
    state: IntArray
    """which of the different clauses it is"""

    def keep(self, mask: BoolArray) -> "_Runs":
        """Return the runs of a mask."""
        return _Runs(self.score[mask], self.seed[mask], self.state[mask])


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
        covered = _covered(self.literals, states)
        before, after = [], []
        for rows, mass, truth in self.sides:
            weighted = (covered if rows.all() else covered[:, rows]) * mass
            before.append(weighted.sum(axis=1, keepdims=True))
            after.append(weighted @ truth)
        return np.array(before, dtype=np.float64), np.array(after, dtype=np.float64)


def _best_literals(
    rankings: list[FloatArray], states: ClauseArray, runs: _Runs, available: BoolArray
) -> tuple[IntArray, BoolArray]:
    """Return for each run the literal that ranks first for its state and seed, and whether that one gains."""
    best = np.zeros(len(runs.state), dtype=np.int64)
    gain = np.zeros(len(runs.state))
    for number, ranking in enumerate(rankings):
        ranking[np.arange(len(states))[:, None], states] = -np.inf  # no literal twice
        mine = np.flatnonzero(runs.score == number)
        gains = np.where(available[runs.seed[mine]], ranking[runs.state[mine]], -np.inf)
        best[mine] = np.argmax(gains, axis=1)
        gain[mine] = gains[np.arange(len(mine)), best[mine]]
    return best, gain > 1e-9


def _in_use(states: ClauseArray, runs: _Runs) -> tuple[ClauseArray, _Runs]:
    """Leave out states that no run is in."""
    used = np.zeros(len(states), dtype=bool)
    used[runs.state] = True
    return states[used], replace(runs, state=(np.cumsum(used) - 1)[runs.state])


def _distinct(clauses: ClauseArray, n_literals: int) -> tuple[ClauseArray, IntArray]:
    """Return the different clauses, order of literals aside, and which one each is."""
    ordered = np.sort(clauses, axis=1)
    first, which = one_of_each(ordered, n_literals)
    return ordered[first], which


def _covered(literals: BoolArray, states: ClauseArray) -> BoolArray:
    """[states, M], rows on which each state fires."""
    rows = np.ones((len(states), len(literals)), dtype=bool)
    for column in states.T:
        rows &= literals.T[column]
    return rows
