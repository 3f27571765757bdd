"""The exact limit: the DNF of least description length over all short conjunctions, by integer programming.

On noise-free tables it is the optimum of that one preference, found without search error. It is no
upper bound on recovery: of equally short DNFs the first in order of listing is taken, and another preference
(or describing the other class) may suit a given family of rules better.
"""

import itertools
from collections.abc import Sequence
from math import comb, log2

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from nri_bench.arrays import BoolArray, FloatArray, IntArray
from nri_bench.methods.dnf import Conjunction, DNFClassifier

TINY = 1e-6
"""Added for each clause in the order of listing, so that the optimum does not depend on the solver's whim."""


class ExactDNFClassifier(DNFClassifier):
    """The shortest DNF that agrees with every support row, in bits, describing the second class.

    A clause of l literals among N variables costs ``log2(l_max) + log2 C(N, l) + l`` bits. Clauses that
    cover a negative row are out; the rest is a weighted set cover, solved to optimality by HiGHS.

    Parameters
    ----------
    max_literals
        The longest conjunction considered; all of them are listed, so tables must be narrow
        (12 variables and 4 literals: 9968 conjunctions).
    time_limit
        Seconds for the solver; running out is an error, not a worse answer.
    """

    def __init__(self, max_literals: int = 4, time_limit: float = 120.0) -> None:
        self.max_literals = max_literals
        self.time_limit = time_limit

    def _induce(self, X: FloatArray, y: IntArray) -> tuple[int, Sequence[Conjunction]]:
        clauses, truth = all_conjunctions(X, self.max_literals)
        bits = np.array([clause_bits(len(clause), X.shape[1], self.max_literals) for clause in clauses])
        positive = y == 1
        usable = np.flatnonzero(~truth[:, ~positive].any(axis=1) & truth[:, positive].any(axis=1))
        cover, bits = truth[usable][:, positive], bits[usable]
        kept = undominated(cover, bits)
        if not cover[kept].any(axis=0).all():
            raise ValueError("no DNF of such short clauses agrees with every row: labels contradict")
        chosen = self._set_cover(cover[kept], bits[kept])
        return 1, [clauses[usable[kept[index]]] for index in np.flatnonzero(chosen)]

    def _set_cover(self, cover: BoolArray, bits: FloatArray) -> BoolArray:
        n_clauses, n_rows = cover.shape
        result = milp(
            bits + TINY * np.arange(n_clauses) / max(1, n_clauses),
            constraints=LinearConstraint(csr_array(cover.T.astype(np.float64)), lb=np.ones(n_rows)),
            integrality=np.ones(n_clauses),
            bounds=Bounds(0, 1),
            # by default 1e-4 from the optimum is near enough, which is far more than TINY adds
            options={"time_limit": self.time_limit, "mip_rel_gap": 0},
        )
        if not result.success:
            raise RuntimeError(f"the solver found no optimum: {result.message}")
        return np.asarray(result.x > 0.5)


def clause_bits(n_literals: int, n_variables: int, max_literals: int) -> float:
    """Bits to say a clause: its length, which variables, and the sign of each."""
    return log2(max_literals) + log2(comb(n_variables, n_literals)) + n_literals


def all_conjunctions(X: FloatArray, max_literals: int) -> tuple[list[Conjunction], BoolArray]:
    """List every conjunction of 1 to ``max_literals`` literals, and [clauses, M] where each one holds."""
    holds = {
        (column, value): X[:, column] == float(value)
        for column in range(X.shape[1])
        for value in (False, True)
    }
    clauses: list[Conjunction] = []
    truth: list[BoolArray] = []
    for length in range(1, max_literals + 1):
        for columns in itertools.combinations(range(X.shape[1]), length):
            for signs in itertools.product((False, True), repeat=length):
                clause = tuple(zip(columns, signs, strict=True))
                clauses.append(clause)
                truth.append(np.logical_and.reduce([holds[literal] for literal in clause]))
    return clauses, np.array(truth)


def undominated(cover: BoolArray, bits: FloatArray) -> IntArray:
    """Return the clauses for which no other covers as much for as little; the first of equals stays."""
    order = np.lexsort((np.arange(len(bits)), -cover.sum(axis=1), bits))
    kept: list[int] = []
    for index in order:
        if kept and np.any(~(cover[index] & ~cover[kept]).any(axis=1)):
            continue  # an earlier one, cheaper or equal, covers all of it
        kept.append(int(index))
    return np.array(sorted(kept), dtype=np.int64)
