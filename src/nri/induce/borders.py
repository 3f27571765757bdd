"""Borders: where a rule set cuts numbers and dates, and what it would decide were one of them elsewhere."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.induce.words import right_weight
from nri.rule import Column, Literal, Op, RuleSet, Value, literal_truth
from nri.rule.literal import plain_value
from nri.table.table import Table
from nri.table.thresholds import Cut, say

Border = tuple[str, Value]
"""A column and the value that literals compare it with."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The known cells of a column as places in the order of its distinct values."""

    distinct: NDArray[Any]
    """[D], increasing; place ``p`` lies between ``distinct[p - 1]`` and ``distinct[p]``"""
    codes: IntArray
    """[M], index of each cell's value; 0 where unknown"""
    known: BoolArray
    """[M]"""

    @classmethod
    def of(cls, column: Column) -> "Cells":
        """Put the known cells of a column in order."""
        distinct, inverse = np.unique(column.values[column.known], return_inverse=True)
        codes = np.zeros(len(column), dtype=np.int64)
        codes[column.known] = inverse
        return cls(distinct, codes, column.known)

    def place(self, value: Value) -> int:
        """Return the place at which a value cuts."""
        cut: Any = value
        if self.distinct.dtype.kind == "M":
            cut = np.datetime64(cut, "us")
        return int(np.searchsorted(self.distinct, cut, side="right"))

    def value(self, cut: Cut) -> Value:
        """Return the plainest value that cuts there."""
        return plain_value(say(self.distinct, cut))


class BorderRows:
    """The support rows, with what is asked of them again and again."""

    def __init__(self, table: Table, columns: Iterable[str]) -> None:
        self.table = table
        self.cells = {name: Cells.of(table.columns[name]) for name in columns}
        self.total = float(table.weights.sum())
        self._holds: dict[Literal, BoolArray] = {}

    def held(self, literals: Iterable[Literal]) -> IntArray:
        """[M], how many of the literals are known to hold; each is compared once."""
        count = np.zeros(len(self.table.codes), dtype=np.int64)
        for literal in literals:
            if literal not in self._holds:
                self._holds[literal] = literal_truth(literal, self.table.columns)[0]
            count += self._holds[literal]
        return count

    def wrong(self, ruleset: RuleSet) -> float:
        """Weight of the rows that are decided wrongly."""
        return self.total - right_weight(ruleset, self.table)


@dataclass(frozen=True, eq=False)
class Outlook:
    """What the rule set would make of its rows, were one border elsewhere."""

    right: FloatArray
    """[D + 1], weight decided rightly if the border lay at each place, apart from a constant"""
    first: int
    last: int
    """The places with rows on both sides whose class depends on the border; none if ``first > last``"""
    n_places: int
    """How many of these differ for such rows"""


def borders_of(ruleset: RuleSet) -> list[Border]:
    """Return where the rule set cuts numbers and dates, each border once."""
    found = dict.fromkeys(
        (literal.column, literal.value)
        for decision in ruleset.decisions
        for literal in decision.clause
        if literal.op.ordered
    )
    return list(found)


def is_on(literal: Literal, border: Border) -> bool:
    """Whether a literal cuts there."""
    return literal.op.ordered and (literal.column, literal.value) == border


def outlooks(ruleset: RuleSet, rows: BorderRows) -> Iterator[tuple[Border, Outlook]]:
    """Yield each border and what becomes of the rows, were it elsewhere."""
    decisions = ruleset.decisions
    always = np.ones(len(rows.table.codes), dtype=bool)
    fires = np.stack([*(rows.held(d.clause) >= d.clause.at_least for d in decisions), always])
    labels = [ruleset.index_of(label) for label in (*(d.label for d in decisions), ruleset.default)]
    for border in borders_of(ruleset):
        above, below = fires.copy(), fires.copy()
        for i, clause in enumerate(decision.clause for decision in decisions):
            mine = [literal for literal in clause if is_on(literal, border)]
            if mine:
                rest = rows.held(literal for literal in clause if literal not in mine)
                above[i] = rest + sum(literal.op is Op.GT for literal in mine) >= clause.at_least
                below[i] = rest + sum(literal.op is Op.LE for literal in mine) >= clause.at_least
        if_above, if_below = (np.take(labels, np.argmax(side, axis=0)) for side in (above, below))
        yield border, _outlook(if_above, if_below, rows.table, rows.cells[border[0]])


def _outlook(above: IntArray, below: IntArray, table: Table, cells: Cells) -> Outlook:
    """Try a border at every place at once: a row's class depends only on the side that its cell is on.

    Parameters
    ----------
    above, below
        [M], the class of each row if its cell lay above the border, or not above it.
    table, cells
        The rows, and their cells in the border's column.
    """
    matters = cells.known & (above != below)
    gain = (table.codes == above).astype(np.float64) - (table.codes == below)
    codes = cells.codes[matters]
    by_value = np.bincount(codes, (table.weights * gain)[matters], minlength=len(cells.distinct))
    # rounded, so that sums taken in another order of rows do not decide between equal places
    right = np.round(by_value.sum() - np.concatenate([[0.0], np.cumsum(by_value)]), 6)
    first, last = (int(codes.min()) + 1, int(codes.max())) if len(codes) else (1, 0)
    return Outlook(right, first, last, len(np.unique(codes)) - 1)
