"""The audit trail: who did what and when. Secrets are never in it, and players are there by number."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, insert, select

from podium.documents.access_documents import AuditEntryDocument
from podium.documents.plain_data import plain_time
from podium.history.times import to_datetime
from podium.server import machine
from podium.server.access.rights import Access
from podium.server.storage import tables


def note(
    connection: Connection, who: Access | str, action: str, ladder: int | None, details: Mapping[str, Any]
) -> None:
    """Write down what somebody does, in the transaction in which it is done.

    `action` is a few words such as ``key created``; `details` are plain data.
    """
    values = {
        "time": machine.now_micros(),
        "actor": who.actor if isinstance(who, Access) else who,
        "action": action,
        "ladder": ladder,
        "details": json.dumps(dict(details), ensure_ascii=False, allow_nan=False),
    }
    connection.execute(insert(tables.audit).values(values))


def audit_entries(
    connection: Connection, *, ladder: int | None = None, before: int | None = None, limit: int
) -> list[AuditEntryDocument]:
    """The latest entries, of one ladder or of all, with ids below `before`; latest first."""
    audit = tables.audit
    query = select(audit, tables.ladder.c.slug).outerjoin(tables.ladder, tables.ladder.c.id == audit.c.ladder)
    if ladder is not None:
        query = query.where(audit.c.ladder == ladder)
    if before is not None:
        query = query.where(audit.c.id < before)
    return [
        {
            "id": row.id,
            "time": plain_time(to_datetime(row.time)) or "",
            "actor": row.actor,
            "action": row.action,
            "ladder": row.slug,
            "details": json.loads(row.details),
        }
        for row in connection.execute(query.order_by(audit.c.id.desc()).limit(limit))
    ]
