"""Progress: a long computation in a thread, told line by line to whoever waits for it."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

from nri.errors import NRIError

Line = dict[str, Any]


class _Stopped(Exception):  # noqa: N818  # not an error: the visitor went on to something else
    """Ends a computation that nobody waits for any more."""


async def told_lines(compute: Callable[[Callable[[], None]], Line], steps: int) -> AsyncIterator[str]:
    """Compute in a thread and yield a line of JSON after each step; the last one is the result.

    If the reader goes away the computation ends with its present step.

    Parameters
    ----------
    compute
        Called with a function to be called after each step; it returns the last line.
    steps
        How many there are at most.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[Line | None] = asyncio.Queue()
    gone = threading.Event()

    def tell(line: Line | None) -> None:
        if not gone.is_set():
            loop.call_soon_threadsafe(lines.put_nowait, line)

    worker = loop.run_in_executor(None, _run, compute, steps, tell, gone)
    try:
        while (line := await lines.get()) is not None:
            yield json.dumps(line) + "\n"
    finally:
        gone.set()
        if not worker.done():
            worker.add_done_callback(lambda done: done.cancelled() or done.exception())


def _run(
    compute: Callable[[Callable[[], None]], Line],
    steps: int,
    tell: Callable[[Line | None], None],
    gone: threading.Event,
) -> None:
    done = 0

    def step() -> None:
        nonlocal done
        if gone.is_set():
            raise _Stopped
        done += 1
        tell({"done": done, "of": steps})

    try:
        tell(compute(step))
    except _Stopped:
        pass
    except NRIError as error:
        tell({"problem": str(error)})
    except Exception as error:  # the reader must learn that no further line comes
        tell({"problem": f"it failed ({type(error).__name__}); the terminal says more"})
        raise
    finally:
        tell(None)
