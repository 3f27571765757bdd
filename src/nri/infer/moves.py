"""The rules one move away from others: clauses dropped, at most one added, all scored at once."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, compress
from typing import NamedTuple

import numpy as np

from nri.episode import BoolArray, FloatArray
from nri.infer.pricing import Indices, Pricing


class State(NamedTuple):
    """A rule on its way, and a candidate that it must do without."""

    chosen: Indices
    banned: int | None = None


class Moves:
    """What remains of some rules when clauses are dropped, alone and with one candidate more.

    Candidates of one length cost the same bits, so of those that stand together only the one that gains
    most needs a price.
    """

    def __init__(self, pricing: Pricing, states: Sequence[State], drops: int, max_clauses: int) -> None:
        self.pricing = pricing
        self.states = states
        self.keeps = [_keeps(len(state.chosen), drops) for state in states]
        self.starts = np.cumsum([0, *map(len, self.keeps)])
        free = [pricing.free_rows(s.chosen, keeps) for s, keeps in zip(states, self.keeps, strict=True)]
        self.free: BoolArray = np.concatenate(free)
        self.gains = pricing.gains(self.free)
        for number, state in enumerate(states):
            if state.banned is not None:  # what gains nothing is never added
                self.gains[self._of(number), state.banned] = 0.0
        self.values = self._values()
        room = np.concatenate([keeps.sum(axis=1) < max_clauses for keeps in self.keeps])
        self.values[~room, 1:] = np.inf

    def _of(self, number: int) -> slice:
        """Where what remains of a state stands."""
        return slice(self.starts[number], self.starts[number + 1])

    def _values(self) -> FloatArray:
        """[remains, 1 + stretches], first without any candidate, then with the best one of each stretch."""
        pricing = self.pricing
        added = np.zeros((len(self.free), 1 + len(pricing.stretches)))
        added[:, 1:] = np.maximum.reduceat(self.gains, pricing.stretches, axis=1)
        errors = np.maximum(0.0, pricing.errors_with(self.free)[:, None] - added)
        bits = [
            np.where(keeps, pricing.bits[list(state.chosen)], 0.0).sum(axis=1)
            for state, keeps in zip(self.states, self.keeps, strict=True)
        ]
        added_bits = np.append(0.0, pricing.bits[pricing.stretches])
        return pricing.penalized(errors, np.concatenate(bits)[:, None] + added_bits)

    def best(self, number: int) -> tuple[float, Indices]:
        """Return the best rule one move away from a state, and its value by single-precision sums."""
        values, keeps, chosen = self.values[self._of(number)], self.keeps[number], self.states[number].chosen
        if not len(values):
            return np.inf, chosen
        plain = float(values[:, 0].min())
        value, extended = self.best_extended(number)
        if value < plain:
            return value, extended
        return plain, min(tuple(compress(chosen, kept)) for kept in keeps[values[:, 0] == plain])

    def best_extended(self, number: int) -> tuple[float, Indices]:
        """Return the best rule that adds a candidate to what remains of a state, and its value."""
        values = self.values[self._of(number), 1:]
        row, stretch = divmod(int(np.argmin(values)), values.shape[1])
        start = int(self.pricing.stretches[stretch])
        end = int(self.pricing.stretch_ends[stretch])
        added = start + int(np.argmax(self.gains[self.starts[number] + row, start:end]))
        base = compress(self.states[number].chosen, self.keeps[number][row])
        return float(values[row, stretch]), tuple(sorted((*base, added)))


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
