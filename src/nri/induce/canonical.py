"""Canonical: one order of rows, columns and signs for all tables that say the same thing.

Inducers break ties by position: of two columns that serve equally well the first is taken. So that
the rule does not depend on how the caller happened to order rows and columns, or on whether a yes/no
column is coded as ``smoker`` or ``non_smoker``, every episode is put into one order before induction.
The order depends on cells and labels alone: first how much a variable tells about the label, then a
fingerprint that rows and literals refine in turns. Columns that remain tied are alike to any
inducer (they could be swapped); they keep their order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nri.arrays import BoolArray, FloatArray, Hashes, IntArray, mixed
from nri.episode import Cells, Episode
from nri.rule import Kind, Literal

_ROUNDS = 2
"""Refinements of the fingerprints; two tell columns apart by the company they keep."""
_CHUNK = 64
"""Columns that are summed at once, so that memory does not grow with their number."""
_WEIGHT_UNITS = 2**20
"""Weights enter fingerprints as multiples of this fraction: whole ones add up exactly."""


@dataclass(frozen=True, eq=False)
class CanonicalEpisode:
    """An episode in canonical order, and what its literals mean."""

    episode: Episode
    literals: tuple[Literal, ...]
    """[2N], the meaning of each literal index"""
    groups: IntArray
    """[N + F], which variables and numbers come from one column, numbered by first appearance"""
    order: IntArray
    """[N], where each variable stood in the table"""
    flipped: BoolArray
    """[N], which variables were negated"""
    number_order: IntArray
    """[F], where each number stood in the table"""

    def seen(self, cells: Cells) -> Cells:
        """Put other rows of the same table into this order."""
        known = cells.known[:, self.order]
        values = (cells.values[:, self.order] ^ self.flipped) & known
        return Cells(values, known, cells.numbers[:, self.number_order])


def canonical(
    episode: Episode, literals: Sequence[Literal], groups: IntArray, reorder: bool = True
) -> CanonicalEpisode:
    """Reorder rows and variables, and flip yes/no variables so that the rarer answer is the positive one.

    Without ``reorder`` all stays as it is: so the paper's network sees a table.
    """
    if not reorder:
        N, F = episode.n_variables, episode.numbers.shape[1]
        kept = np.unique(groups, return_inverse=True)[1].astype(np.int64)
        return CanonicalEpisode(
            episode, tuple(literals), kept, np.arange(N), np.zeros(N, dtype=bool), np.arange(F)
        )
    rows, true, false = _fingerprints(episode)
    flip = _flips(episode, literals, true, false)
    information = _information(episode)
    low, high = np.minimum(true, false), np.maximum(true, false)
    order = np.lexsort((high, low, -information))
    by_row = np.argsort(rows, kind="stable")
    values, known = episode.values[by_row][:, order], episode.known[by_row][:, order]
    flipped = flip[order]
    N = episode.n_variables
    positive = np.where(flipped, order + N, order)
    negative = np.where(flipped, order, order + N)
    _, first, inverse = np.unique(groups[:N][order], return_index=True, return_inverse=True)
    ordered_groups = np.argsort(np.argsort(first))[inverse].astype(np.int64)
    place = dict(zip(groups[:N][order].tolist(), ordered_groups.tolist(), strict=True))
    number_groups = np.array([place[group] for group in groups[N:].tolist()], dtype=np.int64)
    number_order = np.argsort(number_groups, kind="stable")
    view = CanonicalEpisode(
        Episode(
            (values ^ flipped) & known,
            known,
            episode.labels[by_row],
            episode.weights[by_row],
            episode.n_classes,
            episode.numbers[by_row][:, number_order],
            episode.costs,
            episode.unlabelled,
        ),
        tuple(literals[i] for i in (*positive.tolist(), *negative.tolist())),
        np.concatenate([ordered_groups, number_groups[number_order]]),
        order,
        flipped,
        number_order,
    )
    if not len(episode.unlabelled):
        return view
    return replace(
        view, episode=replace(view.episode, unlabelled=_in_one_order(view.seen(episode.unlabelled)))
    )


def _in_one_order(cells: Cells) -> Cells:
    """Sort rows by what they hold, so that their order does not matter."""
    keys = np.column_stack([cells.values, cells.known, cells.numbers])
    return cells.take(np.lexsort(keys.T[::-1]))


def _flips(episode: Episode, literals: Sequence[Literal], true: Hashes, false: Hashes) -> BoolArray:
    """[N]: yes/no variables to be negated; categories and thresholds have a natural positive side."""
    n_true = episode.weights @ episode.values
    n_false = episode.weights @ (episode.known & ~episode.values)
    flippable = np.array(
        [literal.kind is Kind.BOOLEAN for literal in literals[: episode.n_variables]], dtype=bool
    )
    flips: BoolArray = flippable & ((n_true > n_false) | ((n_true == n_false) & (true > false)))
    return flips


def _information(episode: Episode) -> FloatArray:
    """[N]: bits that knowing a variable (also that it is unknown) tells about the label."""
    classes = np.eye(episode.n_classes)[episode.labels] * episode.weights[:, None]
    in_true = classes.T @ episode.values
    in_known = classes.T @ episode.known
    total = classes.sum(axis=0)[:, None]
    sides = (in_true, in_known - in_true, total - in_known)
    true, false, unknown = (_uncertainty(np.maximum(side, 0.0)) for side in sides)
    left: FloatArray = np.round(_uncertainty(total) - ((true + false) + unknown), 6)
    return left


def _uncertainty(counts: FloatArray) -> FloatArray:
    """[N]: rows times entropy of their classes, in bits."""
    total = counts.sum(axis=0)
    share = counts / np.maximum(total, 1e-300)
    logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
    result: FloatArray = -(counts * logs).sum(axis=0)
    return result


def _fingerprints(episode: Episode) -> tuple[Hashes, Hashes, Hashes]:
    """Return fingerprints of rows, of variables and of their negations that no reordering changes.

    A literal's fingerprint sums up the rows on which it holds, a row's the literals that hold on it.
    Weights add up, so a row of weight two counts as two rows.
    """
    weights = np.round(episode.weights * _WEIGHT_UNITS).astype(np.uint64)
    base = mixed(episode.labels.astype(np.uint64))
    rows = base
    for _ in range(_ROUNDS + 1):
        seen = mixed(rows) * weights
        true, false = _column_sums(episode, seen)
        rows = base + _row_sums(episode, mixed(true), mixed(false))
    return rows, true, false


def _column_sums(episode: Episode, rows: Hashes) -> tuple[Hashes, Hashes]:
    """[N] twice: the sum of the rows' numbers where each variable is true, and where it is false."""
    true, false = [], []
    for start in range(0, episode.n_variables, _CHUNK):
        part = slice(start, start + _CHUNK)
        values, known = episode.values[:, part], episode.known[:, part]
        true.append(rows @ values.astype(np.uint64))
        false.append(rows @ (known & ~values).astype(np.uint64))
    empty = [np.zeros(0, dtype=np.uint64)]
    return np.concatenate(true or empty), np.concatenate(false or empty)


def _row_sums(episode: Episode, true: Hashes, false: Hashes) -> Hashes:
    """[M]: the sum of the numbers of the literals that hold on each row."""
    total = np.zeros(episode.n_rows, dtype=np.uint64)
    for start in range(0, episode.n_variables, _CHUNK):
        part = slice(start, start + _CHUNK)
        values, known = episode.values[:, part], episode.known[:, part]
        total += values.astype(np.uint64) @ true[part]
        total += (known & ~values).astype(np.uint64) @ false[part]
    return total
