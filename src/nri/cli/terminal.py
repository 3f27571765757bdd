"""What only a terminal gets: rules in colour, and progress."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich import progress as rich_progress
from rich.console import Console
from rich.text import Text

PROGRESS_AFTER = 2.0  # Seconds after which progress is shown.


class Elapsed:
    """Seconds that this command has worked for so far: several short steps are a long wait too."""

    seconds = 0.0


_STYLES = {
    r"(?m)^(IF| OR|     OR|THEN|ELSE IF|ALWAYS)\b|\b(AND|NOT|ELSE)\b": "bold cyan",
    r"accuracy \d\.\d\d( ± \d\.\d\d)? \([^)]*\)": "green",
}
"""What is marked in a rule in text form: its words, and how good it is."""


def print_rule(text: str) -> None:
    """Print a rule in colour."""
    shown = Text(text)
    for pattern, style in _STYLES.items():
        shown.highlight_regex(pattern, style)
    Console(soft_wrap=True).print(shown)


@contextmanager
def shown_progress(title: str, steps: int | None) -> Iterator[rich_progress.Progress]:
    """Show a spinner and, with a number of steps, a bar, once the command took two seconds in all."""
    columns = [
        rich_progress.SpinnerColumn(),
        rich_progress.TextColumn("{task.description}", markup=False),
        *([] if steps is None else [rich_progress.BarColumn()]),
        rich_progress.TimeElapsedColumn(),
    ]
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
