"""Layout: where the nodes of a graph stand, so that its shape can be seen.

Nodes that are k steps apart are put about k units apart (stress majorisation, from a fixed start, so that
the same graph is always drawn alike). Then boxes that overlap are pushed apart, along the shorter way.
"""

from collections.abc import Sequence

import numpy as np

from nri_dynamics.arrays import FloatArray

UNIT = 132.0
"""Pixels for each step between two nodes."""
_FLAT = 0.85
"""Height by width of the whole: screens and pages are wider than high."""
_ROUNDS = 300
_APART = 56.0
"""Free space between parts of the graph that nothing joins."""
_MARGIN = (36.0, 44.0)
"""Free space beside and below a box."""


def place(
    n: int, edges: Sequence[tuple[int, int]], widths: Sequence[float], height: float, spread: float = 1.0
) -> FloatArray:
    """[n, 2]: the middle of each node, the least coordinates being 0.

    ``edges`` are pairs of nodes, ``widths`` and ``height`` those of their boxes. With a larger ``spread``
    nodes are further apart, as many crossing lines need it.
    """
    boxes = np.stack([np.asarray(widths, dtype=np.float64), np.full(n, height)], axis=1)
    parts = _parts(n, edges)
    placed = [_part(part, edges, boxes[part], spread * UNIT) for part in parts]
    spots = np.zeros((n, 2))
    for part, corner, inside in zip(parts, _packed([size for _, size in placed]), placed, strict=True):
        spots[part] = inside[0] + corner
    return spots


def _parts(n: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the parts of the graph that nothing joins, the largest first."""
    owner = list(range(n))
    for a, b in edges:
        first, second = owner[a], owner[b]
        owner = [first if one == second else one for one in owner]
    parts = [[i for i in range(n) if owner[i] == one] for one in dict.fromkeys(owner)]
    return sorted(parts, key=lambda part: -len(part))


def _part(
    part: list[int], edges: Sequence[tuple[int, int]], boxes: FloatArray, unit: float
) -> tuple[FloatArray, FloatArray]:
    """Return the spots of one part, the least coordinates being 0, and its size."""
    place_of = {node: i for i, node in enumerate(part)}
    own = [(place_of[a], place_of[b]) for a, b in edges if a in place_of]
    spots = _relaxed(_steps(len(part), own)) * unit * np.array([1.0, _FLAT])
    spots = _without_overlaps(spots, boxes)
    spots = spots - (spots - boxes / 2).min(axis=0)
    return spots, np.asarray((spots + boxes / 2).max(axis=0))


def _packed(sizes: Sequence[FloatArray]) -> list[FloatArray]:
    """Return the upper left corner of each part: in lines about as wide as the largest part."""
    widest = max([500.0, *(float(size[0]) for size in sizes)])
    corners, left, top, deep = [], 0.0, 0.0, 0.0
    for width, height in sizes:
        if left > 0 and left + width > widest:
            left, top, deep = 0.0, top + deep + _APART, 0.0
        corners.append(np.array([left, top]))
        left, deep = left + float(width) + _APART, max(deep, float(height))
    return corners


def _steps(n: int, edges: Sequence[tuple[int, int]]) -> FloatArray:
    """[n, n]: steps between the nodes of a part."""
    steps = np.full((n, n), np.inf)
    np.fill_diagonal(steps, 0.0)
    for a, b in edges:
        if a != b:
            steps[a, b] = steps[b, a] = 1.0
    for middle in range(n):  # Floyd and Warshall
        steps = np.minimum(steps, steps[:, [middle]] + steps[[middle], :])
    return steps


def _relaxed(apart: FloatArray) -> FloatArray:
    """[n, 2]: spots whose distances are as near to the wanted ones as can be."""
    n = len(apart)
    if n == 1:
        return np.zeros((1, 2))
    spots = _first_spots(apart)
    weights = 1.0 / np.where(apart > 0, apart, 1.0) ** 2
    np.fill_diagonal(weights, 0.0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    for _ in range(_ROUNDS):
        offsets = spots[:, None, :] - spots[None, :, :]
        distance = np.maximum(np.sqrt((offsets**2).sum(axis=2)), 1e-9)
        pull = -weights * apart / distance
        np.fill_diagonal(pull, 0.0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        spots = inverse @ (pull @ spots)
    return _turned(spots)


def _first_spots(apart: FloatArray) -> FloatArray:
    """Spots by classical scaling, a little off any line on which they may all lie."""
    n = len(apart)
    centre = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centre @ apart**2 @ centre)
    spots = vectors[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 0.0))
    angles = 2.399963 * np.arange(n)  # the golden angle: no two nodes start alike
    return np.asarray(spots + 0.05 * np.stack([np.cos(angles), np.sin(angles)], axis=1))


def _turned(spots: FloatArray) -> FloatArray:
    """Turn the picture so that it is wider than high."""
    middle = spots - spots.mean(axis=0)
    _, _, axes = np.linalg.svd(middle, full_matrices=False)
    axes = axes * np.where(axes.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    return np.asarray(middle @ axes.T)


def _without_overlaps(spots: FloatArray, boxes: FloatArray) -> FloatArray:
    spots = spots.copy()
    needed = (boxes[:, None, :] + boxes[None, :, :]) / 2 + np.array(_MARGIN)
    for _ in range(400):
        offsets = spots[:, None, :] - spots[None, :, :]
        over = needed - np.abs(offsets)
        clash = (over > 0.01).all(axis=2)
        np.fill_diagonal(clash, False)
        if not clash.any():
            break
        for a, b in np.argwhere(np.triu(clash)):
            gap = needed[a, b] - np.abs(spots[a] - spots[b])
            if (gap <= 0).any():
                continue
            axis = int(np.argmin(gap))
            side = 1.0 if spots[a, axis] >= spots[b, axis] else -1.0
            spots[a, axis] += side * gap[axis] / 2
            spots[b, axis] -= side * gap[axis] / 2
    return spots
