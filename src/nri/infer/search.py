"""Local search over sets of candidates, all moves scored at once."""

from functools import cache
from itertools import combinations, compress

import numpy as np
from numpy.typing import NDArray

from nri.episode import BoolArray, FloatArray
from nri.infer.pricing import Indices, Pricing

ERROR_WEIGHTS = (1.0, 2.0, 4.0, 16.0)
"""How much a covered wrong row weighs while a start is grown; growing with one weight gets stuck."""


def weighted_gains(gain: FloatArray) -> NDArray[np.float32]:
    """[error weights, M], gain with the rows that are wrong to cover counted so many times."""
    weights = np.array(ERROR_WEIGHTS)[:, None]
    return np.where(gain < 0, weights * gain, gain).astype(np.float32)


class LocalSearch:
    """Add, drop and swap clauses until no move helps.

    Candidates of one length cost the same bits, so of those that stand together only the one that gains
    most needs a price.
    """

    def __init__(self, pricing: Pricing, max_clauses: int) -> None:
        self.pricing = pricing
        self.pool = pricing.pool
        self.most = max_clauses
        self.groups = np.flatnonzero(np.diff(self.pool.lengths, prepend=-1))
        self.ends = np.append(self.groups[1:], len(self.pool))
        self.group_bits = np.append(0.0, pricing.bits[self.groups])
        self._descended: dict[Indices, Indices] = {}

    def best(self, starts: list[Indices]) -> Indices:
        """Return the best rule that the starts lead to."""
        rank = self.pricing.rank
        return self.kicked(min((self.descend(start) for start in starts), key=rank))

    def starts(self) -> list[Indices]:
        """Nothing, ALWAYS, the best single candidate, and greedy rules for each error weight."""
        found: list[Indices] = [()]
        if len(self.pool):
            found += [(i,) for i in np.flatnonzero(self.pool.lengths == 0).tolist()]
            values, gains = self.move_values((), _keeps(0, 1), None)
            found.append((self.candidate(gains[0], int(np.argmin(values[0, 1:]))),))
            found += self.grown()
        return list(dict.fromkeys(found))

    def grown(self) -> list[Indices]:
        """Add the candidate with the most weighted gain for its size until none gains, for each error weight.

        Return the cheapest prefix and the whole: a rule without errors may be cheap only when complete.
        Size is counted in bits by one half of the runs and in clauses by the other.
        """
        bits = self.pricing.bits
        gains = np.repeat(weighted_gains(self.pricing.gain), 2, axis=0)
        sizes = np.tile([bits, np.ones_like(bits)], (len(ERROR_WEIGHTS), 1))
        runs: list[list[Indices]] = [[()] for _ in gains]
        growing = np.arange(len(gains))
        for _ in range(self.most):
            scores = (gains[growing] @ self.pool.by_row) / sizes[growing]
            # Of equally good candidates the cheaper: bits only break ties here.
            best = np.argmax(scores - 1e-4 * bits, axis=1)
            gaining = scores[np.arange(len(growing)), best] > 0
            growing, best = growing[gaining], best[gaining]
            gains[growing] *= ~self.pool.truth[best]
            for run, added in zip(growing.tolist(), best.tolist(), strict=True):
                runs[run].append(tuple(sorted((*runs[run][-1], added))))
        self.pricing.measure([prefix for run in runs for prefix in run])
        return [rule for run in runs for rule in (min(run, key=self.pricing.rank), run[-1])]

    def kicked(self, best: Indices) -> Indices:
        """Take each clause away for good and descend again, as long as that finds something better."""
        rank = self.pricing.rank
        while True:
            others = [self.descend(tuple(i for i in best if i != banned), banned=banned) for banned in best]
            better = min([best, *others], key=rank)
            if rank(better)[:2] >= rank(best)[:2]:
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
        keeps = _keeps(len(chosen), drops)
        if not len(keeps) or not len(self.pool):
            return None
        values, gains = self.move_values(chosen, keeps, banned)
        best_value = float(values[:, 0].min())
        base, group = divmod(int(np.argmin(values[:, 1:])), len(self.groups))
        if values[base, 1 + group] < best_value:
            best_value = float(values[base, 1 + group])
            best = tuple(sorted((*compress(chosen, keeps[base]), self.candidate(gains[base], group))))
        else:
            equal = keeps[values[:, 0] == best_value]
            best = min(tuple(compress(chosen, kept)) for kept in equal)
        current = self.pricing.value(chosen)
        if best_value < current - 1e-5 and self.pricing.value(best) < current - 1e-9 * max(1.0, abs(current)):
            return best
        return None

    def move_values(
        self, chosen: Indices, keeps: BoolArray, banned: int | None
    ) -> tuple[FloatArray, NDArray[np.float32]]:
        """Score what remains of a rule, for each row of ``keeps`` [R, chosen], with one candidate more.

        Return [R, 1 + groups] values, first without any candidate and then with the best of each group,
        and [R, C] gains.
        """
        pricing = self.pricing
        free = pricing.free_rows(chosen, keeps)
        gains = pricing.gains(free)
        if banned is not None:
            gains[:, banned] = -2.0 * pricing.total  # less than anything loses
        added = np.zeros((len(keeps), 1 + len(self.groups)))
        added[:, 1:] = np.maximum.reduceat(gains, self.groups, axis=1)
        errors = np.maximum(0.0, pricing.errors_with(free)[:, None] - added)
        bits = np.where(keeps, pricing.bits[list(chosen)], 0.0).sum(axis=1)
        values = pricing.penalized(errors, bits[:, None] + self.group_bits)
        values[keeps.sum(axis=1) >= self.most, 1:] = np.inf
        return values, gains

    def candidate(self, gains: NDArray[np.float32], group: int) -> int:
        """Return the first candidate of a group with its highest gain."""
        start = int(self.groups[group])
        return start + int(np.argmax(gains[start : self.ends[group]]))


@cache
def _keeps(n_chosen: int, drops: int) -> BoolArray:
    """[R, n_chosen], which clauses stay when none or one of them leaves, or when two do."""
    sizes = (0, 1) if drops == 1 else (drops,)
    dropped = [gone for size in sizes for gone in combinations(range(n_chosen), size)]
    keeps = np.ones((len(dropped), n_chosen), dtype=bool)
    for row, gone in zip(keeps, dropped, strict=True):
        row[list(gone)] = False
    keeps.flags.writeable = False
    return keeps
