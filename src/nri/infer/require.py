"""Clauses that must speak about certain columns: extend what was proposed by literals of those."""

from dataclasses import replace

import numpy as np

from nri.infer.candidates import build_pool
from nri.infer.clauses import ClauseArray, stacked
from nri.infer.limits import Limits
from nri.infer.select import shortlist
from nri.infer.task import Task

EXTENDED = 1000
"""About how many candidates are extended by each literal of a required column."""


def with_required(clauses: ClauseArray, task: Task, limits: Limits) -> ClauseArray:
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
    found = clauses
    free = replace(limits, required=(), min_precision=0.0)  # what is extended need not be precise yet
    usable = limits.literal_mask(task.n_variables)
    for mask in limits.required:
        wanted = np.append(mask & usable, False)
        pool = shortlist(build_pool(task.literals, found, free), task, EXTENDED)
        lacking = pool.index[~wanted[pool.index].any(axis=1)]
        speaking = found[wanted[found].any(axis=1)]
        extended = [_with_literal(lacking, literal) for literal in np.flatnonzero(wanted)]
        found = stacked([speaking, *extended], pool.n_literals)
    return found


def _with_literal(clauses: ClauseArray, literal: np.int64) -> ClauseArray:
    """Return the clauses with this literal as well."""
    return np.column_stack([clauses, np.full(len(clauses), literal)])
