"""Rows of matches made by column are those of the same matches reported one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from podium.arrays import NO_TIME
from podium.history import Event, History
from podium.server.jobs.plain_events import (
    COLUMNS,
    Recording,
    are_mere_matches,
    is_plain,
    match_rows,
    plain_rows,
)
from podium.server.log.log_entries import LogEntry, stored_row
from podium.server.log.reports import event_fingerprint

PLAYERS = ["ann", "Zoë", "10", "é́", "李雷", '"quoted", name', "a\\b"]
FIRST, LADDER, RECEIVED = 41, 3, 1_800_000_000_000_000


def matches(times: list[int]) -> list[Event]:
    """Matches of all pairs, won, lost and drawn, at times of which some may be missing."""
    pairs = [(one, other) for one in PLAYERS for other in PLAYERS if one != other]
    ranks = [(1, 2), (2, 1), (1, 1)]
    return [
        Event(sides=((one,), (other,)), ranks=ranks[number % 3], time=times[number % len(times)])
        for number, (one, other) in enumerate(pairs)
    ]


@pytest.mark.parametrize("times", [[7, 12, 12], [NO_TIME], [NO_TIME, 5, -9]], ids=["timed", "none", "some"])
def test_rows_are_those_of_single_reports(times: list[int]) -> None:
    events = matches(times)
    untimed = History.from_events([replace(event, time=NO_TIME) for event in events])
    history = replace(untimed, time=np.array([event.time for event in events]))
    rated = np.where(history.time == NO_TIME, NO_TIME, np.maximum(history.time, 6))
    assert are_mere_matches(history)
    keys = [f"key-{number}" for number in range(len(events))]
    found = match_rows(Recording(history, history.players, rated, keys, LADDER, FIRST, RECEIVED))
    for number, (event, row) in enumerate(zip(events, found, strict=True)):
        entry = LogEntry(
            number=FIRST + number,
            key=keys[number],
            fingerprint=event_fingerprint(event, frozenset(), True),
            content=event,
            occurred=int(history.time[number]),
            rated_time=int(rated[number]),
            received=RECEIVED,
        )
        stored = stored_row(entry, LADDER, 0, history.players.index_of.__getitem__)
        assert row == tuple(getattr(stored, name) for name in COLUMNS)


def test_more_than_matches_goes_event_by_event() -> None:
    three = History.from_events([Event(sides=(("ann",), ("bob",), ("cat",)), ranks=(1, 2, 2))])
    weighed = History.from_events([Event(sides=(("ann",), ("bob",)), ranks=(1, 2), weight=0.5)])
    for history in (three, weighed):
        assert not are_mere_matches(history)
        recording = Recording(history, history.players, history.time, ["key"], LADDER, FIRST, RECEIVED)
        found = plain_rows(recording, actor=None, allow_repeat=False)
        assert found.columns == COLUMNS
        assert [row[0] for row in found.rows] == [FIRST]


def test_rows_of_contests_with_guests_are_those_of_single_reports() -> None:
    events = [
        Event(
            sides=(("cat",), ("ann",), ("Zoë",), ("bob",)),
            ranks=(1, 2, 2, 4),
            unrated=frozenset(guests),
            ceiling=ceiling,
            name=name,
            time=NO_TIME,
        )
        for guests, ceiling, name in [
            (("Zoë", "ann", "cat"), None, "round 1"),
            (("bob",), 1900.0, "round 2"),
            ((), None, "round 3"),
        ]
    ]
    history = History.from_events(events)
    assert is_plain(history)
    keys = ["a", "b", "c"]
    recording = Recording(history, history.players, history.time, keys, LADDER, FIRST, RECEIVED)
    found = plain_rows(recording, actor=None, allow_repeat=False)
    for number, (event, row) in enumerate(zip(events, found.rows, strict=True)):
        entry = LogEntry(
            number=FIRST + number,
            key=keys[number],
            fingerprint=event_fingerprint(event, frozenset(), True),
            content=event,
            occurred=NO_TIME,
            rated_time=NO_TIME,
            received=RECEIVED,
        )
        stored = stored_row(entry, LADDER, 0, history.players.index_of.__getitem__)
        assert row == tuple(getattr(stored, name) for name in COLUMNS)
