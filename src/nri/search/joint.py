"""Rules of several classes polished together, judged by what they decide as one."""

from dataclasses import dataclass

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.rule.decide import deciding_order, estimated_precision
from nri.search.candidates import CandidatePool
from nri.search.clauses import AnyClause
from nri.search.firings import firings_of
from nri.search.limits import Limits
from nri.search.objective import Objective
from nri.search.rows import SearchRows

Chosen = tuple[int, ...]
"""Positions among the candidates of all classes."""
RuleChoice = tuple[Chosen, int]
"""The clauses of all classes, and the default class."""

MOST_STARTS = 3
"""The cheapest starts that are descended from; six gained nothing."""


@dataclass(frozen=True, eq=False)
class JointSelection:
    """For each class its clauses, the default class, and what they cost together."""

    rules: tuple[tuple[AnyClause, ...], ...]
    default: int
    cost: float
    errors: float
    excess: float
    """Expected errors beyond what is acceptable."""


def polish(
    pools: list[CandidatePool],
    starts: list[tuple[tuple[tuple[AnyClause, ...], ...], int]],
    evidence: SearchRows,
    objective: Objective,
    limits: Limits,
    max_errors: float,
    room: int,
) -> JointSelection:
    """Add, drop and swap clauses of any class while the joint cost falls.

    First every class has room for many clauses; then each stricter limit is met from what was found. So what
    a limit leads to does not depend on the limit asked for, and is found under every looser one as well.

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
    room
        Clauses that each class has room for at first, whatever the limit.
    """
    search = _Joint(pools, evidence, objective, limits, max_errors)
    ranked = sorted({(search.positions(rules), default) for rules, default in starts}, key=search.rank)
    roomy = search.best_from(ranked[:MOST_STARTS], room)
    found = [roomy]
    for most in range(1, min(limits.max_clauses + 1, search.largest(roomy[0]))):
        found.append(search.best_from([search.cut(roomy, most), *found[1:][-1:]], most))
    kept = [choice for choice in found if search.largest(choice[0]) <= limits.max_clauses]
    chosen, default = min(kept, key=search.rank)
    errors = search.errors(chosen, default)
    return JointSelection(
        rules=search.rules(chosen),
        default=default,
        cost=search.cost(chosen, default),
        errors=errors,
        excess=max(0.0, errors - search.max_errors),
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
        self.evidence, self.objective, self.most = evidence, objective, limits.max_clauses
        self.max_errors = max_errors + 1e-9 * max(1.0, evidence.total)
        self.masses = evidence.masses
        self.clauses = [clause for pool in pools for clause in pool.clauses]
        self.truth = np.concatenate([pool.truth for pool in pools])
        self.owner = np.repeat(np.arange(len(pools)), [len(pool) for pool in pools])
        n_literals = limits.n_priced(evidence.literals.shape[1] // 2)
        self.bits = np.concatenate([pool.bits(n_literals) for pool in pools])
        # Candidates of one class and one price stand together: only the best of them needs a value.
        changes = np.diff(self.owner, prepend=-1).astype(bool) | np.diff(self.bits, prepend=-1.0).astype(bool)
        self.stretches = np.flatnonzero(changes)
        self.stretch_ends = np.append(self.stretches[1:], len(self.bits))
        prior = self.masses.sum(axis=0) / evidence.total
        precision = np.concatenate(
            [
                estimated_precision(
                    pool.truth @ self.masses[:, c], pool.truth @ evidence.weights, float(prior[c])
                )
                for c, pool in enumerate(pools)
            ]
        )
        order = deciding_order(precision, self.owner)
        self.rank_of = np.empty(len(order), dtype=np.int64)
        self.rank_of[order] = np.arange(len(order))
        self.firings = firings_of(self.truth, order, self.owner, self.masses)
        self._values: dict[RuleChoice, float] = {}
        self._ends: dict[RuleChoice, RuleChoice] = {}
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

    def value(self, choice: RuleChoice) -> float:
        if choice not in self._values:
            errors = np.array(self.errors(*choice))
            self._values[choice] = float(self.walled(errors, self.bits[list(choice[0])].sum()))
        return self._values[choice]

    def rank(self, choice: RuleChoice) -> tuple[float, Chosen, int]:
        return (round(self.value(choice), 7), *choice)

    def largest(self, chosen: Chosen) -> int:
        """Return how many clauses the class with most of them has."""
        return int(np.bincount(self.owner[list(chosen)], minlength=1).max())

    def cut(self, choice: RuleChoice, most: int) -> RuleChoice:
        """Leave each class so many of its clauses, those that speak first."""
        kept: list[int] = []
        for i in sorted(choice[0], key=self.rank_of.__getitem__):
            if sum(self.owner[j] == self.owner[i] for j in kept) < most:
                kept.append(i)
        return tuple(sorted(kept)), choice[1]

    def best_from(self, starts: list[RuleChoice], most: int) -> RuleChoice:
        """Return the best that the starts lead to with at most so many clauses a class."""
        self.most = most
        self._ends.clear()
        return min((self.descend(*start) for start in starts), key=self.rank)

    def descend(self, chosen: Chosen, default: int) -> RuleChoice:
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

    def best_move(self, chosen: Chosen, default: int) -> RuleChoice | None:
        """Return the cheapest rule set one move away, if cheaper; swaps only when nothing simpler helps."""
        current = self.value((chosen, default))
        standing = self.standing(chosen, default)
        added = self.added(standing)
        simple = self.defaults_and_drops(standing, default)
        simple += self.additions(standing, added, default)
        return self.best_of(simple, current) or self.best_of(self.swaps(standing, added, default), current)

    def best_of(self, moves: list["_Move"], current: float) -> RuleChoice | None:
        """Return the cheapest of some rule sets if it is cheaper than the current one."""
        least = min((round(move.value, 7) for move in moves), default=np.inf)
        if least >= current - 1e-6 * max(1.0, abs(current)):
            return None
        return min(move.choice() for move in moves if round(move.value, 7) == least)

    def defaults_and_drops(self, standing: "_Standing", default: int) -> list["_Move"]:
        """Another default class, or one clause less."""
        chosen = standing.ordered.tolist()
        undecided = self.masses[standing.decider[0] == len(chosen)].sum(axis=0)
        others = [other for other in range(self.evidence.n_classes) if other != default]
        gained = np.append(undecided[others] - undecided[default], standing.change_without())
        errors = np.maximum(0.0, self.evidence.total - (standing.right[0].sum() + gained))
        all_bits = self.bits[chosen].sum()
        bits = np.append(np.full(len(others), all_bits), all_bits - self.bits[chosen])
        values = self.walled(errors, bits).tolist()
        moves = [_Move(value, chosen, None, other) for value, other in zip(values, others, strict=False)]
        gone = zip(values[len(others) :], standing.without(), strict=True)
        return moves + [_Move(value, rest, None, default) for value, rest in gone]

    def additions(self, standing: "_Standing", added: FloatArray, default: int) -> list["_Move"]:
        """One clause more: the best one, if there is any."""
        right = np.array([standing.right[0].sum()])
        return self.best_additions([standing.ordered.tolist()], right, added[None], default)

    def swaps(self, standing: "_Standing", added: FloatArray, default: int) -> list["_Move"]:
        """One clause less and the best other one more, for each clause."""
        right = standing.right[0].sum() + standing.change_without()
        return self.best_additions(standing.without(), right, added + self.changed_without(standing), default)

    def best_additions(
        self, rests: list[list[int]], right: FloatArray, added: FloatArray, default: int
    ) -> list["_Move"]:
        """Return for each rule set the one with one candidate more that is cheapest.

        Parameters
        ----------
        rests
            [R] rule sets.
        right
            [R], what they decide rightly.
        added
            [R, C], what each candidate adds to that.
        default
            Class where nothing fires.
        """
        sizes = np.zeros((len(rests), self.evidence.n_classes), dtype=np.int64)
        for number, rest in enumerate(rests):
            added[number, rest] = -np.inf
            sizes[number] = np.bincount(self.owner[rest], minlength=self.evidence.n_classes)
        if not added.size:
            return []
        most = np.maximum.reduceat(added, self.stretches, axis=1)
        open_ = np.isfinite(most) & (sizes[:, self.owner[self.stretches]] < self.most)
        errors = np.clip(self.evidence.total - right[:, None] - np.where(open_, most, 0.0), 0.0, None)
        bits = np.array([self.bits[rest].sum() for rest in rests])[:, None] + self.bits[self.stretches]
        values = np.where(open_, self.walled(errors, bits), np.inf)
        best = values.argmin(axis=1)
        moves = []
        for number, stretch in enumerate(best.tolist()):
            start, end = self.stretches[stretch], self.stretch_ends[stretch]
            place = int(start + added[number, start:end].argmax())
            moves.append(_Move(float(values[number, stretch]), rests[number], place, default))
        return moves

    def added(self, standing: "_Standing") -> FloatArray:
        """[C], right weight that each candidate would add by overruling less precise clauses."""
        right = standing.right[0]
        added = np.zeros(len(self.clauses))
        for rows in self.firings.blocks:
            ends = self.firings.ends(rows, standing.ranks[standing.decider[0]])
            row, pair = self.firings.pairs(rows, ends)
            gain = self.firings.mass[pair] - right[row]
            added += np.bincount(self.firings.clause[pair], gain, len(added))
        return added

    def changed_without(self, standing: "_Standing") -> FloatArray:
        """[K, C], what each candidate would add more if a clause had left.

        Without a clause only the rows that it decides are decided by others, so of what each candidate
        adds only their part changes: candidates that overrule the clause as well overrule what comes
        behind it now, and those between the two overrule that one only.
        """
        K, C = len(standing.ordered), len(self.clauses)
        (first, second), (right, right_without) = standing.decider, standing.right
        changed = np.zeros(K * C)
        for block in self.firings.blocks:
            rows = block[first[block] < K]  # the default never leaves
            end, end_without = (self.firings.ends(rows, standing.ranks[d]) for d in (first, second))
            row, pair = self.firings.pairs(rows, end_without)
            overrules_both = pair < np.repeat(end, end_without - self.firings.starts[rows])
            before = np.where(overrules_both, right[row], self.firings.mass[pair])
            where = first[row] * C + self.firings.clause[pair]
            changed += np.bincount(where, before - right_without[row], K * C)
        return changed.reshape(K, C)


@dataclass(frozen=True, eq=False)
class _Move:
    """A rule set with at most one candidate more, and its value."""

    value: float
    rest: list[int]
    added: int | None
    default: int

    def choice(self) -> RuleChoice:
        """Return the rule set."""
        clauses = self.rest if self.added is None else [*self.rest, self.added]
        return tuple(sorted(clauses)), self.default


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

    def without(self) -> list[list[int]]:
        """[K], the clauses without each of them."""
        return [np.delete(self.ordered, k).tolist() for k in range(len(self.ordered))]
