"""Rules of several classes polished together, judged by what they decide as one."""

from dataclasses import dataclass

import numpy as np

from nri.episode import FloatArray, IntArray
from nri.infer.candidates import CandidatePool
from nri.infer.clauses import IndexClause
from nri.infer.limits import Limits
from nri.infer.objective import Objective, clause_bits
from nri.infer.result import estimated_precision
from nri.infer.task import Evidence

Chosen = tuple[int, ...]
"""Positions among the candidates of all classes."""


@dataclass(frozen=True, eq=False)
class JointSelection:
    """For each class its clauses, the default class, and what they cost together."""

    rules: tuple[tuple[IndexClause, ...], ...]
    default: int
    cost: float
    errors: float


def polish(
    pools: list[CandidatePool],
    starts: list[tuple[tuple[tuple[IndexClause, ...], ...], int]],
    evidence: Evidence,
    objective: Objective,
    limits: Limits,
    max_errors: float,
) -> JointSelection:
    """Add, drop and swap clauses of any class while the joint cost falls.

    Parameters
    ----------
    pools
        Candidates of each class.
    starts
        Rules of all classes, made of candidates, and a default class, to start from.
    evidence, objective, limits
        Rows, cost and bounds.
    max_errors
        Most expected errors of an acceptable result.
    """
    search = _Joint(pools, evidence, objective, limits, max_errors)
    ends = [search.descend(search.positions(rules), default) for rules, default in starts]
    chosen, default = min(ends, key=lambda end: search.rank(*end))
    return JointSelection(
        rules=search.rules(chosen),
        default=default,
        cost=search.cost(chosen, default),
        errors=search.errors(chosen, default),
    )


class _Joint:
    """Candidates of all classes in one list; the more precise of two firing ones decides."""

    def __init__(
        self,
        pools: list[CandidatePool],
        evidence: Evidence,
        objective: Objective,
        limits: Limits,
        max_errors: float,
    ) -> None:
        self.evidence, self.objective, self.limits = evidence, objective, limits
        self.max_errors = max_errors + 1e-9 * max(1.0, evidence.total)
        self.masses = evidence.masses
        self.clauses = [clause for pool in pools for clause in pool.clauses]
        self.truth = np.concatenate([pool.truth for pool in pools])
        self.dense = [pool.truth.astype(np.float32) for pool in pools]
        self.owner = np.repeat(np.arange(len(pools)), [len(pool) for pool in pools])
        n_literals = int(limits.literal_mask(evidence.literals.shape[1] // 2).sum())
        self.bits = clause_bits(np.concatenate([pool.lengths for pool in pools]), n_literals)
        prior = self.masses.sum(axis=0) / evidence.total
        precision = np.concatenate(
            [
                estimated_precision(
                    pool.truth @ self.masses[:, c], pool.truth @ evidence.weights, float(prior[c])
                )
                for c, pool in enumerate(pools)
            ]
        )
        # Equal precision is settled by the lower class, as in `decide`.
        order = np.lexsort((np.arange(len(precision)), self.owner, -precision))
        self.rank_of = np.empty(len(order), dtype=np.int64)
        self.rank_of[order] = np.arange(len(order))
        self.where = {
            (int(c), clause): i for i, (c, clause) in enumerate(zip(self.owner, self.clauses, strict=True))
        }

    def positions(self, rules: tuple[tuple[IndexClause, ...], ...]) -> Chosen:
        return tuple(sorted(self.where[c, clause] for c, rule in enumerate(rules) for clause in rule))

    def rules(self, chosen: Chosen) -> tuple[tuple[IndexClause, ...], ...]:
        grouped: list[list[IndexClause]] = [[] for _ in range(self.evidence.n_classes)]
        for i in chosen:
            grouped[self.owner[i]].append(self.clauses[i])
        return tuple(tuple(rule) for rule in grouped)

    def decided(self, chosen: Chosen, default: int) -> tuple[IntArray, IntArray]:
        """[M] rank of the deciding clause (or past the end) and [M] the class decided."""
        last = len(self.clauses)
        if not chosen:
            n_rows = len(self.masses)
            return np.full(n_rows, last), np.full(n_rows, default)
        index = np.array(chosen)
        ranks = np.where(self.truth[index], self.rank_of[index, None], last)
        winner = ranks.argmin(axis=0)
        best = ranks.min(axis=0)
        return best, np.where(best < last, self.owner[index][winner], default)

    def errors(self, chosen: Chosen, default: int) -> float:
        _, decided = self.decided(chosen, default)
        right = self.masses[np.arange(len(decided)), decided].sum()
        return max(0.0, self.evidence.total - float(right))

    def cost(self, chosen: Chosen, default: int) -> float:
        bits = self.bits[list(chosen)].sum()
        errors = np.array(self.errors(chosen, default))
        return float(self.priced(errors, bits))

    def priced(self, errors: FloatArray, bits: FloatArray) -> FloatArray:
        return self.objective.cost(errors, bits, self.evidence.total, self.evidence.n_classes)

    def walled(self, errors: FloatArray, bits: FloatArray) -> FloatArray:
        excess = np.maximum(0.0, errors - self.max_errors)
        wall = np.where(excess > 0, 1e6 + 1e3 * excess, 0.0)
        return self.priced(errors, bits) + wall

    def value(self, chosen: Chosen, default: int) -> float:
        errors = np.array(self.errors(chosen, default))
        return float(self.walled(errors, self.bits[list(chosen)].sum()))

    def rank(self, chosen: Chosen, default: int) -> tuple[float, Chosen, int]:
        return (round(self.value(chosen, default), 7), chosen, default)

    def descend(self, chosen: Chosen, default: int) -> tuple[Chosen, int]:
        """Take the best move until none helps; swaps only when nothing simpler does."""
        while True:
            current = self.value(chosen, default)
            better = self.best_of(self.simple_moves(chosen, default), current)
            better = better or self.best_of(self.swaps(chosen, default), current)
            if better is None:
                return chosen, default
            chosen, default = better

    def best_of(self, moves: list[tuple[Chosen, int]], current: float) -> tuple[Chosen, int] | None:
        """Return the cheapest of some rule sets if it is cheaper than the current one."""
        best = min(moves, key=lambda move: self.rank(*move), default=None)
        if best is None or self.value(*best) >= current - 1e-6 * max(1.0, abs(current)):
            return None
        return best

    def simple_moves(self, chosen: Chosen, default: int) -> list[tuple[Chosen, int]]:
        """Another default class, one clause less, one clause more."""
        defaults = [(chosen, other) for other in range(self.evidence.n_classes) if other != default]
        drops = [(tuple(i for i in chosen if i != gone), default) for gone in chosen]
        return defaults + drops + self.best_additions(chosen, default, 3)

    def swaps(self, chosen: Chosen, default: int) -> list[tuple[Chosen, int]]:
        """One clause less and the best other one more."""
        return [
            move
            for gone in chosen
            for move in self.best_additions(tuple(i for i in chosen if i != gone), default, 1)
        ]

    def best_additions(self, chosen: Chosen, default: int, most: int) -> list[tuple[Chosen, int]]:
        """Return the rule sets with one more candidate that seem cheapest."""
        deciding, decided = self.decided(chosen, default)
        right = self.masses[np.arange(len(decided)), decided]
        errors = max(0.0, self.evidence.total - float(right.sum())) - self.added_right(deciding, right)
        values = self.walled(np.clip(errors, 0.0, None), self.bits[list(chosen)].sum() + self.bits)
        sizes = np.bincount(self.owner[list(chosen)], minlength=self.evidence.n_classes)
        values[sizes[self.owner] >= self.limits.max_clauses] = np.inf
        values[list(chosen)] = np.inf
        best = np.argsort(values, kind="stable")[:most]
        return [(tuple(sorted((*chosen, int(i)))), default) for i in best if np.isfinite(values[i])]

    def added_right(self, deciding: IntArray, right: FloatArray) -> FloatArray:
        """[C], right weight that each candidate would add by overruling less precise clauses.

        A candidate takes the rows whose deciding clause ranks behind it. There are few deciding
        clauses, so one product of the truth matrix with a column for each of them serves all
        candidates of a class.
        """
        levels = np.unique(deciding)
        at_level = (deciding[:, None] == levels).astype(np.float32)
        added = np.empty(len(self.clauses))
        for c in range(self.evidence.n_classes):
            own = np.flatnonzero(self.owner == c)
            change = (self.masses[:, c] - right).astype(np.float32)
            by_level = self.dense[c] @ (at_level * change[:, None])
            behind = np.cumsum(by_level[:, ::-1], axis=1)[:, ::-1]
            behind = np.concatenate([behind, np.zeros((len(own), 1), np.float32)], axis=1)
            first = np.searchsorted(levels, self.rank_of[own], side="right")
            added[own] = behind[np.arange(len(own)), first]
        return added
