"""What a bench command does: make an experiment's rows, then write its table and figures from them."""

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nri import InputError
from nri_bench.experiments.base import Experiment, Options, check_options
from nri_bench.run import (
    Job,
    Row,
    RunOptions,
    check_quiet,
    commit_of,
    drop_rows,
    from_other_data,
    only_run,
    pending,
    read_rows,
    row_key,
    run_jobs,
)

logger = logging.getLogger("nri.bench")  # below "nri", whose notes the command line shows


@dataclass(frozen=True)
class RowProgress:
    """A listener: gets the number of rows to come, then each row."""

    begin: Callable[[int], None]
    advance: Callable[[Row], None]


def make_rows(
    experiment: Experiment,
    options: Options,
    out: Path,
    run: RunOptions,
    *,
    redo: bool = False,
    retry: bool = False,
    progress: RowProgress | None = None,
) -> int:
    """Run what has no row yet, and return how many rows were made.

    Rows that were computed from other data, because a file has changed since, are forgotten and run again.

    Parameters
    ----------
    experiment, options
        What to run.
    out
        Where :func:`folder` puts the JSONL files; no other run may be writing the same ones.
    run
        Processes, time limit.
    redo
        Forget the rows of exactly these jobs first.
    retry
        Forget those of them that failed, crashed or ran out of time.
    progress
        Gets every row.
    """
    check_options(experiment, options)
    check_quiet(run)
    place = folder(out, options)
    check_folder(place)
    jobs = experiment.jobs(options)
    by_file: dict[Path, list[Job]] = {}
    for job in jobs:
        by_file.setdefault(_file(experiment, job.key, place), []).append(job)
    stale = from_other_data(jobs, own=options.csv is not None)
    if options.csv is not None:
        _forget_elsewhere(set(_files(experiment, place)) - set(by_file), stale)
    with only_run(by_file):
        for path, part in by_file.items():
            _forget(path, stale)
            if redo or retry:
                _forget_answers(path, part, failed_only=not redo)
            if run.timed:
                _warn_of_untimed(path, part)
        if progress is not None:
            progress.begin(sum(len(pending(part, path)) for path, part in by_file.items()))
        stamp = {"commit": commit_of()}
        advance = progress.advance if progress is not None else None
        return sum(run_jobs(part, path, run, stamp, advance) for path, part in by_file.items())


def _forget_elsewhere(paths: Iterable[Path], stale: Callable[[Row], bool]) -> None:
    """Forget stale rows in files of the experiment that this run does not write, e.g. another protocol's."""
    for path in paths:
        if any(map(stale, read_rows(path))):
            with only_run([path]):
                _forget(path, stale)


def _forget(path: Path, stale: Callable[[Row], bool]) -> None:
    count = drop_rows(path, stale)
    if count:
        logger.warning("%s: %d rows were computed from other data than now and are forgotten", path, count)


def _forget_answers(path: Path, jobs: Sequence[Job], *, failed_only: bool) -> None:
    keys = {row_key(job.key) for job in jobs}
    drop_rows(path, lambda row: row_key(row) in keys and not (failed_only and row["status"] == "ok"))


def _warn_of_untimed(path: Path, jobs: Sequence[Job]) -> None:
    keys = {row_key(job.key) for job in jobs}
    count = sum(not row.get("timed") and row_key(row) in keys for row in read_rows(path))
    if count:
        logger.warning("%s: %d of these rows are there without --timed; --redo measures them", path, count)


def folder(out: Path, options: Options) -> Path:
    """Return where the rows of a run are: ``out``, ``out/quick``, and ``own`` in either of them.

    Neither quick rows nor those of a file of the user may mix with the real ones, whose table they
    would change.
    """
    place = out / "quick" if options.quick else out
    return place / "own" if options.csv is not None else place


def check_folder(place: Path) -> None:
    """Refuse a place where no rows can be written, before hours are spent on them."""
    nearest = next(path for path in (place, *place.parents) if path.exists())
    if not nearest.is_dir():
        raise InputError(f"--out: {nearest} is a file, so {place} cannot be a folder; name another one")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"--out: {nearest} may not be written to; name another folder")


def experiment_rows(experiment: Experiment, out: Path) -> list[Row]:
    """Read every row of an experiment from its one or several files."""
    return [row for path in _files(experiment, out) for row in read_rows(path)]


def write_outputs(experiment: Experiment, place: Path) -> Sequence[Path]:
    """Write ``NAME.md``, other texts, and figures as PNG and PDF beside the rows; return what was written."""
    rows = experiment_rows(experiment, place)
    if not rows:
        return []
    written = [place / f"{experiment.name}.md"]
    written[0].write_text(experiment.table(rows), encoding="utf-8")
    for name, text in (experiment.texts(rows) if experiment.texts else {}).items():
        written.append(place / name)
        written[-1].write_text(text, encoding="utf-8")
    for name, figure in experiment.figures(rows).items():
        path = place / "figures" / f"{name}.png"
        path.parent.mkdir(exist_ok=True)
        figure.savefig(path, dpi=200)
        figure.savefig(path.with_suffix(".pdf"), metadata={"CreationDate": None})
        written += [path, path.with_suffix(".pdf")]
    return written


def _files(experiment: Experiment, place: Path) -> list[Path]:
    pattern = f"{experiment.name}.jsonl" if experiment.rows_file is None else f"{experiment.name}-*.jsonl"
    return sorted(place.glob(pattern))


def _file(experiment: Experiment, key: object, place: Path) -> Path:
    name = f"{experiment.name}.jsonl"
    if experiment.rows_file is not None:
        name = experiment.rows_file(key)  # type: ignore[arg-type]
    return place / name
