"""The symbolic proposer: candidate clauses from counts alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nri.infer.candidates import IndexClause
from nri.infer.greedy import choose_seeds, grow_from_seeds
from nri.infer.limits import Limits
from nri.infer.scores import foil_gain, m_estimate
from nri.infer.task import Task
from nri.infer.widen import (
    all_conjunctions,
    best_literals,
    count_conjunctions,
    necessary_literals,
    subsets,
    without_one,
)


class Proposer(Protocol):
    """Anything that suggests clauses for one class against the rest."""

    def __call__(self, task: Task, limits: Limits, rng: np.random.Generator) -> Iterable[IndexClause]:
        """Return candidate clauses; the pool sees to duplicates and limits."""
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

    def __call__(self, task: Task, limits: Limits, rng: np.random.Generator) -> list[IndexClause]:
        """Return candidate clauses, each once, in a fixed order."""
        mask = limits.literal_mask(task.n_variables)
        usable = np.flatnonzero(mask)
        seeds = choose_seeds(task, self.max_seeds, rng)
        found: dict[IndexClause, None] = {(): None}
        found.update(dict.fromkeys((j,) for j in usable.tolist()))
        for score in (foil_gain, *map(m_estimate, self.m_strengths)):
            found.update(dict.fromkeys(grow_from_seeds(task, seeds, score, limits)))
        found.update(dict.fromkeys(without_one(list(found))))
        found.update(dict.fromkeys(subsets(best_literals(task, usable, self.n_pairs).tolist(), 2)))
        longest = self._exhaustive_length(len(usable), limits)
        if longest:
            found.update(dict.fromkeys(all_conjunctions(task.n_variables, usable, longest)))
        if longest < self.widen_literals:
            some = choose_seeds(task, self.widen_seeds, rng)
            for literals in necessary_literals(task, some, mask, self.widen_variables).tolist():
                kept = [j for j in literals if j >= 0]
                found.update(dict.fromkeys(subsets(kept, min(self.widen_literals, limits.max_literals))))
        return list(found)

    def _exhaustive_length(self, n_literals: int, limits: Limits) -> int:
        """Longest conjunctions that can all be proposed; 0 when even pairs are too many."""
        lengths = range(2, min(4, limits.max_literals) + 1)
        fitting = [k for k in lengths if count_conjunctions(n_literals, k) <= self.exhaustive]
        return max(fitting, default=0)
