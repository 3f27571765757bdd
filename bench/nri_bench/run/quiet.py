"""Whether the machine is quiet enough for seconds that are published."""

import os

from nri.errors import InputError
from nri_bench.run.engine import RunOptions

SLACK = 0.5
"""Load beyond the run's own process, and beyond that of a run that has just ended, that does no harm."""


def check_quiet(run: RunOptions) -> None:
    """Refuse to stamp rows as timed with several processes, or where others keep the machine busy."""
    if not run.timed:
        return
    if run.n_processes > 1:
        raise InputError(
            f"--timed with --jobs {run.n_processes}: processes slow each other down; time with one, "
            "or leave --timed out"
        )
    if not hasattr(os, "getloadavg"):
        return
    load = os.getloadavg()[0]
    if load > run.n_processes + SLACK:
        raise InputError(
            f"--timed: the machine is busy (load {load:.1f} over the last minute); wait until it is quiet, "
            "or leave --timed out"
        )
