"""Corruptions: what stands between the truth and the table that an analyst has."""

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float32]


def observed_labels(rng: np.random.Generator, truth: FloatArray, max_noise: float) -> BoolArray:
    """Draw labels from their probabilities and turn a share of them; the share differs by episode."""
    drawn = rng.random(truth.shape) < truth
    share = rng.uniform(0.0, max_noise, size=(len(truth), 1)) * (rng.random((len(truth), 1)) < 0.4)
    return turn_labels(rng, drawn, share)


def turn_labels(rng: np.random.Generator, labels: BoolArray, share: NDArray[np.float64]) -> BoolArray:
    """Turn each label with its episode's probability [B, 1]."""
    return np.asarray(labels ^ (rng.random(labels.shape) < share))


def known_cells(rng: np.random.Generator, columns: BoolArray, max_missing: float) -> BoolArray:
    """Choose which cells are known: all, missing at random by column, or depending on the value."""
    B, R, N = columns.shape
    if rng.random() < 0.6:
        return np.ones_like(columns)
    by_column = rng.uniform(0.0, max_missing, (B, 1, N)) * (rng.random((B, 1, N)) < 0.5)
    if rng.random() < 0.3:
        by_column = by_column * np.where(columns, 2 * rng.random((B, 1, N)), 2 * rng.random((B, 1, N)))
    return np.asarray(rng.random((B, R, N)) >= by_column)
