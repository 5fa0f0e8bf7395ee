"""Entries of the log as pages show events: the rows of all who took part, with what was expected of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from heapq import merge, nlargest
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Row

from podium.arrays import Ints
from podium.documents.event_page_documents import ListedEventDocument
from podium.documents.service_documents import EntryStatus
from podium.history import Event, Names
from podium.history.history import history_of_values
from podium.pages.event_pages import MOST_WINNERS
from podium.pages.ladder_data import PageBasis
from podium.pages.played_rows import PlayedRows, event_label, iso_times, kept_number, told_apart
from podium.server.ladders.followed_ladder import Look
from podium.server.ladders.numbered_ladder import trace_of
from podium.server.log.log_entries import LogEntry
from podium.server.log.log_reading import changes_of_matches, shown_entry
from podium.server.log.rated_times import entry_as_rated, select_entries
from podium.server.storage import tables

ENTRIES_AT_ONCE = 500
"""Entries that one query asks for."""
LARGE_AT_ONCE = 2
"""Latest events that are read first: if events are large, they are enough."""
EVENTS_AT_ONCE = 100
"""Latest events that are read together after that."""
MOST_LOOKED_AT = 1_000
"""Events among which the latest are looked for that count: others may be void."""


class EntryFacts(NamedTuple):
    """What lists say of an entry of the log."""

    number: int
    name: str
    time: str | None
    label: str
    """What it is called in a sentence."""
    sides: int


def entry_facts(entry: LogEntry) -> EntryFacts:
    """What lists say of an entry."""
    sides = 0 if (counted := rated_event(entry)) is None else len(counted.sides)
    (time,) = iso_times(np.array([entry.rated_time]))
    return EntryFacts(entry.number, entry.name, time, event_label(entry.name, entry.rated_time, sides), sides)


class PlayedEvent(NamedTuple):
    """One event of the log by row, and who was disqualified in it, by number."""

    played: PlayedRows
    disqualified: tuple[int, ...]


class LargeEvent(NamedTuple):
    """What the list of events says of one with many sides; players by number."""

    facts: EntryFacts
    players: Ints
    winners: tuple[int, ...]
    more_winners: int
    gain: float
    gainer: int | None

    def document(self, look: Look, decimals: int) -> ListedEventDocument:
        """The event in the list, with the names that players have now."""
        name_of = look.names_among(self.players)
        return {
            "event": self.facts.number,
            "name": self.facts.name,
            "time": self.facts.time,
            "sides": self.facts.sides,
            "players": len(self.players),
            "winners": [name_of(player) for player in self.winners],
            "more_winners": self.more_winners,
            "largest_gain": kept_number(self.gain, decimals),
            "gainer": None if self.gainer is None else name_of(self.gainer),
            "result": None,
            "note": None,
        }


def large_event(connection: Connection, look: Look, entry: LogEntry, event: Event) -> LargeEvent:
    """What the list says of an event, without a look at everybody's chances."""
    best = min(event.ranks)
    sides = zip(event.sides, event.ranks, strict=True)
    winners = [int(name) for side, rank in sides if rank == best for name in side]
    changes = changes_of_matches(connection, look.row, [entry.number]).values()
    most = max(changes, key=lambda change: change.display - change.display_before, default=None)
    gain = 0.0 if most is None else most.display - most.display_before
    return LargeEvent(
        entry_facts(entry),
        np.array([int(name) for side in event.sides for name in side], np.int32),
        tuple(winners[:MOST_WINNERS]),
        max(len(winners) - MOST_WINNERS, 0),
        max(gain, 0.0),
        most.player if most is not None and gain > 0.0 else None,
    )


def numbered_entries(connection: Connection, look: Look, numbers: Sequence[int]) -> dict[int, LogEntry]:
    """Entries by number as they count now; the players of events are called by their numbers."""
    table = tables.event
    found: dict[int, LogEntry] = {}
    for start in range(0, len(numbers), ENTRIES_AT_ONCE):
        some = table.c.seq.in_(numbers[start : start + ENTRIES_AT_ONCE])
        rows = connection.execute(select_entries(look.row).where(some))
        found |= {row.seq: _counting(row, look) for row in rows}
    return found


def latest_events(connection: Connection, look: Look) -> Iterator[LogEntry]:
    """The events that count now, latest first: a late one stands where it is rated. Few are read at first."""
    position = look.amendments.position
    late = nlargest(MOST_LOOKED_AT, look.amendments.late_numbers(), key=position)
    both = _events_in_place(connection, look), _numbered_events(connection, look, late)
    found = merge(*both, key=lambda entry: position(entry.number), reverse=True)
    return (entry for entry in islice(found, MOST_LOOKED_AT) if rated_event(entry) is not None)


def _events_in_place(connection: Connection, look: Look) -> Iterator[LogEntry]:
    """Events that are rated where they stand in the log, latest first."""
    table = tables.event
    query = (
        select_entries(look.row)
        .where(table.c.kind == "event", table.c.place.is_(None), table.c.target.is_(None))
        .order_by(table.c.seq.desc())
    )
    number, limit = look.row.head + 1, LARGE_AT_ONCE
    while rows := connection.execute(query.where(table.c.seq < number).limit(limit)).all():
        yield from (_counting(row, look) for row in rows)
        number, limit = rows[-1].seq, EVENTS_AT_ONCE


def _numbered_events(connection: Connection, look: Look, numbers: list[int]) -> Iterator[LogEntry]:
    """The events of some numbers, in their order."""
    for start in range(0, len(numbers), EVENTS_AT_ONCE):
        some = numbers[start : start + EVENTS_AT_ONCE]
        entries = numbered_entries(connection, look, some)
        yield from (entries[number] for number in some)


def _counting(row: Row[Any], look: Look) -> LogEntry:
    """An entry as it counts: corrected; what is void counts for nobody."""
    entry = entry_as_rated(row, str) if row.kind == "event" else shown_entry(row, look)
    if entry.target is not None or not isinstance(entry.content, Event):
        return entry
    counting = None if look.amendments.is_pending(entry.number) else look.amendments.in_force(entry, str)
    return replace(entry, rated=False) if counting is None else counting


def rated_event(entry: LogEntry) -> Event | None:
    """The event of an entry, if it counts itself: an amendment does so in the place of its target."""
    return entry.counted if entry.target is None else None


def entry_status(look: Look, number: int) -> EntryStatus:
    """What became of an entry."""
    if look.amendments.is_pending(number):
        return "pending"
    return "void" if look.amendments.is_void(number) else "in force"


def played_entries(
    connection: Connection, basis: PageBasis, look: Look, entries: Sequence[LogEntry]
) -> PlayedRows:
    """The rows of all events among these entries that were rated, in the order given.

    Players are called by their numbers in them. A place after each event is not known.
    """
    counted = [(entry, event) for entry in entries if (event := rated_event(entry)) is not None]
    changes = changes_of_matches(connection, look.row, [entry.number for entry, _ in counted])
    history = history_of_values([event for _, event in counted], Names())
    history = replace(
        history,
        time=np.array([entry.rated_time for entry, _ in counted], np.int64),
        event_names=tuple(entry.name for entry, _ in counted),
        named=None,
    )
    numbers = np.array([int(name) for name in history.players], np.int32)
    player = numbers[history.player] if len(numbers) else history.player
    events = np.array([entry.number for entry, _ in counted], np.int64)
    entry_of_row = np.repeat(events, history.sizes).tolist()
    rows = [changes[key] for key in zip(entry_of_row, player.tolist(), strict=True)]
    whose = player.copy()
    heirs = {number: look.survivor(number) for number in look.merged}
    for number, heir in heirs.items():
        whose[player == number] = heir
    return PlayedRows.gathered(
        basis.system,
        history,
        trace_of(basis.system, rows, performance=any(row.performance is not None for row in rows)),
        basis.decimals,
        owner=player,
        shown=told_apart(history, whose, player) if heirs else whose,
        whose=whose,
        numbers=events,
        place=np.zeros(len(player), np.int32),
        adjusted=[],
        heirs=heirs,
    )
