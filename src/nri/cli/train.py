"""``nri train``: train a network on synthetic episodes, or go on training one."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from nri.cli.console import message
from nri.cli.files import require_extra
from nri.cli.options import QuietOption

if TYPE_CHECKING:
    from rich.progress import Progress

ConfigOption = Annotated[
    Path, typer.Option("--config", "-c", metavar="FILE", help="What to train, as TOML; see configs/.")
]
DirectoryOption = Annotated[
    Path | None,
    typer.Option(
        "--directory",
        "-d",
        metavar="DIR",
        help="Checkpoint and metrics; runs/ and the configuration's name by default.",
    ),
]
UntilOption = Annotated[
    int | None, typer.Option("--until", metavar="N", min=1, help="Stop after so many updates in all.")
]
TensorBoardOption = Annotated[
    bool, typer.Option("--tensorboard", help="Also write the metrics for TensorBoard.")
]


def train(
    config: ConfigOption,
    directory: DirectoryOption = None,
    until: UntilOption = None,
    tensorboard: TensorBoardOption = False,
    quiet: QuietOption = False,
) -> None:
    """Train a network on synthetic episodes; the same command goes on where a run stopped.

    Several processes train as one: torchrun --nproc-per-node 2 -m nri train --config FILE.
    """
    require_extra("train", "training", "torch", "safetensors", "jaxtyping")
    if tensorboard:
        require_extra(None, "--tensorboard", "tensorboard")
    from nri.networks import load_training
    from nri.train.loop import CHECKPOINT, METRICS, join_processes, leave_processes, tensorboard_of
    from nri.train.loop import train as run

    task = load_training(config)
    directory = directory or Path("runs") / config.stem
    leads = join_processes().leads
    optim = task.config.optim
    stop = min(optim.steps, until or optim.steps)
    with training_progress(task.name, stop, show=leads and not quiet) as watch:
        record = tensorboard_of(directory) if tensorboard and leads else None
        run(task, directory, until=until, watch=watch, record=record)
    leave_processes()
    if leads:
        message(f"{directory / CHECKPOINT} and {directory / METRICS} after {stop} updates", quiet=quiet)


Watcher = Callable[[int, dict[str, float]], None]

_QUIET_SECONDS = 60.0
"""Between two lines where there is no terminal to draw a bar on."""
_WINDOW = 50
"""Updates that the speed is taken over."""


class Speed:
    """Episodes a second over the last updates."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, float]] = deque(maxlen=_WINDOW)
        self._last = time.monotonic()

    def add(self, episodes: float) -> float:
        """Count the episodes of one update and return the speed."""
        now = time.monotonic()
        self._seen.append((episodes, now - self._last))
        self._last = now
        return sum(n for n, _ in self._seen) / max(1e-9, sum(seconds for _, seconds in self._seen))


@contextmanager
def training_progress(name: str, updates: int, *, show: bool) -> Iterator[Watcher | None]:
    """Yield the function to call after every update; a bar on a terminal, a line a minute elsewhere."""
    console = Console(stderr=True)
    if not show:
        yield None
    elif console.is_terminal:
        with _bar(console) as progress:
            yield _on_a_terminal(progress, name, updates)
    else:
        yield _in_a_log(name, updates)


def _bar(console: Console) -> "Progress":
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
        console=console,
    )


def _on_a_terminal(progress: "Progress", name: str, updates: int) -> Watcher:
    bar = progress.add_task(f"training {name}", total=updates, state="")
    speed = Speed()

    def watch(step: int, means: dict[str, float]) -> None:
        progress.update(bar, completed=step, state=_state(speed.add(means["episodes"]), means))

    return watch


def _in_a_log(name: str, updates: int) -> Watcher:
    speed, since, first = Speed(), time.monotonic(), True

    def watch(step: int, means: dict[str, float]) -> None:
        nonlocal since, first
        pace = speed.add(means["episodes"])
        if first or step == updates or time.monotonic() - since > _QUIET_SECONDS:
            left = (updates - step) * means["episodes"] / max(pace, 1e-9) / 60
            state = f"{_state(pace, means)}, {left:.0f} minutes left"
            message(f"training {name}: {step} of {updates} updates, {state}")
            since, first = time.monotonic(), False

    return watch


def _state(pace: float, means: dict[str, float]) -> str:
    return f"{pace:.0f} episodes/s, loss {means.get('loss', float('nan')):.4f}"


CheckpointArgument = Annotated[
    Path, typer.Argument(metavar="CHECKPOINT", help="A checkpoint written by `nri train`.")
]
OnnxOption = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="The ONNX file; its card goes beside it as .json.")
]


def export_weights(checkpoint: CheckpointArgument, out: OnnxOption, quiet: QuietOption = False) -> None:
    """Write a checkpoint's averaged weights as ONNX, with configuration, commit and SHA-256 beside it."""
    require_extra("train", "exporting weights", "torch", "safetensors", "jaxtyping", "onnx")
    from nri.networks import export_weights as write

    card = write(checkpoint, out)
    size = out.stat().st_size / 2**20
    message(
        f"wrote {out} ({size:.1f} MB): {card['inducer']} after {card['step']} updates, "
        f"{card['episodes']} episodes, SHA-256 {card['sha256'][:12]}",
        quiet=quiet,
    )
