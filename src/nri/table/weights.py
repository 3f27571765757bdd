"""How many rows each row stands for, and which rows belong together; from a column or from a caller."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.errors import InputError
from nri.rule import Columns, Kind
from nri.table.cells import as_numbers, missing_cells

MOST_ROWS, LEAST_ROWS = 1e12, 1e-6
"""Most and least rows that all rows together may stand for: beyond, sums lose what is small, or overflow."""
_LEAST_SHARE = 1e-12  # of the heaviest row; one that weighs less counts as absent


def checked_weights(weights: FloatArray, what: str) -> FloatArray:
    """Return weights, how many rows each row stands for, that can be counted with, or refuse them."""
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError(f"{what} has negative, missing or infinite entries; use 0 or more")
    heaviest = float(weights.max(initial=0.0))
    if heaviest == 0:
        raise InputError(f"{what} are all zero; give at least one row some weight")
    shares = weights / heaviest
    rows = heaviest * float(shares.sum())
    if not LEAST_ROWS <= rows <= MOST_ROWS:
        amount = f"more than {MOST_ROWS:g}" if rows > MOST_ROWS else f"less than {LEAST_ROWS:g}"
        raise InputError(f"{what} stand for {amount} rows; divide them by {heaviest:.3g}")
    return np.where(shares < _LEAST_SHARE, 0.0, weights)


def column_weights(columns: Columns, name: str, counted: BoolArray) -> FloatArray:
    """Return weights from a column, which must be good on the rows that are counted; others weigh nothing."""
    if name not in columns:
        raise InputError(f"column {name!r} cannot be target and weights; choose another column of weights")
    column = columns[name]
    if column.kind not in (Kind.NUMBER, Kind.BOOLEAN):
        raise InputError(f"weights {name!r} are {column.kind} cells; give numbers of 0 or more")
    weights = as_numbers(column)
    bad = ~(weights >= 0) & counted
    if bad.any():
        raise InputError(f"weights {name!r}: {int(bad.sum())} cells are no number of 0 or more; correct them")
    return checked_weights(np.where(counted, weights, 0.0), f"weights {name!r}")


@dataclass(frozen=True, eq=False)
class RowKeys:
    """A column that says which rows belong together, or in which order they came; it is no feature."""

    name: str
    codes: IntArray  # [M]: equal for equal cells, rising with them

    def take(self, rows: NDArray[Any]) -> "RowKeys":
        """Return the keys of some rows, numbered from 0 without gaps."""
        codes = np.unique(self.codes[rows], return_inverse=True)[1]
        return RowKeys(self.name, codes.reshape(-1).astype(np.int64))


def row_keys(keys: Any, columns: Columns, n_rows: int, what: str) -> RowKeys:
    """Return numbers for the values of a named column or an array; a missing group is one of its own."""
    name = what
    if isinstance(keys, str):
        column, name = columns[keys], keys
        if what == "time order" and column.kind is Kind.TEXT:
            raise InputError(f"time order {keys!r} has text cells; give dates or numbers")
        keys = column.values.astype(object)
        keys[~column.known] = None
    keys = np.asarray(keys)
    if keys.shape != (n_rows,):
        raise InputError(f"{what}: {keys.size} values for {n_rows} rows; give one for each row")
    missing = missing_cells(keys)
    if missing.any() and what == "time order":
        raise InputError(f"time order {name!r}: {int(missing.sum())} cells are missing; fill them in")
    values, places = np.unique(keys[~missing], return_inverse=True)
    codes = len(values) + np.cumsum(missing) - 1
    codes[~missing] = places
    return RowKeys(name, codes.astype(np.int64))
