"""Targets that are Boolean formulas: random DNFs whose clauses each hold somewhere in the table."""

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]


def random_dnf(
    rng: np.random.Generator, columns: BoolArray, max_clauses: int = 8, max_literals: int = 6
) -> BoolArray:
    """[B, K, 2N] clauses; each takes its literals from a row of the table, so that it can hold.

    Unused clauses (an episode may have fewer than K) have no literal and never fire.
    """
    B, R, N = columns.shape
    K = int(rng.integers(1, max_clauses + 1))
    longest = min(max_literals, N)
    lengths = rng.integers(1, longest + 1, size=(B, K))
    if rng.random() < 0.5:  # clauses of one length are what hand-written rules tend to have
        lengths[:] = lengths[:, :1]
    if K > 1 and rng.random() < 0.5:
        lengths = np.maximum(lengths, 2)  # many one-literal clauses make almost every row positive
    lengths = np.minimum(lengths, N)
    row = rng.integers(0, R, size=(B, K))
    example = np.take_along_axis(columns, row[:, :, None], axis=1)
    order = np.argsort(rng.random((B, K, N), dtype=np.float32), axis=2)
    chosen = np.argsort(order, axis=2) < lengths[:, :, None]
    return np.concatenate([chosen & example, chosen & ~example], axis=2)


def dnf_truth(clauses: BoolArray, columns: BoolArray) -> BoolArray:
    """[B, R]: where at least one clause with a literal has all its literals true."""
    literals = np.concatenate([columns, ~columns], axis=2)
    false_literals = (~literals).astype(np.float32) @ np.swapaxes(clauses, 1, 2).astype(np.float32)
    used = np.asarray(clauses.any(axis=2))
    fires = (false_literals < 0.5) & used[:, None, :]
    return np.asarray(fires.any(axis=2))
