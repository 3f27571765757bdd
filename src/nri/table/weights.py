"""Weights: how many rows each row stands for, from a column or from a caller."""

import numpy as np

from nri.arrays import BoolArray, FloatArray
from nri.errors import InputError
from nri.rule.literal import Kind
from nri.table.by_plan import as_numbers
from nri.table.table import Table

MOST_ROWS, LEAST_ROWS = 1e12, 1e-6
"""Most and least rows that all rows together may stand for: beyond, sums lose what is small, or overflow."""
_LEAST_SHARE = 1e-12
"""What a row weighs at least, as a share of the heaviest; one that weighs less counts as absent."""


def settled_weights(weights: FloatArray, what: str) -> FloatArray:
    """Return weights, how many rows each row stands for, that can be counted with, or refuse them.

    >>> settled_weights(np.array([1.0, 2.0, 5e-324]), "weights")
    array([1., 2., 0.])
    >>> settled_weights(np.array([1e308, 1e308]), "weights")
    Traceback (most recent call last):
        ...
    nri.errors.InputError: weights stand for more than 1e+12 rows, too many to count; divide them by 1e+308
    """
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError(f"{what} has negative, missing or infinite entries; use 0 or more")
    heaviest = float(weights.max(initial=0.0))
    if heaviest == 0:
        raise InputError(f"{what} are all zero; give at least one row some weight")
    shares = weights / heaviest
    if heaviest > MOST_ROWS or heaviest * float(shares.sum()) > MOST_ROWS:
        raise InputError(
            f"{what} stand for more than {MOST_ROWS:g} rows, too many to count; divide them by {heaviest:.3g}"
        )
    if heaviest * float(shares.sum()) < LEAST_ROWS:
        raise InputError(
            f"{what} stand for less than {LEAST_ROWS:g} rows together; a weight is how many rows a row "
            f"stands for: divide them by {heaviest:.3g}"
        )
    return np.where(shares < _LEAST_SHARE, 0.0, weights)


def weighted_by(table: Table, name: str, counted: BoolArray) -> Table:
    """Return the table weighted by one of its columns, which must be good on the rows that are counted."""
    if name not in table.columns:
        raise InputError(f"column {name!r} cannot be target and weights; choose another column of weights")
    column = table.columns[name]
    if column.kind not in (Kind.NUMBER, Kind.BOOLEAN):
        raise InputError(f"weights {name!r} are {column.kind} cells; give numbers of 0 or more")
    weights: FloatArray = as_numbers(column)
    bad = (~column.known | ~(weights >= 0)) & counted
    if bad.any():
        raise InputError(
            f"weights {name!r}: {int(bad.sum())} cells are missing or no number of 0 or more; correct them"
        )
    others = table.without(name)
    if not others.names:
        raise InputError("the table has no column but target and weights; give columns to explain it by")
    return others.reweighted(settled_weights(np.where(counted, weights, 0.0), f"weights {name!r}"))
