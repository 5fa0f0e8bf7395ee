"""The HTTP side of the service: FastAPI with podium's errors and descriptions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import podium
from podium.errors import PodiumError
from podium.server.access import access_pages, access_routes
from podium.server.access.requirements import PUBLIC
from podium.server.access.rights import ANYBODY
from podium.server.http import (
    event_routes,
    job_routes,
    ladder_routes,
    log_routes,
    prediction_routes,
    reading_routes,
    tournament_routes,
)
from podium.server.http.http_answers import (
    NotModifiedError,
    plain_response,
    problem_response,
    refusal_response,
)
from podium.server.http.query_parameters import check_query
from podium.server.http.schemas import PARAMETER_EXAMPLES, SCHEMAS, problems
from podium.server.live_pages import admin_routes, import_pages, ladder_forms, page_routes, tournament_pages
from podium.server.live_pages.page_answers import for_reader
from podium.server.live_pages.page_memory import PageMemory
from podium.server.operations import health_routes
from podium.server.operations.observing import Observed
from podium.server.problems import KeyNeededError, UnavailableError, plain_problem
from podium.server.service import Service
from podium.server.settings import ServerSettings
from podium.server.storage.database import refusal
from podium.text import shorten

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""Pages run scripts and styles of this service alone, send forms to it alone, and stand in no other page."""
# With no-referrer, browsers would not say which site a form comes from; to other sites both say nothing.
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class SecurityHeaders:
    """Adds the headers to whatever is answered; what a route has said itself about caching stays."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(SECURITY_HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_with_headers)


DESCRIPTION = (
    "Player ratings over HTTP. Report events to a ladder and read its ratings. With an idempotency key, a "
    "report can safely be sent again. Every answer is a documented JSON object. Every error is a problem "
    "document (RFC 9457): `detail` is the reason and `hint` what to do."
)
LADDER = "The ladder's `slug`: its name in URLs."
OF_EACH = (400, 401, 403, 429)
"""How each operation may refuse a request: by its parameters, or by who sends it."""
_PROBLEMS = {
    404: ("not-found", "Not found", "there is no endpoint {path}"),
    405: ("method", "Method not allowed", "{path} does not support {method}"),
}


class Application(FastAPI):
    """FastAPI whose every answer, of whatever goes wrong too, has the headers that protect browsers."""

    def build_middleware_stack(self) -> ASGIApp:
        """Put the headers around everything else."""
        return SecurityHeaders(super().build_middleware_stack())


def make_app(
    settings: ServerSettings, service: Service | None = None, guards: Sequence[Middleware] = ()
) -> FastAPI:
    """The application of one worker; `guards` look at each request first.

    It opens its service when it starts, unless it is given an open one, and closes it when it ends.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.service = service or Service(settings)
        app.state.service.ladders.forgetting.append(app.state.page_memory.forget)
        try:
            if service is None:
                await run_in_threadpool(app.state.service.open)
            _prepare_routes(app)
            yield
        finally:
            await run_in_threadpool(app.state.service.close)

    app = Application(
        title="podium",
        version=podium.__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(check_query)],
        middleware=[Middleware(Observed), *guards],
    )
    rooms = (
        ladder_routes,
        event_routes,
        log_routes,
        reading_routes,
        prediction_routes,
        tournament_routes,
        job_routes,
        access_routes,
    )
    for room in rooms:
        app.include_router(room.router, prefix="/api/v1")
    app.get("/api/v1/openapi.json", include_in_schema=False, dependencies=[PUBLIC])(_told_description)
    app.include_router(access_pages.router)
    app.include_router(health_routes.router)
    app.state.page_memory = PageMemory()
    app.include_router(page_routes.router)
    app.include_router(admin_routes.router)
    app.include_router(import_pages.router)
    app.include_router(tournament_pages.router)
    app.include_router(ladder_forms.router)
    _add_handlers(app)
    app.openapi = lambda: _description(app)  # type: ignore[method-assign]
    return app


def _prepare_routes(app: FastAPI) -> None:
    """Have FastAPI make all routes, as it would while the first callers wait; that is not safe in threads."""
    nowhere = {"type": "http", "method": "GET", "path": "/nowhere", "root_path": "", "headers": []}
    for route in app.routes:
        route.matches(nowhere)


def _add_handlers(app: FastAPI) -> None:
    """Every refusal has the same form."""

    @app.exception_handler(PodiumError)
    async def refused(request: Request, error: PodiumError) -> Response:
        if isinstance(error, KeyNeededError) and "text/html" in request.headers.get("accept", ""):
            goal = request.url.path if request.method == "GET" else ""
            page = partial(access_pages.login_answer, error=error, status=error.status)
            return await run_in_threadpool(page, app.state.service, ANYBODY, goal)
        return for_reader(request, refusal_response(error))

    @app.exception_handler(NotModifiedError)
    async def not_modified(request: Request, error: NotModifiedError) -> Response:
        return Response(status_code=304, headers={"ETag": error.tag})

    @app.exception_handler(RequestValidationError)
    async def not_valid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = str(first["loc"][-1])
        problem = plain_problem("parameter", "A parameter is not allowed", 400, f"{where}: {first['msg']}")
        return for_reader(request, problem_response(problem))

    @app.exception_handler(HTTPException)
    async def not_there(request: Request, error: HTTPException) -> Response:
        name, title, words = _PROBLEMS.get(error.status_code, ("refused", "Refused", "{detail}"))
        path, detail = shorten(request.url.path), error.detail
        reason = words.format(path=path, method=request.method, detail=detail)
        hint = "/api/v1/openapi.json lists all endpoints"
        response = problem_response(plain_problem(name, title, error.status_code, reason, hint))
        response.headers.update(error.headers or {})
        return for_reader(request, response)

    @app.exception_handler(DBAPIError)
    async def database_away(request: Request, error: DBAPIError) -> Response:
        refused = refusal(error)
        if refused is None:
            raise error
        if request.method == "GET":
            refused = UnavailableError("the database does not answer", hint="try again in a few seconds")
        return for_reader(request, refusal_response(refused))

    @app.exception_handler(PoolTimeoutError)
    async def too_busy(request: Request, error: PoolTimeoutError) -> Response:
        reason = "all connections to the database are in use"
        refused = UnavailableError(reason, hint="send the same request again later")
        return for_reader(request, refusal_response(refused))


async def _told_description(request: Request) -> Response:
    """The OpenAPI document, of which the text is made once."""
    state = request.app.state
    if not hasattr(state, "description"):
        state.description = plain_response(request.app.openapi()).body
    return Response(state.description, media_type="application/json")


def _description(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the schemas of podium's documents."""
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
        )
        components = found.setdefault("components", {}).setdefault("schemas", {})
        components.clear()
        components.update(SCHEMAS.components)
        found["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        for operation in (one for path in found["paths"].values() for one in path.values()):
            if _is_fastapis(operation):
                del operation["responses"]["422"]
            operation["responses"] |= {str(status): told for status, told in problems(OF_EACH).items()}
            operation["security"] = [{"key": []}, {}]
            first, _, rest = operation.pop("description").partition("\n")
            for parameter in operation.get("parameters", ()):
                parameter.setdefault("description", LADDER)
                parameter["example"] = PARAMETER_EXAMPLES[parameter["name"]]
            operation |= {"summary": first.removesuffix("."), "description": rest.strip() or first}
        app.openapi_schema = found
    return app.openapi_schema


def _is_fastapis(operation: dict[str, Any]) -> bool:
    """Whether an operation's answer 422 is the one that FastAPI adds, which podium never gives."""
    content = operation["responses"].get("422", {}).get("content", {})
    return "application/json" in content
