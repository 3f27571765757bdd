"""The wide prior: many kinds of tables and targets, so that a real table is seldom a surprise."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nri.synth.columns import columns_from_sources, repeat_some, source_widths
from nri.synth.corrupt import known_cells, observed_labels
from nri.synth.formulas import dnf_truth, random_dnf
from nri.synth.generative import symptoms
from nri.synth.record import SyntheticBatch
from nri.synth.sources import SOURCES, FloatArray
from nri.synth.targets import forest_score, linear_score, one_of_many, probability, standardized

BoolArray = NDArray[np.bool_]

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
