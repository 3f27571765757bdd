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

logger = logging.getLogger(__name__)

T = TypeVar("T")
Line = dict[str, Any]

POLL_SECONDS = 1.0
"""How often a waiting request is checked for a client that went away, and its place is sent again."""
_RUNNING: set[asyncio.Task[None]] = set()
"""Computations that outlive their reader for a moment; the event loop alone would not keep them."""


class DisconnectedError(Exception):
    """The client no longer waits for the result."""


class Queue:
    """A number of computations at a time, first come, first served."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._free = asyncio.Semaphore(slots)
        self._waiting: dict[object, None] = {}

    def before(self, ticket: object) -> int | None:
        """Return how many computations come before a ticket, None if it does not wait here."""
        if ticket not in self._waiting:
            return None
        return self._slots + list(self._waiting).index(ticket)

    @contextlib.asynccontextmanager
    async def turn(self, ticket: object, is_gone: Callable[[], Awaitable[bool]]) -> AsyncIterator[None]:
        """Wait for a slot and hold it for the length of a ``with`` block.

        Raises :class:`DisconnectedError` if the client goes away while it waits.
        """
        if self._free.locked():
            await self._wait(ticket, is_gone)
        else:
            await self._free.acquire()
        try:
            yield
        finally:
            self._free.release()

    async def _wait(self, ticket: object, is_gone: Callable[[], Awaitable[bool]]) -> None:
        if ticket in self._waiting:
            ticket = object()  # a second request with the same ticket has a place of its own
        self._waiting[ticket] = None
        acquiring = asyncio.ensure_future(self._free.acquire())
        try:
            while not acquiring.done():
                await asyncio.wait([acquiring], timeout=POLL_SECONDS)
                if await is_gone():
                    raise DisconnectedError
        except BaseException:
            if not acquiring.cancel():
                self._free.release()
            raise
        finally:
            del self._waiting[ticket]


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

    ``compute`` is called with a function to be called after each step. While the computation waits, lines
    say how many come before it. If the reader goes away it ends with its present step, and holds its slot
    until then.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[Line | None] = asyncio.Queue()
    gone, ticket, done = threading.Event(), object(), itertools.count(1)

    def step() -> None:
        if gone.is_set():
            raise DisconnectedError
        loop.call_soon_threadsafe(lines.put_nowait, {"done": next(done), "of": steps})

    async def is_gone() -> bool:
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
        while True:
            try:
                line = await asyncio.wait_for(lines.get(), POLL_SECONDS)
            except TimeoutError:
                before = queue.before(ticket)
                line = {} if before is None else {"before": before}
            if line is None:
                return
            if line:
                yield json.dumps(line) + "\n"
    finally:
        gone.set()
