"""Decision lists: search an ordered list of clauses for several classes.

A clause decides for the class with most weight on the rows left to it, so a list is an order of candidates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nri.arrays import FloatArray, IntArray, rounded
from nri.search.candidates import CandidatePool, first_of_each_truth
from nri.search.clauses import stacked
from nri.search.limits import Limits
from nri.search.objective import Objective
from nri.search.rows import OneVsRest, SearchRows
from nri.search.select import search_limits, shortlisted

Order = tuple[int, ...]  # Candidates in the order of deciding.

LIST_CANDIDATES = 2000  # About how many candidates a list is made of, at most a fifth of one class.
LIST_LITERALS = 800  # Single literals among them whatever they gain, the most informative ones of each class.
PURITIES = (0.45, 0.65, 0.85)
"""Least shares of its class that a clause is worth while a start is grown; one alone gets stuck."""
COUNT_IN_LIST = 1.5
"""How many times its bits a counting clause costs among branches of several classes, where it reads worst."""
LEAST_ROWS, LEAST_PART = 3.0, 0.005  # Rows, and part of all rows, that a branch decides at least.
PENALTY = 1e6  # Cost in front of lists that are worse than the best single literal.
LEAST_SHARE = 0.35  # A branch whose class has a smaller share of the rows it decides is not worth its line.


def list_candidates(pools: Sequence[CandidatePool], tasks: Sequence[OneVsRest]) -> CandidatePool:
    """Return one pool of the best candidates of all classes, each truth vector once, short ones first."""
    some = [_best_of(pool, task, len(tasks)) for pool, task in zip(pools, tasks, strict=True)]
    index = stacked([pool.index for pool in some], some[0].n_literals)
    at_least = np.concatenate([pool.at_least for pool in some])
    words = np.concatenate([pool.words for pool in some])
    whole = replace(some[0], index=index, at_least=at_least, words=words, prices=None)
    whole = whole.take(np.lexsort((*index.T[::-1], whole.lengths, whole.counts)))
    return whole.take(first_of_each_truth(whole.words))


def _best_of(pool: CandidatePool, task: OneVsRest, n_classes: int) -> CandidatePool:
    """Return the candidates that gain most, and the most informative single literals."""
    gaining = shortlisted(pool, task, LIST_CANDIDATES // max(5, n_classes), simple=False)
    literals = np.flatnonzero(pool.lengths <= 1)
    sides = [mass / max(mass.sum(), 1e-12) for mass in (task.positive, task.negative)]
    inside, outside = np.stack(sides) @ pool.truth[literals].T
    order = np.argsort(np.round(outside - inside, 9), kind="stable")
    informative = literals[order[: LIST_LITERALS // max(5, n_classes)]]
    return pool.take(np.union1d(gaining, informative))


@dataclass(frozen=True, eq=False)
class DecisionList:
    """An ordered list of candidates with their classes, and what it costs."""

    order: Order
    classes: tuple[int, ...]
    default: int
    cost: float


@dataclass(frozen=True, eq=False)
class _Segments:
    """Which rows each place of a list decides."""

    place: IntArray  # [M], place that decides each row; the last is the default
    rows: FloatArray  # [K + 1], weight of the rows that each place decides
    masses: FloatArray  # [K + 1, n_classes], weight of their classes

    @property
    def classes(self) -> IntArray:
        """[K + 1], class that each place decides for."""
        return np.asarray(self.masses.argmax(axis=1))

    @property
    def right(self) -> FloatArray:
        """[K + 1], weight that each place decides rightly."""
        return np.asarray(self.masses.max(axis=1))


class ListSearch:
    """Add, drop, replace and move branches while the cost falls."""

    def __init__(self, pool: CandidatePool, rows: SearchRows, objective: Objective, limits: Limits) -> None:
        self.pool, self.objective, self.limits, self.total = pool, objective, limits, rows.total
        self.truth, self.by_row = pool.truth, pool.by_row
        self.weights, self.masses, self.n_classes = rows.weights, rows.masses, rows.n_classes
        self.masses32 = self.masses.astype(np.float32)
        n_priced = limits.n_priced(rows.literals.shape[1] // 2)
        self.bits = pool.bits(n_priced) * np.where(pool.counts, COUNT_IN_LIST, 1.0)
        self.least_rows = max(LEAST_ROWS, LEAST_PART * self.total)
        self.least_share = max(LEAST_SHARE, limits.min_precision)
        self.most_branches = self.most_of_class = 0
        self._lists: dict[Order, _Segments] = {}
        self._values: dict[Order, float] = {}
        self.bound = np.inf
        simple = [(), *((i,) for i in np.flatnonzero(pool.lengths <= 1).tolist())]
        self.simplest = min(simple, key=lambda order: (round(self._errors(order), 7), order))
        self.bound = self._errors(self.simplest) + 1e-9 * max(1.0, self.total)

    def best(self) -> DecisionList:
        """Return the cheapest list found that keeps the limits; a looser limit never gives a dearer list."""
        # first with the usual room, whatever the limits; stricter limits start from the lists seen so far
        most, usual = self.limits.branches(self.n_classes), Limits().branches(self.n_classes)
        orders: list[Order] = [(), self.simplest]
        for room in search_limits(usual, most):
            self.most_branches, self.most_of_class = room, room
            ends = {self._descend(start, thorough=False) for start in self._starts()}
            widest = self._descend(min(ends, key=self._rank))
            orders += self._shortened(widest)
            for limit in range(1, min(self.limits.max_clauses + 1, self._largest(widest))):
                self.most_branches, self.most_of_class = room, limit
                orders += self._shortened(self._descend(self._cut(widest, limit), thorough=False))
        self.most_of_class = self.limits.max_clauses
        fitting = [self._pruned(order) for order in orders if len(order) <= most]
        if not self.limits.min_precision:
            fitting.append(self.simplest)  # no rule is worse than one literal
        return self.described(min(fitting, key=self._rank))

    @property
    def seen(self) -> dict[Order, float]:
        """All lists that were looked at and keep the limits, with their costs; none has an idle branch."""
        most = self.limits.branches(self.n_classes)
        fitting = [order for order in self._values if len(order) <= most and self._pruned(order) == order]
        costs = {order: self._rank(order)[0] for order in fitting}
        return {order: cost for order, cost in costs.items() if cost < PENALTY}

    def _shortened(self, order: Order) -> Iterator[Order]:
        """Yield a list, and the lists that it leads to with ever fewer branches."""
        yield order
        while len(order) > 1:
            self.most_branches = len(order) - 1
            order = self._descend(min(self._drops(order), key=self._rank), thorough=False)
            yield order

    def _cut(self, order: Order, most: int) -> Order:
        """Leave each class so many of its branches, the first ones."""
        kept: list[int] = []
        left = np.full(self.n_classes, most)
        for branch, c in zip(order, self._segments(order).classes[:-1], strict=True):
            if left[c]:
                left[c] -= 1
                kept.append(branch)
        return tuple(kept)

    def _largest(self, order: Order) -> int:
        """Return how many branches the class with most of them has."""
        return int(np.bincount(self._segments(order).classes[:-1], minlength=1).max())

    def described(self, order: Order) -> DecisionList:
        """Return a list with its classes and costs."""
        segments = self._segments(order)
        classes = segments.classes
        default = classes[-1] if segments.masses[-1].any() else self.masses.sum(axis=0).argmax()
        return DecisionList(order, tuple(classes[:-1].tolist()), int(default), self._cost(order))

    def _segments(self, order: Order) -> _Segments:
        if order not in self._lists:
            fires = np.ones((len(order) + 1, len(self.masses)), dtype=bool)
            fires[:-1] = self.truth[list(order)]
            place = fires.argmax(axis=0)
            here = np.eye(len(order) + 1)[:, place]
            self._lists[order] = _Segments(place, here @ self.weights, here @ self.masses)
        return self._lists[order]

    def _errors(self, order: Order) -> float:
        return max(0.0, self.total - float(self._segments(order).right.sum()))

    def _cost(self, order: Order) -> float:
        errors, bits = np.array(self._errors(order)), np.array(self.bits[list(order)].sum())
        return float(self.objective.cost(errors, bits, self.total, self.n_classes))

    def _rank(self, order: Order) -> tuple[float, int, Order]:
        """Order of preference: what is allowed, no more errors than the best single literal, then cost."""
        if order not in self._values:
            excess = max(0.0, self._errors(order) - self.bound)
            penalty = PENALTY + 1e3 * excess if excess > 0 else 0.0
            self._values[order] = round(self._cost(order) + penalty, 7)
        value = self._values[order]
        if len(order) > self.most_of_class and self._largest(order) > self.most_of_class:
            value += 1e12
        return value, len(order), order

    def _starts(self) -> Iterator[Order]:
        """Nothing, and lists grown from the top, by clauses of several purities."""
        yield ()
        for purity in PURITIES if len(self.pool) else ():
            order: Order = ()
            best, free = order, np.ones(len(self.masses), dtype=bool)
            for _ in range(self.most_branches):
                left = self.masses32[free]
                worth = left - (purity * self.weights[free, None]).astype(np.float32)
                gains = rounded((self.by_row[free].T @ worth).max(axis=1)) - 1e-4 * self.bits
                added = int(np.argmax(gains))
                if gains[added] <= 0 or added in order:
                    break
                order = (*order, added)
                free &= ~self.truth[added]
                best = min(best, order, key=self._rank)
            yield order
            yield best

    def _descend(self, order: Order, *, thorough: bool = True) -> Order:
        """Take the best move until none helps; dear moves only where no cheap one does."""
        rank = self._rank(order)
        while True:
            longer = self._with_one_more(order) if len(order) < self.most_branches and len(self.pool) else []
            better = min([order, *self._drops(order), *longer], key=self._rank)
            if thorough and self._rank(better)[0] >= rank[0]:
                others = [one for rest in self._drops(order) for one in self._with_one_more(rest)]
                better = min([order, *self._swaps(order), *others], key=self._rank)
            if self._rank(better)[0] >= rank[0]:
                return order
            order, rank = better, self._rank(better)

    def _drops(self, order: Order) -> list[Order]:
        return [order[:i] + order[i + 1 :] for i in range(len(order))]

    def _swaps(self, order: Order) -> list[Order]:
        """Every list with two neighbours in the other order."""
        return [(*order[:i], order[i + 1], order[i], *order[i + 2 :]) for i in range(len(order) - 1)]

    def _with_one_more(self, order: Order) -> list[Order]:
        """Return the list with the candidate and place that by sums are the cheapest."""
        # a candidate takes over the rows on which it fires and that its place or a later one decides
        segments = self._segments(order)
        classes = segments.classes
        full = np.bincount(classes[:-1], minlength=self.n_classes) >= self.most_of_class
        n_places, C = len(order) + 1, len(self.pool)
        best = np.full(C, -np.inf, dtype=np.float32)
        where = np.zeros(C, dtype=np.int64)
        taken = np.zeros((C, self.n_classes), dtype=np.float32)
        lost = np.zeros(C, dtype=np.float32)
        for place in range(n_places - 1, -1, -1):
            rows = np.flatnonzero(segments.place == place)
            if len(rows):
                here = self.by_row[rows].T @ self.masses32[rows]
                taken += here
                lost += here[:, classes[place]]
            gain = (taken if not full.any() else taken[:, ~full]).max(axis=1, initial=0.0) - lost
            better = gain > best
            best[better], where[better] = gain[better], place
        best[list(order)] = -np.inf
        errors = np.maximum(0.0, self.total - float(segments.right.sum()) - np.where(best > 0, best, 0.0))
        bits = self.bits[list(order)].sum() + self.bits
        costs = self.objective.cost(errors, bits, self.total, self.n_classes)
        costs[best <= 0] = np.inf
        added = int(np.argmin(costs))
        if not np.isfinite(costs[added]):
            return []
        place = int(where[added])
        return [(*order[:place], added, *order[place:])]

    def _pruned(self, order: Order) -> Order:
        """Drop branches that are not worth their line, the least worthy first."""
        while order:
            segments = self._segments(order)
            own, decided = segments.masses[:-1], segments.rows[:-1]
            # the rows that reach a branch: those that it or a later one decides
            reaching = np.cumsum(segments.masses[::-1], axis=0)[::-1][:-1]
            rows_reaching = np.cumsum(segments.rows[::-1])[::-1][:-1]
            branch, classes = np.arange(len(order)), own.argmax(axis=1)
            share = own[branch, classes] / np.maximum(decided, 1e-12)
            before = reaching[branch, classes] / np.maximum(rows_reaching, 1e-12)
            too_rare = (share < self.least_share - 1e-12) | (share <= before)
            unworthy = np.flatnonzero(too_rare | (decided < self.least_rows - 1e-9))
            if not len(unworthy):
                return order
            least = int(unworthy[np.argmin(decided[unworthy])])
            order = order[:least] + order[least + 1 :]
        return order
