"""MDL rule: the rule over some regulators that takes the fewest bits, its errors included.

Where cells are noisy no short rule explains every transition, and one that does fits the noise. So a rule
costs the bits that write it down: which variables it reads, its clauses over them, and which transitions it
gets wrong. All clauses over the regulators are in one array, and every way to add, drop or exchange one is
tried until none saves a bit. The code is that of nri's own search: before each clause a bit that another one
follows, its length in unary, then which of the sets of so many literals it is.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from nri.rule import Dnf
from nri_dynamics.arrays import BoolArray, FloatArray, IntArray
from nri_dynamics.shortest_rule import all_clauses, covering, greedy_cover, rule_of
from nri_dynamics.variables import Variable

MOST_CLAUSES = 6_561
"""Clauses over the regulators up to which all of them are tried: eight regulators of two values."""
_MOST_MOVES = 60
_PRICE = 0.7
"""Bits charged for each bit of the rule, as in nri's own search."""
_CLEAN = 0.4
"""Prior chance that the transitions hold no noise at all."""


def log2_choose(n: float | FloatArray, k: FloatArray) -> FloatArray:
    """Binomial coefficient in bits."""
    return np.asarray((gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)) / np.log(2.0))


def clause_bits(sizes: IntArray, n_literals: int) -> FloatArray:
    """Bits of one clause for each of the sizes, with the bit that announces it.

    >>> clause_bits(np.array([0, 1]), 8).tolist()
    [2.0, 6.0]
    """
    lengths = np.asarray(sizes, dtype=np.float64)
    choice = log2_choose(np.maximum(float(n_literals), lengths), lengths)
    return np.asarray(np.round(2.0 + lengths + choice, 9))


def error_bits(n_rows: int, n_values: int) -> FloatArray:
    """[n_rows + 1]: bits that say how many rows are wrong, which ones, and their right values.

    Beyond half of the rows the first two stay level, so that no error is ever cheaper than none.
    """
    errors = np.arange(n_rows + 1.0)
    noisy = -np.log2(1.0 - _CLEAN) + np.log2(n_rows + 1.0)
    half = n_rows / 2
    bits = noisy + log2_choose(float(n_rows), np.clip(errors, min(1.0, half), half))
    bits = np.maximum(bits, -np.log2(_CLEAN))
    bits[0] = -np.log2(_CLEAN)
    return np.asarray(bits + np.log2(max(2, n_values) - 1.0) * errors)


class Price:
    """What a rule and its errors cost, in bits.

    ``n_rows`` transitions may be errors, regulators are among ``n_columns`` variables, and the rule is about
    a variable of ``n_values`` values.
    """

    def __init__(self, n_rows: int, n_columns: int, n_values: int = 2) -> None:
        self.n_columns = n_columns
        self.errors = error_bits(n_rows, n_values)

    @cached_property
    def naming(self) -> FloatArray:
        """[N + 1]: bits that say how many variables are read, and which."""
        k = np.arange(self.n_columns + 1.0)
        return np.asarray(_PRICE * (k + 1.0 + log2_choose(self.n_columns, k)))

    def of(self, sizes: IntArray, k: int, errors: int) -> float:
        """Bits of a rule with clauses of these sizes over k variables, and of so many errors."""
        clauses = _PRICE * float(clause_bits(np.asarray(sizes), 2 * k).sum())
        return float(self.errors[errors] + self.naming[k]) + clauses

    def clauses(self, most: int, longest: int) -> FloatArray:
        """[most + 1, longest + 1]: bits of a clause, by the variables that are read and by its literals."""
        lengths = np.arange(longest + 1)
        return _PRICE * np.stack([clause_bits(lengths, 2 * k) for k in range(most + 1)])


def mdl_rule(
    regulators: Sequence[Variable], cells: IntArray, on: IntArray, off: IntArray, price: Price
) -> tuple[Dnf, float]:
    """Return the rule over some of the regulators with the fewest bits, and these.

    ``cells``, [C, k]: combinations of their values that were seen, each once. ``on`` and ``off``, [C]: the
    rows of each in which the rule should hold, and should not.
    """
    search = _Search(regulators, cells, on, off, price)
    starts = [np.zeros(0, dtype=np.int64), search.cover_of_majority()]
    chosen, bits = min((search.improved(start) for start in starts), key=lambda one: one[1])
    return rule_of(search.conditions, search.clauses[chosen]), bits


class _Search:
    """Rules as indices of clauses, changed one clause at a time."""

    def __init__(
        self, regulators: Sequence[Variable], cells: IntArray, on: IntArray, off: IntArray, price: Price
    ) -> None:
        self.conditions = [one.conditions for one in regulators]
        self.on, self.off, self.price = on, off, price
        self.balance = (off - on).astype(np.float32)
        clauses = all_clauses(self.conditions)
        covers = covering(self.conditions, clauses, cells)
        worth = covers @ self.balance < 0
        self.clauses, self.covers = clauses[worth], covers[worth].astype(np.float32)
        sizes = [one.sizes[self.clauses[:, i]] for i, one in enumerate(self.conditions)]
        self.sizes = np.sum(sizes, axis=0)
        self.reads = self.clauses != 0
        self.clause_bits = price.clauses(len(regulators), int(self.sizes.max(initial=0)))

    def cover_of_majority(self) -> IntArray:
        """Return few clauses that hold exactly where most rows are on."""
        wanted = self.on > self.off
        clean = np.flatnonzero(self.covers @ (~wanted).astype(np.float32) == 0)
        covers = self.covers[np.ix_(clean, wanted)] > 0
        return clean[greedy_cover(covers, 1.0 + self.sizes[clean] / 1000.0)]

    def improved(self, start: IntArray) -> tuple[IntArray, float]:
        """Change a rule while that saves bits: drop a clause, add one, or do both."""
        chosen, cost = start, self._cost(start)
        for _ in range(_MOST_MOVES):
            fewer = [np.delete(chosen, i) for i in range(len(chosen))]
            dropped = [(one, self._cost(one)) for one in fewer]
            best = min([*dropped, self._with_best([chosen, *fewer])], key=lambda one: one[1])
            if best[1] >= cost - 1e-9:
                break
            chosen, cost = best
        return chosen, cost

    def _with_best(self, rules: Sequence[IntArray]) -> tuple[IntArray, float]:
        """Return the cheapest rule that is one of these and another clause."""
        if len(self.clauses) == 0:
            return rules[0], np.inf
        covered = np.stack([self.covers[one].any(axis=0) for one in rules])
        errors = np.array([self._errors(one) for one in covered])
        after = errors + self.covers @ np.where(covered, 0, self.balance).T
        bits = self.price.errors[np.rint(after).astype(np.int64)]
        for i, chosen in enumerate(rules):
            k = (self.reads | self.reads[chosen].any(axis=0)).sum(axis=1)
            own = self.clause_bits[:, self.sizes[chosen]].sum(axis=1)
            bits[:, i] += (self.price.naming[: len(own)] + own)[k] + self.clause_bits[k, self.sizes]
        best, of = np.unravel_index(int(np.argmin(bits)), bits.shape)
        return np.append(rules[int(of)], int(best)), float(bits[best, of])

    def _cost(self, chosen: IntArray) -> float:
        k = int(self.reads[chosen].any(axis=0).sum())
        errors = self._errors(np.asarray(self.covers[chosen].any(axis=0)))
        bits = self.price.naming[k] + self.clause_bits[k, self.sizes[chosen]].sum()
        return float(self.price.errors[errors] + bits)

    def _errors(self, covered: BoolArray) -> int:
        return int(self.off[covered].sum() + self.on[~covered].sum())
