"""Addresses of keys, links and the audit trail: for those who may do everything on all ladders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Request
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from podium.documents.access_documents import (
    AuditDocument,
    CreatedKeyDocument,
    CreatedLinkDocument,
    KeyDocument,
    KeysDocument,
    LinkDocument,
    LinksDocument,
    NewKeyDocument,
    NewLinkDocument,
)
from podium.server.access.audit_trail import audit_entries
from podium.server.access.key_rows import create_key, list_keys, revoke_key
from podium.server.access.link_rows import create_link, list_links, revoke_link
from podium.server.access.login_links import created_link
from podium.server.access.request_costs import rows_listed
from podium.server.access.requirements import access_of, needs
from podium.server.access.rights import ADMIN, Access
from podium.server.http.bodies import sent_json
from podium.server.http.cursors import decoded, encoded
from podium.server.http.http_answers import document_response
from podium.server.http.ladder_routes import Cursor, Limit, service_of
from podium.server.http.schemas import answers, body
from podium.server.service import Service
from podium.server.storage.ladder_rows import find_ladder

router = APIRouter(dependencies=[needs(ADMIN, cost=rows_listed(0))])

KeyId = Annotated[str, Path(description="The key's id: the part between `pod_` and the next `_`.")]
LinkId = Annotated[str, Path(description="The link's id.")]
NEW_KEYS = {
    "a game server": {"name": "game server 3", "scopes": ["report"], "ladder": "chess"},
    "an administrator": {"name": "ann", "scopes": ["admin"], "expires": "90d"},
}
NEW_LINKS = {
    "report here": {"name": "club night", "scopes": ["read", "report"], "ladder": "chess", "expires": "12h"},
    "log in": {"name": "ann", "scopes": ["admin"], "once": True, "expires": "1d"},
}
SENT = [400, 404, 408, 413, 415]
Made = TypeVar("Made")


async def _written(request: Request, change: Callable[[Connection, Access], Made]) -> Made:
    """What a change in a transaction makes; from then on this worker looks up anew who may do what."""
    service, access = service_of(request), access_of(request)

    def write() -> Made:
        with service.database.writing() as connection:
            return change(connection, access)

    made = await run_in_threadpool(write)
    service.access_control.forget()
    return made


async def _sent(request: Request, service: Service) -> Any:
    return await sent_json(request, service.settings)


# ---------------------------------------------------------------------- keys


@router.post(
    "/keys",
    status_code=201,
    responses=answers("new-key", CreatedKeyDocument, status=201, refusals=SENT),
    openapi_extra=body(NewKeyDocument, NEW_KEYS),
    operation_id="create_key",
)
async def make_key(request: Request) -> Response:
    """Create an API key. Only this answer contains the key; the service stores a digest."""
    sent = await _sent(request, service_of(request))
    made, token = await _written(request, lambda connection, access: create_key(connection, sent, access))
    document: CreatedKeyDocument = {**made, "key": token.text}
    return document_response("new-key", document, status=201)


@router.get("/keys", responses=answers("keys", KeysDocument), operation_id="keys")
def look_at_keys(request: Request) -> Response:
    """List all API keys, also revoked and expired ones, without their secrets."""
    with service_of(request).database.reading() as connection:
        document: KeysDocument = {"keys": list_keys(connection)}
    return document_response("keys", document)


@router.delete(
    "/keys/{key_id}", responses=answers("key", KeyDocument, refusals=[400, 404]), operation_id="revoke_key"
)
async def end_key(request: Request, key_id: KeyId) -> Response:
    """Revoke an API key. It stops working within a second."""
    revoked = await _written(request, lambda connection, access: revoke_key(connection, key_id, access))
    return document_response("key", revoked)


# ---------------------------------------------------------------------- links


@router.post(
    "/links",
    status_code=201,
    responses=answers("new-link", CreatedLinkDocument, status=201, refusals=SENT),
    openapi_extra=body(NewLinkDocument, NEW_LINKS),
    operation_id="create_link",
)
async def make_link(request: Request) -> Response:
    """Create a link that lets people in. Only this answer contains its URL and QR code (SVG)."""
    service = service_of(request)
    sent = await _sent(request, service)
    made, token = await _written(request, lambda connection, access: create_link(connection, sent, access))
    return document_response("new-link", created_link(made, token, service.settings), status=201)


@router.get("/links", responses=answers("links", LinksDocument), operation_id="links")
def look_at_links(request: Request) -> Response:
    """List all links, also used and expired ones, without their secrets."""
    with service_of(request).database.reading() as connection:
        document: LinksDocument = {"links": list_links(connection)}
    return document_response("links", document)


@router.delete(
    "/links/{link_id}",
    responses=answers("link", LinkDocument, refusals=[400, 404]),
    operation_id="revoke_link",
)
async def end_link(request: Request, link_id: LinkId) -> Response:
    """Revoke a link and end the sessions that it opened."""
    revoked = await _written(request, lambda connection, access: revoke_link(connection, link_id, access))
    return document_response("link", revoked)


# ---------------------------------------------------------------------- the trail


@router.get("/audit", responses=answers("audit", AuditDocument, refusals=[400, 404]), operation_id="audit")
def look_at_audit(
    request: Request,
    limit: Limit = 100,
    cursor: Cursor = None,
    ladder: str | None = None,
) -> Response:
    """The audit trail, latest first: changes to keys, links, logins, ladders and adjustments."""
    service = service_of(request)
    limit = min(limit, service.settings.page_rows)
    before = None if cursor is None else decoded(cursor, int)[0]
    with service.database.reading() as connection:
        chosen = None if ladder is None else find_ladder(connection, ladder, access=access_of(request)).id
        entries = audit_entries(connection, ladder=chosen, before=before, limit=limit + 1)
    document: AuditDocument = {
        "entries": entries[:limit],
        "next": encoded([entries[limit - 1]["id"]]) if len(entries) > limit else None,
    }
    return document_response("audit", document)
