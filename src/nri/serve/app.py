"""App: the addresses of the page and of its interface, what each answers, and how they are served."""

import asyncio
import contextlib
import json
import logging
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from importlib.resources import files
from typing import Any, TypeVar
from urllib.parse import quote, unquote

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from nri.errors import InputError
from nri.induce.models import get_inducer
from nri.induce.settings import DEFAULT_MODEL
from nri.induce.validate import FOLDS
from nri.report import steps_of
from nri.serve.guard import Guard, Key, read_file, read_json
from nri.serve.question import read_question
from nri.serve.queue import DisconnectedError, Queue, in_thread, progress_lines
from nri.serve.sessions import NoTableError, Session, Sessions
from nri.serve.upload import InitialFile, Upload, view_target, view_upload
from nri.serve.view import explain_row, plain, rows_page, view_alternatives, view_held_out, view_work
from nri.serve.work import REPORT, Work, answer, edited, make_download, report_line
from nri.table.excel import SheetChoice

logger = logging.getLogger(__name__)

STATIC = files("nri.serve") / "static"
LOOPBACK = "127.0.0.1"  # The only address that is ever listened on: no other machine can reach it.
PORT = 8674  # Tried first; any free one else.
MAX_SEARCHES = 2  # Tables read and rules searched side by side; more would only slow each other down.
MAX_QUICK = 4  # Edits and pages of rows that are counted side by side.
MAX_CONNECTIONS = 300  # Open at once; below the usual limit on open files, with room for the tables.
_SWITCH_SECONDS = 0.001
"""Threads that compute let others go on after so long: a small request should not wait for a search."""

T = TypeVar("T")


def serve(
    port: int | None = None,
    *,
    model: str = DEFAULT_MODEL,
    browser: bool = True,
    initial: InitialFile | None = None,
    log: Callable[[str], None],
) -> None:
    """Serve the page until interrupted; ``log`` is called with its URL, which holds the key.

    The model is loaded at once, so that the first search does not wait for it.
    """
    get_inducer(model)
    key = Key()
    with contextlib.closing(listen(port)) as listener:
        number = listener.getsockname()[1]
        config = uvicorn_config(create_app(number, key, model=model, initial=initial))
        address = f"http://{LOOPBACK}:{number}/?key="
        log(f"The page is at {address}{key.value} (it opens for this URL only; Ctrl-C ends it)")
        if browser:
            threading.Timer(0.5, lambda: webbrowser.open(address + key.once())).start()
        sys.setswitchinterval(_SWITCH_SECONDS)
        uvicorn.Server(config).run(sockets=[listener])


def listen(port: int | None = None) -> socket.socket:
    """Return a listening socket on loopback: on ``port``, or on the usual one if it is free, else any."""
    for number in [PORT, 0] if port is None else [port]:
        with contextlib.suppress(OSError):
            return socket.create_server((LOOPBACK, number))
    raise InputError(f"port {port} is taken or not allowed; choose another one with --port, or leave it out")


def uvicorn_config(app: ASGIApp) -> uvicorn.Config:
    """Return how the application is served: quietly, and to so many connections at most."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        http="h11",
        ws="none",
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=2,
        lifespan="on",
    )


def create_app(
    port: int,
    key: Key,
    sessions: Sessions | None = None,
    *,
    model: str = DEFAULT_MODEL,
    initial: InitialFile | None = None,
) -> Starlette:
    """Make the application; requests that name another port, or come without the key, are refused."""
    sessions = Sessions() if sessions is None else sessions
    page = _Page(sessions, model, initial)

    async def end_idle() -> None:
        while True:  # even when no request comes
            await asyncio.sleep(60)
            sessions.end_idle()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(end_idle())
        yield
        sweeping.cancel()
        sessions.close()

    routes = [
        Route("/", page.index),
        Route("/api/table", page.table, methods=["POST", "DELETE"]),
        Route("/api/initial", page.initial_file),
        Route("/api/place", page.place),
        Route("/api/target", page.target),
        Route("/api/induce", page.induce, methods=["POST"]),
        Route("/api/edit", page.edit, methods=["POST"]),
        Route("/api/validate", page.validate, methods=["POST"]),
        Route("/api/alternatives", page.alternatives, methods=["POST"]),
        Route("/api/report", page.report, methods=["POST"]),
        Route("/api/rows", page.rows),
        Route("/api/explain", page.explain),
        Route("/api/download/{kind}", page.download),
        Mount("/static", StaticFiles(directory=str(STATIC))),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, port=port, key=key)],
        exception_handlers=dict.fromkeys(
            [InputError, DisconnectedError, ClientDisconnect, Exception], _failed
        ),
        lifespan=lifespan,
    )
    app.state.sessions = sessions
    return app


class _Json(JSONResponse):
    def render(self, content: Any) -> bytes:
        return json.dumps(content, default=plain, ensure_ascii=False, allow_nan=False).encode()


async def _failed(request: Request, error: Exception) -> Response:
    if isinstance(error, DisconnectedError | ClientDisconnect):
        return Response(status_code=408)  # the client does not read it
    if isinstance(error, InputError):
        return _Json({"error": str(error)}, status_code=getattr(error, "status", 400))
    logger.error("%s failed", request.url.path, exc_info=error)
    message = f"something failed that should not have ({type(error).__name__}); the terminal says more"
    return _Json({"error": message}, status_code=500)


class _Page:
    """The answers; each runs its computations in a thread so that others do not wait."""

    def __init__(self, sessions: Sessions, model: str, initial: InitialFile | None) -> None:
        self.sessions, self.model, self.initial = sessions, model, initial
        self.quick, self.search, self.long = Queue(MAX_QUICK), Queue(MAX_SEARCHES), Queue(MAX_SEARCHES)

    async def index(self, request: Request) -> Response:
        return FileResponse(str(STATIC / "index.html"), media_type="text/html")

    async def table(self, request: Request) -> Response:
        if request.method == "DELETE":
            self.sessions.end(_token(request))
            return _Json({})
        name = unquote(request.headers.get("x-file-name", ""), errors="replace")
        sheet = unquote(request.headers.get("x-sheet", ""), errors="replace")
        header_row = request.headers.get("x-header-row")
        choice = SheetChoice(sheet or None, _number(header_row) if header_row else None)
        session = Session(await read_file(request), name, choice)
        try:
            view = await self.compute(request, self.search, lambda: view_upload(session.load()))
        except BaseException:
            session.file.close()
            raise
        self.sessions.end(_token(request))
        token = self.sessions.begin(session)
        self.sessions.free_memory(session)
        return _Json({**view, "session": token})

    async def initial_file(self, request: Request) -> Response:
        """Return the file that was named on the command line, which the page then sends as any other."""
        if self.initial is None:
            return Response(status_code=204)
        headers = {"x-file-name": quote(self.initial.name), "x-target": quote(self.initial.target or "")}
        return Response(self.initial.content, headers=headers)

    async def place(self, request: Request) -> Response:
        ticket = request.query_params.get("ticket", "")
        places = (queue.before(ticket) for queue in (self.quick, self.search, self.long))
        return _Json({"before": next((place for place in places if place is not None), None)})

    async def target(self, request: Request) -> Response:
        upload, _ = await self.upload(request)
        column = request.query_params.get("column", "")
        upload.table.require([column])
        return await self.reply(request, view_target, upload.table, column)

    async def induce(self, request: Request) -> Response:
        data = await read_json(request)
        upload, session = await self.upload(request)
        question = read_question(data, upload.table.plans, self.model)
        work = await self.compute(request, self.search, answer, upload, question)
        session.upload, session.work = upload, work
        self.sessions.free_memory(session)
        return await self.reply(request, view_work, work)

    async def edit(self, request: Request) -> Response:
        data = await read_json(request)
        while True:
            work, session = await self.work(request)
            changed = await self.compute(request, self.quick, edited, work, data)
            if session.work is work:  # else a search has ended meanwhile: its rule is edited
                break
        session.upload, session.work = work.upload, changed
        return await self.reply(request, view_work, changed)

    async def validate(self, request: Request) -> Response:
        return await self.stream(request, view_held_out, FOLDS)

    async def alternatives(self, request: Request) -> Response:
        return await self.stream(request, lambda work, _: view_alternatives(work), 1)

    async def report(self, request: Request) -> Response:
        return await self.stream(request, report_line, steps_of(REPORT))

    async def rows(self, request: Request) -> Response:
        query = request.query_params
        offset = _number(query.get("offset", "0"))
        work, _ = await self.work(request)
        return await self.reply(request, rows_page, work, query.get("filter", "all"), offset)

    async def explain(self, request: Request) -> Response:
        row = _number(request.query_params.get("row", ""))
        work, _ = await self.work(request)
        return await self.reply(request, explain_row, work, row)

    async def download(self, request: Request) -> Response:
        kind, dialect = request.path_params["kind"], request.query_params.get("dialect") or None
        work, _ = await self.work(request)
        content, name = await self.compute(request, self.long, make_download, work, kind, dialect)
        disposition = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/octet-stream", headers=disposition)

    async def upload(self, request: Request) -> tuple[Upload, Session]:
        """Return the table of a session, which may have to be read again."""
        session = self.sessions.get(_token(request))
        if session.upload is not None:
            return session.upload, session
        upload = await self.compute(request, self.search, session.load)
        self.sessions.free_memory(session)
        return upload, session

    async def work(self, request: Request) -> tuple[Work, Session]:
        _, session = await self.upload(request)
        if session.work is None:
            raise NoTableError("there is no rule yet; choose a target first")
        return session.work, session

    async def compute(self, request: Request, queue: Queue, function: Callable[..., T], *arguments: Any) -> T:
        """Compute in a thread, after the requests that came before."""
        ticket = request.headers.get("x-ticket") or object()
        async with queue.turn(ticket, request.is_disconnected):
            return await in_thread(lambda: function(*arguments))

    async def reply(self, request: Request, view: Callable[..., Any], *arguments: Any) -> Response:
        """Answer with what a quick computation returns."""
        return _Json(await self.compute(request, self.quick, view, *arguments))

    async def stream(
        self, request: Request, view: Callable[[Work, Callable[[], None]], Any], steps: int
    ) -> Response:
        """Answer line by line with the progress of a long computation, and then with what it returns."""
        work, _ = await self.work(request)
        lines = progress_lines(lambda step: view(work, step), steps, self.long)
        return StreamingResponse(lines, media_type="application/x-ndjson")


def _token(request: Request) -> str:
    """Return the session of a tab: each has a table of its own."""
    return request.headers.get("x-session", "")


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{text[:20]!r} is no row number; reload the page") from None
