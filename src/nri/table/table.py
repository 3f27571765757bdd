"""The table: typed columns, how each was read, and for every row its outcome and its weight.

This is the only record of rows outside the search. What comes after never looks at a DataFrame, and never
decides again what a column means.
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
from nri.outcome import Classes, Number, Outcome
from nri.rule import ColumnPlan, Columns, Label
from nri.table.weights import RowKeys, row_keys

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Note:
    """What a person should know about how a column was read."""

    column: str
    text: str

    def __str__(self) -> str:
        name = self.column if self.column.isprintable() and self.column.strip() else repr(self.column)
        return f"{name}: {self.text}"


@dataclass(frozen=True, eq=False)
class Table:
    """M rows of typed columns, with an outcome once a target was chosen."""

    columns: Columns
    plans: Mapping[str, ColumnPlan]  # how each column was read
    weights: FloatArray  # [M], how many rows each row stands for
    numbers: IntArray  # [M], the number of each row where it was read, from 1
    outcome: Outcome | None = None  # what is to be explained: classes, a number, or the time until an event
    notes: tuple[Note, ...] = ()  # remarks on the reading; they were logged once
    is_matrix: bool = False
    """whether it is a matrix of floats 0, 1 and NaN, whose columns are used as they are"""
    unlabelled: Columns | None = None  # further rows, whose class is unknown; None if there are none
    groups: RowKeys | None = None
    """which rows belong together, e.g. the visits of a patient, if the caller says so"""
    time_order: RowKeys | None = None  # when rows came, if rules are to be judged on later rows

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of the table."""
        return tuple(self.columns)

    @property
    def explained(self) -> Outcome:
        """The outcome; an error if no target was chosen."""
        if self.outcome is None:
            raise InputError("the table has no target; choose a column to be explained")
        return self.outcome

    @property
    def target(self) -> str:
        """Name of what is to be explained."""
        return self.explained.predicts.name

    @property
    def labels(self) -> Classes:
        """The outcome, if it is one of classes."""
        outcome = self.explained
        if isinstance(outcome, Classes):
            return outcome
        if isinstance(outcome, Number):
            remedy = f"compare it, e.g. '{outcome.name} > {np.median(outcome.values):.6g}'"
            raise InputError(f"target {outcome.name!r} is a number where classes are needed; {remedy}")
        raise InputError(f"the target is the time until {self.target!r} where classes are needed")

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels."""
        return self.labels.classes

    @property
    def codes(self) -> IntArray:
        """[M], class indices."""
        return self.labels.codes

    @property
    def positive(self) -> int | None:
        """Of two classes, the one that the rule is to be about, if the caller named it."""
        return self.labels.positive

    @cached_property
    def class_weights(self) -> FloatArray:
        """[M, n_classes], the weight of each row in the column of its class."""
        return self.labels.masses(self.weights)

    @cached_property
    def by_class(self) -> FloatArray:
        """[n_classes], the weight of each class."""
        return np.bincount(self.codes, self.weights, minlength=len(self.classes)).astype(np.float64)

    @property
    def is_weighted(self) -> bool:
        """Whether rows differ in weight."""
        return bool((self.weights != 1).any())

    def take(self, rows: NDArray[Any]) -> "Table":
        """Return the table at these rows (indices or a mask)."""
        return replace(
            self,
            columns={name: column.take(rows) for name, column in self.columns.items()},
            weights=self.weights[rows],
            numbers=self.numbers[rows],
            outcome=None if self.outcome is None else self.outcome.take(rows),
            groups=self.groups and self.groups.take(rows),
            time_order=self.time_order and self.time_order.take(rows),
        )

    def reweighted(self, weights: FloatArray) -> "Table":
        """Return the same rows with other weights."""
        if len(weights) != len(self):
            raise InputError(f"{len(weights)} weights for {len(self)} rows; give one for each row")
        return replace(self, weights=weights)

    def with_outcome(self, outcome: Outcome) -> "Table":
        """Return the table with something to be explained in every row."""
        if len(outcome) != len(self):
            raise InputError(f"{len(outcome)} outcomes for {len(self)} rows; give one for each row")
        return replace(self, outcome=outcome)

    def arranged(self, groups: Any = None, time_order: Any = None) -> "Table":
        """Return the table with rows that belong together, or come after one another, as a column says.

        Give its name or a value for each row. A named column is no longer a feature.
        """
        if groups is None and time_order is None:
            return self
        self.require(name for name in (groups, time_order) if isinstance(name, str))
        together = self.groups if groups is None else row_keys(groups, self.columns, len(self), "groups")
        order = self.time_order
        if time_order is not None:
            order = row_keys(time_order, self.columns, len(self), "time order")
        features = self.without(*(one.name for one in (together, order) if one is not None))
        return replace(features, groups=together, time_order=order)

    def about(self, positive: int | None) -> "Table":
        """Return the table with another class that the rule is to be about; None leaves it open."""
        return replace(self, outcome=replace(self.labels, positive=positive))

    def only(self, names: Iterable[str]) -> "Table":
        """Return the table with these columns, in its own order."""
        wanted, more = set(names), self.unlabelled
        kept = [name for name in self.columns if name in wanted]
        rest = None if more is None else {name: more[name] for name in kept}
        return replace(self, columns={name: self.columns[name] for name in kept}, unlabelled=rest)

    def without(self, *names: str) -> "Table":
        """Return the table without some columns."""
        return self.only(name for name in self.columns if name not in names)

    def require(self, names: Iterable[str]) -> None:
        """Raise an error that names the first absent column and the present ones most like it."""
        for name in names:
            if str(name) not in self.columns:
                raise UnknownColumnError(str(name), self.names)
