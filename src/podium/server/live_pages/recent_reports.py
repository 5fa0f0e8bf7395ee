"""What was reported lately: whose names a form offers, what looks like a repeat, what one may take back."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from podium.arrays import NO_TIME
from podium.history import Event
from podium.server import machine
from podium.server.access.rights import Access
from podium.server.ladders.followed_ladder import Look
from podium.server.live_pages.ladder_sketches import LadderSketch
from podium.server.live_pages.played_entries import latest_events, numbered_entries
from podium.server.live_pages.report_forms import result_words
from podium.server.log.log_entries import LogEntry

ENTRIES_LOOKED_AT = 100
"""The latest events that these questions are answered from."""
MOST_NAMES = 200
"""Names that a form offers without JavaScript."""
DAY_MICROS = 86_400 * 1_000_000
"""For so long may those who reported a result take it back."""
REPEAT_MICROS = 2 * 3_600 * 1_000_000
"""The same result of the same players within this time is likely reported twice."""
MINUTE_MICROS = 60 * 1_000_000


class RecentReport(NamedTuple):
    """A result that was reported, for a list of them."""

    number: int
    words: str
    minutes: int
    """How long ago."""


def new_key(access: Access) -> str:
    """An idempotency key for a form, by which its browser is known again."""
    return f"{_own_keys(access)}{machine.token_hex(12)}"


def _own_keys(access: Access) -> str:
    """What the keys of a browser's forms begin with. The token that it hides is as random as a secret."""
    return f"form-{sha256((access.csrf or '').encode()).hexdigest()[:12]}-"


def is_own(access: Access, entry: LogEntry) -> bool:
    """Whether a result was reported from this browser within a day: then it may be taken back from there."""
    now = machine.now_micros()
    return (
        isinstance(entry.content, Event)
        and entry.target is None
        and entry.key.startswith(_own_keys(access))
        and 0 <= now - entry.received < DAY_MICROS
    )


def is_own_number(connection: Connection, look: Look, access: Access, number: int) -> bool:
    """The same of the event of a number."""
    if not 0 < number <= look.row.head:
        return False
    entry = numbered_entries(connection, look, [number]).get(number)
    return entry is not None and is_own(access, entry)


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
        return [self._shown(entry) for entry in self._entries if is_own(access, entry)]

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
