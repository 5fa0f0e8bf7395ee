"""API keys as the database has them: made, listed, revoked. A key itself is shown once, when it is made."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, update

from podium.documents.access_documents import KeyDocument, NewKeyDocument, ScopesRequestDocument
from podium.errors import ParameterError
from podium.history.times import to_duration
from podium.server import machine
from podium.server.access.audit_trail import note
from podium.server.access.rights import Access, Scope, checked_scopes, scopes_text
from podium.server.access.tokens import KEY, TOKEN_ID, Token, new_token
from podium.server.problems import UnknownKeyError
from podium.server.sent_data import check_sent
from podium.server.storage import tables
from podium.server.storage.ladder_rows import find_ladder, time_shown
from podium.text import shorten

LONGEST_KEY_NAME = 100
"""Characters of the name of a key or a link."""
LONGEST_LIFE = 100 * 366 * 86_400 * 1_000_000
"""Microseconds that a key or a link may be valid: a century, so that no time leaves the calendar."""


def create_key(connection: Connection, sent: Any, by: Access) -> tuple[KeyDocument, Token]:
    """A new key, and its text, which nobody can find out later."""
    check_sent(sent, NewKeyDocument)
    wanted = asked_right(connection, sent, by)
    token = new_token(KEY)
    connection.execute(insert(tables.api_key).values(id=token.id, digest=token.digest, **wanted))
    made = find_key(connection, token.id)
    details = {"key": token.id, "name": made["name"], "scopes": made["scopes"], "expires": made["expires"]}
    note(connection, by, "key created", wanted["ladder"], details)
    return made, token


def asked_right(connection: Connection, sent: ScopesRequestDocument, by: Access) -> dict[str, Any]:
    """The columns that keys and links have in common, from what was sent."""
    ladder = sent.get("ladder")
    now = machine.now_micros()
    life = sent.get("expires")
    micros = None if life is None else to_duration(life)
    if micros is not None and micros > LONGEST_LIFE:
        raise ParameterError("expires may be a century at most", hint="omit it for a key that never expires")
    return {
        "name": checked_name(sent["name"]),
        "scopes": scopes_text(checked_scopes(sent["scopes"])),
        "ladder": None if ladder is None else find_ladder(connection, ladder, access=by).id,
        "created": now,
        "expires": None if micros is None else now + micros,
    }


def checked_name(name: str) -> str:
    """The name of a key or a link: a line of text for people."""
    if not name.strip() or len(name) > LONGEST_KEY_NAME or not name.isprintable():
        raise ParameterError(f"a name needs one line of 1 to {LONGEST_KEY_NAME} characters")
    return name


def find_key(connection: Connection, name: str) -> KeyDocument:
    """The key of an id."""
    row = None
    if TOKEN_ID.fullmatch(name):
        row = connection.execute(_keys().where(tables.api_key.c.id == name)).one_or_none()
    if row is None:
        raise UnknownKeyError(
            f"there is no API key {shorten(name)!r}", hint="podium keys list shows all keys"
        )
    return _document(row)


def list_keys(connection: Connection) -> list[KeyDocument]:
    """All keys, the latest first, also those that are not valid any more."""
    query = _keys().order_by(tables.api_key.c.created.desc(), tables.api_key.c.id)
    return [_document(row) for row in connection.execute(query)]


def revoke_key(connection: Connection, name: str, by: Access) -> KeyDocument:
    """Make a key invalid for ever; once more changes nothing."""
    table = tables.api_key
    if find_key(connection, name)["revoked"] is None:
        connection.execute(update(table).where(table.c.id == name).values(revoked=machine.now_micros()))
        ladder = connection.execute(select(table.c.ladder).where(table.c.id == name)).scalar_one()
        note(connection, by, "key revoked", ladder, {"key": name})
    return find_key(connection, name)


def has_keys(connection: Connection) -> bool:
    """Whether a key was ever made: from then on nobody may do everything without one."""
    return connection.execute(select(tables.api_key.c.id).limit(1)).first() is not None


def scopes_listed(text: str) -> list[Scope]:
    """The scopes of a row."""
    return sorted(checked_scopes(text.split(",")))


def _keys() -> Select[Any]:
    key, ladder = tables.api_key, tables.ladder
    return select(key, ladder.c.slug).outerjoin(ladder, ladder.c.id == key.c.ladder)


def _document(row: Row[Any]) -> KeyDocument:
    return {
        "id": row.id,
        "name": row.name,
        "scopes": scopes_listed(row.scopes),
        "ladder": row.slug,
        "created": time_shown(row.created) or "",
        "expires": time_shown(row.expires),
        "revoked": time_shown(row.revoked),
        "last_used": time_shown(row.last_used),
    }
