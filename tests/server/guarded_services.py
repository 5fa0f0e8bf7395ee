"""Services with keys, and those who call them with one."""

from __future__ import annotations

from typing import Any

from podium.server.access.key_rows import create_key
from podium.server.access.link_rows import create_link
from podium.server.access.rights import LOCAL
from server.callers import Caller

HERE = {"Origin": "http://testserver"}
"""What a browser says that sends a form of the service's own pages."""


def new_key(caller: Caller, *scopes: str, **more: Any) -> str:
    """A new key of a service, which is guarded from then on."""
    with caller.service.database.writing() as connection:
        _, token = create_key(connection, {"name": "test", "scopes": list(scopes), **more}, LOCAL)
    caller.service.access_control.forget()
    return token.text


def new_link(caller: Caller, *scopes: str, **more: Any) -> str:
    """The secret of a new link."""
    with caller.service.database.writing() as connection:
        _, token = create_link(connection, {"name": "test", "scopes": list(scopes), **more}, LOCAL)
    return token.text


def bearing(key: str) -> dict[str, str]:
    """The headers of somebody with a key."""
    return {"Authorization": f"Bearer {key}"}


def log_in(caller: Caller, link: str, **form: str) -> Any:
    """The answer to the form of the login page; the caller's browser keeps the cookie."""
    sent = {"token": link, **form}
    return caller.client.post("/login", data=sent, headers=HERE, follow_redirects=False)


def form_token(page: str) -> str:
    """The token that the forms of a page carry."""
    return page.partition('name="csrf" value="')[2].partition('"')[0]
