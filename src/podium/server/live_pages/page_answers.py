"""Pages as answers: HTML, or their documents as JSON, or their tables as CSV for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal, get_args
from urllib.parse import urlencode

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from podium.documents.plain_data import compact_json
from podium.documents.service_documents import ProblemDocument
from podium.pages import rendering
from podium.pages.links import Site
from podium.server.access.requirements import access_of
from podium.server.access.rights import ADMIN, REPORT, SCOPES, Access
from podium.server.http.http_answers import checked_against, entity_tag
from podium.server.http.ladder_routes import service_of
from podium.server.http.query_parameters import is_tracking
from podium.server.live_pages.club_look import shown_club
from podium.server.live_pages.live_documents import LivePage
from podium.server.live_pages.live_links import ASSETS, FORMAT, LADDERS, LiveLinks
from podium.server.live_pages.page_memory import PageMemory
from podium.server.problems import UnknownPageError, for_people
from podium.server.storage.ladder_rows import MOST_LISTED_RESULTS, LadderRow
from podium.tables.written_tables import marked

Rows = Iterable[Mapping[str, Any]]

_ROWS: dict[str, Callable[[Any], Rows]] = {
    "leaderboard-page": lambda page: page["rows"],
    "player-page": lambda page: page["results"],
    "event-page": lambda page: page["standings"],
    "event-list": lambda page: page["rows"],
    "matches-page": lambda page: page["recent"],
    "all-time-page": lambda page: page["peaks"],
    "seasons-page": lambda page: [
        {"season": one["season"], **row} for one in page["seasons"] for row in one["board"]
    ],
    "about-page": lambda page: page["parameters"],
    "arena": lambda page: page["strengths"],
    "compare-page": lambda page: (
        [{"a": one, "b": other} for one, other in page["suggested"]]
        if page["pair"] is None
        else [page["pair"]]
    ),
    "search-page": lambda page: page["rows"],
    "ladder-list": lambda page: page["ladders"],
    "service-tournament": lambda page: page["standings"],
    "logged-event": lambda page: page["changes"],
}
"""What of each page is its table."""
LISTED = "; "
"""What stands between the parts of a list in a cell."""


def csv_table(kind: str, document: Mapping[str, Any]) -> str:
    """The table of a page as CSV; parts of a row that are documents themselves are left out.

    A name that a spreadsheet would take for a formula has an apostrophe before it.

    >>> csv_table("search-page", {"rows": [{"player": "ann", "rating": "1516", "place": None}]})
    'player,rating,place\\r\\nann,1516,\\r\\n'
    """
    rows = [dict(row) for row in _ROWS[kind](document)]
    columns = list(dict.fromkeys(key for row in rows for key, value in row.items() if not _is_nested(value)))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue()


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict)


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return ""
    cell = LISTED.join(map(str, value)) if isinstance(value, list) else value
    return marked(cell) if isinstance(cell, str) else cell


Format = Literal["html", "json", "csv"]
HTML = "text/html; charset=utf-8"
PAGE_HEADERS = {"Cache-Control": "private, no-cache", "Vary": "Cookie, Authorization"}
"""A page is asked for again each time, and answered with 304 if it is the same."""
_RENDERED: dict[str, Callable[[Any, Site], str]] = {
    "leaderboard-page": rendering.render_leaderboard,
    "player-page": rendering.render_player,
    "event-page": rendering.render_event,
    "event-list": partial(rendering.render_events, listed="report"),  # adjustments and amendments too
    "matches-page": rendering.render_matches,
    "all-time-page": rendering.render_all_time,
    "seasons-page": rendering.render_seasons,
    "compare-page": rendering.render_compare,
    "search-page": rendering.render_search,
    "about-page": lambda document, site: rendering.render_about(document, (), site),
    "logged-event": rendering.render_entry,
    "arena": rendering.render_arena,
}


def wanted_format(request: Request, format: str = "html") -> None:
    """Note what of a page is asked for."""
    if format not in get_args(Format):
        raise UnknownPageError("a page is html, json or csv", hint="leave out the parameter format")
    request.state.format = format


FORMATTED: Any = Depends(wanted_format)
"""The mark of a route whose page is there as JSON and CSV too."""


def memory_of(request: Request) -> PageMemory:
    """What the worker remembers for pages."""
    memory: PageMemory = request.app.state.page_memory
    return memory


def own_address(request: Request) -> str:
    """The address of the page that is asked for, whatever its format."""
    given = request.query_params.multi_items()
    kept = [(name, value) for name, value in given if name != FORMAT and not is_tracking(name)]
    return request.url.path + (f"?{urlencode(kept)}" if kept else "")


def checked_page_tag(request: Request, row: LadderRow, access: Access) -> str:
    """The tag of a ladder's pages for somebody; raises `NotModifiedError` if the reader has such a page."""
    rights = "a" if access.may(ADMIN, row.id) else "r" if access.may(REPORT, row.id) else "p"
    tag = f'{entity_tag(row)[:-1]}-{rights}{"" if access.csrf is None else "s"}"'
    return checked_against(request, tag)


def club_site(request: Request, links: LiveLinks, ladder: str = "", digits: int = 0) -> Site:
    """What a page knows of the service, with the club of its settings; `ladder` is the title of one."""
    settings = service_of(request).settings
    return Site(settings.club, links, ladder, "/" if ladder else "", digits, shown_club(settings))


def ladder_site(
    request: Request,
    row: LadderRow,
    players: dict[str, int],
    *,
    matches: bool,
    tournaments: bool = False,
    digits: int = 0,
) -> Site:
    """What a page of a ladder knows of the others, for somebody who looks at it."""
    access, here = access_of(request), own_address(request)
    may = frozenset(scope for scope in SCOPES if access.may(scope, row.id))
    logged_in = access.csrf is not None
    peaks = 0 < row.events * (2 if matches else row.players) <= MOST_LISTED_RESULTS
    links = LiveLinks(
        row.slug,
        here,
        players,
        matches=matches,
        tournaments=tournaments,
        peaks=peaks,
        may=may,
        logged_in=logged_in,
    )
    return club_site(request, links, row.settings["title"] or row.slug, digits)


def page_answer(request: Request, page: LivePage, *, matches: bool, tournaments: bool, tag: str) -> Response:
    """A page in the format that is asked for."""
    row = page.ladder.look.row
    digits = page.ladder.basis.digits
    site = ladder_site(request, row, page.players, matches=matches, tournaments=tournaments, digits=digits)
    return formatted(
        request,
        page.kind,
        page.document,
        lambda: _RENDERED[page.kind](page.document, site),
        tag=tag,
    )


def formatted(
    request: Request, kind: str, document: Mapping[str, Any], render: Callable[[], str], *, tag: str | None
) -> Response:
    """A document as a page, as JSON or as CSV, in a route that is marked with `FORMATTED`."""
    format: Format = request.state.format
    headers = dict(PAGE_HEADERS) if tag is None else {**PAGE_HEADERS, "ETag": tag}
    if format == "json":
        return Response(compact_json(kind, document).encode(), 200, headers, "application/json")
    if format == "csv":
        headers["Content-Disposition"] = f'attachment; filename="{kind}.csv"'
        return Response(csv_table(kind, document).encode(), 200, headers, "text/csv; charset=utf-8")
    return Response(render().encode("utf-8", "replace"), 200, headers, HTML)


def wants_page(request: Request) -> bool:
    """Whether a request is for a page: a person reads what is answered to it."""
    path = request.url.path
    if path == "/" or path.startswith((f"{LADDERS}/", f"{ASSETS}/")):
        return True
    return not path.startswith("/api/") and "text/html" in request.headers.get("accept", "")


def for_reader(request: Request, refused: Response) -> Response:
    """A refusal as whoever asked reads it: a problem document for programs, a page for people."""
    if not wants_page(request):
        return refused
    problem: ProblemDocument = for_people(json.loads(bytes(refused.body)))
    text = rendering.render_refusal(problem, club_site(request, LiveLinks("", "/", {})))
    kept = {name: value for name, value in refused.headers.items() if not name.startswith("content-")}
    return Response(text.encode("utf-8", "replace"), refused.status_code, PAGE_HEADERS | kept, HTML)
