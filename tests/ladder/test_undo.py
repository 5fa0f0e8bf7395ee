"""Undo takes back exactly: against a ladder on which it never happened, to the last bit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.helpers import DAY, NAMES, START, SYSTEMS, adjustments, content, events, label, some_season
from podium import (
    Anchor,
    Elo,
    Event,
    Glicko2,
    InputError,
    Ladder,
    Merge,
    PodiumError,
    Rename,
    Reset,
    SetRating,
)
from podium.history import Adjustment
from podium.ladder import journal as journal_module
from podium.systems import RatingSystem

UNDO = "undo"


def apply(ladder: Ladder, step: Event | Adjustment) -> bool:
    """Whether the ladder took it; if not it must be as it was."""
    if isinstance(step, Event):
        ladder.record_event(step)
        return True
    before = content(ladder)
    try:
        ladder.adjust(step)
    except PodiumError:
        assert content(ladder) == before
        return False
    return True


@st.composite
def stories(draw: st.DrawFn) -> list[Any]:
    """Records, adjustments and undos in any order."""
    steps: list[Any] = []
    days = 0.0
    for _ in range(draw(st.integers(1, 14))):
        days += draw(st.sampled_from([0.0, 0.5, 3.0, 10.0]))
        kind = draw(st.sampled_from(["event", "event", "adjustment", UNDO]))
        if kind == "event":
            steps.append(draw(events(START + days * DAY)))
        elif kind == "adjustment":
            steps.append(draw(adjustments()))
        else:
            steps.append(UNDO)
    return steps


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
@given(steps=stories(), last=events(START + 100 * DAY))
def test_undone_is_as_if_it_had_never_been(system: RatingSystem, steps: list[Any], last: Event) -> None:
    ladder = Ladder(system)
    kept: list[Any] = []
    for step in steps:
        if step == UNDO:
            if kept:
                ladder.undo()
                kept.pop()
            else:
                with pytest.raises(InputError, match="nothing to undo"):
                    ladder.undo()
        elif apply(ladder, step):
            kept.append(step)
    never = Ladder(system)
    for step in kept:
        assert apply(never, step)
    assert content(ladder) == content(never)
    assert ladder.ratings().equals(never.ratings())
    for name in [*NAMES, "fresh", "another"]:
        assert (name in ladder) == (name in never)
        if name in ladder:
            assert ladder.explain(name) == never.explain(name)
    assert ladder.record_event(last) == never.record_event(last)
    assert content(ladder) == content(never)


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
@pytest.mark.parametrize(
    "adjustment",
    [
        SetRating(player="ann", mu=1800, sigma=60),
        SetRating(player="new", mu=1500),
        Anchor(player="ann", mu=1700),
        Anchor(player="new"),
        Reset(keep=0.3),
        Reset(keep=0.0, toward=1000),
        Rename(player="ann", into="anna"),
        Rename(player="guest", into="host"),
        Merge(player="ann", into="bob"),
        Merge(player="ann", into="new"),
        Merge(player="guest", into="ann"),
    ],
    ids=lambda a: a.describe(),
)
def test_each_adjustment_is_taken_back(system: RatingSystem, adjustment: Adjustment) -> None:
    ladder = some_season(system)
    before, board = content(ladder), ladder.ratings()
    ladder.adjust(adjustment, time=START + 30 * DAY)
    assert ladder.last_time > before["last_time"]
    ladder.record_match("ann", "somebody else", time=START + 31 * DAY)
    ladder.undo()
    ladder.undo()
    assert content(ladder) == before
    assert ladder.ratings().equals(board)


def test_everything_back_to_the_beginning() -> None:
    ladder = some_season(Glicko2())
    for _ in range(5):
        ladder.undo()
    assert content(ladder) == content(Ladder(Glicko2()))
    with pytest.raises(InputError):
        ladder.undo()


def test_a_newcomer_taken_back_is_unknown_again() -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob")
    ladder.record_match("ann", "cat")
    ladder.undo()
    assert "cat" not in ladder
    assert ladder.players.to_list() == ["ann", "bob"]
    ladder.record_match("ann", "dan")
    assert ladder.players.to_list() == ["ann", "bob", "dan"]


def test_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "MOST_EVENTS", 3)
    ladder = Ladder(Elo())
    for _ in range(5):
        ladder.record_match("ann", "bob")
    for _ in range(3):
        ladder.undo()
    with pytest.raises(InputError):
        ladder.undo()
    assert ladder.n_events == 2


def test_large_events_are_remembered_by_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "MOST_ROWS", 10)
    ladder = Ladder(Elo())
    for _ in range(4):
        ladder.record(ranks={str(i): i for i in range(1, 5)})
    assert len(ladder._journal) == 2
    ladder.record(ranks={str(i): i for i in range(1, 30)})  # too large, and still the one to take back
    assert len(ladder._journal) == 1
    ladder.undo()
    assert ladder.n_events == 4
    assert len(ladder.players) == 4
