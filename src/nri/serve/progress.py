"""Progress: a long computation, told line by line to whoever waits for it."""

import asyncio
import contextlib
import json
import logging
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

from nri.errors import NRIError
from nri.serve.lanes import GoneError, Lane, in_thread

logger = logging.getLogger(__name__)

Line = dict[str, Any]

_WORKING: set[asyncio.Task[None]] = set()
"""What outlives its reader for a moment; the event loop alone would not keep it."""
_TOLD_AGAIN = 1.0
"""Seconds after which somebody who waits in line is told the place anew."""


class _Stopped(Exception):  # noqa: N818  # not an error: the visitor went on to something else
    """Ends a computation that nobody waits for any more."""


async def told_lines(
    compute: Callable[[Callable[[], None]], Line], steps: int, lane: Lane
) -> AsyncIterator[str]:
    """Compute in a lane and yield a line of JSON after each step; the last one is the result.

    Whoever has to wait first is told how many are before. If the reader goes away the computation ends with
    its present step, and keeps its turn until then.

    Parameters
    ----------
    compute
        Called with a function to be called after each step; it returns the last line.
    steps
        How many there are at most.
    lane
        Where it waits for its turn.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[Line | None] = asyncio.Queue()
    gone = threading.Event()
    ticket = object()

    def tell(line: Line | None) -> None:
        if not gone.is_set():
            loop.call_soon_threadsafe(lines.put_nowait, line)

    working = loop.create_task(_in_turn(lane, ticket, compute, steps, tell, gone))
    _WORKING.add(working)
    working.add_done_callback(_WORKING.discard)
    try:
        while True:
            try:
                line = await asyncio.wait_for(lines.get(), _TOLD_AGAIN)
            except TimeoutError:
                before = lane.before(ticket)
                if before is not None:
                    yield json.dumps({"before": before}) + "\n"
                continue
            if line is None:
                return
            yield json.dumps(line) + "\n"
    finally:
        gone.set()


async def _in_turn(
    lane: Lane,
    ticket: object,
    compute: Callable[[Callable[[], None]], Line],
    steps: int,
    tell: Callable[[Line | None], None],
    gone: threading.Event,
) -> None:
    async def is_gone() -> bool:
        return gone.is_set()

    try:
        async with lane.turn(ticket, is_gone):
            await in_thread(lambda: _run(compute, steps, tell, gone))
    except GoneError:
        pass
    except NRIError as error:
        tell({"problem": str(error)})
    except Exception as error:  # the reader must learn that no further line comes
        logger.error("a long computation failed", exc_info=error)
        tell({"problem": f"it failed ({type(error).__name__}); the terminal says more"})
    finally:
        tell(None)


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

    with contextlib.suppress(_Stopped):
        tell(compute(step))
