"""Plugins: commands of other packages, found by the entry-point group ``nri.commands``.

Such a package declares ``name = "package.module:object"``, the object being a :class:`typer.Typer`. It is
imported only when its command is called.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from nri.cli.console import drop_output
from nri.cli.options import RARE
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
MISSING = {
    "dynamics": "nri dynamics learns how a system moves; it is the package nri-dynamics, which is not "
    "installed: in a checkout of nri, run pip install ./dynamics",
    "bench": "nri bench compares rule learners on open data; it is the package nri-bench, which is not "
    "installed: in a checkout of nri, run pip install ./bench",
}
"""The error of each of them where it is not installed."""


class BriefCommand(TyperCommand):
    """A command whose help fits on two screens: rare options are listed with --help-all."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        paragraphs = (self.help or "").split("\n\n")
        self.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
        if any(parameter.name == "help_all" for parameter in self.params):
            for parameter in self.params:
                parameter.hidden = parameter.name in RARE or getattr(parameter, "hidden", False)  # type: ignore[attr-defined]

    def get_help_option(self, ctx: Any) -> Any:
        """Return --help, which is not listed: it is on the screen already."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.hidden = True
        return option


class Commands(TyperGroup):
    """The commands of nri first, then those of other packages."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return list(dict.fromkeys([*super().list_commands(ctx), *ABOUT, *sorted(declared())]))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; for one of another package a proxy that imports it when it is called."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or not (cmd_name in ABOUT or cmd_name in declared()):
            return own
        return proxy(cmd_name)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; a reader that closes the pipe early (``nri ... | head -1``) is no failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            drop_output()
            raise typer.Exit(0) from None


@cache
def declared() -> dict[str, "EntryPoint"]:
    """Return the commands that installed packages declare, by name."""
    from importlib.metadata import entry_points  # takes a while, and most commands are nri's own

    return {point.name: point for point in entry_points(group=GROUP)}


def proxy(name: str) -> Any:
    """Return a command that takes any arguments, and only then imports the one that it stands for."""

    def forward(context: typer.Context) -> None:
        point = declared().get(name)
        if point is None:
            raise InputError(MISSING[name])
        command = typer.main.get_command(point.load())
        code = command.main(
            args=context.args, prog_name=context.command_path, standalone_mode=False, **HELP_NAMES
        )
        if isinstance(code, int) and code:
            raise typer.Exit(code)

    alone = typer.Typer(add_completion=False)
    settings = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    alone.command(name, help=ABOUT.get(name) or _summary(name), context_settings=settings)(forward)
    return typer.main.get_command(alone)


def _summary(name: str) -> str:
    """Return the summary of the package, so that listing a command does not import it."""
    package = declared()[name].dist
    return "" if package is None else str(package.metadata["Summary"] or "")
