"""Plausible rows: rows that the table might as well have held, so that more than a few choose the rule."""

import numpy as np

from nri.episode import BoolArray, FloatArray, IntArray

FRESH_SHARE = 0.7
"""Share of a row's columns that are drawn anew.

With fewer the rows stay so near to labelled ones that a rule which has learned these by heart looks good;
with all of them nothing of what goes together in the table is left.
"""


def plausible_rows(
    values: BoolArray,
    known: BoolArray,
    weights: FloatArray,
    groups: IntArray,
    count: int,
    rng: np.random.Generator,
) -> tuple[BoolArray, BoolArray]:
    """Draw rows by weight and take most of their columns from other rows: [count, N] values and known cells.

    Each fresh column comes from a row of its own. Variables of one column (a one-hot group, ordered
    thresholds) go together, so that no row says "red and blue" or "over 60 but not over 40".
    """
    _, member = np.unique(groups, return_inverse=True)
    n_columns = int(member.max(initial=-1)) + 1
    share = weights / weights.sum()
    kept = rng.choice(len(values), size=(count, 1), p=share)
    other = rng.choice(len(values), size=(count, n_columns), p=share)
    source = np.where(rng.random((count, n_columns)) < FRESH_SHARE, other, kept)[:, member]
    variables = np.arange(values.shape[1])
    return values[source, variables], known[source, variables]
