"""Sources: the continuous variables behind a table's columns, with the ways they depend on each other."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
Shape = tuple[int, int, int]
"""B episodes, R rows, V sources."""

ACTIVATIONS: tuple[Callable[[FloatArray], FloatArray], ...] = (
    np.tanh,
    np.abs,
    lambda x: np.maximum(x, np.float32(0)),
    lambda x: np.sin(np.float32(2) * x),
    lambda x: x,
    np.sign,
)


def normal(rng: np.random.Generator, *shape: int) -> FloatArray:
    """Draw standard normal numbers in single precision."""
    return rng.standard_normal(shape, dtype=np.float32)


def independent(rng: np.random.Generator, shape: Shape) -> FloatArray:
    """Draw sources that know nothing of each other."""
    return normal(rng, *shape)


def factors(rng: np.random.Generator, shape: Shape) -> FloatArray:
    """Let a few hidden factors drive many sources, each with its own noise."""
    B, R, V = shape
    F = int(rng.integers(1, 9))
    loadings = normal(rng, B, F, V) * sparse(rng, (B, F, V), rng.uniform(0.2, 1.0))
    own = rng.uniform(0.1, 1.5, (B, 1, V)).astype(np.float32)
    return normal(rng, B, R, F) @ loadings + own * normal(rng, B, R, V)


def clusters(rng: np.random.Generator, shape: Shape) -> FloatArray:
    """Scatter rows around a few centres."""
    B, R, V = shape
    C = int(rng.integers(2, 11))
    centres = normal(rng, B, C, V) * np.float32(rng.uniform(0.5, 2.5))
    which = np.argmax(np.log(rng.random((B, 1, C)) + 0.05) + rng.gumbel(size=(B, R, C)), axis=2)
    return np.take_along_axis(centres, which[:, :, None], axis=1) + normal(rng, B, R, V)


def causal(rng: np.random.Generator, shape: Shape) -> FloatArray:
    """Read sources off the nodes of a random layered causal network."""
    B, R, V = shape
    width = int(np.clip(rng.integers(V // 2, V + 1), 4, 64))
    layer = normal(rng, B, R, int(rng.integers(2, max(3, width // 2) + 1)))
    nodes = [layer]
    for _ in range(int(rng.integers(1, 4))):
        fan_in = layer.shape[2]
        weights = normal(rng, B, fan_in, width) * sparse(rng, (B, fan_in, width), rng.uniform(0.1, 0.7))
        activation = ACTIVATIONS[rng.integers(len(ACTIVATIONS))]
        noise = np.float32(10.0 ** rng.uniform(-2, 0))
        layer = activation(layer @ weights + normal(rng, B, 1, width)) + noise * normal(rng, B, R, width)
        nodes.append(layer)
    every = np.concatenate(nodes, axis=2)
    picks = rng.integers(0, every.shape[2], size=V)
    return every[:, :, picks] + np.float32(1e-3) * normal(rng, B, R, V)


def sparse(rng: np.random.Generator, shape: tuple[int, ...], density: float) -> NDArray[np.bool_]:
    """Choose which entries stay."""
    return rng.random(shape, dtype=np.float32) < density


SOURCES: dict[str, Callable[[np.random.Generator, Shape], FloatArray]] = {
    "independent": independent,
    "factors": factors,
    "clusters": clusters,
    "causal": causal,
}
