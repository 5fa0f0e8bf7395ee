"""Addresses of pages: the ladders, and each ladder's board, players, events, matches, comparisons."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request
from sqlalchemy import Connection
from starlette.responses import RedirectResponse, Response

from podium.documents.event_page_documents import LadderListDocument
from podium.pages.about_pages import ladder_card
from podium.pages.data_scripts import data_script
from podium.pages.rendering import render_ladders
from podium.server.access.request_costs import page_shown
from podium.server.access.requirements import PUBLIC, access_of, needs
from podium.server.access.rights import ADMIN, READ
from podium.server.http.http_answers import entity_tag
from podium.server.http.ladder_routes import service_of
from podium.server.http.questions import answered_from_meetings
from podium.server.http.reading_routes import fitted_ladder
from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.live_pages import live_documents as documents
from podium.server.live_pages.club_look import NAMELESS, club_file
from podium.server.live_pages.highest_ratings import highest_page, highest_sketch
from podium.server.live_pages.ladder_sketches import (
    LadderSketch,
    board_sketch,
    compare_sketch,
    leaders,
    player_sketch,
    search_sketch,
)
from podium.server.live_pages.live_documents import LivePage
from podium.server.live_pages.live_links import (
    ASSET_NAMES,
    LADDERS,
    LiveLinks,
    asset_content,
    asset_digest,
)
from podium.server.live_pages.page_answers import (
    FORMATTED,
    PAGE_HEADERS,
    checked_page_tag,
    club_site,
    formatted,
    memory_of,
    page_answer,
)
from podium.server.live_pages.past_seasons import season_sketch, seasons_page
from podium.server.log.event_names import NUMBER, EventNames
from podium.server.log.log_reading import AboutToRead
from podium.server.problems import UnknownPageError
from podium.server.storage.ladder_rows import list_ladders
from podium.server.tournaments.tournament_rows import has_tournaments

router = APIRouter(include_in_schema=False)

LADDERS_PER_PAGE = 30
LONGEST_QUERY = 300
LASTING = f"public, max-age={365 * 24 * 3600}, immutable"
ASSET_TYPES = {"site.css": "text/css; charset=utf-8", "site.js": "text/javascript; charset=utf-8"}

Page = Annotated[int, Query(ge=1, le=2**31)]
Number = Annotated[int, Path(ge=0, le=2**31 - 1)]


def _page(
    request: Request,
    ladder: str,
    sketch: Callable[[FollowedLadder], Any],
    make: Callable[[Connection, Any], LivePage],
) -> Response:
    """A page: `sketch` takes what it needs from memory, `make` the rest from the tables in the same state."""
    access = access_of(request)
    with service_of(request).ladders.sketched(
        ladder, lambda live: (checked_page_tag(request, live.row, access), sketch(live))
    ) as (connection, (tag, taken)):
        page = make(connection, taken)
        matches = memory_of(request).has_matches(connection, page.ladder)
        tournaments = has_tournaments(connection, page.ladder.look.row)
    return page_answer(request, page, matches=matches, tournaments=tournaments, tag=tag)


def _redirected(request: Request, path: str, status: int) -> Response:
    """The way to another path, with the same parameters."""
    asked = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{path}{asked}", status, PAGE_HEADERS)


# ---------------------------------------------------------------------- all ladders


@router.get("/", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def front_page(request: Request, after: Annotated[str, Query(max_length=63)] = "") -> Response:
    """The ladders, each with who leads."""
    service = service_of(request)
    with service.database.reading() as connection:
        rows = list_ladders(
            connection, after=after, limit=LADDERS_PER_PAGE + 1, access=access_of(request), only_readable=True
        )
    shown, cards, tags = rows[:LADDERS_PER_PAGE], [], []
    for row in shown:
        with service.looking(row.slug) as (connection, live):
            found = LadderSketch.of(live)
            basis = documents.basis_of_events(connection, found)
            cards.append(ladder_card(basis, row.settings["title"] or row.slug, found.players, leaders(live)))
            tags.append(entity_tag(live.row))
    club = service.settings.club
    document: LadderListDocument = {"title": "Ladders" if club == NAMELESS else club, "ladders": cards}
    more = f"/?after={shown[-1].slug}" if len(rows) > LADDERS_PER_PAGE else None
    site = club_site(request, LiveLinks("", "/", {}))
    addresses = [f"{LADDERS}/{row.slug}/" for row in shown]
    access = access_of(request)
    csrf = (access.csrf or "") if access.may(ADMIN, None) else None
    tag = f'W/"l{zlib.crc32(repr((after, tags, csrf)).encode()):08x}"'
    return formatted(
        request,
        "ladder-list",
        document,
        lambda: render_ladders(document, addresses, site, more, csrf),
        tag=tag,
    )


@router.get("/assets/{digest}/{name}", dependencies=[PUBLIC])
def asset(request: Request, digest: str, name: str) -> Response:
    """The style and the script of pages; an address with the digest of today's stays right for ever."""
    if (shown := club_file(service_of(request).settings, name)) is not None:
        content, kind = shown
        return Response(content, 200, PAGE_HEADERS | {"Cache-Control": LASTING}, kind)
    if name not in ASSET_NAMES:
        raise UnknownPageError("there is no such file")
    caching = LASTING if digest == asset_digest(name) else "no-cache"
    headers = PAGE_HEADERS | {"Cache-Control": caching}
    return Response(asset_content(name), 200, headers, ASSET_TYPES[name])


# ---------------------------------------------------------------------- one ladder


@router.get("/ladders/{ladder}", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def ladder_without_slash(request: Request, ladder: str, page: Page = 1) -> Response:
    """The address of a ladder that somebody has typed, with the parameters of the leaderboard."""
    return _redirected(request, f"{LADDERS}/{quote(ladder, safe='')}/", 308)


@router.get("/ladders/{ladder}/", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def leaderboard(request: Request, ladder: str, page: Page = 1) -> Response:
    """A page of the leaderboard."""
    months = memory_of(request).months
    return _page(
        request,
        ladder,
        lambda live: board_sketch(live, page),
        lambda connection, found: documents.leaderboard_page(connection, found, page, months),
    )


@router.get("/ladders/{ladder}/players/{number}", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def player(
    request: Request, ladder: str, number: Number, before: Annotated[int | None, Query(ge=1, le=2**62)] = None
) -> Response:
    """The page of a player, by the number that a player keeps for ever."""
    facts = memory_of(request).facts
    return _page(
        request,
        ladder,
        lambda live: player_sketch(live, number),
        lambda connection, found: documents.one_player_page(connection, found, before, facts),
    )


@router.get("/ladders/{ladder}/events", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def events(request: Request, ladder: str, page: Page = 1) -> Response:
    """A page of the log, the latest first."""
    listed = memory_of(request).listed
    return _page(
        request,
        ladder,
        LadderSketch.of,
        lambda connection, found: documents.events_page(connection, found, page, listed),
    )


@router.get("/ladders/{ladder}/events/{event:path}", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def event(request: Request, ladder: str, event: str, page: Page = 1) -> Response:
    """A page of an event, by its number in the log; by its key or name it leads there."""
    if not NUMBER.fullmatch(event):
        with service_of(request).ladders.glanced_at(ladder) as (connection, look):
            found = EventNames(connection, look.row.id, look.amendments, look).number(event)
        return _redirected(request, f"{LADDERS}/{ladder}/events/{found}", 303)
    number, events = int(event), memory_of(request).events
    return _page(
        request,
        ladder,
        LadderSketch.of,
        lambda connection, found: documents.one_event_page(connection, found, number, page, events),
    )


@router.get("/ladders/{ladder}/matches", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def matches(request: Request, ladder: str) -> Response:
    """The latest matches."""
    return _page(request, ladder, LadderSketch.of, documents.latest_matches_page)


@router.get("/ladders/{ladder}/all-time", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def all_time(request: Request, ladder: str) -> Response:
    """The highest rating of each player."""
    return _page(request, ladder, highest_sketch, lambda connection, found: highest_page(connection, *found))


@router.get("/ladders/{ladder}/seasons", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def seasons(request: Request, ladder: str) -> Response:
    """The final boards of past seasons."""
    return _page(request, ladder, season_sketch, lambda connection, found: seasons_page(connection, *found))


@router.get("/ladders/{ladder}/about", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def about(request: Request, ladder: str) -> Response:
    """How the ratings are made, and how well they predict."""
    return _page(request, ladder, LadderSketch.of, documents.about_ladder_page)


@router.get("/ladders/{ladder}/arena", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def arena(request: Request, ladder: str) -> Response:
    """Strengths that do not change, fitted to all results."""
    fit = fitted_ladder(request, ladder).fit
    return _page(request, ladder, LadderSketch.of, lambda _, found: documents.arena_page(found, fit))


@router.get("/ladders/{ladder}/search", dependencies=[needs(READ, cost=page_shown), FORMATTED])
def search(
    request: Request, ladder: str, q: Annotated[str, Query(max_length=LONGEST_QUERY)] = ""
) -> Response:
    """Players by a part of their names."""
    with service_of(request).ladders.sketched(ladder, LadderSketch.of) as (_, found):
        pass
    numbers = memory_of(request).names.find(found.look, found.size, q)
    return _page(
        request,
        ladder,
        lambda live: search_sketch(live, numbers, q),
        lambda _, found: documents.search_page(found, q),
    )


@router.get("/ladders/{ladder}/compare", dependencies=[needs(READ, cost=page_shown), FORMATTED])
async def compare(
    request: Request,
    ladder: str,
    player: Annotated[list[int] | None, Query()] = None,
    name: Annotated[list[str] | None, Query()] = None,
) -> Response:
    """Players compared: two of them by number or by name, or more by a script."""

    def page(about_to_read: AboutToRead) -> Response:
        return _page(
            request,
            ladder,
            lambda live: compare_sketch(live, player or _numbers(live, name or ())),
            lambda connection, found: documents.compare_players_page(connection, found, about_to_read),
        )

    def events(live: FollowedLadder) -> list[int]:
        return [live.events_of(one) for one in player or _names(name or ())]

    return await answered_from_meetings(request, ladder, events, page)


def _numbers(live: FollowedLadder, names: Sequence[str]) -> list[int]:
    """The numbers of players, by name; none if no name is given."""
    return [live.ladder._known(name) for name in _names(names)]


def _names(given: Sequence[str]) -> list[str]:
    """The names of a form, whose fields may be empty."""
    return [name.strip() for name in given if name.strip()]


# ---------------------------------------------------------------------- what the script of pages loads


@router.get("/ladders/{ladder}/data/compare.js", dependencies=[needs(READ)])
def compare_data(request: Request, ladder: str) -> Response:
    """Nothing: the service computes chances itself."""
    return _script("compare", {})


@router.get("/ladders/{ladder}/data/players/{number}.js", dependencies=[needs(READ, cost=page_shown)])
def player_data(request: Request, ladder: str, number: Number) -> Response:
    """The history of a player, for comparisons."""
    facts = memory_of(request).facts
    with service_of(request).ladders.sketched(ladder, lambda live: player_sketch(live, number)) as taken:
        compared = documents.compared_live(*taken, facts)
    return _script(f"players/{number}", compared)


def _script(key: str, value: Any) -> Response:
    content = data_script(key, value).encode("utf-8", "replace")
    return Response(content, 200, PAGE_HEADERS, "text/javascript; charset=utf-8")
