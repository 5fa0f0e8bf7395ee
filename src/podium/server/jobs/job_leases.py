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

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    and_,
    exists,
    func,
    literal_column,
    not_,
    or_,
    select,
    update,
)

from podium.server import machine
from podium.server.jobs.job_rows import JobCancelledError, JobRow, JobStatus, job_row
from podium.server.storage import tables
from podium.server.storage.database import FENCE, Database

if TYPE_CHECKING:
    from podium.server.service import Service

LEASE_MICROS = 15_000_000
"""How long a process holds a job after it last said that it goes on."""
MOST_ATTEMPTS = 5
"""How often a job is begun whose process others end again and again."""
JOB_LOCK = 0x6A6F62
"""The first number of PostgreSQL's advisory locks of jobs; the second is the job."""
NO_JOB = 0
"""The second number of the lock under which jobs are taken up."""
OPEN = ("waiting", "running")
"""What a job is as long as it is not over."""
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
    return _POSTGRESQL_NOW if connection.dialect.name == "postgresql" else machine.now_micros()


def holder_name(keeper: str, number: int) -> str:
    """What a process of a keeper is called where it holds a job."""
    return f"{keeper}/{number}"


def _of_keeper(keeper: str) -> ColumnElement[bool]:
    return _JOB.c.holder.startswith(f"{keeper}/")


def _is_gone(connection: Connection, job: FromClause, keeper: str) -> ColumnElement[bool]:
    """The condition that whatever ran a job is gone without a word.

    A file of SQLite has one keeper, which settles the end of its own processes; those of an earlier one ended
    with it.
    """
    if connection.dialect.name == "sqlite":
        gone = or_(job.c.holder.is_(None), not_(job.c.holder.startswith(f"{keeper}/")))
    else:
        gone = job.c.held_until < database_now(connection)
    return and_(job.c.status == "running", gone)


def free_jobs(connection: Connection, keeper: str) -> ColumnElement[bool]:
    """Jobs that may be taken up: those that wait, and those whose process is gone.

    Jobs of one ladder are done one after another, in the order of their numbers.
    """
    other = _JOB.alias("other")
    runs = and_(other.c.status == "running", not_(_is_gone(connection, other, keeper)))
    comes_first = and_(other.c.status.in_(OPEN), other.c.id < _JOB.c.id)
    same = (other.c.ladder == _JOB.c.ladder, other.c.id != _JOB.c.id)
    is_next = ~exists().where(*same, or_(runs, comes_first))
    return and_(or_(_JOB.c.status == "waiting", _is_gone(connection, _JOB, keeper)), is_next)


def is_work(database: Database, keeper: str) -> bool:
    """Whether there is a job to take up."""
    with database.reading() as connection:
        query = select(_JOB.c.id).where(free_jobs(connection, keeper)).limit(1)
        return connection.execute(query).one_or_none() is not None


def held_jobs(database: Database, keeper: str) -> dict[str, int]:
    """The job of each process of a keeper that does one, by the name of the process."""
    query = select(_JOB.c.holder, _JOB.c.id).where(_JOB.c.status == "running", _of_keeper(keeper))
    with database.reading() as connection:
        return {row.holder: row.id for row in connection.execute(query)}


def cancelled_holders(database: Database, keeper: str) -> set[str]:
    """The names of processes of a keeper whose job was cancelled, and that have not noticed it."""
    query = select(_JOB.c.holder).where(_JOB.c.status == "cancelled", _of_keeper(keeper))
    with database.reading() as connection:
        return set(connection.execute(query).scalars())


def claim_job(service: Service, keeper: str, holder: str) -> JobRow | None:
    """Take up the first job that may be; None if there is none."""
    while True:
        with service.database.writing() as connection:
            if connection.dialect.name == "postgresql":  # or two could take up jobs of one ladder at once
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({JOB_LOCK}, {NO_JOB})")
            query = select(_JOB).where(free_jobs(connection, keeper)).order_by(_JOB.c.id).limit(1)
            found = connection.execute(query.with_for_update(of=_JOB, skip_locked=True)).one_or_none()
            if found is None or not _is_at_rest(connection, found.id):
                return None
            if found.attempts < MOST_ATTEMPTS:
                return _claimed(connection, found, holder)
            reason = f"{found.reason or 'its process ended unexpectedly'} ({found.attempts} times in a row)"
            _settle(connection, _JOB.c.id == found.id, reason, is_of_job=True)


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
        "started": found.started or machine.now_micros(),
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
    return JobCancelledError(f"job {job} is now run by another process")


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
        "finished": machine.now_micros(),
        "holder": None,
        "held_until": None,
    }
    if status == "done":  # whatever was counted last, nothing is left to do
        values["done"] = func.coalesce(_JOB.c.total, _JOB.c.done)
    with service.database.writing() as connection:
        connection.execute(update(_JOB).where(*_held(job, holder)).values(values))


def settle_death(database: Database, holder: str, reason: str, *, is_of_job: bool) -> None:
    """Say what the process of a job died of; the job has failed if it is to blame, else it waits again."""
    with database.writing() as connection:
        _settle(connection, _JOB.c.holder == holder, reason, is_of_job=is_of_job)


def _settle(connection: Connection, whose: ColumnElement[bool], reason: str, *, is_of_job: bool) -> None:
    values: dict[str, Any] = {"status": "waiting", "reason": reason, "holder": None, "held_until": None}
    if is_of_job:
        values |= {"status": "failed", "finished": machine.now_micros()}
    connection.execute(update(_JOB).where(_JOB.c.status.in_(OPEN), whose).values(values))


def release_jobs(database: Database, keeper: str) -> None:
    """Let others take up what processes of a keeper held, none of which runs any more."""
    with database.writing() as connection:
        _release(connection, _of_keeper(keeper))


def release_held(service: Service, holder: str) -> None:
    """Let others take up what a process could not go on with."""
    with service.database.writing() as connection:
        _release(connection, _JOB.c.holder == holder)


def _release(connection: Connection, whose: ColumnElement[bool]) -> None:
    """Let others take up jobs whose process is not to blame, so that this attempt does not count."""
    values = {"status": "waiting", "attempts": _JOB.c.attempts - 1, "holder": None, "held_until": None}
    connection.execute(update(_JOB).where(_JOB.c.status == "running", whose).values(values))


def leave_cancelled(service: Service, holder: str) -> None:
    """Say that a process has noticed that its job was cancelled."""
    mine = (_JOB.c.status == "cancelled", _JOB.c.holder == holder)
    with service.database.writing() as connection:
        connection.execute(update(_JOB).where(*mine).values(holder=None))


def cancel_job(connection: Connection, job: int) -> bool:
    """Cancel a job; False if it is over.

    The process that does it notices when it next writes something. Until then the job has its name, by which
    its keeper finds and ends it.
    """
    values = {"status": "cancelled", "finished": machine.now_micros(), "held_until": None}
    open_jobs = (_JOB.c.id == job, _JOB.c.status.in_(OPEN))
    return bool(connection.execute(update(_JOB).where(*open_jobs).values(values)).rowcount)
