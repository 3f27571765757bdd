"""Weights: how many rows each row stands for, settled where they come in.

Search, posterior and evidence count rows in floating point, parts of a row included. So what reaches them is
a number of rows that can be counted: beyond 10^12 rows sums lose what is small (and further up they overflow,
which hung the search), and a row that weighs less than a million-millionth of another says nothing beside it.
"""

import numpy as np

from nri.arrays import FloatArray
from nri.errors import InputError

MOST_ROWS = 1e12
"""Most rows that all rows together may stand for."""
LEAST_ROWS = 1e-6
"""Least rows that all rows together may stand for."""
LEAST_SHARE = 1e-12
"""What a row weighs at least, as a share of the heaviest; one that weighs less counts as absent."""


def settled_weights(weights: FloatArray, what: str) -> FloatArray:
    """Return weights that can be counted with, or refuse them.

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
    return np.where(shares < LEAST_SHARE, 0.0, weights)
