"""The terminal: results on stdout, messages and progress on stderr."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

_LOGGER = logging.getLogger("nri")


_STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
"""How a closed stream is replaced: reading from the first and writing to the second fails."""


def prepare_streams() -> None:
    """Replace standard streams that were closed (``nri ... >&-``), and let none fail on a character."""
    for number, (name, mode, way) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, way), number)  # so that no file opened later gets the number
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115  # open to the end
            setattr(sys, name, stream)
    for output in (sys.stdout, sys.stderr):
        if hasattr(output, "reconfigure"):
            output.reconfigure(errors="backslashreplace")  # e.g. a name in Chinese on a terminal of cp1252


def drop_output() -> None:
    """Discard output that could not be written, so that nothing is left to fail at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def printable(text: str) -> str:
    """Return a text with its control characters escaped, so that a name cannot command the terminal."""
    if text.isprintable():
        return text
    return "".join(
        c if c in "\n\t" or c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def show_rule(text: str) -> None:
    """Print a rule in text form: in colour on a terminal, as plain text anywhere else."""
    if not sys.stdout.isatty():
        emit(text)
        return
    from nri.cli.terminal import print_rule

    print_rule(printable(text))


def emit(text: str, stream: IO[str] | None = None) -> None:
    """Print text with a line end; on a terminal its control characters are escaped."""
    stream = stream or sys.stdout
    text = printable(text) if stream.isatty() else text
    stream.write(text if text.endswith("\n") else text + "\n")
    stream.flush()


def message(text: str, *, always: bool = False) -> None:
    """Print a line for the person at the terminal, with --quiet only if ``always``."""
    if text and (always or _HANDLER.level < logging.ERROR):
        emit(printable(text), sys.stderr)


class Progress:
    """What is called after each step of a command; it shows something on a terminal only."""

    def __init__(self, title: str = "", bar: Any = None) -> None:
        self._title, self._bar, self.visible = title, bar, bar is not None

    def __call__(self) -> None:
        """Count a step as done."""
        if self.visible:
            self._bar.advance(self._bar.task_ids[0])

    def describe(self, text: str, done: int | None = None) -> None:
        """Show what is being done now, and how many steps are done."""
        if self.visible:
            self._bar.update(self._bar.task_ids[0], description=printable(text), completed=done)

    def count_rows(self, done: int) -> None:
        """Show how many rows are done."""
        self.describe(f"{self._title}: {done} rows")


@contextmanager
def progress(title: str, *, steps: int | None = None) -> Iterator[Progress]:
    """Show progress on a terminal's stderr once this and earlier steps of the command took two seconds."""
    if _HANDLER.level >= logging.ERROR or not sys.stderr.isatty():
        yield Progress()
        return
    from nri.cli.terminal import shown_progress

    with shown_progress(printable(title), steps) as bar:
        yield Progress(title, bar)


class _Notes(logging.Handler):
    """Prints each warning of the library as one line on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        emit(printable(f"note: {record.getMessage()}"), sys.stderr)


_HANDLER = _Notes(logging.WARNING)  # Its level says whether --quiet was given.


@contextmanager
def notes_on_stderr() -> Iterator[None]:
    """Print the library's warnings while a command runs."""
    _LOGGER.addHandler(_HANDLER)
    set_quiet(False)
    try:
        yield
    finally:
        _LOGGER.removeHandler(_HANDLER)


def set_quiet(quiet: bool) -> None:
    """Hold messages, progress and warnings back, or show them."""
    _HANDLER.setLevel(logging.ERROR if quiet else logging.WARNING)
