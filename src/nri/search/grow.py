"""Grow: clauses that cover a seed row, one literal at a time, all seeds at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.search.clauses import ClauseArray, one_of_each
from nri.search.limits import Limits
from nri.search.rows import OneVsRest

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

    Parameters
    ----------
    task, limits
        What is learned, and what a clause may be.
    seeds
        Rows that the clauses must cover.
    scores
        How literals are ranked; each seed grows a clause under each.
    """
    counts = _Counts(task)
    available = task.literals[seeds] & limits.literal_mask(task.n_variables)
    runs = _Runs(
        score=np.repeat(np.arange(len(scores)), len(seeds)),
        seed=np.tile(np.arange(len(seeds)), len(scores)),
        state=np.zeros(len(scores) * len(seeds), dtype=np.int64),
    )
    states: ClauseArray = np.empty((1, 0), dtype=np.int64)
    found: list[ClauseArray] = []
    for _ in range(limits.max_literals):
        if not len(runs.state) or not task.n_variables:
            break
        before, after = counts(states)
        rankings = [score(after[0], after[1], before[0], before[1], task.prior) for score in scores]
        best, growing = _best_literals(rankings, states, runs, available)
        impure = after[1][runs.state, best] > 1e-9 * task.total
        grown = np.column_stack([states[runs.state], best])[growing]
        states, state = _distinct(grown, 2 * task.n_variables)
        found.append(states)
        runs = _Runs(runs.score[growing], runs.seed[growing], state).keep(impure[growing])
        states, runs = _in_use(states, runs)
    return found


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
    found, which = one_of_each(ordered, n_literals)
    return ordered[found], which


def _covered(literals: BoolArray, states: ClauseArray) -> BoolArray:
    """[states, M], rows on which each state fires."""
    rows = np.ones((len(states), len(literals)), dtype=bool)
    for column in states.T:
        rows &= literals.T[column]
    return rows
