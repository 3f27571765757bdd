"""The limit of what noisy labels allow: every rule of the family that tables were drawn from, by its chance.

If the family, one to three clauses of one to three literals, and the share of flipped labels are known, no
method does better on average than all rules of the family, weighted by their probability given the labels. So
this is an upper bound on the tables of :mod:`nri_bench.experiments.noise`, not a rival.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from nri_bench.arrays import BoolArray, FloatArray, IntArray
from nri_bench.methods.dnf import Conjunction, clause_truth
from nri_bench.methods.exact_limit import all_conjunctions

MOST_CLAUSES, MOST_LITERALS = 3, 3
Words = NDArray[np.uint64]
"""[words, rules], the rows that rules cover, a bit each"""


class FamilyPosterior(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Answers by rules drawn from the exact posterior of the family.

    All rules are listed (a billion of three clauses of three literals among twelve variables), each is
    weighed by its likelihood, and some thousand are drawn by these weights.

    Parameters
    ----------
    rate
        Share of labels that are flipped.
    n_draws
        Rules that are drawn.
    random_state
        Seed of the draws.
    """

    def __init__(self, rate: float = 0.3, n_draws: int = 4000, random_state: int = 0) -> None:
        self.rate, self.n_draws, self.random_state = rate, n_draws, random_state

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        """Draw rules by their chance given the labels."""
        rng = np.random.default_rng(self.random_state)
        flipped = np.clip(self.rate, 1e-3, 0.5)
        falls = (flipped / (1 - flipped)) ** np.arange(len(y) + 1)
        clauses, truth = all_conjunctions(X, MOST_LITERALS)
        lengths = np.array([len(clause) for clause in clauses])
        drawn = Reservoir(self.n_draws, rng)
        for length in range(1, MOST_LITERALS + 1):
            members = np.flatnonzero(lengths == length)
            for n_clauses in range(1, MOST_CLAUSES + 1):
                share = falls / _n_rules(len(members), n_clauses)
                for block in _blocks(_packed(truth[members]), n_clauses):
                    errors = _errors(block.covers, _packed((y == 1)[None]))
                    if length == 1:  # x OR NOT x is no rule
                        errors[block.holds_everywhere(len(y))] = len(y)
                    drawn.offer(block, errors, share, first_clause=int(members[0]))
        self.classes_ = np.array([0, 1])
        self.rules_ = [[clauses[i] for i in rule] for rule in drawn.kept]
        return self

    def predict(self, X: FloatArray) -> IntArray:
        """[M], what most of the drawn rules say."""
        known: dict[Conjunction, BoolArray] = {}
        votes = np.zeros(len(X))
        for rule in self.rules_:
            covered = np.zeros(len(X), dtype=bool)
            for clause in rule:
                if clause not in known:
                    known[clause] = clause_truth(X, clause)
                covered |= known[clause]
            votes += covered
        return np.asarray(votes > len(self.rules_) / 2, dtype=np.int64)


class Reservoir:
    """Draws rules by weight from blocks that are offered one by one, without keeping them."""

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        self.rng, self.total = rng, 0.0
        self.kept: list[tuple[int, ...]] = [()] * size

    def offer(
        self, block: "_Block", errors: NDArray[np.uint8], weight_of: FloatArray, first_clause: int
    ) -> None:
        """Let rules of a block take the place of what was kept, as often as their weights ask for it."""
        weight = float(np.bincount(errors, minlength=len(weight_of)) @ weight_of)
        if weight <= 0:
            return
        self.total += weight
        places = np.flatnonzero(self.rng.random(len(self.kept)) < weight / self.total)
        if not len(places):
            return
        sums = np.cumsum(weight_of[errors])
        picks = np.searchsorted(sums, self.rng.random(len(places)) * sums[-1], side="right")
        for place, pick in zip(places.tolist(), np.minimum(picks, len(sums) - 1).tolist(), strict=True):
            self.kept[place] = tuple(first_clause + i for i in block.rule(pick))


@dataclass(frozen=True, eq=False)
class _Block:
    """Rules of one number of clauses: all of them, or those that share their first clause."""

    later: tuple[IntArray, ...]
    """[rules] each, the clauses that differ"""
    covers: Words
    first: tuple[int, ...] = ()

    def holds_everywhere(self, n_rows: int) -> BoolArray:
        """[rules], whether no row is left uncovered."""
        return np.asarray(np.bitwise_count(self.covers).sum(axis=0, dtype=np.int64) == n_rows)

    def rule(self, number: int) -> tuple[int, ...]:
        """Return the clauses of one rule."""
        return self.first + tuple(int(clauses[number]) for clauses in self.later)


def _blocks(bits: Words, n_clauses: int) -> Iterator[_Block]:
    """Yield every set of so many clauses once, in blocks that fit in memory."""
    n = bits.shape[1]
    if n_clauses == 1:
        yield _Block((np.arange(n),), bits)
        return
    first, second = np.triu_indices(n, 1)
    covers = bits[:, first] | bits[:, second]
    if n_clauses == 2:
        yield _Block((first, second), covers)
        return
    starts = np.searchsorted(first, np.arange(n), side="right")  # pairs of later clauses stand together
    for clause, start in enumerate(starts.tolist()):
        yield _Block((first[start:], second[start:]), covers[:, start:] | bits[:, clause, None], (clause,))


def _errors(covers: Words, labels: Words) -> NDArray[np.uint8]:
    """[rules], rows on which rules and labels differ."""
    counts = np.zeros(covers.shape[1], dtype=np.uint8)
    for covered, wanted in zip(covers, labels, strict=True):
        counts += np.bitwise_count(covered ^ wanted)
    return counts


def _packed(truth: BoolArray) -> Words:
    """[words, rules], 64 rows in each word."""
    padded = np.zeros((len(truth), -(-truth.shape[1] // 64) * 64), dtype=bool)
    padded[:, : truth.shape[1]] = truth
    return np.ascontiguousarray(np.packbits(padded, axis=1).view(np.uint64).T)


def _n_rules(n: int, n_clauses: int) -> float:
    """Return how many sets of so many clauses there are among n."""
    return float(np.prod([(n - i) / (i + 1) for i in range(n_clauses)]))
