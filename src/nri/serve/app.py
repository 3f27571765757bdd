"""App: the addresses of the page and of its interface, and what each answers."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from importlib.resources import files
from typing import Any, TypeVar
from urllib.parse import quote, unquote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from nri.errors import InputError
from nri.induce import models
from nri.induce.resample import FOLDS
from nri.serve.body import Spool, TooLargeError, read_json
from nri.serve.downloads import make_download, report_line, report_steps
from nri.serve.given import Given
from nri.serve.guard import Guard
from nri.serve.lanes import BusyError, GoneError, Lane, in_thread
from nri.serve.number import NumberWork, answer_number, number_download, view_number
from nri.serve.profile import profile_target
from nri.serve.progress import told_lines
from nri.serve.question import read_question
from nri.serve.rows import explain_row, rows_page
from nri.serve.upload import Upload
from nri.serve.view import view_held_out, view_target, view_upload, view_work
from nri.serve.visitors import ForgottenError, Visit, Visitors
from nri.serve.work import Work, answer, edited_rules, held_out, with_rules
from nri.table.excel import SheetChoice

logger = logging.getLogger(__name__)

STATIC = files("nri.serve") / "static"
MOST_AT_ONCE = 2
"""Tables that are read and rules that are looked for side by side; more would only slow each other down."""
MOST_QUICK = 4
"""Edits and pages of rows that are counted side by side."""

T = TypeVar("T")


def create_app(
    port: int,
    visitors: Visitors | None = None,
    *,
    model: str = DEFAULT_MODEL,
    given: Given | None = None,
) -> Starlette:
    """Make the application.

    Parameters
    ----------
    port
        The port it will be reached under; requests that name another one are refused.
    visitors
        Where tables are kept; a new place by default.
    model
        What finds the rules; see :mod:`nri.induce.models`.
    given
        A table that every visitor begins with; none by default.
    """
    visitors = Visitors() if visitors is None else visitors
    page = _Page(visitors, f"nri_visit_{port}", model, given)  # cookies are shared by all ports of a host
    routes = [
        Route("/", page.index),
        Route("/api/table", page.table, methods=["POST", "DELETE"]),
        Route("/api/given", page.given_table),
        Route("/api/place", page.place),
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
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, port=port)],
        exception_handlers={
            InputError: _told,
            GoneError: _gone,
            ClientDisconnect: _gone,
            Exception: _unexpected,
        },
        lifespan=_forgetting(visitors),
    )
    app.state.visitors, app.state.page = visitors, page
    return app


class _Page:
    """The answers; each runs its computations in a thread so that others are not kept waiting."""

    def __init__(self, visitors: Visitors, cookie: str, model: str, given: Given | None) -> None:
        self.visitors = visitors
        self.cookie = cookie
        self.model = model
        self.given = given
        self.spool = Spool()
        self.quick, self.search, self.long = Lane(MOST_QUICK), Lane(MOST_AT_ONCE), Lane(MOST_AT_ONCE)

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
        choice = _sheet_choice(request)
        async with self.spool.received(request) as file:
            visit = Visit(file, name, choice)
            upload = await self.compute(request, self.search, visit.wake)
            self.visitors.forget(secret)  # a new table is a new visit, so no secret lives long
            secret = self.visitors.begin(visit)
        self.visitors.settle(visit)
        response = JSONResponse(view_upload(upload))
        response.set_cookie(self.cookie, secret, httponly=True, samesite="strict", path="/")
        return response

    async def given_table(self, request: Request) -> Response:
        """Hand out the table that was named on the command line, which the page then sends as any other."""
        if self.given is None:
            return Response(status_code=204)
        return Response(self.given.content, headers={"x-file-name": quote(self.given.name)})

    async def place(self, request: Request) -> Response:
        ticket = request.query_params.get("ticket", "")
        places = (lane.before(ticket) for lane in (self.quick, self.search, self.long))
        return JSONResponse({"before": next((place for place in places if place is not None), None)})

    async def target(self, request: Request) -> Response:
        upload, _ = await self.upload(request)
        column = request.query_params.get("column", "")
        upload.table.require([column])
        found = await self.compute(request, self.quick, profile_target, upload.table, column)
        return JSONResponse(view_target(found))

    async def induce(self, request: Request) -> Response:
        data = await read_json(request)
        upload, visit = await self.upload(request)
        question = read_question(data, self.model, upload.columns)
        work: Work | NumberWork | None = await self.compute(
            request, self.search, answer_number, upload, question
        )
        if work is None:
            work = await self.compute(request, self.search, answer, upload, question)
        visit.take(upload, work)
        self.visitors.settle(visit)
        return JSONResponse(await self.compute(request, self.quick, _view, work))

    async def edit(self, request: Request) -> Response:
        data = await read_json(request)
        work, visit = await self.work(request)
        while True:
            edited = await self.compute(request, self.quick, _edited, work, data)
            if visit.work is work:
                break
            work, visit = await self.work(request)  # a search has ended meanwhile: what it found is edited
        visit.take(work.upload, edited)
        return JSONResponse(await self.compute(request, self.quick, view_work, edited))

    async def validate(self, request: Request) -> Response:
        work, _ = await self.work(request)
        return self.told_line_by_line(lambda step: view_held_out(work, held_out(work, step)), FOLDS)

    async def report(self, request: Request) -> Response:
        work, _ = await self.work(request)
        return self.told_line_by_line(lambda step: report_line(work, step), report_steps(work))

    async def rows(self, request: Request) -> Response:
        query = request.query_params
        offset = _number(query.get("offset", "0"))
        work, _ = await self.work(request)
        page = await self.compute(request, self.quick, rows_page, work, query.get("filter", "all"), offset)
        return JSONResponse(page)

    async def explain(self, request: Request) -> Response:
        row = _number(request.query_params.get("row", ""))
        work, _ = await self.work(request)
        return JSONResponse(await self.compute(request, self.quick, explain_row, work, row))

    async def download(self, request: Request) -> Response:
        kind, dialect = request.path_params["kind"], request.query_params.get("dialect") or None
        _, visit = await self.upload(request)
        work = visit.work
        if isinstance(work, NumberWork):
            made = await self.compute(request, self.long, number_download, work, kind, dialect)
        else:
            made = await self.compute(request, self.long, make_download, _a_rule(work), kind, dialect)
        disposition = {"content-disposition": f'attachment; filename="{made.name}"'}
        return Response(made.content, media_type=made.media_type, headers=disposition)

    async def upload(self, request: Request) -> tuple[Upload, Visit]:
        """Return the visitor's table, which may have to be read again."""
        secret = request.cookies.get(self.cookie)
        visit = self.visitors.find(secret)
        if visit is None:
            raise ForgottenError(self.visitors.why_none(secret))
        if visit.upload is not None:
            return visit.upload, visit
        upload = await self.compute(request, self.search, visit.wake)
        self.visitors.settle(visit)
        return upload, visit

    async def work(self, request: Request) -> tuple[Work, Visit]:
        _, visit = await self.upload(request)
        return _a_rule(visit.work), visit

    async def compute(self, request: Request, lane: Lane, function: Callable[..., T], *arguments: Any) -> T:
        """Compute in a thread, after those who came before."""
        ticket = request.headers.get("x-ticket") or object()
        async with lane.turn(ticket, request.is_disconnected):
            return await in_thread(lambda: function(*arguments))

    def told_line_by_line(
        self, compute: Callable[[Callable[[], None]], dict[str, Any]], steps: int
    ) -> Response:
        return StreamingResponse(told_lines(compute, steps, self.long), media_type="application/x-ndjson")


def _a_rule(work: Work | NumberWork | None) -> Work:
    if isinstance(work, NumberWork):
        raise ForgottenError("a rule about a number is neither edited nor asked about rows; choose a class")
    if work is None:
        raise ForgottenError("there is no rule yet; choose a target first")
    return work


def _view(work: Work | NumberWork) -> dict[str, Any]:
    return view_number(work) if isinstance(work, NumberWork) else view_work(work)


def _sheet_choice(request: Request) -> SheetChoice:
    """Return which sheet of a workbook the page asks for, and the row of its header."""
    sheet = unquote(request.headers.get("x-sheet", ""), errors="replace")
    row = request.headers.get("x-header-row", "")
    return SheetChoice(sheet or None, _number(row) if row else None)


def _edited(work: Work, data: Any) -> Work:
    return with_rules(work, edited_rules(data, work))


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
        visitors.close()

    return lifespan


async def _told(request: Request, error: Exception) -> Response:
    status = 400
    if isinstance(error, TooLargeError):
        status = 413
    elif isinstance(error, ForgottenError):
        status = 410
    elif isinstance(error, BusyError):
        status = 429
    return JSONResponse({"error": str(error)}, status_code=status)


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=408)  # nobody reads it


async def _unexpected(request: Request, error: Exception) -> Response:
    logger.error("%s failed", request.url.path, exc_info=error)
    message = f"something failed that should not have ({type(error).__name__}); the terminal says more"
    return JSONResponse({"error": message}, status_code=500)
