"""The page of the highest ratings ever."""

from __future__ import annotations

from podium.documents.event_page_documents import AllTimePageDocument
from podium.history.times import to_iso, to_micros
from podium.ladder.bulk import Run
from podium.pages.ladder_data import LadderData, usual_min_events
from podium.pages.played_rows import kept_number

LISTED_PEAKS = 100
PROVEN_EVENTS = 20
"""Events after which a rating may be a record; of newer ladders fewer (`usual_min_events`)."""


def all_time_page(run: Run, data: LadderData) -> AllTimePageDocument:
    """The highest rating of each player of a run that has a trace."""
    min_events = max(usual_min_events(data.events, PROVEN_EVENTS), data.filters.get("min_events", 1))
    found = run.peaks(min_events)
    columns = ("place", "player", "display", "time", "event", "events")
    return {
        "min_events": min_events,
        "players": len(found),
        "peaks": [
            {
                "place": place,
                "player": player,
                "display": kept_number(display, data.decimals),
                "time": None if time is None else to_iso(to_micros(time)),
                "event": event,
                "events": events,
            }
            for place, player, display, time, event, events in found.head(LISTED_PEAKS)
            .select(columns)
            .iter_rows()
        ],
    }
