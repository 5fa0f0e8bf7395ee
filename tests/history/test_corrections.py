"""Events as people call them, and histories with an event, a result or a mistake taken out."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from history.compare import facts
from podium.errors import InputError, UnknownPlayerError
from podium.history import History, Placed, SetRating
from podium.history.corrections import with_replaced, without_event, without_result
from podium.history.event_lookup import events_meant
from podium.history.times import to_micros

FOUR = {"ann": 1, "bob": 2, "cat": 2, "dan": 4}


def contest(name: str, time: str | None = None, ranks: dict[str, int] = FOUR, **more: Any) -> dict[str, Any]:
    return {"ranks": ranks, "name": name, "time": time, **more}


ROUNDS = [
    contest("one", "2026-05-01", weight=2.0),
    SetRating(player="eve", mu=1700),
    contest("two", "2026-05-08T18:00", home="cat"),
    contest("three", "2026-05-08T20:00", unrated=["ann"], ceiling=3000),
]


def matches(columns: dict[str, Any]) -> History:
    return History.from_frame(pl.DataFrame(columns))


def league() -> History:
    """Matches of two rounds, each over two days; the tables of matches name what they belong to."""
    return matches(
        {
            "event": ["round 1", "round 1", "round 2", "round 2"],
            "time": ["2026-05-01", "2026-05-02", "2026-05-08", "2026-05-08"],
            "player_a": ["ann", "cat", "ann", "bob"],
            "player_b": ["bob", "dan", "cat", "dan"],
            "score_a": [1.0, 0.5, 0.0, 1.0],
        }
    )


# ---------------------------------------------------------------------- what events are called


@pytest.mark.parametrize(
    "text, numbers",
    [
        ("two", [1]),
        ("two, 2026-05-08", [1]),
        ("two, 2026-05-08T18:00", [1]),
        ("2026-05-08", [1, 2]),
        ("2026-05-08T20:00:00Z", [2]),
    ],
)
def test_what_an_event_may_be_called(text: str, numbers: list[int]) -> None:
    assert events_meant(History.from_events(ROUNDS), text) == numbers


def test_events_without_names_have_numbers() -> None:
    history = History.from_matches(["ann", "bob"], ["bob", "ann"], time=["2026-05-01", "2026-05-02"])
    assert events_meant(history, "2") == events_meant(history, "2026-05-02") == [1]


def test_a_name_that_looks_like_a_date_is_a_name_first() -> None:
    history = History.from_events([contest("2026-05-08", "2026-05-01"), contest("other", "2026-05-08")])
    assert events_meant(history, "2026-05-08") == [0]


@pytest.mark.parametrize(
    "text, hint",
    [
        ("thre", "did you mean 'three'?"),
        ("two, 2026-05-01", "events are called 'one' to 'three'"),
        ("2027-01-01", "events are called 'one' to 'three'"),
        ("two, 2026-99-99", "events are called 'one' to 'three'"),
    ],
)
def test_events_that_are_not_there(text: str, hint: str) -> None:
    with pytest.raises(InputError, match=f"there is no event {text!r}") as error:
        events_meant(History.from_events(ROUNDS), text)
    assert error.value.hint == hint


# ---------------------------------------------------------------------- without an event


def test_without_an_event_is_as_if_it_had_never_been() -> None:
    found, words = without_event(History.from_events(ROUNDS), "two")
    assert facts(found) == facts(History.from_events([ROUNDS[0], ROUNDS[1], ROUNDS[3]]))
    assert words == "without two, 2026-05-08 18:00"


def test_numbers_stay_with_their_events() -> None:
    history = History.from_matches(["ann", "bob", "ann"], ["bob", "ann", "cat"])
    found, words = without_event(history, 2)
    assert [found.event_name(number) for number in range(2)] == ["1", "3"]
    assert words == "without event 2"


def test_matches_that_share_a_name_go_together() -> None:
    found, words = without_event(league(), "round 1")
    assert [found.event(number).sides for number in range(2)] == [(("ann",), ("cat",)), (("bob",), ("dan",))]
    assert words == "without round 1, 2026-05-01 and round 1, 2026-05-02"
    assert len(without_event(league(), "round 1, 2026-05-02").history) == 3


def test_many_matches_are_counted() -> None:
    history = History.from_matches(["ann"] * 5, ["bob"] * 5, time=["2026-05-01"] * 4 + ["2026-05-02"])
    assert without_event(history, "2026-05-01").words == "without 4 events, 2026-05-01"


def test_contests_that_share_a_name_are_told_apart() -> None:
    history = History.from_events([contest("cup", "2025-05-01"), contest("cup", "2026-05-01")])
    with pytest.raises(InputError, match="'cup' means 2 events: 2025-05-01, 2026-05-01") as error:
        without_event(history, "cup")
    assert error.value.hint == "give the time too: 'cup, 2026-05-01'"
    assert without_event(history, "cup, 2025-05-01").history.time.tolist() == [to_micros("2026-05-01")]


def test_a_history_keeps_an_event() -> None:
    with pytest.raises(InputError, match="no events left"):
        without_event(History.from_events(ROUNDS[:1]), "one")


# ---------------------------------------------------------------------- without a result


@pytest.mark.parametrize(
    "player, ranks",
    [
        ("ann", {"bob": 1, "cat": 1, "dan": 3}),
        ("bob", {"ann": 1, "cat": 2, "dan": 3}),
        ("dan", {"ann": 1, "bob": 2, "cat": 2}),
    ],
)
def test_the_others_close_up(player: str, ranks: dict[str, int]) -> None:
    history = History.from_events([contest("one"), contest("two")])
    event = without_result(history, player, "one").history.event(0)
    assert dict(zip([side[0] for side in event.sides], event.ranks, strict=True)) == ranks
    assert facts(without_result(history, player, "one").history)["events"][1] == facts(history)["events"][1]


def test_a_team_goes_on_without_a_member() -> None:
    teams = [["ann", "bob"], ["cat"], ["dan", "eve"]]
    history = History.from_events([{"teams": teams, "ranks": [1, 2, 3], "name": "cup", "home": "ann"}])
    event = without_result(history, "ann", "cup").history.event(0)
    assert (event.sides, event.ranks, event.home) == ((("bob",), ("cat",), ("dan", "eve")), (1, 2, 3), "bob")
    alone = without_result(history, "cat", "cup").history.event(0)
    assert (alone.sides, alone.ranks) == ((("ann", "bob"), ("dan", "eve")), (1, 2))


def test_a_match_is_left_out() -> None:
    found, words = without_result(league(), "dan", "round 2")
    assert len(found) == 3
    assert words == "without dan in round 2, 2026-05-08"


def test_results_that_are_not_there() -> None:
    history = History.from_events([*ROUNDS, contest("four", "2026-06-01", {"ann": 1, "eve": 2})])
    with pytest.raises(UnknownPlayerError, match="no player 'bobb'") as error:
        without_result(history, "bobb", "one")
    assert error.value.hint == "did you mean 'bob'?"
    with pytest.raises(InputError, match="event 'four': 'bob' did not take part"):
        without_result(history, "bob", "four")
    with pytest.raises(InputError, match="no event 'five'"):
        without_result(history, "bob", "five")


# ---------------------------------------------------------------------- events replaced

OTHER = {"ann": 2, "bob": 1, "fay": 3}


def test_a_replaced_event_stays_where_it_was() -> None:
    """Also among events of the same time, between adjustments, and with players nobody knew."""
    day = "2026-05-08"
    before = [contest("one", day), SetRating(player="eve", mu=1700), contest("two", day, weight=3.0)]
    history = History.from_events([*before, contest("three", day)])
    found, words = with_replaced(history, History.from_events([contest("two", None, OTHER, weight=3.0)]))
    expected = History.from_events(
        [*before[:2], contest("two", day, OTHER, weight=3.0), contest("three", day)]
    )
    assert words == "with two, 2026-05-08 replaced"
    assert facts(found)["events"] == facts(expected)["events"]
    assert found.adjustments == (Placed(1, to_micros(day), SetRating(player="eve", mu=1700)),)


def test_a_new_time_moves_the_event() -> None:
    history = History.from_events(ROUNDS)
    found, _ = with_replaced(history, History.from_events([contest("one", "2026-05-20", OTHER)]))
    assert [found.event_name(number) for number in range(3)] == ["two", "three", "one"]


def test_several_events_are_replaced_at_once() -> None:
    history = History.from_events([contest(name) for name in ("one", "two", "three")])
    other = History.from_events([contest(name, None, OTHER) for name in ("three", "one")])
    found, words = with_replaced(history, other)
    assert [(found.event_name(n), len(found.event(n).sides)) for n in range(3)] == [
        ("one", 3),
        ("two", 4),
        ("three", 3),
    ]
    assert words == "with one and three replaced"


def test_the_time_says_which_of_two_is_replaced() -> None:
    history = History.from_events([contest("cup", "2025-05-01"), contest("cup", "2026-05-01")])
    found, _ = with_replaced(history, History.from_events([contest("cup", "2026-05-01", OTHER)]))
    assert found.sizes.tolist() == [4, 3]
    with pytest.raises(InputError, match="at several times \\(2025-05-01, 2026-05-01\\)"):
        with_replaced(history, History.from_events([contest("cup", None, OTHER)]))


def test_all_matches_of_a_round_are_replaced() -> None:
    one = matches(
        {
            "event": ["round 2"],
            "time": ["2026-05-08"],
            "player_a": ["ann"],
            "player_b": ["dan"],
            "score_a": [1.0],
        }
    )
    found, _ = with_replaced(league(), one)
    assert len(found) == 3
    assert found.event(2).sides == (("ann",), ("dan",))


@pytest.mark.parametrize(
    "other, reason",
    [
        (History.from_events([contest("wto", None, OTHER)]), "(?s)no event 'wto' to replace.*mean 'two'"),
        (History.from_matches(["ann"], ["bob"]), "have no names"),
        (
            History.from_events([SetRating(player="ann", mu=1800), contest("two", None, OTHER)]),
            "not by an adjust",
        ),
    ],
)
def test_replacements_that_replace_nothing(other: History, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        with_replaced(History.from_events(ROUNDS), other)


def test_the_history_itself_stays() -> None:
    history = History.from_events(ROUNDS)
    before = facts(history)
    without_event(history, "one"), without_result(history, "ann", "one")
    with_replaced(history, History.from_events([contest("two", None, OTHER)]))
    assert facts(history) == before
    assert np.all(history.rank == np.tile([1, 2, 2, 4], 3))
