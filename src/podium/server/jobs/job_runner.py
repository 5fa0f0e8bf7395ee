"""Jobs taken up and run, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from podium.errors import PodiumError
from podium.server import machine
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
from podium.server.operations.service_logs import LOGGER
from podium.server.problems import UnavailableError
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
            with self._renewed(job):
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
            reason = f"podium has failed: {type(error).__name__}; the service's log says where"
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
