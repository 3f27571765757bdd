"""How far rules that cost nearly the same agree with the one that was taken.

With few rows many rules explain the labels equally well, and the cheapest is cheapest by chance.
Each rule deserves belief 2^-bits by its description length. The believed average of the rules gives a
probability on any row; on plausible rows, made of cells of two support rows each, the expected disagreement
with the rule taken is the doubt that remains about it. The choice itself goes by the objective alone.
"""

from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.search.candidates import CandidatePool, clause_truth
from nri.search.limits import Limits
from nri.search.local import Indices, Pricing
from nri.search.objective import Objective
from nri.search.rows import OneVsRest
from nri.search.select import Selection

BLOCK = 128
"""Rules that are counted at a time."""

NO_CLAUSE = -1
"""Stands for the candidate added to a base rule that is taken as it is."""


@dataclass(frozen=True)
class Consensus:
    """How far from the rule taken others are believed, and on how many rows they are compared."""

    window: float = 10.0
    """Bits above the cheapest rule within which rules are believed."""
    n_rows: int = 600
    """Plausible rows."""


@dataclass(frozen=True, eq=False)
class Rivals:
    """Rules near a selection for one class: those of one clause, and those one move away."""

    target: int
    pool: CandidatePool
    bases: list[Indices]
    base: IntArray
    """[R], which base each rule extends"""
    added: IntArray
    """[R], the candidate it adds, or none"""
    errors: FloatArray
    """[R]"""
    costs: FloatArray
    """[R]"""

    def keep(self, mask: BoolArray) -> "Rivals":
        """Return the rules of a mask."""
        return replace(
            self,
            base=self.base[mask],
            added=self.added[mask],
            errors=self.errors[mask],
            costs=self.costs[mask],
        )

    def covers(self, literals: BoolArray) -> BoolArray:
        """[R, rows], where each rule fires."""
        used = np.unique([*self.added.tolist(), *(i for base in self.bases for i in base), NO_CLAUSE])
        truth = np.zeros((len(used), len(literals)), dtype=bool)  # first comes NO_CLAUSE, which never fires
        truth[1:] = self.pool.take(used[1:]).fires_on(literals)
        of_base = [truth[np.searchsorted(used, base)].any(axis=0) for base in self.bases]
        return np.asarray(np.array(of_base)[self.base] | truth[np.searchsorted(used, self.added)])


def rivals_of(
    selection: Selection,
    target: int,
    pool: CandidatePool,
    task: OneVsRest,
    objective: Objective,
    limits: Limits,
) -> Rivals:
    """List the single clauses, and the rule with at most one clause dropped and at most one added."""
    pricing = Pricing(pool, task, objective, limits)
    chosen = pool.positions(selection.clauses)
    keeps = np.vstack([np.ones(len(chosen), dtype=bool), ~np.eye(len(chosen), dtype=bool)])
    if len(chosen) > 1:
        keeps = np.vstack([keeps, np.zeros(len(chosen), dtype=bool)])
    bases = [tuple(compress(chosen, kept)) for kept in keeps]
    free = pricing.free_rows(chosen, keeps)
    plain = pricing.errors_with(free)
    bits = np.array([pricing.bits[list(base)].sum() for base in bases])
    gains = pricing.gains(free)
    errors = np.concatenate([plain[:, None], np.clip(plain[:, None] - gains, 0.0, None)], axis=1)
    all_bits = bits[:, None] + np.concatenate([[0.0], pricing.bits])
    added = np.arange(NO_CLAUSE, len(pool))
    room = np.array([len(base) < limits.max_clauses for base in bases])
    allowed = (added == NO_CLAUSE) | room[:, None]
    # Put back, a clause of the rule would make the rule itself, or a base, a second time.
    allowed &= ~np.isin(added, chosen) | (np.array([len(chosen) > 2 and not base for base in bases])[:, None])
    base_index, added_index = np.nonzero(allowed)
    costs = objective.cost(errors, all_bits, task.total)
    return Rivals(target, pool, bases, base_index, added[added_index], errors[allowed], costs[allowed])


def doubt_of(
    selection: Selection,
    target: int,
    rivals: list[Rivals],
    task: OneVsRest,
    consensus: Consensus,
    rng: np.random.Generator,
) -> float:
    """Return the share of plausible rows on which the rivals, by belief, say otherwise than a rule.

    Parameters
    ----------
    selection, target
        The rule that was taken, and its class.
    rivals
        Near rules for either of two classes.
    task
        Any of the tasks, for its rows and weights.
    consensus
        Window and number of rows.
    rng
        Source of the plausible rows.
    """
    limit = selection.cost + consensus.window
    near = [r.keep(r.costs <= limit) for r in rivals]
    rows = mixed_rows(task.literals, task.weights, consensus.n_rows, rng)
    says_first = np.concatenate([r.covers(rows) == (r.target == 0) for r in near])
    costs = np.concatenate([r.costs for r in near])
    belief = np.exp2(costs.min() - costs)
    share = _rule_sums(belief, says_first) / belief.sum()
    taken = clause_truth(rows, selection.clauses).any(axis=0) == (target == 0)
    return float(np.where(taken, 1.0 - share, share).mean())


def mixed_rows(literals: BoolArray, weights: FloatArray, n_rows: int, rng: np.random.Generator) -> BoolArray:
    """[n_rows, 2N], rows whose cells come from one or the other of two rows drawn by weight."""
    share = weights / weights.sum()
    first, second = rng.choice(len(literals), size=(2, n_rows), p=share)
    from_first = np.tile(rng.random((n_rows, literals.shape[1] // 2)) < 0.5, 2)
    return np.asarray(np.where(from_first, literals[first], literals[second]))


def _rule_sums(belief: FloatArray, says: BoolArray) -> FloatArray:
    """[rows], belief in the rules that say so; by blocks, since the whole as numbers would be large."""
    blocks = range(0, len(says), BLOCK)
    sums = [belief[i : i + BLOCK] @ says[i : i + BLOCK].astype(np.float64) for i in blocks]
    return np.asarray(np.sum(sums, axis=0))
