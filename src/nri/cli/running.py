"""``nri demo``, ``serve``, ``train``, ``export-weights``, and the commands of other packages.

Such a package declares a :class:`typer.Typer` in the entry-point group ``nri.commands``, which is imported
only when its command is called.
"""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nri.cli import options as opt
from nri.cli.console import Progress, message, progress
from nri.cli.files import SAMPLE
from nri.cli.induce import run
from nri.errors import InputError, require_extra

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_SETS = {
    "breast-cancer": ("tumour", "cell nuclei of breast tumours, measured under a microscope"),
    "wine": ("cultivar", "chemical analysis of wines from three cultivars"),
    "iris": ("species", "leaves of iris flowers of three species"),
}
"""For each data set of scikit-learn what is explained, and what it is about."""


def demo(name: str = "breast-cancer", model: opt.Text = None, quiet: bool = False) -> None:
    """Induce a rule on a data set that comes with scikit-learn; nothing is downloaded."""
    if name not in _SETS:
        raise InputError(f"no demo {name!r}; choose one of {', '.join(_SETS)}")
    target, about = _SETS[name]
    with progress(f"loading {name}"):  # the imports take their time too
        from sklearn import datasets

        from nri.api import read_table

        data = getattr(datasets, f"load_{name.replace('-', '_')}")()
        columns = dict(zip(data.feature_names, data.data.T, strict=True))
        table = read_table({**columns, target: data.target_names[data.target]}, target)
    message(f"{about}: {len(table)} rows, {len(table.names)} columns")
    options, output = opt.InduceOptions(model=model), opt.OutputOptions(quiet=quiet)
    run(table, options, opt.Scoring(cv=True), output, opt.Reading())


def serve(
    file: str | None = None,
    port: int | None = None,
    browser: bool = True,
    model: opt.Text = None,
    sample: int | None = None,
    target: opt.Text = None,
) -> None:
    """Open a page on this machine: drop a table, see its rule, change it, take it along.

    With FILE the page begins with it; of a file that is too large for the page some rows are taken, and it
    says how many of how many.
    The page opens only for the URL that is printed, which holds a key. Tables stay on this machine, and are
    removed when unused or when it ends. Ctrl-C ends it.
    """
    try:
        from nri.serve.app import serve as serve_page
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio"):
            raise
        raise InputError("the page needs a few packages more: pip install 'nri[serve]'") from None
    from nri.induce.settings import DEFAULT_MODEL

    if target is not None and file is None:
        raise InputError("--target names a column of FILE; give a file too")
    initial = None
    if file is not None:
        from nri.serve.upload import initial_file

        initial = replace(initial_file(file, sample or SAMPLE), target=target)
        message(f"The page begins with {initial.name}")
    serve_page(port, model=model or DEFAULT_MODEL, browser=browser, initial=initial, log=message)


def train(config: Path, directory: opt.File = None, until: int | None = None, quiet: bool = False) -> None:
    """Train a network on synthetic episodes; the same command goes on where a run stopped."""
    require_extra("train", "training", "torch", "safetensors", "jaxtyping")
    from nri.networks import load_training
    from nri.train.loop import CHECKPOINT, METRICS
    from nri.train.loop import train as train_network

    task = load_training(config)
    directory = directory or Path("runs") / config.stem
    optim = task.config.optim
    stop = min(optim.steps, until or optim.steps)
    with progress(f"training {task.name}", steps=stop) as shown:
        watch = None if quiet else watcher(task.name, stop, shown)
        train_network(task, directory, until=until, watch=watch)
    message(f"{directory / CHECKPOINT} and {directory / METRICS} are written")


_QUIET_SECONDS = 60.0  # Between two lines where there is no terminal to draw a bar on.
_WINDOW = 50  # Updates that the speed is taken over.


def watcher(name: str, updates: int, shown: Progress) -> Callable[[int, dict[str, float]], None]:
    """Return the function to call after every update; it moves a bar, or writes a line a minute to a log."""
    times: deque[float] = deque([time.monotonic()], maxlen=_WINDOW)
    written = -_QUIET_SECONDS

    def watch(step: int, means: dict[str, float]) -> None:
        nonlocal written
        times.append(time.monotonic())
        seconds = (times[-1] - times[0]) / max(1, len(times) - 1)
        pace = f"{means['episodes'] / max(seconds, 1e-9):.0f} episodes/s"
        state = f"{pace}, loss {means.get('loss', float('nan')):.4f}"
        left = f"{(updates - step) * seconds / 60:.0f} minutes left"
        line = f"training {name}: {step} of {updates} updates, {state}, {left}"
        shown.describe(line, done=step)
        if not shown.visible and (step == updates or times[-1] - written > _QUIET_SECONDS):
            message(line)
            written = times[-1]

    return watch


def export_weights(checkpoint: Path, out: Path, quiet: bool = False) -> None:
    """Write a checkpoint's averaged weights as ONNX, with configuration, commit and SHA-256 beside it."""
    require_extra("train", "exporting weights", "torch", "safetensors", "jaxtyping", "onnx")
    from nri.networks import export_weights as write

    card = write(checkpoint, out)
    size = out.stat().st_size / 2**20
    run = f"{card['inducer']} after {card['step']} updates, {card['episodes']} episodes"
    message(f"wrote {out} ({size:.1f} MB): {run}, SHA-256 {card['sha256'][:12]}")


HELP_NAMES: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
ABOUT = {
    "dynamics": "Learn how a system moves: a rule for the next value of each variable.",
    "bench": "Compare rule learners on open data.",
}
"""Commands that are listed even if they are not installed."""


@cache
def installed() -> dict[str, "EntryPoint"]:
    """Return the commands that installed packages declare, by name."""
    from importlib.metadata import entry_points  # takes a while, and most commands are nri's own

    return {point.name: point for point in entry_points(group="nri.commands")}


def plugin(name: str) -> Any:
    """Return a command that imports the one of this name when it is called; None if there is none."""
    if not (name in ABOUT or name in installed()):
        return None

    def forward(context: typer.Context) -> None:
        point = installed().get(name)
        if point is None:
            remedy = f"in a checkout of nri, run pip install ./{name}"
            raise InputError(f"nri {name} is the package nri-{name}, which is not installed: {remedy}")
        command = typer.main.get_command(point.load())
        code = command.main(
            args=context.args, prog_name=context.command_path, standalone_mode=False, **HELP_NAMES
        )
        if isinstance(code, int) and code:
            raise typer.Exit(code)

    about = ABOUT.get(name)
    if about is None and (package := installed()[name].dist) is not None:
        about = str(package.metadata["Summary"] or "")  # so that listing a command does not import it
    alone = typer.Typer(add_completion=False)
    settings = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    alone.command(name, short_help=about, context_settings=settings)(forward)
    return typer.main.get_command(alone)
