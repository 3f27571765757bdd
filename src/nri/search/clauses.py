"""Clauses in index space, and many of them at once.

Conjunctions come by the thousand: one array of literal indices holds them, without a Python object for each.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nri.arrays import IntArray

IndexClause = tuple[int, ...]  # Literal indices in rising order; the empty one always fires.


class IndexCount(NamedTuple):
    """A counting clause: at least so many of the literals hold."""

    literals: IndexClause
    at_least: int


AnyClause = IndexClause | IndexCount  # A conjunction, or a counting clause.


def members(clause: AnyClause) -> IndexClause:
    """Return the literals of a clause of either form."""
    return clause.literals if isinstance(clause, IndexCount) else clause


ClauseArray = IntArray
"""[C, longest or 1], rising literal indices; ``n_literals``, as a literal that always holds, fills up."""


def clause_array(clauses: Iterable[IndexClause], n_literals: int) -> ClauseArray:
    """Write clauses into one array, each in rising order and each literal once.

    >>> clause_array([(), (2, 0, 2)], n_literals=4).tolist()
    [[4, 4], [0, 2]]
    """
    rows = [sorted(set(clause)) for clause in clauses]
    longest = max(map(len, rows), default=0) or 1
    filled = [row + [n_literals] * (longest - len(row)) for row in rows]
    return np.array(filled, dtype=np.int64).reshape(-1, longest)


def clause_tuples(index: ClauseArray, n_literals: int) -> tuple[IndexClause, ...]:
    """Read clauses out of an array.

    >>> clause_tuples(np.array([[4, 4], [0, 2]]), n_literals=4)
    ((), (0, 2))
    """
    lengths = clause_lengths(index, n_literals).tolist()
    return tuple(tuple(row[:length]) for row, length in zip(index.tolist(), lengths, strict=True))


def clause_lengths(index: ClauseArray, n_literals: int) -> IntArray:
    """[C], literals in each clause."""
    lengths = np.zeros(len(index), dtype=np.int64)
    for column in index.T:  # a sum along short rows takes much longer
        lengths += column < n_literals
    return lengths


def stacked(batches: Iterable[ClauseArray], n_literals: int) -> ClauseArray:
    """Put clauses of several arrays into one; repetitions stay."""
    arrays = list(batches)
    longest = max((array.shape[1] for array in arrays), default=1)
    whole = np.full((sum(map(len, arrays)), longest), n_literals, dtype=np.int64)
    start = 0
    for array in arrays:
        whole[start : start + len(array), : array.shape[1]] = array
        start += len(array)
    return whole


def in_order(index: ClauseArray, n_literals: int) -> ClauseArray:
    """Return every clause once, short ones first and then in index order.

    Literals may come in any order and more than once.

    >>> in_order(np.array([[2, 2], [1, 0], [0, 1], [4, 1]]), n_literals=4).tolist()
    [[1, 4], [2, 4], [0, 1]]
    """
    index = np.sort(index, axis=1)
    repeated = (index[:, 1:] == index[:, :-1]) & (index[:, 1:] < n_literals)
    if repeated.any():
        index[:, 1:][repeated] = n_literals
        index.sort(axis=1)
    lengths = clause_lengths(index, n_literals)
    first, _ = one_of_each(np.column_stack([lengths, index]), max(n_literals, index.shape[1]))
    return index[first]


def one_of_each(rows: IntArray, largest: int) -> tuple[IntArray, IntArray]:
    """Return where each different row stands, in the order of contents, and which one each row is.

    The entries of a row, from 0 to ``largest``, are packed into words, which sort much faster than rows.
    """
    bits = max(1, int(largest).bit_length())
    in_word = 63 // bits
    words = []
    for start in range(0, rows.shape[1], in_word):
        word = rows[:, start].copy()
        for column in rows.T[start + 1 : start + in_word]:
            word <<= bits
            word |= column
        words.append(word)
    order = np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.logical_or.reduce([np.diff(word[order]) != 0 for word in words])
    which = np.empty(len(order), dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    return order[new], which


def subsets(index: ClauseArray, size: int) -> ClauseArray:
    """Return all choices of ``size`` columns of each row, in rising order if the rows are.

    >>> subsets(np.array([[0, 2, 5]]), 2).tolist()
    [[0, 2], [0, 5], [2, 5]]
    """
    return index[:, choices(index.shape[1], size)].reshape(-1, size)


@lru_cache(maxsize=64)
def choices(n: int, size: int) -> NDArray[np.int64]:
    """Return [number, size], every choice of so many of ``n`` positions, in rising order."""
    flat = chain.from_iterable(combinations(range(n), size))
    chosen = np.fromiter(flat, dtype=np.int64, count=comb(n, size) * size).reshape(-1, size)
    chosen.flags.writeable = False
    return chosen
