"""Search: the list of clauses whose segments explain a number best, for what they cost to say.

The search minimises bits: of the rows given the means of their segments, by a Gaussian with the remaining
variance, and of the rule, its literals and means. So a segment stays only if it explains more than it costs.

A list is changed at one place at a time. Given the other clauses, every clause for that place is judged
exactly by a few sums for each later segment, all literals in one matrix product, until nothing pays any more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.rule.truth import first_to_fire

LiteralSet = tuple[int, ...]  # A clause as sorted indices of literals.

_BEAM = 8  # Beginnings of a clause that are kept at each length.
_LEAST_LENGTH = 3  # Literals from which on a clause grows only while each further one saves bits.
_SWEEPS = 12  # Most rounds through all places; three or four are usual.
_SAVED = 1e-4  # Bits that a change must save: less is rounding.
_FLOOR = 1e-4  # Least share of the variance that counts as unexplained: beyond that bits are not real.


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows to be explained, in index space."""

    fires: BoolArray  # [M, L], where each literal is known to hold
    values: FloatArray  # [M], with mean 0 and variance 1
    weights: FloatArray  # [M]
    max_clauses: int
    max_literals: int
    least_rows: float  # fewest rows of a segment
    price: float  # bits of rows that one bit of rule must save
    worth: float  # how many rows the bits of rows are counted for
    segment_bits: float  # bits of the mean of a segment
    prices: FloatArray  # [L], how many times its bits each literal costs
    required: tuple[BoolArray, ...] = ()  # [L] each; every clause has a literal of each of these sets


@dataclass(frozen=True)
class ClauseList:
    """A list of clauses, and the bits that it takes to say rows and rule by it."""

    clauses: tuple[LiteralSet, ...]
    bits: float


def search(problem: Problem, start: Sequence[LiteralSet] = (), *, only: bool = False) -> ClauseList:
    """Return the best list found from what is given, and unless ``only``, from nothing and from a tree."""
    segmenter = _Segmenter(problem)
    begins = dict.fromkeys([tuple(start)] if only else [tuple(start), (), segmenter.leaves()])
    return min(map(segmenter.improved, begins), key=lambda one: round(one.bits, 6))


class _Segmenter:
    """All that the moves need of a problem, prepared once."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.literals = problem.fires.astype(np.float64)
        n_literals = problem.fires.shape[1]
        self.total = float(problem.weights.sum())
        self.moments = np.stack([problem.weights, problem.weights * problem.values], axis=1)
        """[M, 2]: weight and weighted value of each row"""
        self.square = float(problem.weights @ problem.values**2)
        self.literal_bits = problem.price * (1.0 + np.log2(max(n_literals, 2))) * problem.prices
        self.segment_bits = problem.price * problem.segment_bits

    def mask(self, clause: LiteralSet) -> BoolArray:
        """[M]: where a clause fires."""
        return np.asarray(self.problem.fires[:, list(clause)].all(axis=1), dtype=bool)

    def price(self, clause: Sequence[int]) -> float:
        return float(self.segment_bits + self.literal_bits[list(clause)].sum())

    def data_bits(self, explained: FloatArray | float) -> FloatArray:
        """Bits of the rows, where so much of their sum of squares is explained."""
        left = np.maximum(self.square - np.asarray(explained), 0.0) / self.total
        return _data_bits(left, self.problem.worth)

    def bits(self, clauses: Sequence[LiteralSet]) -> float:
        """Bits of rows and rule; infinite if a segment has too few rows."""
        deciding = first_to_fire(self._matrix(clauses))
        sums = self._sums(deciding, len(clauses) + 1)
        if (sums[:-1, 0] < self.problem.least_rows).any() or self._too_few(sums[-1, 0]):
            return np.inf
        explained = float(_explained(sums).sum())
        return float(self.data_bits(explained)) + sum(map(self.price, clauses))

    def _too_few(self, rest: Any) -> Any:
        """Whether the rest has rows, but fewer than a segment must have; with none it is an empty word."""
        return (rest > 1e-3) & (rest < self.problem.least_rows)

    def improved(self, start: Sequence[LiteralSet]) -> ClauseList:
        """Change a list place by place until nothing pays any more."""
        now = ClauseList(tuple(start), self.bits(start))
        for _ in range(_SWEEPS):
            before = now.bits
            for step in (self._grow, self._shrink, self._replace, self._reorder):
                now = step(now)
            if now.bits > before - _SAVED:
                break
        return now

    def _grow(self, now: ClauseList) -> ClauseList:
        """Insert the clause that saves most, wherever that is, while one saves anything."""
        while len(now.clauses) < self.problem.max_clauses:
            places = [(self._best_at(now.clauses, i, None), i) for i in range(len(now.clauses) + 1)]
            (best, place) = min(places, key=lambda pair: (round(pair[0].bits, 6), -pair[1]))
            if not best.bits < now.bits - _SAVED:  # nor where no list is allowed: infinite both
                break
            now = ClauseList((*now.clauses[:place], *best.clauses, *now.clauses[place:]), best.bits)
        return now

    def _replace(self, now: ClauseList) -> ClauseList:
        """Put at each place the best clause, one that is like the present one or quite another."""
        for place, present in enumerate(now.clauses):
            before, after = now.clauses[:place], now.clauses[place + 1 :]
            best = self._best_at((*before, *after), place, present)
            if best.bits < now.bits - _SAVED:
                now = ClauseList((*before, *best.clauses, *after), best.bits)
        return now

    def _shrink(self, now: ClauseList) -> ClauseList:
        """Take clauses out that do not pay for themselves."""
        for place in reversed(range(len(now.clauses))):
            now = self._cheaper(now, (*now.clauses[:place], *now.clauses[place + 1 :]))
        return now

    def _reorder(self, now: ClauseList) -> ClauseList:
        """Swap neighbours where that saves anything."""
        for place in range(len(now.clauses) - 1):
            first, second = now.clauses[place : place + 2]
            now = self._cheaper(now, (*now.clauses[:place], second, first, *now.clauses[place + 2 :]))
        return now

    def _cheaper(self, now: ClauseList, clauses: tuple[LiteralSet, ...]) -> ClauseList:
        bits = self.bits(clauses)
        return ClauseList(clauses, bits) if bits < now.bits - _SAVED else now

    def _best_at(self, others: Sequence[LiteralSet], place: int, present: LiteralSet | None) -> ClauseList:
        """Return the clause that is best between these others: from nothing, or from the present one."""
        judge = _Place(self, others, place)
        best = ClauseList((), np.inf)
        seen: set[LiteralSet] = set()
        if present is not None:
            parts = [tuple(x for x in present if x != dropped) for dropped in present]
            best, _ = self._extended(judge, [present, *parts], best, seen)
        beginnings: list[LiteralSet] = [()]
        for length in range(1, self.problem.max_literals + 1):
            before = best.bits
            best, beginnings = self._extended(judge, beginnings, best, seen)
            if not beginnings or (best.bits == before and length >= _LEAST_LENGTH):
                break
        return best

    def _extended(
        self, judge: "_Place", bases: Sequence[LiteralSet], best: ClauseList, seen: set[LiteralSet]
    ) -> tuple[ClauseList, list[LiteralSet]]:
        """Judge every base with every further literal; return the best so far, and what to go on with."""
        bases = [base for base in bases if len(base) < self.problem.max_literals]
        if not bases:
            return best, []
        price = np.array([self.price(base) for base in bases])[:, None] + self.literal_bits
        bits = self.data_bits(judge.explained(bases)) + judge.fixed_bits + price
        for row, base in zip(bits, bases, strict=True):
            row[list(base)] = np.inf
        best = self._better(bits, bases, best)
        following: list[LiteralSet] = []
        for flat in np.argsort(np.round(bits, 6), axis=None, kind="stable")[: 4 * _BEAM].tolist():
            base, literal = divmod(flat, bits.shape[1])
            clause = tuple(sorted((*bases[base], literal)))
            if bits[base, literal] < np.inf and clause not in seen and len(following) < _BEAM:
                seen.add(clause)
                following.append(clause)
        return best, following

    def _better(self, bits: FloatArray, bases: Sequence[LiteralSet], best: ClauseList) -> ClauseList:
        """Return the best clause of these and the best one before, among those that are allowed."""
        for wanted in self.problem.required:
            has = np.array([wanted[list(base)].any() for base in bases], dtype=bool)
            bits = np.where(has[:, None] | wanted[None, :], bits, np.inf)
        flat = int(np.argmin(np.round(bits, 6)))
        base, literal = divmod(flat, bits.shape[1])
        if not bits[base, literal] < best.bits - _SAVED:
            return best
        return ClauseList((tuple(sorted((*bases[base], literal))),), float(bits[base, literal]))

    def leaves(self) -> tuple[LiteralSet, ...]:
        """Return the leaves of a tree that is split where that explains most; the largest is left out."""
        leaves: list[LiteralSet] = [()]
        splits: dict[LiteralSet, tuple[float, int, int]] = {(): self._split(())}
        while len(leaves) <= self.problem.max_clauses:
            place = max(range(len(leaves)), key=lambda i: (round(splits[leaves[i]][0], 9), -i))
            gain, literal, negated = splits[leaves[place]]
            if gain <= 0:
                break
            parts = [tuple(sorted((*leaves[place], j))) for j in (literal, negated)]
            leaves[place : place + 1] = parts
            splits |= {part: self._split(part) for part in parts}
        sizes = [float(self.problem.weights[self.mask(leaf)].sum()) for leaf in leaves]
        ordered = [leaves[i] for i in sorted(range(len(leaves)), key=lambda i: (sizes[i], leaves[i]))]
        required = self.problem.required
        chosen = tuple(x for x in ordered[:-1] if x and all(one[list(x)].any() for one in required))
        return chosen if np.isfinite(self.bits(chosen)) else ()

    def _split(self, leaf: LiteralSet) -> tuple[float, int, int]:
        """Return what the best split of a leaf explains, its literal and the one of the other rows."""
        if len(leaf) >= self.problem.max_literals:
            return 0.0, 0, 0
        inside = self.mask(leaf)
        spread = self.moments * inside[:, None]
        sums = self.literals.T @ spread
        total = self.moments[inside].sum(axis=0)
        rest = total - sums
        least = self.problem.least_rows
        gain = _explained(sums) + _explained(rest) - _explained(total)
        gain[(sums[:, 0] < least) | (rest[:, 0] < least)] = 0.0
        best = int(np.argmax(np.round(gain, 6)))
        if gain[best] <= 0:
            return 0.0, 0, 0
        opposite = self.literals.T @ inside - (self.literals.T @ (self.literals[:, best] * inside)) * 2
        return float(gain[best]), best, int(np.argmax(opposite))

    def _matrix(self, clauses: Sequence[LiteralSet]) -> BoolArray:
        masks = [self.mask(clause) for clause in clauses]
        return np.stack(masks, axis=1) if masks else np.zeros((len(self.literals), 0), dtype=bool)

    def _sums(self, deciding: IntArray, n_segments: int) -> FloatArray:
        """[segments, 2]: weight and weighted value of the rows of each segment."""
        columns = [np.bincount(deciding, column, minlength=n_segments) for column in self.moments.T]
        return np.stack(columns, axis=1)


class _Place:
    """A place in a list whose other clauses stand: what any clause there would leave to the later ones."""

    def __init__(self, segmenter: _Segmenter, others: Sequence[LiteralSet], place: int) -> None:
        self.segmenter = segmenter
        deciding = first_to_fire(segmenter._matrix(others))
        sums = segmenter._sums(deciding, len(others) + 1)
        self.fixed = float(_explained(sums[:place]).sum())  # explained by the earlier segments
        self.fixed_bits = sum(map(segmenter.price, others))
        self.later = sums[place:]
        """[J, 2]: what the later segments have while nothing stands here; the rest is the last"""
        self.parts = [np.flatnonzero(deciding == later) for later in range(place, len(others) + 1)]
        """[J]: the rows that each of them has"""
        self.literals = [segmenter.literals[rows].T for rows in self.parts]

    def explained(self, bases: Sequence[LiteralSet]) -> FloatArray:
        """[bases, L]: the sum of squares that the list explains with that base and literal here."""
        segmenter, least = self.segmenter, self.segmenter.problem.least_rows
        masks = np.stack([segmenter.mask(base) for base in bases], axis=1)
        taken = np.empty((len(bases), segmenter.literals.shape[1], len(self.parts), 2))
        for j, (rows, literals) in enumerate(zip(self.parts, self.literals, strict=True)):
            spread = masks[rows, :, None] * segmenter.moments[rows, None, :]
            sums = literals @ spread.reshape(len(rows), 2 * len(bases))
            taken[:, :, j] = sums.reshape(len(literals), len(bases), 2).swapaxes(0, 1)
        left = self.later - taken
        sums = taken.sum(axis=2)
        explained: FloatArray = self.fixed + _explained(sums) + _explained(left).sum(axis=2)
        starved = (left[:, :, :-1, 0] < least).any(axis=2) | (sums[..., 0] < least)
        return np.where(starved | segmenter._too_few(left[:, :, -1, 0]), -np.inf, explained)


def bits_of_rows(errors: FloatArray, weights: FloatArray) -> float:
    """Return the bits of rows by some other prediction, which has these errors; to compare with a list's."""
    total = float(weights.sum())
    return float(_data_bits(np.asarray(weights @ errors**2 / total), total))


def _data_bits(left: FloatArray, rows: float) -> FloatArray:
    """Bits of so many rows by a Gaussian, where such a share of their variance is left."""
    return np.asarray(0.5 * rows * np.log2(left + _FLOOR))


def _explained(sums: FloatArray) -> FloatArray:
    """[...]: the sum of squares that the means of segments [..., 2] explain; 0 where there is no row."""
    weight, value = sums[..., 0], sums[..., 1]
    explained: FloatArray = np.where(weight > 1e-6, value**2 / np.maximum(weight, 1e-6), 0.0)
    return explained
