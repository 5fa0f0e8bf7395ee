"""Events, what they would change, and what a history holds, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypedDict

from podium.documents.plain_data import plain_time
from podium.documents.rating_documents import ChangeDocument, change_document
from podium.history.times import to_datetime

if TYPE_CHECKING:
    from podium.history import Event
    from podium.history.summary import Summary
    from podium.systems.contract.ratings import Change


class EventSideDocument(TypedDict):
    """One side of an event."""

    players: list[str]
    rank: int
    score: float | None


class EventDocument(TypedDict):
    """An event: who competed, and how it ended."""

    name: str | None
    time: str | None
    sides: list[EventSideDocument]
    weight: float
    home: str | None
    share: float | None
    unrated: list[str]
    play: dict[str, float]
    ceiling: float | None


class PreviewDocument(TypedDict):
    """What an event would change."""

    event: EventDocument
    changes: list[ChangeDocument]


class HistorySummaryDocument(TypedDict):
    """What a history holds, in numbers."""

    events: int
    players: int
    rows: int
    mean_participants: float
    largest_event: int
    tied_rows: int
    team_events: int
    unrated_rows: int
    adjustments: int
    start: str | None
    end: str | None


def event_document(event: Event) -> EventDocument:
    """An event: who competed, and how it ended.

    >>> from podium import Event
    >>> event_document(Event.of(ranks={"ann": 1, "bob": 2}, time="2026-05-01"))["time"]
    '2026-05-01'
    """
    scores = event.scores or [None] * len(event.sides)
    return {
        "name": event.name,
        "time": plain_time(to_datetime(event.time)),
        "sides": [
            {"players": list(side), "rank": rank, "score": score}
            for side, rank, score in zip(event.sides, event.ranks, scores, strict=True)
        ],
        "weight": event.weight,
        "home": event.home,
        "share": event.share,
        "unrated": sorted(event.unrated),
        "play": dict(event.play),
        "ceiling": event.ceiling,
    }


def preview_document(event: Event, changes: Iterable[Change]) -> PreviewDocument:
    """What an event would change, or, recorded, has changed: `Ladder.preview` and `record_event` tell."""
    return {"event": event_document(event), "changes": [change_document(change) for change in changes]}


def history_summary_document(summary: Summary) -> HistorySummaryDocument:
    """What a history holds: `History.summary` tells."""
    return {
        "events": summary.events,
        "players": summary.players,
        "rows": summary.rows,
        "mean_participants": summary.mean_participants,
        "largest_event": summary.largest_event,
        "tied_rows": summary.tied_rows,
        "team_events": summary.team_events,
        "unrated_rows": summary.unrated_rows,
        "adjustments": summary.adjustments,
        "start": plain_time(summary.start),
        "end": plain_time(summary.end),
    }
