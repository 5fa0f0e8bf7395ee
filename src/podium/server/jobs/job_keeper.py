"""Who looks after the job process: starts it when there is something to do, and again when it dies."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from threading import Event as Flag
from threading import Lock, Thread
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from podium.cluster.processes import imported_modules
from podium.errors import PodiumError
from podium.server.jobs.job_frames import (
    LOOK_SECONDS,
    PROGRAM,
    answered,
    receive_frame,
    send_frame,
    start_words,
)
from podium.server.jobs.job_leases import is_work, release_jobs
from podium.server.operations.service_logs import LOGGER
from podium.server.settings import ServerSettings
from podium.server.storage.database import Database

if TYPE_CHECKING:
    from podium.server.service import Service

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.25, 30.0
"""How long to wait before a process that died is started again; twice as long each time."""
GOOD_SECONDS = 60.0
"""A process that ran so long before it died was all right: the pauses begin anew."""
CLEAN_SECONDS = 3600.0
"""How often a process is started only to remove what nobody needs any more."""


class JobKeeper:
    """A thread that keeps the job process of a service.

    On SQLite `service` is the one that writes: the thread calls what the process asks for. On PostgreSQL the
    process writes itself.
    """

    def __init__(self, settings: ServerSettings, database: Database, service: Service | None) -> None:
        self._settings, self._database = settings, database
        self._service = service if database.kind == "sqlite" else None
        self._name = token_hex(8)
        self._number = 0
        self._ending = Flag()
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = Thread(target=self._work, name="jobs", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the process; the job that it does goes on when a service starts again."""
        with self._lock:
            self._ending.set()
            if self._process is not None:
                self._process.kill()
        self._thread.join()
        with suppress(SQLAlchemyError, PodiumError):  # then its lease ends by itself
            release_jobs(self._database if self._service is None else self._service.database, self._name)

    def _work(self) -> None:
        pause, cleaned = FIRST_PAUSE_SECONDS, time.monotonic()
        while not self._ending.is_set():
            if time.monotonic() - cleaned < CLEAN_SECONDS and not self._is_needed():
                self._ending.wait(LOOK_SECONDS)
                continue
            began = cleaned = time.monotonic()
            status = self._kept_process()
            if status == 0 or self._ending.is_set():
                pause = FIRST_PAUSE_SECONDS
                continue
            if time.monotonic() - began > GOOD_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            LOGGER.warning("the job process ended with status %d", status)
            self._ending.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _is_needed(self) -> bool:
        try:
            return is_work(self._database, self._name)
        except SQLAlchemyError:
            return False  # the database is away; it is asked again soon

    def _kept_process(self) -> int:
        """Start a process, do what it asks for, and return with what it ended."""
        process = self._started()
        if process is None:
            return 0
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(EOFError, OSError):
            if self._service is None:
                process.stdout.read()
            else:
                while True:
                    function, args = receive_frame(process.stdout)
                    send_frame(process.stdin, answered(self._service, function, args))
        with self._lock:
            self._process = None
        process.stdout.close()
        with suppress(OSError):
            process.stdin.close()
        return process.wait()

    def _started(self) -> subprocess.Popen[bytes] | None:
        self._number += 1
        searched = [folder for folder in sys.path if isinstance(folder, str) and folder]
        with self._lock:
            if self._ending.is_set():
                return None
            self._process = process = subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(searched)},
                process_group=0,  # Ctrl-C at a terminal reaches the keeper alone
            )
        assert process.stdin is not None
        with suppress(OSError):  # it died already, as will be noticed
            send_frame(
                process.stdin, start_words(self._settings, self._name, self._number, imported_modules())
            )
        return process


@contextmanager
def kept_jobs(settings: ServerSettings, database: Database, service: Service | None = None) -> Iterator[None]:
    """Have jobs done for the time of the block."""
    if settings.job_process == "off":
        yield
        return
    keeper = JobKeeper(settings, database, service)
    try:
        yield
    finally:
        keeper.close()
