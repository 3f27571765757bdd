"""Guard: a page on loopback is open to every site the browser visits; here is what keeps those out.

*DNS rebinding* (a name of theirs that resolves to 127.0.0.1) fails since the Host must be ours. *Forms and
scripts of other sites* fail since their Origin is not ours; a request that changes something must name its
Origin, and every call of the interface carries a header that a form cannot send. *Markup in cells* could
do nothing even if it got into the page: the policy allows no script but our own files, and no text
may become markup (Trusted Types).
"""

from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CALL_HEADER = "x-nri"
"""Every call of the interface carries it; other sites cannot send it without asking first."""

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)

HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
"""On every answer."""

_SAFE = {"GET", "HEAD"}
_OWN_SITES = {"same-origin", "none"}
"""What ``Sec-Fetch-Site`` says of our page, and of an address that somebody typed."""


class Guard:
    """Let requests through that come from our own page, and put headers on every answer.

    Parameters
    ----------
    app
        What is guarded.
    port
        The port we listen on; the only one a Host or an Origin may name.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = frozenset(_hosts(port))
        self.origins = frozenset(f"http://{host}" for host in self.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = self.refusal(scope["method"], scope["path"], Headers(scope=scope))
        answer = self.app if refusal is None else JSONResponse({"error": refusal}, status_code=403)
        await answer(scope, receive, _with_headers(send))

    def refusal(self, method: str, path: str, headers: Headers) -> str | None:
        """Return why a request is refused, None if it is not."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return "only 127.0.0.1 and localhost are answered; open the address that nri serve printed"
        origins = headers.getlist("origin")
        if any(origin.lower() not in self.origins for origin in origins):
            return "a page of another site asked; only this server's own page may"
        if headers.get("sec-fetch-site", "none") not in _OWN_SITES and not _is_link(method, path, headers):
            return "a page of another site asked; only this server's own page may"
        if method not in _SAFE and len(origins) != 1:
            return "a request that changes something must name its Origin; use the page"
        if path.startswith("/api/") and headers.get(CALL_HEADER) is None:
            return f"calls need the header {CALL_HEADER}; use the page"
        return None


def _hosts(port: int) -> Iterable[str]:
    for name in ("127.0.0.1", "localhost", "[::1]"):
        yield f"{name}:{port}"
        if port == 80:
            yield name  # browsers leave the usual port out


def _is_link(method: str, path: str, headers: Headers) -> bool:
    """Whether somebody followed a link to our page from elsewhere, which shows them nothing of ours."""
    return method in _SAFE and path == "/" and headers.get("sec-fetch-mode") == "navigate"


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
