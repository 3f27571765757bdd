"""What a bench command does: make an experiment's rows, then write its table and figures from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nri.bench.experiments.base import Experiment, Options
from nri.bench.run import Job, Row, RunOptions, drop_rows, read_rows, row_key, run_jobs
from nri.bench.run.engine import pending
from nri.bench.run.stamp import commit_of


@dataclass(frozen=True)
class RowProgress:
    """Somebody who watches: told the number of rows to come, then each row."""

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

    Parameters
    ----------
    experiment, options
        What to run.
    out
        Folder of the JSONL files; a quick run keeps its rows apart in ``out/quick``.
    run
        Processes, time limit.
    redo
        Forget the rows of exactly these jobs first.
    retry
        Forget those of them that failed, crashed or ran out of time.
    progress
        Told of every row.
    """
    by_file: dict[Path, list[Job]] = {}
    for job in experiment.jobs(options):
        by_file.setdefault(_file(experiment, job.key, folder(out, options.quick)), []).append(job)
    for path, jobs in by_file.items():
        keys = {row_key(job.key) for job in jobs}
        if redo:
            drop_rows(path, lambda row, keys=keys: row_key(row) in keys)  # type: ignore[misc]
        elif retry:
            drop_rows(path, lambda row, keys=keys: row_key(row) in keys and row["status"] != "ok")  # type: ignore[misc]
    if progress is not None:
        progress.begin(sum(len(pending(jobs, path)) for path, jobs in by_file.items()))
    stamp = {"commit": commit_of()}
    advance = progress.advance if progress is not None else None
    return sum(run_jobs(jobs, path, run, stamp, advance) for path, jobs in by_file.items())


def folder(out: Path, quick: bool) -> Path:
    """Return where the rows of a run are: quick ones never mix with the real ones."""
    return out / "quick" if quick else out


def experiment_rows(experiment: Experiment, out: Path) -> list[Row]:
    """Read every row of an experiment from its one or several files."""
    pattern = f"{experiment.name}.jsonl" if experiment.rows_file is None else f"{experiment.name}-*.jsonl"
    return [row for path in sorted(out.glob(pattern)) for row in read_rows(path)]


def write_outputs(experiment: Experiment, out: Path, *, quick: bool = False) -> Sequence[Path]:
    """Write ``NAME.md``, other texts, and figures as PNG and PDF beside the rows; return what was written."""
    place = folder(out, quick)
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


def _file(experiment: Experiment, key: object, place: Path) -> Path:
    name = f"{experiment.name}.jsonl"
    if experiment.rows_file is not None:
        name = experiment.rows_file(key)  # type: ignore[arg-type]
    return place / name
