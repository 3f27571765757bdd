"""App: the addresses of the page and of its interface, and what each answers."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from importlib.resources import files
from typing import Any, TypeVar
from urllib.parse import unquote

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from nri.errors import InputError
from nri.induce import models
from nri.induce.resample import FOLDS
from nri.serve.edit import read_rules
from nri.serve.guard import Guard, TooLargeError, read_file, read_json
from nri.serve.number import answer_number, number_download, view_number
from nri.serve.profile import profile_target
from nri.serve.progress import told_lines
from nri.serve.question import read_question
from nri.serve.rows import explain_row, rows_page
from nri.serve.upload import Upload, read_upload
from nri.serve.validation import validate
from nri.serve.view import make_download, report_line, report_steps, view_target, view_upload, view_work
from nri.serve.visitors import IDLE_SECONDS, Visit, Visitors
from nri.serve.work import Work, answer, with_rules
from nri.table.excel import SheetChoice

logger = logging.getLogger(__name__)

STATIC = files("nri.serve") / "static"
MOST_AT_ONCE = 2
"""Inductions that run side by side; more would only slow each other down."""

T = TypeVar("T")


class ForgottenError(InputError):
    """The visitor's table is no longer (or not yet) here."""


def create_app(port: int, visitors: Visitors | None = None, *, model: str = models.DEFAULT) -> Starlette:
    """Make the application.

    Parameters
    ----------
    port
        The port it will be reached under; requests that name another one are refused.
    visitors
        Where tables are kept; a new place by default.
    model
        What finds the rules; see :mod:`nri.induce.models`.
    """
    visitors = Visitors() if visitors is None else visitors
    page = _Page(visitors, f"nri_visit_{port}", model)  # cookies are shared by all ports of a host
    routes = [
        Route("/", page.index),
        Route("/api/table", page.table, methods=["POST", "DELETE"]),
        Route("/api/target", page.target),
        Route("/api/induce", page.induce, methods=["POST"]),
        Route("/api/edit", page.edit, methods=["POST"]),
        Route("/api/validate", page.validate, methods=["POST"]),
        Route("/api/report", page.report, methods=["POST"]),
        Route("/api/rows", page.rows),
        Route("/api/explain", page.explain),
        Route("/api/download/{kind}", page.download),
        Mount("/static", StaticFiles(directory=str(STATIC))),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, port=port)],
        exception_handlers={InputError: _told, Exception: _unexpected},
        lifespan=_forgetting(visitors),
    )


class _Page:
    """The answers; each runs its computations in a thread so that others are not kept waiting."""

    def __init__(self, visitors: Visitors, cookie: str, model: str) -> None:
        self.visitors = visitors
        self.cookie = cookie
        self.model = model
        self._limiter: anyio.CapacityLimiter | None = None

    async def index(self, request: Request) -> Response:
        return FileResponse(str(STATIC / "index.html"), media_type="text/html")

    async def table(self, request: Request) -> Response:
        secret = request.cookies.get(self.cookie)
        if request.method == "DELETE":
            self.visitors.forget(secret)
            response: Response = JSONResponse({})
            response.delete_cookie(self.cookie, httponly=True, samesite="strict")
            return response
        name = unquote(request.headers.get("x-file-name", ""), errors="replace")
        content = await read_file(request)
        upload = await self.compute(read_upload, name, content, _sheet_choice(request))
        self.visitors.forget(secret)  # a new table is a new visit, so no secret lives long
        secret, visit = self.visitors.begin()
        visit.upload = upload
        response = JSONResponse(view_upload(upload))
        response.set_cookie(self.cookie, secret, httponly=True, samesite="strict", path="/")
        return response

    async def target(self, request: Request) -> Response:
        table = self.upload(request).table
        column = request.query_params.get("column", "")
        table.require([column])
        return JSONResponse(view_target(await self.compute(profile_target, table, column)))

    async def induce(self, request: Request) -> Response:
        visit = self.visit(request)
        question = read_question(await read_json(request), self.model)
        visit.number = await self.compute(answer_number, self.upload(request), question)
        if visit.number is not None:
            visit.work = None
            return JSONResponse(view_number(visit.number))
        work = await self.compute(answer, self.upload(request), question)
        visit.work = work
        return JSONResponse(await self.compute(view_work, work))

    async def edit(self, request: Request) -> Response:
        data = await read_json(request)
        visit, work = self.visit(request), self.work(request)
        while True:
            edited = await self.compute(_edited, work, data)
            if visit.work is work:
                break
            work = self.work(request)  # a search has ended meanwhile: the edit is one of what it found
        visit.work = edited
        return JSONResponse(await self.compute(view_work, edited))

    async def validate(self, request: Request) -> Response:
        work = self.work(request)
        return _told_line_by_line(lambda step: validate(work, step), FOLDS)

    async def report(self, request: Request) -> Response:
        work = self.work(request)
        return _told_line_by_line(lambda step: report_line(work, step), report_steps(work))

    async def rows(self, request: Request) -> Response:
        query = request.query_params
        offset = _number(query.get("offset", "0"))
        page = await self.compute(rows_page, self.work(request), query.get("filter", "all"), offset)
        return JSONResponse(page)

    async def explain(self, request: Request) -> Response:
        row = _number(request.query_params.get("row", ""))
        return JSONResponse(await self.compute(explain_row, self.work(request), row))

    async def download(self, request: Request) -> Response:
        number, kind = self.visit(request).number, request.path_params["kind"]
        dialect = request.query_params.get("dialect") or None
        if number is not None:
            made = await self.compute(number_download, number, kind, dialect)
        else:
            made = await self.compute(make_download, self.work(request), kind, dialect)
        disposition = {"content-disposition": f'attachment; filename="{made.name}"'}
        return Response(made.content, media_type=made.media_type, headers=disposition)

    def visit(self, request: Request) -> Visit:
        visit = self.visitors.find(request.cookies.get(self.cookie))
        if visit is None:
            raise ForgottenError(
                f"the table is no longer here: it is forgotten after {IDLE_SECONDS / 60:.0f} minutes "
                "without use; drop it again"
            )
        return visit

    def upload(self, request: Request) -> Upload:
        upload = self.visit(request).upload
        if upload is None:
            raise ForgottenError("there is no table yet; drop one first")
        return upload

    def work(self, request: Request) -> Work:
        work = self.visit(request).work
        if work is None:
            raise ForgottenError("there is no rule yet; choose a target first")
        return work

    async def compute(self, function: Callable[..., T], *arguments: Any) -> T:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(MOST_AT_ONCE)
        return await anyio.to_thread.run_sync(lambda: function(*arguments), limiter=self._limiter)


def _sheet_choice(request: Request) -> SheetChoice:
    """Return which sheet of a workbook the page asks for, and the row of its header."""
    sheet = unquote(request.headers.get("x-sheet", ""), errors="replace")
    row = request.headers.get("x-header-row", "")
    return SheetChoice(sheet or None, _number(row) if row else None)


def _edited(work: Work, data: Any) -> Work:
    return with_rules(work, read_rules(data, work))


def _told_line_by_line(compute: Callable[[Callable[[], None]], dict[str, Any]], steps: int) -> Response:
    return StreamingResponse(told_lines(compute, steps), media_type="application/x-ndjson")


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{text[:20]!r} is no row number; reload the page") from None


def _forgetting(visitors: Visitors) -> Callable[[Starlette], contextlib.AbstractAsyncContextManager[None]]:
    """Forget idle tables even when nobody asks for anything."""

    async def sweep() -> None:
        while True:
            await asyncio.sleep(60)
            visitors.forget_idle()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(sweep())
        yield
        sweeping.cancel()

    return lifespan


async def _told(request: Request, error: Exception) -> Response:
    status = 400
    if isinstance(error, TooLargeError):
        status = 413
    elif isinstance(error, ForgottenError):
        status = 410
    return JSONResponse({"error": str(error)}, status_code=status)


async def _unexpected(request: Request, error: Exception) -> Response:
    logger.error("%s failed", request.url.path, exc_info=error)
    message = f"something failed that should not have ({type(error).__name__}); the terminal says more"
    return JSONResponse({"error": message}, status_code=500)
