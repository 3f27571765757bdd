"""Mistakes in the use of a command, e.g. an unknown option, told in one line like all others."""

import typer

ClickError: type[Exception] = typer.BadParameter.__mro__[2]
"""What all such mistakes derive from. Typer has a copy of click inside or uses the package, depending on its
version; this is the right one either way."""


def is_plea_for_help(error: Exception) -> bool:
    """Whether a command was called without anything, for which the answer is its help."""
    return type(error).__name__ == "NoArgsIsHelpError"


def usage_line(error: Exception) -> str:
    """Return what is wrong and where the command's options are told.

    >>> usage_line(typer.BadParameter("Input should be a number."))
    'invalid value: Input should be a number (see nri --help)'
    """
    message = str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]  # every ClickError has it
    context = getattr(error, "ctx", None)
    command = "nri" if context is None else context.command_path
    return f"{message[:1].lower()}{message[1:]} (see {command} --help)"
