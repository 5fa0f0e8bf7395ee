"""The way back: from documents, as a service answers them, to the values that a ladder gives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.client.service_values import HeadToHead, LoggedEvent, Meeting, ServiceLadder
from podium.documents.event_documents import EventDocument
from podium.documents.explanation_documents import (
    ChangesExplanationDocument,
    EventExplanationDocument,
    ExplanationDocument,
    OpinionDocument,
    PerformancesExplanationDocument,
    PlayedMatchDocument,
)
from podium.documents.prediction_documents import (
    DistributionDocument,
    OutcomesDocument,
    RankProbabilitiesDocument,
)
from podium.documents.rating_documents import ChangeDocument, RatingDocument
from podium.documents.service_documents import (
    HeadToHeadDocument,
    LogEntryDocument,
    LoggedEventDocument,
    ServiceLadderDocument,
)
from podium.documents.system_documents import SystemDocument
from podium.history import Event
from podium.history.times import Moment, to_datetime, to_micros
from podium.ladder.event_explanations import EventExplanation
from podium.systems import RatingSystem, make_system
from podium.systems.contract.distribution import Distribution
from podium.systems.contract.explained_ratings import (
    Contribution,
    EarlierChanges,
    Explanation,
    Opinion,
    OtherPerformances,
    Performance,
    PerformanceExplanation,
    PlayedMatch,
)
from podium.systems.contract.ratings import Change, Changes, Outcomes, RankProbabilities, Rating

if TYPE_CHECKING:
    import polars as pl


def moment(text: str | None) -> datetime | None:
    """A time of a document; None if there is none."""
    return to_datetime(to_micros(text))


def certain_moment(text: str) -> datetime:
    """A time of a document that is always there."""
    found = moment(text)
    assert found is not None
    return found


# ---------------------------------------------------------------------- ratings and changes


def rating_value(document: RatingDocument) -> Rating:
    """A player's rating.

    >>> rating_value({"player": "ann", "mu": 1516.0, "sigma": None, "display": 1516.0, "events": 1,
    ...               "last_time": None}).display
    1516.0
    """
    return Rating(
        player=document["player"],
        mu=document["mu"],
        sigma=document["sigma"],
        display=document["display"],
        events=document["events"],
        last_time=moment(document["last_time"]),
    )


def changes_value(documents: Iterable[ChangeDocument], number: int | None = None) -> Changes:
    """The changes by one event, which has this number in the log."""
    changes = Changes(
        Change(
            player=one["player"],
            rank=one["rank"],
            mu_before=one["mu_before"],
            sigma_before=one["sigma_before"],
            display_before=one["display_before"],
            performance=one["performance"],
            mu=one["mu"],
            sigma=one["sigma"],
            display=one["display"],
        )
        for one in documents
    )
    changes.number = number
    return changes


def board_frame(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """A leaderboard with the columns and types of `Ladder.leaderboard`."""
    import polars as pl

    schema = {"place": pl.UInt32, "player": pl.String, "mu": pl.Float64, "sigma": pl.Float64}
    schema |= {"display": pl.Float64, "events": pl.Int32, "last_time": pl.String}
    columns = {name: [row.get(name) for row in rows] for name in schema} if (rows := list(rows)) else {}
    return _timed(pl.DataFrame(columns, schema=schema), "last_time")


def with_others(board: pl.DataFrame, everybody: pl.DataFrame) -> pl.DataFrame:
    """A leaderboard, then everybody who is not on it, with null for a place."""
    import polars as pl

    others = everybody.join(board, on="player", how="anti", maintain_order="left")
    return pl.concat([board, others], how="diagonal")


def history_frame(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """A player's events and adjustments: numbers in the log, then the columns of `Run.history`."""
    import polars as pl

    schema = {
        "number": pl.Int64,
        "event": pl.String,
        "adjustment": pl.String,
        "account": pl.String,
        "time": pl.String,
        "player": pl.String,
        "rank": pl.Int32,
    }
    floats = ("performance", "mu_before", "sigma_before", "display_before", "mu", "sigma", "display")
    schema |= dict.fromkeys(floats, pl.Float64) | {"rated": pl.Boolean}
    columns = {name: [row.get(name) for row in rows] for name in schema} if (rows := list(rows)) else {}
    return _timed(pl.DataFrame(columns, schema=schema), "time")


def _timed(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """A table with a column of times in place of one of text."""
    import polars as pl

    times = [moment(text) for text in frame[column].to_list()]
    return frame.with_columns(pl.Series(column, times, pl.Datetime("us", "UTC")))


def system_value(document: SystemDocument) -> RatingSystem:
    """The system of a ladder; one that is not podium's own must be registered here too."""
    return make_system(document["system"], **document["parameters"])


# ---------------------------------------------------------------------- predictions


def outcomes_value(document: OutcomesDocument) -> Outcomes:
    """How a match may end."""
    return Outcomes(document["win"], document["draw"], document["loss"])


def rank_probabilities_value(document: RankProbabilitiesDocument) -> RankProbabilities:
    """The chances of every place of a free-for-all."""
    sides = document["sides"]
    names = tuple(_side(side["players"]) for side in sides)
    matrix = np.array([side["probabilities"] for side in sides], np.float64)
    return RankProbabilities(names, matrix, np.array([side["tied"] for side in sides], np.float64))


def _side(players: list[str]) -> str | tuple[str, ...]:
    return players[0] if len(players) == 1 else tuple(players)


def distribution_value(document: DistributionDocument) -> Distribution:
    """The probability distribution of a rating."""
    points, probability = (np.array(document[name], np.float64) for name in ("points", "probability"))
    return Distribution(points, probability, document["player"])


# ---------------------------------------------------------------------- explanations


def explanation_value(document: ExplanationDocument) -> Explanation | PerformanceExplanation:
    """Why a rating is what it is, in either form."""
    if document["form"] == "performances":
        return _performances(document)
    return _changes(document)


def _changes(document: ChangesExplanationDocument) -> Explanation:
    earlier = document["earlier"]
    return Explanation(
        rating=rating_value(document["rating"]),
        newcomer=document["newcomer"],
        older_results=document["older_results"],
        contributions=tuple(
            Contribution(
                event=part["event"],
                time=moment(part["time"]),
                rank=part["rank"],
                sides=part["sides"],
                change=part["change"],
                before=part["before"],
                match=_match(part["match"]),
            )
            for part in document["contributions"]
        ),
        absence=document["absence"],
        own_start=document["own_start"],
        earlier=None
        if earlier is None
        else EarlierChanges(earlier["count"], earlier["what"], earlier["change"]),
        opinions=_opinions(document["opinions"]),
    )


def _performances(document: PerformancesExplanationDocument) -> PerformanceExplanation:
    others = document["others"]
    low, high = document["bounds"]
    return PerformanceExplanation(
        rating=rating_value(document["rating"]),
        start=document["start"],
        start_words=document["start_words"],
        start_share=document["start_share"],
        skewed=document["skewed"],
        older=math.nan if document["older"] is None else document["older"],
        older_share=document["older_share"],
        performances=tuple(
            Performance(
                event=part["event"],
                time=moment(part["time"]),
                rank=part["rank"],
                performance=part["performance"],
                share=part["share"],
                pull=part["pull"],
                match=_match(part["match"]),
            )
            for part in document["performances"]
        ),
        rise=_limit(document["rise"]),
        fall=_limit(document["fall"]),
        bounds=(_limit(low), _limit(high)),
        others=None
        if others is None
        else OtherPerformances(
            others["count"], others["what"], others["performance"], others["share"], others["pull"]
        ),
    )


def event_explanation_value(document: EventExplanationDocument) -> EventExplanation:
    """Why one event moved one player's rating."""
    return EventExplanation(
        event=document["event"],
        player=document["player"],
        rank=document["rank"],
        sides=document["sides"],
        expected_score=document["expected_score"],
        actual_score=document["actual_score"],
        expected_rank=document["expected_rank"],
        mu_before=document["mu_before"],
        sigma_before=document["sigma_before"],
        display_before=document["display_before"],
        performance=document["performance"],
        mu=document["mu"],
        sigma=document["sigma"],
        display=document["display"],
        rated=document["rated"],
        time=moment(document["time"]),
        match=_match(document["match"]),
        opinions=_opinions(document["opinions"]),
        place=document.get("place"),
    )


def _opinions(documents: Iterable[OpinionDocument]) -> tuple[Opinion, ...]:
    return tuple(Opinion(one["expert"], one["share"], one["rating"]) for one in documents)


def _limit(number: float | None) -> float:
    """A number that documents leave out if there is no limit."""
    return math.inf if number is None else number


def _match(document: PlayedMatchDocument | None) -> PlayedMatch | None:
    if document is None:
        return None
    return PlayedMatch(
        opponents=tuple(document["opponents"]),
        result=document["result"],
        chance=document["chance"],
        score=document["score"],
        opponent_score=document["opponent_score"],
        at_home=document["at_home"],
        partners=tuple(document["partners"]),
    )


# ---------------------------------------------------------------------- the log


def event_value(document: EventDocument) -> Event:
    """An event as it was reported.

    >>> from podium.documents import event_document
    >>> event = Event.of(scores={"ann": 3, "bob": 1}, time="2026-05-01", home="bob")
    >>> event_value(event_document(event)) == event
    True
    """
    sides, scores = document["sides"], [side["score"] for side in document["sides"]]
    return Event(
        sides=tuple(tuple(side["players"]) for side in sides),
        ranks=tuple(side["rank"] for side in sides),
        scores=None
        if all(score is None for score in scores)
        else tuple(math.nan if score is None else score for score in scores),
        time=Moment(to_micros(document["time"])),
        weight=document["weight"],
        home=document["home"],
        share=document["share"],
        unrated=frozenset(document["unrated"]),
        play=tuple(document["play"].items()),
        ceiling=document["ceiling"],
        name=document["name"],
    )


def logged_event_value(document: LoggedEventDocument) -> LoggedEvent:
    """An entry of a log."""
    event = document["event"]
    return LoggedEvent(
        number=document["number"],
        key=document["key"],
        received=certain_moment(document["received"]),
        rated=document["rated"],
        rated_time=moment(document["rated_time"]),
        event=None if event is None else event_value(event),
        adjustment=document["adjustment"],
        disqualified=frozenset(document["disqualified"]),
        changes=changes_value(document["changes"], document["number"]),
        entry=document["entry"],
        target=document["target"],
        place=document["place"],
        status=document["status"],
        amended_by=tuple(document["amended_by"]),
        rated_event=None if document["rated_event"] is None else event_value(document["rated_event"]),
        bookmark=bookmark_text(document),
        reason=document.get("reason"),
        link=document.get("link"),
    )


def bookmark_text(document: LogEntryDocument) -> str:
    """Where to go on after an entry; from an older service, its number."""
    return document.get("bookmark") or str(document["number"])


def ladder_value(document: ServiceLadderDocument) -> ServiceLadder:
    """A ladder as its service describes it."""
    return ServiceLadder(
        slug=document["slug"],
        title=document["title"],
        description=document["description"],
        system=document["system"],
        parameters=document["parameters"],
        min_events=document["min_events"],
        active_since=document["active_since"],
        max_sigma=document["max_sigma"],
        fill_times=document["fill_times"],
        players=document["players"],
        events=document["events"],
        head=document["head"],
        generation=document["generation"],
        pending=document["pending"],
        last_time=moment(document["last_time"]),
        created=certain_moment(document["created"]),
        archived=document["archived"],
        private=document.get("private", False),
        system_note=document.get("system_note"),
    )


def head_to_head_value(first: HeadToHeadDocument, meetings: Iterable[Meeting]) -> HeadToHead:
    """How two players did against each other: the first page, and the meetings of all pages."""
    return HeadToHead(
        a=first["a"],
        b=first["b"],
        wins=first["wins"],
        draws=first["draws"],
        losses=first["losses"],
        meetings=tuple(meetings),
        expected_score=first["expected_score"],
        outcomes=outcomes_value(first["outcomes"]),
    )


def meetings_of(page: HeadToHeadDocument) -> list[Meeting]:
    """The meetings on one page."""
    return [
        Meeting(
            number=one["number"],
            event=one["event"],
            time=moment(one["time"]),
            rank_a=one["rank_a"],
            rank_b=one["rank_b"],
            display_a=one["display_a"],
            display_b=one["display_b"],
        )
        for one in page["meetings"]
    ]
