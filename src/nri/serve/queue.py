"""Run computations in threads, a few at a time; other requests wait in order and can look up their place."""

import asyncio
import concurrent.futures
import contextlib
import itertools
import json
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

from nri.errors import NRIError
from nri.serve.view import plain

logger = logging.getLogger(__name__)

T = TypeVar("T")
Line = dict[str, Any]

POLL_SECONDS = 1.0  # How often a waiting request is looked at: is its client there, and what is its place?
_RUNNING: set[asyncio.Task[None]] = set()
"""Computations that outlive their reader for a moment; the event loop alone would not keep them."""


class DisconnectedError(Exception):
    """The client no longer waits for the result."""


class Queue:
    """A number of computations at a time, first come, first served."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._line: dict[object, asyncio.Event] = {}
        """those who compute, then those who wait; the event of each is set when its turn has come"""

    def before(self, ticket: object) -> int | None:
        """Return how many computations come before a ticket, None if it does not wait here."""
        place = list(self._line).index(ticket) if ticket in self._line else 0
        return place if place >= self._slots else None

    @contextlib.asynccontextmanager
    async def turn(self, ticket: object, is_gone: Callable[[], Awaitable[bool]]) -> AsyncIterator[None]:
        """Wait for a slot and hold it for the length of a ``with`` block.

        Raises :class:`DisconnectedError` if the client goes away while it waits.
        """
        if ticket in self._line:
            ticket = object()  # a second request with the same ticket has a place of its own
        turn = self._line[ticket] = asyncio.Event()
        try:
            while self.before(ticket) is not None:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(turn.wait(), POLL_SECONDS)
                if await is_gone():
                    raise DisconnectedError
            yield
        finally:
            del self._line[ticket]
            for turn in itertools.islice(self._line.values(), self._slots):
                turn.set()


async def in_thread(function: Callable[[], T]) -> T:
    """Compute in a daemon thread, which does not keep the program from ending."""
    result: concurrent.futures.Future[T] = concurrent.futures.Future()
    result.set_running_or_notify_cancel()

    def run() -> None:
        try:
            result.set_result(function())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=run, name="nri-serve", daemon=True).start()
    return await asyncio.wrap_future(result)


async def progress_lines(
    compute: Callable[[Callable[[], None]], Line], steps: int, queue: Queue
) -> AsyncIterator[str]:
    """Compute in a queue and yield a line of JSON after each step; the last line is the result.

    ``compute`` gets a function to be called after each step. While it waits, lines say how many come before
    it. If the reader goes away it ends with its present step, and holds its slot until then.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[Line | None] = asyncio.Queue()
    gone, ticket, done = threading.Event(), object(), itertools.count(1)

    def step() -> None:
        if gone.is_set():
            raise DisconnectedError
        loop.call_soon_threadsafe(lines.put_nowait, {"done": next(done), "of": steps})

    async def is_gone() -> bool:
        if (before := queue.before(ticket)) is not None:
            lines.put_nowait({"before": before})
        return gone.is_set()

    async def run() -> None:
        try:
            async with queue.turn(ticket, is_gone):
                lines.put_nowait(await in_thread(lambda: compute(step)))
        except DisconnectedError:
            pass
        except NRIError as error:
            lines.put_nowait({"problem": str(error)})
        except Exception as error:  # the reader must learn that no further line comes
            logger.error("a long computation failed", exc_info=error)
            lines.put_nowait({"problem": f"it failed ({type(error).__name__}); the terminal says more"})
        lines.put_nowait(None)

    running = loop.create_task(run())
    _RUNNING.add(running)
    running.add_done_callback(_RUNNING.discard)
    try:
        while (line := await lines.get()) is not None:
            yield json.dumps(line, default=plain) + "\n"
    finally:
        gone.set()
