"""The symbolic proposer: candidate clauses from counts alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nri.episode import BoolArray, IntArray
from nri.infer.baseline import baseline_clauses
from nri.infer.clauses import ClauseArray, stacked
from nri.infer.greedy import choose_seeds, grow_from_seeds
from nri.infer.limits import Limits
from nri.infer.scores import foil_gain, m_estimate
from nri.infer.task import Task
from nri.infer.widen import (
    all_conjunctions,
    best_literals,
    count_conjunctions,
    necessary_literals,
    up_to,
    without_one,
)


class Proposer(Protocol):
    """Anything that suggests clauses for one class against the rest."""

    def __call__(self, task: Task, limits: Limits, rng: np.random.Generator) -> ClauseArray:
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

    def __call__(self, task: Task, limits: Limits, rng: np.random.Generator) -> ClauseArray:
        """Return candidate clauses, some of them more than once."""
        return stacked(self._batches(task, limits, rng), 2 * task.n_variables)

    def _batches(self, task: Task, limits: Limits, rng: np.random.Generator) -> Iterator[ClauseArray]:
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

    def _grown(self, task: Task, limits: Limits, rng: np.random.Generator) -> Iterator[ClauseArray]:
        """Clauses grown from seeds, and these with a literal less."""
        seeds = choose_seeds(task, self.max_seeds, rng)
        scores = (foil_gain, *map(m_estimate, self.m_strengths))
        for grown in grow_from_seeds(task, seeds, scores, limits):
            yield grown
            yield without_one(grown)

    def _widened(self, task: Task, mask: BoolArray, limits: Limits, rng: np.random.Generator) -> ClauseArray:
        """Short conjunctions of what is necessary at some seeds."""
        seeds: IntArray = choose_seeds(task, self.widen_seeds, rng)
        necessary = necessary_literals(task, seeds, mask, self.widen_variables)
        return up_to(necessary, min(self.widen_literals, limits.max_literals), 2 * task.n_variables)

    def _exhaustive_length(self, n_literals: int, limits: Limits) -> int:
        """Longest conjunctions that can all be proposed; 0 when even pairs are too many."""
        lengths = range(2, min(4, limits.max_literals) + 1)
        fitting = [k for k in lengths if count_conjunctions(n_literals, k) <= self.exhaustive]
        return max(fitting, default=0)
