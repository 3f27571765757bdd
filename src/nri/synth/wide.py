"""The wide prior: many kinds of tables and targets, so that a real table is seldom a surprise."""

from dataclasses import dataclass

import numpy as np

from nri.synth.tables import (
    SOURCES,
    BoolArray,
    FloatArray,
    SyntheticBatch,
    columns_from_sources,
    dnf_truth,
    forest_score,
    known_cells,
    linear_score,
    observed_labels,
    one_of_many,
    probability,
    random_dnf,
    repeat_some,
    source_widths,
    standardized,
    symptoms,
    turn_labels,
)

TARGETS = ("dnf", "dnf", "forest", "linear", "hidden", "mixed", "compete", "generative")
"""What decides the label; a family named twice is drawn twice as often."""


@dataclass(frozen=True)
class WidePrior:
    """The ranges that the wide prior draws from."""

    min_rows: int = 6
    max_rows: int = 512
    min_columns: int = 4
    max_columns: int = 128
    n_query: int = 32
    """Query rows in each episode."""
    cells: int = 80_000
    """Cells in a batch, which fixes how many episodes of M x N it holds; query rows are counted twice,
    because each is looked at against the whole table."""
    max_episodes: int = 40
    max_noise: float = 0.3
    """Largest share of support labels that are turned."""
    max_missing: float = 0.3
    """Largest share of unknown cells in a column."""

    def draw(self, rng: np.random.Generator) -> SyntheticBatch:
        """Draw a batch of episodes of one shape."""
        M, N = self._shape(rng)
        B = int(np.clip(self.cells // ((M + 2 * self.n_query) * N), 2, self.max_episodes))
        columns, truth, clauses = _table(rng, (B, M + self.n_query, N))
        labels = observed_labels(rng, truth[:, :M], self.max_noise)
        known = known_cells(rng, columns, self.max_missing)
        return SyntheticBatch(columns & known, known, labels, truth, clauses)

    def _shape(self, rng: np.random.Generator) -> tuple[int, int]:
        rows = np.exp(rng.uniform(np.log(self.min_rows), np.log(self.max_rows + 1)))
        columns = np.exp(rng.uniform(np.log(self.min_columns), np.log(self.max_columns + 1)))
        return int(rows), int(columns)


def _table(
    rng: np.random.Generator, shape: tuple[int, int, int]
) -> tuple[BoolArray, FloatArray, BoolArray | None]:
    """Columns [B, R, N], truth [B, R] and, for a DNF target, its clauses [B, K, 2N]."""
    family = TARGETS[rng.integers(len(TARGETS))]
    if family == "generative":
        columns, truth = symptoms(rng, shape)
        return columns, truth, None
    columns, sources = _features(rng, shape)
    if family == "dnf":
        clauses = random_dnf(rng, columns)
        return columns, dnf_truth(clauses, columns).astype(np.float32), clauses
    relevant = _relevant(rng, columns)
    if family == "compete":
        n_classes = int(rng.integers(3, 7))
        return columns, one_of_many(rng, [_score(rng, relevant, sources) for _ in range(n_classes)]), None
    if family == "mixed":
        score = standardized(forest_score(rng, relevant)) + standardized(linear_score(rng, _signed(relevant)))
    elif family == "forest":
        score = forest_score(rng, relevant)
    elif family == "hidden":
        score = linear_score(rng, sources)
    else:
        score = linear_score(rng, _signed(relevant))
    return columns, probability(rng, standardized(score)), None


def _features(rng: np.random.Generator, shape: tuple[int, int, int]) -> tuple[BoolArray, FloatArray]:
    """Columns [B, R, N] in random order, and the sources [B, R, V] they were cut from."""
    B, R, N = shape
    layout = source_widths(rng, N)
    family = list(SOURCES)[rng.integers(len(SOURCES))]
    sources = SOURCES[family](rng, (B, R, len(layout)))
    columns = columns_from_sources(rng, sources, layout, median=rng.random() < 0.4)
    columns = repeat_some(rng, columns)
    return columns[:, :, rng.permutation(N)], sources


def _relevant(rng: np.random.Generator, columns: BoolArray) -> BoolArray:
    """Keep the columns that the target may read; the others are there to distract."""
    N = columns.shape[2]
    keep = max(2, int(np.ceil(N * rng.choice([0.2, 0.5, 1.0]))))
    return columns[:, :, rng.permutation(N)[:keep]]


def _score(rng: np.random.Generator, columns: BoolArray, sources: FloatArray) -> FloatArray:
    which = rng.integers(3)
    if which == 0:
        return forest_score(rng, columns)
    return linear_score(rng, _signed(columns) if which == 1 else sources)


def _signed(columns: BoolArray) -> FloatArray:
    return columns.astype(np.float32) * 2 - 1


SEED = 20_261_116
"""Training runs take small seeds."""


def validation_suite(batches: int = 8) -> dict[str, list[SyntheticBatch]]:
    """Name the parts: the wide prior by size of table, clean rules, noisy rules, spurious columns.

    ``batches`` is the size of a part of the wide prior; the parts with rules have a quarter of it.
    """
    few = max(1, batches // 4)
    small = WidePrior(max_rows=40)
    middle = WidePrior(min_rows=40, max_rows=200)
    large = WidePrior(min_rows=200)
    return {
        "small": [small.draw(np.random.default_rng([SEED, 0, i])) for i in range(batches)],
        "middle": [middle.draw(np.random.default_rng([SEED, 1, i])) for i in range(batches)],
        "large": [large.draw(np.random.default_rng([SEED, 2, i])) for i in range(batches)],
        "recovery": [_rules(np.random.default_rng([SEED, 3, i]), 48) for i in range(few)],
        "noise": [_rules(np.random.default_rng([SEED, 4, i]), 256, noise=0.3) for i in range(few)],
        "spurious": [_rules(np.random.default_rng([SEED, 5, i]), 48, spurious=8) for i in range(few)],
    }


def _rules(rng: np.random.Generator, n_support: int, noise: float = 0.0, spurious: int = 0) -> SyntheticBatch:
    """Draw DNFs over 12 fair columns; spurious ones agree with the support's labels 7 times in 10."""
    B, N, n_query = 24, 12, 64
    columns = rng.random((B, n_support + n_query, N)) < 0.5
    clauses = random_dnf(rng, columns, max_clauses=4, max_literals=3)
    truth = dnf_truth(clauses, columns)
    labels = turn_labels(rng, truth[:, :n_support], np.full((B, 1), noise))
    if spurious:
        shape = (B, n_support + n_query, spurious)
        columns = np.concatenate([columns, truth[:, :, None] ^ (rng.random(shape) < 0.3)], axis=2)
        empty = np.zeros((B, clauses.shape[1], spurious), dtype=bool)
        clauses = np.concatenate([clauses[:, :, :N], empty, clauses[:, :, N:], empty], axis=2)
    known = np.ones_like(columns)
    return SyntheticBatch(columns, known, labels, truth.astype(np.float32), clauses)
