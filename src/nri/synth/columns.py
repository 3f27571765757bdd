"""Columns: how sources are seen in a boolean table (cut once, cut several times, one-hot, repeated)."""

import numpy as np
from numpy.typing import NDArray

from nri.synth.sources import FloatArray

BoolArray = NDArray[np.bool_]


def source_widths(rng: np.random.Generator, n_columns: int) -> list[tuple[str, int]]:
    """Decide for each source how it is seen and how many columns that takes; they add up to N."""
    weights = rng.dirichlet([1.0, 0.7, 0.4]) if rng.random() < 0.6 else np.array([1.0, 0.0, 0.0])
    layout: list[tuple[str, int]] = []
    left = n_columns
    while left > 0:
        how = rng.choice(["cut", "onehot", "ordered"], p=weights)
        width = 1 if how == "cut" else int(rng.integers(2, 9))
        width = min(width, left)
        layout.append((how if width > 1 else "cut", width))
        left -= width
    return layout


def columns_from_sources(
    rng: np.random.Generator, sources: FloatArray, layout: list[tuple[str, int]], median: bool
) -> BoolArray:
    """[B, R, N] boolean columns from [B, R, V] sources; cuts at the median or at random quantiles."""
    B, R, _ = sources.shape
    ranks = np.argsort(np.argsort(sources, axis=1), axis=1).astype(np.float32) / R
    parts = []
    for v, (how, width) in enumerate(layout):
        rank = ranks[:, :, v : v + 1]
        if how == "cut":
            at = np.full((B, 1, 1), 0.5) if median else rng.beta(1.2, 1.2, (B, 1, 1)) * 0.96 + 0.02
            parts.append(rank >= at)
        else:
            edges = np.cumsum(rng.dirichlet(np.full(width, 1.5), size=(B, 1)), axis=2)[:, :, : width - 1]
            above = rank >= edges
            if how == "ordered":
                extra = rank >= rng.random((B, 1, 1))
                parts.append(np.concatenate([above, extra], axis=2))
            else:
                ends = np.ones((B, R, 1), dtype=bool)
                parts.append(np.concatenate([ends, above], axis=2) & ~np.concatenate([above, ~ends], axis=2))
    return np.concatenate(parts, axis=2)


def repeat_some(rng: np.random.Generator, columns: BoolArray) -> BoolArray:
    """Overwrite some columns by copies of others, exact or with a few cells turned."""
    B, R, N = columns.shape
    share = rng.choice([0.0, 0.0, 0.1, 0.3])
    if share == 0.0 or N < 3:
        return columns
    copies = rng.random(N) < share
    origin = np.where(copies, rng.integers(0, N, N), np.arange(N))
    turned = rng.random((B, R, N), dtype=np.float32) < rng.uniform(0.0, 0.15) * copies
    flipped = rng.random((B, 1, N)) < 0.5 * copies
    return np.asarray(columns[:, :, origin] ^ turned ^ flipped)
