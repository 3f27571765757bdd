"""Plugins: commands of other packages, found by the entry-point group ``nri.commands``.

Such a package declares ``name = "package.module:object"``, the object being a :class:`typer.Typer`. It is
imported only when its command is called.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

import typer

from nri.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "nri.commands"
HELP_NAMES: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
ABOUT = {
    "dynamics": "Learn how a system moves: a rule for the next value of each variable.",
    "bench": "Compare rule learners on open data.",
}
"""Commands that are listed even if they are not installed."""
_PURPOSE = {"dynamics": "learns how a system moves", "bench": "compares rule learners on open data"}


@cache
def declared() -> dict[str, "EntryPoint"]:
    """Return the commands that installed packages declare, by name."""
    from importlib.metadata import entry_points  # takes a while, and most commands are nri's own

    return {point.name: point for point in entry_points(group=GROUP)}


def plugin(name: str) -> Any:
    """Return a command that imports the one of this name when it is called; None if there is none."""
    if not (name in ABOUT or name in declared()):
        return None

    def forward(context: typer.Context) -> None:
        point = declared().get(name)
        if point is None:
            raise InputError(
                f"nri {name} {_PURPOSE[name]}; it is the package nri-{name}, which is not installed: "
                f"in a checkout of nri, run pip install ./{name}"
            )
        command = typer.main.get_command(point.load())
        code = command.main(
            args=context.args, prog_name=context.command_path, standalone_mode=False, **HELP_NAMES
        )
        if isinstance(code, int) and code:
            raise typer.Exit(code)

    alone = typer.Typer(add_completion=False)
    settings = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    alone.command(name, short_help=ABOUT.get(name) or _summary(name), context_settings=settings)(forward)
    return typer.main.get_command(alone)


def _summary(name: str) -> str:
    """Return the summary of the package, so that listing a command does not import it."""
    package = declared()[name].dist
    return "" if package is None else str(package.metadata["Summary"] or "")
