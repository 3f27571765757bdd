"""The terminal: results on stdout, messages and progress on stderr."""

import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.theme import Theme

_LOGGER = logging.getLogger("nri")

PROGRESS_AFTER = 2.0
"""Seconds after which progress is shown."""


class _Elapsed:
    """Seconds that this command has worked for so far: several short steps are a long wait too."""

    seconds = 0.0


class RuleHighlighter(RegexHighlighter):
    """Marks the words and numbers of a rule in text form."""

    base_style = "rule."
    highlights = [  # noqa: RUF012  # the base class declares it so
        r"(?m)^(?P<word>IF| OR|     OR|THEN|ELSE IF|ELSE|ALWAYS)\b",
        r"(?P<word>\b(AND|NOT|ELSE)\b)",
        r"(?P<number>(\d\.\d\d|-) of +[\d.]+ rows)",
        r"(?P<note>accuracy \d\.\d\d( ± \d\.\d\d)? \([^)]*\))",
    ]


_THEME = Theme({"rule.word": "bold cyan", "rule.number": "dim", "rule.note": "green"})
_STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
"""How a closed stream is replaced: reading from the first and writing to the second fails."""


def prepare_streams() -> None:
    """Replace standard streams that were closed (``nri ... >&-``), and let none fail on a character.

    Reading from a closed input and writing to a closed output fail like any other file; messages are lost.
    The number of the stream stays taken, so that no file opened later gets it.
    """
    for number, (name, mode, way) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, way)
            if null != number:
                os.dup2(null, number)
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115  # open to the end
            setattr(sys, name, stream)
    for output in (sys.stdout, sys.stderr):
        if hasattr(output, "reconfigure"):
            output.reconfigure(errors="replace")  # e.g. a name in Chinese on a terminal of cp1252


def drop_output() -> None:
    """Discard output that could not be written, so that nothing is left to fail at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def printable(text: str) -> str:
    r"""Return a text with its control characters escaped, so that a name cannot command the terminal.

    >>> print(printable("red\x1b[31m"))
    red\x1b[31m
    """
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
    console = Console(theme=_THEME, highlighter=RuleHighlighter(), soft_wrap=True, emoji=False, markup=False)
    console.print(printable(text))


def emit(text: str, stream: IO[str] | None = None) -> None:
    """Print text with a line end; on a terminal its control characters are escaped."""
    stream = stream or sys.stdout
    text = printable(text) if stream.isatty() else text
    stream.write(text if text.endswith("\n") else text + "\n")
    stream.flush()


def message(text: str, *, quiet: bool = False) -> None:
    """Print a line for the person at the terminal."""
    if text and not quiet:
        emit(printable(text), sys.stderr)


class Progress:
    """What is shown while a command works; it is called after each step."""

    def __init__(self, bar: Any, task: Any, visible: bool) -> None:
        self._bar, self._task, self.visible = bar, task, visible

    def __call__(self) -> None:
        """Count a step as done."""
        self._bar.advance(self._task)

    def describe(self, text: str, done: int | None = None) -> None:
        """Show what is being done now, and how many steps are done."""
        self._bar.update(self._task, description=printable(text), completed=done)


@contextmanager
def progress(title: str, *, steps: int | None = None, quiet: bool = False) -> Iterator[Progress]:
    """Show progress on stderr once this and earlier steps of the command took two seconds.

    With a number of steps a bar shows them.
    """
    from rich import progress as rich_progress

    console = Console(stderr=True)
    columns: list[rich_progress.ProgressColumn] = [
        rich_progress.SpinnerColumn(),
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.TimeElapsedColumn(),
    ]
    if steps is not None:
        columns.insert(2, rich_progress.BarColumn())
    bar = rich_progress.Progress(*columns, console=console, transient=True)
    task = bar.add_task(printable(title), total=steps)
    over, lock = threading.Event(), threading.Lock()

    def begin() -> None:
        with lock:
            if not over.is_set():
                bar.start()

    began = time.monotonic()
    timer = threading.Timer(max(0.0, PROGRESS_AFTER - _Elapsed.seconds), begin)
    timer.daemon = True
    visible = not quiet and console.is_terminal
    if visible:
        timer.start()
    try:
        yield Progress(bar, task, visible)
    finally:
        timer.cancel()
        _Elapsed.seconds += time.monotonic() - began
        with lock:
            over.set()
            if bar.live.is_started:  # stopping what never started would print an empty line
                bar.stop()


class _NoteFormatter(logging.Formatter):
    """One printable line for each warning."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(f"note: {record.getMessage()}")


@contextmanager
def notes_on_stderr() -> Iterator[None]:
    """Print the library's warnings as single lines on stderr while a command runs."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_NoteFormatter())
    handler.setLevel(logging.WARNING)
    _LOGGER.addHandler(handler)
    try:
        yield
    finally:
        _LOGGER.removeHandler(handler)


def mute_notes(quiet: bool) -> None:
    """Hold warnings back with --quiet."""
    for handler in _LOGGER.handlers:
        handler.setLevel(logging.ERROR if quiet else logging.WARNING)
