"""Local search over sets of candidates, all moves scored at once."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from nri.episode import FloatArray
from nri.infer.moves import Moves, State
from nri.infer.pricing import Indices, Pricing

ERROR_WEIGHTS = (1.0, 2.0, 4.0, 16.0)
"""How much a covered wrong row weighs while a start is grown; growing with one weight gets stuck."""


def weighted_gains(gain: FloatArray) -> NDArray[np.float32]:
    """[error weights, M], gain with the rows that are wrong to cover counted so many times."""
    weights = np.array(ERROR_WEIGHTS)[:, None]
    return np.where(gain < 0, weights * gain, gain).astype(np.float32)


class LocalSearch:
    """Add, drop and swap clauses until no move helps, from many rules at once."""

    def __init__(self, pricing: Pricing, max_clauses: int) -> None:
        self.pricing = pricing
        self.pool = pricing.pool
        self.most = max_clauses

    def best(self, starts: Iterable[Indices]) -> Indices:
        """Return the best rule that the starts lead to."""
        ends = self.descend([State(start) for start in starts])
        return self.kicked(min(ends, key=self.pricing.rank))

    def starts(self) -> list[Indices]:
        """Nothing, ALWAYS, the best single candidate, and greedy rules for each error weight."""
        found: list[Indices] = [()]
        if len(self.pool):
            found += [(i,) for i in np.flatnonzero(self.pool.lengths == 0).tolist()]
            _, single = Moves(self.pricing, [State(())], 1, self.most).best_extended(0)
            found += [single, *self.grown()]
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
            if not len(growing):
                break
            gains[growing] *= ~self.pool.truth[best]
            for run, added in zip(growing.tolist(), best.tolist(), strict=True):
                runs[run].append(tuple(sorted((*runs[run][-1], added))))
        self.pricing.measure([prefix for run in runs for prefix in run])
        return [rule for run in runs for rule in (min(run, key=self.pricing.rank), run[-1])]

    def kicked(self, best: Indices) -> Indices:
        """Take each clause away for good and descend again, as long as that finds something better."""
        rank = self.pricing.rank
        while True:
            without = [State(tuple(i for i in best if i != banned), banned) for banned in best]
            better = min([best, *self.descend(without)], key=rank)
            if rank(better)[:2] >= rank(best)[:2]:
                return best
            best = better

    def descend(self, starts: Sequence[State]) -> list[Indices]:
        """Take the best move until none helps; two clauses leave at once only when one will not do."""
        self.pricing.measure([start.chosen for start in starts])
        after: dict[State, State | None] = {}
        ahead = list(dict.fromkeys(starts))
        while ahead:
            found = self.best_moves(ahead, 1)
            stuck = [state for state in ahead if found[state] is None]
            found.update(self.best_moves(stuck, 2))
            after.update(found)
            ahead = list(dict.fromkeys(s for s in found.values() if s is not None and s not in after))
        return [_last(start, after).chosen for start in starts]

    def best_moves(self, states: Sequence[State], drops: int) -> dict[State, State | None]:
        """Return the best state after dropping up to so many clauses and adding at most one, where better."""
        found: dict[State, State | None] = dict.fromkeys(states)
        if not states or not len(self.pool):
            return found
        moves = Moves(self.pricing, states, drops, self.most)
        promising = {}
        for number, state in enumerate(states):
            value, rule = moves.best(number)
            if value < self.pricing.value(state.chosen) - 1e-5:
                promising[state] = rule
        self.pricing.measure(list(promising.values()))
        for state, rule in promising.items():
            current = self.pricing.value(state.chosen)
            if self.pricing.value(rule) < current - 1e-9 * max(1.0, abs(current)):
                found[state] = State(rule, state.banned)
        return found


def _last(state: State, after: Mapping[State, State | None]) -> State:
    """Follow the moves to their end."""
    while (following := after[state]) is not None:
        state = following
    return state
