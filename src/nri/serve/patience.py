"""Patience: how long the server waits for a visitor who is slow, or who never meant to finish.

A connection that sends half a header, half a body, or does not read its answer costs the sender nothing and
would be kept for ever. Every wait has an end here; on loopback an honest page is far within each of them.
"""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


@dataclass(frozen=True)
class Patience:
    """Seconds that are waited for each part of a request and its answer, and how many may wait at once."""

    headers: float = 10.0
    """until the headers of a request are whole, from its first byte or from the connection on"""
    pause: float = 15.0
    """between two parts of a body"""
    body: float = 120.0
    """until a body is whole"""
    reading: float = 30.0
    """in which a visitor takes nothing of an answer that waits to be sent"""
    connections: int = 700
    """open at once; below the usual limit on open files, with room for the tables"""


def patient(patience: Patience) -> type[H11Protocol]:
    """Return uvicorn's HTTP/1.1 with an end to every wait."""

    class Bound(_PatientProtocol):
        limits = patience

    return Bound


class _PatientProtocol(H11Protocol):
    limits = Patience()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._asking: asyncio.TimerHandle | None = None  # ends a request that does not become whole
        self._pausing: asyncio.TimerHandle | None = None  # ends a body that does not go on
        self._taking: asyncio.TimerHandle | None = None  # ends an answer that nobody reads
        self._in_body = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._refuse(429, "busy: too many connections are open; try again in a minute")
            return
        self._asking = self.loop.call_later(self.limits.headers, self._end_request)

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._asking, self._pausing, self._taking):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return  # refused already; what is still on its way is of no interest
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        """Start and stop the timers by what the request still lacks."""
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            if not self._in_body:
                self._in_body = True
                self._asking = self._instead(self._asking, self.limits.body)
            self._pausing = self._instead(self._pausing, self.limits.pause)
            return
        self._in_body = False
        self._pausing = self._instead(self._pausing, None)
        waits_for_headers = state is h11.IDLE and self.conn.trailing_data[0]
        if not waits_for_headers:  # whole, or between two requests, which uvicorn ends by itself
            self._asking = self._instead(self._asking, None)
        elif self._asking is None:
            self._asking = self.loop.call_later(self.limits.headers, self._end_request)

    def _instead(
        self, timer: asyncio.TimerHandle | None, seconds: float | None
    ) -> asyncio.TimerHandle | None:
        if timer is not None:
            timer.cancel()
        return None if seconds is None else self.loop.call_later(seconds, self._end_request)

    def _end_request(self) -> None:
        if self.flow.read_paused:  # it is the server that takes no more of it just now: look again later
            self._asking = self._instead(self._asking, self.limits.pause)
        elif not self.transport.is_closing():
            self._refuse(408, "the request did not arrive whole in time; send it again")

    def _refuse(self, status: int, message: str) -> None:
        """Say why, if nothing has been said yet, and hang up."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            content = json.dumps({"error": message}).encode()
            headers = [
                ("content-type", "application/json"),
                ("content-length", str(len(content))),
                ("connection", "close"),
            ]
            for event in (
                h11.Response(status_code=status, headers=headers),
                h11.Data(data=content),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look_whether_it_is_read(self.transport.get_write_buffer_size() + 1)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _look_whether_it_is_read(self, before: int) -> None:
        left = self.transport.get_write_buffer_size()
        if left >= before:
            self.transport.abort()
            return
        self._taking = self.loop.call_later(self.limits.reading, self._look_whether_it_is_read, left)
