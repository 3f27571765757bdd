"""Plausible rows: rows that the table might as well have held, so that more than a few choose the rule."""

import numpy as np

from nri.episode import BoolArray, FloatArray, IntArray


def plausible_rows(
    values: BoolArray,
    known: BoolArray,
    weights: FloatArray,
    groups: IntArray,
    count: int,
    rng: np.random.Generator,
) -> tuple[BoolArray, BoolArray]:
    """Cross pairs of rows, drawn by weight: [count, N] values and known cells.

    Most columns come from one row and some from another one. Variables of one column (a one-hot group,
    ordered thresholds) go together, so that no row says "red and blue" or "over 60 but not over 40".
    """
    main, other = rng.choice(len(values), size=(2, count), p=weights / weights.sum())
    from_other = rng.uniform(0.0, 0.5, (count, 1))
    _, member = np.unique(groups, return_inverse=True)
    crossed = (rng.random((count, int(member.max(initial=-1)) + 1)) < from_other)[:, member]
    return (
        np.where(crossed, values[other], values[main]),
        np.where(crossed, known[other], known[main]),
    )
