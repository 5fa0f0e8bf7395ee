"""Addresses of ratings: players, boards, histories, explanations, and what is to be expected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from podium.arrays import NO_TIME
from podium.documents.arena_documents import ArenaDocument, arena_document
from podium.documents.explanation_documents import ExplainedDocument, event_explanation_document
from podium.documents.prediction_documents import (
    DistributionDocument,
    MatchPredictionDocument,
    RankProbabilitiesDocument,
    distribution_document,
    match_prediction_document,
    rank_probabilities_document,
)
from podium.documents.request_documents import (
    ChancesRequestDocument,
    FieldRequestDocument,
    RanksToReachRequestDocument,
    RankToReachRequestDocument,
    TopChancesRequestDocument,
)
from podium.documents.service_documents import (
    BoardDocument,
    ExpectedRanksDocument,
    HeadToHeadDocument,
    PlayedEventsDocument,
    PlayerRatingDocument,
    RanksToReachDocument,
    RankToReachDocument,
    TopChancesDocument,
)
from podium.history import Event
from podium.history.times import Moment, to_micros
from podium.server import machine
from podium.server.access.request_costs import (
    FIT,
    PAST_DATE,
    RERATED_ROWS,
    charge,
    rows_listed,
    systems_of,
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
from podium.server.http.bodies import check_json, parsed, read_body
from podium.server.http.cursors import check_cursor, generation_of
from podium.server.http.http_answers import (
    checked_against,
    checked_tag,
    document_response,
    entity_tag,
)
from podium.server.http.ladder_routes import NAMED_EVENT, Cursor, Limit, service_of
from podium.server.http.questions import (
    QuestionCost,
    answered_from_log,
    answered_from_meetings,
    answered_question,
    cost_of_field,
    cost_of_first,
    cost_of_match,
    cost_of_places,
    cost_of_standings,
    is_rated_often,
)
from podium.server.http.schemas import answers, body
from podium.server.ladders.board import EVERYBODY, BoardFilter
from podium.server.ladders.fitted_ladders import FittedLook
from podium.server.ladders.live_ladder import LiveLadder
from podium.server.ladders.past_ladders import PastLook
from podium.server.ladders.served_ladder import ServedLadder
from podium.server.log.log_entries import time_of_rating
from podium.server.log.log_reading import AboutToRead
from podium.server.log.reports import event_of_words
from podium.server.sent_data import check_sent
from podium.server.storage.ladder_rows import LadderRow, checked_filter

router = APIRouter(prefix="/ladders/{ladder}")

Player = Annotated[str, Query(description="The player's name.", max_length=300)]
At = Annotated[
    str | None,
    Query(description="Ratings at this time, before events of that time. It may be in the past."),
]
REFUSALS = [400, 404, 408, 413, 415, 422]
ABOUT_RANKS = ("player", "rating", "ratings")
"""What a question about ranks says beside the standings."""


@contextmanager
def _seen(
    request: Request, slug: str, at: int, *, cursor: str | None = None, sorts: bool = False
) -> Iterator[tuple[str, LiveLadder | PastLook]]:
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
        charge(request, PAST_DATE)
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

    Each has an interval and its possible ranks. At most 500 players and 200,000 events.
    """
    with service_of(request).looking(ladder) as (_, live):
        checked_against(request, entity_tag(live.row))
    row, fit = fitted_ladder(request, ladder)
    return document_response("arena", arena_document(fit), tag=entity_tag(row))


def fitted_ladder(request: Request, ladder: str) -> FittedLook:
    """The fit of a ladder, charged for if it is not kept."""
    service = service_of(request)
    with service.looking(ladder) as (_, live):
        is_kept = service.fits.find(live.row) is not None
    if not is_kept:
        charge(request, FIT)
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
    with _seen(request, ladder, micros) as (tag, live):
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
        int | None, Query(ge=0, le=2**31, description="Rated events that a place requires.")
    ] = None,
    active_since: Annotated[str | None, Query(description="A date, or a duration such as 90d.")] = None,
    max_sigma: Annotated[
        float | None, Query(gt=0, description="The largest sigma that a place allows.")
    ] = None,
    everybody: Annotated[
        bool, Query(description="Give every player a place and ignore the filters.")
    ] = False,
    at: At = None,
) -> Response:
    """Read a page of the leaderboard. By default the ladder's settings decide who is ranked."""
    with _seen(request, ladder, to_micros(at), cursor=cursor, sorts=True) as (tag, live):
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

    def sketch(live: LiveLadder) -> tuple[str, FacingSketch]:
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

    def sketch(live: LiveLadder) -> tuple[str, RatedSketch]:
        return checked_tag(request, live.row), RatedSketch.of(live, player)

    def look() -> Response:
        with service.ladders.sketched(ladder, sketch) as (connection, (tag, rated)):
            document = explanation(connection, rated)
            if event is not None:
                explained = event_explanation(connection, rated, event)
                document["event"] = event_explanation_document(explained)
            return document_response("explanation", document, tag=tag)

    def entries(live: LiveLadder) -> int:
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
    with _seen(request, ladder, to_micros(at)) as (tag, live):
        found = live.ladder.distribution(player, at=at)
        return document_response("distribution", distribution_document(found), tag=tag)


# ---------------------------------------------------------------------- what is to be expected


class Question(NamedTuple):
    """What was asked in a body, and a copy of the ladder with those whom it names."""

    sent: Any
    ladder: ServedLadder
    row: LadderRow
    charge: Callable[[int], None]
    """Called with the rows that are rated again, before they are."""


class Asked(NamedTuple):
    """A kind of question: the keys of its body, its answer, and what that costs."""

    declared: Any
    kind: str
    cost: QuestionCost
    answer: Callable[[Question], Any]
    may_be_heavy: Callable[[Any], bool] = lambda sent: False
    """Whether a question may cost much more than `cost` can tell."""


async def _asked(request: Request, ladder: str, asked: Asked) -> Response:
    """Answer a question that comes as a body, from a copy of those whom it names: reports need not wait."""
    check_json(request)
    body = await read_body(request, service_of(request).settings)

    def read(body: bytes) -> Any:
        sent = parsed(body)
        check_sent(sent, asked.declared)
        return sent

    def answer(sent: Any) -> Response:
        with _seen(request, ladder, to_micros(sent.get("at"))) as (_, live):
            copied, row = live.ladder.participants(_named_in(sent)), live.row

        def charge_rows(rows: int) -> None:
            charge(request, rows * systems_of(copied.system) / RERATED_ROWS)

        return document_response(asked.kind, asked.answer(Question(sent, copied, row, charge_rows)))

    return await answered_question(
        request, ladder, body, read, asked.cost, answer, may_be_heavy=asked.may_be_heavy
    )


def _named_in(sent: Any) -> Iterator[str]:
    """Every text in plain data: players, and other words, which are nobody."""
    if isinstance(sent, str):
        yield sent
    elif isinstance(sent, dict):
        for key, value in sent.items():
            yield key
            yield from _named_in(value)
    elif isinstance(sent, list):
        for value in sent:
            yield from _named_in(value)


TWO = {"two players": {"a": "ann", "b": "bob"}, "two teams": {"a": ["ann", "bob"], "b": ["cat", "dan"]}}
THREE = {"three players": {"sides": ["ann", "bob", "cat"]}}


@router.post(
    "/chances",
    responses=answers("prediction", MatchPredictionDocument, refusals=REFUSALS),
    openapi_extra=body(ChancesRequestDocument, TWO),
    operation_id="chances",
    dependencies=[needs(READ)],
)
async def ask_chances(request: Request, ladder: str) -> Response:
    """The chances of a match between two players or teams. An unknown player counts as a newcomer."""

    def answer(question: Question) -> MatchPredictionDocument:
        sent, served = question.sent, question.ladder
        a, b = sent["a"], sent["b"]
        words = {word: sent[word] for word in ("home", "play", "at") if word in sent}
        score, outcomes = served.expected_score(a, b, **words), served.outcomes(a, b, **words)
        return match_prediction_document(a, b, score, outcomes)

    asked = Asked(ChancesRequestDocument, "prediction", cost_of_match, answer)
    return await _asked(request, ladder, asked)


@router.post(
    "/rank-probabilities",
    responses=answers("rank-probabilities", RankProbabilitiesDocument, refusals=REFUSALS),
    openapi_extra=body(FieldRequestDocument, THREE),
    operation_id="rank_probabilities",
    dependencies=[needs(READ)],
)
async def ask_rank_probabilities(request: Request, ladder: str) -> Response:
    """The chance of every place and of a tie for each side of a free-for-all of up to 2,000 sides."""

    def answer(question: Question) -> RankProbabilitiesDocument:
        sent = question.sent
        return rank_probabilities_document(
            question.ladder.rank_probabilities(sent["sides"], at=sent.get("at"))
        )

    asked = Asked(FieldRequestDocument, "rank-probabilities", cost_of_places, answer)
    return await _asked(request, ladder, asked)


@router.post(
    "/expected-ranks",
    responses=answers("expected-ranks", ExpectedRanksDocument, refusals=REFUSALS),
    openapi_extra=body(FieldRequestDocument, THREE),
    operation_id="expected_ranks",
    dependencies=[needs(READ)],
)
async def ask_expected_ranks(request: Request, ladder: str) -> Response:
    """The expected place of each side of a free-for-all of any size."""

    def answer(question: Question) -> ExpectedRanksDocument:
        sent = question.sent
        ranks = question.ladder.expected_ranks(sent["sides"], at=sent.get("at"))
        return {"sides": _sides(sent["sides"]), "expected_ranks": ranks.tolist()}

    asked = Asked(FieldRequestDocument, "expected-ranks", cost_of_field, answer)
    return await _asked(request, ladder, asked)


@router.post(
    "/top-chances",
    responses=answers("top-chances", TopChancesDocument, refusals=REFUSALS),
    openapi_extra=body(TopChancesRequestDocument, {"who wins": {**THREE["three players"], "k": 1}}),
    operation_id="top_chances",
    dependencies=[needs(READ)],
)
async def ask_top_chances(request: Request, ladder: str) -> Response:
    """The chance of each side of a free-for-all to finish in the top `k`. A tie counts half."""

    def answer(question: Question) -> TopChancesDocument:
        sent = question.sent
        chances = question.ladder.top_chances(sent["sides"], sent["k"], at=sent.get("at"))
        return {"sides": _sides(sent["sides"]), "k": sent["k"], "chances": chances.tolist()}

    asked = Asked(TopChancesRequestDocument, "top-chances", cost_of_first, answer)
    return await _asked(request, ladder, asked)


@router.post(
    "/rank-to-reach",
    responses=answers("rank-to-reach", RankToReachDocument, refusals=REFUSALS),
    openapi_extra=body(
        RankToReachRequestDocument,
        {"to 1700": {"player": "ann", "rating": 1700, "ranks": {"bob": 1, "ann": 2, "cat": 3}}},
    ),
    operation_id="rank_to_reach",
    dependencies=[needs(READ)],
)
async def ask_rank_to_reach(request: Request, ladder: str) -> Response:
    """The worst final rank that still brings a player in running standings to a given rating.

    Without `time`, the event is rated now, as by a report.
    """

    def answer(question: Question) -> RankToReachDocument:
        sent, running = question.sent, _running(question)
        question.charge(question.ladder._needed_ranks(Event.of(**running)).rows_rated_for_one(1))
        rank = question.ladder.rank_to_reach(sent["player"], sent["rating"], **running)
        return {"player": sent["player"], "rating": sent["rating"], "rank": rank}

    asked = Asked(RankToReachRequestDocument, "rank-to-reach", cost_of_standings, answer, is_rated_often)
    return await _asked(request, ladder, asked)


@router.post(
    "/ranks-to-reach",
    responses=answers("ranks-to-reach", RanksToReachDocument, refusals=REFUSALS),
    openapi_extra=body(
        RanksToReachRequestDocument,
        {"to 1500 and 1700": {"ratings": [1500, 1700], "ranks": {"bob": 1, "ann": 2, "cat": 3}}},
    ),
    operation_id="ranks_to_reach",
    dependencies=[needs(READ)],
)
async def ask_ranks_to_reach(request: Request, ladder: str) -> Response:
    """For each player in running standings, the worst final rank that reaches each given rating.

    Each is the rank that `rank-to-reach` gives. Without `time`, the event is rated now, as by a report.
    """

    def answer(question: Question) -> RanksToReachDocument:
        ratings = question.sent["ratings"]
        needed = question.ladder._needed_ranks(Event.of(**_running(question)))
        question.charge(needed.rows_rated(len(ratings)))
        found = needed.of_all(ratings).items()
        return {
            "ratings": ratings,
            "players": [{"player": player, "ranks": list(ranks)} for player, ranks in found],
        }

    asked = Asked(RanksToReachRequestDocument, "ranks-to-reach", cost_of_standings, answer, is_rated_often)
    return await _asked(request, ladder, asked)


def _running(question: Question) -> dict[str, Any]:
    """The standings of a question as `Ladder.record` takes them, at the time at which a report counts."""
    words = {word: value for word, value in question.sent.items() if word not in ABOUT_RANKS}
    received = machine.now_micros() if question.row.fill_times else NO_TIME
    time = time_of_rating(event_of_words(words).time, question.ladder.last_time, received)
    return {**words, "time": None if time == NO_TIME else Moment(time)}


def _sides(sides: list[str | list[str]]) -> list[list[str]]:
    return [[side] if isinstance(side, str) else side for side in sides]
