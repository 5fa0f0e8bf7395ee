"""The HTTP server of one worker: uvicorn, which ends in order and answers under its own names alone."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.middleware import Middleware

from podium.errors import InputError
from podium.server import machine
from podium.server.http.app import make_app
from podium.server.http.limited_connections import HEAD_BYTES, limited_protocol
from podium.server.http.served_hosts import ServedHosts
from podium.server.processes.ending_signals import handled_signals
from podium.server.service import Service
from podium.server.settings import ServerSettings, Told
from podium.server.storage.database import explained

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
            raise InputError(f"cannot listen: {error.strerror or error}") from error
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
