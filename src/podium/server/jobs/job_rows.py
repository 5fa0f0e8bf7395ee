"""Rows of the table `job`: long work that somebody ordered, and what became of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row, insert

from podium.errors import PodiumError
from podium.server import machine
from podium.server.storage import tables

JobStatus = Literal["waiting", "running", "done", "failed", "cancelled"]


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
    reason: str | None = None,
) -> int:
    """Order a job inside the caller's transaction; returns its number.

    With the status ``cancelled`` and the reason nobody takes it up: its file is still on the way.
    """
    values = {
        "ladder": ladder,
        "kind": kind,
        "status": status,
        "reason": reason,
        "arguments": json.dumps(dict(arguments), allow_nan=False),
        "done": 0,
        "attempts": 0,
        "actor": actor,
        "created": machine.now_micros(),
    }
    found = connection.execute(insert(tables.job).values(values)).inserted_primary_key
    assert found is not None
    return int(found[0])
