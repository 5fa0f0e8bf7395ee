"""What imports have recorded; those that ended before all of their file was: cancelled, or failed on the way.

Such a log is whole in itself, and nothing in it tells that entries are missing. The job does.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, select

from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow
from podium.text import counted, shorten

_JOB = tables.job
RECORDED_A_PART: ColumnElement[bool] = and_(
    _JOB.c.kind == "import",
    _JOB.c.status.in_(["failed", "cancelled"]),
    _JOB.c.done > 0,
    _JOB.c.done < _JOB.c.total,
)
"""The jobs that recorded a part of their file; a later one may have recorded the rest."""


def import_key(prefix: str, place: int) -> str:
    """The key of an entry of an imported file, by its place from 0 on."""
    return f"{prefix}-{place + 1:08}"


def half_imports(connection: Connection, row: LadderRow) -> list[str]:
    """What to tell of the files of which a ladder's log has only a part."""
    query = select(_JOB).where(RECORDED_A_PART, _JOB.c.ladder == row.id).order_by(_JOB.c.id)
    jobs = connection.execute(query).all()
    return [_told(job) for job in jobs if not _is_completed(connection, job)]


def _told(job: Row[Any]) -> str:
    name = shorten(json.loads(job.arguments)["name"])
    return (
        f"job {job.id} recorded only {job.done:,} of {counted(job.total, 'entry')} of {name}. "
        "Import the same file again to record the rest"
    )


def _is_completed(connection: Connection, job: Row[Any]) -> bool:
    """Whether the log has the last entry of the file all the same.

    An export has the keys of another log, and no later import completes it.
    """
    prefix = _prefix(connection, job)
    if prefix is None:
        return False
    table, wanted = tables.event, import_key(prefix, job.total - 1)
    found = select(table.c.seq).where(table.c.ladder == job.ladder, table.c.key == wanted)
    return connection.execute(found).one_or_none() is not None


def imported_numbers(connection: Connection, job: int) -> list[int]:
    """The entries that an import has recorded, by number; none of those of an export, which has own keys."""
    row = connection.execute(select(_JOB).where(_JOB.c.id == job)).one()
    prefix = _prefix(connection, row)
    if prefix is None:
        return []
    table = tables.event
    mine = (table.c.ladder == row.ladder, table.c.key.like(f"{prefix}-%"))
    query = select(table.c.seq).where(*mine, table.c.received >= row.started).order_by(table.c.seq)
    return list(connection.execute(query).scalars())


def _prefix(connection: Connection, job: Row[Any]) -> str | None:
    """What the keys of an import begin with, if it has recorded something."""
    table = tables.event
    mine = (table.c.ladder == job.ladder, table.c.received.between(job.started, job.finished))
    last = table.c.key.like(import_key("import-%", job.done - 1))
    recorded = connection.execute(select(table.c.key).where(*mine, last).limit(1)).scalar_one_or_none()
    return None if recorded is None else recorded.rpartition("-")[0]
