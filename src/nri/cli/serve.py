"""``nri serve``: the page in the browser."""

from dataclasses import replace
from typing import Annotated

import typer

from nri.cli.console import message
from nri.cli.files import SAMPLE
from nri.cli.options import ModelOption, SampleOption
from nri.errors import InputError

BeginArgument = Annotated[
    str | None, typer.Argument(metavar="[FILE]", help="A table to begin with; it may be of any size.")
]
TargetOption = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="The column of FILE to explain; without it the page asks."),
]
PortOption = Annotated[
    int | None,
    typer.Option(min=1, max=65535, metavar="N", help="Where to listen; by default 8674, or any free one."),
]
BrowserOption = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Whether to open the page in the browser.")
]


def serve(
    file: BeginArgument = None,
    port: PortOption = None,
    browser: BrowserOption = True,
    model: ModelOption = None,
    sample: SampleOption = None,
    target: TargetOption = None,
) -> None:
    """Open a page on this machine: drop a table, see its rule, change it, take it along.

    With FILE the page begins with it; of a file that is too large for the page some rows are taken, and it
    says how many of how many.
    The page opens only for the URL that is printed, which holds a key. Tables stay on this machine, and are
    removed when unused or when it ends. Ctrl-C ends it.
    """
    try:
        from nri.serve.app import serve as run
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
    run(port, model=model or DEFAULT_MODEL, browser=browser, initial=initial, log=message)
