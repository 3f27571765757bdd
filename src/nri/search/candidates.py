"""Candidate clauses and the rows on which they fire."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.search.clauses import (
    AnyClause,
    ClauseArray,
    IndexCount,
    clause_array,
    clause_lengths,
    clause_tuples,
    in_order,
    members,
    stacked,
)
from nri.search.limits import Limits
from nri.search.objective import clause_bits, count_bits

Words = NDArray[np.uint64]  # Rows packed 64 to a word along the last axis.


@dataclass(frozen=True, eq=False)
class CandidatePool:
    """Clauses that differ in where they fire, and their truth on the rows.

    Conjunctions come first, counting clauses after them; among either, short ones first.
    """

    index: ClauseArray  # [C, longest], the literals of each clause
    at_least: IntArray  # [C], how many of them must hold
    n_literals: int
    words: Words  # [C, words], rows on which each clause fires
    n_rows: int
    prices: FloatArray | None = None  # [C], how many times its bits each clause costs; None if all 1

    def __len__(self) -> int:
        return len(self.index)

    @cached_property
    def clauses(self) -> tuple[AnyClause, ...]:
        """All candidates; a large pool is better left in its array."""
        return self.rule(range(len(self)))

    @cached_property
    def counts(self) -> BoolArray:
        """[C], which candidates are counting clauses."""
        return self.at_least < self.lengths

    def bits(self, n_usable: int) -> FloatArray:
        """[C], bits of each candidate when so many literals may be used."""
        bits = clause_bits(self.lengths, n_usable)
        bits = np.where(self.counts, count_bits(self.lengths, n_usable), bits)
        return bits if self.prices is None else np.round(bits * self.prices, 9)

    @cached_property
    def lengths(self) -> IntArray:
        """[C], literals in each clause."""
        return clause_lengths(self.index, self.n_literals)

    @cached_property
    def truth(self) -> BoolArray:
        """[C, M], where each clause fires."""
        return unpack_rows(self.words, self.n_rows)

    @cached_property
    def numbers(self) -> NDArray[np.float32]:
        """[C, M], truth as numbers."""
        return self.truth.astype(np.float32)

    @cached_property
    def by_row(self) -> NDArray[np.float32]:
        """[M, C], truth as numbers, for callers that read some of the rows."""
        return np.ascontiguousarray(self.numbers.T)

    def weighed(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """[R, C], weight of the rows on which each candidate fires, for each row of weights [R, M]."""
        return np.ascontiguousarray((self.numbers @ weights.T).T)  # quicker than weights @ numbers.T

    def sums(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the same as :meth:`weighed` for a large pool, before most of it is left: nothing is kept."""
        blocks = (self.words[i : i + 256] for i in range(0, len(self), 256))  # which stay in the cache
        parts = [unpack_rows(block, self.n_rows).astype(np.float32) @ weights.T for block in blocks]
        return np.ascontiguousarray(np.concatenate(parts).T)

    def take(self, positions: Sequence[int] | IntArray) -> "CandidatePool":
        """Return the pool of these candidates, in this order."""
        positions = np.asarray(positions, dtype=np.int64)
        return replace(
            self,
            index=self.index[positions],
            at_least=self.at_least[positions],
            words=self.words[positions],
            prices=None if self.prices is None else self.prices[positions],
        )

    def priced(self, prices: FloatArray) -> "CandidatePool":
        """Return the pool with a price for each literal [2N], candidates of one length and price together."""
        total = np.append(prices, 0.0)[self.index].sum(axis=1)
        mean = np.where(self.lengths > 0, np.round(total / np.maximum(self.lengths, 1), 6), 1.0)
        return replace(self, prices=mean).take(np.lexsort((mean, self.lengths, self.counts)))

    def rule(self, positions: Iterable[int]) -> tuple[AnyClause, ...]:
        """Return the clauses at these positions."""
        where = list(positions)
        clauses = clause_tuples(self.index[where], self.n_literals)
        needed = self.at_least[where].tolist()
        return tuple(
            clause if at_least == len(clause) else IndexCount(clause, at_least)
            for clause, at_least in zip(clauses, needed, strict=True)
        )

    def precise(self, positive: FloatArray, weights: FloatArray, least: float) -> "CandidatePool":
        """Return those that have a precision, given the masses of the class and of whole rows."""
        if least <= 0.0:
            return self
        precision = (self.truth @ positive) / np.maximum(self.truth @ weights, 1e-300)
        return self.take(np.flatnonzero(precision >= least - 1e-12))

    def with_counts(self, counts: Sequence[IndexCount], literals: BoolArray) -> "CandidatePool":
        """Return the pool with those counting clauses at its end that fire on other rows than all else."""
        ordered = sorted(dict.fromkeys(counts), key=lambda count: (len(count.literals), count))
        if not ordered:
            return self
        words = pack_rows(clause_truth(literals, ordered).T)
        index = stacked([self.index, clause_array(map(members, ordered), self.n_literals)], self.n_literals)
        at_least = np.append(self.at_least, [count.at_least for count in ordered])
        whole = replace(self, index=index, at_least=at_least, words=np.concatenate([self.words, words]))
        return whole.take(first_of_each_truth(whole.words))


def build_pool(literals: BoolArray, clauses: ClauseArray, limits: Limits | None = None) -> CandidatePool:
    """Keep of the clauses those that can matter, each truth vector once.

    Contradictions, clauses beyond the limits and clauses that never fire are left out. Of several
    clauses with the same truth on the rows the shortest stays, then the first in index order.
    Precision is not looked at.

    >>> rows = np.array([[1, 0, 0, 1], [1, 1, 0, 0]], dtype=bool)  # two variables, two rows
    >>> build_pool(rows, clause_array([(0,), (0, 2), (1, 0), (), (1,)], n_literals=4)).clauses
    ((), (1,))
    """
    n_literals = literals.shape[1]
    limits = limits or Limits(max_literals=max(1, n_literals // 2))
    usable = limits.literal_mask(n_literals // 2)
    if not usable.all():
        clauses = clauses[np.append(usable, True)[clauses].all(axis=1)]
    for wanted in limits.required:
        clauses = clauses[np.append(wanted, False)[clauses].any(axis=1)]
    index = in_order(clauses, n_literals)
    if index.shape[1] > limits.max_literals:
        index = index[index[:, limits.max_literals] == n_literals, : limits.max_literals]
    words = clause_words(literals, index)
    kept = first_of_each_truth(words)
    index = index[kept]
    return CandidatePool(index, clause_lengths(index, n_literals), n_literals, words[kept], len(literals))


def first_of_each_truth(words: Words) -> IntArray:
    """Where each bitset stands first, those without any row left out.

    A contradiction has no row, since a literal and its negation never both hold.
    """
    keys = words.view(f"V{words.shape[1] * 8}").ravel().tolist() if words.size else []
    keys.reverse()
    # Of equal keys the last one written stays: backwards that is the first.
    first = dict(zip(keys, range(len(keys) - 1, -1, -1), strict=True))
    first.pop(bytes(words.shape[1] * 8), None)
    return np.sort(np.fromiter(first.values(), dtype=np.int64, count=len(first)))


def pack_rows(truth: BoolArray) -> Words:
    """Turn [M, L] truth into [L, words] bitsets over the rows."""
    packed = np.packbits(np.ascontiguousarray(truth.T), axis=1)
    padded = np.zeros((packed.shape[0], -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


def unpack_rows(words: Words, n_rows: int) -> BoolArray:
    """Turn [C, words] bitsets into [C, M] truth."""
    if not words.size:
        return np.zeros((len(words), n_rows), dtype=bool)
    flat = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(flat, axis=1, count=n_rows).view(bool)


def clause_words(literals: BoolArray, index: ClauseArray) -> Words:
    """[C, words], the AND of the bitsets of each clause's literals."""
    always = np.ones((len(literals), 1), dtype=bool)
    table = pack_rows(np.concatenate([literals, always], axis=1))
    words = table[index[:, 0]]
    for column in index.T[1:] if len(index) else ():
        longer = int(np.argmax(column < literals.shape[1]))  # in a pool short clauses come first
        words[longer:] &= np.take(table, column[longer:], axis=0)
    return words


def clause_truth(literals: BoolArray, clauses: Sequence[AnyClause]) -> BoolArray:
    """[C, M], where enough literals of each clause are known to hold: all, or as many as it counts."""
    words = clause_words(literals, clause_array(map(members, clauses), literals.shape[1]))
    truth = unpack_rows(words, len(literals))
    for i, clause in enumerate(clauses):
        if isinstance(clause, IndexCount):
            truth[i] = literals[:, list(clause.literals)].sum(axis=1) >= clause.at_least
    return truth
