"""Rows in memory: a table, sampled and counted by numpy as an engine does it by SQL."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b

import numpy as np

from nri.arrays import FloatArray, Hashes, IntArray, mixed
from nri.outcome import Classes
from nri.rows.base import Drawn, Groups, Parts, Rows, RowsColumn, Window, added, part_codes
from nri.rows.hashing import FOLD, Term, as_floats, hash_of, shares_of, ways_to_hash
from nri.rule import Column, Columns, Kind, Rule
from nri.table.table import Table


class MemoryRows(Rows):
    """All rows of a table in memory."""

    def __init__(self, table: Table) -> None:
        if (table.weights == 1).all():
            table = table.with_outcome(replace(table.explained, copies=True))
        self.table, outcome = table, table.explained
        columns = {
            name: RowsColumn(name, table.plans[name], _span(column)[1], column.categories)
            for name, column in table.columns.items()
        }
        n_strata = len(outcome.classes) if isinstance(outcome, Classes) else 1
        strata = np.bincount(_strata(table), minlength=n_strata).astype(np.float64)
        n_rows = float(table.weights.sum())
        super().__init__(columns, outcome, n_rows, size=outcome.searched_rows, strata=strata)
        self._terms: tuple[Term, ...] | None = None

    def sample(self, size: int) -> Table:
        """Return about so many rows by their hash; a short table as it is."""
        table = self.table
        if len(table) <= size:
            return table
        if (merged := merged_rows(table)) is not None and len(merged) <= size:
            return merged
        draw = partial(self._drawn, _strata(table))
        self._terms, drawn, shares = first_sample(_ways(table), self.strata, size, draw)
        return weighted_sample(drawn, shares, self._unlabelled(size))

    def _unlabelled(self, size: int) -> Columns | None:
        """Return so many of the rows without a label, by their hash; if they are few, all of them."""
        columns = self.table.unlabelled
        n_rows = 0 if columns is None else len(next(iter(columns.values()), ()))
        if columns is None or n_rows <= size or self._terms is None:
            return columns
        hashes = hash_of(self._terms, _as_hashed(replace(self.table, columns=columns)))
        chosen = np.flatnonzero(hashes < size / n_rows)
        return {name: column.take(chosen) for name, column in columns.items()}

    def draw(self, rule: Rule, shares: Sequence[float]) -> Drawn:
        """Draw rows by what a rule makes of them."""
        assert self._terms is not None, "rows are drawn after the first sample"
        table = self.table
        strata = rule.predict_index(table.columns, len(table)) * len(table.classes) + table.codes
        return self._drawn(strata, self._terms, np.asarray(shares))

    def _drawn(self, strata: IntArray, terms: Sequence[Term], shares: FloatArray) -> Drawn:
        """Draw a share of the rows of each stratum."""
        hashes = hash_of(terms, _as_hashed(self.table))
        rows = np.flatnonzero(hashes < shares[strata])
        rows = rows[np.argsort(hashes[rows], kind="stable")]
        part = replace(self.table, unlabelled=None).take(rows)
        keys = row_hashes(part.columns, part) + mixed(strata[rows].astype(np.uint64))
        merged, first = _merged(part, keys)
        return Drawn(merged, strata[rows][first], len(np.unique(hashes[rows])))

    def part(self, fold: int, folds: int, *, inside: bool) -> "MemoryRows":
        """Return the rows of one fold by their hash, or all others."""
        hashes = hash_of(_ways(self.table)[-1], _as_hashed(self.table)) * FOLD
        fold_of = np.floor((hashes - np.floor(hashes)) * folds)
        return MemoryRows(self.table.take((fold_of == fold) == inside))

    def group(self, parts: Mapping[str, Parts], window: Window | None = None) -> Groups:
        """Group rows by parts of columns and by class; measured outcomes are all different."""
        table = self.table
        if window is not None:
            column = table.columns[window.column]
            values = as_floats(column)
            table = table.take(column.known & (values > window.low) & (values <= window.high))
            parts = {**parts, window.column: window.within(parts[window.column])}
        codes = {name: part_codes(table.columns[name], part) for name, part in parts.items()}
        groups = Groups(codes, table.explained, table.weights)
        return added(groups) if isinstance(groups.outcome, Classes) else groups


def first_sample(
    ways: Sequence[tuple[Term, ...]],
    counts: FloatArray,
    size: int,
    draw: Callable[[tuple[Term, ...], FloatArray], Drawn],
) -> tuple[tuple[Term, ...], Drawn, FloatArray]:
    """Draw rows of every stratum; where many share a hash, by a better hash or a larger share."""
    shares, wanted = shares_of(counts, size), 0.5 * min(size, counts.sum())
    while True:
        drawn = draw(ways[0], shares)
        if drawn.n_hashes >= wanted or (len(ways) == 1 and (shares >= 1.0).all()):
            return ways[0], drawn, shares
        if len(ways) > 1:
            ways = ways[1:]
        else:
            shares = np.minimum(1.0, shares * min(64.0, 1.5 * size / max(drawn.n_hashes, 1)))


def weighted_sample(drawn: Drawn, shares: FloatArray, unlabelled: Columns | None = None) -> Table:
    """Return rows that were drawn with the weight of those that they stand for, densest stratum 1."""
    factors = 1.0 / shares[drawn.strata]
    weights = drawn.table.weights * factors / factors.min(initial=np.inf)
    return replace(drawn.table.reweighted(weights), unlabelled=unlabelled)


def rows_of(sample: Table, size: int) -> Table:
    """Return about so many rows without weights: a row that stands for others, as often as it weighs."""
    ends = np.round(np.cumsum(sample.weights) * (size / sample.weights.sum()), 6)
    times = np.diff(np.floor(ends), prepend=0).astype(np.int64)
    rows = np.repeat(np.arange(len(sample)), times)
    return sample.take(rows).reweighted(np.ones(len(rows)))


def _strata(table: Table) -> IntArray:
    outcome = table.explained
    return outcome.codes if isinstance(outcome, Classes) else np.zeros(len(table), dtype=np.int64)


def _as_hashed(table: Table) -> dict[str, Column]:
    """Return the columns as an engine holds them: a yes and no that is written 1 and 0 is a number there."""
    columns = dict(table.columns)
    for name, column in table.columns.items():
        if column.kind is Kind.BOOLEAN and table.plans[name].is_zero_one:
            columns[name] = Column(column.values.astype(np.float64), column.known)
    return columns


def _ways(table: Table) -> list[tuple[Term, ...]]:
    columns = _as_hashed(table)
    kinds = {name: column.kind for name, column in columns.items()}
    return ways_to_hash(kinds, {name: _span(column) for name, column in columns.items()}) or [()]


def _span(column: Column) -> tuple[float, float]:
    """Return the least and the largest number or date of a column; 0 and 0 if none is known."""
    if column.kind in (Kind.BOOLEAN, Kind.TEXT):
        return 0.0, 0.0
    values = as_floats(column)[column.known]
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)


def merged_rows(table: Table) -> Table | None:
    """Return each different row once, with the weight of all its copies; None if few rows repeat."""
    keys = row_hashes(table.columns, table)
    if len(np.unique(keys)) > 0.9 * len(table):
        return None
    return _merged(table, keys)[0]


def _merged(table: Table, keys: Hashes) -> tuple[Table, IntArray]:
    """Return one row for each key, with the weight of all its rows, and which rows these are."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    weights = np.bincount(inverse.reshape(-1), table.weights, len(first)).astype(np.float64)
    order = np.argsort(first)
    return table.take(first[order]).reweighted(np.round(weights, 9)[order]), first[order]


def row_hashes(columns: Columns, table: Table | None = None) -> Hashes:
    """[M], equal for rows with the same cells and outcome, whatever the order of columns."""
    keys = np.zeros(len(next(iter(columns.values()), ())), dtype=np.uint64)
    for name, column in columns.items():
        keys += mixed(_cell_numbers(column) + _text_hash(name))
    if table is not None and table.outcome is not None:
        keys += mixed(mixed(table.outcome.keys()) + np.uint64(1))
    return keys


def _cell_numbers(column: Column) -> Hashes:
    """[M], a number for each cell that depends on its content alone."""
    if column.categories is not None:
        texts = [*map(_text_hash, column.categories), np.uint64(0)]
        return np.asarray(np.array(texts, dtype=np.uint64)[column.values])  # code -1 is the last
    if column.values.dtype.kind == "b":
        return np.asarray(column.values.astype(np.uint64) + column.known)
    if column.values.dtype.kind == "M":
        return np.asarray(column.values.view(np.uint64))
    plain = np.where(column.known, column.values, 0.0) + 0.0  # there is one zero, and one unknown cell
    return np.asarray(plain.view(np.uint64)) + (~column.known).astype(np.uint64)


def _text_hash(text: str) -> np.uint64:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))
