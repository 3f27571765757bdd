"""Calls as a browser makes them, and as no browser would: slow ones, half ones, ones that go away."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from serving import Server

PATIENCE = 300.0
"""Seconds after which an answer that does not come is an error of the server's."""
READ = 1 << 16


class Unreachable(Exception):  # noqa: N818  # expected while the server is killed and started again
    """Nobody listens, or the connection broke."""


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        """The body as lines of JSON."""
        return [json.loads(line) for line in self.body.splitlines()]


@dataclass
class Caller:
    """One tab: an address, the key of the server's owner, and a session."""

    server: Server
    session: str = ""
    extra: dict[str, str] = field(default_factory=dict)

    async def __call__(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        """Ask and read the whole answer."""
        reader, writer = await self._connected()
        try:
            writer.write(self.head(method, path, len(body), **headers) + body)
            await writer.drain()
            raw = await asyncio.wait_for(reader.read(-1), PATIENCE)
        except (ConnectionError, OSError) as error:
            raise Unreachable from error
        finally:
            writer.close()
        answer = parsed(raw)
        if (method, path, answer.status) == ("POST", "/api/table", 200):
            self.session = answer.data["session"]
        return answer

    async def ask(self, path: str, data: Any, **headers: str) -> Answer:
        """Send JSON."""
        return await self("POST", path, json.dumps(data).encode(), **headers)

    async def leave_early(self, method: str, path: str, body: bytes, seconds: float) -> None:
        """Ask, and go away before the answer can be there."""
        _, writer = await self._connected()
        writer.write(self.head(method, path, len(body)) + body)
        await asyncio.sleep(seconds)
        writer.transport.abort()

    async def half(self, sent: bytes, seconds: float) -> None:
        """Send a part of a request, wait, and hang up."""
        _, writer = await self._connected()
        writer.write(sent)
        await asyncio.sleep(seconds)
        writer.transport.abort()

    def head(self, method: str, path: str, length: int, **headers: str) -> bytes:
        """Return the headers that the page sends."""
        fields = {
            "Host": f"127.0.0.1:{self.server.port}",
            "Origin": f"http://127.0.0.1:{self.server.port}",
            "Cookie": f"nri_key_{self.server.port}={self.server.key}",
            "X-Session": self.session,
            "X-NRI": "1",
            "Connection": "close",
            "Content-Length": str(length),
            **self.extra,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        return "\r\n".join(lines).encode()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            return await asyncio.open_connection("127.0.0.1", self.server.port)
        except OSError as error:
            raise Unreachable from error


def parsed(raw: bytes) -> Answer:
    """Read an answer; one that is cut off is that of a server that was killed."""
    head, found, body = raw.partition(b"\r\n\r\n")
    if not found:
        raise Unreachable
    first, *rest = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest)}
    if headers.get("transfer-encoding") == "chunked":
        body = _unchunked(body)
    elif len(body) < int(headers.get("content-length", 0)):
        raise Unreachable
    return Answer(int(first.split()[1]), headers, body)


def _unchunked(body: bytes) -> bytes:
    whole = b""
    while True:
        size, found, rest = body.partition(b"\r\n")
        if not found:
            raise Unreachable
        length = int(size, 16)
        if not length:
            return whole
        whole, body = whole + rest[:length], rest[length + 2 :]
