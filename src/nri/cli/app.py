"""The ``nri`` command; nothing heavy is imported at the head of a command's file, so that it starts soon."""

import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from nri.cli import running
from nri.cli.apply import explain, export, predict
from nri.cli.console import drop_output, notes_on_stderr, prepare_streams, set_quiet
from nri.cli.induce import induce
from nri.cli.options import RARE, declared
from nri.cli.running import demo, export_weights, serve, train
from nri.cli.tasks import alternatives, compare, slices, stability, surrogate


class Commands(TyperGroup):
    """The commands of nri first, then those of other packages."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        others = [*running.ABOUT, *sorted(running.installed())]
        return list(dict.fromkeys([*super().list_commands(ctx), *others]))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; for one of another package what imports it when it is called."""
        return super().get_command(ctx, cmd_name) or running.plugin(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write plain text: boxes around the list of commands take twice the time of everything else."""
        self.rich_markup_mode = None
        super().format_help(ctx, formatter)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; a reader that closes the pipe early (``nri ... | head -1``) is no failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            drop_output()
            raise typer.Exit(0) from None


class BriefCommand(TyperCommand):
    """A command whose help fits on two screens: rare options are listed with --help-all."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        paragraphs = (self.help or "").split("\n\n")
        self.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
        self.short_help = " ".join(paragraphs[0].split())  # uncut in the list of commands
        help_all = next((one for one in self.params if one.name == "help_all"), None)
        if help_all is not None:
            help_all.is_eager, help_all.callback = True, self._show_all
            for parameter in self.params:
                parameter.hidden |= parameter.name in RARE  # type: ignore[attr-defined]  # options have it

    def _show_all(self, context: Any, _: Any, wanted: bool) -> None:
        if wanted:
            for parameter in self.params:
                parameter.hidden = False  # type: ignore[attr-defined]  # options have it
            if text := context.get_help():  # which may have been printed already
                typer.echo(text)
            raise typer.Exit

    def get_help_option(self, ctx: Any) -> Any:
        """Return --help, which is not listed: it is on the screen already."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.hidden = True
        return option


app = typer.Typer(
    name="nri",
    cls=Commands,
    help="A table goes in, a rule that a person can read comes out.",
    epilog="Exit codes: 0 done, 1 an unexpected failure, 2 a mistake in a file or an option, 3 nri compare "
    "--fail-above: the rules differ, 130 interrupted.",
    context_settings=running.HELP_NAMES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"nri {version('nri')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Take the options that stand before any command."""


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command that takes records be called with their fields, which is what typer sees of it."""
    hints = get_type_hints(command)
    records: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        record = records.get(name)
        types = hints if record is None else get_type_hints(record)
        own = [parameter] if record is None else inspect.signature(record).parameters.values()
        kinds = {one.name: Annotated[types[one.name], declared(command.__name__, one.name)] for one in own}
        parameters += [one.replace(kind=one.KEYWORD_ONLY, annotation=kinds[one.name]) for one in own]

    @wraps(command)
    def called(**options: Any) -> None:
        set_quiet(options.get("quiet", False))
        for name, record in records.items():
            own = {one.name for one in fields(record)} & options.keys()
            options[name] = record(**{field: options.pop(field) for field in own})
        command(**options)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # for typer
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    return called


for _command in (
    *(induce, predict, explain, export, alternatives, slices, surrogate, compare, stability),
    *(serve, demo, train, export_weights),
):
    app.command(cls=BriefCommand, no_args_is_help=_command not in (demo, serve))(spread(_command))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; every mistake ends in one line on stderr and an exit code."""
    # one thread computes a rule: others that wait for work take a quarter of the seconds of a small table
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    prepare_streams()
    try:
        with notes_on_stderr():
            args = None if arguments is None else list(arguments)
            code = app(args=args, prog_name="nri", standalone_mode=False)
            sys.stdout.flush()  # what cannot be written fails now, not when Python ends
    except Exception as error:
        from nri.cli.errors import end_with

        end_with(error)
    sys.exit(code if isinstance(code, int) else 0)
