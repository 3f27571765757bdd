"""Variables: the values of a state, and the conditions that a rule may put on them.

A variable has finitely many values. Yes and no, categories and a few whole numbers are values as they are;
any other number is cut once, into low and high, since a state must be one of finitely many.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nri.errors import InputError
from nri.rule import Clause, Column, ColumnPlan, Kind, Label, Literal, Op, clause_matrix, column_of
from nri_dynamics.arrays import BoolArray, IntArray

_MOST_LEVELS = 5
"""Whole numbers with at most so many different values are levels; with more they are measurements."""
_MOST_CATEGORIES = 12
"""Texts with more different values are names, no states."""


@dataclass(frozen=True, eq=False)
class Conditions:
    """The sets of values that literals can express, each in the fewest."""

    allows: BoolArray
    """[n_conditions, n_values], which values meet each condition; the first allows all"""
    literals: tuple[tuple[Literal, ...], ...]
    """the literals of each"""

    @cached_property
    def sizes(self) -> IntArray:
        """[n_conditions], the number of literals."""
        return np.array([len(one) for one in self.literals], dtype=np.int64)


@dataclass(frozen=True)
class Variable:
    """A column of the states."""

    name: str
    plan: ColumnPlan
    """how its cells are read"""
    values: tuple[Label, ...]
    """what it can be, in order; a state holds the index"""
    cut: float | None = None
    """of a measurement, above which number it is high; its values are then False and True"""
    is_input: bool = False
    """whether it has no next values: then it stays as it is"""

    @property
    def is_boolean(self) -> bool:
        """Whether its values are no and yes, or low and high."""
        return self.values == (False, True)

    @cached_property
    def conditions(self) -> Conditions:
        """The conditions that a rule may put on it."""
        n = len(self.values)
        literals: dict[tuple[bool, ...], tuple[Literal, ...]] = {(True,) * n: ()}
        if self.is_boolean:
            on = Literal(self.name, Op.EQ, True) if self.cut is None else Literal(self.name, Op.GT, self.cut)
            literals |= {(False, True): (on,), (True, False): (on.negate(),)}
        elif self.plan.kind is Kind.NUMBER:
            literals |= _intervals(self.name, self.values)
        else:
            for i, value in enumerate(self.values):
                literals.setdefault(tuple(j == i for j in range(n)), (Literal(self.name, Op.EQ, value),))
            for i, value in enumerate(self.values):
                literals.setdefault(tuple(j != i for j in range(n)), (Literal(self.name, Op.NE, value),))
        return Conditions(np.array(list(literals), dtype=bool).reshape(-1, n), tuple(literals.values()))

    @cached_property
    def cells(self) -> Column:
        """One cell for each value, as a rule reads it."""
        if self.cut is not None:
            return column_of([self.cut - 1.0, self.cut + 1.0])
        return column_of(list(self.values))

    def column(self, codes: IntArray) -> Column:
        """Return codes as the cells that a rule reads."""
        return self.cells.take(codes)

    def codes(self, column: Column) -> IntArray:
        """[M]: the index of each cell's value, -1 where it is unknown or no value of the variable."""
        codes = np.full(len(column), -1, dtype=np.int64)
        if self.cut is not None:
            codes[column.known] = column.values[column.known] > self.cut
            return codes
        cells: Any = column.texts if column.kind is Kind.TEXT else column.values
        for index, value in enumerate(self.values):
            codes[np.asarray(cells == value, dtype=bool) & column.known] = index
        return codes

    def allowed(self, clause: Clause) -> list[int]:
        """Return the indices of the values with which a clause's conditions on this variable hold."""
        own = Clause(literal for literal in clause if literal.column == self.name)
        return np.flatnonzero(clause_matrix([own], {self.name: self.cells}, len(self.values))[:, 0]).tolist()

    def value_of(self, text: str) -> int:
        """Return the index of a value given as text: 0 and 1, no and yes, low and high, or itself."""
        wanted = text.strip().lower()
        if self.is_boolean:
            for index, words in enumerate(_NO_AND_YES):
                if wanted in (*words, str(self.plan.no_and_yes[index]).lower()):
                    return index
        for index, value in enumerate(self.values):
            if str(value).lower() == wanted:
                return index
        known = "0 or 1" if self.is_boolean else ", ".join(map(str, self.values))
        raise InputError(f"{self.name!r} cannot be {text!r}; it is {known}")

    def written(self, value: Label | None) -> str:
        """Write a value shortly, as :meth:`value_of` reads it: 0 and 1, low and high of a cut, or itself.

        >>> Variable("dose", ColumnPlan(Kind.NUMBER), (False, True), 4.5).written(True)
        'high'
        """
        if value is None:
            return "?"
        if not self.is_boolean:
            return str(value)
        return ("0", "1")[bool(value)] if self.cut is None else ("low", "high")[bool(value)]


_NO_AND_YES = (("0", "no", "false", "off", "low"), ("1", "yes", "true", "on", "high"))


def _intervals(name: str, values: tuple[Label, ...]) -> dict[tuple[bool, ...], tuple[Literal, ...]]:
    """Return the runs of neighbouring values and the bounds of each."""
    numbers = [float(value) for value in values]
    intervals = {}
    for low in range(len(numbers)):
        for high in range(low, len(numbers)):
            above = (Literal(name, Op.GT, numbers[low - 1]),) if low else ()
            below = (Literal(name, Op.LE, numbers[high]),) if high + 1 < len(numbers) else ()
            if above or below:
                intervals[tuple(low <= i <= high for i in range(len(numbers)))] = (*above, *below)
    return intervals


def variable_of(name: str, column: Column, plan: ColumnPlan, *, is_input: bool = False) -> Variable:
    """Decide what the values of a column are, by all of its cells.

    >>> variable_of("dose", column_of([1.5, 1.7, 8.2, 9.1]), ColumnPlan(Kind.NUMBER)).cut
    4.95
    """
    distinct, _ = column.distinct()
    if len(distinct) == 0:
        raise InputError(f"column {name!r} has no known cell; fill it, or leave it out")
    if column.kind is Kind.BOOLEAN:
        return Variable(name, plan, (False, True), is_input=is_input)
    if column.kind is Kind.DATE:
        raise InputError(
            f"column {name!r} holds dates, which are no states; leave it out, or name it as time"
        )
    if column.kind is Kind.TEXT:
        if len(distinct) > _MOST_CATEGORIES:
            cause = f"column {name!r} has {len(distinct)} different texts, too many for states"
            raise InputError(f"{cause}; leave it out, or name it as the column of series")
        return Variable(name, plan, tuple(str(value) for value in distinct), is_input=is_input)
    whole = bool((distinct == np.round(distinct)).all())
    if whole and len(distinct) <= _MOST_LEVELS:
        return Variable(name, plan, tuple(int(value) for value in distinct), is_input=is_input)
    cut = two_groups(column.values[column.known])
    return Variable(name, plan, (False, True), cut, is_input)


def two_groups(numbers: Iterable[float]) -> float:
    """Return the cut between low and high numbers: the one with the least spread within both groups.

    >>> two_groups([0.1, 0.2, 5.0, 6.0])
    2.6
    """
    ordered = np.sort(np.asarray(list(numbers), dtype=np.float64))
    places = np.flatnonzero(np.diff(ordered) > 0) + 1
    if len(places) == 0:
        return float(ordered[0])
    n, sums = len(ordered), np.concatenate([[0.0], np.cumsum(ordered - ordered.mean())])
    between = sums[places] ** 2 / places + (sums[n] - sums[places]) ** 2 / (n - places)
    best = places[int(np.argmax(between))]
    low, high = float(ordered[best - 1]), float(ordered[best])
    for digits in range(1, 17):  # the plainest number in between reads best
        cut = float(f"{(low + high) / 2:.{digits}g}")
        if low <= cut < high and (digits > 2 or cut == (low + high) / 2):
            return cut
    return low
