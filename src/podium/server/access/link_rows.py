"""Links that let people in, and the sessions of browsers that came by them.

A login link works once; a link with a narrow right as often as it is opened, until it is revoked or expires.
What a link allows is looked up anew whenever a session is: whoever revokes a link ends its sessions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, insert, select, update

from podium.documents.access_documents import LinkDocument, NewLinkDocument
from podium.errors import ParameterError
from podium.server import machine
from podium.server.access.audit_trail import note
from podium.server.access.key_rows import asked_right, scopes_listed
from podium.server.access.rights import ADMIN, MATCH, Access, Scope
from podium.server.access.tokens import LINK, SESSION, TOKEN_ID, Token, new_token, read_token
from podium.server.problems import UnknownLinkError, WrongLinkError
from podium.server.sent_data import check_sent
from podium.server.storage import tables
from podium.server.storage.ladder_rows import time_shown
from podium.text import shorten

LOGIN_LINK_LIFE = "1d"
"""How long a login link waits to be opened, unless another time is asked for."""
SESSION_MICROS = 14 * 86_400 * 1_000_000
"""How long a browser stays logged in."""


class Session(NamedTuple):
    """A session as its cookie finds it: its row, and what its link allows now."""

    digest: bytes
    link: str
    scopes: list[Scope]
    ladder: int | None


def create_link(connection: Connection, sent: Any, by: Access) -> tuple[LinkDocument, Token]:
    """A new link, and its secret, which nobody can find out later."""
    check_sent(sent, NewLinkDocument)
    once = sent.get("once", False)
    wanted = asked_right(connection, sent, by)
    given = set(wanted["scopes"].split(","))
    if not once and (given & {ADMIN, MATCH} or wanted["ladder"] is None):
        raise ParameterError(
            "a link that works more than once may only read or report to one ladder",
            hint='give a login link "once": true, and give programs an API key',
        )
    token = new_token(LINK)
    connection.execute(insert(tables.link).values(id=token.id, digest=token.digest, once=once, **wanted))
    made = find_link(connection, token.id)
    details = {"link": token.id, "name": made["name"], "scopes": made["scopes"], "once": once}
    note(connection, by, "link created", wanted["ladder"], {**details, "expires": made["expires"]})
    return made, token


def find_link(connection: Connection, name: str) -> LinkDocument:
    """The link of an id."""
    row = None
    if TOKEN_ID.fullmatch(name):
        row = connection.execute(_links().where(tables.link.c.id == name)).one_or_none()
    if row is None:
        raise UnknownLinkError(f"there is no link {shorten(name)!r}", hint="GET /api/v1/links lists them")
    return _document(row)


def list_links(connection: Connection) -> list[LinkDocument]:
    """All links, the latest first, also those that do not work any more."""
    query = _links().order_by(tables.link.c.created.desc(), tables.link.c.id)
    return [_document(row) for row in connection.execute(query)]


def revoke_link(connection: Connection, name: str, by: Access) -> LinkDocument:
    """End a link for ever, and the sessions that came by it; once more changes nothing."""
    table = tables.link
    if find_link(connection, name)["revoked"] is None:
        connection.execute(update(table).where(table.c.id == name).values(revoked=machine.now_micros()))
        ladder = connection.execute(select(table.c.ladder).where(table.c.id == name)).scalar_one()
        note(connection, by, "link revoked", ladder, {"link": name})
    return find_link(connection, name)


def has_links(connection: Connection) -> bool:
    """Whether a link was ever made."""
    return connection.execute(select(tables.link.c.id).limit(1)).first() is not None


def _links() -> Select[Any]:
    link, ladder = tables.link, tables.ladder
    return select(link, ladder.c.slug).outerjoin(ladder, ladder.c.id == link.c.ladder)


def _document(row: Row[Any]) -> LinkDocument:
    return {
        "id": row.id,
        "name": row.name,
        "scopes": scopes_listed(row.scopes),
        "ladder": row.slug,
        "once": bool(row.once),
        "created": time_shown(row.created) or "",
        "expires": time_shown(row.expires),
        "used": time_shown(row.used),
        "revoked": time_shown(row.revoked),
    }


# ---------------------------------------------------------------------- sessions


def open_session(connection: Connection, text: str) -> tuple[Token, int]:
    """A new session for whoever has the secret of a link, and when it ends; refused if the link is used up.

    A link that works once is taken by a conditional update: of two who open it at once, one comes in.
    """
    token, now = read_token(text, LINK), machine.now_micros()
    link = tables.link
    row = None
    if token is not None:
        row = connection.execute(select(link).where(link.c.id == token.id)).one_or_none()
    if token is None or row is None or not token.fits(bytes(row.digest)) or row.revoked is not None:
        raise WrongLinkError("this link is not valid", hint="ask the admin for a new link")
    if row.expires is not None and row.expires <= now:
        raise WrongLinkError("this link has expired", hint="ask the admin for a new link")
    unused = link.c.used.is_(None) if row.once else link.c.id == row.id
    taken = connection.execute(update(link).where(link.c.id == row.id, unused).values(used=now))
    if taken.rowcount != 1:
        raise WrongLinkError(
            "this link was used already", hint="it works only once, so ask the admin for a new link"
        )
    ends = now + SESSION_MICROS
    if not row.once and row.expires is not None:
        ends = min(ends, row.expires)
    session = new_token(SESSION)
    values = {"id": session.id, "digest": session.digest, "link": row.id, "created": now, "expires": ends}
    connection.execute(insert(tables.session).values(values))
    note(connection, f"link {row.id}", "logged in", row.ladder, {"link": row.id, "session": session.id})
    return session, ends


def find_session(connection: Connection, token: Token) -> Session | None:
    """The session of a cookie; None if it has ended, or its link was revoked."""
    session, link, now = tables.session, tables.link, machine.now_micros()
    query = (
        select(session.c.digest, session.c.link, link.c.scopes, link.c.ladder)
        .join(link, link.c.id == session.c.link)
        .where(session.c.id == token.id, session.c.ended.is_(None), session.c.expires > now)
        .where(link.c.revoked.is_(None))
    )
    row = connection.execute(query).one_or_none()
    if row is None or not token.fits(bytes(row.digest)):
        return None
    return Session(bytes(row.digest), row.link, scopes_listed(row.scopes), row.ladder)


def end_session(connection: Connection, token: Token, by: Access) -> None:
    """Log out."""
    session = tables.session
    found = find_session(connection, token)
    if found is not None:
        connection.execute(update(session).where(session.c.id == token.id).values(ended=machine.now_micros()))
        note(connection, by, "logged out", found.ladder, {"session": token.id})
