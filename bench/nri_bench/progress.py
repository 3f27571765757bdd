"""A progress bar over result rows, with the time left and a count of what went wrong."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from nri_bench.command import RowProgress
from nri_bench.run import Row


@contextmanager
def row_progress(console: Console, title: str) -> Iterator[RowProgress]:
    """Yield the two calls a run makes: ``begin(total)`` and ``advance(row)``."""
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
        progress.start()  # only now: a mistake in the options is told without a bar above it

    def advance(row: Row) -> None:
        nonlocal wrong
        wrong += row["status"] != "ok"
        last = " ".join(str(row[name]) for name in ("dataset", "method") if name in row)
        progress.update(task, advance=1, last=last + (f"  ({wrong} failed)" if wrong else ""))

    try:
        yield RowProgress(begin, advance)
    finally:
        progress.stop()
