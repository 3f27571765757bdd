"""What a person sees of a training run: updates, episodes a second, the loss, the time left."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from nri.cli.console import tell

Watcher = Callable[[int, dict[str, float]], None]

_QUIET_SECONDS = 60.0
"""Between two lines where there is no terminal to draw a bar on."""
_WINDOW = 50
"""Updates that the speed is taken over."""


class Speed:
    """Episodes a second over the last updates."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, float]] = deque(maxlen=_WINDOW)
        self._last = time.monotonic()

    def add(self, episodes: float) -> float:
        """Count the episodes of one update and return the speed."""
        now = time.monotonic()
        self._seen.append((episodes, now - self._last))
        self._last = now
        return sum(n for n, _ in self._seen) / max(1e-9, sum(seconds for _, seconds in self._seen))


@contextmanager
def training_progress(name: str, updates: int, *, show: bool) -> Iterator[Watcher | None]:
    """Yield the function to call after every update; a bar on a terminal, a line a minute elsewhere."""
    console = Console(stderr=True)
    if not show:
        yield None
    elif console.is_terminal:
        with _bar(console) as progress:
            yield _on_a_terminal(progress, name, updates)
    else:
        yield _in_a_log(name, updates)


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
        console=console,
    )


def _on_a_terminal(progress: Progress, name: str, updates: int) -> Watcher:
    bar = progress.add_task(f"training {name}", total=updates, state="")
    speed = Speed()

    def watch(step: int, means: dict[str, float]) -> None:
        progress.update(bar, completed=step, state=_state(speed.add(means["episodes"]), means))

    return watch


def _in_a_log(name: str, updates: int) -> Watcher:
    speed, since, first = Speed(), time.monotonic(), True

    def watch(step: int, means: dict[str, float]) -> None:
        nonlocal since, first
        pace = speed.add(means["episodes"])
        if first or step == updates or time.monotonic() - since > _QUIET_SECONDS:
            left = (updates - step) * means["episodes"] / max(pace, 1e-9) / 60
            state = f"{_state(pace, means)}, {left:.0f} minutes left"
            tell(f"training {name}: {step} of {updates} updates, {state}")
            since, first = time.monotonic(), False

    return watch


def _state(pace: float, means: dict[str, float]) -> str:
    return f"{pace:.0f} episodes/s, loss {means.get('loss', float('nan')):.4f}"
