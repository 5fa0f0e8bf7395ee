"""Addresses of ladders: create, list, look, change; verify and rebuild."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from sqlalchemy.exc import IntegrityError
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

import podium
from podium.documents.request_documents import LadderChangeDocument, NewLadderDocument
from podium.documents.service_documents import (
    RebuildDocument,
    ServiceDocument,
    ServiceLadderDocument,
    ServiceLaddersDocument,
    VerificationDocument,
)
from podium.server.access.audit_trail import note
from podium.server.access.request_costs import rows_listed
from podium.server.access.requirements import access_of, needs
from podium.server.access.rights import ADMIN, READ
from podium.server.http.bodies import sent_json
from podium.server.http.cursors import decoded, encoded, no_cursor
from podium.server.http.http_answers import checked_tag, document_response
from podium.server.http.schemas import answers, body, problems
from podium.server.log.rebuilding import rebuild
from podium.server.log.verifying import verify
from podium.server.service import Service
from podium.server.storage.ladder_rows import SLUG, LadderRow, change_ladder, create_ladder, list_ladders

router = APIRouter()

Limit = Annotated[int, Query(ge=1, description="The largest number of rows in the answer.")]
Cursor = Annotated[str | None, Query(max_length=500, description="`next` from the previous answer.")]
NAMED_EVENT = "An entry's number, `key:` and its idempotency key, or `name:` and its name."

NEW_LADDER = {
    "a chess club": {"slug": "chess", "title": "Chess club", "system": "glicko2"},
    "contests": {"slug": "rounds", "system": "contests", "min_events": 3},
    "parameters": {"slug": "rounds", "system": "elo-mmr", "parameters": {"rho": 2.0}},
    "without a system": {"slug": "games"},
}


def service_of(request: Request) -> Service:
    """The worker that answers."""
    service: Service = request.app.state.service
    return service


@router.get(
    "", responses=answers("service", ServiceDocument), operation_id="service", dependencies=[needs(READ)]
)
def look_at_service(request: Request) -> Response:
    """The service's version and its main URLs."""
    service = service_of(request)
    document: ServiceDocument = {
        "version": podium.__version__,
        "database": service.database.kind,
        "ladders": service.ladder_count(access_of(request)),
    }
    return document_response("service", document)


@router.get(
    "/ladders",
    responses=answers("service-ladders", ServiceLaddersDocument, refusals=[400]),
    operation_id="ladders",
    dependencies=[needs(READ, cost=rows_listed(100))],
)
def look_at_ladders(
    request: Request,
    limit: Limit = 100,
    cursor: Cursor = None,
    archived: Annotated[bool, Query(description="Include archived ladders.")] = False,
) -> Response:
    """List the ladders by name. With `archived`, include archived ladders."""
    service = service_of(request)
    limit = min(limit, service.settings.page_rows)
    after = "" if cursor is None else decoded(cursor, str)[0]
    if not SLUG.fullmatch(after or "a"):
        raise no_cursor()
    with service.database.reading() as connection:
        rows = list_ladders(
            connection, after=after, limit=limit + 1, archived=archived, access=access_of(request)
        )
    document: ServiceLaddersDocument = {
        "ladders": [row.document() for row in rows[:limit]],
        "next": encoded([rows[limit - 1].slug]) if len(rows) > limit else None,
    }
    return document_response("service-ladders", document)


@router.post(
    "/ladders",
    status_code=201,
    responses=answers(
        "service-ladder",
        ServiceLadderDocument,
        status=201,
        also=[200],
        refusals=[400, 408, 409, 413, 415, 503],
    ),
    openapi_extra=body(NewLadderDocument, NEW_LADDER),
    operation_id="create_ladder",
    dependencies=[needs(ADMIN)],
)
async def make_ladder(request: Request) -> Response:
    """Create a ladder. Sending the same request again has no effect and returns 200.

    `system` is the name of a system or preset. Without it, the ladder has the preset `matches`. If its first
    results are an imported file, it takes the preset for that file. The answer names the system.
    """
    service = service_of(request)
    sent = await sent_json(request, service.settings)
    access = access_of(request)

    def create() -> tuple[LadderRow, bool]:
        for _ in range(2):  # if two create the same at once, the second finds what the first has made
            try:
                with service.database.writing() as connection:
                    row, created = create_ladder(connection, sent)
                    if created:
                        note(connection, access, "ladder created", row.id, {"slug": row.slug})
                    return row, created
            except IntegrityError:
                continue
        raise AssertionError("an existing ladder cannot be found")

    row, created = await run_in_threadpool(create)
    service.access_control.forget()
    return document_response("service-ladder", row.document(), status=201 if created else 200)


@router.get(
    "/ladders/{ladder}",
    responses=answers("service-ladder", ServiceLadderDocument, refusals=[404]),
    operation_id="ladder",
    dependencies=[needs(READ)],
)
def look_at_ladder(request: Request, ladder: str) -> Response:
    """One ladder: its system, its settings, and how far its log has come."""
    with service_of(request).looking(ladder) as (_, live):
        return document_response("service-ladder", live.row.document(), tag=checked_tag(request, live.row))


@router.patch(
    "/ladders/{ladder}",
    responses=answers("service-ladder", ServiceLadderDocument, refusals=[400, 404, 408, 413, 415, 503]),
    openapi_extra=body(
        LadderChangeDocument,
        {"a title": {"title": "Chess club, 2026"}, "end": {"archived": True}, "hide": {"private": True}},
    ),
    operation_id="change_ladder",
    dependencies=[needs(ADMIN)],
)
async def patch_ladder(request: Request, ladder: str) -> Response:
    """Change settings that affect no rating: title, description, ranking rule, privacy, archived."""
    service = service_of(request)
    sent: Any = await sent_json(request, service.settings)

    access = access_of(request)

    def change() -> LadderRow:
        with service.database.writing() as connection:
            row = change_ladder(connection, ladder, sent)
            note(connection, access, "ladder changed", row.id, sent)
            return row

    row = await run_in_threadpool(change)
    service.access_control.forget()
    return document_response("service-ladder", row.document())


@router.post(
    "/ladders/{ladder}/verify",
    responses=answers("verification", VerificationDocument, refusals=[404]),
    operation_id="verify",
    dependencies=[needs(ADMIN)],
)
def verify_ladder(request: Request, ladder: str) -> Response:
    """Rate the whole log again and compare the result with the stored data."""
    service = service_of(request)
    return document_response("verification", verify(service.database, ladder, service.clock()))


@router.post(
    "/ladders/{ladder}/rebuild",
    responses=answers("rebuild", RebuildDocument, refusals=[404, 503]) | problems([409]),
    operation_id="rebuild",
    dependencies=[needs(ADMIN)],
)
def rebuild_ladder(
    request: Request,
    ladder: str,
    repair_clock: Annotated[bool, Query(description="Correct times that are ahead of the clock.")] = False,
) -> Response:
    """Recompute all changes from the log and replace those that differ."""
    service = service_of(request)
    repairing = service.appender if repair_clock else None
    built = rebuild(service.database, service.ladders, ladder, by=access_of(request), repairs_clock=repairing)
    return document_response("rebuild", built)
