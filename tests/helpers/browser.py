"""A real browser on the real server, for the tests that drive the page."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import programs
import uvicorn
from pages import KEY, MODEL
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nri.serve.app import create_app, listen, uvicorn_config
from nri.serve.sessions import Sessions
from nri.serve.upload import InitialFile

_MEASURES = {"sensitivity": {"value": 0.93, "interval": {"low": 0.79, "high": 0.98}}}
_DIAGNOSTICS = [{"label": "yes", "prevalence": 0.5, "assumed": False, "measures": _MEASURES}]
_LAST = {
    "measure": "accuracy",
    "value": 0.9,
    "error": 0.04,
    "off": None,
    "method": "cross-validated",
    "warning": "",
    "cost": None,
    "diagnostics": _DIAGNOSTICS,
}
ESTIMATE = "\n".join([json.dumps({"done": 5, "of": 5}), json.dumps(_LAST), ""])

_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP rebound.example 127.0.0.1",
)


@contextlib.contextmanager
def running_browser() -> Iterator[Browser]:
    """Start Chromium without a window."""
    path = programs.browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        yield browser
        browser.close()


@dataclass(frozen=True)
class Running:
    """A server that answers."""

    address: str
    sessions: Sessions
    answers: list[tuple[str, str, int]]
    """method, path and status of every answer"""

    @property
    def url(self) -> str:
        """The address with the key, as ``nri serve`` prints it."""
        return f"{self.address}/?key={KEY.value}"

    @property
    def cookie(self) -> str:
        """The cookie that the first load sets."""
        return f"nri_key_{self.address.rpartition(':')[2]}={KEY.value}"


@contextlib.contextmanager
def running_server(initial: InitialFile | None = None) -> Iterator[Running]:
    """Serve the page on a free port of loopback, as ``nri serve`` does."""
    listener = listen()
    port = listener.getsockname()[1]
    sessions = Sessions()
    answers: list[tuple[str, str, int]] = []
    watched = watch(create_app(port, KEY, sessions, model=MODEL, initial=initial), answers)
    with served(watched, listener) as address:
        yield Running(address, sessions, answers)


@contextlib.contextmanager
def served(app: ASGIApp, listener: socket.socket | None = None) -> Iterator[str]:
    """Serve any application as ``nri serve`` does; yields its address."""
    listener = listener or listen()
    server = uvicorn.Server(uvicorn_config(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def watch(app: ASGIApp, answers: list[tuple[str, str, int]]) -> ASGIApp:
    """Write down what an application answers."""

    async def watched(scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                answers.append((scope["method"], scope["path"], message["status"]))
            await send(message)

        await app(scope, receive, note)

    return watched


@dataclass(frozen=True)
class Visitor:
    """A page in a browser of its own, and everything that went wrong or went out in it."""

    page: Page
    server: Running
    problems: list[str]
    requests: list[str]

    def open(self) -> None:
        self.page.goto(self.server.url)

    def use_example(self) -> None:
        """Load the example and wait for its rule."""
        self.page.get_by_role("button", name="Try 60 visits to a clinic").click()
        self.wait_for_rule()

    def drop(self, name: str, content: str | bytes, target: str | None = None) -> None:
        """Give the page a file by its file field, and choose the column to explain."""
        if isinstance(content, str):
            content = content.encode()
        self.page.locator("#file").set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})
        if target is not None:
            self.page.locator("#choices").get_by_role("button", name=target, exact=True).click()

    def wait_for_rule(self) -> None:
        self.page.locator("#rule-card").wait_for()
        self.page.locator("#work[aria-busy=false]").wait_for()

    def clauses(self) -> list[str]:
        """The clauses as they read on the page."""
        return [
            " and ".join(" ".join(text.split()) for text in clause.locator(".chip-text").all_inner_texts())
            for clause in self.page.locator(".clause").all()
        ]

    def stat(self, name: str) -> str:
        """A score as it stands on the page, with how it differs from that of the rule found."""
        box = self.page.locator(f"[data-stat={name}]")
        difference = box.locator(".difference").all_inner_texts()
        return " ".join([box.locator(".stat-value").inner_text().replace("\xa0", " "), *difference])

    def message(self) -> str:
        return self.page.get_by_role("alert").inner_text()


@contextlib.contextmanager
def visiting(
    browser: Browser, server: Running, *, estimate: bool = False, shelf: bool = False, **settings: object
) -> Iterator[Visitor]:
    """Open the page in a fresh browser profile; whatever it complains about fails the test in the end.

    Cross-validation and other rules take most of the time of a visit. Unless a test is about them, the
    estimate is made up and there are no other rules.
    """
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 860}} | settings))
    page = context.new_page()
    if not estimate:
        page.route("**/api/validate", lambda route: route.fulfill(body=ESTIMATE))
    if not shelf:
        page.route("**/api/alternatives", lambda route: route.fulfill(body='{"problem": "none here"}\n'))
    page.set_default_timeout(30_000)
    expect.set_options(timeout=30_000)
    visitor = Visitor(page, server, [], [])
    page.on("pageerror", lambda error: visitor.problems.append(str(error)))
    page.on("dialog", lambda dialog: visitor.problems.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: visitor.requests.append(request.url))
    page.on(
        "console",
        lambda message: (
            visitor.problems.append(message.text)
            if message.type == "error" and "status of 4" not in message.text
            else None
        ),
    )
    try:
        visitor.open()
        yield visitor
        assert visitor.problems == []
        assert all(url.startswith((server.address, "blob:")) for url in visitor.requests)
    finally:
        context.close()
