"""The rows that opinions are formed from and evaluated: labelled ones, and plausible ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray, IntArray
from nri.episode import Cells, Episode

SignedArray = NDArray[np.float32]
HEAVIEST, LIGHTEST = 1e4, 1e-6
"""What a row of a sample weighs at most and at least: in single precision a heavier one is certainty too."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Different labelled rows and how many rows each stands for."""

    cells: Cells
    labels: IntArray  # [M]
    weights: FloatArray  # [M], all above zero
    n_classes: int
    rows: IntArray  # [M], the first row of the episode that each stands for


def signed_cells(values: NDArray[Any], known: NDArray[Any]) -> SignedArray:
    """[M, N], cells as experts and network read them: +1 for true, -1 for false, 0 for unknown."""
    return np.where(known, np.where(values, 1.0, -1.0), 0.0).astype(np.float32)


def spread_rows(n_rows: int, most: int) -> IntArray:
    """Return so many of the rows, at even steps, so that they are of all kinds wherever rows are sorted."""
    if most >= n_rows:
        return np.arange(n_rows)
    return np.unique(np.linspace(0, n_rows - 1, most).round().astype(np.int64))


def take_sample(episode: Episode, most: int, rng: np.random.Generator) -> Sample:
    """Merge rows with the same cells and label; of more than ``most``, draw some of each class.

    The rows drawn keep the weight of their class, so its share stays what it is in the table.
    """
    used = np.flatnonzero(episode.weights > 0)
    labels = episode.labels[used]
    own = labels.astype(">i8").view(np.uint8).reshape(-1, 8)
    keyed = np.concatenate([own, _keys(episode.take(used))], axis=1)
    _, first, group = np.unique(keyed, axis=0, return_index=True, return_inverse=True)
    weights = np.bincount(group.reshape(-1), episode.weights[used]).astype(np.float64)
    kept = np.arange(len(first))
    if len(kept) > most:
        kept, weights = _drawn(labels[first], weights, most, rng)
    rows = used[first[kept]]
    weights = np.maximum(weights * min(1.0, HEAVIEST / float(weights.max(initial=1.0))), LIGHTEST)
    return Sample(episode.take(rows), episode.labels[rows], weights, episode.n_classes, rows)


def distinct_rows(cells: Cells) -> tuple[Cells, IntArray]:
    """Return each different row once, in an order of their contents, and which of them each row is."""
    _, first, which = np.unique(_keys(cells), axis=0, return_index=True, return_inverse=True)
    return cells.take(first), which.reshape(-1)


def _keys(cells: Cells) -> NDArray[np.uint8]:
    """[M, bytes], equal for equal rows."""
    packed = np.packbits(np.concatenate([cells.values, cells.known], axis=1), axis=1)
    numbers = np.ascontiguousarray(cells.numbers, dtype=np.float32).view(np.uint8)
    return np.concatenate([packed, numbers.reshape(len(cells), -1)], axis=1)


def _drawn(
    labels: IntArray, weights: FloatArray, most: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Draw about ``most`` units of weight at even steps, a few of each class; rows drawn twice weigh two."""
    drawn = np.zeros(len(weights))
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        share = float(weights[members].sum() / weights.sum())
        number = max(min(5, len(members)), round(most * share))
        steps = (rng.random() + np.arange(number)) / number
        ends = np.cumsum(weights[members])
        taken = np.searchsorted(ends, steps * ends[-1], side="right")
        counts = np.bincount(np.minimum(taken, len(members) - 1), minlength=len(members))
        drawn[members] = counts * (most * share / number)
    kept = np.flatnonzero(drawn > 0)
    return kept, drawn[kept]


FRESH_SHARE = 0.7
"""Share of the columns without numbers that a plausible row takes from other rows: with fewer, a rule that
knows the labelled rows by heart looks good; with all, nothing that goes together in the table is left."""
ALONE = 0.1  # How much sooner, with few rows for each column, numbers move on their own rather than together.


def plausible_rows(sample: Sample, groups: IntArray, count: int, rng: np.random.Generator) -> Cells:
    """Make so many rows that the table might as well have held.

    Each starts from a row drawn by weight. Its numbers move a little, with the correlations of its class, and
    most other columns come from other rows. What is made of one column (a one-hot group, ordered thresholds
    and their number) comes from one row, so that no row contradicts itself.
    """
    cells = sample.cells
    _, member = np.unique(groups, return_inverse=True)
    shape = (count, int(member.max(initial=-1)) + 1)
    share = sample.weights / sample.weights.sum()
    start = rng.choice(len(cells), size=count, p=share)
    others = rng.choice(len(cells), size=shape, p=share)
    source: IntArray = np.where(rng.random(shape) < FRESH_SHARE, others, start[:, None])
    of_variables, of_numbers = np.split(member, [cells.values.shape[1]])
    moved = _moved(sample, share, start, rng)
    for number, column in enumerate(of_numbers.tolist()):
        known = cells.known[:, int(np.argmax(of_variables == column))]
        near = _nearest(cells.numbers[:, number], np.flatnonzero(known), moved[:, number])
        source[:, column] = np.where(known[start], near, start)
    return Cells(
        cells.values[source[:, of_variables], np.arange(len(of_variables))],
        cells.known[source[:, of_variables], np.arange(len(of_variables))],
        cells.numbers[source[:, of_numbers], np.arange(len(of_numbers))],
    )


def _moved(sample: Sample, share: FloatArray, start: IntArray, rng: np.random.Generator) -> FloatArray:
    """[rows, F]: numbers of rows, moved by Silverman's rule as those of their class spread."""
    numbers = sample.cells.numbers.astype(np.float64)
    n_columns = numbers.shape[1]
    _, which = np.unique(sample.labels, return_inverse=True)
    members = np.eye(int(which.max(initial=0)) + 1)[which] * share[:, None]
    centre = ((members.T @ numbers) / members.sum(axis=0)[:, None])[which]  # the mean of each row's class
    around = numbers - centre
    spread = (around * share[:, None]).T @ around
    n_rows = 1 / float((share**2).sum())
    alone = min(1.0, ALONE * n_columns / n_rows + 0.02)
    own = np.diag(np.maximum(np.diag(spread), 1e-4))
    root = np.linalg.cholesky((1 - alone) * spread + alone * own)
    step = (4 / ((n_columns + 2) * n_rows)) ** (1 / (n_columns + 4))
    drawn = rng.standard_normal((len(start), n_columns)) @ root.T
    return np.asarray(centre[start] + (around[start] + step * drawn) / np.sqrt(1 + step**2))


def _nearest(values: NDArray[np.float32], rows: IntArray, points: FloatArray) -> IntArray:
    """Return for each point the row, of these, whose value lies nearest to it; row 0 if there are none."""
    if not len(rows):
        return np.zeros(len(points), dtype=np.int64)
    order = rows[np.argsort(values[rows], kind="stable")]
    middles = (values[order][1:].astype(np.float64) + values[order][:-1]) / 2
    return np.asarray(order[np.searchsorted(middles, points)])
