"""`podium login-link`: a link by which somebody logs in to a service with a browser, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.databases import DEFAULT_DATABASE, ServiceDatabase, done_by_holder, opened_database
from podium.cli.keys import (
    OfLadder,
    Scopes,
    named_database,
    shown_right,
    split_scopes,
    without_stamp,
)
from podium.cli.options import Json
from podium.cli.outputs import print_document

if TYPE_CHECKING:
    from podium.documents.access_documents import CreatedLinkDocument

LIFE = "1d"


def login_link(
    scopes: Scopes = "admin",
    ladder: OfLadder = None,
    expires: Annotated[str, typer.Option(show_default=True)] = LIFE,
    name: str = "login",
    address: str | None = None,
    database: ServiceDatabase = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Print a link with which a person can log in to the service once.

    Without options, that person becomes an admin of all ladders.

    Options:
        expires (DURATION): Time in which the link must be opened.
        name (TEXT): Name of the person who will use the link.
        address (URL): Public URL of the service. Default: the URL of the running server, or
            http://127.0.0.1:8000.
    """
    from podium.server.processes.running_server import ordered

    sent = {"name": name, "scopes": split_scopes(scopes), "ladder": ladder, "expires": expires, "once": True}

    def here() -> CreatedLinkDocument:
        from podium.server.access.link_rows import create_link
        from podium.server.access.login_links import created_link
        from podium.server.access.rights import LOCAL
        from podium.server.settings import ServerSettings

        with (
            opened_database(database, read_only=False, new=True) as opened,
            opened.writing() as connection,
        ):
            made, token = create_link(connection, sent, LOCAL)
            return created_link(made, token, ServerSettings(public_address=address))

    document = done_by_holder(
        named_database(database), here, lambda server: without_stamp(ordered(server, "POST", "/links", sent))
    )
    if as_json:
        print_document("new-link", document)
        return
    typer.echo(document["address"])
    typer.echo(f"this link logs in once, with {shown_right({**document, 'expires': None})}", err=True)
