"""Whoever never finishes asking, or never takes the answer, is not waited for; honest visitors are."""

import contextlib
import json
import socket
import time
from collections.abc import Iterator

import pytest
from browser import Running, running_server, served
from starlette.types import Receive, Scope, Send

from nri.serve.patience import Patience
from nri.serve.visitors import Visitors

SHORT = Patience(headers=0.4, pause=0.4, body=1.2, reading=0.4, connections=20)
SOON = 15.0
"""Seconds after which a test gives up: far more than any of these waits."""


@pytest.fixture(scope="module")
def hasty() -> Iterator[Running]:
    """A server that waits for nobody for long."""
    with running_server(SHORT) as server:
        yield server


def connect(server: Running) -> socket.socket:
    host, port = server.address.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=SOON)


def headers(server: Running, first: str, *more: str) -> bytes:
    host = server.address.removeprefix("http://")
    lines = [f"{first} HTTP/1.1", f"Host: {host}", f"Origin: {server.address}", "X-NRI: 1", *more, "", ""]
    return "\r\n".join(lines).encode()


def until_closed(caller: socket.socket) -> bytes:
    """Return all that is said until the server hangs up; a time-out fails the test."""
    said = b""
    with contextlib.suppress(ConnectionResetError):  # hung up while something of ours was on its way
        while part := caller.recv(65536):
            said += part
    return said


def seconds_until_refused(caller: socket.socket, again: bytes) -> float:
    """Send the same again and again until the server does not take it any more."""
    began = time.monotonic()
    with contextlib.suppress(ConnectionError):
        while time.monotonic() - began < SOON:
            caller.sendall(again)
            time.sleep(0.05)
    return time.monotonic() - began


def refusal(said: bytes) -> tuple[int, str]:
    head, _, body = said.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]


def test_a_connection_that_says_nothing_is_closed(hasty):
    with connect(hasty) as caller:
        until_closed(caller)


def test_half_sent_headers_are_answered_and_closed(hasty):
    """They used to be kept for ever."""
    with connect(hasty) as caller:
        caller.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow")
        assert refusal(until_closed(caller)) == (
            408,
            "the request did not arrive whole in time; send it again",
        )


def test_headers_that_come_a_letter_at_a_time_are_not_waited_for(hasty):
    with connect(hasty) as caller:
        caller.sendall(b"GET / HTTP/1.1\r\nX: ")
        assert seconds_until_refused(caller, b"a") < SOON


def test_a_second_request_that_is_left_half_is_closed_too(hasty):
    with connect(hasty) as caller:
        caller.sendall(headers(hasty, "GET /api/place?ticket=x") + b"GET / HT")
        said = until_closed(caller)
    assert said.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 408" in said


@pytest.mark.parametrize("path", ["/api/table", "/api/induce", "/nowhere"])
def test_a_half_sent_body_is_answered_and_closed(hasty, path):
    with connect(hasty) as caller:
        caller.sendall(headers(hasty, f"POST {path}", "Content-Length: 1000") + b"a,b\n1,2\n")
        said = until_closed(caller)
    assert said.split()[1] in (b"408", b"404")
    assert len(hasty.visitors) == 0


def test_a_body_that_comes_drop_by_drop_has_an_end(hasty):
    with connect(hasty) as caller:
        caller.sendall(headers(hasty, "POST /api/table", "Content-Length: 1000000"))
        assert SHORT.body - 0.1 <= seconds_until_refused(caller, b"a") < SOON


async def answer_at_length(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that answers everything with more than the buffers of the system hold."""
    if scope["type"] == "lifespan":
        for what in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{what}.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"a" * 2**25})


def test_an_answer_that_nobody_reads_is_given_up():
    with served(answer_at_length, SHORT) as address, connect(Running(address, Visitors(), [])) as caller:
        caller.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert caller.recv(10) == b"HTTP/1.1 2"
        time.sleep(4 * SHORT.reading)
        assert len(until_closed(caller)) < 2**25, "the rest was thrown away"


def test_an_answer_that_is_read_slowly_is_sent_whole():
    with served(answer_at_length, SHORT) as address, connect(Running(address, Visitors(), [])) as caller:
        caller.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        read = 0
        while part := caller.recv(2**22):
            read += len(part)
            time.sleep(0.01)
        assert read > 2**25


def test_a_body_in_parts_within_the_limits_is_read(hasty):
    content = b"a,y\n1,no\n2,yes\n3,no\n"
    with connect(hasty) as caller:
        caller.sendall(headers(hasty, "POST /api/table", f"Content-Length: {len(content)}"))
        for at in range(0, len(content), 5):
            caller.sendall(content[at : at + 5])
            time.sleep(0.05)
        assert caller.recv(65536).startswith(b"HTTP/1.1 200")


def test_connections_beyond_the_limit_are_told_to_come_again(hasty):
    callers = [connect(hasty) for _ in range(SHORT.connections + 1)]
    try:
        assert refusal(until_closed(callers[-1])) == (
            429,
            "busy: too many connections are open; try again in a minute",
        )
    finally:
        for caller in callers:
            caller.close()
