"""Running: jobs in child processes with a time limit, and one JSON line for each."""

from nri_bench.run.engine import RunOptions, run_jobs
from nri_bench.run.job import Job
from nri_bench.run.rows import Row, append_row, drop_rows, read_rows, row_key

__all__ = ["Job", "Row", "RunOptions", "append_row", "drop_rows", "read_rows", "row_key", "run_jobs"]
