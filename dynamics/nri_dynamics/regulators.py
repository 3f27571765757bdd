"""Regulators: the fewest variables whose values now determine a variable's next value.

Two transitions that lead to different values must differ in a regulator. So every such pair of rows names a
set of variables of which one is a regulator, and the result is the smallest sets that meet all of these.
The search is exact: it branches on the pair that leaves the fewest choices, one more regulator at a time, and
starts from few pairs; a set that fails on the rows adds the pair on which it does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from nri_dynamics.arrays import BoolArray, IntArray

_PAIRS = 400
"""Pairs to start from; most of them follow from the closest ones."""
_MOST_ROWS = 1500
"""Rows of each value whose distances are compared at the start; what they miss is added when it matters."""
MOST_SETS = 32
"""Equally small sets that are listed at most."""
MAX_STEPS = 10_000
"""Steps after which the search stops without a result."""


@dataclass(frozen=True)
class Regulators:
    """The variables that determine a next value on every row."""

    sets: tuple[tuple[int, ...], ...]
    """the smallest sets, at most :data:`MOST_SETS` of them"""
    is_all: bool
    """whether these are all sets of that size"""


def smallest_sets(
    rows: IntArray, labels: IntArray, most: int, max_steps: int = MAX_STEPS
) -> Regulators | None:
    """Return the smallest sets of columns that determine the labels; None without any, or if steps run out.

    ``rows``, [M, N]: codes of states, each once; ``labels``, [M]: the next value of each. A set has at most
    ``most`` columns.

    >>> states = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    >>> smallest_sets(states, np.array([0, 1, 0, 1]), 2).sets
    ((1,),)
    """
    if (labels == labels[0]).all():
        return Regulators(((),), True)
    pairs = _first_pairs(rows, labels)
    search = _Search(MOST_SETS, max_steps)
    size = 1
    while size <= most:
        candidates = search.sets(pairs, size)
        if candidates is None:
            return None
        if not candidates:
            size += 1
            continue
        good, broken = [], []
        for columns in candidates:
            pair = broken_pair(rows, labels, columns)
            if pair is None:
                good.append(columns)
            else:
                broken.append(rows[pair[0]] != rows[pair[1]])
        if good and (not broken or len(good) >= MOST_SETS):
            return Regulators(tuple(sorted(good)), search.is_all and not broken)
        pairs = _strongest(np.concatenate([pairs, np.array(broken)]))
    return None


def cells_of(rows: IntArray, columns: Sequence[int]) -> IntArray:
    """[M]: the same number for rows that agree on these columns, from 0 without gaps."""
    codes = np.zeros(len(rows), dtype=np.int64)
    for column in columns:
        values = rows[:, column]
        codes = codes * (int(values.max()) + 1) + values
        if codes.max() > 2**40:
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def broken_pair(rows: IntArray, labels: IntArray, columns: Sequence[int]) -> tuple[int, int] | None:
    """Return two rows that agree on the columns but not in their label, as close as is quickly found."""
    cells = cells_of(rows, columns)
    order = np.lexsort((labels, cells))
    sorted_cells, sorted_labels = cells[order], labels[order]
    clash = np.flatnonzero(
        (sorted_cells[1:] == sorted_cells[:-1]) & (sorted_labels[1:] != sorted_labels[:-1])
    )
    if len(clash) == 0:
        return None
    best: tuple[int, tuple[int, int]] | None = None
    for place in clash[:8].tolist():
        members = order[sorted_cells == sorted_cells[place]][:400]
        first = members[labels[members] == sorted_labels[place]]
        other = members[labels[members] != sorted_labels[place]]
        if len(first) == 0 or len(other) == 0:
            first, other = order[place : place + 1], order[place + 1 : place + 2]
        apart = (rows[first][:, None, :] != rows[other][None, :, :]).sum(axis=2)
        i, j = np.unravel_index(int(apart.argmin()), apart.shape)
        closest = (int(apart[i, j]), (int(first[i]), int(other[j])))
        best = closest if best is None or closest[0] < best[0] else best
    assert best is not None
    return best[1]


def _first_pairs(rows: IntArray, labels: IntArray) -> BoolArray:
    """[P, N]: in which columns some close pairs of rows with different labels differ."""
    pairs = []
    for label in np.unique(labels)[1:]:
        here, there = (_some(np.flatnonzero(mask)) for mask in (labels == label, labels < label))
        apart = _distances(rows[here], rows[there])
        each = np.unravel_index(np.argsort(apart, axis=None, kind="stable")[:_PAIRS], apart.shape)
        nearest = apart.argmin(axis=1)
        pairs.append(rows[here][each[0]] != rows[there][each[1]])
        pairs.append(rows[here] != rows[there][nearest])
    return _strongest(np.concatenate(pairs))


def _some(members: IntArray) -> IntArray:
    """Return at most so many, spread evenly."""
    if len(members) <= _MOST_ROWS:
        return members
    return members[np.linspace(0, len(members) - 1, _MOST_ROWS).astype(np.int64)]


def _distances(first: IntArray, second: IntArray) -> IntArray:
    """Return, [A, B], the number of columns in which rows differ."""
    same = np.zeros((len(first), len(second)), dtype=np.float32)
    for value in range(int(max(first.max(), second.max())) + 1):
        same += (first == value).astype(np.float32) @ (second == value).astype(np.float32).T
    return np.asarray(first.shape[1] - same, dtype=np.int64)


def _strongest(pairs: BoolArray) -> BoolArray:
    """Drop pairs that another one implies, since it leaves fewer choices; the closest ones first."""
    pairs = np.unique(pairs, axis=0)
    pairs = pairs[np.argsort(pairs.sum(axis=1), kind="stable")]
    words = np.packbits(pairs, axis=1)
    kept = np.zeros(len(pairs), dtype=bool)
    held, n = np.empty_like(words), 0
    for i, word in enumerate(words):
        if not (held[:n] & ~word == 0).all(axis=1).any():
            kept[i], held[n] = True, word
            n += 1
    return pairs[kept]


@dataclass
class _Search:
    """All sets of one size that meet every pair."""

    most: int
    max_steps: int
    steps: int = 0
    is_all: bool = True
    hits: list[tuple[int, ...]] = field(default_factory=list)

    def sets(self, pairs: BoolArray, size: int) -> list[tuple[int, ...]] | None:
        """Return them, None when the steps run out."""
        self.hits, self.is_all = [], True
        self._grow((), pairs.astype(np.int16), size)
        return None if self.steps > self.max_steps else self.hits

    def _grow(self, chosen: tuple[int, ...], pairs: IntArray, left: int) -> None:
        """Add columns until every pair is met; in ``pairs`` columns tried before are empty."""
        self.steps += 1
        if self.steps > self.max_steps or len(self.hits) >= self.most:
            self.is_all = False
            return
        if len(pairs) == 0:
            self.hits.append(tuple(sorted(chosen)))
            return
        counts = pairs.sum(axis=0)
        if left == 1:
            for column in np.flatnonzero(counts == len(pairs)).tolist():
                self.hits.append(tuple(sorted((*chosen, column))))
            return
        if np.sort(counts)[-left:].sum() < len(pairs):
            return
        hardest = pairs[int(pairs.sum(axis=1).argmin())]
        choices = np.flatnonzero(hardest)
        rest = pairs.copy()
        for column in choices[np.argsort(-counts[choices], kind="stable")].tolist():
            self._grow((*chosen, column), rest[rest[:, column] == 0], left - 1)
            rest[:, column] = 0  # sets with it have been seen
