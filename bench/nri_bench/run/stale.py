"""Rows that were computed from other data than a run has before it, e.g. a file that has changed since."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nri_bench.run.job import Job
from nri_bench.run.rows import Row, row_key


def from_other_data(jobs: Iterable[Job], *, own: bool) -> Callable[[Row], bool]:
    """Return what tells whether a row stands where a job's row belongs, with another checksum ``data``.

    Rows without a checksum count as computed from the same data: those of synthetic tables, and the older
    ones of ``rules`` and ``ablation``.

    Parameters
    ----------
    jobs
        What is to be run, with the checksums of the data now.
    own
        Whether every row of the same data set is meant, those of other methods and seeds too: of
        somebody's own file the old contents are gone, and a table over both would say nothing.
    """
    jobs = list(jobs)
    by_key = {row_key(job.key): job.facts.get("data") for job in jobs}
    by_table = {_table(job.key): job.facts.get("data") for job in jobs} if own else {}

    def stale(row: Row) -> bool:
        now = by_table.get(_table(row)) or by_key.get(row_key(row))
        return now is not None and row.get("data", now) != now

    return stale


def _table(fields: Mapping[str, Any]) -> object:
    """Return what was learned from: one data set, or several at once."""
    return fields.get("dataset", fields.get("sets"))
