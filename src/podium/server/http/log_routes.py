"""Addresses at which the log is read: page by page, one entry, behind a bookmark, and as it goes on."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from podium.documents.plain_data import compact_json
from podium.documents.service_documents import LogDocument, LoggedEventDocument
from podium.errors import ParameterError
from podium.server.access.request_costs import BODY_BYTES, paced, rows_listed
from podium.server.access.requirements import is_still_allowed, needs
from podium.server.access.rights import READ
from podium.server.http.answers import log_page, logged_event, look_of_cursor
from podium.server.http.bodies import NDJSON
from podium.server.http.http_answers import checked_tag, document_response
from podium.server.http.ladder_routes import NAMED_EVENT, Cursor, Limit, service_of
from podium.server.http.questions import answered_from_log, ladder_in_memory
from podium.server.http.schemas import EXAMPLES, SCHEMAS, answers, problems
from podium.server.ladders.followed_ladder import Look
from podium.server.log.bookmarks import (
    LONGEST_BOOKMARK,
    Bookmark,
    bookmark_at,
    place_to_follow,
    read_bookmark,
)
from podium.server.log.event_names import KEY
from podium.server.log.log_reading import next_logged
from podium.server.service import Service

router = APIRouter(prefix="/ladders/{ladder}")

NamedEvent = Annotated[str, Path(description=NAMED_EVENT)]
LINE = json.dumps(EXAMPLES["logged-event"])
SENT_EVENT = f"id: {EXAMPLES['logged-event']['bookmark']}\nevent: logged-event\ndata: {LINE}\n\n"
PAGE_PLAYERS = 50_000
"""Players of the events on a page of the log, about: of contests it has fewer entries than are asked for."""


@router.get(
    "/events",
    responses={
        200: {
            "description": "A page of the log. With `key`: one entry. With `since`: later entries as NDJSON.",
            "content": {
                "application/json": {
                    "schema": {
                        "anyOf": [
                            SCHEMAS.stamped("log", LogDocument),
                            SCHEMAS.stamped("logged-event", LoggedEventDocument),
                        ]
                    },
                    "examples": {
                        "a page of the log": {"value": EXAMPLES["log"]},
                        "the entry with a key": {"value": EXAMPLES["logged-event"]},
                    },
                },
                NDJSON: {"schema": {"type": "string"}, "example": f"{LINE}\n"},
            },
        },
        **problems([400, 404, 410]),
    },
    operation_id="events",
    dependencies=[needs(READ, cost=rows_listed(100))],
)
async def look_at_events(
    request: Request,
    ladder: str,
    limit: Limit = 100,
    cursor: Cursor = None,
    order: Annotated[Literal["newest", "oldest"], Query(description="The order of the entries.")] = "newest",
    key: Annotated[str | None, Query(description="Only the entry with this idempotency key.")] = None,
    since: Annotated[
        str | None,
        Query(
            max_length=LONGEST_BOOKMARK,
            description="All entries after this bookmark, as NDJSON. 0 returns all entries.",
        ),
    ] = None,
) -> Response:
    """Read the log: a page, the entry with a key, or all entries after a bookmark as NDJSON."""
    service = service_of(request)
    if key is not None and since is not None:
        raise ParameterError("give key or since, not both")
    live = await ladder_in_memory(request, ladder)
    most = min(limit, service.settings.page_rows, max(1, int(PAGE_PLAYERS / max(1.0, live.players_of_event))))

    def look() -> Response:
        with service.ladders.glanced_at(ladder) as (connection, look):
            look = look_of_cursor(connection, look, cursor)
            tag = checked_tag(request, look.row)
            if since is not None:
                after = place_to_follow(connection, look.row, since)
                lines = _lines(request, service, look, after)
                return StreamingResponse(lines, media_type=NDJSON, headers={"ETag": tag})
            if key is not None:
                return document_response("logged-event", logged_event(connection, look, KEY + key), tag=tag)
            newest = order == "newest"
            document = log_page(connection, look, limit=most, cursor=cursor, newest_first=newest)
            return document_response("log", document, tag=tag)

    entries = 0 if since is not None else 1 if key is not None else most
    return await answered_from_log(request, ladder, lambda live: min(entries, live.head), look)


async def _lines(request: Request, service: Service, look: Look, after: Bookmark) -> AsyncIterator[str]:
    """The entries behind a bookmark, one a line, as fast as the caller may have them."""
    while after.number < look.row.head:
        lines, after = await run_in_threadpool(_next_lines, service, look, after)
        await paced(request, len(lines) / BODY_BYTES)
        if not await is_still_allowed(request, READ):
            return
        yield lines


def _next_lines(service: Service, look: Look, after: Bookmark) -> tuple[str, Bookmark]:
    """The next entries behind a bookmark, one a line, and the bookmark of the last."""
    with service.heavy.giving_way():
        with service.database.reading() as connection:
            found = next_logged(connection, look, after)
        lines = "".join(compact_json("logged-event", entry) + "\n" for entry in found)
    return lines, read_bookmark(found[-1]["bookmark"])


@router.get(
    "/events/{event:path}",
    responses=answers("logged-event", LoggedEventDocument, refusals=[400, 404]),
    operation_id="event",
    dependencies=[needs(READ)],
)
async def look_at_event(request: Request, ladder: str, event: NamedEvent) -> Response:
    """Read one entry of the log and its rating changes."""
    service = service_of(request)

    def look() -> Response:
        with service.ladders.glanced_at(ladder) as (connection, look):
            tag = checked_tag(request, look.row)
            return document_response("logged-event", logged_event(connection, look, event), tag=tag)

    return await answered_from_log(request, ladder, lambda live: 1, look)


@router.get(
    "/stream",
    responses={
        200: {
            "description": "Server-sent events: `id` is the bookmark, `data` a logged event on one line.",
            "content": {
                "text/event-stream": {
                    "schema": {"type": "string"},
                    "example": SENT_EVENT,
                }
            },
        },
        **problems([400, 404, 410]),
    },
    response_class=StreamingResponse,
    operation_id="stream",
    dependencies=[needs(READ)],
)
async def stream(
    request: Request,
    ladder: str,
    since: Annotated[
        str | None,
        Query(
            max_length=LONGEST_BOOKMARK, description="Start after this bookmark. 0 starts with all entries."
        ),
    ] = None,
) -> Response:
    """Follow the log from now on, or from `Last-Event-ID` or `since`.

    410: the log does not have that entry, as when an older backup was restored.
    """
    service = service_of(request)
    given = request.headers.get("last-event-id") or since

    def first_look() -> tuple[Bookmark, Bookmark]:
        with service.ladders.glanced_at(ladder) as (connection, look):
            head = bookmark_at(connection, look.row, look.row.head)
            return head if given is None else place_to_follow(connection, look.row, given), head

    last, head = await run_in_threadpool(first_look)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    content = _sent(request, ladder, last, head)
    return StreamingResponse(content, media_type="text/event-stream", headers=headers)


async def _sent(request: Request, ladder: str, last: Bookmark, head: Bookmark) -> AsyncIterator[bytes]:
    """Entries behind a bookmark as server-sent events, as they come, as long as the caller may read them."""
    service = service_of(request)
    yield b": podium\n\n"
    with service.metrics.open_stream():
        async for content in service.followers.sent(ladder, last, head):
            if not await is_still_allowed(request, READ):
                return
            await paced(request, len(content) / BODY_BYTES)
            yield content
