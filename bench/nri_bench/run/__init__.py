"""Running: jobs in child processes with a time limit, and one JSON line for each."""

from nri_bench.run.child import Job, Measures, Scalar
from nri_bench.run.engine import RunOptions, check_quiet, from_other_data, pending, run_jobs
from nri_bench.run.rows import Row, append_row, commit_of, drop_rows, only_run, read_rows, row_key

__all__ = [
    "Job",
    "Measures",
    "Row",
    "RunOptions",
    "Scalar",
    "append_row",
    "check_quiet",
    "commit_of",
    "drop_rows",
    "from_other_data",
    "only_run",
    "pending",
    "read_rows",
    "row_key",
    "run_jobs",
]
