"""The HTTP server of one worker: uvicorn, which ends in order and answers under its own names alone."""

from __future__ import annotations

import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn

from podium.errors import InputError
from podium.server.http.app import make_app
from podium.server.http.limited_heads import HEAD_BYTES, limited_protocol
from podium.server.http.served_hosts import ServedHosts
from podium.server.processes.ending_signals import handled_signals
from podium.server.service import Service
from podium.server.settings import ServerSettings, Told
from podium.server.storage.database import explained

KEEP_ALIVE_SECONDS = 75
"""How long an idle connection stays open: longer than clients and proxies keep one, so that they close it and
never send a request into a connection that is being closed."""
GRACE_SECONDS = 20
"""How long answers under way may take when the server ends."""


class HttpServer(uvicorn.Server):
    """Serves one worker's service; the first signal ends it in order, a second Ctrl-C at once."""

    def __init__(self, service: Service, ready: Callable[[], None]) -> None:
        self._service, self._ready = service, ready
        super().__init__(
            uvicorn.Config(
                ServedHosts(make_app(service.settings, service), service.settings),
                http=limited_protocol(),  # httptools where it is installed
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
