"""Addresses of ratings: players, boards, histories, explanations, fits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from podium.arrays import NO_TIME
from podium.documents.arena_documents import ArenaDocument, arena_document
from podium.documents.explanation_documents import ExplainedDocument, event_explanation_document
from podium.documents.prediction_documents import (
    DistributionDocument,
    distribution_document,
)
from podium.documents.service_documents import (
    BoardDocument,
    HeadToHeadDocument,
    PlayedEventsDocument,
    PlayerRatingDocument,
)
from podium.history.times import to_micros
from podium.server.access.request_costs import (
    FIT,
    FITTED_RESULTS,
    PAST_DATE,
    PAST_ENTRIES,
    PAST_PLAYERS,
    PAST_ROWS,
    charge,
    rows_listed,
)
from podium.server.access.requirements import needs
from podium.server.access.rights import READ
from podium.server.http.answers import (
    MOST_EXPLAINED,
    FacingSketch,
    RatedSketch,
    board_page,
    event_explanation,
    explanation,
    head_to_head,
    look_of_cursor,
    player_history,
    player_rating,
)
from podium.server.http.cursors import check_cursor, generation_of
from podium.server.http.http_answers import (
    checked_against,
    checked_tag,
    document_response,
    entity_tag,
)
from podium.server.http.ladder_routes import NAMED_EVENT, Cursor, Limit, service_of
from podium.server.http.questions import (
    answered_from_log,
    answered_from_meetings,
)
from podium.server.http.schemas import answers
from podium.server.ladders.board import EVERYBODY, BoardFilter
from podium.server.ladders.fitted_ladders import FittedLook
from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.ladders.past_ladders import PastLook
from podium.server.log.log_reading import AboutToRead
from podium.server.storage.ladder_rows import checked_filter

router = APIRouter(prefix="/ladders/{ladder}")

Player = Annotated[str, Query(description="The player's name.", max_length=300)]
At = Annotated[
    str | None,
    Query(description="Ratings at this time, before events of that time. It may be in the past."),
]


@contextmanager
def seen_ladder(
    request: Request, slug: str, at: int, *, cursor: str | None = None, sorts: bool = False
) -> Iterator[tuple[str, FollowedLadder | PastLook]]:
    """The tag of what is answered, and the ladder as it is, held, or as it was at a time.

    Ratings of a later time are those of the ladder as it is, aged, unless somebody `sorts` all of them.
    """
    service = service_of(request)
    with service.looking(slug) as (connection, live):
        check_cursor(connection, cursor, live.row)
        live = service.ladders.of_generation(live, generation_of(cursor))
        tag = entity_tag(live.row)
        if request.method != "POST":  # whoever asks a question in a body has no earlier answer
            checked_against(request, tag)
        if at == NO_TIME or (live.ladder.last_time <= at and not sorts):
            yield tag, live
            return
        found = service.past.find(live, at)
        if found is None:
            entries = service.past.entries_to_rate(connection, live, at)
            cost = PAST_DATE + len(live.ladder) / PAST_PLAYERS
            cost += entries / PAST_ENTRIES + entries * live.players_of_event / PAST_ROWS
    if found is None:
        charge(request, cost, is_stored=True)
        with service.heavy.giving_way():
            found = service.past.look(slug, at)
    yield tag, found


@router.get(
    "/arena",
    responses=answers("arena", ArenaDocument, refusals=[400, 404, 422]),
    operation_id="arena",
    dependencies=[needs(READ)],
)
def look_at_arena(request: Request, ladder: str) -> Response:
    """Strengths that do not change, fitted to all events of single players.

    Each has an interval and its possible ranks. At most 500 players and 400,000 results, and fewer of large
    contests.
    """
    with service_of(request).looking(ladder) as (_, live):
        checked_against(request, entity_tag(live.row))
    row, fit = fitted_ladder(request, ladder)
    return document_response("arena", arena_document(fit), tag=entity_tag(row))


def fitted_ladder(request: Request, ladder: str) -> FittedLook:
    """The fit of a ladder, charged for if it is not kept."""
    service = service_of(request)
    with service.looking(ladder) as (_, live):
        is_kept, results = service.fits.find(live.row) is not None, live.results
    if not is_kept:
        charge(request, FIT + results / FITTED_RESULTS, is_stored=True)
    with service.heavy.giving_way():
        return service.fits.look(ladder)


@router.get(
    "/rating",
    responses=answers("player-rating", PlayerRatingDocument, refusals=[400, 404]),
    operation_id="rating",
    dependencies=[needs(READ)],
)
def look_at_rating(request: Request, ladder: str, player: Player, at: At = None) -> Response:
    """A player's rating and place, now or at a past date."""
    micros = to_micros(at)
    with seen_ladder(request, ladder, micros) as (tag, live):
        return document_response("player-rating", player_rating(live, player, micros), tag=tag)


@router.get(
    "/leaderboard",
    responses=answers("board", BoardDocument, refusals=[400, 404, 410]),
    operation_id="leaderboard",
    dependencies=[needs(READ, cost=rows_listed(50))],
)
def look_at_leaderboard(
    request: Request,
    ladder: str,
    limit: Limit = 50,
    cursor: Cursor = None,
    around: Annotated[str | None, Query(description="The page that contains this player.")] = None,
    min_events: Annotated[
        int | None, Query(ge=0, le=2**31, description="Least number of rated events of a ranked player.")
    ] = None,
    active_since: Annotated[
        str | None, Query(description="A date, a duration such as 90d, or usual.")
    ] = None,
    max_sigma: Annotated[float | None, Query(gt=0, description="Largest sigma of a ranked player.")] = None,
    everybody: Annotated[
        bool, Query(description="Give every player a place and ignore the filters.")
    ] = False,
    at: At = None,
) -> Response:
    """Read a page of the leaderboard. By default the ladder's settings decide who is ranked."""
    with seen_ladder(request, ladder, to_micros(at), cursor=cursor, sorts=True) as (tag, live):
        usual = live.row.filter
        chosen = BoardFilter(
            usual.min_events if min_events is None else min_events,
            usual.active_since if active_since is None else active_since,
            usual.max_sigma if max_sigma is None else max_sigma,
        )
        chosen = EVERYBODY if everybody else checked_filter(chosen, live.ladder.system)
        limit = min(limit, service_of(request).settings.page_rows)
        document = board_page(live, chosen, limit=limit, cursor=cursor, around=around)
        return document_response("board", document, tag=tag)


@router.get(
    "/history",
    responses=answers("player-history", PlayedEventsDocument, refusals=[400, 404, 410]),
    operation_id="history",
    dependencies=[needs(READ, cost=rows_listed(100))],
)
async def look_at_history(
    request: Request, ladder: str, player: Player, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """A player's events and what each changed, latest first."""
    service = service_of(request)
    most = min(limit, service.settings.page_rows)

    def look() -> Response:
        with service.ladders.glanced_at(ladder, player) as (connection, look):
            look = look_of_cursor(connection, look, cursor)
            tag = checked_tag(request, look.row)
            document = player_history(connection, look, limit=most, cursor=cursor)
            return document_response("player-history", document, tag=tag)

    return await answered_from_log(request, ladder, lambda live: min(most, live.events_of(player)), look)


@router.get(
    "/head-to-head",
    responses=answers("head-to-head", HeadToHeadDocument, refusals=[400, 404, 410, 422]),
    operation_id="head_to_head",
    dependencies=[needs(READ, cost=rows_listed(100))],
)
async def look_at_head_to_head(
    request: Request, ladder: str, a: Player, b: Player, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """The record of two players against each other, and the chances of their next match."""
    service = service_of(request)
    most = min(limit, service.settings.page_rows)

    def sketch(live: FollowedLadder) -> tuple[str, FacingSketch]:
        live = service.ladders.of_generation(live, generation_of(cursor))
        return checked_tag(request, live.row), FacingSketch.of(live, a, b)

    def look(about_to_read: AboutToRead) -> Response:
        with service.ladders.sketched(ladder, sketch) as (connection, (tag, facing)):
            document = head_to_head(
                connection, facing, limit=most, cursor=cursor, about_to_read=about_to_read
            )
            return document_response("head-to-head", document, tag=tag)

    return await answered_from_meetings(
        request, ladder, lambda live: (live.events_of(a), live.events_of(b)), look
    )


@router.get(
    "/explanation",
    responses=answers("explanation", ExplainedDocument, refusals=[400, 404]),
    operation_id="explanation",
    dependencies=[needs(READ)],
)
async def look_at_explanation(
    request: Request,
    ladder: str,
    player: Player,
    event: Annotated[str | None, Query(description=NAMED_EVENT)] = None,
) -> Response:
    """Explain a player's rating. With `event`, also explain that event's change."""
    service = service_of(request)

    def sketch(live: FollowedLadder) -> tuple[str, RatedSketch]:
        return checked_tag(request, live.row), RatedSketch.of(live, player)

    def look() -> Response:
        with service.ladders.sketched(ladder, sketch) as (connection, (tag, rated)):
            document = explanation(connection, rated)
            if event is not None:
                explained = event_explanation(connection, rated, event)
                document["event"] = event_explanation_document(explained)
            return document_response("explanation", document, tag=tag)

    def entries(live: FollowedLadder) -> int:
        return min(MOST_EXPLAINED, live.events_of(player)) + (event is not None)

    return await answered_from_log(request, ladder, entries, look)


@router.get(
    "/distribution",
    responses=answers("distribution", DistributionDocument, refusals=[400, 404, 422]),
    operation_id="distribution",
    dependencies=[needs(READ)],
)
def look_at_distribution(request: Request, ladder: str, player: Player, at: At = None) -> Response:
    """The probability distribution of a player's rating."""
    with seen_ladder(request, ladder, to_micros(at)) as (tag, live):
        found = live.ladder.distribution(player, at=at)
        return document_response("distribution", distribution_document(found), tag=tag)
