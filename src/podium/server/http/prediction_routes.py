"""Addresses of questions about what is to be expected: chances, places, ranks to reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from podium.arrays import NO_TIME
from podium.documents.prediction_documents import (
    MatchPredictionDocument,
    RankProbabilitiesDocument,
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
    ExpectedRanksDocument,
    RanksToReachDocument,
    RankToReachDocument,
    TopChancesDocument,
)
from podium.history import Event
from podium.history.times import Moment, to_micros
from podium.server import machine
from podium.server.access.request_costs import (
    RERATED_ROWS,
    charge,
    systems_of,
)
from podium.server.access.requirements import needs
from podium.server.access.rights import READ
from podium.server.http.bodies import check_json, parsed, read_body
from podium.server.http.http_answers import (
    document_response,
)
from podium.server.http.ladder_routes import service_of
from podium.server.http.questions import (
    QuestionCost,
    answered_question,
    cost_of_field,
    cost_of_first,
    cost_of_match,
    cost_of_places,
    cost_of_standings,
    is_rated_often,
)
from podium.server.http.reading_routes import seen_ladder
from podium.server.http.schemas import answers, body
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.log.log_entries import time_of_rating
from podium.server.log.reports import event_of_words
from podium.server.sent_data import check_sent
from podium.server.storage.ladder_rows import LadderRow

router = APIRouter(prefix="/ladders/{ladder}")

REFUSALS = [400, 404, 408, 413, 415, 422]
ABOUT_RANKS = ("player", "rating", "ratings")
"""What a question about ranks says beside the standings."""


class Question(NamedTuple):
    """What was asked in a body, and a copy of the ladder with those whom it names."""

    sent: Any
    ladder: NumberedLadder
    row: LadderRow
    charge: Callable[[int], None]
    """Called with the rows that are rated again, before they are."""


Answer = Callable[[Question], Any]


def answering(
    path: str,
    declared: Any,
    examples: Mapping[str, Any],
    kind: str,
    told: Any,
    cost: QuestionCost,
    may_be_heavy: Callable[[Any], bool] = lambda sent: False,
) -> Callable[[Answer], Answer]:
    """Make a route of the function that answers a question, from a copy of those whom it names.

    Reports need not wait for it. `declared` and `told` are what is sent and answered; `may_be_heavy` tells
    whether a question may cost much more than `cost` can tell.
    """

    def read(body: bytes) -> Any:
        sent = parsed(body)
        check_sent(sent, declared)
        return sent

    def routed(answer: Answer) -> Answer:
        async def ask(request: Request, ladder: str) -> Response:
            check_json(request)
            body = await read_body(request, service_of(request).settings)

            def answered(sent: Any) -> Response:
                with seen_ladder(request, ladder, to_micros(sent.get("at"))) as (_, live):
                    copied, row = live.ladder.participants(_named_in(sent)), live.row

                def charge_rows(rows: int) -> None:
                    charge(request, rows * systems_of(copied.system) / RERATED_ROWS)

                return document_response(kind, answer(Question(sent, copied, row, charge_rows)))

            return await answered_question(
                request, ladder, body, read, cost, answered, may_be_heavy=may_be_heavy
            )

        ask.__doc__, ask.__name__ = answer.__doc__, answer.__name__
        router.post(
            path,
            responses=answers(kind, told, refusals=REFUSALS),
            openapi_extra=body(declared, examples),
            operation_id=path[1:].replace("-", "_"),
            dependencies=[needs(READ)],
        )(ask)
        return answer

    return routed


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


@answering("/chances", ChancesRequestDocument, TWO, "prediction", MatchPredictionDocument, cost_of_match)
def ask_chances(question: Question) -> MatchPredictionDocument:
    """The chances of a match between two players or teams. An unknown player counts as a newcomer."""
    sent, served = question.sent, question.ladder
    a, b = sent["a"], sent["b"]
    words = {word: sent[word] for word in ("home", "play", "at") if word in sent}
    score, outcomes = served.expected_score(a, b, **words), served.outcomes(a, b, **words)
    return match_prediction_document(a, b, score, outcomes)


@answering(
    "/rank-probabilities",
    FieldRequestDocument,
    THREE,
    "rank-probabilities",
    RankProbabilitiesDocument,
    cost_of_places,
)
def ask_rank_probabilities(question: Question) -> RankProbabilitiesDocument:
    """The chance of every place and of a tie for each side of a free-for-all of up to 2,000 sides."""
    sent = question.sent
    return rank_probabilities_document(question.ladder.rank_probabilities(sent["sides"], at=sent.get("at")))


@answering(
    "/expected-ranks", FieldRequestDocument, THREE, "expected-ranks", ExpectedRanksDocument, cost_of_field
)
def ask_expected_ranks(question: Question) -> ExpectedRanksDocument:
    """The expected place of each side of a free-for-all of any size."""
    sent = question.sent
    ranks = question.ladder.expected_ranks(sent["sides"], at=sent.get("at"))
    return {"sides": _sides(sent["sides"]), "expected_ranks": ranks.tolist()}


@answering(
    "/top-chances",
    TopChancesRequestDocument,
    {"who wins": {**THREE["three players"], "k": 1}},
    "top-chances",
    TopChancesDocument,
    cost_of_first,
)
def ask_top_chances(question: Question) -> TopChancesDocument:
    """The chance of each side of a free-for-all to finish in the top `k`. A tie counts half."""
    sent = question.sent
    chances = question.ladder.top_chances(sent["sides"], sent["k"], at=sent.get("at"))
    return {"sides": _sides(sent["sides"]), "k": sent["k"], "chances": chances.tolist()}


@answering(
    "/rank-to-reach",
    RankToReachRequestDocument,
    {"to 1700": {"player": "ann", "rating": 1700, "ranks": {"bob": 1, "ann": 2, "cat": 3}}},
    "rank-to-reach",
    RankToReachDocument,
    cost_of_standings,
    is_rated_often,
)
def ask_rank_to_reach(question: Question) -> RankToReachDocument:
    """The worst final rank with which a player in running standings reaches a given rating.

    Without `time`, the event is rated now, as by a report.
    """
    sent, running = question.sent, _running(question)
    question.charge(question.ladder._needed_ranks(Event.of(**running)).rows_rated_for_one(1))
    rank = question.ladder.rank_to_reach(sent["player"], sent["rating"], **running)
    return {"player": sent["player"], "rating": sent["rating"], "rank": rank}


@answering(
    "/ranks-to-reach",
    RanksToReachRequestDocument,
    {"to 1500 and 1700": {"ratings": [1500, 1700], "ranks": {"bob": 1, "ann": 2, "cat": 3}}},
    "ranks-to-reach",
    RanksToReachDocument,
    cost_of_standings,
    is_rated_often,
)
def ask_ranks_to_reach(question: Question) -> RanksToReachDocument:
    """For each player in running standings, the worst final rank that reaches each given rating.

    Each is the rank that `rank-to-reach` gives. Without `time`, the event is rated now, as by a report.
    """
    ratings = question.sent["ratings"]
    needed = question.ladder._needed_ranks(Event.of(**_running(question)))
    question.charge(needed.rows_rated(len(ratings)))
    found = needed.of_all(ratings).items()
    return {
        "ratings": ratings,
        "players": [{"player": player, "ranks": list(ranks)} for player, ranks in found],
    }


def _running(question: Question) -> dict[str, Any]:
    """The standings of a question as `Ladder.record` takes them, at the time at which a report counts."""
    words = {word: value for word, value in question.sent.items() if word not in ABOUT_RANKS}
    received = machine.now_micros() if question.row.fill_times else NO_TIME
    time = time_of_rating(event_of_words(words).time, question.ladder.last_time, received)
    return {**words, "time": None if time == NO_TIME else Moment(time)}


def _sides(sides: list[str | list[str]]) -> list[list[str]]:
    return [[side] if isinstance(side, str) else side for side in sides]
