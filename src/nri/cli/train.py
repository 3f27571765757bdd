"""``nri train``: train a network on synthetic episodes, or go on training one."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from nri.cli.console import tell
from nri.cli.extras import require_extra
from nri.cli.options import QuietOption

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
    from nri.cli.train_progress import training_progress
    from nri.train.loop import CHECKPOINT, METRICS
    from nri.train.loop import train as run
    from nri.train.processes import join_processes, leave_processes
    from nri.train.tasks import load_task

    task = load_task(config)
    directory = directory or Path("runs") / config.stem
    leads = join_processes().leads
    optim = task.config.optim
    stop = min(optim.steps, until or optim.steps)
    with training_progress(task.name, stop, show=leads and not quiet) as watch:
        record = _board(directory) if tensorboard and leads else None
        run(task, directory, until=until, watch=watch, record=record)
    leave_processes()
    if leads:
        tell(f"{directory / CHECKPOINT} and {directory / METRICS} after {stop} updates", quiet=quiet)


def _board(directory: Path) -> Callable[[dict[str, float]], None]:
    """Return a function that writes a row of metrics for TensorBoard."""
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(str(directory / "tensorboard"))

    def record(row: dict[str, float]) -> None:
        for name, value in row.items():
            if name != "step":
                writer.add_scalar(name, value, int(row["step"]))
        writer.flush()

    return record
