"""Choose the best small set of candidates."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, IntArray
from nri.search.candidates import CandidatePool
from nri.search.clauses import AnyClause
from nri.search.limits import Limits
from nri.search.local import Indices, Pricing, near_rules, rules_by_limit, weighted_gains
from nri.search.objective import Objective
from nri.search.result import PricedRules
from nri.search.rows import OneVsRest


@dataclass(frozen=True)
class Selection:
    """A rule for one class, with its cost and expected errors on the rows it was chosen by."""

    clauses: tuple[AnyClause, ...]
    cost: float
    errors: float
    proven: bool = False
    """Whether no other set of the candidates is cheaper."""
    near: Callable[[], PricedRules] | None = None
    """Finds rules that cost little more, this one first."""


class Selector(Protocol):
    """Anything that chooses a rule for one class from candidates."""

    def __call__(
        self,
        pool: CandidatePool,
        task: OneVsRest,
        objective: Objective,
        limits: Limits,
        *,
        max_errors: float | None = None,
    ) -> Selection:
        """Return a rule within the limits, with at most ``max_errors`` where the pool has one."""
        ...


def shortlist(pool: CandidatePool, task: OneVsRest, most: int) -> CandidatePool:
    """Return the pool of about ``most`` candidates, see :func:`shortlisted`."""
    return pool if len(pool) <= most else pool.take(shortlisted(pool, task, most))


def shortlisted(pool: CandidatePool, task: OneVsRest, most: int, *, simple: bool = True) -> IntArray:
    """Return where about ``most`` candidates stand that gain most under one of the error weights.

    ALWAYS and the single literals are among them in any case if ``simple``.
    """
    if len(pool) <= most:
        return np.arange(len(pool))
    weighted = weighted_gains(task.gain)
    kept = (pool.lengths <= 1) & simple
    for gain in pool.sums(weighted):
        kept |= _highest(gain, most // len(weighted))
    return np.flatnonzero(kept)


def _highest(gain: NDArray[np.float32], number: int) -> BoolArray:
    """Mark so many of the highest gains, of equal ones the first; faster than sorting them all."""
    least = np.partition(gain, len(gain) - number)[len(gain) - number] if number else np.inf
    marked = gain > least
    marked[np.flatnonzero(gain == least)[: number - int(marked.sum())]] = True
    return marked


def select(
    pool: CandidatePool,
    task: OneVsRest,
    objective: Objective,
    limits: Limits,
    *,
    max_errors: float | None = None,
    rough: int | None = 1000,
) -> Selection:
    """Return a set of candidates that no single move improves.

    Parameters
    ----------
    pool
        Candidates, all within the limits.
    task
        What covering each row is worth.
    objective
        Cost of errors and rule bits.
    limits
        Its ``max_clauses`` bounds the rule.
    max_errors
        Most expected errors of an acceptable rule. By default those of the best of no clause, ALWAYS and a
        single literal *of the pool*; rules above it are chosen only when there is no other.
    rough
        A larger pool is searched from the best rule of a short list of about so many candidates;
        None searches it from all starts.
    """
    pricing = Pricing(pool, task, objective, limits, max_errors)
    begun: dict[int, Indices] = {}
    if rough is not None and len(pool) > rough:
        kept = shortlisted(pool, task, rough)
        short = Pricing(pool.take(kept), task, objective, limits, max_errors)
        roughly = rules_by_limit(short, limits.max_clauses)
        begun = {limit: tuple(kept[list(rule)].tolist()) for limit, rule in roughly.items()}
    found = rules_by_limit(pricing, limits.max_clauses, begun).values()
    best = min((rule for rule in found if len(rule) <= limits.max_clauses), key=pricing.rank)
    near = partial(_near, pricing, best, limits.max_clauses)
    return Selection(pool.rule(best), pricing.cost(best), pricing.errors(best), near=near)


def _near(pricing: Pricing, best: Indices, max_clauses: int) -> PricedRules:
    rules = near_rules(pricing, best, max_clauses)
    used = sorted({i for rule in rules for i in rule})
    clauses = dict(zip(used, pricing.pool.rule(used), strict=True))
    bits = np.array([pricing.bits[list(rule)].sum() for rule in rules])
    return PricedRules(tuple(tuple(clauses[i] for i in rule) for rule in rules), bits)
