"""Synthetic tables, the only data that networks are trained on.

The wide prior has many kinds of sources, columns cut from them, and targets that decide the labels.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, IntArray

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SyntheticBatch:
    """B episodes of the same M and N: the first M rows are the support, the others the query."""

    values: BoolArray  # [B, M + Q, N]; False wherever unknown
    known: BoolArray  # [B, M + Q, N]
    labels: BoolArray  # [B, M], the support's labels as they are observed, noise included
    truth: FloatArray  # [B, M + Q], the noise-free probability that a row is positive
    clauses: BoolArray | None  # [B, K, 2N], literals of the true clauses; None where the target is no DNF

    @property
    def n_support(self) -> int:
        """M"""
        return int(self.labels.shape[1])

    @property
    def two_classes(self) -> BoolArray:
        """[B], where the support shows both classes; else there is nothing to induce from."""
        return np.asarray(self.labels.any(axis=1) & ~self.labels.all(axis=1))


Shape = tuple[int, int, int]  # B episodes, R rows, V sources

ACTIVATIONS: tuple[Callable[[FloatArray], FloatArray], ...] = (
    np.tanh,
    np.abs,
    lambda x: np.maximum(x, np.float32(0)),
    lambda x: np.sin(np.float32(2) * x),
    lambda x: x,
    np.sign,
)


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    """Draw standard normal numbers in single precision: sources that know nothing of each other."""
    return rng.standard_normal(shape, dtype=np.float32)


def factors(rng: np.random.Generator, shape: Shape) -> FloatArray:
    """Let a few hidden factors drive many sources, each with its own noise."""
    B, R, V = shape
    F = int(rng.integers(1, 9))
    loadings = normal(rng, (B, F, V)) * sparse(rng, (B, F, V), rng.uniform(0.2, 1.0))
    own = rng.uniform(0.1, 1.5, (B, 1, V)).astype(np.float32)
    return normal(rng, (B, R, F)) @ loadings + own * normal(rng, (B, R, V))


def clusters(rng: np.random.Generator, shape: Shape) -> FloatArray:
    """Scatter rows around a few centres."""
    B, R, V = shape
    C = int(rng.integers(2, 11))
    centres = normal(rng, (B, C, V)) * np.float32(rng.uniform(0.5, 2.5))
    which = np.argmax(np.log(rng.random((B, 1, C)) + 0.05) + rng.gumbel(size=(B, R, C)), axis=2)
    return np.take_along_axis(centres, which[:, :, None], axis=1) + normal(rng, (B, R, V))


def causal(rng: np.random.Generator, shape: Shape) -> FloatArray:
    """Read sources off the nodes of a random layered causal network."""
    B, R, V = shape
    width = int(np.clip(rng.integers(V // 2, V + 1), 4, 64))
    layer = normal(rng, (B, R, int(rng.integers(2, max(3, width // 2) + 1))))
    nodes = [layer]
    for _ in range(int(rng.integers(1, 4))):
        fan_in = layer.shape[2]
        weights = normal(rng, (B, fan_in, width)) * sparse(rng, (B, fan_in, width), rng.uniform(0.1, 0.7))
        activation = ACTIVATIONS[rng.integers(len(ACTIVATIONS))]
        noise = np.float32(10.0 ** rng.uniform(-2, 0))
        layer = activation(layer @ weights + normal(rng, (B, 1, width))) + noise * normal(rng, (B, R, width))
        nodes.append(layer)
    every = np.concatenate(nodes, axis=2)
    picks = rng.integers(0, every.shape[2], size=V)
    return every[:, :, picks] + np.float32(1e-3) * normal(rng, (B, R, V))


def sparse(rng: np.random.Generator, shape: tuple[int, ...], density: float) -> BoolArray:
    """Choose which entries stay."""
    return rng.random(shape, dtype=np.float32) < density


SOURCES: tuple[Callable[[np.random.Generator, Shape], FloatArray], ...] = (normal, factors, clusters, causal)


def source_widths(rng: np.random.Generator, n_columns: int) -> list[tuple[str, int]]:
    """Decide for each source how it is seen and how many columns that takes; they add up to N."""
    weights = rng.dirichlet([1.0, 0.7, 0.4]) if rng.random() < 0.6 else np.array([1.0, 0.0, 0.0])
    layout: list[tuple[str, int]] = []
    while n_columns > 0:
        how = rng.choice(["cut", "onehot", "ordered"], p=weights)
        width = min(1 if how == "cut" else int(rng.integers(2, 9)), n_columns)
        layout.append((how if width > 1 else "cut", width))
        n_columns -= width
    return layout


def columns_from_sources(
    rng: np.random.Generator, sources: FloatArray, layout: list[tuple[str, int]], median: bool
) -> BoolArray:
    """[B, R, N] boolean columns from [B, R, V] sources; cuts at the median or at random quantiles."""
    B, R, _ = sources.shape
    ranks = np.argsort(np.argsort(sources, axis=1), axis=1).astype(np.float32) / R
    parts, all_rows = [], np.ones((B, R, 1), dtype=bool)
    for v, (how, width) in enumerate(layout):
        rank = ranks[:, :, v : v + 1]
        if how == "cut":
            parts.append(rank >= (0.5 if median else rng.beta(1.2, 1.2, (B, 1, 1)) * 0.96 + 0.02))
            continue
        above = rank >= np.cumsum(rng.dirichlet(np.full(width, 1.5), size=(B, 1)), axis=2)[:, :, :-1]
        if how == "ordered":
            parts += [above, rank >= rng.random((B, 1, 1))]
        else:  # between an edge and the next
            parts.append(np.concatenate([all_rows, above], 2) & ~np.concatenate([above, ~all_rows], 2))
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


def symptoms(rng: np.random.Generator, shape: Shape) -> tuple[BoolArray, FloatArray]:
    """Return columns [B, R, N] and labels [B, R] (0 or 1) of a disease-and-symptoms table.

    A share of columns carries no information; nuisance groups correlate columns also given the label.
    """
    B, R, N = shape
    subtypes = int(rng.integers(1, 5))
    positive_share = rng.beta(2.0, 2.0, size=(B, 1)) * 0.9 + 0.05
    label = rng.random((B, R)) < positive_share
    kind = rng.integers(0, subtypes, size=(B, R)) + subtypes * label
    base = rng.beta(0.8, 0.8, size=(B, 1, N)) * 0.96 + 0.02
    informative = rng.random((B, 1, N)) < rng.choice([0.15, 0.4, 0.8])
    strength = 10.0 ** rng.uniform(-0.5, 0.5)
    by_label = rng.standard_normal((B, 2, N)) * strength * informative
    by_kind = rng.standard_normal((B, 2 * subtypes, N)) * strength * informative * (subtypes > 1)
    by_kind += np.repeat(by_label, subtypes, axis=1)
    logit = np.log(base / (1 - base)) + np.take_along_axis(by_kind, kind[:, :, None], axis=1)
    if factors := int(rng.integers(0, 4)):
        loadings = rng.standard_normal((B, factors, N)) * rng.uniform(0.0, 2.0)
        logit = logit + rng.standard_normal((B, R, factors)) @ loadings
    columns = rng.random((B, R, N)) < 1 / (1 + np.exp(-np.clip(logit, -30, 30)))
    return columns, label.astype(np.float32)


def observed_labels(rng: np.random.Generator, truth: FloatArray, max_noise: float) -> BoolArray:
    """Draw labels from their probabilities and turn a share of them; the share differs by episode."""
    drawn = rng.random(truth.shape) < truth
    share = rng.uniform(0.0, max_noise, size=(len(truth), 1)) * (rng.random((len(truth), 1)) < 0.4)
    return np.asarray(drawn ^ (rng.random(drawn.shape) < share))


def known_cells(rng: np.random.Generator, columns: BoolArray, max_missing: float) -> BoolArray:
    """Choose which cells are known: all, missing at random by column, or depending on the value."""
    B, R, N = columns.shape
    if rng.random() < 0.6:
        return np.ones_like(columns)
    by_column = rng.uniform(0.0, max_missing, (B, 1, N)) * (rng.random((B, 1, N)) < 0.5)
    if rng.random() < 0.3:
        by_column = by_column * np.where(columns, 2 * rng.random((B, 1, N)), 2 * rng.random((B, 1, N)))
    return np.asarray(rng.random((B, R, N)) >= by_column)


def random_dnf(
    rng: np.random.Generator, columns: BoolArray, max_clauses: int = 8, max_literals: int = 6
) -> BoolArray:
    """[B, K, 2N] clauses; each takes its literals from a row of the table, so that it can hold.

    Unused clauses (an episode may have fewer than K) have no literal and never fire.
    """
    B, R, N = columns.shape
    K = int(rng.integers(1, max_clauses + 1))
    lengths = rng.integers(1, min(max_literals, N) + 1, size=(B, K))
    if rng.random() < 0.5:  # clauses of one length are what hand-written rules tend to have
        lengths[:] = lengths[:, :1]
    if K > 1 and rng.random() < 0.5:
        lengths = np.maximum(lengths, 2)  # many one-literal clauses make almost every row positive
    example = np.take_along_axis(columns, rng.integers(0, R, size=(B, K))[:, :, None], axis=1)
    return signed_clauses(rng.random((B, K, N), dtype=np.float32), lengths, example)


def signed_clauses(keys: NDArray[np.floating], lengths: IntArray, signs: BoolArray) -> BoolArray:
    """[B, K, 2N] clauses of so many variables [B, K], those of the lowest keys [B, K, N], by signs."""
    chosen = np.argsort(np.argsort(keys, axis=2), axis=2) < lengths[:, :, None]
    return np.concatenate([chosen & signs, chosen & ~signs], axis=2)


def dnf_truth(clauses: BoolArray, columns: BoolArray) -> BoolArray:
    """[B, R]: where at least one clause with a literal has all its literals true."""
    literals = np.concatenate([columns, ~columns], axis=2)
    false_literals = (~literals).astype(np.float32) @ np.swapaxes(clauses, 1, 2).astype(np.float32)
    fires = (false_literals < 0.5) & np.asarray(clauses.any(axis=2))[:, None, :]
    return np.asarray(fires.any(axis=2))


def with_more_columns(clauses: BoolArray, count: int) -> BoolArray:
    """[B, K, 2N + 2 count]: carry clauses over to a table with so many more columns at its end."""
    halves = np.split(clauses, 2, axis=2)
    return np.concatenate([np.pad(half, [(0, 0), (0, 0), (0, count)]) for half in halves], axis=2)


def tree_score(rng: np.random.Generator, columns: BoolArray, depth: int) -> FloatArray:
    """[B, R]: the leaf value of one random binary tree for each row."""
    B, R, N = columns.shape
    splits = rng.integers(0, N, size=(B, 2**depth))
    node = np.ones((B, R), dtype=np.int64)
    for _ in range(depth):
        variable = np.take_along_axis(splits, node, axis=1)
        node = 2 * node + np.take_along_axis(columns, variable[:, :, None], axis=2)[:, :, 0]
    return np.take_along_axis(normal(rng, (B, 2**depth)), node - 2**depth, axis=1)


def forest_score(rng: np.random.Generator, columns: BoolArray) -> FloatArray:
    """[B, R]: one tree, or the sum of several with weights that fall off."""
    n_trees, depth = int(rng.choice([1, 1, 2, 4, 8])), int(rng.integers(2, 6))
    total = np.zeros(columns.shape[:2], dtype=np.float32)
    for t in range(n_trees):
        total += tree_score(rng, columns, depth) / np.float32(1 + 0.3 * t)
    return total


def linear_score(rng: np.random.Generator, inputs: FloatArray) -> FloatArray:
    """[B, R]: a weighted sum of inputs, from a few strong ones to many weak ones."""
    B, _, N = inputs.shape
    tail = rng.choice([1.0, 2.0, 3.0])
    weights = np.sign(normal(rng, (B, N, 1))) * np.abs(normal(rng, (B, N, 1))) ** np.float32(tail)
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
    at = np.clip(((1 - positive_share) * R).astype(int), 0, R - 1)
    threshold = np.take_along_axis(np.sort(score, axis=1), at, axis=1)
    sharpness = np.float32(10.0 ** rng.uniform(0.0, 2.0))
    logit = np.clip(sharpness * (score - threshold), -30, 30)
    return np.asarray(1 / (1 + np.exp(-logit)), dtype=np.float32)


def one_of_many(rng: np.random.Generator, scores: list[FloatArray]) -> FloatArray:
    """[B, R]: probability of the first of several classes that compete; what one-against-rest sees."""
    stacked = np.stack([standardized(score) for score in scores], axis=2)
    stacked = stacked + normal(rng, (stacked.shape[0], 1, stacked.shape[2]))
    sharp = np.float32(10.0 ** rng.uniform(0.3, 2.0)) * stacked
    exps = np.exp(sharp - sharp.max(axis=2, keepdims=True))
    return np.asarray(exps[:, :, 0] / exps.sum(axis=2), dtype=np.float32)


TARGETS = ("dnf", "dnf", "forest", "linear", "hidden", "mixed", "compete", "generative")
"""What decides the label; a family named twice is drawn twice as often."""


@dataclass(frozen=True)
class WidePrior:
    """The ranges that the wide prior draws from."""

    min_rows: int = 6
    max_rows: int = 512
    min_columns: int = 4
    max_columns: int = 128
    n_query: int = 32  # query rows in each episode
    cells: int = 80_000  # Cells in a batch, which fix how many episodes it holds; query rows count twice.
    max_episodes: int = 40
    max_noise: float = 0.3  # largest share of support labels that are turned
    max_missing: float = 0.3  # largest share of unknown cells in a column

    def draw(self, rng: np.random.Generator) -> SyntheticBatch:
        """Draw a batch of episodes of one shape."""
        M = log_uniform(rng, self.min_rows, self.max_rows)
        N = log_uniform(rng, self.min_columns, self.max_columns)
        B = int(np.clip(self.cells // ((M + 2 * self.n_query) * N), 2, self.max_episodes))
        columns, truth, clauses = _table(rng, (B, M + self.n_query, N))
        labels = observed_labels(rng, truth[:, :M], self.max_noise)
        known = known_cells(rng, columns, self.max_missing)
        return SyntheticBatch(columns & known, known, labels, truth, clauses)


def log_uniform(rng: np.random.Generator, least: int, most: int) -> int:
    """Draw a whole number whose logarithm is uniform."""
    return int(np.exp(rng.uniform(np.log(least), np.log(most + 1))))


def _table(rng: np.random.Generator, shape: Shape) -> tuple[BoolArray, FloatArray, BoolArray | None]:
    """Columns [B, R, N], truth [B, R] and, for a DNF target, its clauses [B, K, 2N]."""
    family = TARGETS[rng.integers(len(TARGETS))]
    if family == "generative":
        columns, truth = symptoms(rng, shape)
        return columns, truth, None
    columns, sources = _features(rng, shape)
    if family == "dnf":
        clauses = random_dnf(rng, columns)
        return columns, dnf_truth(clauses, columns).astype(np.float32), clauses
    N = columns.shape[2]
    n_relevant = max(2, int(np.ceil(N * rng.choice([0.2, 0.5, 1.0]))))  # the others are there to distract
    relevant = columns[:, :, rng.permutation(N)[:n_relevant]]
    scores = {
        "forest": lambda: forest_score(rng, relevant),
        "linear": lambda: linear_score(rng, relevant.astype(np.float32) * 2 - 1),
        "hidden": lambda: linear_score(rng, sources),
    }
    if family == "compete":
        drawn = [list(scores.values())[rng.integers(3)]() for _ in range(int(rng.integers(3, 7)))]
        return columns, one_of_many(rng, drawn), None
    if family == "mixed":
        score = standardized(scores["forest"]()) + standardized(scores["linear"]())
    else:
        score = scores[family]()
    return columns, probability(rng, standardized(score)), None


def _features(rng: np.random.Generator, shape: Shape) -> tuple[BoolArray, FloatArray]:
    """Columns [B, R, N] in random order, and the sources [B, R, V] they were cut from."""
    B, R, N = shape
    layout = source_widths(rng, N)
    sources = SOURCES[rng.integers(len(SOURCES))](rng, (B, R, len(layout)))
    columns = repeat_some(rng, columns_from_sources(rng, sources, layout, median=rng.random() < 0.4))
    return columns[:, :, rng.permutation(N)], sources


SEED = 20_261_116  # training runs take small seeds


def validation_suite(batches: int = 8) -> dict[str, list[SyntheticBatch]]:
    """Name the parts: the wide prior by size of table, clean rules, noisy rules, spurious columns.

    ``batches`` is the size of a part of the wide prior; the parts with rules have a quarter of it.
    """
    few = max(1, batches // 4)
    parts: dict[str, tuple[int, Callable[[np.random.Generator], SyntheticBatch]]] = {
        "small": (batches, WidePrior(max_rows=40).draw),
        "middle": (batches, WidePrior(min_rows=40, max_rows=200).draw),
        "large": (batches, WidePrior(min_rows=200).draw),
        "recovery": (few, lambda rng: _rules(rng, 48)),
        "noise": (few, lambda rng: _rules(rng, 256, noise=0.3)),
        "spurious": (few, lambda rng: _rules(rng, 48, spurious=8)),
    }
    return {
        name: [draw(np.random.default_rng([SEED, number, index])) for index in range(count)]
        for number, (name, (count, draw)) in enumerate(parts.items())
    }


def _rules(rng: np.random.Generator, n_support: int, noise: float = 0.0, spurious: int = 0) -> SyntheticBatch:
    """Draw DNFs over 12 fair columns; spurious ones agree with the support's labels 7 times in 10."""
    B, N, n_query = 24, 12, 64
    columns = rng.random((B, n_support + n_query, N)) < 0.5
    clauses = random_dnf(rng, columns, max_clauses=4, max_literals=3)
    truth = dnf_truth(clauses, columns)
    labels = truth[:, :n_support] ^ (rng.random((B, n_support)) < noise)
    if spurious:
        turned = rng.random((*truth.shape, spurious)) < 0.3
        columns = np.concatenate([columns, truth[:, :, None] ^ turned], axis=2)
        clauses = with_more_columns(clauses, spurious)
    return SyntheticBatch(columns, np.ones_like(columns), labels, truth.astype(np.float32), clauses)
