"""Guard: which requests are answered, and how much of their bodies is read.

The page belongs to the account that started it: every request must carry the *key* that ``nri serve``
printed, as a cookie that the first load sets. Against web sites in the owner's browser: *DNS rebinding* (a
name of theirs that resolves to 127.0.0.1) fails since the Host must be ours; *forms and scripts* fail since
their Origin is not ours, a request that changes something must name its Origin, and every call of the
interface carries a header that a form cannot send. *Markup in cells* could do nothing even if it got into the
page: the policy allows no script but our own files, and no text may become markup (Trusted Types).
"""

import contextlib
import json
import secrets
import tempfile
import time
import tomllib
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import IO, Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nri.errors import InputError
from nri.serve.upload import MAX_BYTES, TOO_LARGE

CALL_HEADER = "x-nri"  # On every call of the interface; other sites cannot send it without a preflight.
MAX_JSON = 1024 * 1024  # Bytes of a question or an edited rule.

HEADERS: dict[str, str] = tomllib.loads((files("nri.serve") / "headers.toml").read_text(encoding="utf-8"))
"""On every response."""

NO_KEY = "this page belongs to the account that started it; open the URL that nri serve printed"

_SAFE = {"GET", "HEAD"}
_OWN_SITES = {"same-origin", "none"}  # ``Sec-Fetch-Site`` of our own page, and of an address that was typed.
_ONCE_SECONDS = 60.0


class TooLargeError(InputError):
    """A body has more bytes than are accepted."""

    status = 413


class Key:
    """The secret that opens the page."""

    def __init__(self) -> None:
        self.value = secrets.token_urlsafe(32)
        self._once, self._until = "", 0.0

    def once(self) -> str:
        """Return a key that works once, within a minute.

        Other accounts can read the command line that starts a browser; the lasting key does not stand there.
        """
        self._once, self._until = secrets.token_urlsafe(32), time.monotonic() + _ONCE_SECONDS
        return self._once

    def opens(self, candidate: str) -> bool:
        """Whether a key in the address is right; one that works once is used up."""
        if self._once and time.monotonic() < self._until and _same(candidate, self._once):
            self._once = ""
            return True
        return _same(candidate, self.value)


class Guard:
    """Pass requests on that come from the owner's own page, and put headers on every response."""

    def __init__(self, app: ASGIApp, port: int, key: Key) -> None:
        self.app, self.key = app, key
        self.cookie = f"nri_key_{port}"  # cookies are shared by all ports of a host
        ports = ("", ":80") if port == 80 else (f":{port}",)  # browsers leave the usual port out
        self.hosts = {name + end for name in ("127.0.0.1", "localhost", "[::1]") for end in ports}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await (self._response(Request(scope)) or self.app)(scope, receive, send_with_headers)

    def _response(self, request: Request) -> Response | None:
        """Return the response to a request that is refused, or that brings the key; None for any other."""
        path = request.scope["path"]
        message = self._refusal(request.method, path, request.headers)
        if message is None:
            message = NO_KEY
            is_owner = _same(request.cookies.get(self.cookie, ""), self.key.value)
            candidate = request.query_params.get("key") if path == "/" else None
            if candidate is None and is_owner:
                return None
            if candidate is not None and (self.key.opens(candidate) or is_owner):
                return self._opened(request)
        if path.startswith("/api/"):
            return JSONResponse({"error": message}, status_code=403)
        return PlainTextResponse(message + "\n", status_code=403)

    def _refusal(self, method: str, path: str, headers: Headers) -> str | None:
        """Return why a request is refused whatever its key, None if it is not."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return "only 127.0.0.1 and localhost are answered; open the URL that nri serve printed"
        # a link on another site may be followed to our page: its script cannot read what comes back
        is_link = method in _SAFE and path == "/" and headers.get("sec-fetch-mode") == "navigate"
        is_own = headers.get("sec-fetch-site", "none") in _OWN_SITES or is_link
        if not is_own or any(origin.lower() not in self.origins for origin in origins):
            return "the request comes from a page of another site; only this server's own page is answered"
        if method not in _SAFE and len(origins) != 1:
            return "a request that changes something must name its Origin; use the page"
        if path.startswith("/api/") and headers.get(CALL_HEADER) is None:
            return f"calls need the header {CALL_HEADER}; use the page"
        return None

    def _opened(self, request: Request) -> Response:
        """Set the cookie and go on to the address without the key."""
        response = Response(status_code=303, headers={"location": "/"})
        if request.headers.get("sec-fetch-site", "none") not in _OWN_SITES:
            # A browser does not send strict cookies along a redirect that began at another site.
            response = Response(headers={"refresh": "0; url=/"})
        response.set_cookie(self.cookie, self.key.value, httponly=True, samesite="strict", path="/")
        return response


async def read_json(request: Request) -> Any:
    """Read a JSON body."""
    message = "the page sent more than a rule can be; reload the page"
    content = b"".join([chunk async for chunk in _chunks(request, MAX_JSON, message)])
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise InputError("the page sent something that is no JSON; reload the page") from None


async def read_file(request: Request) -> IO[bytes]:
    """Put a body on disk as it arrives; the file has no name, so it is gone with the server."""
    try:
        with contextlib.ExitStack() as stack:
            file = stack.enter_context(tempfile.TemporaryFile(prefix="nri-"))
            async for chunk in _chunks(request, MAX_BYTES, TOO_LARGE):
                file.write(chunk)
            file.flush()
            stack.pop_all()  # the session closes it
    except OSError as error:
        remedy = "make some, or set TMPDIR to a folder"
        raise TooLargeError(f"there is no room on disk for the file ({error.strerror}); {remedy}") from None
    return file


async def _chunks(request: Request, most: int, message: str) -> AsyncIterator[bytes]:
    """Yield a body; one that announces itself as too large is not read at all."""
    announced = request.headers.get("content-length", "0")
    if announced.isdigit() and int(announced) > most:
        raise TooLargeError(message)
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > most:
            raise TooLargeError(message)
        yield chunk


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())
