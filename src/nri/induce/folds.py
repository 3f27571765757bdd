"""Folds: which rows a rule is induced from, and which rows judge it, for everything that validates.

Rows that belong together (the visits of a patient, the exact copies of a row) stay together. Rows in time
order are judged by rules that were induced from earlier rows only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, Hashes, IntArray
from nri.errors import InputError
from nri.rows.memory import row_hashes
from nri.rule import Kind
from nri.rule.column import Column
from nri.table.table import Table

_BEYOND_CHANCE = 10.0  # How much more often rows must coincide than chance would have it to count as copies.
_WIDE = 100  # Columns from which on equal rows are copies: chance does not repeat so many cells.
_LEAST_GROUPS = 5
_LOOKED_AT = 300  # Rows that are compared with each other to see whether those of a group are alike.
_ALIKE = 0.5  # Share of rows whose nearest other row is of the same group, from which the group is named.
_NEAR = 0.67  # How far apart rows of a group may be for that in the mean, by what others are.


@dataclass(frozen=True, eq=False)
class Folds:
    """A fold for each row, and which rows a rule may be induced from that is judged by a fold."""

    fold: IntArray  # [M]; -1 for rows that judge no rule: the earliest, in time order
    groups: IntArray  # [M], equal for rows that belong together
    in_order: bool = False  # whether rules are induced from earlier folds only

    def __len__(self) -> int:
        return int(self.fold.max()) + 1

    def inside(self, k: int) -> BoolArray:
        """[M]: the rows to induce a rule from that fold k judges."""
        if not self.in_order:
            return np.asarray(self.fold != k)
        judged = np.isin(self.groups, self.groups[self.fold == k])
        return np.asarray((self.fold < k) & ~judged)

    @property
    def judging(self) -> BoolArray:
        """[M]: the rows that judge a rule."""
        return self.fold >= 0


def make_folds(table: Table, folds: int, rng: np.random.Generator) -> Folds:
    """Assign rows to folds with about the same outcomes; in time order, to folds of later and later rows.

    >>> from nri import read_table
    >>> visits = {"who": [*"aabbccdd"], "x": range(8), "ill": [0, 0, 1, 1] * 2}
    >>> visits = read_table(visits, "ill", groups="who")
    >>> make_folds(visits, 2, np.random.default_rng(0)).fold.tolist()
    [1, 1, 0, 0, 0, 0, 1, 1]
    """
    groups = groups_of(table)
    if table.time_order is not None:
        return Folds(_later_and_later(table.time_order.codes, folds, table.time_order.name), groups, True)
    classes = table.explained.as_classes(table.weights, max(1, len(table) // max(folds, 1)))
    return Folds(dealt_groups(classes.codes, groups, folds, rng), groups)


def dealt_groups(codes: IntArray, groups: IntArray, folds: int, rng: np.random.Generator) -> IntArray:
    """[M]: the fold of each row; groups are dealt out class after class, the large ones first.

    Where every row is a group, folds differ by at most one row of each class and few in all.

    >>> dealt_groups(np.array([0, 0, 1, 1]), np.arange(4), 2, np.random.default_rng(0)).tolist()
    [0, 1, 0, 1]
    """
    sizes = np.bincount(groups)
    if len(sizes) == 1 and len(codes) > 1:
        raise InputError("all rows are of one group, so that none is left to judge a rule; give more groups")
    by_group = np.lexsort((codes, groups))
    middle = np.cumsum(sizes) - sizes + sizes // 2
    class_of = codes[by_group][middle]  # the middle one of each group
    shuffled = rng.permutation(len(sizes))
    order = shuffled[np.lexsort((-sizes[shuffled], class_of[shuffled]))]
    fold_of = np.empty(len(sizes), dtype=np.int64)
    fold_of[order] = np.arange(len(sizes)) % min(folds, len(sizes))
    return fold_of[groups]


def _later_and_later(moments: IntArray, folds: int, name: str) -> IntArray:
    """[M]: -1 for the earliest rows, then the fold; rows of one moment are in one fold."""
    earlier = np.searchsorted(np.sort(moments), moments)
    _, block = np.unique((folds + 1) * earlier // len(moments), return_inverse=True)
    if block.max() == 0:
        raise InputError(f"time order {name!r} does not tell earlier from later rows; choose another column")
    return np.asarray(block.reshape(-1) - 1, dtype=np.int64)


def groups_of(table: Table) -> IntArray:
    """[M], equal for rows that belong together: by the column of groups, else those of exact copies."""
    if table.groups is not None:
        return table.groups.codes
    copies = copies_of(table)
    return np.arange(len(table)) if copies is None else copies


def copies_of(table: Table) -> IntArray | None:
    """[M]: a number for each different row; None where no more rows coincide than chance lets coincide.

    Rows of a few yes/no columns coincide by chance, as new rows will: they are no copies. In rows that
    coincide by chance, a cell agrees about as often where all others agree as it does anywhere.
    """
    keys = row_hashes(table.columns, table)
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    alike = _pairs(keys)
    if not alike or not table.names:
        return None
    if len(table.names) <= _WIDE:
        columns = [row_hashes({name: column}) for name, column in table.columns.items()]
        space = np.prod([float(len(np.unique(column))) for column in columns])
        outcome = keys - row_hashes(table.columns)  # the keys of rows are sums of those of cells
        chance, all_pairs = 1.0, len(keys) * (len(keys) - 1) / 2
        for cells in (*columns, outcome):
            agree = (_pairs(cells) - alike) / max(all_pairs - alike, 1.0)
            differ_here_only = _pairs(keys - cells) - alike
            if agree < 1 and alike * (1 - agree) < _BEYOND_CHANCE * agree * differ_here_only:
                return None
            chance *= agree
        if space < _BEYOND_CHANCE * len(keys) or alike < _BEYOND_CHANCE * chance * all_pairs:
            return None
    in_order = np.argsort(np.argsort(first))  # numbered as they come
    return np.asarray(in_order[numbers.reshape(-1)], dtype=np.int64)


def _pairs(keys: Hashes) -> float:
    """Return how many pairs of rows have the same key."""
    counts = np.unique(keys, return_counts=True)[1].astype(np.float64)
    return float(counts @ (counts - 1) / 2)


def note_on_rows(table: Table, option: Callable[[str], str] = lambda name: f"groups={name!r}") -> str:
    """Say which rows belong together, or seem to; empty if none. ``option`` writes how to state a column."""
    if table.groups is not None:
        codes, name = table.groups.codes, table.groups.name
        return f"{len(codes)} rows of {len(np.unique(codes))} groups of {name!r} are kept together"
    copies = copies_of(table)
    if copies is not None:
        repeated = len(copies) - int(copies.max()) - 1
        are = "is an exact copy of another" if repeated == 1 else "are exact copies of others"
        return f"{repeated} of {len(table)} rows {are}; copies are kept together"
    alike = grouping_column(table)
    if alike is None:
        return ""
    return f"rows of one {alike!r} are nearly alike; if they belong together, say so ({option(alike)})"


def grouping_column(table: Table) -> str | None:
    """Return the column within whose values rows are nearly alike, as the visits of one patient are."""
    rng = np.random.default_rng(0)
    candidates = [
        name
        for name, column in table.columns.items()
        if column.kind is Kind.TEXT or table.plans[name].whole
        if _share_alike(table, name, column, rng) >= _ALIKE
    ]
    # the age of a patient parts the rows as well, but not as finely
    return max(candidates, key=lambda name: len(table.columns[name].distinct()[0]), default=None)


def _share_alike(table: Table, name: str, column: Column, rng: np.random.Generator) -> float:
    """Return how many rows have their nearest other row, by the other columns, within the same value."""
    _, groups, sizes = np.unique(column.values[column.known], return_inverse=True, return_counts=True)
    large = sizes.max(initial=0) > len(table) / _LEAST_GROUPS
    if large or (sizes > 1).sum() < _LEAST_GROUPS or 2 * len(sizes) > len(groups):
        return 0.0
    chosen = rng.permutation(len(sizes))
    chosen = chosen[: 1 + np.searchsorted(np.cumsum(sizes[chosen]), _LOOKED_AT)]
    looked_at = np.isin(groups, chosen)
    rows, group = np.flatnonzero(column.known)[looked_at], groups[looked_at]
    others = [table.columns[other].take(rows) for other in table.names if other != name]
    if not others:
        return 0.0
    apart: FloatArray = np.sum([_apart(other) for other in others], axis=0)
    same = group[:, None] == group
    within = apart[same].sum() / max(same.sum() - len(group), 1)  # without a row and itself
    # one column of many that goes with the group brings its rows together a little
    if same.all() or within > _NEAR * apart[~same].mean():
        return 0.0
    np.fill_diagonal(apart, np.inf)
    nearest = apart <= apart.min(axis=1, keepdims=True) + 1e-9
    return float(((nearest & same).sum(axis=1) / nearest.sum(axis=1)).mean())


def _apart(column: Column) -> FloatArray:
    """[M, M]: how far cells are apart, from 0 to 1: by standard deviations of numbers, else 0 or 1."""
    values, known = column.values, column.known
    apart: NDArray[Any] = values[:, None] != values
    if column.kind in (Kind.NUMBER, Kind.DATE):
        numbers = values.astype(np.float64)
        spread = float(np.std(numbers[known])) if known.any() else 0.0
        apart = np.minimum(np.abs(numbers[:, None] - numbers) / (spread or 1.0), 1.0)
    return np.where(known[:, None] & known, apart, known[:, None] != known).astype(np.float64)
