"""Who may do what on a service: keys, links, the audit trail."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from podium.documents.declarations import TimeText, kind


class ScopesRequestDocument(TypedDict):
    """A request for a login link: its right, and its lifetime.

    What keys and links have in common.
    """

    name: Annotated[str, "name for people, one line of up to 100 characters"]
    scopes: Annotated[list[str], "the permissions: `read`, `report`, `match`, `admin`"]
    ladder: NotRequired[Annotated[str | None, "the only ladder it is for. Default: null, for all"]]
    expires: NotRequired[
        Annotated[str | None, "how long it is valid, such as `90d` or `12h`. Default: null (never)"]
    ]


class NewKeyDocument(ScopesRequestDocument):
    """An API key to be made.

    The body of `POST /keys`.
    """


class NewLinkDocument(ScopesRequestDocument):
    """A link to be made: one that works once to log in, or again and again with a narrow right.

    The body of `POST /links`.
    """

    once: NotRequired[
        Annotated[
            bool,
            "true: a login link, which works once. Default: false, for a link to one ladder with the "
            "scopes `read` and `report` or one of them",
        ]
    ]


@kind("key")
class KeyDocument(TypedDict):
    """An API key, without its secret.

    `DELETE /keys/{key_id}`.
    """

    id: Annotated[str, "its id, as in the key and in the audit trail"]
    name: Annotated[str, "name for people"]
    scopes: Annotated[
        list[Literal["read", "report", "match", "admin"]],
        "the permissions: `read`, `report`, `match`, `admin`",
    ]
    ladder: Annotated[str | None, "the only ladder it is for, or null: all ladders"]
    created: Annotated[TimeText, "when it was made"]
    expires: Annotated[str | None, "when it expires, or null: never"]
    revoked: Annotated[str | None, "when it was revoked, or null: it was not"]
    last_used: Annotated[str | None, "when it was used last, within an hour, or null: it was not"]


@kind("new-key")
class CreatedKeyDocument(KeyDocument):
    """An API key that was made now: the only answer that has the key itself.

    `POST /keys`.
    """

    key: Annotated[str, "the key itself. No other answer has it"]


@kind("keys")
class KeysDocument(TypedDict):
    """The API keys of a service.

    `GET /keys`.
    """

    keys: Annotated[list[KeyDocument], "all keys, the latest first, also those that are not valid any more"]


@kind("link")
class LinkDocument(TypedDict):
    """A link that lets people in, without its secret.

    `DELETE /links/{link_id}`.
    """

    id: Annotated[str, "its id, as in the audit trail"]
    name: Annotated[str, "name for people"]
    scopes: Annotated[
        list[Literal["read", "report", "match", "admin"]],
        "the permissions: `read`, `report`, `match`, `admin`",
    ]
    ladder: Annotated[str | None, "the only ladder it is for, or null: all ladders"]
    once: Annotated[bool, "whether it works once, as a login link does"]
    created: Annotated[TimeText, "when it was made"]
    expires: Annotated[str | None, "when it expires, or null: never"]
    used: Annotated[str | None, "when it was opened last, or null: it was not"]
    revoked: Annotated[str | None, "when it was revoked, or null: it was not"]


@kind("new-link")
class CreatedLinkDocument(LinkDocument):
    """A link that was made now: the only answer that has its address.

    `POST /links`.
    """

    address: Annotated[str, "where a browser opens it, with its secret. No other answer has it"]
    qr: Annotated[str, "the URL as a QR code, an SVG picture"]


@kind("links")
class LinksDocument(TypedDict):
    """The links of a service.

    `GET /links`.
    """

    links: Annotated[list[LinkDocument], "all links, the latest first, also those that do not work any more"]


class AuditEntryDocument(TypedDict):
    """An entry of the audit trail: the caller, the action and its time."""

    id: Annotated[int, "its number"]
    time: Annotated[TimeText, "when it was done"]
    actor: Annotated[str, "the caller: `local`, `key` or `link` with its id"]
    action: Annotated[str, "the action, such as `key created`"]
    ladder: Annotated[str | None, "the ladder it was done to, or null: none, or all"]
    details: Annotated[dict[str, Any], "further values, with players by number"]


@kind("audit")
class AuditDocument(TypedDict):
    """A page of the audit trail, the latest first.

    `GET /audit`.
    """

    entries: Annotated[list[AuditEntryDocument], "the latest first"]
    next: Annotated[str | None, "cursor of the next page, or null if this is the last one"]
