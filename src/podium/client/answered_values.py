"""The way back: from documents, as a service answers them, to the values that a ladder gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache, partial
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from podium.client.service_values import LoggedEvent
from podium.documents.event_documents import EventDocument
from podium.documents.explanation_documents import (
    ExplanationDocument,
)
from podium.documents.prediction_documents import (
    DistributionDocument,
    RankProbabilitiesDocument,
)
from podium.documents.rating_documents import ChangeDocument
from podium.documents.service_documents import (
    LogEntryDocument,
    LoggedEventDocument,
)
from podium.documents.system_documents import SystemDocument
from podium.history import Event
from podium.history.times import Moment, to_datetime, to_micros
from podium.systems import RatingSystem, make_system
from podium.systems.contract.distribution import Distribution
from podium.systems.contract.explained_ratings import (
    Explanation,
    PerformanceExplanation,
)
from podium.systems.contract.ratings import Change, Changes, RankProbabilities

if TYPE_CHECKING:
    import polars as pl

Value = TypeVar("Value")


def moment(text: str | None) -> datetime | None:
    """A time of a document; None if there is none."""
    return to_datetime(to_micros(text))


def certain_moment(text: str) -> datetime:
    """A time of a document that is always there."""
    found = moment(text)
    assert found is not None
    return found


# ---------------------------------------------------------------------- any value


def value_of(cls: type[Value], document: Mapping[str, Any], **given: Any) -> Value:
    """A value of a dataclass: each field from the document's key of its name, unless it is given.

    A key that an older service leaves out has the field's default.

    >>> from podium.systems.contract.ratings import Rating
    >>> value_of(Rating, {"player": "ann", "mu": 1516.0, "sigma": None, "display": 1516.0, "events": 1,
    ...                   "last_time": "2026-05-01"}).last_time
    datetime.datetime(2026, 5, 1, 0, 0, tzinfo=datetime.timezone.utc)
    """
    declared: type = cls
    told = {
        name: document[name] if read is None else read(document[name])
        for name, read in _field_readers(declared).items()
        if name in document and name not in given
    }
    return cls(**told, **given)


@cache
def _field_readers(cls: type) -> dict[str, Callable[[Any], Any] | None]:
    """What reads the fields of a dataclass by their declared types."""
    hints = get_type_hints(cls)
    return {field.name: _reader(hints[field.name]) for field in fields(cls)}


def _reader(hint: Any) -> Callable[[Any], Any] | None:
    """The function that reads values of a declared type from plain data. None if they are plain."""
    inner = [one for one in get_args(hint) if one is not NoneType]
    if hint is datetime:
        return certain_moment
    if hint is Event:
        return event_value
    if isinstance(hint, type) and is_dataclass(hint):
        return partial(value_of, hint)
    if get_origin(hint) in (Union, UnionType) and len(inner) == 1:
        read = _reader(inner[0])
        return None if read is None else partial(_unless_none, read)
    if get_origin(hint) is tuple:
        read = _reader(inner[0])
        return tuple if read is None else partial(_tuple_of, read)
    return frozenset if get_origin(hint) is frozenset else None


def _unless_none(read: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else read(value)


def _tuple_of(read: Callable[[Any], Any], values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(map(read, values))


# ---------------------------------------------------------------------- ratings and changes


def changes_value(documents: Iterable[ChangeDocument], number: int | None = None) -> Changes:
    """The changes by one event, which has this number in the log."""
    changes = Changes(value_of(Change, one) for one in documents)
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
    if document["form"] == "changes":
        return value_of(Explanation, document)
    low, high = document["bounds"]
    return value_of(
        PerformanceExplanation,
        document,
        older=math.nan if document["older"] is None else document["older"],
        rise=_limit(document["rise"]),
        fall=_limit(document["fall"]),
        bounds=(_limit(low), _limit(high)),
    )


def _limit(number: float | None) -> float:
    """A number that documents leave out if there is no limit."""
    return math.inf if number is None else number


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
    changes = changes_value(document["changes"], document["number"])
    return value_of(LoggedEvent, document, changes=changes, bookmark=bookmark_text(document))


def bookmark_text(document: LogEntryDocument) -> str:
    """Where to go on after an entry; from an older service, its number."""
    return document.get("bookmark") or str(document["number"])
