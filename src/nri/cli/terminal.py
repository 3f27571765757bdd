"""What only a terminal gets: rules in colour, and progress."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich import progress as rich_progress
from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.theme import Theme

PROGRESS_AFTER = 2.0  # Seconds after which progress is shown.


class Elapsed:
    """Seconds that this command has worked for so far: several short steps are a long wait too."""

    seconds = 0.0


class RuleHighlighter(RegexHighlighter):
    """Marks the words of a rule in text form, and how good it is."""

    base_style = "rule."
    highlights = [  # noqa: RUF012  # the base class declares it so
        r"(?m)^(?P<word>IF| OR|     OR|THEN|ELSE IF|ELSE|ALWAYS)\b",
        r"(?P<word>\b(AND|NOT|ELSE)\b)",
        r"(?P<note>accuracy \d\.\d\d( ± \d\.\d\d)? \([^)]*\))",
    ]


_THEME = Theme({"rule.word": "bold cyan", "rule.note": "green"})


def print_rule(text: str) -> None:
    """Print a rule in colour."""
    console = Console(theme=_THEME, highlighter=RuleHighlighter(), soft_wrap=True, emoji=False, markup=False)
    console.print(text)


@contextmanager
def shown_progress(title: str, steps: int | None) -> Iterator[rich_progress.Progress]:
    """Show a spinner and, with a number of steps, a bar, once the command took two seconds in all."""
    columns: list[rich_progress.ProgressColumn] = [
        rich_progress.SpinnerColumn(),
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.TimeElapsedColumn(),
    ]
    if steps is not None:
        columns.insert(2, rich_progress.BarColumn())
    bar = rich_progress.Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(title, total=steps)
    over, lock = threading.Event(), threading.Lock()

    def begin() -> None:
        with lock:
            if not over.is_set():
                bar.start()

    began = time.monotonic()
    timer = threading.Timer(max(0.0, PROGRESS_AFTER - Elapsed.seconds), begin)
    timer.daemon = True
    timer.start()
    try:
        yield bar
    finally:
        timer.cancel()
        Elapsed.seconds += time.monotonic() - began
        with lock:
            over.set()
            if bar.live.is_started:  # stopping what never started would print an empty line
                bar.stop()
