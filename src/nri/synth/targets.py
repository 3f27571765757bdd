"""Targets that are scores: trees, sums of trees, linear thresholds, classes that compete."""

import numpy as np
from numpy.typing import NDArray

from nri.synth.tables import FloatArray, normal, sparse

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


def tree_score(rng: np.random.Generator, columns: BoolArray, depth: int) -> FloatArray:
    """[B, R]: the leaf value of one random binary tree for each row."""
    B, R, N = columns.shape
    splits = rng.integers(0, N, size=(B, 2**depth))
    node = np.ones((B, R), dtype=np.int64)
    for _ in range(depth):
        variable = np.take_along_axis(splits, node, axis=1)
        went_right = np.take_along_axis(columns, variable[:, :, None], axis=2)[:, :, 0]
        node = 2 * node + went_right
    leaves = normal(rng, B, 2**depth)
    return np.take_along_axis(leaves, node - 2**depth, axis=1)


def forest_score(rng: np.random.Generator, columns: BoolArray) -> FloatArray:
    """[B, R]: one tree, or the sum of several with weights that fall off."""
    n_trees = int(rng.choice([1, 1, 2, 4, 8]))
    depth = int(rng.integers(2, 6))
    total = np.zeros(columns.shape[:2], dtype=np.float32)
    for t in range(n_trees):
        total += tree_score(rng, columns, depth) / np.float32(1 + 0.3 * t)
    return total


def linear_score(rng: np.random.Generator, inputs: FloatArray) -> FloatArray:
    """[B, R]: a weighted sum of inputs, from a few strong ones to many weak ones."""
    B, _, N = inputs.shape
    tail = rng.choice([1.0, 2.0, 3.0])
    weights = np.sign(normal(rng, B, N, 1)) * np.abs(normal(rng, B, N, 1)) ** np.float32(tail)
    weights = weights * sparse(rng, (B, N, 1), rng.choice([0.1, 0.3, 0.6, 1.0]))
    return np.asarray((inputs @ weights)[:, :, 0])


def standardized(score: FloatArray) -> FloatArray:
    """Bring each episode's scores to mean 0 and deviation 1; a constant score stays 0."""
    centred = score - score.mean(axis=1, keepdims=True)
    return np.asarray(centred / (centred.std(axis=1, keepdims=True) + np.float32(1e-6)))


def probability(rng: np.random.Generator, score: FloatArray) -> FloatArray:
    """[B, R]: turn scores into probabilities with a random share of positives and random sharpness."""
    B, R = score.shape
    positive_share = rng.beta(2.0, 2.0, size=(B, 1)) if rng.random() < 0.7 else rng.uniform(0.03, 0.5, (B, 1))
    ordered = np.sort(score, axis=1)
    at = np.clip(((1 - positive_share) * R).astype(int), 0, R - 1)
    threshold = np.take_along_axis(ordered, at, axis=1)
    sharpness = np.float32(10.0 ** rng.uniform(0.0, 2.0))
    logit = np.clip(sharpness * (score - threshold), -30, 30)
    return np.asarray(1 / (1 + np.exp(-logit)), dtype=np.float32)


def one_of_many(rng: np.random.Generator, scores: list[FloatArray]) -> FloatArray:
    """[B, R]: probability of the first of several classes that compete; what one-against-rest sees."""
    stacked = np.stack([standardized(score) for score in scores], axis=2)
    stacked = stacked + normal(rng, stacked.shape[0], 1, stacked.shape[2])
    sharp = np.float32(10.0 ** rng.uniform(0.3, 2.0)) * stacked
    exps = np.exp(sharp - sharp.max(axis=2, keepdims=True))
    return np.asarray(exps[:, :, 0] / exps.sum(axis=2), dtype=np.float32)
