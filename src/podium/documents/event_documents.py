"""Events, their possible rating changes, and a history's summary, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, TypedDict

from podium.documents.declarations import From, TimeText, kind
from podium.documents.plain_data import plain_form
from podium.documents.rating_documents import ChangeDocument, change_document
from podium.history.times import to_datetime

if TYPE_CHECKING:
    from podium.history import Event
    from podium.history.summary import Summary
    from podium.systems.contract.ratings import Change


class EventSideDocument(TypedDict):
    """One side of an event."""

    players: Annotated[list[str], "names of the side's players"]
    rank: Annotated[int, "1 is best. Equal ranks are ties"]
    score: Annotated[float | None, "score, higher is better, or null if ranks were given"]


def _sides(event: Event) -> list[EventSideDocument]:
    scores = event.scores or [None] * len(event.sides)
    return [
        {"players": list(side), "rank": rank, "score": score}
        for side, rank, score in zip(event.sides, event.ranks, scores, strict=True)
    ]


@kind("event")
class EventDocument(TypedDict):
    """An event: who competed, and how it ended.

    `event_document(event)`.
    """

    name: Annotated[str | None, "name of the event, or null if it has none"]
    time: Annotated[
        TimeText | None,
        "time of the event, or null if it has none",
        From(lambda event: to_datetime(event.time)),
    ]
    sides: Annotated[list[EventSideDocument], "the sides that competed, in the given order", From(_sides)]
    weight: Annotated[float, "weight of the event (1 is usual)"]
    home: Annotated[str | None, "the player, or a member of the team, with the home advantage"]
    share: Annotated[
        float | None, "part of the point that went to the first of two sides, or null if ranks decide"
    ]
    unrated: Annotated[list[str], "players who count as opponents only, by name"]
    play: Annotated[dict[str, float], "players who took part in less than the whole event, and the part"]
    ceiling: Annotated[float | None, "highest rating the event can show, or null if there is none"]


@kind("preview")
class PreviewDocument(TypedDict):
    """The possible rating changes of an event.

    The rating changes of an event. `preview_document(event, ladder.preview(…))` has those of an event that is
    not recorded. Given the changes that `ladder.record_event(event)` returns, it has those of a recorded one.
    """

    event: Annotated[EventDocument, "the event"]
    changes: Annotated[list[ChangeDocument], "the changes, one per player"]


@kind("history")
class HistorySummaryDocument(TypedDict):
    """A history in numbers.

    `history_summary_document(history.summary())`.
    """

    events: Annotated[int, "number of events"]
    players: Annotated[int, "number of players"]
    rows: Annotated[int, "number of results: one player in one event"]
    mean_participants: Annotated[float, "mean number of players in an event"]
    largest_event: Annotated[int, "largest number of players in an event"]
    tied_rows: Annotated[int, "number of rows that share their rank with another side"]
    team_events: Annotated[int, "number of events with teams"]
    unrated_rows: Annotated[int, "number of rows that do not count for their player"]
    adjustments: Annotated[int, "number of adjustments"]
    start: Annotated[TimeText | None, "time of the first event, or null if events have no times"]
    end: Annotated[TimeText | None, "time of the last event, or null if events have no times"]


def event_document(event: Event) -> EventDocument:
    """An event: who competed, and how it ended.

    >>> from podium import Event
    >>> event_document(Event.of(ranks={"ann": 1, "bob": 2}, time="2026-05-01"))["time"]
    '2026-05-01'
    """
    return plain_form(event, EventDocument)


def preview_document(event: Event, changes: Iterable[Change]) -> PreviewDocument:
    """The rating changes of an event, by `Ladder.preview` or `record_event`."""
    return {"event": event_document(event), "changes": [change_document(change) for change in changes]}


def history_summary_document(summary: Summary) -> HistorySummaryDocument:
    """A history in numbers, by `History.summary`."""
    return plain_form(summary, HistorySummaryDocument)
