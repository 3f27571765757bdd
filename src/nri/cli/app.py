"""The ``nri`` command: which commands there are, and what happens when one goes wrong.

Exit codes: 0 done; 1 something failed that should not have (NRI_DEBUG=1 shows where); 2 a mistake in
a file or an option, in one line; 3 ``nri compare --fail-above``: the rules differ; 130 interrupted by Ctrl-C.

Nothing heavy is imported here or at the head of a command's file, so that ``nri --help`` is quick.
"""

import difflib
import errno
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer

from nri.cli.apply import explain, export, predict
from nri.cli.compare import compare, stability
from nri.cli.console import drop_output, notes_on_stderr, prepare_streams, printable
from nri.cli.induce import demo, induce
from nri.cli.model import slices, surrogate
from nri.cli.plugins import HELP_NAMES, BriefCommand, Commands
from nri.cli.serve import serve
from nri.cli.train import export_weights, train
from nri.errors import MissingTargetError, NRIError, ScoresError, TargetError, listed

ClickError: type[Exception] = typer.BadParameter.__mro__[2]
"""What all such mistakes derive from. Typer has a copy of click inside or uses the package, depending on its
version; this is the right one either way."""


def is_bare_invocation(error: Exception) -> bool:
    """Whether a command was called without any argument, so that its help is shown."""
    return type(error).__name__ == "NoArgsIsHelpError"


def usage_line(error: Exception) -> str:
    """Return what is wrong and where the options of the command are listed.

    >>> usage_line(typer.BadParameter("Input should be a number."))
    'invalid value: Input should be a number (see nri --help)'
    """
    message = str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]  # every ClickError has it
    context = getattr(error, "ctx", None)
    command = "nri" if context is None else context.command_path
    if type(error).__name__ == "NoSuchOption":
        message = unknown_option(error.option_name, context)  # type: ignore[attr-defined]  # this one has it
    return f"{message[:1].lower()}{message[1:]} (see {command} --help)"


def unknown_option(name: str, context: Any) -> str:
    """Return that there is no such option, with one that looks like it if there is one.

    Names are compared without their dashes, which make any two look alike.
    """
    known = [] if context is None else [option for one in context.command.params for option in one.opts]
    by_word = {option.lstrip("-"): option for option in known if option.startswith("--")}
    close = difflib.get_close_matches(name.lstrip("-"), list(by_word), n=2, cutoff=_ALIKE)
    hint = f"; did you mean {' or '.join(by_word[word] for word in close)}?" if close else ""
    return f"no such option: {name}{hint}"


_ALIKE = 0.7
"""Least likeness of a name to be suggested: columns for colums, but not out for cost."""

_EXIT_CODES = (
    "Exit codes: 0 done, 1 an unexpected failure, 2 a mistake in a file or an option, 3 nri compare "
    "--fail-above: the rules differ, 130 interrupted."
)

app = typer.Typer(
    name="nri",
    cls=Commands,
    help="A table goes in, a rule that a person can read comes out.",
    epilog=_EXIT_CODES,
    context_settings=HELP_NAMES,
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


_COMMANDS: tuple[Callable[..., None], ...] = (
    induce,
    predict,
    explain,
    export,
    slices,
    surrogate,
    compare,
    stability,
    serve,
    demo,
    train,
    export_weights,
)
for _command in _COMMANDS:
    app.command(cls=BriefCommand, no_args_is_help=_command not in (demo, serve))(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; every mistake ends in one line on stderr and an exit code."""
    prepare_streams()
    try:
        with notes_on_stderr():
            code = app(
                args=None if arguments is None else list(arguments), prog_name="nri", standalone_mode=False
            )
            sys.stdout.flush()  # what cannot be written fails now, not when Python ends
        sys.exit(code if isinstance(code, int) else 0)
    except ClickError as error:
        if is_bare_invocation(error):
            error.show()  # type: ignore[attr-defined]  # every ClickError has it
            sys.exit(2)
        _fail(usage_line(error), 2)
    except NRIError as error:
        _fail(in_options(error), 2)
    except BrokenPipeError:  # the reader of our output went away, e.g. nri predict ... | head -1
        drop_output()
        sys.exit(0)
    except OSError as error:
        if error.errno not in _CANNOT_WRITE:
            _fail_unexpectedly(error)
        drop_output()
        _fail(f"the result cannot be written ({error.strerror}); make room, or write to another place", 2)
    except Exception as error:
        _fail_unexpectedly(error)


_CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What writing to standard output may end in: a full disk, a quota, a limit, a device that fails."""


def _fail_unexpectedly(error: Exception) -> None:
    if os.environ.get("NRI_DEBUG"):
        raise error
    _fail(f"{type(error).__name__}: {error} (set NRI_DEBUG=1 to see where)", 1)


def in_options(error: NRIError) -> str:
    """Return an error's line with a remedy in the words of the command line.

    >>> print(in_options(TargetError("target 'price' is a number", "price > 100")))
    target 'price' is a number; compare it, e.g. --target "price > 100"
    """
    from nri.table.binarizer import UselessColumnsError, refusal

    match error:
        case UselessColumnsError():
            return refusal(error.left_out, named_in="--columns")
        case TargetError():
            return f'{error.cause}; compare it, e.g. --target "{error.comparison}"'
        case ScoresError():
            remedy = f'compare it, e.g. --predictions "{error.comparison}", or give a tolerance (--tolerance)'
            return f"{error.cause}; {remedy}"
        case MissingTargetError():
            return f"which column is to be explained? Add --target COLUMN, one of {listed(error.present)}"
    return str(error)


def _fail(message: str, code: int) -> None:
    if os.environ.get("NRI_DEBUG") and code == 2:
        import traceback

        traceback.print_exc()
    with suppress(OSError, ValueError):  # where nothing can be written, the code still says it
        print(f"error: {printable(' '.join(message.split()))}", file=sys.stderr)
        sys.stderr.flush()
    sys.exit(code)


if __name__ == "__main__":
    main()
