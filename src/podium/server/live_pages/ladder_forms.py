"""The forms by which an admin creates a ladder, and changes its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from podium.errors import ParameterError, PodiumError
from podium.pages.rendering import render_settings
from podium.presets import PRESETS
from podium.server.access.audit_trail import note
from podium.server.access.requirements import access_of, needs, sent_form
from podium.server.access.rights import ADMIN
from podium.server.http.ladder_routes import service_of
from podium.server.live_pages.live_links import LADDERS
from podium.server.live_pages.page_answers import HTML, PAGE_HEADERS, ladder_site
from podium.server.live_pages.tournament_forms import slug_of
from podium.server.problems import for_people, problem_of
from podium.server.storage.ladder_rows import change_ladder, create_ladder, every_ladder, find_ladder
from podium.systems.tiers import PRESETS as TIERS

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


@router.get("/ladders/{ladder}/settings", dependencies=[needs(ADMIN)])
def settings_page(request: Request, ladder: str) -> Response:
    """The settings of a ladder."""
    return _settings(request, ladder)


@router.post("/ladders/{ladder}/settings", dependencies=[needs(ADMIN)])
async def change_settings(request: Request, ladder: str) -> Response:
    """Change what is filled in, and lead to the ladder."""
    form = await sent_form(request)
    service, access = service_of(request), access_of(request)

    def change() -> Response:
        try:
            sent = _settings_of(form)
            with service.database.writing() as connection:
                row = change_ladder(connection, ladder, sent)
                note(connection, access, "ladder changed", row.id, sent)
        except PodiumError as error:
            return _settings(request, ladder, error)
        service.access_control.forget()
        return RedirectResponse(f"{LADDERS}/{ladder}/", 303, PAGE_HEADERS)

    return await run_in_threadpool(change)


def _settings_of(form: Mapping[str, str]) -> dict[str, Any]:
    """The settings that a form means, as the API takes them. Tiers of one's own stay as they are.

    >>> _settings_of({"title": "Rapid", "ranked": "90d"})["active_since"]
    '90d'
    """
    if "title" not in form:  # a box that is not sent would be one that is not ticked
        raise ParameterError("the form is not complete", hint="reload the page and fill it in again")
    try:
        min_events = int(form.get("min_events", "1"))
    except ValueError as error:
        raise ParameterError(
            "the number of events is not a whole number", hint="write it such as 3"
        ) from error
    ranked, tiers = form.get("ranked", "usual"), form.get("tiers", "own")
    return {
        "title": form.get("title", "").strip(),
        "description": form.get("description", "").strip(),
        "min_events": min_events,
        "active_since": None if ranked == "all" else ranked,
        **({} if tiers == "own" else {"tiers": tiers or []}),
        "private": "private" in form,
        "archived": "archived" in form,
    }


def _settings(request: Request, ladder: str, error: PodiumError | None = None) -> Response:
    access = access_of(request)
    with service_of(request).database.reading() as connection:
        row = find_ladder(connection, ladder, access=access)
    problem = None if error is None else for_people(problem_of(error))
    page = {
        "csrf": access.csrf or "",
        "settings": row.settings,
        "private": row.private,
        "archived": row.archived,
        "presets": [(name, len(steps)) for name, steps in TIERS.items()],
        "problem": problem,
    }
    site = ladder_site(request, row, {}, matches=False)
    status = 200 if problem is None else problem["status"]
    return Response(render_settings(page, site).encode("utf-8", "replace"), status, PAGE_HEADERS, HTML)
