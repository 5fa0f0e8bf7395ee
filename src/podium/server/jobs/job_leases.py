"""Who does a job: one process at a time, by a lease that it renews as long as it goes on.

The time of a lease is that of the database's clock. A process whose lease was given to another one cannot
write any more: each transaction of a job first makes sure that its process still holds it. On PostgreSQL such
a transaction shares an advisory lock with nobody who takes the job over, so none of them can still be on its
way to a commit afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, and_, func, literal_column, or_, select, update

from podium.server.jobs.job_rows import JobCancelledError, JobRow, JobStatus, job_row
from podium.server.storage import tables
from podium.server.storage.database import FENCE, Database
from podium.server.storage.ladder_rows import now_micros

if TYPE_CHECKING:
    from podium.server.service import Service

LEASE_MICROS = 15_000_000
"""How long a process holds a job after it last said that it goes on."""
MOST_ATTEMPTS = 5
"""How often a job is begun; one that brought its process down so often is not tried again."""
JOB_LOCK = 0x6A6F62
"""The first number of PostgreSQL's advisory locks of jobs; the second is the job."""
Answer = TypeVar("Answer")
_JOB = tables.job
_POSTGRESQL_NOW: ColumnElement[int] = literal_column(
    "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)"
)


class Writer(Protocol):
    """Runs functions of modules where writing is allowed."""

    def __call__(self, function: Callable[..., Answer], *args: Any) -> Answer:
        """What ``function(service, *args)`` answers."""


def database_now(connection: Connection) -> ColumnElement[int] | int:
    """The time by the database's clock; that of SQLite is this machine's."""
    return _POSTGRESQL_NOW if connection.dialect.name == "postgresql" else now_micros()


def free_jobs(connection: Connection, keeper: str) -> ColumnElement[bool]:
    """Jobs that may be taken up: those that wait, and those whose process is gone.

    Processes of one keeper come one after another, so what an earlier one held is free at once; and a file of
    SQLite has one keeper.
    """
    running = _JOB.c.status == "running"
    if connection.dialect.name == "sqlite":
        return or_(_JOB.c.status == "waiting", running)
    gone = or_(_JOB.c.held_until < database_now(connection), _JOB.c.holder.startswith(f"{keeper}/"))
    return or_(_JOB.c.status == "waiting", and_(running, gone))


def is_work(database: Database, keeper: str) -> bool:
    """Whether there is a job to take up."""
    with database.reading() as connection:
        query = select(_JOB.c.id).where(free_jobs(connection, keeper)).limit(1)
        return connection.execute(query).one_or_none() is not None


def claim_job(service: Service, keeper: str, holder: str) -> JobRow | None:
    """Take up the first job that nobody does; None if there is none."""
    while True:
        with service.database.writing() as connection:
            query = select(_JOB).where(free_jobs(connection, keeper)).order_by(_JOB.c.id).limit(1)
            found = connection.execute(query.with_for_update(skip_locked=True)).one_or_none()
            if found is None or not _is_at_rest(connection, found.id):
                return None
            if found.attempts < MOST_ATTEMPTS:
                return _claimed(connection, found, holder)
            reason = f"the process that did it ended {found.attempts} times before it was done"
            values = {"status": "failed", "reason": reason, "finished": now_micros(), "holder": None}
            connection.execute(update(_JOB).where(_JOB.c.id == found.id).values(values))


def _is_at_rest(connection: Connection, job: int) -> bool:
    """Whether no transaction of whoever held a job before can still be on its way."""
    if connection.dialect.name == "sqlite":
        return True
    query = f"SELECT pg_try_advisory_xact_lock({JOB_LOCK}, {job:d})"
    return bool(connection.exec_driver_sql(query).scalar_one())


def _claimed(connection: Connection, found: Row[Any], holder: str) -> JobRow:
    values = {
        "status": "running",
        "holder": holder,
        "held_until": database_now(connection) + LEASE_MICROS,
        "attempts": found.attempts + 1,
        "started": found.started or now_micros(),
        "reason": None,
    }
    connection.execute(update(_JOB).where(_JOB.c.id == found.id).values(values))
    return job_row(connection.execute(select(_JOB).where(_JOB.c.id == found.id)).one())


# ---------------------------------------------------------------------- while it runs


def note_progress(service: Service, job: int, holder: str, done: int, total: int | None) -> None:
    """Write down how far a job is, and hold it for longer."""
    with service.database.writing() as connection:
        _renew(connection, job, holder, {"done": done, "total": total})


def renew_lease(service: Service, job: int, holder: str) -> None:
    """Hold a job for longer."""
    with service.database.writing() as connection:
        _renew(connection, job, holder, {})


def _renew(connection: Connection, job: int, holder: str, values: dict[str, Any]) -> None:
    held = {"held_until": database_now(connection) + LEASE_MICROS}
    if not connection.execute(update(_JOB).where(*_held(job, holder)).values(held | values)).rowcount:
        raise _not_held(connection, job)


def _held(job: int, holder: str) -> tuple[ColumnElement[bool], ...]:
    return _JOB.c.id == job, _JOB.c.holder == holder, _JOB.c.status == "running"


def _not_held(connection: Connection, job: int) -> JobCancelledError:
    status = connection.execute(select(_JOB.c.status).where(_JOB.c.id == job)).scalar_one_or_none()
    if status in ("cancelled", None):
        return JobCancelledError(f"job {job} was cancelled")
    return JobCancelledError(f"job {job} is done by another process now")


def call_fenced(
    service: Service, job: int, holder: str, function: Callable[..., Answer], args: tuple[Any, ...]
) -> Answer:
    """Call a function whose transactions are refused once this process does not hold the job any more."""
    with _fenced(partial(check_held, job=job, holder=holder)):
        return function(service, *args)


@contextmanager
def _fenced(check: Callable[[Connection], None]) -> Iterator[None]:
    token = FENCE.set(check)
    try:
        yield
    finally:
        FENCE.reset(token)


def check_held(connection: Connection, *, job: int, holder: str) -> None:
    """Refuse a transaction of a process that does not hold a job."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock_shared({JOB_LOCK}, {job:d})")
    if connection.execute(select(_JOB.c.id).where(*_held(job, holder))).one_or_none() is None:
        raise _not_held(connection, job)


# ---------------------------------------------------------------------- at its end


def finish_job(
    service: Service,
    job: int,
    holder: str,
    status: JobStatus,
    result: dict[str, Any] | None,
    reason: str | None,
) -> None:
    """Write down what became of a job; nothing if this process does not hold it any more."""
    values: dict[str, Any] = {
        "status": status,
        "result": None if result is None else json.dumps(result, allow_nan=False),
        "reason": reason,
        "finished": now_micros(),
        "holder": None,
        "held_until": None,
    }
    if status == "done":  # whatever was counted last, nothing is left to do
        values["done"] = func.coalesce(_JOB.c.total, _JOB.c.done)
    with service.database.writing() as connection:
        connection.execute(update(_JOB).where(*_held(job, holder)).values(values))


def release_jobs(database: Database, keeper: str) -> None:
    """Let others take up what processes of a keeper held, none of which runs any more.

    They were ended on purpose, so this attempt does not count.
    """
    values = {"status": "waiting", "attempts": _JOB.c.attempts - 1, "holder": None, "held_until": None}
    mine = (_JOB.c.status == "running", _JOB.c.holder.startswith(f"{keeper}/"))
    with database.writing() as connection:
        connection.execute(update(_JOB).where(*mine).values(values))


def release_held(service: Service, keeper: str) -> None:
    """Let others take up what a process of this keeper could not go on with."""
    release_jobs(service.database, keeper)


def cancel_job(connection: Connection, job: int) -> None:
    """Cancel a job that is not over; whoever does it notices when it next writes something."""
    values = {"status": "cancelled", "finished": now_micros(), "holder": None, "held_until": None}
    open_jobs = (_JOB.c.id == job, _JOB.c.status.in_(["waiting", "running"]))
    connection.execute(update(_JOB).where(*open_jobs).values(values))
