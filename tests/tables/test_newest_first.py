"""Files that begin with the latest rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium import History
from tables.messy import Messy, guesses

ROWS = "2026-01-14,c2,d\n2026-01-14,c1,d\n2026-01-13,b2,d\n2026-01-13,b1,d\n2026-01-12,a,d\n"
NOTE = "sorted by time (the file is newest first)"


@pytest.fixture
def messy(tmp_path: Path) -> Messy:
    return Messy(tmp_path)


def winners(history: History) -> list[str]:
    return [history.event(number).sides[0][0] for number in range(len(history))]


def test_equal_times_are_turned_round_too(messy: Messy) -> None:
    history = messy.read(f"date,winner,loser\n{ROWS}")
    assert winners(history) == ["a", "b1", "b2", "c1", "c2"]
    assert history.event_name(0) == "5"
    assert NOTE in guesses(history)


def test_a_column_time_keeps_the_order_of_equal_times(messy: Messy) -> None:
    assert winners(messy.read(f"time,winner,loser\n{ROWS}")) == ["a", "b2", "b1", "c2", "c1"]
    renamed = messy.read(f"date,winner,loser\n{ROWS}", columns={"time": "date"})
    assert winners(renamed) == ["a", "b2", "b1", "c2", "c1"]


def test_any_other_order_keeps_the_order_of_equal_times(messy: Messy) -> None:
    history = messy.read(f"date,winner,loser\n{ROWS}2026-01-15,e,d\n")
    assert winners(history) == ["a", "b2", "b1", "c2", "c1", "e"]
    assert NOTE not in guesses(history)


def test_whole_events_are_turned_round(messy: Messy) -> None:
    content = (
        "date,race,driver,place\n2026-01-14,b,ann,1\n2026-01-14,b,bob,2\n"
        "2026-01-14,a,bob,1\n2026-01-14,a,ann,2\n2026-01-13,0,ann,1\n2026-01-13,0,bob,2\n"
    )
    history = messy.read(content)
    assert [history.event_name(number) for number in range(3)] == ["0", "a", "b"]
    assert history.event(1).sides == (("bob",), ("ann",))
