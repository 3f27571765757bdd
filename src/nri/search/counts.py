"""Counting clauses: find "at least k of these literals" for one class against the rest.

A count has no weights, so one product with the truth matrix prices all additions and all k. The search adds,
drops and swaps members from several starts: no member, and the largest weights in a linear fit.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray, IntArray
from nri.search.clauses import IndexCount
from nri.search.limits import Limits
from nri.search.objective import Objective, count_bits
from nri.search.rows import OneVsRest

START_SIZES = (1, 3, 5, 7)  # How many of the literals with the largest weights the search starts from.
RIDGE = 6.0  # Of the linear fit.
MOST_MEMBERS = 6  # Members that a reader counts without a list of points.
MOST_LITERALS = 400  # Literals that may be members; of more, those that correlate most with the class.

Members = tuple[int, ...]
Priced = tuple[float, Members]  # What a move leads to, and what that costs.


def propose_counts(task: OneVsRest, limits: Limits, objective: Objective) -> list[IndexCount]:
    """Return the counting clauses that no single move improves, cheapest first."""
    if limits.required or limits.max_literals < 2:
        return []
    search = _CountSearch(task, limits, objective)
    ends = {search.descend(start) for start in search.starts()}
    counts = [search.clause(members) for members in sorted(ends, key=search.cost)]
    # "any one of these" is simpler as a clause for each
    return [clause for clause in counts if 1 < clause.at_least < len(clause.literals)]


class _CountSearch:
    def __init__(self, task: OneVsRest, limits: Limits, objective: Objective) -> None:
        usable = np.flatnonzero(limits.literal_mask(task.n_variables))
        self.usable = literals_for(task, usable, MOST_LITERALS)
        self.n_variables, self.most = task.n_variables, min(limits.max_literals, MOST_MEMBERS)
        self.truth = task.literals[:, self.usable].astype(np.float32)
        self.gain = task.gain.astype(np.float32)
        self.weights = task.weights
        self.objective, self.total = objective, task.total
        self.nothing = task.errors(np.zeros(task.n_rows, dtype=bool))
        sizes = np.arange(self.most + 2)
        self.bits = count_bits(sizes, limits.n_priced(task.n_variables))
        variable = self.usable % max(1, task.n_variables)
        self.column = variable if limits.columns is None else limits.columns[variable]
        self.of_column = self.column[:, None] == self.column

    def starts(self) -> Iterator[Members]:
        """Yield no member, then a few and more of the literals with the largest weights in a linear fit."""
        yield ()
        ranked = self._by_influence()
        for size in START_SIZES:
            if size <= min(self.most, len(ranked)):
                yield tuple(sorted(ranked[:size]))

    def _by_influence(self) -> list[int]:
        """Literals in the order of their say, one of each column."""
        weights = self.weights
        mean = (weights @ self.truth) / weights.sum()
        centred = self.truth - mean
        worth = self.gain / np.maximum(weights, 1e-12)
        worth = worth - (weights @ worth) / weights.sum()
        slope = _ridge(centred, weights, worth)
        influence = slope * np.sqrt(weights @ centred**2)
        order = np.argsort(-influence, kind="stable")
        _, first = np.unique(self.column[order], return_index=True)
        kept = order[np.sort(first)]
        return [int(j) for j in kept if influence[j] > 0]

    def descend(self, members: Members) -> Members:
        """Take the best move until none helps."""
        best = self.cost(members), members
        while (better := self._best_move(best)) is not None:
            best = better
        return best[1]

    def _best_move(self, now: Priced) -> Priced | None:
        """Return the best of adding a member, dropping one, and swapping one for another."""
        cost, chosen = now
        members = list(chosen)
        counts = self.truth[:, members].sum(axis=1)
        without = counts - self.truth[:, members].T
        rests = [chosen[:i] + chosen[i + 1 :] for i in range(len(chosen))]
        moves = self._with_one_more([chosen], counts[None], chosen)
        moves += self._as_they_are(rests, without)
        moves += self._with_one_more(rests, without, chosen)
        best = min(moves, key=lambda one: (round(one[0], 6), one[1]), default=now)
        return best if best[0] < cost - 1e-5 * max(1.0, abs(cost)) else None

    def _as_they_are(self, rests: list[Members], counts: NDArray[np.float32]) -> list[Priced]:
        """Return clauses of one size with their costs; ``counts`` [rests, M] says what holds of each."""
        if not rests:
            return []
        size = len(rests[0])
        gains = _at_least(self._by_count(counts, size)).max(axis=1) if size else np.zeros(len(rests))
        return list(zip(self._priced(gains, size).tolist(), rests, strict=True))

    def _with_one_more(
        self, rests: list[Members], counts: NDArray[np.float32], banned: Members
    ) -> list[Priced]:
        """Return for each clause, all of one size, the cheapest with one more literal, if there is room."""
        size = len(rests[0]) + 1 if rests else 0
        if not rests or size > self.most or not len(self.usable):
            return []
        gains = self._gains_with_one_more(counts, size)
        # none of a column that has a member already, so none excludes or implies another
        gains[self.of_column[np.array(rests, dtype=np.int64)].any(axis=1)] = -np.inf
        gains[:, list(banned)] = -np.inf
        added = gains.argmax(axis=1)
        most = gains[np.arange(len(rests)), added]
        possible = np.flatnonzero(np.isfinite(most)).tolist()
        made = [tuple(sorted((*rests[i], int(added[i])))) for i in possible]
        return list(zip(self._priced(most[possible], size).tolist(), made, strict=True))

    def _gains_with_one_more(self, counts: NDArray[np.float32], size: int) -> NDArray[np.float32]:
        """[rests, literals], what each clause gains with each literal more, at its best k."""
        # rows that hold k already are covered anyway, those that lack one where the literal holds
        by_count = self._by_count(counts, size)
        lacking_one = by_count[:, :size].reshape(-1, len(self.gain)) @ self.truth
        more = lacking_one.reshape(len(counts), size, -1)
        more += _at_least(by_count)[:, :, None]
        return np.asarray(more.max(axis=1))

    def _by_count(self, counts: NDArray[np.float32], size: int) -> NDArray[np.float32]:
        """[rests, size + 1, M], the gains of the rows on which each number of members holds."""
        numbers = np.arange(size + 1, dtype=np.float32)[:, None]
        return np.asarray((counts[:, None] == numbers) * self.gain)

    def cost(self, members: Members) -> float:
        """Return the cost at the best k."""
        counts = self.truth[:, list(members)].sum(axis=1)
        return self._as_they_are([members], counts[None])[0][0]

    def _priced(self, gain: FloatArray, size: int) -> FloatArray:
        errors = np.maximum(0.0, self.nothing - np.asarray(gain, dtype=np.float64))
        return self.objective.cost(errors, np.array(self.bits[size] if size else 0.0), self.total)

    def clause(self, members: Members) -> IndexCount:
        """Return the clause with its best k, of equals the one that covers least."""
        counts = self.truth[:, list(members)].sum(axis=1)
        gains = np.round(_at_least(self._by_count(counts[None], len(members)))[0], 6)
        at_least = len(gains) - int(np.argmax(gains[::-1])) if len(gains) else 0
        return IndexCount(tuple(sorted(self.usable[list(members)].tolist())), at_least)


def _at_least(by_count: NDArray[np.float32]) -> NDArray[np.float32]:
    """[rests, size], the gains of the rows on which k members or more hold, for each k from 1."""
    return np.cumsum(by_count[:, :0:-1].sum(axis=2), axis=1)[:, ::-1]


def literals_for(task: OneVsRest, usable: IntArray, most: int) -> IntArray:
    """Return the literals that correlate most with the class, in their order."""
    # a reader of "at least 3 of these" takes each for a reason: none may speak against the class
    truth = task.literals[:, usable].astype(np.float32)
    share = (task.weights @ truth) / task.total
    aim = task.gain - task.weights * (task.gain.sum() / task.total)
    correlation = (aim @ truth) / np.sqrt(np.maximum(share * (1 - share), 1e-9))
    first = np.argsort(-correlation, kind="stable")[:most]
    return np.sort(usable[first[correlation[first] > 1e-9 * task.total]])


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


_DUAL = 4  # Literals for each row from which slopes are sums over rows: a system of literals would be large.
