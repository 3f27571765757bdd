"""``nri bench``: run the experiments, and write tables, figures and numbers from their rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from nri import InputError
from nri_bench.command import RowProgress, experiment_rows, folder, make_rows, write_outputs
from nri_bench.experiments import EXPERIMENTS, Experiment, Options
from nri_bench.run import Row, RunOptions

console = Console(stderr=True)

bench_app = typer.Typer(
    name="bench",
    help="Compare rule learners on open data: run experiments, write tables and figures.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

MethodsOption = Annotated[
    str | None, typer.Option("--methods", help="Names with commas between; see `nri bench list`.")
]
SeedsOption = Annotated[str | None, typer.Option("--seeds", help="Numbers with commas between.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="A small version, under two minutes.")]
OutOption = Annotated[Path, typer.Option("--out", help="Folder of rows, tables and figures.")]
JobsOption = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", min=0, help="Processes at once; 0 does all in this one, without time limit."
    ),
]
LimitOption = Annotated[float, typer.Option("--time-limit", min=0.1, help="Seconds for one row.")]
TimedOption = Annotated[
    bool,
    typer.Option(
        "--timed/--not-timed",
        help="Stamp the rows' seconds as fit to publish: one process on a machine that stays quiet; "
        "refused where its load is above 1.5.",
    ),
]
RedoOption = Annotated[bool, typer.Option("--redo", help="Forget the rows of these methods and seeds first.")]
RetryOption = Annotated[bool, typer.Option("--retry", help="Run failed and timed-out rows again.")]
SetsOption = Annotated[
    str | None,
    typer.Option(
        "--sets", help="Data sets with commas between, see `nri bench list`; `small` is ten of the fourteen."
    ),
]
ProtocolsOption = Annotated[
    str | None, typer.Option("--protocol", help="p20, p4, full or subX; commas between.")
]
DataOption = Annotated[
    Path | None, typer.Option("--data", help="Folder of CSV files; else NRI_DATA; else OpenML is asked.")
]
CsvOption = Annotated[
    Path | None,
    typer.Option("--csv", help="A CSV file of your own instead of named sets; its rows go to OUT/own."),
]
TargetOption = Annotated[
    str | None, typer.Option("--target", help="The CSV's class column; the last by default.")
]
HalfOption = Annotated[
    str | None, typer.Option("--half", help="Wide suite: choosing, confirming or all of its data sets.")
]
SizesOption = Annotated[
    str | None, typer.Option("--n", help="Wide suite and size: numbers of rows with commas between.")
]
DrawsOption = Annotated[int | None, typer.Option("--draws", min=1, help="Wide suite: how many draws.")]
OfflineOption = Annotated[bool, typer.Option("--offline", help="Never ask OpenML.")]


def _run(
    experiment: Experiment, options: Options, out: Path, run: RunOptions, redo: bool, retry: bool
) -> None:
    with row_progress(experiment.name) as progress:
        make_rows(experiment, options, out, run, redo=redo, retry=retry, progress=progress)
    for path in write_outputs(experiment, folder(out, options)):
        console.print(f"wrote {path}")


@contextmanager
def row_progress(title: str) -> Iterator[RowProgress]:
    """Show a bar over result rows, with the time left and a count of what went wrong."""
    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
        TextColumn("{task.fields[last]}"),
    )
    progress = Progress(*columns, console=console)
    task = progress.add_task(title, total=None, last="")
    wrong = 0

    def begin(total: int) -> None:
        progress.update(task, total=total)
        progress.start()  # only now: a mistake in the options is printed without a bar above it

    def advance(row: Row) -> None:
        nonlocal wrong
        wrong += row["status"] != "ok"
        last = " ".join(str(row[name]) for name in ("dataset", "method") if name in row)
        progress.update(task, advance=1, last=last + (f"  ({wrong} failed)" if wrong else ""))

    try:
        yield RowProgress(begin, advance)
    finally:
        progress.stop()


def _add_command(experiment: Experiment) -> None:
    """Give an experiment its command; those on data sets also choose sets and protocols."""

    def command(
        methods: MethodsOption = None,
        seeds: SeedsOption = None,
        quick: QuickOption = False,
        out: OutOption = Path("results"),
        jobs: JobsOption = 1,
        time_limit: LimitOption = 600.0,
        timed: TimedOption = False,
        redo: RedoOption = False,
        retry: RetryOption = False,
        sets: SetsOption = None,
        protocol: ProtocolsOption = None,
        data: DataOption = None,
        csv: CsvOption = None,
        target: TargetOption = None,
        offline: OfflineOption = False,
        half: HalfOption = None,
        n: SizesOption = None,
        draws: DrawsOption = None,
    ) -> None:
        options = Options(
            methods=_names("--methods", methods),
            seeds=_numbers("--seeds", seeds, "0,1,2"),
            quick=quick,
            sets=_names("--sets", sets),
            protocols=_names("--protocol", protocol),
            data_dir=data,
            csv=csv,
            target=target,
            download=not offline,
            half=half,
            sizes=_numbers("--n", n, "30,100"),
            draws=draws,
            timed=timed,
        )
        run = RunOptions(jobs, time_limit, timed)
        _run(experiment, options, out, run, redo, retry)

    bench_app.command(experiment.name, help=experiment.about)(command)


for _experiment in EXPERIMENTS.values():
    _add_command(_experiment)


@bench_app.command("list")
def list_all() -> None:
    """List methods and data sets."""
    from nri_bench.datasets import dataset_names
    from nri_bench.datasets.wide import half_of, wide_names
    from nri_bench.methods import METHODS
    from nri_bench.methods.raw import VARIANTS

    for method in METHODS.values():
        missing = method.missing_packages()
        note = f"  (needs {', '.join(missing)}: pip install ./bench)" if missing else ""
        typer.echo(f"method   {method.name:16}{method.label:14}{method.family}{note}")
    for variant in VARIANTS.values():
        note = "" if variant.available() else "  (not with this version of nri)"
        typer.echo(f"method   {variant.name:16}{variant.label}, in the wide suite only{note}")
    for name in dataset_names():
        typer.echo(f"data set {name}")
    for name in wide_names():
        typer.echo(f"wide set {name:24}{half_of(name)}")


@bench_app.command("same")
def same(
    made: Annotated[Path, typer.Argument(help="Folder of rows that you have made.")],
    results: Annotated[Path, typer.Option("--results", help="Folder of published rows.")] = Path("results"),
) -> None:
    """Compare rows made here with the published ones, method by method."""
    from nri_bench.tables.statistics import agreement_table

    rows = {place: experiment_rows(EXPERIMENTS["uci"], place) for place in (made, results)}
    for place, found in rows.items():
        if not found:
            raise InputError(
                f"{place}: no rows of Table 1 there; make some with `nri bench uci --out {place}`"
            )
    typer.echo(agreement_table(rows[made], rows[results]), nl=False)


@bench_app.command("report")
def report(
    results: Annotated[Path, typer.Option("--results", help="Folder of rows.")] = Path("results"),
    documents: Annotated[
        list[Path] | None, typer.Argument(help="Files to fill; README.md and those of docs/ by default.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; fail if a number is stale.")
    ] = False,
) -> None:
    """Draw every figure and fill the marked places of README.md and of docs/ from the rows."""
    from nri_bench.report import documents_with_places, fill_documents

    paths = documents or documents_with_places(Path())
    if not check:
        for experiment in EXPERIMENTS.values():
            for path in write_outputs(experiment, results):
                console.print(f"wrote {path}")
    stale = fill_documents(paths, results, write=not check)
    for path in stale:
        console.print(f"{'stale: ' if check else 'wrote '}{path}")
    if check and stale:
        raise typer.Exit(1)


def _names(flag: str, text: str | None) -> tuple[str, ...] | None:
    """Read names with commas between, each once; None if the option was not given."""
    if text is None:
        return None
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not names:
        raise InputError(f"{flag} {text!r}: names nothing; give names with commas between, or leave it out")
    return names


def _numbers(flag: str, text: str | None, example: str) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        numbers = tuple(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        numbers = ()
    if not numbers or not all(0 <= number < 2**32 for number in numbers):
        raise InputError(
            f"{flag} {text!r}: whole numbers from 0 to 2^32 - 1 with commas between, e.g. {example}"
        )
    return numbers
