"""The form on the front page by which an admin creates a ladder."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from podium.presets import PRESETS
from podium.server.access.audit_trail import note
from podium.server.access.requirements import access_of, needs, sent_form
from podium.server.access.rights import ADMIN
from podium.server.http.ladder_routes import service_of
from podium.server.live_pages.live_links import LADDERS
from podium.server.live_pages.page_answers import PAGE_HEADERS
from podium.server.live_pages.tournament_forms import slug_of
from podium.server.storage.ladder_rows import create_ladder, every_ladder

router = APIRouter(include_in_schema=False)


@router.post("/ladders", dependencies=[needs(ADMIN)])
async def make_ladder_by_form(request: Request) -> Response:
    """Create a ladder, and go to its page, which says where the first results may come from."""
    form = await sent_form(request)
    title, preset = form.get("title", "").strip(), form.get("plays", "")
    service, access = service_of(request), access_of(request)

    def create() -> str:
        with service.database.writing() as connection:
            slug = slug_of(title, (one.slug for one in every_ladder(connection)))
            system = {"system": preset} if preset in PRESETS else {}
            row, _ = create_ladder(connection, {"slug": slug, "title": title or slug, **system})
            note(connection, access, "ladder created", row.id, {"slug": row.slug})
            return slug

    slug = await run_in_threadpool(create)
    service.access_control.forget()
    return RedirectResponse(f"{LADDERS}/{slug}/", 303, PAGE_HEADERS)
