"""Synthetic tables of the recovery, noise, spurious and scaling experiments: a known DNF and random rows."""

import itertools
from dataclasses import dataclass
from functools import cache

import numpy as np

from nri_bench.arrays import BoolArray, FloatArray
from nri_bench.methods.dnf import Conjunction, clause_truth

N_CAUSAL = 12
"""Variables of the paper's synthetic tables, at the upper end of its training range."""


@dataclass(frozen=True, eq=False)
class Truth:
    """A DNF over N boolean variables."""

    clauses: tuple[Conjunction, ...]
    n_variables: int

    def holds(self, X: FloatArray) -> BoolArray:
        """[M] where the DNF is true."""
        truth = np.zeros(len(X), dtype=bool)
        for clause in self.clauses:
            truth |= clause_truth(X, clause)
        return truth


def draw_truth(rng: np.random.Generator, n_clauses: int, n_literals: int, n_variables: int) -> Truth:
    """Draw a DNF of so many different clauses of so many literals that is not true everywhere."""
    while True:
        clauses: set[Conjunction] = set()
        while len(clauses) < n_clauses:
            columns = np.sort(rng.choice(n_variables, n_literals, replace=False))
            signs = rng.integers(0, 2, n_literals)
            clauses.add(tuple((int(c), bool(s)) for c, s in zip(columns, signs, strict=True)))
        literals = {literal for clause in clauses if len(clause) == 1 for literal in clause}
        if not any((column, not sign) in literals for column, sign in literals):
            return Truth(tuple(sorted(clauses)), n_variables)


def draw_rows(rng: np.random.Generator, truth: Truth, n_rows: int) -> FloatArray:
    """[M, N] fair coins, drawn again until both classes are there."""
    for _ in range(1000):
        X = rng.integers(0, 2, (n_rows, truth.n_variables)).astype(np.float64)
        share = truth.holds(X).mean()
        if 0 < share < 1:
            return X
    raise ValueError(f"{n_rows} rows never held both classes; take more rows")


@cache
def all_rows(n_variables: int) -> FloatArray:
    """[2^N, N] every row there is, so that agreement on them is logical equality."""
    return np.array(list(itertools.product((0.0, 1.0), repeat=n_variables)))


def flip_labels(rng: np.random.Generator, y: BoolArray, rate: float) -> BoolArray:
    """Flip each label with the given probability, but never all of one class away."""
    for _ in range(1000):
        noisy = y ^ (rng.random(len(y)) < rate)
        if 0 < noisy.mean() < 1:
            return np.asarray(noisy)
    return y


def distractors(rng: np.random.Generator, y: BoolArray, n_columns: int, rho: float) -> FloatArray:
    """[M, D] columns that are 1 with probability rho on positive rows and 1 - rho on negative ones."""
    chance = np.where(y, rho, 1 - rho)[:, None]
    return (rng.random((len(y), n_columns)) < chance).astype(np.float64)
