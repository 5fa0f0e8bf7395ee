"""Histories: looking at them, their parts, several of them, and the order of time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from history.compare import facts
from history.strategies import histories
from podium.arrays import NO_TIME, SECOND
from podium.errors import InputError
from podium.history import Event, History, Merge, Names, Placed, Release, Rename, Reset, SetRating, Skipped
from podium.history.columns import event_columns
from podium.history.times import to_micros


def numbered(times: list[int]) -> History:
    """A match at each time, called by its place in the list."""
    return History.from_events(
        {"ranks": {"ann": 1, "bob": 2}, "time": time, "name": f"match {i}"} for i, time in enumerate(times)
    )


def rounds(n: int, **more: Any) -> History:
    """Matches without times and names: player 0 beats 1, 2 beats 3, …"""
    return History.from_events({"ranks": {f"p{2 * i}": 1, f"p{2 * i + 1}": 2}, **more} for i in range(n))


def names_of(history: History) -> list[str]:
    return [event.name or "" for event in history]


# ------------------------------------------------------------------ making and looking


def test_columns_of_events() -> None:
    history = History.from_events(
        [
            {"ranks": {"ann": 1, "bob": 2, "cat": 2}},
            {"teams": [["dan", "ann"], ["bob"]], "scores": [3, 5.5], "weight": 2.0, "home": "ann"},
        ]
    )
    assert history.players.to_list() == ["ann", "bob", "cat", "dan"]
    assert history.offsets.tolist() == [0, 3, 6]
    assert history.player.tolist() == [0, 1, 2, 3, 0, 1]
    assert history.rank.tolist() == [1, 2, 2, 2, 2, 1]
    assert history.side is not None
    assert history.side.tolist() == [0, 1, 2, 0, 0, 1]
    assert history.score is not None
    assert np.isnan(history.score[:3]).all()
    assert history.score[3:].tolist() == [3, 3, 5.5]
    assert history.weight is not None
    assert history.weight.tolist() == [1, 2]
    assert history.home is not None
    assert history.home.tolist() == [-1, 0]
    assert history.time.tolist() == [NO_TIME, NO_TIME]
    assert (len(history), history.rows) == (2, 6)
    assert history.sizes.tolist() == [3, 3]
    assert history.event_of_row.tolist() == [0, 0, 0, 1, 1, 1]
    assert history.sides_per_event.tolist() == [3, 2]
    assert history.tied.tolist() == [False, True, True, False, False, False]


def test_columns_nobody_gave_are_none() -> None:
    history = rounds(2)
    for column in (
        "score",
        "share",
        "side",
        "team",
        "team_names",
        "unrated",
        "weight",
        "home",
        "ceiling",
        "event_names",
    ):
        assert getattr(history, column) is None


@given(histories(adjusted=False))
def test_events_come_out_as_they_went_in(history: History) -> None:
    again = History.from_events(history)
    assert list(again) == list(history)
    assert facts(again)["events"] == facts(history)["events"]


def test_one_event_has_only_what_it_was_given() -> None:
    history = History.from_events(
        [
            {"ranks": {"ann": 1, "bob": 2}},
            {"scores": {"bob": 2, "ann": 1}, "ceiling": 2400, "share": 0.75, "unrated": ["ann"], "name": "B"},
        ]
    )
    plain, rich = history
    assert plain == Event.of(ranks={"ann": 1, "bob": 2}, name="1")
    assert rich.scores == (2.0, 1.0)
    assert (rich.ceiling, rich.share, rich.unrated, rich.name) == (2400.0, 0.75, {"ann"}, "B")
    assert history.event(-1) == rich
    with pytest.raises(IndexError):
        history.event(2)


def test_events_by_name() -> None:
    history = numbered([1, 2, 3])
    assert history.find_event("match 1") == 1
    with pytest.raises(InputError, match="no event 'match 7'") as caught:
        history.find_event("match 7")
    assert "'match 0' to 'match 2'" in (caught.value.hint or "")


def test_events_by_number_keep_their_number_in_a_slice() -> None:
    part = rounds(5)[2:4]
    assert [part.event_name(i) for i in range(2)] == ["3", "4"]
    assert part.find_event(3) == 0
    with pytest.raises(InputError):
        part.find_event("1")


def test_ties_between_sides_only() -> None:
    history = History.from_events([{"teams": [["ann", "bob"], ["cat", "dan"]], "ranks": [1, 2]}])
    assert not history.tied.any()
    drawn = History.from_events([{"teams": [["ann", "bob"], ["cat", "dan"], ["eve"]], "ranks": [1, 1, 2]}])
    assert drawn.tied.tolist() == [True] * 4 + [False]


def test_summary() -> None:
    history = History.from_events(
        [
            SetRating(player="zoe", mu=1800),
            {"ranks": {"ann": 1, "bob": 2, "cat": 2}, "time": "2026-05-01"},
            {
                "teams": [["ann", "bob"], ["cat"]],
                "ranks": [1, 2],
                "time": "2026-05-02T10:00",
                "unrated": ["cat"],
            },
        ]
    )
    summary = history.summary()
    assert (summary.events, summary.players, summary.rows) == (2, 3, 6)
    assert (summary.mean_participants, summary.largest_event) == (3.0, 3)
    assert (summary.tied_rows, summary.team_events, summary.unrated_rows, summary.adjustments) == (2, 1, 1, 1)
    assert str(summary) == (
        "2 events, 3 players, 6 rows (3.0 an event, at most 3), 33.3% tied, 1 with teams, 1 rows unrated, "
        "1 adjustment, 2026-05-01 to 2026-05-02T10:00:00Z"
    )
    assert repr(history) == f"<History: {summary}>"


def test_summary_of_nothing() -> None:
    summary = rounds(1)[:0].summary()
    assert (summary.events, summary.players, summary.rows, summary.start) == (0, 0, 0, None)
    assert str(summary).startswith("0 events")


@pytest.mark.parametrize(
    "items, reason",
    [
        ([], "there are no events"),
        (
            [{"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"ann": 0, "bob": 2}}],
            "event '2': the rank of 'ann' is 0",
        ),
        ([{"ranks": {"ann": 0, "bob": 2}, "name": "final"}], "event 'final': the rank"),
        ([{"rank": {"ann": 1, "bob": 2}}], "event '1': 'rank' is not part of an event"),
        ([("ann", "bob")], "is not an event"),
    ],
)
def test_bad_items_are_named(items: list[Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        History.from_events(items)


def test_kernels_get_plain_arrays() -> None:
    history = rounds(3)
    columns = event_columns(history)
    assert columns.player is history.player
    assert [len(c) for c in (columns.side, columns.held, columns.weight, columns.home, columns.share)] == [
        0
    ] * 5
    frozen = replace(history, rank=history.rank.copy())
    frozen.rank.flags.writeable = False
    plain = event_columns(frozen).rank
    assert plain.flags.writeable
    assert plain.tolist() == history.rank.tolist()


def test_histories_load_no_tables() -> None:
    code = (
        "import sys, podium.history as h, podium.files.checksummed;"
        "h.History.from_events([{'ranks': {'a': 1, 'b': 2}, 'time': 0}])[0:1].summary();"
        "sys.exit('polars' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ------------------------------------------------------------------ slices


@given(histories(), st.data())
def test_a_slice_is_the_events_of_the_slice(history: History, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(history)))
    stop = data.draw(st.integers(start, len(history)))
    part = history[start:stop]
    assert facts(part)["events"] == facts(history)["events"][start:stop]
    assert part.players is history.players


@given(histories(), st.data())
def test_slices_put_together_are_the_whole(history: History, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(history)), max_size=3)))
    edges = [0, *cuts, len(history)]
    parts = [history[a:b] for a, b in pairwise(edges)]
    assert facts(History.concat(parts)) == facts(history)


def test_slices_as_python_means_them() -> None:
    history = rounds(5)
    assert names_of(history[-2:]) == ["4", "5"]
    assert names_of(history[3:1]) == []
    assert len(history[:100]) == 5
    with pytest.raises(InputError, match="steps of one"):
        history[::2]
    with pytest.raises(TypeError, match=r"history.event\(10\)"):
        history[0]  # type: ignore[index]


def test_a_slice_shares_its_arrays() -> None:
    history = rounds(5)
    assert np.shares_memory(history[1:3].player, history.player)


def test_adjustments_go_with_the_event_behind_them() -> None:
    before, middle, after = SetRating(player="ann", mu=1), Reset(), Release(player="bob")
    match = {"ranks": {"ann": 1, "bob": 2}}
    history = History.from_events([before, match, match, middle, match, after])
    assert [p.adjustment for p in history[:2].adjustments] == [before]
    assert [(p.before, p.adjustment) for p in history[2:].adjustments] == [(0, middle), (1, after)]
    assert history[3:].adjustments == ()  # the end belongs to the slice with the last event
    assert history[1:2].adjustments == ()


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 100])
def test_chunks_are_whole_events(rows: int) -> None:
    match, large = {"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"ann": 1, "bob": 2, "cat": 3, "dan": 4}}
    history = History.from_events([match, large, match, match, Reset(), large, Reset()])
    pieces = list(history.chunks(rows))
    assert all(len(piece) == 1 or piece.rows <= rows for piece in pieces)
    assert facts(History.concat(pieces)) == facts(history)
    # No two neighbours would have fitted into one piece.
    assert all(a.rows + b.sizes[0] > rows for a, b in pairwise(pieces))


def test_chunks_of_nothing_keep_its_adjustments() -> None:
    history = History.from_events([Reset()])
    assert [len(piece.adjustments) for piece in history.chunks(10)] == [1]


# ------------------------------------------------------------------ between and filter


def test_between_takes_the_start_and_not_the_end() -> None:
    history = numbered([10, 20, 20, 30])
    assert names_of(history.between(20, 30)) == ["match 1", "match 2"]
    assert names_of(history.between(None, 20)) == ["match 0"]
    assert names_of(history.between(21)) == ["match 3"]
    assert names_of(history.between()) == names_of(history)
    assert names_of(history.between(99)) == []


def test_between_takes_the_adjustments_of_that_time() -> None:
    history = numbered([10, 20, 30]).with_adjustments(
        [
            (5, SetRating(player="ann", mu=1)),
            (20, Reset()),
            (25, Reset(keep=0.1)),
            (99, Release(player="ann")),
        ]
    )
    part = history.between(20, 30)
    assert [(p.before, p.time) for p in part.adjustments] == [(0, 20 * SECOND), (1, 25 * SECOND)]
    assert [p.before for p in history.between(26).adjustments] == [1]


def test_between_needs_times() -> None:
    history = rounds(3)
    assert len(history.between()) == 3
    with pytest.raises(InputError, match="no times") as caught:
        history.between("2026-01-01")
    assert "history[10:20]" in (caught.value.hint or "")


def test_filter_events_by_name_mask_or_function() -> None:
    history = numbered([1, 2, 3])
    for events in (
        ["match 2", "match 0", "unheard of"],
        {"match 2", "match 0"},
        [True, False, True],
        np.array([True, False, True]),
        lambda event: event.time != 2 * SECOND,
    ):
        assert names_of(history.filter(events=events)) == ["match 0", "match 2"]
    assert names_of(history.filter(events="match 1")) == ["match 1"]
    assert names_of(rounds(3).filter(events=[2])) == ["2"]
    assert len(history.filter(events=[])) == 0


def test_a_mask_of_another_length_is_refused() -> None:
    with pytest.raises(InputError, match="a mask of 2 for 3 events"):
        numbered([1, 2, 3]).filter(events=[True, False])


def test_filter_players() -> None:
    history = History.from_events(
        [
            {"scores": {"ann": 3, "bob": 2, "cat": 1}, "weight": 2.0, "time": 1},
            {"ranks": {"ann": 1, "bob": 2}, "time": 2},
            Rename(player="ann", into="anna"),
            {"ranks": {"cat": 1, "ann": 2}, "home": "cat", "time": 3},
        ]
    )
    kept = history.filter(players=["ann", "cat"])
    assert names_of(kept) == ["1", "3"]
    first, last = kept
    assert (first.sides, first.ranks, first.scores, first.weight) == (
        (("ann",), ("cat",)),
        (1, 3),
        (3.0, 1.0),
        2.0,
    )
    assert (last.home, last.time) == ("cat", 3 * SECOND)
    assert [p.before for p in kept.adjustments] == [1]
    assert facts(history.filter(players=lambda name: name != "bob")) == facts(kept)
    assert len(history.filter(players="ann")) == 0


def test_filter_inside_teams() -> None:
    history = History.from_events(
        [
            {"teams": [["ann", "bob"], ["cat", "dan"], ["eve"]], "ranks": [1, 2, 3], "home": "cat"},
            {"teams": [["ann", "bob"], ["cat", "dan"]], "ranks": [1, 2], "home": "cat"},
        ]
    )
    first, second = history.filter(players={"bob", "dan", "eve"})
    assert (first.sides, first.ranks) == ((("bob",), ("dan",), ("eve",)), (1, 2, 3))
    assert first.home == "dan"  # the home mark passes to a team mate
    assert second.home == "dan"
    without_home = history.filter(players={"ann", "bob", "eve"})
    assert names_of(without_home) == ["1"]  # in the second event only one side is left
    assert without_home.event(0).sides == (("ann", "bob"), ("eve",))
    assert without_home.event(0).home is None


def test_a_home_mark_leaves_with_its_player() -> None:
    history = History.from_events([{"ranks": {"ann": 1, "bob": 2, "cat": 3}, "home": "bob"}])
    assert history.filter(players=["ann", "cat"]).event(0).home is None


@given(histories())
def test_filtering_nothing_changes_nothing(history: History) -> None:
    assert facts(history.filter(players=lambda _: True, events=lambda _: True)) == facts(history)


# ------------------------------------------------------------------ the order of time


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_sorting_is_stable(times: list[int]) -> None:
    history = numbered(times)
    expected = sorted(range(len(times)), key=times.__getitem__)
    assert names_of(history) == [f"match {i}" for i in expected]
    assert history.time.tolist() == sorted(time * SECOND for time in times)


@given(st.permutations(range(6)))
def test_rows_move_with_their_event(order: list[int]) -> None:
    def event(i: int) -> dict[str, Any]:
        players = [f"p{i}", f"q{i}", f"r{i}"]
        words: dict[str, Any] = {
            "scores": {p: i + k for k, p in enumerate(players)},
            "time": i,
            "weight": i + 1,
        }
        return words | {"home": players[1], "unrated": players[2:], "ceiling": 100 * i, "name": f"e{i}"}

    shuffled = History.from_events(event(i) for i in order)
    straight = History.from_events(event(i) for i in range(6))
    assert list(shuffled) == list(straight)


def test_events_without_names_keep_their_first_number() -> None:
    history = History.from_events({"ranks": {"ann": 1, "bob": 2}, "time": t} for t in (30, 10, 20))
    assert names_of(history) == ["2", "3", "1"]


def test_some_times_are_refused() -> None:
    with pytest.raises(InputError, match="event '2': the event has no time, though others have") as caught:
        History.from_events([{"ranks": {"ann": 1, "bob": 2}, "time": 5}, {"ranks": {"ann": 1, "bob": 2}}])
    assert "every event a time, or none" in (caught.value.hint or "")


def test_adjustments_stay_behind_the_events_they_followed() -> None:
    def match(name: str, time: int) -> dict[str, Any]:
        return {"ranks": {"ann": 1, "bob": 2}, "time": time, "name": name}

    history = History.from_events(
        [
            Reset(keep=0.1),
            match("a", 20),
            Reset(keep=0.2),
            match("b", 20),
            match("c", 10),
            Reset(keep=0.3),
            match("d", 30),
        ]
    )
    assert names_of(history) == ["c", "a", "b", "d"]
    keeps = [(p.before, p.adjustment.keep) for p in history.adjustments]  # type: ignore[attr-defined]
    assert keeps == [(0, 0.1), (2, 0.2), (3, 0.3)]


def test_adjustments_are_sorted_by_their_own_time_too() -> None:
    history = numbered([10, 20, 30])
    late = replace(
        history, adjustments=(Placed(0, 25 * SECOND, Reset()), Placed(3, 15 * SECOND, Reset(keep=0.1)))
    )
    assert [(p.before, p.time) for p in late.in_time_order().adjustments] == [
        (1, 15 * SECOND),
        (2, 25 * SECOND),
    ]


def test_adjustments_with_times_need_events_with_times() -> None:
    with pytest.raises(
        InputError, match=r"the adjustment \(reset keep=0.5\) has a time, though no event has"
    ):
        rounds(2).with_adjustments([("2026-05-01", Reset())])


def test_with_adjustments() -> None:
    history = numbered([10, 20, 20, 30])
    adjusted = history.with_adjustments(
        [(20, Reset()), (None, SetRating(player="zoe", mu=1)), (99, Release(player="ann"))]
    )
    assert [(p.before, p.adjustment.kind) for p in adjusted.adjustments] == [
        (0, "set-rating"),
        (1, "reset"),
        (4, "release"),
    ]
    assert adjusted.players.to_list() == ["ann", "bob", "zoe"]
    assert history.players.to_list() == ["ann", "bob"]
    again = adjusted.with_adjustments([(15, Reset(keep=0.1))])
    assert [p.time for p in again.adjustments] == [NO_TIME, 15 * SECOND, 20 * SECOND, 99 * SECOND]


# ------------------------------------------------------------------ several histories


def test_concat_sorts_and_keeps_the_order_of_equal_times() -> None:
    a, b = numbered([10, 30]), numbered([10, 20])
    joined = History.concat([a, b])
    assert joined.time.tolist() == [10 * SECOND, 10 * SECOND, 20 * SECOND, 30 * SECOND]
    assert names_of(joined) == ["match 0", "match 0", "match 1", "match 1"]


def test_ratings_of_another_table_come_before_the_events_of_their_time() -> None:
    """Whichever table is given first; other adjustments keep the order given."""
    matches = numbered([SECOND, 2 * SECOND, 2 * SECOND])
    ratings = History.from_events([SetRating(player="ann", display=1800.0)])
    day = int(matches.time[1])
    ratings = replace(ratings, adjustments=(replace(ratings.adjustments[0], time=day),))
    reset = replace(ratings, adjustments=(Placed(0, day, Reset(keep=0.5)),))
    for order in ([matches, ratings], [ratings, matches]):
        assert [placed.before for placed in History.concat(order).adjustments] == [1]
    both = History.concat([matches, reset, ratings]).adjustments
    assert [(placed.before, placed.adjustment.kind) for placed in both] == [(1, "set-rating"), (3, "reset")]


def test_concat_joins_players_by_name() -> None:
    a = History.from_events([{"ranks": {"ann": 1, "bob": 2}}])
    b = History.from_events([{"ranks": {"cat": 1, "ann": 2}, "home": "ann"}])
    joined = History.concat([a, b])
    assert joined.players.to_list() == ["ann", "bob", "cat"]
    assert joined.player.tolist() == [0, 1, 2, 0]
    assert joined.event(1).home == "ann"
    assert a.players.to_list() == ["ann", "bob"]


@given(histories(max_events=3), histories(max_events=3))
def test_concat_loses_nothing(a: History, b: History) -> None:
    if (a.time[0] == NO_TIME) != (b.time[0] == NO_TIME):
        with pytest.raises(InputError, match=r"has (no|a) time"):
            History.concat([a, b])
        return
    joined = History.concat([a, b])

    def told(history: History) -> list[Event]:
        return [replace(event, name=None) for event in history]

    assert sorted(told(joined), key=repr) == sorted(told(a) + told(b), key=repr)
    assert len(joined.adjustments) == len(a.adjustments) + len(b.adjustments)


def test_concat_names_teams_that_have_none() -> None:
    named = History.from_frame(_teams_frame())
    unnamed = History.from_events([{"teams": [["ann", "dan"], ["bob", "cat"]], "ranks": [1, 2]}])
    joined = History.concat([named, unnamed])
    assert facts(joined, labels=True)["events"][0]["teams"] == ["red", "blue", "red", None]
    assert facts(joined, labels=True)["events"][1]["teams"] == ["1", "1", "2", "2"]
    assert facts(History.from_frame(joined.to_frame())) == facts(joined)


def _teams_frame() -> Any:
    import polars as pl

    return pl.DataFrame(
        {
            "event": ["e"] * 4,
            "player": ["ann", "bob", "cat", "dan"],
            "rank": [1, 2, 1, 3],
            "team": ["red", "blue", "red", None],
        }
    )


def test_concat_numbers_events_without_names_on() -> None:
    assert names_of(History.concat([rounds(2), rounds(1)])) == ["1", "2", "3"]
    assert names_of(History.concat([rounds(2), rounds(1, name="final"), rounds(1)])) == [
        "1",
        "2",
        "final",
        "4",
    ]


def test_concat_keeps_what_was_skipped() -> None:
    skipped = Skipped("a.csv, line 3", "rank is empty")
    assert History.concat([rounds(1), replace(rounds(1), skipped=(skipped,))]).skipped == (skipped,)


def test_concat_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to concatenate"):
        History.concat([])


def test_with_players_adds_to_the_names_given() -> None:
    history = History.from_events(
        [{"ranks": {"ann": 1, "bob": 2}, "home": "bob"}, Merge(player="cat", into="ann")]
    )
    names = Names(["zoe", "bob"])
    moved = history.with_players(names)
    assert moved.players is names
    assert names.to_list() == ["zoe", "bob", "cat", "ann"]
    assert moved.player.tolist() == [3, 1]
    assert facts(moved)["events"] == facts(history)["events"]
    empty = Names()
    assert facts(history.with_players(empty)) == facts(history)
    assert history.with_players(history.players) is history


def test_times_far_away_are_kept() -> None:
    history = numbered([to_micros("1066-10-14") // SECOND, to_micros("2999-12-31") // SECOND])
    assert str(history.summary()).endswith("1066-10-14 to 2999-12-31")


def test_teams_as_players_go_by_their_name_or_their_members() -> None:
    frame = pl.DataFrame(
        {
            "event": ["x"] * 4 + ["y"] * 3,
            "player": ["ann", "bob", "cat", "dan", "bob", "ann", "eve"],
            "team": ["reds", "reds", "blues", "blues", "reds", "reds", None],
            "rank": [1, 1, 2, 2, 2, 2, 1],
            "rated": [True, False, False, False, True, True, True],
            "home": [True, True, False, False, False, False, True],
        }
    )
    history = History.from_frame(frame).teams_as_players()
    assert [event.sides for event in history] == [(("reds",), ("blues",)), (("reds",), ("eve",))]
    assert [event.ranks for event in history] == [(1, 2), (2, 1)]
    assert [event.home for event in history] == ["reds", "eve"]
    assert history.event(0).unrated == {"blues"}
    unnamed = History.from_events([{"teams": [["bob", "ann"], ["cat"]], "ranks": [1, 2]}])
    assert unnamed.teams_as_players().event(0).sides == (("ann + bob",), ("cat",))
    assert History.from_frame(frame, teams="players").event(1).sides == (("reds",), ("eve",))


def test_a_team_with_the_name_of_a_player() -> None:
    frame = pl.DataFrame(
        {"event": ["x"] * 3, "player": ["ann", "bob", "cat"], "team": ["cat", "cat", None], "rank": [1, 1, 2]}
    )
    with pytest.raises(InputError, match="'cat' is the name of a team and of a player"):
        History.from_frame(frame, teams="players")


def test_numbers_of_sides_are_no_names_of_teams() -> None:
    history = History.from_events([{"teams": [["ann"], ["bob", "cat"]], "ranks": [1, 2]}])
    for one in (history, History.from_frame(history.to_frame())):
        assert one.teams_as_players().event(0).sides == (("ann",), ("bob + cat",))


def test_colours_are_no_teams() -> None:
    rows = [(e, f"{e}{p}", "red" if p < 2 else "blue", 1 + (p > 1)) for e in range(4) for p in range(4)]
    frame = pl.DataFrame(rows, schema=["event", "player", "team", "rank"], orient="row")
    with pytest.raises(InputError, match="change their members"):
        History.from_frame(frame, teams="players")
    assert History.from_frame(frame, teams="rosters").event(0).sides == (("00 + 01",), ("02 + 03",))


def test_a_team_hides_its_members_from_adjustments() -> None:
    team = {"teams": [["ann", "bob"], ["cat"]], "ranks": [1, 2]}
    with pytest.raises(InputError, match="'ann' is in a team"):
        History.from_events([SetRating(player="ann", mu=2000), team]).teams_as_players()
    kept = History.from_events(
        [SetRating(player="ann + bob", mu=2000), SetRating(player="cat", mu=1000), team]
    )
    assert len(kept.teams_as_players().adjustments) == 2


def test_seeds_in_a_file_of_their_own_come_first() -> None:
    matches = History.from_matches(["ann"], ["bob"], time=["2026-05-01"])
    seeds = History.from_events([SetRating(player="ann", mu=2000)])
    assert History.concat([matches, seeds]).adjustments[0].before == 0


def test_times_can_be_given_back() -> None:
    history = History.from_matches(["ann", "ann"], ["bob", "bob"], time=["1970-01-01T00:20", "2026-05-01"])
    assert [to_micros(event.time) for event in history] == history.time.tolist()
    untimed = History.from_matches(["ann"], ["bob"]).event(0)
    assert to_micros(untimed.time) == NO_TIME
