"""Rules of several classes polished together, judged by what they decide as one."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.rule.decide import estimated_precision, speaking_order
from nri.search.candidates import CandidatePool
from nri.search.clauses import AnyClause
from nri.search.limits import Limits
from nri.search.objective import Objective
from nri.search.rows import SearchRows

Chosen = tuple[int, ...]
"""Positions among the candidates of all classes."""


@dataclass(frozen=True, eq=False)
class JointSelection:
    """For each class its clauses, the default class, and what they cost together."""

    rules: tuple[tuple[AnyClause, ...], ...]
    default: int
    cost: float
    errors: float


def polish(
    pools: list[CandidatePool],
    starts: list[tuple[tuple[tuple[AnyClause, ...], ...], int]],
    evidence: SearchRows,
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
        evidence: SearchRows,
        objective: Objective,
        limits: Limits,
        max_errors: float,
    ) -> None:
        self.evidence, self.objective, self.limits = evidence, objective, limits
        self.max_errors = max_errors + 1e-9 * max(1.0, evidence.total)
        self.masses = evidence.masses
        self.clauses = [clause for pool in pools for clause in pool.clauses]
        self.truth = np.concatenate([pool.truth for pool in pools])
        self.by_row = np.concatenate([pool.by_row for pool in pools], axis=1)
        self.owner = np.repeat(np.arange(len(pools)), [len(pool) for pool in pools])
        n_literals = int(limits.literal_mask(evidence.literals.shape[1] // 2).sum())
        self.bits = np.concatenate([pool.bits(n_literals) for pool in pools])
        prior = self.masses.sum(axis=0) / evidence.total
        precision = np.concatenate(
            [
                estimated_precision(
                    pool.truth @ self.masses[:, c], pool.truth @ evidence.weights, float(prior[c])
                )
                for c, pool in enumerate(pools)
            ]
        )
        order = speaking_order(precision, self.owner)
        self.rank_of = np.empty(len(order), dtype=np.int64)
        self.rank_of[order] = np.arange(len(order))
        ends = np.cumsum([0, *map(len, pools)])
        self.slices = [slice(start, end) for start, end in pairwise(ends.tolist())]
        self._values: dict[tuple[Chosen, int], float] = {}
        self._ends: dict[tuple[Chosen, int], tuple[Chosen, int]] = {}
        self.where = {
            (int(c), clause): i for i, (c, clause) in enumerate(zip(self.owner, self.clauses, strict=True))
        }

    def positions(self, rules: tuple[tuple[AnyClause, ...], ...]) -> Chosen:
        return tuple(sorted(self.where[c, clause] for c, rule in enumerate(rules) for clause in rule))

    def rules(self, chosen: Chosen) -> tuple[tuple[AnyClause, ...], ...]:
        grouped: list[list[AnyClause]] = [[] for _ in range(self.evidence.n_classes)]
        for i in chosen:
            grouped[self.owner[i]].append(self.clauses[i])
        return tuple(tuple(rule) for rule in grouped)

    def standing(self, chosen: Chosen, default: int) -> "_Standing":
        """Look up which chosen clauses decide each row."""
        ordered = np.array(sorted(chosen, key=self.rank_of.__getitem__), dtype=np.int64)
        fires = np.ones(
            (len(ordered) + 1, len(self.masses)), dtype=bool
        )  # the default fires last, everywhere
        fires[:-1] = self.truth[ordered]
        rows = np.arange(len(self.masses))
        classes = np.append(self.owner[ordered], default)
        first = fires.argmax(axis=0)
        fires[first, rows] = False
        fires[-1] = True
        second = fires.argmax(axis=0)
        ranks = np.append(self.rank_of[ordered], len(self.clauses))
        right = [self.masses[rows, classes[decider]] for decider in (first, second)]
        return _Standing(ordered, ranks, (first, second), (right[0], right[1]))

    def errors(self, chosen: Chosen, default: int) -> float:
        right = self.standing(chosen, default).right[0].sum()
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
        if (chosen, default) not in self._values:
            errors = np.array(self.errors(chosen, default))
            self._values[chosen, default] = float(self.walled(errors, self.bits[list(chosen)].sum()))
        return self._values[chosen, default]

    def rank(self, chosen: Chosen, default: int) -> tuple[float, Chosen, int]:
        return (round(self.value(chosen, default), 7), chosen, default)

    def descend(self, chosen: Chosen, default: int) -> tuple[Chosen, int]:
        """Take the best move until none helps; starts that meet go on as one."""
        path = [(chosen, default)]
        while path[-1] not in self._ends:
            better = self.best_move(*path[-1])
            if better is None:
                self._ends[path[-1]] = path[-1]
            else:
                path.append(better)
        end = self._ends[path[-1]]
        self._ends.update(dict.fromkeys(path, end))
        return end

    def best_move(self, chosen: Chosen, default: int) -> tuple[Chosen, int] | None:
        """Return the cheapest rule set one move away, if cheaper; swaps only when nothing simpler helps."""
        current = self.value(chosen, default)
        standing = self.standing(chosen, default)
        added = self.added_right(standing.ranks[standing.decider[0]], standing.right[0])
        simple = self.defaults_and_drops(standing, chosen, default)
        simple += self.best_additions(chosen, default, float(standing.right[0].sum()), added, 3)
        return self.best_of(simple, current) or self.best_of(
            self.swaps(standing, added, chosen, default), current
        )

    def best_of(self, moves: list[tuple[Chosen, int]], current: float) -> tuple[Chosen, int] | None:
        """Return the cheapest of some rule sets if it is cheaper than the current one."""
        best = min(moves, key=lambda move: self.rank(*move), default=None)
        if best is None or self.value(*best) >= current - 1e-6 * max(1.0, abs(current)):
            return None
        return best

    def defaults_and_drops(
        self, standing: "_Standing", chosen: Chosen, default: int
    ) -> list[tuple[Chosen, int]]:
        """Another default class, or one clause less; their values are found on the way."""
        n_classes = self.evidence.n_classes
        undecided = self.masses[standing.decider[0] == len(chosen)].sum(axis=0)
        others = [other for other in range(n_classes) if other != default]
        moves = [(chosen, other) for other in others]
        moves += [(tuple(i for i in chosen if i != gone), default) for gone in standing.ordered.tolist()]
        gained = np.append(undecided[others] - undecided[default], standing.change_without())
        errors = np.maximum(0.0, self.evidence.total - (standing.right[0].sum() + gained))
        bits = np.array([self.bits[list(rules)].sum() for rules, _ in moves])
        self._values.update(zip(moves, self.walled(errors, bits).tolist(), strict=True))
        return moves

    def swaps(
        self, standing: "_Standing", added: FloatArray, chosen: Chosen, default: int
    ) -> list[tuple[Chosen, int]]:
        """One clause less and the best other one more.

        Without a clause only the rows that it decides are decided by others, so of what each candidate
        adds to the rule set only their part changes.
        """
        moves = []
        (first, second), (right, right_without) = standing.decider, standing.right
        for position, gone in enumerate(standing.ordered.tolist()):
            rows = np.flatnonzero(first == position)
            changed = self.added_right(standing.ranks[second[rows]], right_without[rows], rows)
            changed -= self.added_right(standing.ranks[first[rows]], right[rows], rows)
            total = float(right.sum() + (right_without[rows] - right[rows]).sum())
            rest = tuple(i for i in chosen if i != gone)
            moves += self.best_additions(rest, default, total, added + changed, 1)
        return moves

    def best_additions(
        self, chosen: Chosen, default: int, right: float, added: FloatArray, most: int
    ) -> list[tuple[Chosen, int]]:
        """Return the rule sets with one more candidate that seem cheapest.

        Parameters
        ----------
        chosen, default
            The rule set without it.
        right
            What that decides rightly.
        added
            [C], what each candidate adds to it.
        most
            How many to return.
        """
        errors = max(0.0, self.evidence.total - right) - added
        values = self.walled(np.clip(errors, 0.0, None), self.bits[list(chosen)].sum() + self.bits)
        sizes = np.bincount(self.owner[list(chosen)], minlength=self.evidence.n_classes)
        values[sizes[self.owner] >= self.limits.max_clauses] = np.inf
        values[list(chosen)] = np.inf
        best = np.argsort(values, kind="stable")[:most] if most > 1 else [np.argmin(values)]
        return [(tuple(sorted((*chosen, int(i)))), default) for i in best if np.isfinite(values[i])]

    def added_right(
        self, deciding: IntArray, right: FloatArray, rows: IntArray | slice = slice(None)
    ) -> FloatArray:
        """[C], right weight that each candidate would add on rows by overruling less precise clauses.

        A candidate takes the rows whose deciding clause ranks behind it. There are few deciding
        clauses, so one product of the truth matrix with a row for each of them serves all
        candidates of a class.

        Parameters
        ----------
        deciding, right
            Rank of the clause that decides each of the rows, and the weight that it decides rightly.
        rows
            The rows that count; all by default.
        """
        levels, level = np.unique(deciding, return_inverse=True)
        at_level = level == np.arange(len(levels))[:, None]
        truth, masses = self.by_row[rows], self.masses[rows]
        added = np.empty(len(self.clauses))
        for c, own in enumerate(self.slices):
            change = (masses[:, c] - right).astype(np.float32)
            by_level = (at_level * change) @ truth[:, own]
            behind = np.cumsum(by_level[::-1], axis=0)[::-1]
            behind = np.concatenate([behind, np.zeros((1, behind.shape[1]), np.float32)])
            first = np.searchsorted(levels, self.rank_of[own], side="right")
            added[own] = behind[first, np.arange(behind.shape[1])]
        return added


@dataclass(frozen=True, eq=False)
class _Standing:
    """Which clause of a rule set decides each row, and which one would without it."""

    ordered: IntArray
    """[K], the clauses in the order in which they get their say"""
    ranks: IntArray
    """[K + 1], their ranks among all candidates, and that of the default"""
    decider: tuple[IntArray, IntArray]
    """[M] each, places in this order: the one that decides a row, and the one that would without it"""
    right: tuple[FloatArray, FloatArray]
    """[M] each, weight that each of them decides rightly"""

    def change_without(self) -> FloatArray:
        """[K], what the right weight changes by without each clause."""
        change = self.right[1] - self.right[0]
        return np.bincount(self.decider[0], change, len(self.ranks))[:-1].astype(np.float64)
