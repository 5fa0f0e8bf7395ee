"""What is done around every request: it gets an id, is counted, measured and logged; an error is answered.

HEAD is answered here too, for every address that answers GET.
"""

from __future__ import annotations

import logging
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from podium.server import machine
from podium.server.http.http_answers import problem_response
from podium.server.operations.service_logs import LOGGER, REQUEST_ID_HEADER, begin_request
from podium.server.operations.service_metrics import NO_ROUTE, ServiceMetrics
from podium.server.problems import plain_problem
from podium.server.storage.ladder_rows import SLUG

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Methods that are counted by name; whatever else somebody sends is `other`."""
STREAM = b"text/event-stream"


class HeadAnsweredError(OSError):
    """Ends an answer whose head was all that was asked for."""


class Observed:
    """The application, with everything that is done around each request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, send)
        # The method of the server's own scope stays: it knows by it that the answer has no body.
        inner = {**scope, "method": "GET"} if answer.only_head else scope
        try:
            await self._app(inner, receive, answer.send)
        except Exception:
            if not answer.is_complete:
                await _failed(inner, receive, answer)
        finally:
            inner.get("state", {}).pop("leave", lambda: None)()  # what access control counts until now
            answer.note(inner)


async def _failed(scope: Scope, receive: Receive, answer: _Answer) -> None:
    """Log what nobody foresaw, and say so if the answer has not begun."""
    LOGGER.exception("a request failed", extra={"fields": answer.fields(scope)})
    if answer.status is None:
        reason = "podium failed, and the service's log has the details under the request's id"
        await problem_response(plain_problem("failure", "Internal error", 500, reason))(
            scope, receive, answer.send
        )


class _Answer:
    """The answer to one request, as far as it was sent."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._began = machine.perf_counter()
        self.method: str = scope["method"]
        self.only_head = self.method == "HEAD"
        self.status: int | None = None
        self.size = 0
        self.is_complete, self.is_stream = False, False
        given = next((value for name, value in scope["headers"] if name == b"x-request-id"), None)
        self._id = begin_request(None if given is None else given.decode("latin-1"))

    async def send(self, message: Message) -> None:
        """Send a part of the answer, but no body where only the head was asked for."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = [*message.get("headers", ()), (REQUEST_ID_HEADER.lower().encode(), self._id.encode())]
            self.is_stream = any(name == b"content-type" and STREAM in value for name, value in headers)
            message = {**message, "headers": headers}
        elif message["type"] == "http.response.body":
            await self._send_body(message)
            return
        await self._send(message)

    async def _send_body(self, message: Message) -> None:
        if self.only_head:
            goes_on = message.get("more_body", False)
            if not self.is_complete:
                self.is_complete = True
                await self._send({"type": "http.response.body", "body": b""})
            if goes_on:  # a stream would never end by itself
                raise HeadAnsweredError("only the head was asked for")
            return
        self.size += len(message.get("body", b""))
        await self._send(message)
        self.is_complete = not message.get("more_body", False)

    def note(self, scope: Scope) -> None:
        """Count the request, measure it, and log it if requests are logged."""
        service = getattr(scope["app"].state, "service", None) if "app" in scope else None
        status = "none" if self.status is None else str(self.status)
        if service is not None:
            metrics: ServiceMetrics = service.metrics
            method, route = self.method if self.method in METHODS else "other", _route(scope)
            metrics.requests.labels(method, route, status).inc()
            if not self.is_stream:
                metrics.request_seconds.labels(route).observe(machine.perf_counter() - self._began)
        if LOGGER.isEnabledFor(logging.INFO):
            LOGGER.info("request", extra={"fields": self.fields(scope)})

    def fields(self, scope: Scope) -> dict[str, Any]:
        """What is logged of the request: nothing that somebody typed but the name of the ladder."""
        ladder = scope.get("path_params", {}).get("ladder", "")
        access = scope.get("state", {}).get("access")
        return {
            "method": self.method if self.method in METHODS else "other",
            "route": _route(scope),
            "status": self.status,
            "milliseconds": round(1e3 * (machine.perf_counter() - self._began), 3),
            "actor": getattr(access, "actor", None),
            "ladder": ladder if isinstance(ladder, str) and SLUG.fullmatch(ladder) else None,
            "bytes": self.size,
        }


def _route(scope: Scope) -> str:
    """The template of the address that was asked for, such as /api/v1/ladders/{ladder}.

    A route may know only the end of its template: then what stands before it in the path, which matched, is
    the prefix under which it was included.
    """
    route = scope.get("route")
    template: str = getattr(route, "path_format", None) or getattr(route, "path", None) or ""
    if not template:
        return NO_ROUTE
    asked = template
    for name, value in scope.get("path_params", {}).items():
        asked = asked.replace(f"{{{name}}}", str(value))
    path: str = scope["path"]
    return path.removesuffix(asked) + template if path.endswith(asked) else template
