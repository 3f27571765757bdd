"""What rules made of candidates cost: many at a time, by matrix products over the rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nri.episode import BoolArray, FloatArray
from nri.infer.candidates import CandidatePool
from nri.infer.limits import Limits
from nri.infer.objective import Objective, clause_bits
from nri.infer.task import Task

Indices = tuple[int, ...]
"""Chosen candidates, as rising positions in a pool."""


class Pricing:
    """Errors, bits and cost of sets of candidates.

    Sums over moves are of single precision, those over rules of double precision.
    """

    def __init__(
        self,
        pool: CandidatePool,
        task: Task,
        objective: Objective,
        limits: Limits,
        max_errors: float | None = None,
    ) -> None:
        self.pool = pool
        self.objective = objective
        self.gain = task.gain
        self.gain32 = self.gain.astype(np.float32)
        self.total = task.total
        n_literals = int(limits.literal_mask(task.n_variables).sum())
        self.bits = clause_bits(pool.lengths, n_literals)
        # Candidates of one length stand together.
        self.stretches = np.flatnonzero(np.diff(pool.lengths, prepend=-1))
        self.stretch_ends = np.append(self.stretches[1:], len(pool))
        self.nothing = task.errors(np.zeros(task.n_rows, dtype=bool))
        if max_errors is None:
            simple = pool.truth[pool.lengths < 2] @ self.gain
            max_errors = self.nothing - max(0.0, float(simple.max(initial=0.0)))
        self.wall = max_errors + 1e-9 * max(1.0, self.total)
        self._known: dict[Indices, tuple[float, float]] = {}

    def free_rows(self, chosen: Indices, keeps: BoolArray) -> BoolArray:
        """[R, M], rows left uncovered by the clauses that each row of ``keeps`` [R, chosen] keeps."""
        covering = self.pool.truth[list(chosen)].astype(np.float32)
        return np.asarray(keeps.astype(np.float32) @ covering < 0.5)

    def gains(self, free: BoolArray) -> NDArray[np.float32]:
        """[R, C], what each candidate gains on free rows [R, M]."""
        return np.where(free, self.gain32, np.float32(0.0)) @ self.pool.by_row

    def errors_with(self, free: BoolArray) -> FloatArray:
        """[R], expected weight of the rows decided wrongly, when these [R, M] are left uncovered."""
        right = np.where(free, 0.0, self.gain).sum(axis=1)
        return np.asarray(np.maximum(0.0, self.nothing - right))

    def penalized(self, errors: FloatArray, bits: FloatArray) -> FloatArray:
        """Cost, with a wall in front of rules that are worse than they may be."""
        excess = errors - self.wall
        cost = self.objective.cost(errors, bits, self.total)
        return np.where(excess > 0, cost + 1e6 + 1e3 * excess, cost)

    def measure(self, rules: Sequence[Indices]) -> None:
        """Find value and errors of these rules in one go."""
        new = [rule for rule in dict.fromkeys(rules) if rule not in self._known]
        if new:
            free = np.array([~self.pool.truth[list(rule)].any(axis=0) for rule in new])
            errors = self.errors_with(free)
            bits = np.array([self.bits[list(rule)].sum() for rule in new])
            values = self.penalized(errors, bits)
            self._known.update(zip(new, zip(values.tolist(), errors.tolist(), strict=True), strict=True))

    def value(self, chosen: Indices) -> float:
        """Return the cost with the wall."""
        if chosen not in self._known:
            self.measure([chosen])
        return self._known[chosen][0]

    def errors(self, chosen: Indices) -> float:
        """Return the expected weight of the rows that the rule decides wrongly."""
        if chosen not in self._known:
            self.measure([chosen])
        return self._known[chosen][1]

    def cost(self, chosen: Indices) -> float:
        """Return the objective's value."""
        bits = self.bits[list(chosen)].sum()
        return float(self.objective.cost(np.array(self.errors(chosen)), bits, self.total))

    def rank(self, chosen: Indices) -> tuple[float, float, Indices]:
        """Order of preference: value, then fewer errors, then position."""
        return (round(self.value(chosen), 7), round(self.errors(chosen), 7), chosen)
