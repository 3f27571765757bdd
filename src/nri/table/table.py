"""The table: typed columns, how each was read, and for every row its class and its weight.

This is the only record of rows outside the search. It is made at the door, from a file
(:func:`nri.table.files.read_table`) or from what a caller holds (:func:`nri.table.source.table_of`). What
comes after never looks at a DataFrame, and never decides again what a column means.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError, UnknownColumnError
from nri.rule.column import Column, Columns
from nri.rule.labels import Label
from nri.rule.plan import ColumnPlan

logger = logging.getLogger(__name__)

LARGEST = 1e100
"""Largest value of a number that is explained: squares of it are still numbers."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a person should know about how a column was read."""

    column: str
    text: str

    def __str__(self) -> str:
        name = self.column if self.column.isprintable() and self.column.strip() else repr(self.column)
        return f"{name}: {self.text}"


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be explained: a class for every row."""

    name: str
    """the target as the caller wrote it"""
    classes: tuple[Label, ...]
    """sorted; ``(False, True)`` if the target is a comparison"""
    codes: IntArray
    """[M], class indices"""
    positive: int | None = None
    """of two classes, the one that the rule is to be about, if somebody said so"""


@dataclass(frozen=True, eq=False)
class Measured:
    """What is to be explained where it is a number."""

    name: str
    """the column"""
    values: FloatArray
    """[M], finite"""
    plan: ColumnPlan
    """how its cells were read"""


@dataclass(frozen=True, eq=False)
class Table:
    """M rows of typed columns; labelled, or measured, once a target was chosen."""

    columns: Columns
    plans: Mapping[str, ColumnPlan]
    """how each column was read"""
    weights: FloatArray
    """[M], how many rows each row stands for"""
    numbers: IntArray
    """[M], the number of each row where it was read, from 1"""
    labels: Target | None = None
    notes: tuple[Note, ...] = ()
    """what the reading has to say; it belongs to this reading and was told once"""
    is_matrix: bool = False
    """whether it is a matrix of floats 0, 1 and NaN, whose columns are used as they are"""
    unlabelled: Columns | None = None
    """further rows, whose class is unknown; None if there are none"""
    measured: Measured | None = None
    """the number to be explained, if it is one rather than classes"""

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of the table."""
        return tuple(self.columns)

    @property
    def target(self) -> str:
        """Name of what is to be explained."""
        return self._labelled.name if self.measured is None else self.measured.name

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels."""
        return self._labelled.classes

    @property
    def codes(self) -> IntArray:
        """[M], class indices."""
        return self._labelled.codes

    @property
    def positive(self) -> int | None:
        """Of two classes, the one that the rule is to be about, if somebody said so."""
        return self._labelled.positive

    @property
    def _labelled(self) -> Target:
        if self.labels is None:
            if self.measured is not None:
                raise InputError(
                    f"target {self.measured.name!r} is a number where classes are needed; "
                    f"compare it, e.g. '{self.measured.name} > {np.median(self.measured.values):.6g}', "
                    "or use induce_segments and NRIRegressor"
                )
            raise InputError("the table has no target; choose a column to be explained")
        return self.labels

    @property
    def outcome(self) -> Measured:
        """The number to be explained."""
        if self.measured is None:
            raise InputError("the table has no number to be explained; choose a column of numbers as target")
        return self.measured

    @cached_property
    def class_weights(self) -> FloatArray:
        """[M, n_classes], the weight of each row in the column of its class."""
        one_hot: FloatArray = np.eye(len(self.classes))[self.codes]
        return one_hot * self.weights[:, None]

    @cached_property
    def by_class(self) -> FloatArray:
        """[n_classes], the weight of each class."""
        counts = np.bincount(self.codes, self.weights, minlength=len(self.classes))
        return counts.astype(np.float64)

    @property
    def is_weighted(self) -> bool:
        """Whether rows differ in weight."""
        return bool((self.weights != 1).any())

    def take(self, rows: NDArray[Any]) -> "Table":
        """Return the table at these rows (indices or a mask)."""
        labels, measured = self.labels, self.measured
        return replace(
            self,
            columns={name: column.take(rows) for name, column in self.columns.items()},
            weights=self.weights[rows],
            numbers=self.numbers[rows],
            labels=None if labels is None else replace(labels, codes=labels.codes[rows]),
            measured=None if measured is None else replace(measured, values=measured.values[rows]),
        )

    def reweighted(self, weights: FloatArray) -> "Table":
        """Return the same rows with other weights."""
        if len(weights) != len(self):
            raise InputError(f"{len(weights)} weights for {len(self)} rows; give one for each row")
        return replace(self, weights=weights)

    def labelled(self, labels: Target) -> "Table":
        """Return the table with a class for every row."""
        if len(labels.codes) != len(self):
            raise InputError(f"{len(labels.codes)} labels for {len(self)} rows; give one for each row")
        return replace(self, labels=labels)

    def measured_by(self, measured: Measured) -> "Table":
        """Return the table with a number to be explained for every row."""
        if len(measured.values) != len(self):
            raise InputError(f"{len(measured.values)} values for {len(self)} rows; give one for each row")
        if np.abs(measured.values).max(initial=0.0) > LARGEST:
            raise InputError(f"target {measured.name!r} has values beyond {LARGEST:g}; divide them all")
        return replace(self, measured=measured, labels=None)

    def about(self, positive: int | None) -> "Table":
        """Return the table with another wish for the class that the rule is about."""
        return replace(self, labels=replace(self._labelled, positive=positive))

    def only(self, names: Iterable[str]) -> "Table":
        """Return the table with these columns, in its own order."""
        wanted = set(names)
        kept = {name: c for name, c in self.columns.items() if name in wanted}
        more = self.unlabelled
        if more is not None:
            more = {name: c for name, c in more.items() if name in wanted}
        return replace(self, columns=kept, unlabelled=more)

    def without(self, *names: str) -> "Table":
        """Return the table without some columns."""
        return self.only(name for name in self.columns if name not in names)

    def require(self, names: Iterable[str]) -> None:
        """Raise an error that names the first absent column and the present ones most like it."""
        for name in names:
            if str(name) not in self.columns:
                raise UnknownColumnError(str(name), self.names)


def make_table(
    columns: Mapping[str, Column],
    plans: Mapping[str, ColumnPlan],
    n_rows: int,
    notes: Iterable[Note] = (),
    *,
    is_matrix: bool = False,
) -> Table:
    """Return a table without a target in which every row counts once, and tell its notes."""
    told = tuple(notes)
    for note in told:
        logger.warning("%s", note)
    return Table(columns, plans, np.ones(n_rows), np.arange(1, n_rows + 1), None, told, is_matrix)
