"""The HTTP server of one worker: uvicorn, which ends in order and answers this machine alone."""

from __future__ import annotations

import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from podium.errors import InputError
from podium.server.http.app import make_app
from podium.server.http.http_answers import problem_response
from podium.server.problems import plain_problem
from podium.server.processes.ending_signals import handled_signals
from podium.server.service import Service
from podium.server.settings import LOCAL_NAMES, ServerSettings, Told
from podium.server.storage.database import explained

KEEP_ALIVE_SECONDS = 75
"""How long an idle connection stays open: longer than clients and proxies keep one, so that they close it and
never send a request into a connection that is being closed."""
GRACE_SECONDS = 20
"""How long answers under way may take when the server ends."""
READING_METHODS = ("GET", "HEAD", "OPTIONS")


class HttpServer(uvicorn.Server):
    """Serves one worker's service; the first signal ends it in order, a second Ctrl-C at once."""

    def __init__(self, service: Service, ready: Callable[[], None]) -> None:
        self._service, self._ready = service, ready
        super().__init__(
            uvicorn.Config(
                LocalOnly(make_app(service.settings, service)),
                http="auto",  # httptools where it is installed
                loop="auto",  # and uvloop
                ws="none",
                lifespan="on",
                access_log=False,
                log_config=None,
                log_level="warning",
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        try:
            await super().startup(sockets)
        except OSError as error:  # another server that was starting too has taken the port
            await self.lifespan.shutdown()
            raise InputError(f"cannot listen: {error.strerror or error}") from error
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams, which would go on for ever; answer what is under way; then close the service."""
        self._service.followers.close()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Let signals end the server. Having ended in order is no failure: they are not raised again."""
        with handled_signals(self.handle_exit):
            yield


def opened_service(settings: ServerSettings, told: Told) -> Service:
    """A service that is ready; refused with a reason if its database cannot be used."""
    service = Service(settings)
    try:
        with explained(service.database):
            service.open(told)
    except BaseException:
        service.close()
        raise
    return service


class LocalOnly:
    """Refuses what web pages of other sites make a browser send to this machine.

    There are no keys yet, so whoever can send a request may do everything. A page of another site could do so
    under a name of its own that leads here, which stands in `Host`, or under ours: its site is in `Origin`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "http" and (reason := _foreign(scope)) is not None:
            problem = plain_problem(
                "foreign", "Only this machine is served", 403, reason, "use an address of 127.0.0.1"
            )
            await problem_response(problem)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _foreign(scope: Any) -> str | None:
    """Why a request is none of this machine's own; None if it is."""
    for name, value in scope["headers"]:
        if name == b"host" and not _is_local(b"//" + value):
            return "the request was sent to another name than that of this machine"
        if name == b"origin" and scope["method"] not in READING_METHODS and not _is_local(value):
            return "the request was sent by a page of another site"
    return None


def _is_local(address: bytes) -> bool:
    """Whether an address is one of this machine.

    >>> _is_local(b"//localhost:8000"), _is_local(b"https://podium.example")
    (True, False)
    """
    try:
        return urlsplit(address.decode("latin-1")).hostname in LOCAL_NAMES
    except ValueError:
        return False
