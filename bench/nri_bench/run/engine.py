"""The engine: many jobs over a few child processes, each with a time limit, each ending in a row."""

import logging
import multiprocessing
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType
from typing import Any

from threadpoolctl import threadpool_limits

from nri import InputError
from nri_bench.run.child import Job, Measures, attempt, run_child
from nri_bench.run.rows import Row, append_row, read_rows, row_key

logger = logging.getLogger("nri.bench")  # below "nri", whose notes the command line shows

PRELOADED = (
    "nri_bench.run.child",
    "nri_bench.run.score",
    "nri_bench.methods.rivals",
    "nri_bench.methods.simple",
    "nri_bench.experiments",
    "sklearn.dummy",
    "sklearn.ensemble",
    "sklearn.linear_model",
)
"""Imported once, in the process all children are forked from."""

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
"""With one thread for every method the seconds compare, and a process for each core is no crowd."""

Progress = Callable[[Row], None]
"""Called after each row."""


@dataclass(frozen=True)
class RunOptions:
    """How jobs are run; none of it may change a result."""

    n_processes: int = 1
    """0 does all in this process: quicker for many small fits, but without time limit, and a crash ends it"""
    time_limit: float = 600.0
    """seconds for one job, after which it is ended and its row says ``timeout``"""
    timed: bool = False
    """whether the user states that the machine is quiet, so that the seconds may be published"""


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
    if load > max(1, run.n_processes) + SLACK:
        raise InputError(
            f"--timed: the machine is busy (load {load:.1f} over the last minute); wait until it is quiet, "
            "or leave --timed out"
        )


@dataclass
class _Running:
    job: Job
    process: BaseProcess
    pipe: Connection
    started: float


def pending(jobs: Iterable[Job], path: Path) -> list[Job]:
    """Return the jobs whose row is not in the file yet."""
    done = {row_key(row) for row in read_rows(path)}
    return [job for job in jobs if row_key(job.key) not in done]


def from_other_data(jobs: Iterable[Job], *, own: bool) -> Callable[[Row], bool]:
    """Return a test whether a row stands where a job's row belongs, with another checksum ``data``.

    Rows without a checksum count as computed from the same data: those of synthetic tables, and the older
    ones of ``rules`` and ``ablation``.

    Parameters
    ----------
    jobs
        What is to be run, with the checksums of the data now.
    own
        Whether every row of the same data set is meant, those of other methods and seeds too: of
        a file of the user the old contents are gone, and a table over both would say nothing.
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


def run_jobs(
    jobs: Iterable[Job],
    path: Path,
    options: RunOptions = RunOptions(),  # noqa: B008  # frozen
    stamp: Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> int:
    """Run the jobs that have no row yet and append a row for each; return how many were run.

    Parameters
    ----------
    jobs
        What to do.
    path
        The JSONL file of rows; those already there are skipped, so an interrupted run resumes.
    options
        Processes and time limit.
    stamp
        Written into every row, e.g. the commit.
    progress
        Called with each new row.
    """
    waiting = deque(pending(jobs, path))
    n_jobs = len(waiting)
    if not n_jobs:
        return 0
    if options.n_processes == 0:
        with threadpool_limits(1):
            for job in waiting:
                _finish(job, attempt(job), path, options, stamp, progress)
        return n_jobs
    context = _context({package for job in waiting for package in job.packages})
    running: list[_Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < options.n_processes:
                running.append(_start(context, waiting.popleft()))
            wait([item.pipe for item in running], timeout=_patience(running, options.time_limit))
            for item in list(running):
                answer = _answer(item, options.time_limit)
                if answer is None:
                    continue
                running.remove(item)
                _finish(item.job, answer, path, options, stamp, progress)
    finally:
        for item in running:
            _end(item)
    return n_jobs


def _finish(
    job: Job,
    answer: tuple[str, str, Measures],
    path: Path,
    options: RunOptions,
    stamp: Mapping[str, object] | None,
    progress: Progress | None,
) -> None:
    """Write the row of a job that has come to an end, and report it."""
    row = _row(job, answer, options, stamp or {})
    append_row(path, row)
    if progress is not None:
        progress(row)


def _context(packages: set[str]) -> BaseContext:
    """Return a fork server with the heavy imports done, or plain spawning where there is none."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED, *sorted(packages)])
    return context


def _start(context: BaseContext, job: Job) -> _Running:
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=run_child, args=(job, theirs), daemon=True)  # type: ignore[attr-defined]
    with _one_thread(), _without_main():
        process.start()
    theirs.close()
    return _Running(job, process, ours, time.monotonic())


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let what is started meanwhile, the fork server first of all, give every numeric library one thread."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _without_main() -> Iterator[None]:
    """Hide the program's main module: every child would import it anew, and no job lives there."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _patience(running: list[_Running], limit: float) -> float:
    """Seconds until the first running job is over its limit."""
    now = time.monotonic()
    return max(0.0, min(item.started + limit - now for item in running))


def _answer(item: _Running, limit: float) -> tuple[str, str, Measures] | None:
    """Return what a job came to, or None while it is still within its time."""
    if item.pipe.poll():
        try:
            answer: tuple[str, str, Measures] = item.pipe.recv()
        except EOFError:
            item.process.join()
            answer = ("crashed", f"the process died with exit code {item.process.exitcode}", {})
        _end(item)
        return answer
    if time.monotonic() - item.started >= limit:
        _end(item)
        return "timeout", f"over the limit of {limit:g} seconds", {}
    return None


def _end(item: _Running) -> None:
    item.process.join(timeout=0 if item.process.is_alive() else None)
    if item.process.is_alive():
        item.process.kill()
    item.process.join()
    item.pipe.close()


def _row(
    job: Job, answer: tuple[str, str, Measures], options: RunOptions, stamp: Mapping[str, object]
) -> Row:
    status, message, measures = answer
    row: Row = {**job.key, "status": status, **job.facts, **measures}
    if message:
        row["message"] = message
        logger.warning("%s: %s: %s", " ".join(str(value) for value in job.key.values()), status, message)
    return {**row, "timed": options.timed, **stamp}
