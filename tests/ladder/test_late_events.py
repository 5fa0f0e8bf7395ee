"""`late=` means the same for a ladder, a ladder with a log and a client."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium import Event, InputError, Ladder, OrderError, ParameterError
from podium.client.sent_words import report_document

LATE = Event.of(ranks={"cat": 1, "ann": 2}, time="2026-05-01", name="late one")


def begun(ladder: Ladder) -> Ladder:
    ladder.record_match("ann", "bob", time="2026-05-09")
    return ladder


def test_a_late_event_is_rated_at_the_time_of_the_last_one(tmp_path: Path) -> None:
    same = begun(Ladder("glicko2"))
    same.record_match("cat", "ann", time="2026-05-09", name="late one")
    plain = begun(Ladder("glicko2"))
    plain.record_event(LATE, late="last")
    with Ladder.open(tmp_path / "season", system="glicko2") as logged:
        begun(logged).record_event(LATE, late="last")
    opened = Ladder.load(tmp_path / "season")
    for ladder in (plain, logged, opened):
        assert ladder.ratings().equals(same.ratings())
        assert ladder.last_time == same.last_time


def test_refused_unless_said_otherwise(tmp_path: Path) -> None:
    with pytest.raises(OrderError):
        begun(Ladder("elo")).record_event(LATE)
    with pytest.raises(InputError, match="no log"):
        begun(Ladder("elo")).record_event(LATE, late="insert")
    for wrong in ("yes", True):
        with pytest.raises(ParameterError, match='late must be "refuse" or "insert" or "last"'):
            begun(Ladder("elo")).record_event(LATE, late=wrong)  # type: ignore[arg-type]


def test_a_key_is_of_the_event_as_reported() -> None:
    ladder = begun(Ladder("elo"))
    first = ladder.record_event(LATE, late="last", key="match 2")
    ladder.record_match("bob", "cat", time="2026-06-01")
    assert ladder.record_event(LATE, late="last", key="match 2") == first


def test_a_client_says_the_same_words() -> None:
    assert "late" not in report_document(LATE, late="last")
    assert report_document(LATE, late="insert")["late"] is True
    for wrong in ("refuse", True):
        with pytest.raises(ParameterError, match='late must be "insert" or "last"'):
            report_document(LATE, late=wrong)  # type: ignore[arg-type]
