"""The processes of a service: one that does everything, or one that looks after workers.

The port and, for SQLite, the lock are taken first, so that whatever cannot work is refused before anything is
prepared. Then kernels and ladders are loaded, and only then does the service listen.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import NamedTuple

from podium.errors import InputError, ParameterError
from podium.server import machine
from podium.server.access.login_links import first_login_link
from podium.server.jobs.job_keeper import kept_jobs
from podium.server.operations.service_logs import logging_to_stderr
from podium.server.settings import ServerSettings, Told
from podium.server.storage.database import Database
from podium.server.storage.database_locks import held_database


class Surroundings(NamedTuple):
    """What the program around a service does for it."""

    told: Told
    """Shows what a worker is doing before it is ready."""
    ready: Callable[[str, int, str | None], None]
    """Called when the service listens: with its address, the number of its ladders, and, at the first start
    of a database, the address of a link by which its administrator logs in."""
    own_signals: Callable[[], AbstractContextManager[None]] = nullcontext
    """A block in which the service handles signals itself."""


def serve(settings: ServerSettings, surroundings: Surroundings) -> None:
    """Run a service until a signal ends it; returns when all is recorded and closed."""
    database = Database(settings.database)
    check_workers(settings, database)
    with (
        logging_to_stderr(settings),
        listening_socket(settings) as listener,
        _alone(database, settings) as secret,
    ):

        def ready(ladders: int, writable: Database) -> None:
            surroundings.ready(settings.shown_address, ladders, first_login_link(writable, settings))

        if settings.workers > 1:
            from podium.server.processes.worker_processes import WorkerProcesses

            with kept_jobs(settings, database), surroundings.own_signals():
                told = surroundings.told
                WorkerProcesses(settings, listener, told, lambda _, ladders: ready(ladders, database)).run()
            return
        from podium.server.http.http_server import HttpServer, opened_service

        service = opened_service(settings, surroundings.told)
        service.access_control.local_secret = secret
        service.keep_jobs()
        with surroundings.own_signals():
            server = HttpServer(service, lambda: ready(service.ladder_count(), service.database))
            server.run([listener])


def check_workers(settings: ServerSettings, database: Database) -> None:
    """Refuse several workers where only one can be."""
    if settings.workers > 1 and database.kind == "sqlite":
        raise ParameterError(
            f"SQLite allows one worker, not {settings.workers}: only one process may write to its file",
            hint="use --workers 1, or --database postgresql://user@host/database for several workers",
        )
    if settings.workers > 1 and sys.platform == "win32":
        raise ParameterError("Windows allows one worker only", hint="--workers 1")


@contextmanager
def listening_socket(settings: ServerSettings) -> Iterator[socket.socket]:
    """A socket at the address of the service, which nobody else can take from here on."""
    listener = machine.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # where it would let two processes have one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host, settings.port))
        except OSError as error:
            raise InputError(
                f"cannot listen on port {settings.port}: {error.strerror or error}",
                hint="give another --port",
            ) from error
        yield listener
    finally:
        listener.close()


@contextmanager
def _alone(database: Database, settings: ServerSettings) -> Iterator[str | None]:
    """Be the only process that writes, where only one may; the secret that commands show to this one then."""
    if database.kind == "postgresql":
        yield None
        return
    with held_database(database.path, settings.local_address) as secret:
        yield secret
