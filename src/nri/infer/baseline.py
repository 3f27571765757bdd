"""The rules that no selection may be worse than on the rows it was chosen by."""

import numpy as np

from nri.infer.candidates import CandidatePool, build_pool
from nri.infer.limits import Limits
from nri.infer.task import Task


def baseline_pool(task: Task, limits: Limits) -> CandidatePool:
    """Return the rules that no selection may be worse than: ALWAYS and every single literal."""
    singles = [(int(j),) for j in np.flatnonzero(limits.literal_mask(task.n_variables))]
    return build_pool(task.literals, [(), *singles], limits, positive=task.positive, weights=task.weights)


def baseline_errors(task: Task, limits: Limits) -> float:
    """Errors of the best of: no clause, ALWAYS, one literal, all within the limits."""
    pool = baseline_pool(task, limits)
    nothing = task.errors(np.zeros(task.n_rows, dtype=bool))
    gains = pool.truth @ task.gain
    return max(0.0, nothing - max(0.0, float(gains.max(initial=0.0))))
