"""What was reported lately: whose names a form offers, what looks like a repeat, what one may take back."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from podium.arrays import NO_TIME
from podium.history import Event
from podium.server import machine
from podium.server.access.own_reports import is_own_report
from podium.server.access.rights import Access
from podium.server.live_pages.ladder_sketches import LadderSketch
from podium.server.live_pages.played_entries import latest_events
from podium.server.live_pages.report_forms import result_words
from podium.server.log.log_entries import LogEntry

ENTRIES_LOOKED_AT = 100
"""The latest events that these questions are answered from."""
MOST_NAMES = 200
"""Names that a form offers without JavaScript."""
REPEAT_MICROS = 2 * 3_600 * 1_000_000
"""The same result of the same players within this time is likely reported twice."""
MINUTE_MICROS = 60 * 1_000_000


class RecentReport(NamedTuple):
    """A result that was reported, for a list of them."""

    number: int
    words: str
    minutes: int
    """How long ago."""


class RecentReports:
    """The latest events of a ladder."""

    def __init__(self, connection: Connection, found: LadderSketch) -> None:
        self._look = found.look
        self._entries = list(islice(latest_events(connection, found.look), ENTRIES_LOOKED_AT))

    def names(self) -> list[str]:
        """The players who played last, the latest first."""
        numbers: dict[int, None] = {}
        for entry in self._entries:
            numbers |= dict.fromkeys(_players(entry))
            if len(numbers) >= MOST_NAMES:
                break
        name_of = self._look.names_among(np.array([*numbers], np.int32))
        return [name_of(number) for number in islice(numbers, MOST_NAMES)]

    def own(self, access: Access) -> list[RecentReport]:
        """What was reported from a browser and may be taken back from there, the latest first."""
        return [
            self._shown(entry) for entry in self._entries if is_own_report(access, entry.key, entry.received)
        ]

    def likely_repeated(self, event: Event, key: str) -> RecentReport | None:
        """The result that a report of it likely repeats; None if there is none."""
        meant = _result(event, lambda name: name)
        when = machine.now_micros() if event.time == NO_TIME else event.time
        for entry in self._entries:
            assert isinstance(entry.content, Event)
            then = entry.received if entry.occurred == NO_TIME else entry.occurred
            is_near = abs(when - then) < REPEAT_MICROS and entry.key != key
            is_like = is_near and len(entry.content.sides) == len(event.sides)
            if is_like and _result(entry.content, self._name_of(entry)) == meant:
                return self._shown(entry)
        return None

    def _shown(self, entry: LogEntry) -> RecentReport:
        assert isinstance(entry.content, Event)
        minutes = max(0, machine.now_micros() - entry.received) // MINUTE_MICROS
        return RecentReport(entry.number, result_words(entry.content, self._name_of(entry)), minutes)

    def _name_of(self, entry: LogEntry) -> Callable[[str], str]:
        name_of = self._look.names_among(np.array(_players(entry), np.int32))
        return lambda player: name_of(int(player))


def _players(entry: LogEntry) -> list[int]:
    assert isinstance(entry.content, Event)
    return [*map(int, chain(*entry.content.sides))]


def _result(event: Event, name_of: Callable[[str], str]) -> dict[frozenset[str], int]:
    """The ranks of the sides, in whatever order they stand."""
    return {frozenset(map(name_of, side)): rank for side, rank in zip(event.sides, event.ranks, strict=True)}
