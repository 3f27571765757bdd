"""What every command says and how: results on stdout, everything else on stderr."""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.theme import Theme

_LOGGER = logging.getLogger("nri")

PATIENCE = 2.0
"""Seconds after which a person wants to see that something is going on."""


class _Waited:
    """How long this command has been waited for in all: several short steps are a long wait too."""

    seconds = 0.0


class RuleHighlighter(RegexHighlighter):
    """Marks the words and numbers of a rule in text form."""

    base_style = "rule."
    highlights = [  # noqa: RUF012  # the base class declares it so
        r"(?m)^(?P<word>IF| OR|THEN|ELSE|ALWAYS)\b",
        r"(?P<word>\b(AND|NOT|ELSE)\b)",
        r"(?P<number>precision (\d\.\d\d|-) +covers [\d.]+ of [\d.]+)",
        r"(?P<note>accuracy \d\.\d\d( ± \d\.\d\d)? \([^)]*\))",
    ]


_THEME = Theme({"rule.word": "bold cyan", "rule.number": "dim", "rule.note": "green"})


def replace_closed_streams() -> None:
    """Put something in the place of standard streams that were closed (``nri ... >&-``) and are None.

    No table can be read there and no result be written, which is said like any other such failure; remarks go
    nowhere. And no file that is opened later takes the number of the stream.
    """
    for number, (name, mode, way) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, way)
            if nothing != number:
                os.dup2(nothing, number)
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115  # open to the end
            setattr(sys, name, stream)


_STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
"""What stands in for a closed stream: reading from the first and writing to the second fails."""


def show_rule(text: str) -> None:
    """Print a rule in text form: in colour on a terminal, as plain text anywhere else."""
    if not sys.stdout.isatty():
        emit(text)
        return
    console = Console(theme=_THEME, highlighter=RuleHighlighter(), soft_wrap=True, emoji=False, markup=False)
    console.print(text)


def emit(text: str, stream: IO[str] | None = None) -> None:
    """Print text as it is, with a line end."""
    stream = stream or sys.stdout
    stream.write(text if text.endswith("\n") else text + "\n")
    stream.flush()


def tell(message: str, *, quiet: bool = False) -> None:
    """Print a remark for the person at the terminal."""
    if message and not quiet:
        emit(message, sys.stderr)


@dataclass(frozen=True)
class Steps:
    """What is told while somebody waits."""

    advance: Callable[[], None]
    say: Callable[[str], None]
    """tell what is being done now"""

    def __call__(self) -> None:
        """Tell that a step is done."""
        self.advance()


@contextmanager
def waiting(title: str, *, steps: int | None = None, quiet: bool = False) -> Iterator[Steps]:
    """Show on stderr that something is going on, once this and what was waited for before took two seconds.

    Yields a function to be called after each step; with a number of steps a bar shows them.
    """
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = [SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()]
    if steps is not None:
        columns.insert(2, BarColumn())
    progress = Progress(*columns, console=console, transient=True)
    task = progress.add_task(title, total=steps)
    over, lock = threading.Event(), threading.Lock()

    def begin() -> None:
        with lock:
            if not over.is_set():
                progress.start()

    began = time.monotonic()
    timer = threading.Timer(max(0.0, PATIENCE - _Waited.seconds), begin)
    timer.daemon = True
    if not quiet and console.is_terminal:
        timer.start()
    try:
        yield Steps(lambda: progress.advance(task), lambda text: progress.update(task, description=text))
    finally:
        timer.cancel()
        _Waited.seconds += time.monotonic() - began
        with lock:
            over.set()
            if progress.live.is_started:  # stopping what never started would print an empty line
                progress.stop()


@contextmanager
def notes_on_stderr() -> Iterator[None]:
    """Let the library's warnings through as single lines on stderr while a command runs."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("note: %(message)s"))
    handler.setLevel(logging.WARNING)
    _LOGGER.addHandler(handler)
    try:
        yield
    finally:
        _LOGGER.removeHandler(handler)


def mute_notes(quiet: bool) -> None:
    """Hold warnings back if the person wants quiet."""
    for handler in _LOGGER.handlers:
        handler.setLevel(logging.ERROR if quiet else logging.WARNING)


def text_table(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Align rows of texts, the first of which is the heading.

    Parameters
    ----------
    rows
        Of equal length.
    left
        How many columns are flush left; the others are flush right.

    Examples
    --------
    >>> print(text_table([("slice", "rows"), ("age > 61", "7")]))
    slice     rows
    age > 61     7
    """
    from nri.rule.render.as_text import display_width

    widths = [max(display_width(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
            gap = " " * (width - display_width(cell))
            cells.append(cell + gap if i < left else gap + cell)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
