"""Search for conjunctions on whose rows an outcome is more frequent than elsewhere: a beam search."""

from dataclasses import dataclass

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray

_BEAM = 40
"""Conjunctions of each length that longer ones are made from."""
_LEAST_GAIN = 0.5
"""Standard deviations that a further literal must add, or it tells nothing."""
_SAME = 0.8
"""Share of the smaller one's rows from which of two slices one is told only: they are the same story."""
_NEW = 2.0
"""Standard deviations by which a further slice exceeds chance on the rows that no better slice has."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A conjunction, as indices of literals."""

    literals: tuple[int, ...]
    score: float
    """Standard deviations by which its errors exceed what drawing as many rows blindly would give."""
    rows: BoolArray
    """[M]"""


def search_slices(
    truth: BoolArray, wrong: BoolArray, *, max_literals: int, min_rows: int, most: int
) -> list[Candidate]:
    """Return the conjunctions whose rows hold most errors beyond chance, no two of them nearly alike.

    Parameters
    ----------
    truth
        [M, L], where each literal is known to hold.
    wrong
        [M], where the outcome occurs.
    max_literals
        Most literals of a conjunction.
    min_rows
        Least rows of a conjunction.
    most
        How many to return at most.
    """
    literals = truth.astype(np.float32)
    outcome = wrong.astype(np.float32)
    beam: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    pool: dict[tuple[int, ...], float] = {}
    for _ in range(max_literals):
        masks = np.stack([_rows_of(truth, chosen) for chosen, _ in beam]).astype(np.float32)
        rows, errors = (np.asarray(m @ literals, np.float64) for m in (masks, masks * outcome))
        scores = _scores(rows, errors, len(wrong), float(wrong.mean()), min_rows)
        scores[scores <= np.array([score for _, score in beam])[:, None] + _LEAST_GAIN] = -np.inf
        grown = _best(beam, scores)
        pool |= grown
        beam = sorted(grown.items(), key=lambda item: (-item[1], item[0]))[:_BEAM]
        if not beam:
            break
    ranked = sorted(pool.items(), key=lambda item: (-round(item[1], 6), len(item[0]), item[0]))
    return _different(ranked, truth, wrong, most)


def _rows_of(truth: BoolArray, literals: tuple[int, ...]) -> BoolArray:
    rows: BoolArray = np.logical_and.reduce(truth[:, list(literals)], axis=1)
    return rows


def _scores(rows: FloatArray, errors: FloatArray, n: int, rate: float, min_rows: int) -> FloatArray:
    """Return errors less those expected, by the hypergeometric standard deviation; -inf for too few rows."""
    variance = rows * rate * (1 - rate) * (n - rows) / max(n - 1, 1)
    scores = np.full(rows.shape, -np.inf)
    usable = (rows >= min_rows) & (variance > 1e-9)
    scores[usable] = (errors[usable] - rows[usable] * rate) / np.sqrt(variance[usable])
    return scores


def _best(beam: list[tuple[tuple[int, ...], float]], scores: FloatArray) -> dict[tuple[int, ...], float]:
    """Return the best extensions of the beam, each conjunction once."""
    usable = int(np.isfinite(scores).sum())
    order: IntArray = np.argsort(-scores, axis=None, kind="stable")[: min(usable, 4 * _BEAM)]
    grown: dict[tuple[int, ...], float] = {}
    for flat in order.tolist():
        parent, literal = divmod(flat, scores.shape[1])
        grown.setdefault(tuple(sorted({*beam[parent][0], literal})), float(scores[parent, literal]))
    return grown


def _different(
    ranked: list[tuple[tuple[int, ...], float]], truth: BoolArray, wrong: BoolArray, most: int
) -> list[Candidate]:
    """Take the best first, and then what has too many errors even without the rows taken before."""
    taken: list[Candidate] = []
    left = np.ones(len(wrong), dtype=bool)
    for literals, score in ranked:
        rows = _rows_of(truth, literals)
        nested = any(_shared(rows, other.rows) > _SAME for other in taken)
        if not nested and _score_among(left, rows, wrong) > _NEW:
            taken.append(Candidate(literals, score, rows))
            left = left & ~rows
        if len(taken) == most:
            break
    return taken


def _shared(one: BoolArray, other: BoolArray) -> float:
    """Return the share of the smaller set of rows that lies in the other."""
    return float((one & other).sum() / max(1, min(one.sum(), other.sum())))


def _score_among(left: BoolArray, rows: BoolArray, wrong: BoolArray) -> float:
    n = int(left.sum())
    if not n:
        return -np.inf
    own, errors = (rows & left).sum(), (rows & left & wrong).sum()
    return float(
        _scores(np.array([float(own)]), np.array([float(errors)]), n, float(wrong[left].mean()), 1)[0]
    )
