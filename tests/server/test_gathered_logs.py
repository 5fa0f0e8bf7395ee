"""A log as a history: what two systems are compared by is what the ladder rates."""

from __future__ import annotations

from typing import Any

import podium
from podium.history import Event
from podium.history.times import to_micros
from podium.server.correcting.system_choice import _Gathered
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.log.log_entries import LogEntry


def entry(number: int, content: Any, occurred: str, rated: str) -> LogEntry:
    times = {"occurred": to_micros(occurred), "rated_time": to_micros(rated), "received": 0}
    return LogEntry(number=number, key=str(number), fingerprint=b"", content=content, **times)


def match(winner: str, day: str) -> Event:
    return Event.of(ranks={winner: 1, "bob": 2}, time=day)


def test_a_rating_that_was_set_late_ages_from_its_own_time() -> None:
    """It aged from the time at which it was rated, and was surer than on the ladder."""
    first, last = match("ann", "2026-06-01"), match("cat", "2026-06-02")
    late = podium.SetRating(player="cat", mu=1800.0, sigma=60.0)
    entries = [
        entry(1, first, "2026-06-01", "2026-06-01"),
        entry(2, late, "2022-06-01", "2026-06-01"),
        entry(3, last, "2026-06-02", "2026-06-02"),
    ]
    system = podium.make_system("glicko")
    ladder, gathered = NumberedLadder(system), _Gathered()
    ladder.rate(entries, gathered.add, again=True)
    run = podium.rate(gathered.history(), system)
    assert run.ladder.rating("cat") == ladder.rating("cat")
    on_time = podium.rate(podium.History.from_events([first, late, last]), system)
    assert ladder.rating("cat").sigma > on_time.ladder.rating("cat").sigma
