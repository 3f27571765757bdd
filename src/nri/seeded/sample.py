"""The rows that opinions are formed from and asked about: labelled ones, and plausible ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray, IntArray
from nri.episode import Cells, Episode

SignedArray = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Sample:
    """Different labelled rows and how many rows each stands for."""

    cells: Cells
    labels: IntArray
    """[M]"""
    weights: FloatArray
    """[M], all above zero"""
    n_classes: int


def signed_cells(values: NDArray[Any], known: NDArray[Any]) -> SignedArray:
    """[M, N], cells as experts and network read them: +1 for true, -1 for false, 0 for unknown."""
    return np.where(known, np.where(values, 1.0, -1.0), 0.0).astype(np.float32)


def take_sample(episode: Episode, most: int, rng: np.random.Generator) -> Sample:
    """Merge rows with the same cells and label; of more than ``most``, draw some of each class.

    The rows drawn keep the weight of their class, so its share stays what it is in the table.
    """
    used = np.flatnonzero(episode.weights > 0)
    labels = episode.labels[used]
    own = labels.astype(">i8").view(np.uint8).reshape(-1, 8)
    keyed = np.concatenate([own, _keys(episode.cells.take(used))], axis=1)
    _, first, group = np.unique(keyed, axis=0, return_index=True, return_inverse=True)
    weights = np.zeros(len(first))
    np.add.at(weights, group.reshape(-1), episode.weights[used])
    kept = np.arange(len(first))
    if len(kept) > most:
        kept, weights = _drawn(labels[first], weights, most, rng)
    rows = used[first[kept]]
    return Sample(episode.cells.take(rows), episode.labels[rows], _countable(weights), episode.n_classes)


HEAVIEST, LIGHTEST = 1e4, 1e-6
"""What a row of a sample weighs at most and at least: the experts count in single precision, where the say of
a row that is heavier could not be told from certainty."""


def _countable(weights: FloatArray) -> FloatArray:
    return np.maximum(weights * min(1.0, HEAVIEST / float(weights.max(initial=1.0))), LIGHTEST)


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
    """Draw about ``most`` units of weight, a few of each class at least; rows drawn twice weigh two.

    Units are taken at even steps from a random start, so that likely rows are drawn at their true rate.
    """
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
"""Share of a mixed row's columns that are drawn anew.

With fewer the rows stay so near to labelled ones that a rule which has learned these by heart looks good;
with all of them nothing of what goes together in the table is left.
"""


def plausible_rows(
    cells: Cells, weights: FloatArray, groups: IntArray, count: int, rng: np.random.Generator
) -> Cells:
    """Make so many rows that the table might as well have held.

    One half are mixed: a row drawn by weight, most of its columns from other rows. That tries columns against
    each other. The other half lie between two rows, which keeps what goes together in the table.
    What is made of one column (a one-hot group, ordered thresholds and their number) comes from one row: no
    row says "red and blue" or "over 60 but not over 40".
    """
    _, member = np.unique(groups, return_inverse=True)
    n_columns = int(member.max(initial=-1)) + 1
    share = weights / weights.sum()
    between = count // 2
    n_variables = cells.values.shape[1]
    sources = [
        _mixed(len(cells), share, (count - between, n_columns), rng),
        _between(cells, member, share, (between, n_columns), rng),
    ]
    source = np.concatenate(sources)[:, member]
    variables, numbers = np.arange(n_variables), np.arange(cells.numbers.shape[1])
    of_variables, of_numbers = np.split(source, [n_variables], axis=1)
    return Cells(
        cells.values[of_variables, variables],
        cells.known[of_variables, variables],
        cells.numbers[of_numbers, numbers],
    )


def _mixed(n_rows: int, share: FloatArray, shape: tuple[int, int], rng: np.random.Generator) -> IntArray:
    """[rows, columns], the row that each column comes from: mostly one of its own."""
    kept = rng.choice(n_rows, size=(shape[0], 1), p=share)
    other = rng.choice(n_rows, size=shape, p=share)
    return np.where(rng.random(shape) < FRESH_SHARE, other, kept)


def _between(
    cells: Cells, member: IntArray, share: FloatArray, shape: tuple[int, int], rng: np.random.Generator
) -> IntArray:
    """[rows, columns], the row that each column comes from: near a point between two rows.

    A number comes from the row whose number lies nearest to the point; any other column, and a number that
    one of the two does not have, from either of them, the nearer one more often.
    """
    first, second = rng.choice(len(cells), size=(2, shape[0]), p=share)
    way = rng.random(shape[0])
    source: IntArray = np.where(rng.random(shape) < way[:, None], second[:, None], first[:, None])
    of_variables, of_numbers = np.split(member, [cells.values.shape[1]])
    for number, column in enumerate(of_numbers.tolist()):
        known = cells.known[:, int(np.argmax(of_variables == column))]
        values = cells.numbers[:, number]
        made = np.flatnonzero(known[first] & known[second])
        point = (1 - way[made]) * values[first[made]] + way[made] * values[second[made]]
        source[made, column] = _nearest(values, np.flatnonzero(known), point)
    return source


def _nearest(values: NDArray[np.float32], rows: IntArray, points: FloatArray) -> IntArray:
    """Return for each point the row, of these, whose value lies nearest to it."""
    order = rows[np.argsort(values[rows], kind="stable")]
    middles = (values[order][1:].astype(np.float64) + values[order][:-1]) / 2
    return np.asarray(order[np.searchsorted(middles, points)])
