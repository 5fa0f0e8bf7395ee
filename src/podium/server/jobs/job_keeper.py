"""Who looks after the job processes: starts them when there is work, watches them, and settles their end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from podium.errors import PodiumError
from podium.files.leftovers import locked_folder
from podium.server import machine
from podium.server.jobs.job_frames import LOOK_SECONDS
from podium.server.jobs.job_leases import cancelled_holders, held_jobs, is_work, release_jobs, settle_death
from podium.server.jobs.kept_process import KeptProcess
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
TEMPORARY = "podium-jobs-"
"""How the names of folders begin in which processes keep temporary files."""


class JobKeeper:
    """A thread that keeps the job processes of a service, `jobs_at_once` of them at most.

    On SQLite `service` is the one that writes, also for the processes. On PostgreSQL each writes itself.
    """

    def __init__(self, settings: ServerSettings, database: Database, service: Service | None) -> None:
        self._settings, self._database = settings, database
        self._service = service if database.kind == "sqlite" else None
        self._writable = database if self._service is None else self._service.database
        self._name = machine.token_hex(8)
        self._number = 0
        self._processes: list[KeptProcess] = []
        self._pause, self._paused_until = FIRST_PAUSE_SECONDS, 0.0
        self._cleaned = machine.monotonic()
        self._ending = machine.Event()
        self._thread = machine.Thread(target=self._work, name="jobs", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the processes; the jobs that they do go on when a service starts again."""
        self._ending.set()
        self._thread.join()
        with suppress(SQLAlchemyError, PodiumError):  # then their leases end by themselves
            release_jobs(self._writable, self._name)

    def _work(self) -> None:
        with locked_folder(TEMPORARY) as folder:
            while not self._ending.is_set():
                with suppress(SQLAlchemyError, OSError):  # no database or no memory, for now
                    self._look(folder)
                self._ending.wait(LOOK_SECONDS)
            for process in self._processes:
                process.end()

    def _look(self, folder: Path) -> None:
        """Watch the processes, settle the jobs of those that ended, and start one more if there is need."""
        for process in self._processes:
            process.check_memory()
        for process in [one for one in self._processes if one.status is not None]:
            self._settle(process)
            self._processes.remove(process)
        held = held_jobs(self._database, self._name) if self._processes else {}
        cancelled = cancelled_holders(self._database, self._name) if self._processes else set()
        for process in self._processes:
            process.check_time(held.get(process.holder))
            if process.holder in cancelled and process.holder not in held:
                process.drop_job()
        if len(self._processes) < self._settings.jobs_at_once and machine.monotonic() >= self._paused_until:
            idle = [process for process in self._processes if process.holder not in held]
            is_unclean = not self._processes and machine.monotonic() - self._cleaned >= CLEAN_SECONDS
            if is_unclean or (not idle and is_work(self._database, self._name)):
                self._cleaned = machine.monotonic()
                self._number += 1
                arguments = (self._settings, self._name, self._number, folder, self._service)
                self._processes.append(KeptProcess(*arguments))

    def _settle(self, process: KeptProcess) -> None:
        """Say of the job of a process that died what it died of, and wait a while if others may die so."""
        death = process.death()
        if death is None:
            self._pause = FIRST_PAUSE_SECONDS
            return
        settle_death(self._writable, process.holder, death.reason, is_of_job=death.is_of_job)
        LOGGER.warning("a job process ended unexpectedly: %s", death.reason)
        if machine.monotonic() - process.began > GOOD_SECONDS:
            self._pause = FIRST_PAUSE_SECONDS
        self._paused_until = machine.monotonic() + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)


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
