"""`podium keys`: API keys of a service made, listed and revoked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from podium.cli.databases import (
    DEFAULT_DATABASE,
    ServiceDatabase,
    check_installed,
    done_by_holder,
    opened_database,
)
from podium.cli.help_pages import HelpfulCommand, HelpfulGroup
from podium.cli.options import Json
from podium.cli.outputs import print_document

if TYPE_CHECKING:
    from podium.documents.access_documents import CreatedKeyDocument, KeyDocument
    from podium.server.storage.database import Database
    from podium.server.storage.database_locks import Holder

app = typer.Typer(
    cls=HelpfulGroup,
    help="Manage API keys: the passwords of programs that use the service (needs podium[server]).",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Scopes = Annotated[
    str,
    typer.Option(
        metavar="SCOPES",
        help="Permissions, separated by commas: read, report, match or admin, which includes the others.",
    ),
]
OfLadder = Annotated[
    str | None, typer.Option(metavar="NAME", help="Only for this ladder. Default: all ladders.")
]
Expires = Annotated[
    str | None,
    typer.Option(metavar="DURATION", help="Time until the key expires, such as 90d. Default: never."),
]


@app.command("create", cls=HelpfulCommand)
def create(
    name: Annotated[str, typer.Option()],
    scopes: Scopes,
    ladder: OfLadder = None,
    expires: Expires = None,
    database: ServiceDatabase = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Create an API key and print it. Copy it now: podium cannot show it again.

    As soon as one key exists, a private ladder can be read only with a key.

    Options:
        name (TEXT): Name of the key's holder: a player, an admin or a program.
    """
    from podium.server.processes.running_server import ordered

    sent = {"name": name, "scopes": split_scopes(scopes), "ladder": ladder, "expires": expires}

    def here() -> CreatedKeyDocument:
        from podium.server.access.key_rows import create_key
        from podium.server.access.rights import LOCAL

        with (
            opened_database(database, read_only=False, new=True) as opened,
            opened.writing() as connection,
        ):
            made, token = create_key(connection, sent, LOCAL)
            return {**made, "key": token.text}

    document = done_by_holder(
        named_database(database), here, lambda server: without_stamp(ordered(server, "POST", "/keys", sent))
    )
    if as_json:
        print_document("new-key", document)
        return
    typer.echo(document["key"])
    typer.echo(f"key {document['id']} for {shown_right(document)}. It is not shown again", err=True)


@app.command("list", cls=HelpfulCommand)
def list_all(database: ServiceDatabase = DEFAULT_DATABASE, as_json: Json = False) -> None:
    """List all API keys, including expired and revoked ones, without their secret part."""
    with opened_database(database, read_only=True) as opened:
        from podium.server.access.key_rows import list_keys

        with opened.reading() as connection:
            keys = list_keys(connection)
    if as_json:
        print_document("keys", {"keys": keys})
        return
    if not keys:
        typer.echo(f"{opened.shown_name} has no keys")
    for key in keys:
        typer.echo(f"{key['id']}  {key['name']}: {shown_right(key)}{_state(key)}")


@app.command("revoke", cls=HelpfulCommand)
def revoke(
    key: str,
    database: ServiceDatabase = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Revoke an API key permanently. A running service refuses it within a second.

    Options:
        key (ID): The key's id, as podium keys list shows it.
    """
    from podium.server.processes.running_server import ordered

    def here() -> KeyDocument:
        from podium.server.access.key_rows import revoke_key
        from podium.server.access.rights import LOCAL

        with opened_database(database, read_only=False) as opened, opened.writing() as connection:
            return revoke_key(connection, key, LOCAL)

    def there(server: Holder) -> Any:
        return without_stamp(ordered(server, "DELETE", f"/keys/{quote(key, safe='')}"))

    document = done_by_holder(named_database(database), here, there)
    if as_json:
        print_document("key", document)
        return
    typer.echo(f"{document['id']} {document['name']}: revoked")


def named_database(where: str) -> Database:
    """The database that a command names, perhaps not there yet."""
    check_installed()
    from podium.server.storage.database import Database

    return Database(where)


def split_scopes(text: str) -> list[str]:
    """Scopes that are separated by commas."""
    return [scope.strip() for scope in text.split(",")]


def without_stamp(document: dict[str, Any]) -> Any:
    """A document without what stands on top of every answer."""
    return {key: value for key, value in document.items() if key not in ("podium", "kind")}


def shown_right(document: Any) -> str:
    """What a key or a link allows, in words."""
    where = "all ladders" if document["ladder"] is None else document["ladder"]
    until = "" if document["expires"] is None else f" until {document['expires']}"
    return f"{', '.join(document['scopes'])} on {where}{until}"


def _state(key: KeyDocument) -> str:
    if key["revoked"] is not None:
        return f"; revoked {key['revoked']}"
    return "; never used" if key["last_used"] is None else f"; used {key['last_used']}"
