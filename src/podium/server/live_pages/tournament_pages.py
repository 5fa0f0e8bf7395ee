"""Pages of tournaments: the list, pairings, standings, a player's path, and the forms of organisers."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from podium.documents.tournament_documents import (
    ServiceTournamentDocument,
    tournament_explanation_document,
)
from podium.errors import PodiumError
from podium.pages import tournament_views as views
from podium.pages.rendering import render_tournament
from podium.server import machine
from podium.server.access.audit_trail import note
from podium.server.access.request_costs import page_shown
from podium.server.access.requirements import access_of, needs, reads_ratings, sent_form
from podium.server.access.rights import ADMIN, READ, REPORT
from podium.server.http.ladder_routes import service_of
from podium.server.http.tournament_routes import looked_at
from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.live_pages.ladder_sketches import LadderSketch
from podium.server.live_pages.live_links import LADDERS
from podium.server.live_pages.page_answers import (
    FORMATTED,
    HTML,
    PAGE_HEADERS,
    formatted,
    ladder_site,
    memory_of,
)
from podium.server.live_pages.tournament_forms import (
    FORMATS,
    Find,
    best_of,
    finder,
    new_tournament,
    steps_of_form,
)
from podium.server.log.reports import is_free
from podium.server.problems import UnknownPageError, for_people, problem_of
from podium.server.storage.ladder_rows import find_ladder
from podium.server.tournaments.sent_steps import sent_step
from podium.server.tournaments.tournament_rows import create_tournament, list_tournaments
from podium.tournaments.happenings import score_text, step_words

router = APIRouter(include_in_schema=False, prefix="/ladders/{ladder}/tournaments")

PRIVATE = {"Cache-Control": "private, no-cache"}
LISTED = 100
"""Tournaments of the list."""
NAMES_OFFERED = 200
"""Players of the ladder whose names can be ticked; of a larger one, those who are written in."""
BEST = (2, 4, 8, 16, 32)
"""How many entrants of a tournament may play a knockout."""
SCREEN_SECONDS = 10
"""How often the screen in the hall looks for the next round."""

EntrantNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
RoundNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
RoundQuery = Annotated[int | None, Query(ge=1, le=2**31 - 1)]


# ---------------------------------------------------------------------- looking


@router.get("", dependencies=[needs(READ, cost=page_shown)])
def tournament_list(request: Request, ladder: str) -> Response:
    """The tournaments of a ladder, and for an admin the form of a new one."""
    return _list(request, ladder, {})


def _list(
    request: Request, ladder: str, filled: dict[str, str], error: PodiumError | None = None
) -> Response:
    service, access = service_of(request), access_of(request)
    with service.database.reading() as connection:
        row = find_ladder(connection, ladder, access=access)
        found = list_tournaments(connection, row, access, limit=LISTED)
    page = {
        "tournaments": [{**one.listed(), "words": views.format_words(str(one.format))} for one in found],
        "at": f"{LADDERS}/{ladder}/tournaments",
        "suffix": "",
        "may_create": access.may(ADMIN, row.id),
        "archived": row.archived,
        "formats": FORMATS,
        "filled": filled,
    }
    return _answer(request, ladder, "tournaments", page, error)


@router.get("/{tournament}", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def tournament_page(request: Request, ladder: str, tournament: str) -> Response:
    """A tournament: the last round, standings, cross table or bracket."""
    document = looked_at(request, ladder, tournament).document()
    view = views.tournament_view(document)
    page = {
        **_page(request, ladder, document, view),
        "brackets": views.brackets(document, view["names"]),
        "cross": views.cross_table(document),
    }
    return formatted(
        request,
        "service-tournament",
        document,
        lambda: _rendered(request, ladder, "tournament", page),
        tag=None,
    )


@router.get("/{tournament}/screen", dependencies=[needs(READ, cost=page_shown)])
def screen_page(request: Request, ladder: str, tournament: str) -> Response:
    """The last round in large letters, with a clock; it looks for the next one by itself."""
    document = looked_at(request, ladder, tournament).document()
    view = views.tournament_view(document)
    page = {**_page(request, ladder, document, view), "round": view["last"], "seconds": SCREEN_SECONDS}
    return _answer(request, ladder, "tournament_round", page)


@router.get("/{tournament}/rounds/{number}", dependencies=[needs(READ, cost=page_shown)])
def round_page(request: Request, ladder: str, tournament: str, number: RoundNumber) -> Response:
    """One round, to look at or to print."""
    document = looked_at(request, ladder, tournament).document()
    if number > len(document["rounds"]):
        raise UnknownPageError(f"there is no round {number}")
    view = views.tournament_view(document)
    page = {
        **_page(request, ladder, document, view),
        "round": document["rounds"][number - 1],
        "seconds": None,
    }
    return _answer(request, ladder, "tournament_round", page)


@router.get("/{tournament}/players/{number}", dependencies=[needs(READ, cost=page_shown)])
def path_page(
    request: Request, ladder: str, tournament: str, number: EntrantNumber, round: RoundQuery = None
) -> Response:
    """What an entrant did round by round, why they met the opponent of a round, and their numbers."""
    looked = looked_at(request, ladder, tournament)
    document = looked.document()
    if number > len(document["entrants"]):
        raise UnknownPageError(f"there is no entrant {number}")
    player = document["entrants"][number - 1]["player"]
    view = views.tournament_view(document)
    page = {
        **_page(request, ladder, document, view),
        "player": player,
        "path": views.player_path(document, player),
        "why": tournament_explanation_document(looked.value, player, round),
        "standing": next((row for row in document["standings"] if row["player"] == player), None),
    }
    return _answer(request, ladder, "tournament_path", page)


def _page(
    request: Request, ladder: str, document: ServiceTournamentDocument, view: dict[str, Any]
) -> dict[str, Any]:
    """What every page of a tournament shows."""
    return {
        "tournament": document,
        "view": view,
        "at": f"{LADDERS}/{ladder}/tournaments/{document['slug']}",
        "suffix": "",
        "is_live": True,
        "csrf": access_of(request).csrf or "",
        "score_text": score_text,
    }


def _rendered(
    request: Request, ladder: str, name: str, page: dict[str, Any], error: PodiumError | None = None
) -> str:
    access = access_of(request)
    with service_of(request).ladders.sketched(ladder, LadderSketch.of) as (connection, found):
        matches = memory_of(request).has_matches(connection, found)
        row, numbers = found.look.row, found.look.names
        entrants = page["view"]["names"] if "view" in page else ()
        players = {name: number for name in entrants if (number := numbers.find(name)) is not None}
    site = ladder_site(request, row, players, matches=matches, tournaments=True)
    problem = None if error is None else for_people(problem_of(error))
    may = {"may_run": access.may(REPORT, row.id), "may_change": access.may(ADMIN, row.id)}
    return render_tournament(name, {**page, **may, "problem": problem, "csrf": access.csrf or ""}, site)


def _answer(
    request: Request, ladder: str, name: str, page: dict[str, Any], error: PodiumError | None = None
) -> Response:
    text = _rendered(request, ladder, name, page, error)
    status = 200 if error is None else problem_of(error)["status"]
    return Response(text.encode("utf-8", "replace"), status, PAGE_HEADERS, HTML)


# ---------------------------------------------------------------------- running


@router.post("", dependencies=[needs(ADMIN)])
async def make_tournament_by_form(request: Request, ladder: str) -> Response:
    """Create a tournament, and go to the page on which it is run."""
    form = {name: value for name, value in (await sent_form(request)).items() if name != "csrf"}
    service, access = service_of(request), access_of(request)

    def create() -> Response:
        try:
            best = None
            if "of" in form:
                best = sent_step(best_of(service.tournaments.look(ladder, form["of"], access).value, form))
            with service.database.writing() as connection:
                row = find_ladder(connection, ladder, access=access)
                taken = [one.slug for one in list_tournaments(connection, row, access, limit=10_000)]
                made, _ = create_tournament(connection, row, new_tournament(form, taken))
                note(connection, access, "tournament created", row.id, {"tournament": made.slug})
            if best is not None:
                service.take_step(ladder, made.slug, best, access)
        except PodiumError as error:
            return _list(request, ladder, form, error)
        return RedirectResponse(f"{LADDERS}/{ladder}/tournaments/{made.slug}/run", 303, PRIVATE)

    return await run_in_threadpool(create)


@router.get("/{tournament}/run", dependencies=[needs(REPORT)])
def run_page(request: Request, ladder: str, tournament: str) -> Response:
    """The forms of those who run a tournament: who is here, the next round, results."""
    return _run(request, ladder, tournament)


def _run(
    request: Request,
    ladder: str,
    tournament: str,
    error: PodiumError | None = None,
    written: str = "",
) -> Response:
    looked = looked_at(request, ladder, tournament)
    document = looked.document()
    view = views.tournament_view(document)
    known = [one["player"] for one in document["entrants"]]
    may_join = document["format"].startswith(("evening", "swiss")) or not document["rounds"]
    offered = [*known, *(_names(request, ladder) if may_join else ())]
    page = {
        **_page(request, ladder, document, view),
        "offered": sorted(dict.fromkeys(offered), key=str.casefold),
        "was": json.dumps(view["here"], ensure_ascii=False),
        "written": written,
        "may_join": may_join,
        "last_step": step_words(looked.last_step),
        "rules": sorted(sorted(pair) for pair in looked.value.field.forbidden),
        "clubs": {one["player"]: one["club"] for one in document["entrants"] if one["club"]},
        "clubs_known": sorted({one["club"] for one in document["entrants"] if one["club"]}),
        "clubs_were": json.dumps(
            [[one["player"], one["club"] or ""] for one in document["entrants"]], ensure_ascii=False
        ),
        "most_listed": NAMES_OFFERED,
        "key": machine.token_hex(8),
        "best": [number for number in BEST if number < len(known)]
        if view["rounds"] and not document["bracket"]
        else [],
    }
    return _answer(request, ladder, "tournament_run", page, error)


@router.post("/{tournament}/run", dependencies=[needs(REPORT)])
async def run_by_form(request: Request, ladder: str, tournament: str) -> Response:
    """Take the steps that a form means, and show the page again."""
    form = await sent_form(request)
    service, access = service_of(request), access_of(request)

    def take() -> Response:
        try:
            value = looked_at(request, ladder, tournament).value
            for step in steps_of_form(form, value, _finder(request, ladder, value.field.entrants)):
                service.take_step(ladder, tournament, sent_step(step), access)
        except PodiumError as error:
            return _run(request, ladder, tournament, error, form.get("newcomers", ""))
        where = "#match-{round}-{match}".format(**form) if {"round", "match"} <= form.keys() else ""
        return RedirectResponse(f"{LADDERS}/{ladder}/tournaments/{tournament}/run{where}", 303, PRIVATE)

    return await run_in_threadpool(take)


def _names(request: Request, ladder: str, most: int = NAMES_OFFERED) -> list[str]:
    """The players of a small ladder; nobody if the caller may not read it."""
    if not reads_ratings(request):
        return []

    def names(live: FollowedLadder) -> list[str]:
        players = live.ladder.players
        return [] if len(players) > most else [name for name in players if not is_free(name)]

    with service_of(request).ladders.sketched(ladder, names) as (_, found):
        return found


def _finder(request: Request, ladder: str, entrants: Any) -> Find:
    """How written names are understood: by the entrants, and by the players of a ladder that is not large."""
    return finder(dict.fromkeys([*entrants, *_names(request, ladder, 5_000)]))
