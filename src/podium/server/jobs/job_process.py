"""A process that does jobs, beside those that answer.

Its keeper starts it when there is something to do, and it ends when there was nothing for a while. It hears
from its keeper through its standard input, which ends when the keeper does; then it ends too, at once: a job
may be interrupted at any moment.

On SQLite only the server writes. There the process sends functions and their arguments through its standard
output, and gets back what they answered.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import IO, Any

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from podium.errors import PodiumError
from podium.files.panics import catching_panics
from podium.server import machine
from podium.server.jobs.job_frames import LOOK_SECONDS, receive_frame, send_frame
from podium.server.jobs.job_kinds import CLEANING, JobContext, job_function, named_function
from podium.server.jobs.job_leases import (
    LEASE_MICROS,
    Writer,
    claim_job,
    finish_job,
    holder_name,
    is_work,
    leave_cancelled,
    release_held,
    renew_lease,
)
from podium.server.jobs.job_rows import JobCancelledError, JobRow, JobStatus
from podium.server.jobs.kept_process import be_killed_first, resident_bytes
from podium.server.operations.service_logs import LOGGER, brief, logging_to_stderr
from podium.server.problems import UnavailableError
from podium.server.service import Service
from podium.server.settings import ServerSettings
from podium.server.storage.database import Database, refusal

RENEWALS_PER_LEASE = 4
"""How often a lease is renewed before it could end."""


class JobRunner:
    """Runs the jobs of a database: reads it here, and writes where the writer does."""

    def __init__(self, database: Database, writer: Writer, keeper: str, number: int = 1) -> None:
        self._database, self._writer, self._keeper = database, writer, keeper
        self._holder = holder_name(keeper, number)
        self._was_interrupted = False

    def run_next(self) -> bool:
        """Run one job to its end; False if there is none to run.

        A database that does not answer is an error. The job is left to be taken up again, and that attempt
        does not count: it is not the job that has failed.
        """
        if self._was_interrupted:
            self._writer(release_held, self._holder)
            self._was_interrupted = False
        try:
            if not is_work(self._database, self._keeper):  # which disturbs nobody who writes
                return False
            job = self._writer(claim_job, self._keeper, self._holder)
            if job is None:
                return False
            self._run(job)
        except (UnavailableError, PoolTimeoutError):
            self._was_interrupted = True
            raise
        except DBAPIError as error:
            if (refused := refusal(error)) is None:
                raise
            self._was_interrupted = True
            raise refused from error
        return True

    def clean(self) -> None:
        """Remove what nobody needs any more."""
        for name in CLEANING:
            self._writer(named_function(name))

    def _run(self, job: JobRow) -> None:
        status: JobStatus = "failed"
        result: dict[str, Any] | None = None
        reason: str | None = None
        try:
            with self._renewed(job), catching_panics():
                result = job_function(job.kind)(JobContext(job, self._database, self._writer, self._holder))
                status = "done"
        except (UnavailableError, PoolTimeoutError, DBAPIError):
            raise
        except JobCancelledError:
            self._writer(leave_cancelled, self._holder)
            return
        except PodiumError as error:
            reason = str(error)
        except Exception as error:
            LOGGER.exception("job %d (%s) has failed", job.id, job.kind)
            reason = f"podium has failed: {type(error).__name__}. The service's log shows where"
        self._writer(finish_job, job.id, self._holder, status, result, reason)

    @contextmanager
    def _renewed(self, job: JobRow) -> Iterator[None]:
        """Hold a job for the time of the block, however long its steps are."""
        over = machine.Event()

        def renew() -> None:
            while not over.wait(LEASE_MICROS / 1e6 / RENEWALS_PER_LEASE):
                try:
                    self._writer(renew_lease, job.id, self._holder)
                except JobCancelledError:
                    return  # the job itself notices when it next writes
                except (PodiumError, SQLAlchemyError):
                    continue  # the database is away: perhaps it is back before the lease ends

        thread = machine.Thread(target=renew, name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


IDLE_SECONDS = 600.0
"""How long the process waits for a job before it ends."""
KEPT_BYTES = 600_000_000
"""Memory above which the process ends after a job, to give it back; it begins with some 350 MB."""
CLEAN_SECONDS = 60.0
"""How often what nobody needs is removed, while there is no job."""
NICENESS = 5
"""Whoever answers comes first."""


class ServerWriter:
    """Lets the server, which alone writes to SQLite, call functions."""

    def __init__(self, mouth: IO[bytes], ear: IO[bytes]) -> None:
        self._mouth, self._ear = mouth, ear
        self._answers: machine.SimpleQueue[tuple[bool, Any]] = machine.SimpleQueue()
        self._lock = machine.Lock()
        machine.Thread(target=self._listen, name="lifeline", daemon=True).start()

    def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """What the function answers there."""
        with self._lock:
            with ended_at_loss():
                send_frame(self._mouth, (function, args))
            succeeded, answer = self._answers.get()
        if succeeded:
            return answer
        raise answer

    def _listen(self) -> None:
        with ended_at_loss():
            while True:
                self._answers.put(receive_frame(self._ear))


@contextmanager
def ended_at_loss() -> Iterator[None]:
    """End this process at once if the server is gone."""
    try:
        yield
    except (EOFError, OSError):
        os._exit(1)


class OwnWriter:
    """Calls functions in this process, which has a service of its own on PostgreSQL."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._service: Service | None = None
        self._lock = machine.Lock()

    def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """What the function answers."""
        try:
            return function(self.service, *args)
        except DBAPIError as error:
            raise refusal(error) or error from error

    @property
    def service(self) -> Service:
        """The service of this process, made when it is first needed."""
        with self._lock:
            if self._service is None:
                self._service = Service(self._settings)
            return self._service


# ---------------------------------------------------------------------- the process


def work() -> None:
    """What the job process does: jobs, until its keeper is gone or there was none for a while."""
    ear = os.fdopen(os.dup(0), "rb")
    mouth = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed is for people
    start = receive_frame(ear)
    os.nice(NICENESS)
    be_killed_first()
    for module in start["modules"]:
        import_module(module)
    settings = ServerSettings(**start["settings"])
    database = Database(settings.database, read_only=True)
    writer: Writer
    if database.kind == "sqlite":
        writer = ServerWriter(mouth, ear)
    else:
        writer = OwnWriter(settings)
        machine.Thread(target=partial(_end_with, ear), name="lifeline", daemon=True).start()
    with logging_to_stderr(settings):
        do_jobs(JobRunner(database, writer, start["keeper"], start["number"]))
    os._exit(0)  # without waiting for threads that have nothing to finish


def _end_with(ear: IO[bytes]) -> None:
    """End this process when the keeper is gone."""
    ear.read()
    os._exit(1)


def do_jobs(runner: JobRunner) -> None:
    """Run jobs as they come, until there was none for a while, or one has left much memory taken."""
    last_job, last_clean = machine.monotonic(), 0.0
    while True:
        try:
            if runner.run_next():
                if resident_bytes() > KEPT_BYTES:
                    return
                last_job = machine.monotonic()
                continue
            if machine.monotonic() - last_clean > CLEAN_SECONDS:
                last_clean = machine.monotonic()
                runner.clean()
        except (UnavailableError, PoolTimeoutError) as error:
            LOGGER.warning("jobs wait: %s", brief(error))
        if machine.monotonic() - last_job > IDLE_SECONDS:
            return
        machine.sleep(LOOK_SECONDS)
