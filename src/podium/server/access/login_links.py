"""The URL of a login link, as text and as a QR code, and the link that a new service prints first.

The secret stands behind `#`, which browsers keep to themselves: no server on the way writes it down.
"""

from __future__ import annotations

import io

from sqlalchemy.exc import DBAPIError

from podium.documents.access_documents import CreatedLinkDocument, LinkDocument
from podium.server.access.key_rows import has_keys
from podium.server.access.link_rows import LOGIN_LINK_LIFE, create_link, has_links
from podium.server.access.rights import ADMIN, LOCAL
from podium.server.access.tokens import Token
from podium.server.settings import ServerSettings
from podium.server.storage.database import Database

LOGIN_PATH = "/login"
QUIET_MODULES = 4
"""The width of the white border that a QR code needs, in squares."""


def link_address(token: Token, settings: ServerSettings) -> str:
    """Where a browser opens a link."""
    return f"{settings.shown_address}{LOGIN_PATH}#{token.text}"


def created_link(made: LinkDocument, token: Token, settings: ServerSettings) -> CreatedLinkDocument:
    """A link with its address, which is told once."""
    address = link_address(token, settings)
    return {**made, "address": address, "qr": qr_picture(address)}


def qr_picture(text: str) -> str:
    """A QR code as SVG, black on white in every theme, as large as the place it is put in.

    >>> qr_picture("https://ladder.example.org").startswith("<svg ")
    True
    """
    import segno

    picture = io.BytesIO()
    code = segno.make(text, error="m", micro=False)
    code.save(
        picture,
        kind="svg",
        xmldecl=False,
        svgns=True,
        omitsize=True,
        border=QUIET_MODULES,
        dark="#000",
        light="#fff",
    )
    return picture.getvalue().decode().strip()


FIRST_LOGIN = {"name": "first start", "scopes": [ADMIN], "once": True, "expires": LOGIN_LINK_LIFE}


def first_login_link(database: Database, settings: ServerSettings) -> str | None:
    """The address of a login link for everything, if nobody ever had a key or a link; None otherwise."""
    try:
        with database.writing() as connection:
            if has_keys(connection) or has_links(connection):
                return None
            _, token = create_link(connection, FIRST_LOGIN, LOCAL)
    except DBAPIError:  # a database that is away now is no reason to end: the next start prints one
        return None
    return link_address(token, settings)
