"""Exact selection by mixed-integer programming, for small pools and as a yardstick."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, hstack, identity, vstack

from nri.arrays import FloatArray
from nri.search.candidates import CandidatePool
from nri.search.clauses import AnyClause
from nri.search.limits import Limits
from nri.search.objective import Objective
from nri.search.rows import OneVsRest
from nri.search.select import select


@dataclass(frozen=True)
class ExactSelection:
    """A rule for one class, with its cost and expected errors on the rows it was chosen by."""

    clauses: tuple[AnyClause, ...]
    cost: float
    errors: float
    proven: bool
    """Whether no other set of the candidates is cheaper."""


@dataclass(frozen=True)
class _Point:
    """A rule on the trade-off between errors and bits."""

    chosen: tuple[int, ...]
    errors: float
    bits: float


def select_exact(
    pool: CandidatePool,
    task: OneVsRest,
    objective: Objective,
    limits: Limits,
    *,
    max_errors: float | None = None,
    time_limit: float = 60.0,
) -> ExactSelection:
    """Return the cheapest set of candidates, or the local search's when a solve runs out of time.

    ``proven`` of the result tells the two apart.

    Both objectives rise with errors and bits and are concave in them, so the cheapest rule is a
    corner of the convex hull of all (errors, bits) pairs. The corners are found one by one: each is
    the best rule for some rate of exchange between errors and bits, which is a linear programme
    with 0/1 variables (Aneja and Nair's scheme for two criteria).

    Parameters
    ----------
    pool, task, objective, limits
        As in :func:`nri.search.select.select`.
    max_errors
        Most errors that a set may make.
    time_limit
        Seconds for each solve.
    """
    programme = _Programme(pool, task, limits, max_errors, time_limit)
    corners = programme.corners()
    if corners is None:
        local = select(pool, task, objective, limits)
        return ExactSelection(local.clauses, local.cost, local.errors, proven=False)
    costs = objective.cost(
        np.array([corner.errors for corner in corners]),
        np.array([corner.bits for corner in corners]),
        task.total,
    )
    best = int(np.argmin(np.round(costs, 9)))
    return ExactSelection(
        clauses=pool.rule(corners[best].chosen),
        cost=float(costs[best]),
        errors=corners[best].errors,
        proven=True,
    )


class _Programme:
    """Variables: one for each candidate (chosen) and one for each row (covered)."""

    def __init__(
        self,
        pool: CandidatePool,
        task: OneVsRest,
        limits: Limits,
        max_errors: float | None,
        time_limit: float,
    ) -> None:
        self.pool, self.task, self.time_limit = pool, task, time_limit
        n_literals = limits.n_priced(task.n_variables)
        self.bits = pool.bits(n_literals)
        self.nothing = task.errors(np.zeros(task.n_rows, dtype=bool))
        fires = csr_array(pool.truth.T.astype(float))
        n_clauses, n_rows = len(pool), task.n_rows
        # A row is covered at most where a chosen clause fires, and surely where one does.
        covered_needs_clause = hstack([fires, -identity(n_rows)])
        row, clause = np.nonzero(pool.truth.T)
        pairs = np.arange(len(row))
        ones = np.ones(len(row))
        clause_covers = csr_array(
            (
                np.concatenate([ones, -ones]),
                (np.tile(pairs, 2), np.concatenate([n_clauses + row, clause])),
            ),
            shape=(len(row), n_clauses + n_rows),
        )
        self.constraints = [
            LinearConstraint(vstack([covered_needs_clause, clause_covers]).tocsr(), 0.0, np.inf),
            LinearConstraint(np.concatenate([np.ones(n_clauses), np.zeros(n_rows)]), 0.0, limits.max_clauses),
        ]
        if max_errors is not None:
            gain = np.concatenate([np.zeros(n_clauses), task.gain])
            slack = 1e-7 * max(1.0, task.total)
            self.constraints.append(LinearConstraint(gain, self.nothing - max_errors - slack, np.inf))

    def solve(self, error_rate: float, bit_rate: float) -> _Point | None:
        """Return the rule with the least ``error_rate * errors + bit_rate * bits``."""
        n_clauses, n_rows = len(self.pool), self.task.n_rows
        result = milp(
            np.concatenate([bit_rate * self.bits, -error_rate * self.task.gain]),
            constraints=self.constraints,
            integrality=np.concatenate([np.ones(n_clauses), np.zeros(n_rows)]),
            bounds=Bounds(0.0, 1.0),
            options={"time_limit": self.time_limit, "mip_rel_gap": 0.0},
        )
        if result.status != 0 or result.x is None:
            return None
        return self.point(result.x[:n_clauses])

    def point(self, solution: FloatArray) -> _Point:
        chosen = tuple(np.flatnonzero(solution > 0.5).tolist())
        covered = np.asarray(self.pool.truth[list(chosen)].any(axis=0))
        return _Point(chosen, self.task.errors(covered), float(self.bits[list(chosen)].sum()))

    def corners(self) -> list[_Point] | None:
        """Return the corners of the lower left hull of (errors, bits)."""
        small = 1e-4  # breaks ties among rules that are extreme in the first criterion
        few_errors = self.solve(1.0, small / max(1.0, float(self.bits.sum())))
        few_bits = self.solve(small / max(1.0, self.task.total), 1.0)
        if few_errors is None or few_bits is None:
            return None
        found = [few_errors, few_bits]
        open_edges = [(few_errors, few_bits)]
        while open_edges:
            left, right = open_edges.pop()
            error_rate, bit_rate = left.bits - right.bits, right.errors - left.errors
            if error_rate <= 1e-9 or bit_rate <= 1e-9:
                continue
            between = self.solve(error_rate, bit_rate)
            if between is None:
                return None
            edge = error_rate * left.errors + bit_rate * left.bits
            if error_rate * between.errors + bit_rate * between.bits < edge - 1e-7 * max(1.0, abs(edge)):
                found.append(between)
                open_edges += [(left, between), (between, right)]
        return found
