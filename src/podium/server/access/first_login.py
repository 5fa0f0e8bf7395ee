"""How the administrator of a new database gets in: by a link that is printed at its first start."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError

from podium.server.access.key_rows import has_keys
from podium.server.access.link_addresses import link_address
from podium.server.access.link_rows import LOGIN_LINK_LIFE, create_link, has_links
from podium.server.access.rights import ADMIN, LOCAL
from podium.server.settings import ServerSettings
from podium.server.storage.database import Database

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
