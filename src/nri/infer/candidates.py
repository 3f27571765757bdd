"""Candidate clauses and the rows on which they fire."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nri.episode import BoolArray, FloatArray
from nri.infer.limits import Limits

IndexClause = tuple[int, ...]
"""Literal indices in rising order; the empty one always fires."""

Words = NDArray[np.uint64]
"""Rows packed 64 to a word along the last axis."""


@dataclass(frozen=True, eq=False)
class CandidatePool:
    """Clauses that differ in where they fire, and their truth on the rows."""

    clauses: tuple[IndexClause, ...]
    truth: BoolArray
    """[C, M]"""

    def __len__(self) -> int:
        return len(self.clauses)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """[C], literals in each clause."""
        return np.array([len(clause) for clause in self.clauses], dtype=np.int64)

    def take(self, index: Sequence[int] | NDArray[np.int64]) -> "CandidatePool":
        """Return the pool of these candidates, in this order."""
        return CandidatePool(tuple(self.clauses[i] for i in index), self.truth[list(index)])


def build_pool(
    literals: BoolArray,
    clauses: Iterable[IndexClause],
    limits: Limits | None = None,
    *,
    positive: FloatArray | None = None,
    weights: FloatArray | None = None,
) -> CandidatePool:
    """Keep of the clauses those that can matter, each truth vector once.

    Contradictions, clauses beyond the limits and clauses that never fire are left out. Of several
    clauses with the same truth on the rows the shortest stays, then the first in index order.

    Parameters
    ----------
    literals
        [M, 2N], where each literal is known to hold.
    clauses
        Index clauses in any order, with repetitions allowed.
    limits
        Bounds on the literals used and on length; on precision where the masses are given.
    positive, weights
        [M], mass of the class and of the whole row, used by ``limits.min_precision`` only.

    >>> rows = np.array([[1, 0, 0, 1], [1, 1, 0, 0]], dtype=bool)  # two variables, two rows
    >>> build_pool(rows, [(0,), (0, 2), (1, 0), (), (1,)]).clauses
    ((), (1,))
    """
    n_variables = literals.shape[1] // 2
    limits = limits or Limits(max_literals=max(1, n_variables))
    admissible = _admissible(clauses, limits, n_variables)
    words = clause_words(literals, admissible)
    first: dict[bytes, int] = {}
    for index, row in enumerate(words):
        first.setdefault(row.tobytes(), index)
    first.pop(bytes(words.shape[1] * 8), None)  # fires nowhere
    kept = list(first.values())
    pool = CandidatePool(tuple(admissible[i] for i in kept), unpack_rows(words[kept], len(literals)))
    if positive is None or weights is None or limits.min_precision <= 0.0:
        return pool
    precision = (pool.truth @ positive) / np.maximum(pool.truth @ weights, 1e-300)
    return pool.take(np.flatnonzero(precision >= limits.min_precision - 1e-12))


def pack_rows(truth: BoolArray) -> Words:
    """Turn [M, L] truth into [L, words] bitsets over the rows."""
    packed = np.packbits(truth.T, axis=1)
    padded = np.zeros((packed.shape[0], -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


def unpack_rows(words: Words, n_rows: int) -> BoolArray:
    """Turn [C, words] bitsets into [C, M] truth."""
    if not words.size:
        return np.zeros((len(words), n_rows), dtype=bool)
    flat = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(flat, axis=1, count=n_rows).astype(bool)


def clause_words(literals: BoolArray, clauses: Sequence[IndexClause]) -> Words:
    """[C, words], the AND of the bitsets of each clause's literals."""
    always = np.ones((len(literals), 1), dtype=bool)
    table = pack_rows(np.concatenate([literals, always], axis=1))
    index = padded_index(clauses, fill=literals.shape[1])
    words = table[index[:, 0]]
    for column in index.T[1:]:
        words &= table[column]
    return words


def clause_truth(literals: BoolArray, clauses: Sequence[IndexClause]) -> BoolArray:
    """[C, M], where every literal of each clause is known to hold."""
    return unpack_rows(clause_words(literals, clauses), len(literals))


def padded_index(clauses: Sequence[IndexClause], fill: int) -> NDArray[np.int64]:
    """[C, longest or 1], literal indices with ``fill`` behind the shorter clauses."""
    longest = max((len(clause) for clause in clauses), default=0) or 1
    index = np.full((len(clauses), longest), fill, dtype=np.int64)
    lengths = np.array([len(clause) for clause in clauses], dtype=np.int64)
    filled = np.arange(longest) < lengths[:, None]
    index[filled] = [literal for clause in clauses for literal in clause]
    return index


def _admissible(clauses: Iterable[IndexClause], limits: Limits, n_variables: int) -> list[IndexClause]:
    """Canonical clauses within the limits and without contradiction, short ones first."""
    usable = set(np.flatnonzero(limits.literal_mask(n_variables)).tolist())
    required = [set(np.flatnonzero(mask).tolist()) for mask in limits.required]
    unique = {tuple(sorted({int(literal) for literal in clause})) for clause in clauses}
    kept = [
        clause
        for clause in unique
        if len(clause) <= limits.max_literals
        and usable.issuperset(clause)
        and len({literal % n_variables for literal in clause}) == len(clause)
        and not any(wanted.isdisjoint(clause) for wanted in required)
    ]
    return sorted(kept, key=lambda clause: (len(clause), clause))
