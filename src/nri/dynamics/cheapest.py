"""Cheapest: the rule over some regulators that takes the fewest bits, its errors included.

Where cells were flipped no short rule explains every transition, and one that does learns the noise by heart.
So a rule is charged for what it takes to write it down: which variables it reads, its clauses over them, and
which transitions are not as it says. All clauses there are over the regulators stand in one array, and every
way to add, drop or exchange one is tried until none saves a bit.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.dynamics.cover import all_clauses, covering, greedy_cover, rule_of
from nri.dynamics.variables import Variable
from nri.rule import Dnf
from nri.search.objective import DescriptionLength, clause_bits, log2_choose

MOST_CLAUSES = 6_561
"""Clauses there may be over the regulators for all of them to be looked at: eight of two values."""
_MOST_MOVES = 60
_DATA = DescriptionLength()


class Price:
    """What a rule and its errors cost, in bits.

    Parameters
    ----------
    n_rows
        Transitions that may be errors.
    n_columns
        Variables to choose regulators from.
    n_values
        Of the variable that the rule is about.
    """

    def __init__(self, n_rows: int, n_columns: int, n_values: int = 2) -> None:
        self.n_columns = n_columns
        self.errors: FloatArray = _DATA.cost(np.arange(n_rows + 1.0), np.zeros(1), float(n_rows), n_values)
        self.share = _DATA.price

    @cached_property
    def naming(self) -> FloatArray:
        """[N + 1]: bits that say how many variables are read, and which."""
        k = np.arange(self.n_columns + 1.0)
        return np.asarray(self.share * (k + 1.0 + log2_choose(self.n_columns, k)))

    def of(self, sizes: IntArray, k: int, errors: int) -> float:
        """Bits of a rule with clauses of these sizes over k variables, and of so many errors."""
        clauses = self.share * float(clause_bits(np.asarray(sizes), 2 * k).sum())
        return float(self.errors[errors] + self.naming[k]) + clauses

    def clauses(self, most: int, longest: int) -> FloatArray:
        """[most + 1, longest + 1]: bits of a clause, by the variables that are read and by its literals."""
        lengths = np.arange(longest + 1)
        return self.share * np.stack([clause_bits(lengths, 2 * k) for k in range(most + 1)])


def cheapest_rule(
    regulators: Sequence[Variable], cells: IntArray, on: IntArray, off: IntArray, price: Price
) -> tuple[Dnf, float]:
    """Return the rule with the fewest bits, and these.

    Parameters
    ----------
    regulators
        What the rule may speak about; it need not use all.
    cells
        [C, k], combinations of their values that were seen, each once.
    on, off
        [C], the rows of each in which the rule should hold, and should not.
    price
        What is charged.
    """
    search = _Search(regulators, cells, on, off, price)
    starts = [np.zeros(0, dtype=np.int64), search.cover_of_majority()]
    chosen, bits = min((search.improved(start) for start in starts), key=lambda found: found[1])
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
        """Return few clauses that hold exactly where most rows say so."""
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
