"""Results that one has reported oneself: for a day they can be taken back by those who reported them."""

from __future__ import annotations

from hashlib import sha256

from sqlalchemy import Connection, select

from podium.server import machine
from podium.server.access.rights import Access
from podium.server.storage import tables

DAY_MICROS = 86_400 * 1_000_000


def new_form_key(access: Access) -> str:
    """An idempotency key for a form, by which its browser is known again."""
    return f"{_form_keys(access)}{machine.token_hex(12)}"


def _form_keys(access: Access) -> str:
    """What the keys of a browser's forms begin with. The token that it hides is as random as a secret."""
    return f"form-{sha256((access.csrf or '').encode()).hexdigest()[:12]}-"


def is_own_report(access: Access, key: str, received: int, actor: str | None = None) -> bool:
    """Whether a result was reported within a day by this API key, or from this browser: many share a link."""
    is_mine = key.startswith(_form_keys(access)) or (access.csrf is None and actor == access.actor)
    return is_mine and 0 <= machine.now_micros() - received < DAY_MICROS


def may_take_back(connection: Connection, access: Access, ladder: int, number: int) -> bool:
    """Whether an entry of a log is a result that those who ask have reported within a day."""
    table = tables.event
    query = select(table.c.kind, table.c.key, table.c.received, table.c.actor, table.c.target)
    row = connection.execute(query.where(table.c.ladder == ladder, table.c.seq == number)).one_or_none()
    if row is None or row.kind != "event" or row.target is not None:
        return False
    return is_own_report(access, row.key, row.received, row.actor)
