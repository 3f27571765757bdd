"""Binarizer: a table becomes boolean variables with unknowns, and each variable knows what it means."""

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype

from nri import rule
from nri.arrays import BoolArray, FloatArray, IntArray
from nri.errors import InputError
from nri.rule import Kind, Op
from nri.rule.column import Column, Columns, row_count
from nri.rule.simplify import BOOLEAN, OPEN, ColumnDomain
from nri.rule.truth import literal_truth
from nri.table.source import as_frame, table_of
from nri.table.table import Table
from nri.table.thresholds import find_thresholds
from nri.table.usable import CategoryLimits, LeftOut, Reason, usable_categories, why_useless


class Binarizer:
    """Turn the columns of a table into boolean variables.

    A matrix of floats that are all 0, 1 or missing is used as it is in either mode: every column is
    one variable, also one that never changes, so that the variables are those of the caller's array.

    >>> from nri.outcome import Classes
    >>> from nri.table import table_of
    >>> table = table_of({"age": [20, 30, 64, 70], "sex": ["f", "m", "f", "m"]})
    >>> table = table.with_outcome(Classes("y", (0, 1), np.array([0, 0, 1, 1])))
    >>> binarizer = Binarizer(max_thresholds=1).fit(table)
    >>> [f"{v.column} {v.op} {v.value}" for v in binarizer.variables_]
    ['age > 50', 'sex = m']
    >>> binarizer.cells(table.columns)[0].astype(int).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """

    variables_: tuple[rule.Literal, ...]
    groups_: IntArray
    number_groups_: IntArray
    columns_: tuple[str, ...]
    domain_: dict[str, ColumnDomain]
    left_out_: tuple[LeftOut, ...]

    def __init__(
        self,
        mode: Literal["auto", "paper"] = "auto",
        *,
        max_thresholds: int = 6,
        min_thresholds: int = 3,
        limits: CategoryLimits | None = None,
        named: Collection[str] = (),
    ) -> None:
        if mode not in ("auto", "paper"):
            raise InputError(f"unknown binarisation mode {mode!r}; use 'auto' or 'paper'")
        if max_thresholds < 1:
            raise InputError(f"max_thresholds is {max_thresholds}; a number column needs at least 1")
        self.mode = mode
        self.max_thresholds, self.min_thresholds = max_thresholds, min_thresholds
        self.limits = limits or CategoryLimits()
        self.named = frozenset(named)

    def fit(self, table: Table, *, by_labels: bool = True) -> "Binarizer":
        """Decide on variables from the support rows."""
        if not len(table):
            raise InputError(
                f"the table has 0 sample(s) (shape=(0, {len(table.names)})) while a minimum of 1 is "
                "required; give rows"
            )
        columns, self.left_out_ = self._usable_columns(table)
        variables: list[rule.Literal] = []
        groups: list[int] = []
        used: list[str] = []
        codes = table.codes if by_labels and table.outcome is not None else None
        for name, column in columns.items():
            made = self._variables_of(name, column, codes, table)
            if made:
                groups += [len(used)] * len(made)
                used.append(name)
                variables += made
        self.variables_ = tuple(variables)
        self.groups_ = np.array(groups, dtype=np.int64)
        self.columns_ = tuple(used)
        self._scales = _scales({} if self.mode == "paper" else {name: columns[name] for name in used}, table)
        self._number_groups()
        self.domain_ = {name: _domain_of(columns[name]) for name in used}
        return self

    def narrowed(self, columns: Collection[str], cuts: Collection[rule.Literal]) -> "Binarizer":
        """Return a binarizer for some of the columns, with these cuts ``x > t`` among its variables."""
        closer = copy(self)
        closer.columns_ = tuple(name for name in self.columns_ if name in columns)
        closer.variables_ = tuple(
            variable
            for name in closer.columns_
            for variable in dict.fromkeys(v for v in (*self.variables_, *cuts) if v.column == name)
        )
        numbers = {name: index for index, name in enumerate(closer.columns_)}
        closer.groups_ = np.array([numbers[v.column] for v in closer.variables_], dtype=np.int64)
        closer._number_groups()
        return closer

    @classmethod
    def asking(cls, variables: Sequence[rule.Literal], domain: Mapping[str, ColumnDomain]) -> "Binarizer":
        """Return a binarizer with exactly these variables, those of one column side by side."""
        made = cls()
        made.variables_ = tuple(variables)
        made.columns_ = tuple(dict.fromkeys(variable.column for variable in variables))
        places = {name: place for place, name in enumerate(made.columns_)}
        made.groups_ = np.array([places[variable.column] for variable in variables], dtype=np.int64)
        made.domain_ = {name: domain[name] for name in made.columns_}
        made.left_out_ = ()
        made._scales = {}
        made._number_groups()
        return made

    def _number_groups(self) -> None:
        measured = [index for index, name in enumerate(self.columns_) if name in self._scales]
        self.number_groups_ = np.array(measured, dtype=np.int64)

    def cells(self, columns: Columns, n_rows: int | None = None) -> tuple[BoolArray, BoolArray]:
        """Return [M, N] twice: where each variable is true, and where it is known.

        A category never seen is equal to none of the variables: they are all known and False.
        """
        shape = (row_count({name: columns[name] for name in self.columns_}, n_rows), len(self.variables_))
        values, known = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
        for index, variable in enumerate(self.variables_):
            values[:, index], known[:, index] = literal_truth(variable, columns)
        return values, known

    def numbers(self, columns: Columns) -> NDArray[np.float32]:
        """Return [M, F]: the cells of number and date columns with mean 0 and spread 1, 0 where unknown.

        No cell counts for more than four times the spread, and none is finer than a thousandth of it: so no
        order of rows or columns shows in the last digits.
        """
        measured = [name for name in self.columns_ if name in self._scales]
        found = np.zeros(
            (row_count({name: columns[name] for name in self.columns_}), len(measured)), np.float32
        )
        for index, name in enumerate(measured):
            column, (centre, spread) = columns[name], self._scales[name]
            scaled = (column.values[column.known].astype(np.float64) - centre) / spread
            found[column.known, index] = np.clip(np.round(scaled, 3), -4.0, 4.0)
        return found

    def _usable_columns(self, table: Table) -> tuple[Columns, tuple[LeftOut, ...]]:
        """Tell the columns that give variables from those that are left out."""
        if table.is_matrix:
            return table.columns, ()
        reasons = {name: self._why_useless(name, table) for name in table.names}
        if all(reason is not None for reason in reasons.values()):
            # a lone column that counts up is what somebody tries out first: better used than refused
            counting = [name for name, reason in reasons.items() if reason is Reason.IDENTIFIER]
            reasons |= {name: None for name in counting if table.columns[name].kind is Kind.NUMBER}
        columns, left_out = {}, []
        for name, reason in reasons.items():
            column = table.columns[name]
            usable = reason is not None and reason.is_guess and self._gives_variables(column)
            if reason is None or (usable and name in self.named):
                columns[name] = column
            else:
                left_out.append(LeftOut(name, reason, usable))
        return columns, tuple(left_out)

    def _why_useless(self, name: str, table: Table) -> Reason | None:
        column = table.columns[name]
        if self.mode == "paper":
            return None if column.known.any() else Reason.MISSING
        return why_useless(column, name, whole=table.plans[name].whole, limits=self.limits)

    def _variables_of(
        self, name: str, column: Column, codes: IntArray | None, table: Table
    ) -> list[rule.Literal]:
        if column.kind is Kind.BOOLEAN:
            return [rule.Literal(name, Op.EQ, True)]
        if column.kind is Kind.TEXT:
            return [rule.Literal(name, Op.EQ, text) for text in self._categories(column, table.weights)]
        cells = column.values[column.known]
        if self.mode == "paper":
            return [rule.Literal(name, Op.GT, _plain(_median(cells)))]
        chosen = find_thresholds(
            cells,
            None if codes is None else codes[column.known],
            table.weights[column.known],
            max_thresholds=self.max_thresholds,
            min_thresholds=self.min_thresholds,
        )
        return [rule.Literal(name, Op.GT, _plain(threshold)) for threshold in chosen]

    def _gives_variables(self, column: Column) -> bool:
        return column.kind is not Kind.TEXT or bool(self._categories(column))

    def _categories(self, column: Column, weights: FloatArray | None = None) -> list[str]:
        if self.mode == "paper":
            return [str(text) for text in column.distinct()[0]]
        return usable_categories(column, self.limits, weights)


def _domain_of(column: Column) -> ColumnDomain:
    """Return what the cells of a column can be."""
    if column.kind is Kind.BOOLEAN:
        return BOOLEAN
    if column.kind is Kind.TEXT:
        return ColumnDomain(column.distinct()[0].tolist())
    return OPEN


def _scales(columns: Columns, table: Table) -> dict[str, tuple[float, float]]:
    """Return mean and spread of the known cells of number and date columns that have a spread."""
    found = {}
    for name, column in columns.items():
        if column.kind not in (Kind.NUMBER, Kind.DATE) or table.is_matrix:
            continue
        cells, weights = column.values[column.known].astype(np.float64), table.weights[column.known]
        order = np.argsort(cells, kind="stable")  # sums in one order, whatever that of the rows
        cells, weights = cells[order], weights[order]
        if not weights.sum() > 0:
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            centre = float(np.average(cells, weights=weights))
            spread = float(np.sqrt(np.average((cells - centre) ** 2, weights=weights)))
        if np.isfinite(centre) and np.isfinite(spread) and spread > 1e-300:
            found[name] = (centre, spread)
    return found


def _median(cells: Any) -> Any:
    """Return the median; of an even number of dates the earlier of the two in the middle."""
    if cells.dtype.kind == "M":
        return np.sort(cells)[(len(cells) - 1) // 2]
    return np.median(cells)


def _plain(threshold: Any) -> Any:
    """Return a threshold as a plain number or datetime."""
    return threshold.item() if isinstance(threshold, np.datetime64) else float(threshold)


@dataclass(frozen=True, eq=False)
class BinaryTable:
    """A table as numbers that any classifier takes: M rows of N yes/no questions."""

    matrix: FloatArray
    """[M, N] of 1 (yes), 0 (no) and NaN (unknown)"""
    meanings: tuple[str, ...]
    """[N] what each question is, e.g. ``age > 61``; a column of yes and no is only named"""


def binarize(
    X: Any, mode: Literal["auto", "paper"] = "paper", *, numeric: Collection[str] | None = None
) -> BinaryTable:
    """Turn a table into yes/no questions, without looking at labels.

    Parameters
    ----------
    X : DataFrame, polars frame, array or list of rows
        Missing cells stay unknown.
    mode : {"auto", "paper"}
        As for :class:`NRIClassifier`: ``paper`` asks whether a number is above its median, and one question
        for each category.
    numeric : collection of str, optional
        The number columns; all others are then categories. By default the data say.

    Examples
    --------
    >>> table = binarize({"age": [20, 61, 64, None], "sex": ["f", "m", "f", "m"]})
    >>> table.meanings
    ('age > 61', 'sex = f', 'sex = m')
    >>> table.matrix[-1].tolist()
    [nan, 0.0, 1.0]
    """
    kinds = None if numeric is None else _stated_kinds(as_frame(X), numeric)
    table = table_of(X, kinds=kinds, exact=True)
    binarizer = Binarizer(mode).fit(table)
    values, known = binarizer.cells(table.columns, len(table))
    return BinaryTable(
        matrix=np.where(known, values.astype(np.float64), np.nan),
        meanings=tuple(
            v.column if v.kind is Kind.BOOLEAN else f"{v.column} {v.op} {v.value}"
            for v in binarizer.variables_
        ),
    )


def _stated_kinds(frame: pd.DataFrame, numeric: Collection[str]) -> dict[str, Kind]:
    """Return the kind of each column where somebody names the numbers; booleans by type stay booleans."""
    booleans = [name for name in frame.columns if is_bool_dtype(frame[name].dtype)]
    others = {name: Kind.TEXT for name in frame.columns if name not in booleans}
    return others | dict.fromkeys(numeric, Kind.NUMBER)
