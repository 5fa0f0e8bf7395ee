"""A real service on a port of its own, in this process, with an empty database."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from unittest import mock

import uvicorn

from podium.server.http.app import make_app
from podium.server.settings import ServerSettings

PATIENCE_SECONDS = 60.0


@contextmanager
def running_service(folder: Path, port: int = 0) -> Iterator[str]:
    """The address of a service while the block runs, at a port that is free or given."""
    listener = socket.create_server(("127.0.0.1", port))
    port = listener.getsockname()[1]
    # Ladders compile what they need when they need it: the other kernels are not of interest here.
    with mock.patch("podium.server.service.compile_kernels"):
        app = make_app(ServerSettings(database=str(folder / "podium.db")))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            wait_until_started(server, thread)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE_SECONDS)
            listener.close()


def wait_until_started(server: uvicorn.Server, thread: Thread) -> None:
    """Wait until requests are answered; a service that ends before is an error."""
    while not server.started:
        assert thread.is_alive(), "the service has not started"
        thread.join(0.005)
