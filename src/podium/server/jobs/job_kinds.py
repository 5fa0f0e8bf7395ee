"""Jobs as whoever writes one sees them: rows of the table `job`, the kinds, and what a running job may do.

A job is run by `function(context)` of its kind and answers its result as plain data. It may be killed at any
moment, and is then run again from its start: it has to find out itself what it has done already.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from sqlalchemy import Connection, Row, insert

from podium.errors import PodiumError
from podium.server.storage import tables
from podium.server.storage.database import Database
from podium.server.storage.ladder_rows import now_micros

if TYPE_CHECKING:
    from podium.server.jobs.job_parts import PartReader, PartWriter

JobStatus = Literal["waiting", "running", "done", "failed", "cancelled"]
PROGRESS_SECONDS = 0.25
"""How often the progress of a job is written down at most."""
Answer = TypeVar("Answer")

JOB_KINDS: dict[str, str] = {}
"""The function of each kind of job, as ``module:function``; it is imported when the first such job runs."""
CLEANING: list[str] = ["podium.server.jobs.job_cleaning:clean_jobs"]
"""Functions, as ``module:function``, that take a `Service` and remove what nobody needs any more. They are
called where writing is allowed, now and then while no job runs."""


class JobCancelledError(PodiumError):
    """The job was cancelled, or another process does it now: whatever runs it stops."""


@dataclass(frozen=True, slots=True)
class JobRow:
    """A row of the table `job`."""

    id: int
    ladder: int | None
    kind: str
    status: JobStatus
    arguments: dict[str, Any]
    result: dict[str, Any] | None
    reason: str | None
    done: int
    total: int | None
    attempts: int
    actor: str | None
    created: int
    started: int | None
    finished: int | None


def job_row(row: Row[Any]) -> JobRow:
    """What a row of the table says."""
    return JobRow(
        id=row.id,
        ladder=row.ladder,
        kind=row.kind,
        status=row.status,
        arguments=json.loads(row.arguments),
        result=None if row.result is None else json.loads(row.result),
        reason=row.reason,
        done=row.done,
        total=row.total,
        attempts=row.attempts,
        actor=row.actor,
        created=row.created,
        started=row.started,
        finished=row.finished,
    )


def enqueue(
    connection: Connection,
    kind: str,
    *,
    ladder: int | None,
    arguments: Mapping[str, Any],
    actor: str | None,
    status: JobStatus = "waiting",
) -> int:
    """Order a job inside the caller's transaction; returns its number.

    With the status ``cancelled`` nobody takes it up: its file is still on the way.
    """
    values = {
        "ladder": ladder,
        "kind": kind,
        "status": status,
        "arguments": json.dumps(dict(arguments), allow_nan=False),
        "done": 0,
        "attempts": 0,
        "actor": actor,
        "created": now_micros(),
    }
    found = connection.execute(insert(tables.job).values(values)).inserted_primary_key
    assert found is not None
    return int(found[0])


def named_function(name: str) -> Callable[..., Any]:
    """The function that ``module:function`` names."""
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


class Writer(Protocol):
    """Runs functions of modules where writing is allowed."""

    def __call__(self, function: Callable[..., Answer], *args: Any) -> Answer:
        """What ``function(service, *args)`` answers."""


class JobContext:
    """What a job sees while it runs, in the job process."""

    def __init__(self, job: JobRow, database: Database, writer: Writer, holder: str) -> None:
        self.job = job
        self.database = database
        """For reading; a job never writes to it directly."""
        self.holder = holder
        self._writer = writer
        self._told = 0.0

    def write(self, function: Callable[..., Answer], *args: Any) -> Answer:
        """Run a function of a module where writing is allowed: ``function(service, *args)``.

        On PostgreSQL that is this process, on SQLite the server. Arguments and answer are pickled on the way.
        Every transaction of it is refused with `JobCancelledError` once this process does not hold the job
        any more.
        """
        from podium.server.jobs.job_leases import call_fenced

        answer: Answer = self._writer(call_fenced, self.job.id, self.holder, function, args)
        return answer

    def progress(self, done: int, total: int | None) -> None:
        """Tell how far the job is; raises `JobCancelledError` if it should stop."""
        from podium.server.jobs.job_leases import note_progress

        if monotonic() - self._told < PROGRESS_SECONDS:
            return
        self._writer(note_progress, self.job.id, self.holder, done, total)
        self._told = monotonic()

    def part_reader(self, name: str) -> PartReader:
        """A file of the job, as a stream of bytes to read."""
        from podium.server.jobs.job_parts import PartReader

        return PartReader(self.database, self.job.id, name)

    def part_writer(self, name: str) -> PartWriter:
        """A file of the job, as a stream of bytes to write; what there was under this name goes."""
        from podium.server.jobs.job_parts import PartWriter

        return PartWriter(self.write, self.job.id, name)


JobFunction = Callable[[JobContext], dict[str, Any]]


def job_function(kind: str) -> JobFunction:
    """What does jobs of a kind."""
    return named_function(JOB_KINDS[kind])
