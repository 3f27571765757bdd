"""What a rule is settled on: all rows of a table, wherever they are.

A rule is sought in a sample, drawn by a hash of the cells, and settled by counts of *patterns*: rows whose
cells lie in the same parts, as some literals cut the columns, are alike to every rule of these literals. One
row with their number as its weight stands for each pattern and outcome.
"""

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.outcome import Classes, Outcome
from nri.rows.hashing import as_floats
from nri.rule import BOOLEAN, Column, ColumnDomain, ColumnPlan, Kind, Literal, Rule, Value
from nri.table import Binarizer, LeftOut, Table

_KEY = 2**62  # Codes of several columns make one integer below this.


@dataclass(frozen=True)
class Parts:
    """Where literals cut one column."""

    cuts: tuple[float, ...] = ()  # of numbers, flags (0 or 1), dates (microseconds since 1970): increasing
    texts: tuple[str, ...] = ()  # of categories: sorted


@dataclass(frozen=True)
class RowsColumn:
    """A column, how it is read, and what all of its cells are."""

    name: str
    plan: ColumnPlan
    high: float = 0.0  # largest number of all rows, or microseconds since 1970 of dates
    categories: tuple[str, ...] | None = None
    """every text that known cells hold, as the plan spells it; None if there are too many to know"""

    @property
    def kind(self) -> Kind:
        """What its cells are."""
        return self.plan.kind

    @property
    def domain(self) -> ColumnDomain:
        """What its cells can be."""
        return BOOLEAN if self.kind is Kind.BOOLEAN else ColumnDomain(self.categories)

    def as_number(self, value: Value) -> float:
        """Return what a literal compares with as a number."""
        if isinstance(value, dt.datetime):
            return float(np.datetime64(value, "us").astype(np.int64))
        return float(value)

    def parts(self, values: Collection[Value]) -> Parts:
        """Return where literals with these values cut the column."""
        if self.kind is Kind.BOOLEAN:
            return Parts(cuts=(0.5,))
        if self.kind is Kind.TEXT:
            return Parts(texts=tuple(sorted(map(str, values))))
        return Parts(cuts=tuple(sorted({self.as_number(value) for value in values})))

    def cells(self, codes: IntArray, parts: Parts) -> Column:
        """[M]: a cell for each code that lies in its part."""
        known, part = codes > 0, np.maximum(codes - 1, 0)
        if self.kind is Kind.BOOLEAN:
            return Column(codes == 2, known)
        if self.kind is Kind.TEXT:  # a category that no literal names stands for all of these
            other = next((text for text in self.categories or () if text not in parts.texts), "\0")
            listed = sorted({*parts.texts, other})
            into = np.array([listed.index(text) for text in (other, *parts.texts)], dtype=np.int64)
            return Column(into[part], known, tuple(listed))
        last = parts.cuts[-1] if parts.cuts else self.high
        above = max(self.high, np.nextafter(last, np.inf), last + 1.0)  # also another microsecond
        values = np.array([*parts.cuts, above])[part]
        is_date = self.kind is Kind.DATE
        return Column(values.astype(np.int64).astype("datetime64[us]") if is_date else values, known)


@dataclass(frozen=True)
class Window:
    """Evenly spaced cuts around a border."""

    column: str
    middle: float  # the border, as a number
    step: float
    reach: int  # how many cuts there are on each side

    @property
    def low(self) -> float:
        """Lower end; cells up to it are outside."""
        return self.middle - self.reach * self.step

    @property
    def high(self) -> float:
        """Upper end; cells above it are outside."""
        return self.middle + self.reach * self.step

    def within(self, parts: Parts) -> Parts:
        """Return the parts of its column, cut at its places too."""
        places = (self.middle + place * self.step for place in range(-self.reach, self.reach + 1))
        return Parts(tuple(sorted({*parts.cuts, *places})))


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows grouped by the parts of their cells and by their outcome."""

    codes: Mapping[str, IntArray]  # for each column the part of each group
    outcome: Outcome
    weights: FloatArray

    def moved(self, name: str, codes: IntArray) -> "Groups":
        """Return the groups in other parts of one column."""
        return replace(self, codes={**self.codes, name: codes})

    def followed_by(self, *others: "Groups") -> "Groups":
        """Return these groups and then others."""
        several = [self, *others]
        codes = {name: np.concatenate([one.codes[name] for one in several]) for name in self.codes}
        outcome = self.outcome.followed_by([one.outcome for one in others])
        return Groups(codes, outcome, np.concatenate([one.weights for one in several]))


@dataclass(frozen=True, eq=False)
class Patterns:
    """What all rows are to some literals."""

    table: Table  # a row for each pattern and outcome, with the number of its rows as weight
    parts: Mapping[str, Parts]
    groups: Groups  # what the rows of the table are made of
    literals: frozenset[Literal]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Rows that were drawn by their hash."""

    table: Table  # each different row once, its weight the number of rows that are alike
    strata: IntArray  # [M], the stratum of each
    n_hashes: int  # how many different hashes there are
    cells: Any = None  # a frame of their cells, where it is not known yet how to read them


@dataclass(eq=False)
class Rows(ABC):
    """All rows of a table: columns, an outcome, samples and exact counts."""

    columns: Mapping[str, RowsColumn]  # those that a rule may use
    outcome: Outcome  # what is to be explained, without its rows
    n_rows: float  # rows with an outcome, or their weight
    left_out: tuple[LeftOut, ...] = ()
    remark: str = ""  # one line on the rows
    size: int = 0  # about how many rows are searched
    strata: FloatArray = field(default_factory=lambda: np.zeros(0))
    """rows of each class; of an outcome that is measured, of all rows"""

    @property
    def plans(self) -> dict[str, ColumnPlan]:
        """How each column is read."""
        return {name: column.plan for name, column in self.columns.items()}

    @abstractmethod
    def sample(self, size: int) -> Table:
        """Return about so many rows, or all of them if there are no more."""

    @abstractmethod
    def draw(self, rule: Rule, shares: Sequence[float]) -> Drawn:
        """Draw a share of the rows of each stratum: predicted class times n_classes plus true class."""

    @abstractmethod
    def group(self, parts: Mapping[str, Parts], window: Window | None = None) -> Groups:
        """Group all rows by parts of columns and outcome, or those in a window, whose column is cut finer."""

    @abstractmethod
    def part(self, fold: int, folds: int, *, inside: bool) -> "Rows":
        """Return the rows of one fold by the hash of rows, or all others."""

    def count(self, literals: Collection[Literal]) -> Patterns:
        """Count all rows by the literals that hold on them, and by their outcome."""
        values: dict[str, set[Value]] = {}
        for literal in literals:
            values.setdefault(literal.column, set()).add(literal.value)
        parts = {name: self.columns[name].parts(values[name]) for name in sorted(values)}
        groups = self.group(parts)
        return Patterns(self._table(parts, groups), parts, groups, frozenset(literals))

    def fine(self, coarse: Patterns, window: Window) -> Table:
        """Return the rows as patterns do, but with those in a window, which are counted, cut finer."""
        name, every = window.column, coarse.groups
        part, finer = coarse.parts[name], window.within(coarse.parts[name])
        inside = self.group(coarse.parts, window)
        ends = np.array([*finer.cuts, np.inf])[inside.codes[name] - 1]
        coarser = 1 + np.searchsorted(part.cuts, ends)
        outside = every.moved(name, _outside(every.codes[name], part, finer, window))
        taken = inside.moved(name, _outside(coarser, part, finer, window))  # from those outside
        groups = inside.followed_by(outside, replace(taken, weights=-taken.weights))
        table = self._table({**coarse.parts, name: finer}, added(groups))
        return table.take(table.weights > 1e-6)

    def _table(self, parts: Mapping[str, Parts], groups: Groups) -> Table:
        columns = {name: self.columns[name].cells(groups.codes[name], part) for name, part in parts.items()}
        plans = {name: self.columns[name].plan for name in parts}
        numbers = np.arange(1, len(groups.weights) + 1)
        return Table(columns, plans, groups.weights, numbers, groups.outcome)

    def features(self, literals: Collection[Literal]) -> Binarizer:
        """Return a binarizer whose variables are exactly these literals, in one order."""
        positive = {x if x.positive else x.negate() for x in literals}
        ordered = sorted(positive, key=lambda literal: literal.sort_key)
        return Binarizer.asking(ordered, {x.column: self.columns[x.column].domain for x in ordered})


def added(groups: Groups) -> Groups:
    """Return groups with each combination of parts and class once, its weights added up."""
    assert isinstance(groups.outcome, Classes)
    numbers, unit = np.zeros(len(groups.weights), dtype=np.int64), 1
    for codes in (*groups.codes.values(), groups.outcome.codes):
        size = int(codes.max(initial=0)) + 1
        if unit * size >= _KEY:
            different, numbers = np.unique(numbers, return_inverse=True)
            unit = len(different)
        numbers, unit = numbers + codes * unit, unit * size
    different, numbers = np.unique(numbers, return_inverse=True)
    member = np.zeros(len(different), dtype=np.int64)
    member[numbers] = np.arange(len(numbers))
    # rounded, so that sums taken in another order of rows are the same
    weights = np.round(np.bincount(numbers, groups.weights, len(different)), 9).astype(np.float64)
    codes_of = {name: codes[member] for name, codes in groups.codes.items()}
    return Groups(codes_of, groups.outcome.take(member), weights)


def part_codes(column: Column, part: Parts) -> IntArray:
    """[M]: the part of each cell, 0 where it is unknown."""
    if column.categories is not None:
        into = [part.texts.index(text) + 2 if text in part.texts else 1 for text in column.categories]
        codes = np.array([*into, 0], dtype=np.int64)[column.values]
    else:
        codes = 1 + np.searchsorted(np.array(part.cuts), as_floats(column), side="left")
    return np.where(column.known, codes, 0)


def _outside(codes: IntArray, part: Parts, finer: Parts, window: Window) -> IntArray:
    """[M]: the finer part of rows outside a window whose coarser parts lie above its middle or below."""
    edges = np.array([-np.inf, *part.cuts, np.inf])
    lower, upper = edges[np.maximum(codes - 1, 0)], edges[np.maximum(codes, 1)]
    below = np.searchsorted(finer.cuts, np.minimum(upper, window.low), side="left")
    above = np.searchsorted(finer.cuts, np.maximum(lower, window.high), side="right")
    return np.where(codes > 0, 1 + np.where(upper <= window.middle, below, above), 0)
