"""Errors: what is printed when a command goes wrong, in one line, and the exit code.

Exit codes: 0 done; 1 something failed that should not have (NRI_DEBUG=1 shows where); 2 a mistake in
a file or an option; 3 ``nri compare --fail-above``: the rules differ; 130 interrupted by Ctrl-C.
"""

import difflib
import errno
import os
import sys
import traceback
from contextlib import suppress
from typing import NoReturn

import typer

from nri.cli.console import drop_output, printable
from nri.errors import MissingTargetError, NRIError, ScoresError, TargetError, listed

ClickError: type[Exception] = typer.BadParameter.__mro__[2]
"""What all mistakes on the command line derive from. Typer has a copy of click inside or uses the package,
depending on its version; this is the right one either way."""
_CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What writing to standard output may end in: a full disk, a quota, a limit, a device that fails."""
_ALIKE = 0.7  # Least likeness of a name to be suggested: columns for colums, but not out for cost.


def end_with(error: Exception) -> NoReturn:
    """End the process with what an error means to the user."""
    match error:
        case ClickError() if type(error).__name__ == "NoArgsIsHelpError":
            error.show()  # type: ignore[attr-defined]  # every ClickError has it
            sys.exit(2)
        case ClickError():
            _fail(usage_line(error), 2)
        case NRIError():
            _fail(in_options(error), 2)
        case BrokenPipeError():  # the reader of our output went away, e.g. nri predict ... | head -1
            drop_output()
            sys.exit(0)
        case OSError() if error.errno in _CANNOT_WRITE:
            drop_output()
            _fail(f"the result cannot be written ({error.strerror}); make room, or write to another place", 2)
    if os.environ.get("NRI_DEBUG"):
        raise error
    _fail(f"{type(error).__name__}: {error} (set NRI_DEBUG=1 to see where)", 1)


def _fail(message: str, code: int) -> NoReturn:
    if os.environ.get("NRI_DEBUG") and code == 2:
        traceback.print_exc()
    with suppress(OSError, ValueError):  # where nothing can be written, the code still says it
        print(f"error: {printable(' '.join(message.split()))}", file=sys.stderr)
        sys.stderr.flush()
    sys.exit(code)


def usage_line(error: Exception) -> str:
    """Return what is wrong, with an option of a similar name, and where the options are listed."""
    message = str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]  # every ClickError has it
    context = getattr(error, "ctx", None)
    command = "nri" if context is None else context.command_path
    if type(error).__name__ == "NoSuchOption":
        known = [] if context is None else [option for one in context.command.params for option in one.opts]
        by_word = {option.lstrip("-"): option for option in known if option.startswith("--")}
        name = str(error.option_name)  # type: ignore[attr-defined]  # this one has it
        close = difflib.get_close_matches(name.lstrip("-"), list(by_word), n=2, cutoff=_ALIKE)
        hint = f"; did you mean {' or '.join(by_word[word] for word in close)}?" if close else ""
        message = f"no such option: {name}{hint}"
    return f"{message[:1].lower()}{message[1:]} (see {command} --help)"


def in_options(error: NRIError) -> str:
    """Return an error's line with a remedy in the words of the command line."""
    from nri.table.left_out import UselessColumnsError, refusal

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
