"""The rules that no selection may be worse than on the rows it was chosen by."""

import numpy as np

from nri.infer.candidates import build_pool
from nri.infer.clauses import ClauseArray
from nri.infer.limits import Limits
from nri.infer.task import Task


def baseline_clauses(task: Task, limits: Limits) -> ClauseArray:
    """Return ALWAYS and every single usable literal."""
    usable = np.flatnonzero(limits.literal_mask(task.n_variables))
    return np.append(usable, 2 * task.n_variables)[:, None]


def baseline_errors(task: Task, limits: Limits) -> float:
    """Errors of the best of: no clause, ALWAYS, one literal, all within the limits."""
    clauses = baseline_clauses(task, limits)
    pool = build_pool(task.literals, clauses, limits, positive=task.positive, weights=task.weights)
    nothing = task.errors(np.zeros(task.n_rows, dtype=bool))
    gains = pool.truth @ task.gain
    return max(0.0, nothing - max(0.0, float(gains.max(initial=0.0))))
