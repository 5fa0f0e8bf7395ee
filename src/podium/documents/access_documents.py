"""Who may do what on a service: keys, links, the audit trail."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class ScopesRequestDocument(TypedDict):
    """What somebody is to be allowed, and for how long."""

    name: str
    scopes: list[str]
    ladder: NotRequired[str | None]
    expires: NotRequired[str | None]


class NewKeyDocument(ScopesRequestDocument):
    """An API key to be made."""


class NewLinkDocument(ScopesRequestDocument):
    """A link to be made: one that works once to log in, or again and again with a narrow right."""

    once: NotRequired[bool]


class KeyDocument(TypedDict):
    """An API key, without its secret."""

    id: str
    name: str
    scopes: list[Literal["read", "report", "match", "admin"]]
    ladder: str | None
    created: str
    expires: str | None
    revoked: str | None
    last_used: str | None


class CreatedKeyDocument(KeyDocument):
    """An API key that was made now: the only answer that has the key itself."""

    key: str


class KeysDocument(TypedDict):
    """The API keys of a service."""

    keys: list[KeyDocument]


class LinkDocument(TypedDict):
    """A link that lets people in, without its secret."""

    id: str
    name: str
    scopes: list[Literal["read", "report", "match", "admin"]]
    ladder: str | None
    once: bool
    created: str
    expires: str | None
    used: str | None
    revoked: str | None


class CreatedLinkDocument(LinkDocument):
    """A link that was made now: the only answer that has its address."""

    address: str
    qr: str


class LinksDocument(TypedDict):
    """The links of a service."""

    links: list[LinkDocument]


class AuditEntryDocument(TypedDict):
    """Something that somebody did."""

    id: int
    time: str
    actor: str
    action: str
    ladder: str | None
    details: dict[str, Any]


class AuditDocument(TypedDict):
    """A page of the audit trail, the latest first."""

    entries: list[AuditEntryDocument]
    next: str | None
