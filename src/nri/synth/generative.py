"""Tables generated from the label: each class, or each sub-type of it, has its own rate for every column."""

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float32]


def symptoms(rng: np.random.Generator, shape: tuple[int, int, int]) -> tuple[BoolArray, FloatArray]:
    """Return columns [B, R, N] and labels [B, R] (0 or 1) of a disease-and-symptoms table.

    A share of columns carries no information; nuisance groups move columns of both classes together,
    so that columns are correlated also given the label.
    """
    B, R, N = shape
    subtypes = int(rng.integers(1, 5))
    positive_share = rng.beta(2.0, 2.0, size=(B, 1)) * 0.9 + 0.05
    label = rng.random((B, R)) < positive_share
    kind = rng.integers(0, subtypes, size=(B, R)) + subtypes * label
    base = _logit(rng.beta(0.8, 0.8, size=(B, 1, N)) * 0.96 + 0.02)
    informative = rng.random((B, 1, N)) < rng.choice([0.15, 0.4, 0.8])
    strength = 10.0 ** rng.uniform(-0.5, 0.5)
    by_label = rng.standard_normal((B, 2, N)) * strength * informative
    by_kind = rng.standard_normal((B, 2 * subtypes, N)) * strength * informative * (subtypes > 1)
    by_kind += np.repeat(by_label, subtypes, axis=1)
    logit = base + np.take_along_axis(by_kind, kind[:, :, None], axis=1)
    factors = int(rng.integers(0, 4))
    if factors:
        loadings = rng.standard_normal((B, factors, N)) * rng.uniform(0.0, 2.0)
        logit = logit + rng.standard_normal((B, R, factors)) @ loadings
    columns = rng.random((B, R, N)) < 1 / (1 + np.exp(-np.clip(logit, -30, 30)))
    return columns, label.astype(np.float32)


def _logit(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(p / (1 - p))
