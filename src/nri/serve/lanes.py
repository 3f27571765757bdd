"""Lanes: computations run in threads, a few at a time; others wait in line and are told their place.

What takes milliseconds (rows, edits) has a lane of its own, so that nobody's search keeps it waiting, and so
have cross-validation and reports, which take long and for which nobody else shall wait.
"""

import asyncio
import contextlib
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from nri.errors import InputError

T = TypeVar("T")

LONGEST_LINE = 200
"""Most who wait in one lane; whoever comes after them is asked to come again."""
_LOOK_AGAIN = 1.0
"""Seconds after which somebody in line is looked for anew."""


class BusyError(InputError):
    """The line is so long that waiting makes no sense."""


class GoneError(Exception):
    """Whoever waited has gone away."""


class Lane:
    """So many computations at a time, first come, first served.

    Parameters
    ----------
    most
        Computations that run side by side; more would only slow each other down.
    longest
        Most who wait.
    """

    def __init__(self, most: int, longest: int = LONGEST_LINE) -> None:
        self._most = most
        self._longest = longest
        self._running = 0
        self._line: OrderedDict[object, asyncio.Future[None]] = OrderedDict()

    def before(self, ticket: object) -> int | None:
        """Return how many come before the holder of a ticket, None if that one does not wait here."""
        for place, other in enumerate(self._line):
            if other == ticket:
                return place + self._running
        return None

    @contextlib.asynccontextmanager
    async def turn(self, ticket: object, is_gone: Callable[[], Awaitable[bool]]) -> AsyncIterator[None]:
        """Wait for one's turn, and keep it for the length of a ``with`` block.

        Raises
        ------
        BusyError
            If too many wait already.
        GoneError
            If nobody waits for the answer any more.
        """
        if self._running < self._most and not self._line:
            self._running += 1
        else:
            await self._wait(ticket, is_gone)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, ticket: object, is_gone: Callable[[], Awaitable[bool]]) -> None:
        if len(self._line) >= self._longest:
            raise BusyError(f"busy: {len(self._line)} are before you; try again in a minute")
        if ticket in self._line:
            ticket = object()  # a second request under the same ticket waits all the same
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._line[ticket] = called
        try:
            while not called.done():
                await asyncio.wait([called], timeout=_LOOK_AGAIN)
                if await is_gone():
                    raise GoneError
        except BaseException:
            self._line.pop(ticket, None)
            if called.done():  # it was one's turn just now
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give one's turn to the next in line."""
        if self._line:
            _, called = self._line.popitem(last=False)
            called.set_result(None)
        else:
            self._running -= 1


async def in_thread(function: Callable[[], T]) -> T:
    """Compute in a thread that does not keep the program from ending."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if answer.done():
            return  # whoever waited was cancelled
        if error is None:
            answer.set_result(result)  # type: ignore[arg-type]
        else:
            answer.set_exception(error)

    def run() -> None:
        result, error = None, None
        try:
            result = function()
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the server may have ended meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="nri-serve", daemon=True).start()
    return await answer
