"""What a worker remembers so that pages are quick."""

from __future__ import annotations

from itertools import islice

from sqlalchemy import Connection

from podium.server import machine
from podium.server.live_pages.ladder_sketches import LadderSketch
from podium.server.live_pages.large_events import RememberedEvents
from podium.server.live_pages.name_search import NameIndex
from podium.server.live_pages.played_entries import (
    EntryFacts,
    LargeEvent,
    PlayedEvent,
    latest_events,
    rated_event,
)
from podium.server.live_pages.player_rows import MonthStarts

FACTS_REMEMBERED = 50_000
"""Large events of which lists remember what they say."""
EVENTS_REMEMBERED = 16
"""Large events of which all rows are remembered: some megabytes."""
LOOKED_AT = 20
"""Latest events that say whether a ladder is one of matches."""
LOOKED_AGAIN = 1_000
"""Entries after which a ladder is looked at again for that."""


class PageMemory:
    """Folded names for searching, facts about large events, and which ladders are of matches."""

    def __init__(self) -> None:
        self.names = NameIndex()
        self.facts: RememberedEvents[EntryFacts] = RememberedEvents(FACTS_REMEMBERED)
        self.listed: RememberedEvents[LargeEvent] = RememberedEvents(FACTS_REMEMBERED)
        self.events: RememberedEvents[PlayedEvent] = RememberedEvents(EVENTS_REMEMBERED)
        self.months = MonthStarts()
        self._lock = machine.Lock()
        self._matches: dict[int, tuple[int, bool]] = {}

    def forget(self) -> None:
        """Forget all but names, which are those of the ladders in memory."""
        for remembered in (self.facts, self.listed, self.events, self.months):
            remembered.forget()
        with self._lock:
            self._matches.clear()

    def has_matches(self, connection: Connection, found: LadderSketch) -> bool:
        """Whether most of a ladder's latest events have two sides, so that it has a page of matches."""
        row = found.look.row
        with self._lock:
            head, answer = self._matches.get(row.id, (-1, False))
        if head == row.head or LOOKED_AT <= head < row.head < head + LOOKED_AGAIN:
            return answer
        entries = islice(latest_events(connection, found.look), LOOKED_AT)
        sides = [len(event.sides) for entry in entries if (event := rated_event(entry)) is not None]
        answer = 2 * sides.count(2) > len(sides)
        with self._lock:
            self._matches[row.id] = (row.head, answer)
        return answer
