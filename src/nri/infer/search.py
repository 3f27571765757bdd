"""Local search over sets of candidates, all moves scored at once by matrix products."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from nri.episode import BoolArray, FloatArray
from nri.infer.candidates import CandidatePool
from nri.infer.limits import Limits
from nri.infer.objective import Objective, clause_bits
from nri.infer.task import Task

Indices = tuple[int, ...]
"""Chosen candidates, as rising positions in a pool."""

ERROR_WEIGHTS = (1.0, 2.0, 4.0, 16.0)
"""How much a covered wrong row weighs while a start is grown; growing with one weight gets stuck."""


def weighted_gain(gain: FloatArray, error_weight: float) -> NDArray[np.float32]:
    """[M], gain with the rows that are wrong to cover counted so many times."""
    return np.where(gain < 0, error_weight * gain, gain).astype(np.float32)


class LocalSearch:
    """Add, drop and swap clauses until no move helps.

    Holds what all starts share: candidate truth as a matrix, bits, and the ends already known.
    """

    def __init__(
        self,
        pool: CandidatePool,
        task: Task,
        objective: Objective,
        limits: Limits,
        max_errors: float | None,
    ) -> None:
        self.pool = pool
        self.task = task
        self.objective = objective
        self.most = limits.max_clauses
        self.gain = task.gain
        self.gain32 = self.gain.astype(np.float32)
        self.by_row = np.ascontiguousarray(pool.truth.T).astype(np.float32)
        n_literals = int(limits.literal_mask(task.n_variables).sum())
        self.bits = clause_bits(pool.lengths, n_literals)
        self.nothing = task.errors(np.zeros(task.n_rows, dtype=bool))
        own_gain = pool.truth @ self.gain
        self.max_errors = self.nothing - max(0.0, float(own_gain.max(initial=0.0, where=pool.lengths < 2)))
        if max_errors is not None:
            self.max_errors = max_errors
        self.slack = 1e-9 * max(1.0, task.total)
        self._descended: dict[Indices, Indices] = {}

    def covered(self, chosen: Indices) -> BoolArray:
        """[M], rows on which a chosen candidate fires."""
        return np.asarray(self.pool.truth[list(chosen)].any(axis=0))

    def errors(self, chosen: Indices) -> float:
        """Return the expected weight of the rows that the rule decides wrongly."""
        return self.task.errors(self.covered(chosen))

    def cost(self, chosen: Indices) -> float:
        """Return the objective's value."""
        bits = self.bits[list(chosen)].sum()
        return float(self.objective.cost(np.array(self.errors(chosen)), bits, self.task.total))

    def penalized(self, errors: FloatArray, bits: FloatArray) -> FloatArray:
        """Cost, with a wall in front of rules that are worse than they may be."""
        excess = np.maximum(0.0, errors - self.max_errors - self.slack)
        return self.objective.cost(errors, bits, self.task.total) + np.where(
            excess > 0, 1e6 + 1e3 * excess, 0.0
        )

    def value(self, chosen: Indices) -> float:
        """Return the cost with the wall."""
        bits = self.bits[list(chosen)].sum()
        return float(self.penalized(np.array(self.errors(chosen)), bits))

    def rank(self, chosen: Indices) -> tuple[float, float, Indices]:
        """Order of preference: value, then fewer errors, then position."""
        return (round(self.value(chosen), 7), round(self.errors(chosen), 7), chosen)

    def starts(self) -> list[Indices]:
        """Nothing, ALWAYS, the best single candidate, and one greedy rule for each error weight."""
        found: list[Indices] = [()]
        if len(self.pool):
            found += [(i,) for i in np.flatnonzero(self.pool.lengths == 0).tolist()]
            found.append((int(np.argmin(self.move_values((), [()]))),))
            for weight in ERROR_WEIGHTS:
                found += [*self.grow(weight, self.bits), *self.grow(weight, np.ones_like(self.bits))]
        return list(dict.fromkeys(found))

    def grow(self, error_weight: float, sizes: FloatArray) -> tuple[Indices, Indices]:
        """Add the candidate with the most weighted gain for its size until none gains.

        Return the cheapest prefix and the whole: a rule without errors may be cheap only when complete.
        """
        gain = weighted_gain(self.gain, error_weight)
        free = np.ones(self.task.n_rows, dtype=bool)
        chosen: Indices = ()
        prefixes = [chosen]
        while len(chosen) < self.most:
            scores = ((gain * free) @ self.by_row) / sizes
            # Of equally good candidates the cheaper: bits only break ties here.
            best = int(np.argmax(scores - 1e-4 * self.bits))
            if scores[best] <= 0:
                break
            chosen = tuple(sorted((*chosen, best)))
            free &= ~self.pool.truth[best]
            prefixes.append(chosen)
        return min(prefixes, key=self.rank), chosen

    def kicked(self, best: Indices) -> Indices:
        """Take each clause away for good and descend again, as long as that finds something better."""
        while True:
            others = [self.descend(tuple(i for i in best if i != banned), banned=banned) for banned in best]
            better = min([best, *others], key=self.rank)
            if self.rank(better)[:2] >= self.rank(best)[:2]:
                return best
            best = better

    def descend(self, chosen: Indices, banned: int | None = None) -> Indices:
        """Take the best move until none helps; two clauses leave at once only when one will not do."""
        path = [chosen]
        known = self._descended if banned is None else {}
        while chosen not in known:
            better = self.best_move(chosen, 1, banned) or self.best_move(chosen, 2, banned)
            if better is None:
                known[chosen] = chosen
            else:
                chosen = better
                path.append(chosen)
        known.update(dict.fromkeys(path, known[chosen]))
        return known[chosen]

    def best_move(self, chosen: Indices, drops: int, banned: int | None) -> Indices | None:
        """Return the best rule after dropping up to so many clauses and adding at most one, if better."""
        current = self.value(chosen)
        sizes = (0, 1) if drops == 1 else (drops,)
        dropped = [gone for size in sizes for gone in combinations(chosen, size)]
        if not dropped:
            return None
        bases = [tuple(i for i in chosen if i not in gone) for gone in dropped]
        best_value, best = min((self.value(base), base) for base in bases)
        if len(self.pool):
            values = self.move_values(chosen, dropped)
            if banned is not None:
                values[:, banned] = np.inf
            flat = int(np.argmin(values))
            base, added = bases[flat // len(self.pool)], flat % len(self.pool)
            if values.flat[flat] < best_value and added not in base:
                best_value, best = float(values.flat[flat]), tuple(sorted((*base, added)))
        if best_value < current - 1e-5 and self.value(best) < current - 1e-9 * max(1.0, abs(current)):
            return best
        return None

    def move_values(self, chosen: Indices, dropped: list[Indices]) -> FloatArray:
        """Return [dropped, C], value of the rule without some clauses and with each candidate added."""
        bases = [tuple(i for i in chosen if i not in gone) for gone in dropped]
        base_errors = np.array([self.errors(base) for base in bases])
        base_bits = np.array([self.bits[list(base)].sum() for base in bases])
        errors = np.clip(base_errors[:, None] - self.gains_after(chosen, dropped), 0.0, None)
        values = self.penalized(errors, base_bits[:, None] + self.bits)
        room = np.array([len(base) < self.most for base in bases])
        return np.where(room[:, None], values, np.inf)

    def gains_after(self, chosen: Indices, dropped: list[Indices]) -> FloatArray:
        """Return [dropped, C], what each candidate gains on the rows that dropping clauses frees.

        A row is free when all clauses that cover it are dropped. Rows are summed once for each set of
        at most two covering clauses; these sets share no row, so all of it costs two matrix-vector products.
        """
        covering = self.pool.truth[list(chosen)]
        depth = covering.sum(axis=0)
        sums: dict[Indices, FloatArray] = {}

        def freed(clauses: Indices) -> FloatArray:
            if clauses not in sums:
                rows = depth == len(clauses)
                for clause in clauses:
                    rows = rows & self.pool.truth[clause]
                index = np.flatnonzero(rows)
                sums[clauses] = (self.gain32[index] @ self.by_row[index]).astype(np.float64)
            return sums[clauses]

        return np.array(
            [
                sum(freed(part) for size in range(len(gone) + 1) for part in combinations(gone, size))
                for gone in dropped
            ]
        )
