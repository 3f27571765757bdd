"""Choose the best small set of candidates."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nri.infer.candidates import CandidatePool, IndexClause
from nri.infer.limits import Limits
from nri.infer.objective import Objective
from nri.infer.search import ERROR_WEIGHTS, LocalSearch, weighted_gain
from nri.infer.task import Task


@dataclass(frozen=True)
class Selection:
    """A rule for one class, with its cost and expected errors on the rows it was chosen by."""

    clauses: tuple[IndexClause, ...]
    cost: float
    errors: float
    proven: bool = False
    """Whether no other set of the candidates is cheaper."""


class Selector(Protocol):
    """Anything that chooses a rule for one class from candidates."""

    def __call__(
        self,
        pool: CandidatePool,
        task: Task,
        objective: Objective,
        limits: Limits,
        *,
        max_errors: float | None = None,
    ) -> Selection:
        """Return a rule within the limits, with at most ``max_errors`` where the pool has one."""
        ...


def shortlist(pool: CandidatePool, task: Task, most: int) -> CandidatePool:
    """Return about ``most`` candidates that gain most under one of the error weights, in pool order.

    ALWAYS and the single literals stay in any case.
    """
    if len(pool) <= most:
        return pool
    truth = pool.truth.astype(np.float32)
    kept = pool.lengths <= 1
    for weight in ERROR_WEIGHTS:
        gain = truth @ weighted_gain(task.gain, weight)
        kept[np.argsort(-gain, kind="stable")[: most // len(ERROR_WEIGHTS)]] = True
    return pool.take(np.flatnonzero(kept))


def select(
    pool: CandidatePool,
    task: Task,
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
    search = LocalSearch(pool, task, objective, limits, max_errors)
    if rough is not None and len(pool) > rough:
        short = select(
            shortlist(pool, task, rough), task, objective, limits, max_errors=max_errors, rough=None
        )
        chosen = set(short.clauses)
        starts = [tuple(i for i, clause in enumerate(pool.clauses) if clause in chosen)]
    else:
        starts = search.starts()
    best = search.kicked(min((search.descend(start) for start in starts), key=search.rank))
    return Selection(
        clauses=tuple(pool.clauses[i] for i in best),
        cost=search.cost(best),
        errors=search.errors(best),
    )
