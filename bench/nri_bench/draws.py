"""Draws of the wide suite: which rows of a raw table are learned from, and which are asked about.

For every data set and draw the rows are shuffled once. The first n are the support, so that a larger n adds
rows to a smaller one; at most 2000 of the others, from the end, are the query. Classes are not looked at: a
support is what chance gives, and a class of the query may be missing from it. Only a shuffle whose first
30 rows (or n, if that is less) are all of one class is thrown away, as nothing could be learned from it.
"""

import zlib
from dataclasses import dataclass

import numpy as np

from nri_bench.arrays import IntArray


@dataclass(frozen=True)
class WideProtocol:
    """Everything about who learns from what in the wide suite."""

    sizes: tuple[int, ...] = (30, 100, 300)
    """numbers of support rows, n"""
    n_draws: int = 3
    most_query: int = 2000
    least_query: int = 40
    """a set with fewer rows than this beyond n is left out at that n"""
    agreement_size: int = 100
    agreement_draws: tuple[int, int] = (0, 1)
    """the draws whose models are asked whether they agree"""
    cpu_limit: float = 60.0
    """seconds of the processor for one fit, after which its row says that it failed"""


WIDE = WideProtocol()


@dataclass(frozen=True, eq=False)
class Draw:
    """Row numbers of one draw; support and query share none."""

    support: IntArray
    query: IntArray
    others: IntArray
    """rows in neither of the two, in the order of the shuffle"""

    def unlabelled(self, most: int) -> IntArray:
        """Return up to ``most`` rows to be shown without labels: first of the others, then of the query.

        A person who wants answers for some rows has those rows; their labels are never shown.
        """
        return np.concatenate([self.others, self.query])[:most]


def has_draw(n_rows: int, n: int) -> bool:
    """Whether a table of that many rows takes part at n support rows."""
    return n_rows >= n + WIDE.least_query


def draw_rows(name: str, y: IntArray, n: int, draw: int) -> Draw:
    """Return the rows of one draw; the same for the same name, labels, n and number.

    >>> y = np.tile([0, 1], 50)
    >>> first = draw_rows("toy", y, 30, 0)
    >>> len(first.support), len(first.query), len(first.others)
    (30, 70, 0)
    """
    if not has_draw(len(y), n):
        raise ValueError(f"{name}: {len(y)} rows are too few for {n} support rows")
    order = shuffled(name, y, n, draw)
    rest = order[n:]
    start = max(0, len(rest) - WIDE.most_query)
    return Draw(support=order[:n], query=rest[start:], others=rest[:start])


def rows_outside(name: str, y: IntArray, n: int, draws: tuple[int, int]) -> IntArray:
    """Return at most 2000 rows that are in neither of two draws' supports, in an order by chance."""
    inside = np.concatenate([shuffled(name, y, n, draw)[:n] for draw in draws])
    last = shuffled(name, y, n, draws[0])[::-1]
    return last[~np.isin(last, inside)][: WIDE.most_query]


def shuffled(name: str, y: IntArray, n: int, draw: int) -> IntArray:
    """Return all rows in the order of one draw."""
    rng = np.random.default_rng([zlib.crc32(name.encode()), draw])
    while True:
        order = rng.permutation(len(y))
        if len(np.unique(y[order[: min(n, *WIDE.sizes)]])) > 1:
            return order
