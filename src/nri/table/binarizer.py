"""Binarizer: which columns can be of use to a rule, and the boolean variables that they become."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nri import rule
from nri.arrays import BoolArray, FloatArray, IntArray
from nri.errors import InputError
from nri.rule import BOOLEAN, OPEN, Column, ColumnDomain, Columns, Kind, Op, literal_truth, row_count
from nri.table.cuts import find_thresholds
from nri.table.left_out import LeftOut, Reason
from nri.table.table import Table

_MOST_CATEGORIES = 30  # categories of a column that become variables, the most frequent ones
_MIN_SHARE, _MIN_ROWS, _ENOUGH_ROWS = 0.002, 2, 20
"""Least share of the rows that a category must have, least rows whatever it is, and rows that are enough."""
_MIN_COVERED = 0.2  # least share of the rows that the chosen categories must hold between them
_FEW_ROWS = 10  # below this, values that all differ say little: legitimate columns do so too
_COUNTING_ROWS = 20  # rows from which on whole numbers without gap or repetition number them
_IDENTIFIER_WORDS = {"id", "ids", "uid", "uuid", "guid", "pk", "rowid", "idx", "rownum"}
_IDENTIFIER_NAMES = {"", "index", "row", "key", "no", "nr", "number", "record", "unnamed: 0"}
_UUID = re.compile(r"\{?[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}\}?")
_LONG_TEXT, _MANY_WORDS = 30, 4  # letters and words by which texts are sentences


def _rows_needed(n_known: int) -> int:
    """Return the rows that a category needs among so many known cells."""
    return min(max(_MIN_ROWS, math.ceil(_MIN_SHARE * n_known)), _ENOUGH_ROWS)


def why_useless(column: Column, name: str, *, whole: bool = False) -> Reason | None:
    """Return why a column can be of no use, None if it can; only ``whole`` numbers may number rows."""
    distinct, counts = column.distinct()
    if not len(distinct):
        return Reason.UNREADABLE if column.categories == () else Reason.MISSING
    if len(distinct) == 1:
        return Reason.CONSTANT
    if column.kind is Kind.NUMBER and whole and _is_identifier(distinct, int(counts.sum()), name):
        return Reason.IDENTIFIER
    if column.kind is Kind.TEXT:
        return _useless_text(counts, distinct)
    return None


def usable_categories(column: Column, weights: FloatArray | None = None) -> list[str]:
    """Return the categories with enough rows, the most frequent ones if too many, in sorted order.

    Whole weights [M] count rows. Of two values the later in the alphabet is enough, mostly the affirmative
    one (no/yes, absent/present).
    """
    distinct, counts = column.distinct()
    if len(distinct) == 2:
        return [max(distinct.tolist())]
    if weights is not None and (weights == np.round(weights)).all():
        held = column.values[column.known]
        counts = np.bincount(held, weights[column.known])[np.flatnonzero(np.bincount(held))]
    ranked = sorted(zip((-counts).tolist(), distinct.tolist(), strict=True))
    least = _rows_needed(round(counts.sum()))
    return sorted(text for minus, text in ranked[:_MOST_CATEGORIES] if -minus >= least)


def _is_identifier(distinct: NDArray[Any], n_cells: int, name: str) -> bool:
    """Whether whole numbers number the rows: all different, and without a gap or named ``patient_id``."""
    if len(distinct) < n_cells:
        return False
    gapless = distinct.max() - distinct.min() == n_cells - 1
    words = re.split(r"[\W_]+", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name).lower())
    named_so = name.strip().lower() in _IDENTIFIER_NAMES or not _IDENTIFIER_WORDS.isdisjoint(words)
    return named_so or bool(gapless and n_cells >= _COUNTING_ROWS)


def _useless_text(counts: NDArray[np.int64], distinct: NDArray[Any]) -> Reason | None:
    """Separate a category from an identifier, a sentence and a name that hardly ever comes again."""
    n_cells, n_distinct = int(counts.sum()), len(distinct)
    if n_distinct == 2:
        return None
    length, n_words = np.mean([(len(text), text.count(" ") + 1) for text in distinct], axis=0)
    if n_distinct > 0.5 * n_cells and length > _LONG_TEXT and n_words >= _MANY_WORDS:
        return Reason.FREE_TEXT
    hardly_repeated = n_distinct == n_cells or (n_distinct >= 0.9 * n_cells and n_cells >= _FEW_ROWS)
    if hardly_repeated or all(map(_UUID.fullmatch, distinct)):
        return Reason.IDENTIFIER
    enough = np.sort(counts[counts >= _rows_needed(n_cells)])[::-1][:_MOST_CATEGORIES]
    return Reason.TOO_MANY if enough.sum() < _MIN_COVERED * n_cells else None


@dataclass(eq=False, repr=False)
class Binarizer:
    """Turn the columns of a table into boolean variables.

    A matrix of floats that are all 0, 1 or missing is used as it is in either mode: every column is
    one variable, also one that never changes, so that the variables are those of the caller's array.
    """

    mode: Literal["auto", "paper"] = "auto"
    _: KW_ONLY
    max_thresholds: int = 6
    min_thresholds: int = 3
    named: Collection[str] = ()  # columns that are used although they look like identifiers or free text

    variables_: tuple[rule.Literal, ...] = field(init=False)
    groups_: IntArray = field(init=False)
    number_groups_: IntArray = field(init=False)
    columns_: tuple[str, ...] = field(init=False)
    domain_: dict[str, ColumnDomain] = field(init=False)
    left_out_: tuple[LeftOut, ...] = field(init=False)

    def __post_init__(self) -> None:
        if self.mode not in ("auto", "paper"):
            raise InputError(f"unknown binarisation mode {self.mode!r}; use 'auto' or 'paper'")
        if self.max_thresholds < 1:
            raise InputError(f"max_thresholds is {self.max_thresholds}; a number column needs at least 1")

    def fit(self, table: Table) -> "Binarizer":
        """Decide on variables from the support rows."""
        if not len(table):
            shape = f"shape=(0, {len(table.names)})"
            raise InputError(f"0 sample(s) ({shape}) while a minimum of 1 is required; give rows")
        columns, self.left_out_ = self._usable_columns(table)
        made = {name: self._variables_of(name, column, table) for name, column in columns.items()}
        used = {name: columns[name] for name, variables in made.items() if variables}
        usual = {Kind.BOOLEAN: BOOLEAN, Kind.NUMBER: OPEN, Kind.DATE: OPEN}
        self.domain_ = {
            name: usual.get(column.kind) or ColumnDomain(column.distinct()[0].tolist())
            for name, column in used.items()
        }
        self._scales = {} if self.mode == "paper" or table.is_matrix else _scales(used, table.weights)
        return self._with_variables(variable for variables in made.values() for variable in variables)

    def narrowed(self, columns: Collection[str], cuts: Collection[rule.Literal]) -> "Binarizer":
        """Return a binarizer for some of the columns, with these cuts ``x > t`` among its variables."""
        return copy(self)._with_variables(
            variable
            for name in self.columns_
            if name in columns
            for variable in dict.fromkeys(v for v in (*self.variables_, *cuts) if v.column == name)
        )

    @classmethod
    def asking(cls, variables: Sequence[rule.Literal], domain: Mapping[str, ColumnDomain]) -> "Binarizer":
        """Return a binarizer with exactly these variables, those of one column side by side."""
        made = cls()
        made.left_out_, made._scales, made.domain_ = (), {}, dict(domain)
        return made._with_variables(variables)

    def _with_variables(self, variables: Iterable[rule.Literal]) -> "Binarizer":
        self.variables_ = tuple(variables)
        self.columns_ = tuple(dict.fromkeys(variable.column for variable in self.variables_))
        places = {name: place for place, name in enumerate(self.columns_)}
        self.groups_ = np.array([places[variable.column] for variable in self.variables_], dtype=np.int64)
        measured = [place for name, place in places.items() if name in self._scales]
        self.number_groups_ = np.array(measured, dtype=np.int64)
        return self

    def cells(self, columns: Columns, n_rows: int | None = None) -> tuple[BoolArray, BoolArray]:
        """Return [M, N] twice: where each variable is true, and where it is known."""
        shape = (row_count({name: columns[name] for name in self.columns_}, n_rows), len(self.variables_))
        values, known = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
        for index, variable in enumerate(self.variables_):
            values[:, index], known[:, index] = literal_truth(variable, columns)
        return values, known

    def numbers(self, columns: Columns) -> NDArray[np.float32]:
        """Return [M, F]: the cells of number and date columns with mean 0 and spread 1, 0 where unknown."""
        measured = [name for name in self.columns_ if name in self._scales]
        n_rows = row_count({name: columns[name] for name in self.columns_})
        matrix = np.zeros((n_rows, len(measured)), np.float32)
        # rounded and clipped, so that no order of rows or columns shows in the last digits
        for index, name in enumerate(measured):
            column, (centre, spread) = columns[name], self._scales[name]
            scaled = (column.values[column.known].astype(np.float64) - centre) / spread
            matrix[column.known, index] = np.clip(np.round(scaled, 3), -4.0, 4.0)
        return matrix

    def _usable_columns(self, table: Table) -> tuple[Columns, tuple[LeftOut, ...]]:
        """Separate the columns that give variables from those that are left out."""
        if table.is_matrix:
            return table.columns, ()
        every = table.columns.items()
        reasons = {name: why_useless(one, name, whole=table.plans[name].whole) for name, one in every}
        if self.mode == "paper":
            reasons = {name: None if one.known.any() else Reason.MISSING for name, one in every}
        if all(reasons.values()):
            # a lone column that counts up is a first try of a user: better used than refused
            counting = [name for name, reason in reasons.items() if reason is Reason.IDENTIFIER]
            reasons |= {name: None for name in counting if table.columns[name].kind is Kind.NUMBER}
        columns, left_out = {}, []
        for name, reason in reasons.items():
            column = table.columns[name]
            usable = reason is not None and reason.is_guess
            usable = usable and (column.kind is not Kind.TEXT or bool(self._categories(column)))
            if reason is None or (usable and name in self.named):
                columns[name] = column
            else:
                left_out.append(LeftOut(name, reason, usable))
        return columns, tuple(left_out)

    def _variables_of(self, name: str, column: Column, table: Table) -> list[rule.Literal]:
        if column.kind is Kind.BOOLEAN:
            return [rule.Literal(name, Op.EQ, True)]
        if column.kind is Kind.TEXT:
            return [rule.Literal(name, Op.EQ, text) for text in self._categories(column, table.weights)]
        cells = column.values[column.known]
        if self.mode == "paper":  # of an even number of dates the earlier of the two in the middle
            is_date = column.kind is Kind.DATE
            middle = np.sort(cells)[(len(cells) - 1) // 2] if is_date else np.median(cells)
            return [rule.Literal(name, Op.GT, middle)]
        chosen = find_thresholds(
            cells,
            None if table.outcome is None else table.codes[column.known],
            table.weights[column.known],
            max_thresholds=self.max_thresholds,
            min_thresholds=self.min_thresholds,
        )
        return [rule.Literal(name, Op.GT, threshold) for threshold in chosen]

    def _categories(self, column: Column, weights: FloatArray | None = None) -> list[str]:
        if self.mode == "paper":
            return [str(text) for text in column.distinct()[0]]
        return usable_categories(column, weights)


def _scales(columns: Columns, row_weights: FloatArray) -> dict[str, tuple[float, float]]:
    """Return mean and spread of the known cells of number and date columns that have a spread."""
    scales = {}
    for name, column in columns.items():
        cells, weights = column.values[column.known].astype(np.float64), row_weights[column.known]
        if column.kind not in (Kind.NUMBER, Kind.DATE) or not weights.sum() > 0:
            continue
        order = np.argsort(cells, kind="stable")  # sums in one order, whatever that of the rows
        cells, weights = cells[order], weights[order]
        with np.errstate(over="ignore", invalid="ignore"):
            centre = float(np.average(cells, weights=weights))
            spread = float(np.sqrt(np.average((cells - centre) ** 2, weights=weights)))
        if np.isfinite(centre) and np.isfinite(spread) and spread > 1e-300:
            scales[name] = (centre, spread)
    return scales
