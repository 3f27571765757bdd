"""Counting clauses: find "at least k of these literals" for one class against the rest.

The literals that hold on a row are counted; a count has no weights, so one literal more changes it by one at
most. All additions and all k are priced by one product with the truth matrix, and the search goes down by
adding, dropping and swapping members from several starts: none, and the literals to which a linear fit gives
most say.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray
from nri.search.clauses import IndexCount
from nri.search.limits import Limits
from nri.search.objective import Objective, count_bits
from nri.search.rows import OneVsRest

START_SIZES = (1, 3, 5, 7)
"""How many of the literals with most say the search starts from."""
RIDGE = 6.0
"""Of the linear fit that says which these are."""

Members = tuple[int, ...]


def propose_counts(task: OneVsRest, limits: Limits, objective: Objective) -> list[IndexCount]:
    """Return the counting clauses that no single move improves, cheapest first.

    Parameters
    ----------
    task
        What covering each row is worth.
    limits
        Which literals may be used, and how many.
    objective
        Cost of errors and of a clause's bits.
    """
    if limits.required or limits.max_literals < 2:
        return []
    search = _CountSearch(task, limits, objective)
    ends = {search.descend(start) for start in search.starts()}
    found = [search.clause(members) for members in sorted(ends, key=search.cost)]
    # any one of several is said plainer as a clause for each
    return [clause for clause in found if 1 < clause.at_least < len(clause.literals)]


@dataclass(frozen=True)
class _Best:
    """The cheapest of some moves, and where it leads."""

    cost: float
    members: Members


class _CountSearch:
    def __init__(self, task: OneVsRest, limits: Limits, objective: Objective) -> None:
        usable = limits.literal_mask(task.n_variables)
        self.usable = np.flatnonzero(usable)
        self.n_variables, self.most = task.n_variables, limits.max_literals
        self.truth = task.literals[:, self.usable].astype(np.float32)
        self.gain = task.gain.astype(np.float32)
        self.weights = task.weights
        self.objective, self.total = objective, task.total
        self.nothing = task.errors(np.zeros(task.n_rows, dtype=bool))
        sizes = np.arange(limits.max_literals + 2)
        self.bits = count_bits(sizes, limits.n_priced(task.n_variables))
        self.variable = self.usable % max(1, task.n_variables)

    def starts(self) -> Iterator[Members]:
        """Nothing, and the literals with most say in a linear fit, a few and more of them."""
        yield ()
        ranked = self._by_say()
        for size in START_SIZES:
            if size <= min(self.most, len(ranked)):
                yield tuple(sorted(ranked[:size]))

    def _by_say(self) -> list[int]:
        """Literals in the order of their say, one of each variable."""
        weights = self.weights
        mean = (weights @ self.truth) / weights.sum()
        centred = self.truth - mean
        worth = self.gain / np.maximum(weights, 1e-12)
        worth = worth - (weights @ worth) / weights.sum()
        slope = _ridge(centred, weights, worth)
        say = slope * np.sqrt(weights @ centred**2)
        order = np.argsort(-say, kind="stable")
        _, first = np.unique(self.variable[order], return_index=True)
        kept = order[np.sort(first)]
        return [int(j) for j in kept if say[j] > 0]

    def descend(self, members: Members) -> Members:
        """Take the best move until none helps."""
        best = _Best(self.cost(members), members)
        while (better := self._best_move(best)) is not None:
            best = better
        return best.members

    def _best_move(self, now: _Best) -> _Best | None:
        """Return the best of adding a member, dropping one, and swapping one for another."""
        counts = self.truth[:, list(now.members)].sum(axis=1)
        found = self._with_one_more(now.members, counts, now.members)
        for gone in now.members:
            rest = tuple(j for j in now.members if j != gone)
            counts_without = counts - self.truth[:, gone]
            found.append(_Best(self._cost_of(counts_without, len(rest)), rest))
            found += self._with_one_more(rest, counts_without, now.members)
        best = min(found, key=lambda one: (round(one.cost, 6), one.members), default=now)
        return best if best.cost < now.cost - 1e-5 * max(1.0, abs(now.cost)) else None

    def _with_one_more(self, rest: Members, counts: NDArray[np.float32], banned: Members) -> list[_Best]:
        """Return the cheapest clause with one more literal, if there is room; at most one of a variable."""
        size = len(rest) + 1
        if size > self.most:
            return []
        gains = self._gains_with_one_more(counts, size)
        taken = np.isin(self.variable, self.variable[list(rest)])
        taken[list(banned)] = True
        if taken.all():
            return []
        gains[taken] = -np.inf
        added = int(np.argmax(gains))
        cost = self._priced(np.array(gains[added], dtype=np.float64), size)
        return [_Best(float(cost), tuple(sorted((*rest, added))))]

    def _gains_with_one_more(self, counts: NDArray[np.float32], size: int) -> NDArray[np.float32]:
        """[literals], what the clause gains with each literal more, at its best k.

        Rows that hold k already are covered anyway; those that lack one are covered where the literal holds.
        """
        needed = np.arange(1, size + 1)[:, None]
        covered = np.where(counts >= needed, self.gain, 0.0).sum(axis=1)
        lacking_one = np.where(counts == needed - 1, self.gain, np.float32(0.0))
        gains: NDArray[np.float32] = (covered[:, None] + lacking_one @ self.truth).max(axis=0)
        return gains

    def cost(self, members: Members) -> float:
        """Return the cost at the best k."""
        return self._cost_of(self.truth[:, list(members)].sum(axis=1), len(members))

    def _cost_of(self, counts: NDArray[np.float32], size: int) -> float:
        gains = self._gains(counts, size)
        return float(self._priced(gains.max(initial=-np.inf) if size else np.array(0.0), size))

    def _gains(self, counts: NDArray[np.float32], size: int) -> FloatArray:
        """[size], gain for each k."""
        needed = np.arange(1, size + 1)[:, None]
        return np.asarray(np.where(counts >= needed, self.gain, 0.0).sum(axis=1), dtype=np.float64)

    def _priced(self, gain: FloatArray, size: int) -> FloatArray:
        errors = np.maximum(0.0, self.nothing - np.asarray(gain, dtype=np.float64))
        return self.objective.cost(errors, np.array(self.bits[size] if size else 0.0), self.total)

    def clause(self, members: Members) -> IndexCount:
        """Return the clause with its best k, of equals the one that covers least."""
        counts = self.truth[:, list(members)].sum(axis=1)
        gains = np.round(self._gains(counts, len(members)), 6)
        at_least = len(gains) - int(np.argmax(gains[::-1])) if len(gains) else 0
        return IndexCount(tuple(sorted(self.usable[list(members)].tolist())), at_least)


def _ridge(centred: FloatArray, weights: FloatArray, worth: FloatArray) -> FloatArray:
    """[literals], slopes of the linear fit of worth to literals, by a system as small as rows or literals."""
    n_rows, n_literals = centred.shape
    if n_literals > _DUAL * n_rows:  # the same slopes, as sums over rows
        roots = np.sqrt(weights)
        scaled = centred * roots[:, None]
        of_rows = np.linalg.solve(scaled @ scaled.T + RIDGE / 4 * np.eye(n_rows), roots * worth)
        return np.asarray(scaled.T @ of_rows)
    system = centred.T @ (centred * weights[:, None]) + RIDGE / 4 * np.eye(n_literals)
    pull = centred.T @ (weights * worth)
    try:
        return np.asarray(np.linalg.solve(system, pull))
    except np.linalg.LinAlgError:  # a literal and its negation, so heavy that the ridge is lost in rounding
        return np.asarray(np.linalg.lstsq(system, pull, rcond=None)[0])


_DUAL = 4
"""Literals for each row from which slopes are sums over rows: a system of literals would be large."""
