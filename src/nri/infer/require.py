"""Clauses that must speak about certain columns: extend what was proposed by literals of those."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nri.infer.candidates import IndexClause, build_pool
from nri.infer.limits import Limits
from nri.infer.select import shortlist
from nri.infer.task import Task

EXTENDED = 1000
"""About how many candidates are extended by each literal of a required column."""


def with_required(clauses: Sequence[IndexClause], task: Task, limits: Limits) -> list[IndexClause]:
    """Return clauses that have a literal of each required set; the others are extended by each such literal.

    Parameters
    ----------
    clauses
        What a proposer suggests; it need not know of the required literals.
    task
        Tells which clauses are worth extending.
    limits
        Its ``required`` sets; without any, the clauses come back as they are.
    """
    found = list(clauses)
    free = replace(limits, required=(), min_precision=0.0)  # what is extended need not be precise yet
    usable = limits.literal_mask(task.n_variables)
    for mask in limits.required:
        wanted = np.flatnonzero(mask & usable).tolist()
        pool = shortlist(build_pool(task.literals, found, free), task, EXTENDED)
        lacking = [clause for clause in pool.clauses if set(wanted).isdisjoint(clause)]
        speaking = [clause for clause in found if not set(wanted).isdisjoint(clause)]
        found = [*speaking, *((*clause, literal) for clause in lacking for literal in wanted)]
    return found
