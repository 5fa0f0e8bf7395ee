"""A change in bulk saves what it touches, and nothing else; from that it is taken back exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from podium import Elo, EloMMR, EloR, Event, Glicko2, History, Ladder, Rename, SetRating, rate
from podium.history import ragged
from podium.ladder import bulk
from podium.systems import RatingSystem, State

SYSTEMS: list[RatingSystem] = [
    Elo(),
    EloMMR(newcomer_start="adaptive"),
    EloMMR(rho=float("inf")),  # whose factors are folded at once, so that lists begin later
    EloMMR(performance="gumbel-min"),
    EloR(noise="all"),
    Glicko2(period="7d", newcomer_start="adaptive"),
]
DAY = "2026-05-{:02}"


class StopError(Exception):
    """Something went wrong in the middle."""


def cups(first: int, last: int, *, fresh: bool = False) -> list[Event]:
    """A cup a day for some of twelve players, and for newcomers if they are `fresh`."""
    return [
        Event.of(
            ranks={f"p{i}": 1 + (i * day) % 5 for i in range(day % 3, 12, 1 + day % 2)}
            | ({f"new {day}": 3} if fresh else {}),
            time=DAY.format(day),
            name=f"cup {day}",
        )
        for day in range(first, last)
    ]


LATER = History.from_events(cups(9, 20, fresh=True))
ADJUSTED = History.concat(
    [
        LATER,
        History.from_events(
            [Rename(player="p1", into="p99"), SetRating(player="p3", mu=1700), *cups(20, 24)]
        ),
    ]
)


def begun(system: RatingSystem) -> Ladder:
    """A ladder after some cups, recorded one by one: its lists have room, so that terms change in place."""
    ladder = Ladder(system)
    for event in cups(1, 9):
        ladder.record_event(event)
    return ladder


def content(ladder: Ladder) -> dict[str, Any]:
    state = {name: array.tobytes() for name, array in ladder.state.to_arrays().items()}
    return {
        "state": state,
        "names": ladder.players.to_list(),
        "numbers": (ladder.n_events, ladder.last_time, len(ladder._journal), ladder.state.has_anchors),
        "rated": ladder._repeats.hashes.copy().to_array().tolist(),
    }


def failing(after: int) -> Callable[[int], None]:
    """Progress that fails as soon as so many rows are rated."""
    left = after

    def progress(rows: int) -> None:
        nonlocal left
        left -= rows
        if left <= 0:
            raise StopError

    return progress


@pytest.mark.parametrize("history", [LATER, ADJUSTED], ids=["events", "adjustments"])
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_what_fails_is_taken_back(
    system: RatingSystem, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rated in pieces of a few rows, and stopped in one: the ladder then goes on as if it had not begun."""
    monkeypatch.setattr(ragged, "FIRST_ROWS", 8)
    monkeypatch.setattr(bulk, "RATED_ROWS_AT_ONCE", 30)
    wanted = Ladder(system)
    wanted.update(History.from_events(cups(1, 9)))
    wanted.update(history)
    for rows in (1, 40, history.rows):
        ladder = begun(system)
        before = content(ladder)
        with pytest.raises(StopError):
            rate(history, ladder=ladder, progress=failing(rows))
        assert content(ladder) == before
        rate(history, ladder=ladder)
        assert content(ladder)["state"] == content(wanted)["state"]


@pytest.mark.parametrize("system", [Elo(), EloMMR()], ids=lambda system: system.name)
def test_only_what_is_touched_is_saved(system: RatingSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = begun(system)

    def never(state: State) -> State:
        raise AssertionError(state)

    monkeypatch.setattr(State, "copy", never)
    duel = History.from_events([Event.of(ranks={"p1": 1, "p2": 2}, time=DAY.format(10))])
    before = ladder.rating("p1").mu
    ladder.update(duel)
    rate(History.from_events([Event.of(ranks={"p2": 1, "p3": 2}, time=DAY.format(11))]), ladder=ladder)
    assert ladder.rating("p1").mu != before


def test_a_change_inside_of_one_in_bulk_saves_everybody() -> None:
    """Also where it overwrites terms that the change in bulk had left where they are."""
    ladder = begun(EloMMR())
    terms = ladder.state.terms
    assert terms is not None
    roomy = ladder.players[int(np.argmax(terms.room - terms.length))]
    before = content(ladder)

    def change() -> None:
        for day in (10, 11):
            duel = History.from_events([Event.of(ranks={roomy: 1, "fresh": 2}, time=DAY.format(day))])
            ladder._rate_piece(duel, trace=False, allow_repeat=False)
            ladder.adjust(SetRating(player=roomy, mu=1900))
        ladder.record_match("p5", "p6")
        ladder.undo()
        raise StopError

    with pytest.raises(StopError):
        ladder._all_or_nothing(change)
    assert content(ladder) == before
