"""Binarizer: a table becomes a boolean matrix with unknowns, and each variable knows what it means."""

from collections.abc import Collection
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype

from nri import rule
from nri.episode import BoolArray, FloatArray, IntArray
from nri.errors import InputError
from nri.rule import Kind, Op
from nri.rule.column import Column
from nri.rule.regions import BOOLEAN, OPEN, ColumnDomain
from nri.rule.truth import literal_truth
from nri.table.cells import is_integer, read_cells
from nri.table.coerce import coerce
from nri.table.columns import columns_of, require_columns
from nri.table.dates import AMBIGUOUS, look_like_ambiguous_dates
from nri.table.frame import as_frame
from nri.table.kinds import (
    CategoryLimits,
    LeftOut,
    Reason,
    is_zero_one,
    kind_or_reason,
    plain_kind,
    usable_categories,
)
from nri.table.notes import note_once
from nri.table.numbers import read_text_numbers
from nri.table.thresholds import find_thresholds


@dataclass(frozen=True, eq=False)
class BooleanTable:
    """M rows of N boolean variables with unknown cells."""

    values: BoolArray
    """[M, N]; False wherever unknown"""
    known: BoolArray
    """[M, N]"""


class Binarizer:
    """Turn the columns of a table into boolean variables.

    A table of floats that are all 0, 1 or missing is used as it is in either mode: every column is
    one variable, also one that never changes, so that the variables are those of the caller's array.

    Parameters
    ----------
    mode : {"auto", "paper"}
        ``auto`` leaves useless columns out, cuts numbers where the labels change and spends one
        variable on a category of two values. ``paper`` leaves nothing out but empty columns: number >
        median, one variable for each category, whatever their number.
    max_thresholds : int
        The most cuts of one number or date column in ``auto`` mode.
    numeric : collection of str, optional
        The number columns; all others are then categories (booleans stay booleans). By default the data say.
    limits : CategoryLimits
        Which categories become variables in ``auto`` mode.
    named : collection of str
        Columns that a person asked for by name: they are used even if they look like an identifier, free text
        or too many categories, as long as they have any number or frequent category.

    Attributes
    ----------
    variables_ : tuple of nri.rule.Literal
        What each variable means, as the literal that holds where it is true.
    groups_ : int [N]
        For each variable the index in ``columns_`` of the column it was made from.
    columns_ : tuple of str
        The columns that gave variables, in the order of the table.
    kinds_ : dict of str to Kind
        How each of these is read.
    domain_ : dict of str to ColumnDomain
        What the cells of these columns can be, as far as the support rows show: yes and no, or the
        categories seen. Numbers and dates are open, and any cell may be unknown.
    left_out_ : tuple of LeftOut
        The other columns, each with a reason.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 30, 64, 70], "sex": ["f", "m", "f", "m"]})
    >>> binarizer = Binarizer(max_thresholds=1).fit(table, np.array([0, 0, 1, 1]))
    >>> [f"{v.column} {v.op} {v.value}" for v in binarizer.variables_]
    ['age > 50', 'sex = m']
    >>> binarizer.transform(table).values.astype(int).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """

    variables_: tuple[rule.Literal, ...]
    groups_: IntArray
    columns_: tuple[str, ...]
    kinds_: dict[str, Kind]
    domain_: dict[str, ColumnDomain]
    left_out_: tuple[LeftOut, ...]

    def __init__(
        self,
        mode: Literal["auto", "paper"] = "auto",
        *,
        max_thresholds: int = 6,
        numeric: Collection[str] | None = None,
        limits: CategoryLimits | None = None,
        named: Collection[str] = (),
    ) -> None:
        if mode not in ("auto", "paper"):
            raise InputError(f"unknown binarisation mode {mode!r}; use 'auto' or 'paper'")
        if max_thresholds < 1:
            raise InputError(f"max_thresholds is {max_thresholds}; a number column needs at least 1")
        self.mode = mode
        self.max_thresholds = max_thresholds
        self.numeric = None if numeric is None else frozenset(numeric)
        self.limits = limits or CategoryLimits()
        self.named = frozenset(named)

    def fit(self, X: Any, labels: IntArray | None = None, weights: FloatArray | None = None) -> "Binarizer":
        """Decide on variables from the support rows.

        Parameters
        ----------
        X : table
            Anything :func:`nri.table.frame.as_frame` takes.
        labels : int [M], optional
            Class indices; ``auto`` cuts numbers by them, ``paper`` never looks at them.
        weights : float [M], optional
            How many rows each row stands for.
        """
        frame = as_frame(X)
        if not len(frame):
            raise InputError(
                f"the table has 0 sample(s) (shape={frame.shape}) while a minimum of 1 is required; give rows"
            )
        for what, array in (("labels", labels), ("weights", weights)):
            if array is not None and len(array) != len(frame):
                raise InputError(f"{len(array)} {what} for {len(frame)} rows; give one for each row")
        require_columns(frame, self.numeric or ())
        columns, left_out = self._readable_columns(frame)
        variables: list[rule.Literal] = []
        groups: list[int] = []
        used: list[str] = []
        for name, column in columns.items():
            made = self._variables_of(name, column, labels, weights)
            if made:
                groups += [len(used)] * len(made)
                used.append(name)
                variables += made
        self.variables_ = tuple(variables)
        self.groups_ = np.array(groups, dtype=np.int64)
        self.columns_ = tuple(used)
        self.kinds_ = {name: columns[name].kind for name in used}
        self.domain_ = {name: _domain_of(columns[name]) for name in used}
        self.left_out_ = left_out
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
        return closer

    def transform(self, X: Any) -> BooleanTable:
        """Return the variables' values on the rows of a table, which needs only ``columns_``.

        A category never seen is equal to none of the variables: they are all known and False.
        """
        frame = as_frame(X)
        columns = columns_of(frame, self.columns_, self.kinds_)
        shape = (len(frame), len(self.variables_))
        values, known = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
        for index, variable in enumerate(self.variables_):
            values[:, index], known[:, index] = literal_truth(variable, columns)
        return BooleanTable(values, known)

    def _readable_columns(self, frame: pd.DataFrame) -> tuple[dict[str, Column], tuple[LeftOut, ...]]:
        """Read each column as the kind it is used as, and tell which are left out."""
        found = {name: read_cells(frame[name]) for name in frame.columns}
        if self.numeric is None and all(
            is_float_dtype(frame[name].dtype) and is_zero_one(column) for name, column in found.items()
        ):
            return {name: coerce(column, Kind.BOOLEAN, name) for name, column in found.items()}, ()
        decisions = {name: self._decide(name, column, frame) for name, column in found.items()}
        if not any(isinstance(decision, Kind) for decision in decisions.values()):
            # a lone column that counts up is what somebody tries out first: better used than refused
            decisions |= {
                name: Kind.NUMBER
                for name, decision in decisions.items()
                if decision is Reason.IDENTIFIER and found[name].kind is Kind.NUMBER
            }
        columns, left_out = {}, []
        for name, decision in decisions.items():
            usable = isinstance(decision, Reason) and decision.is_guess and self._gives_variables(found[name])
            if isinstance(decision, Kind) or (usable and name in self.named):
                kind = decision if isinstance(decision, Kind) else found[name].kind
                columns[name] = coerce(found[name], kind, name)
            else:
                left_out.append(LeftOut(name, decision, usable))
        return columns, tuple(left_out)

    def _decide(self, name: str, column: Column, frame: pd.DataFrame) -> Kind | Reason:
        if self.numeric is not None and column.known.any():
            if name in self.numeric:
                return Kind.NUMBER
            if column.kind is not Kind.BOOLEAN:
                column = coerce(column, Kind.TEXT, name)
        elif column.kind is Kind.TEXT and not isinstance(frame[name].dtype, pd.CategoricalDtype):
            texts, counts = np.unique(column.values[column.known], return_counts=True)
            if _are_numbers(texts.tolist(), counts):
                return Kind.NUMBER
            if look_like_ambiguous_dates(texts.tolist()):
                note_once(name, AMBIGUOUS)
        if self.mode == "paper":
            return plain_kind(column)
        return kind_or_reason(column, name, whole=is_integer(frame[name]), limits=self.limits)

    def _variables_of(
        self, name: str, column: Column, labels: IntArray | None, weights: FloatArray | None
    ) -> list[rule.Literal]:
        kind = column.kind
        if kind is Kind.BOOLEAN:
            return [rule.Literal(name, Op.EQ, True)]
        if kind is Kind.TEXT:
            return [rule.Literal(name, Op.EQ, text) for text in self._categories(column)]
        cells = column.values[column.known]
        if self.mode == "paper":
            return [rule.Literal(name, Op.GT, _plain(_median(cells)))]
        chosen = find_thresholds(
            cells,
            None if labels is None else np.asarray(labels)[column.known],
            None if weights is None else np.asarray(weights)[column.known],
            max_thresholds=self.max_thresholds,
        )
        return [rule.Literal(name, Op.GT, _plain(threshold)) for threshold in chosen]

    def _gives_variables(self, column: Column) -> bool:
        return column.kind is not Kind.TEXT or bool(self._categories(column))

    def _categories(self, column: Column) -> list[str]:
        if self.mode == "paper":
            return sorted(set(column.values[column.known]))
        return usable_categories(column, self.limits)


def _are_numbers(texts: list[str], counts: IntArray) -> bool:
    """Whether texts are numbers with a unit or odd cells; plain numbers as text were meant as categories."""
    found = read_text_numbers(texts, counts)
    return found is not None and bool(found.remark)


def _domain_of(column: Column) -> ColumnDomain:
    """Return what the cells of a column can be."""
    if column.kind is Kind.BOOLEAN:
        return BOOLEAN
    if column.kind is Kind.TEXT:
        return ColumnDomain(set(column.values[column.known]))
    return OPEN


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
    >>> table = binarize(pd.DataFrame({"age": [20, 61, 64, None], "sex": ["f", "m", "f", "m"]}))
    >>> table.meanings
    ('age > 61', 'sex = f', 'sex = m')
    >>> table.matrix[-1].tolist()
    [nan, 0.0, 1.0]
    """
    binarizer = Binarizer(mode, numeric=numeric).fit(X)
    table = binarizer.transform(X)
    return BinaryTable(
        matrix=np.where(table.known, table.values.astype(np.float64), np.nan),
        meanings=tuple(
            v.column if v.kind is Kind.BOOLEAN else f"{v.column} {v.op} {v.value}"
            for v in binarizer.variables_
        ),
    )
