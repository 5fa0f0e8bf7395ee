"""The HTTP server of one worker: uvicorn, the host names it answers to, and the signals that end it."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from types import FrameType
from urllib.parse import urlsplit

import uvicorn
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from podium.errors import InputError
from podium.server import machine
from podium.server.access.requirements import READING_METHODS, is_own_origin
from podium.server.http.app import make_app
from podium.server.http.http_answers import problem_response
from podium.server.http.limited_connections import HEAD_BYTES, limited_protocol
from podium.server.problems import plain_problem
from podium.server.service import Service
from podium.server.settings import LOCAL_NAMES, ServerSettings, Told
from podium.server.storage.database import explained

ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def handled_signals(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Let a handler have these signals for the time of the block, but for those that are ignored, as nohup
    leaves the one that comes when a terminal is closed.
    """
    heeded = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heeded}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


class ServedHosts:
    """Refuses what web pages of other sites make a browser send.

    Without keys, whoever can send a request may do everything; with a cookie, whatever its link allows. A
    page of another site could send one under a name of its own that leads here, which stands in `Host`, or
    under ours: then its site is in `Origin`, whose scheme, name and port are not those of the request. A
    service for this machine answers to its names alone; one that is reached from outside also to its public
    address, and to numbers, which no other site can take as its name.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app, self._settings = app, settings
        self._public = urlsplit(settings.public_address or "").hostname

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "http" and (reason := self._foreign(scope)) is not None:
            title, hint = "Only this machine is served", "use the host name 127.0.0.1"
            if self._settings.is_reached_from_outside:
                title, hint = (
                    "Another name than this service's",
                    "set public_address to the URL that people use",
                )
            await problem_response(plain_problem("foreign", title, 403, reason, hint))(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _foreign(self, scope: Scope) -> str | None:
        """Why a request is not meant for this service; None if it is."""
        for name, value in scope["headers"]:
            if name == b"host" and not self._is_own(value):
                return "the request was sent to a host name that this service does not have"
            is_sent = name == b"origin" and scope["method"] not in READING_METHODS
            if is_sent and not is_own_origin(value.decode("latin-1"), scope, self._settings):
                return "the request was sent from another website"
        return None

    def _is_own(self, host: bytes) -> bool:
        try:
            name = urlsplit(f"//{host.decode('latin-1')}").hostname
        except ValueError:
            return False
        if name is None:
            return False
        if name in LOCAL_NAMES or name in (self._public, self._settings.host):
            return True
        return self._settings.is_reached_from_outside and _is_number(name)


def _is_number(name: str) -> bool:
    """Whether the name in an address is an IP address.

    >>> _is_number("192.168.1.5"), _is_number("ladder.example.org")
    (True, False)
    """
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


KEEP_ALIVE_SECONDS = 75
"""How long an idle connection stays open: longer than clients and proxies keep one, so that they close it and
never send a request into a connection that is being closed."""
INSISTING = (signal.SIGINT, signal.SIGTERM)
"""Signals of which a second one ends a server at once; that of a closed terminal may come twice by itself."""
SIGNAL_STATUS = 128
"""What a shell adds to the number of the signal that has ended a process."""


class HttpServer(uvicorn.Server):
    """Serves one worker's service; the first signal ends it in order, a second one at once.

    A worker that `is_kept` is ended at once by its keeper alone: some tools send one signal to all processes
    of a service, and then it hears of the same end twice.
    """

    def __init__(self, service: Service, ready: Callable[[], None], *, is_kept: bool = False) -> None:
        self._service, self._ready, self._is_kept = service, ready, is_kept
        self._ends_at: float | None = None
        settings = service.settings
        super().__init__(
            uvicorn.Config(
                make_app(settings, service, guards=[Middleware(ServedHosts, settings)]),
                http=limited_protocol(settings),  # httptools where it is installed
                h11_max_incomplete_event_size=HEAD_BYTES,
                loop="auto",  # and uvloop
                ws="none",
                lifespan="on",
                access_log=False,
                log_config=None,
                log_level="warning",
                server_header=False,
                proxy_headers=service.settings.public_address is not None,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=settings.grace_seconds,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        try:
            await super().startup(sockets)
        except OSError as error:  # another server that was starting too has taken the port
            await self.lifespan.shutdown()
            raise InputError(f"cannot open the port: {error.strerror or error}") from error
        self._ready()

    def end(self) -> None:
        """Say that this worker is not ready any more, and end when balancers have had time to notice."""
        if self._ends_at is None:
            self._service.ready.clear()
            self._ends_at = machine.monotonic() + self._service.settings.drain_seconds

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End in order, or, if that is under way already, at once: what was answered is recorded."""
        if self._ends_at is not None and sig in INSISTING and not self._is_kept:
            os._exit(SIGNAL_STATUS + sig)
        self.end()

    async def on_tick(self, counter: int) -> bool:
        """Whether it is time to end; called ten times a second."""
        if self._ends_at is not None and machine.monotonic() >= self._ends_at:
            self.should_exit = True
        return await super().on_tick(counter)

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
