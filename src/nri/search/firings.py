"""Which candidates fire on which rows, pair by pair, in the order in which they get their say."""

from dataclasses import dataclass

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray

PAIRS_AT_ONCE = 2**21
"""Pairs of a row and a candidate that are summed up in one go, which bounds memory."""


@dataclass(frozen=True, eq=False)
class Firings:
    """Where candidates fire, pair by pair: row after row, and in each row those first that speak first.

    Candidates of many classes cover few rows each. Those that overrule what decides a row are the first
    pairs of the row.
    """

    clause: IntArray
    """[pairs], the candidate"""
    mass: FloatArray
    """[pairs], weight that it decides rightly on the row"""
    key: IntArray
    """[pairs], number of the row times the number of ranks, and the rank; rises"""
    starts: IntArray
    """[M], where the pairs of each row begin"""
    n_ranks: int
    blocks: list[IntArray]
    """Rows that are taken together"""

    def ends(self, rows: IntArray, deciding: IntArray) -> IntArray:
        """[rows], where the pairs of a row end that come before a rank [M]."""
        return np.searchsorted(self.key, rows * self.n_ranks + deciding[rows])

    def pairs(self, rows: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
        """Return row and number of the first pairs of some rows, up to these ends."""
        lengths = ends - self.starts[rows]
        before = np.cumsum(lengths) - lengths
        number = np.repeat(self.starts[rows] - before, lengths) + np.arange(lengths.sum())
        return np.repeat(rows, lengths), number


def firings_of(truth: BoolArray, order: IntArray, owner: IntArray, masses: FloatArray) -> Firings:
    """List where candidates fire.

    Parameters
    ----------
    truth
        [C, M], where each candidate fires.
    order
        [C], the candidates in the order in which they get their say.
    owner
        [C], the class of each.
    masses
        [M, n_classes], expected weight of each class.
    """
    by_row = np.ascontiguousarray(truth[order].T)
    row, rank = np.nonzero(by_row)
    n_ranks = len(order) + 1  # the default speaks last
    key = row * n_ranks + rank
    starts = np.searchsorted(row, np.arange(len(by_row)))
    n_blocks = 1 + len(row) // PAIRS_AT_ONCE
    blocks = np.array_split(np.arange(len(by_row)), n_blocks)
    clause = order[rank]
    return Firings(clause, masses[row, owner[clause]], key, starts, n_ranks, blocks)
