"""Histories from dataframes, and back."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given

from history.compare import facts
from history.strategies import histories, match_histories
from podium.arrays import NO_TIME, SECOND
from podium.errors import InputError, ParameterError
from podium.history import Event, History, Reset, SetRating, Skipped
from podium.history.times import to_micros
from podium.tables.columns.shapes import ReadKeywords, ReadOptions


def results(**more: Any) -> pl.DataFrame:
    """Three players in one event."""
    table = {"event": ["e", "e", "e"], "player": ["ann", "bob", "cat"], "rank": [1, 2, 3]}
    return pl.DataFrame({name: column for name, column in (table | more).items() if column is not None})


def ranks(frame: pl.DataFrame, **options: Any) -> list[int]:
    return History.from_frame(frame, **options).rank.tolist()


# ------------------------------------------------------------------ every library

MIXED = pl.DataFrame(
    {
        "Event": ["b", "a", "b", "a", "b"],
        "time": ["2026-05-02", "2026-05-01", "2026-05-02", "2026-05-01", "2026-05-02"],
        " PLAYER ": ["ann", "bob", "cat", "ann", "bob"],
        "rank": [2, 1, 1, 2, 3],
        "weight": [2.0, 1.0, 2.0, 1.0, 2.0],
        "rated": [True, True, False, True, True],
        "city": ["x", None, "y", None, "z"],
    }
)


def as_duckdb(frame: pl.DataFrame) -> Any:
    return duckdb.from_arrow(frame.to_arrow())


@pytest.mark.parametrize(
    "convert",
    [
        lambda f: f,
        pl.DataFrame.lazy,
        pl.DataFrame.to_pandas,
        lambda f: f.to_pandas(use_pyarrow_extension_array=True),
        pl.DataFrame.to_arrow,
        as_duckdb,
        lambda f: f.with_columns(pl.col("Event", " PLAYER ").cast(pl.Categorical)),
        lambda f: f.with_columns(pl.col("time").str.to_date()),
        lambda f: f.with_columns(pl.col("time").str.to_datetime(time_zone="UTC")).to_pandas(),
        lambda f: f.with_columns(pl.col("time").str.to_datetime().dt.epoch("s")),
    ],
)
def test_every_library_gives_the_same_history(convert: Any) -> None:
    history = History.from_frame(convert(MIXED))
    assert history.players.to_list() == ["ann", "cat", "bob"]
    first, second = history
    assert (first.name, first.sides, first.ranks) == ("a", (("bob",), ("ann",)), (1, 2))
    assert (second.name, second.sides, second.ranks) == ("b", (("ann",), ("cat",), ("bob",)), (2, 1, 3))
    assert (second.weight, second.unrated) == (2.0, {"cat"})
    assert history.time.tolist() == [to_micros("2026-05-01"), to_micros("2026-05-02")]


WITHOUT_PYARROW = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

sys.meta_path.insert(0, Missing())
import pandas, podium
try:
    podium.rate(pandas.DataFrame({"winner": ["ann", "bob"], "loser": ["bob", "cy"]}))
except podium.PodiumError as error:
    print(error)
"""


def test_a_package_that_a_table_needs_is_named() -> None:
    """Polars reads the texts of pandas by PyArrow, which pandas does not install."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYARROW], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "needs the package pyarrow" in done.stdout
    assert "pip install pyarrow" in done.stdout


def test_pandas_numbers_with_gaps_are_still_names() -> None:
    frame = pd.DataFrame({"event": [1, 1], "player": [7.0, 8.0], "rank": [1.0, 2.0]})
    assert History.from_frame(frame).players.to_list() == ["7", "8"]


@pytest.mark.parametrize("levels", [["time"], ["Event"], ["time", "Event"], ["time", None], ["rank"]])
def test_the_named_levels_of_an_index_are_columns(levels: list[str | None]) -> None:
    frame = MIXED.with_columns(pl.col("time").str.to_datetime()).to_pandas()
    indexed = frame.set_index([list(range(5, 10)) if name is None else name for name in levels])
    assert facts(History.from_frame(indexed)) == facts(History.from_frame(frame))
    twice = frame.set_index([list(range(5, 10)) if name is None else name for name in levels], drop=False)
    assert facts(History.from_frame(twice)) == facts(History.from_frame(frame))


def test_an_index_without_a_name() -> None:
    frame = MIXED.with_columns(pl.col("time").str.to_datetime()).to_pandas()
    assert facts(History.from_frame(frame[frame["rank"] > 0].set_index(pd.Index([3, 1, 2, 5, 4])))) == facts(
        History.from_frame(frame)
    )
    for levels in (["time"], ["time", "Event"]):
        with pytest.raises(InputError, match="the dates are in the frame's index") as caught:
            History.from_frame(frame.set_index(levels).rename_axis([None, "Event"][: len(levels)]))
        assert "reset_index()" in (caught.value.hint or "")


@pytest.mark.parametrize("frame", [{"event": ["e"]}, [1, 2], None, "results.csv", pl.Series([1])])
def test_what_is_no_dataframe(frame: Any) -> None:
    with pytest.raises(ParameterError, match="is not a dataframe") as caught:
        History.from_frame(frame)
    assert "pandas" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([["e", "ann", 1, 2]], columns=["event", "player", "rank", "rank"]),
        pd.DataFrame({"event": ["e", "e"], "player": ["ann", 7], "rank": [1, 2]}),
        pa.table([["e"], ["ann"], ["bob"]], names=["event", "player", "player"]),
    ],
)
def test_tables_no_library_can_hand_over(frame: Any) -> None:
    with pytest.raises(InputError, match="the table cannot be read") as caught:
        History.from_frame(frame)
    assert caught.value.hint


# ------------------------------------------------------------------ columns


def test_columns_by_other_names() -> None:
    frame = pl.DataFrame(
        {"contest": ["e", "e"], "handle": ["ann", "bob"], "place": [1, 2], "rank": ["gm", "im"]}
    )
    history = History.from_frame(frame, columns={"event": "contest", "player": "handle", "rank": "PLACE"})
    assert history.rank.tolist() == [1, 2]


def test_a_column_used_for_something_else_is_not_itself() -> None:
    frame = results(score=[3, 2, 1]).rename({"player": "time"})
    history = History.from_frame(frame, columns={"player": "time"})
    assert history.players.to_list() == ["ann", "bob", "cat"]
    assert history.time.tolist() == [NO_TIME]


def test_columns_can_be_left_out() -> None:
    frame = results(time=["soon"] * 3, team=["x", "y", "x"], score=[1, 2, 3])
    history = History.from_frame(frame, columns={"time": None, "team": None, "rank": None})
    assert history.rank.tolist() == [3, 2, 1]
    assert history.side is None


@pytest.mark.parametrize(
    "columns, options, reason, hint",
    [
        (["event", "player"], {}, "fit no kind of table", "rank or score"),
        (["player", "team"], {}, "fit no kind of table", "player is understood"),
        (["player_a", "player_b"], {}, "fit no kind of table", "score_a"),
        (["winner"], {}, "fit no kind of table", "loser"),
        ([], {}, "fit no kind of table", None),
        (["event;player;rank"], {}, "fit no kind of table", "semicolons"),
        (["event\tplayer\trank"], {}, "fit no kind of table", "tabs"),
        (
            ["event", "Player", "player ", "rank"],
            {},
            "'Player' and 'player ' are both called player",
            "columns=",
        ),
        (
            ["event", "player", "rank"],
            {"columns": {"score": "points"}},
            "no column 'points' to read score",
            "'event'",
        ),
        (
            ["winner", "loser", "rank"],
            {"columns": {"rank": "rank"}},
            "matches cannot use a column rank",
            "draw",
        ),
        (
            ["event", "player", "rank", "x"],
            {"columns": {"draw": "x"}},
            "results cannot use a column draw",
            "team",
        ),
        (
            ["event", "player", "rank"],
            {"lower_is_better": True},
            "lower_is_better needs scores",
            "score_b",
        ),
        (["winner", "loser"], {"lower_is_better": True}, "lower_is_better needs scores", "score_b"),
    ],
)
def test_columns_that_make_no_history(
    columns: list[str], options: Any, reason: str, hint: str | None
) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        History.from_frame(pl.DataFrame({name: ["x"] for name in columns}), **options)
    if hint is not None:
        assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    "options, reason",
    [
        ({"columns": {"handle": "player"}}, "there is no column meaning 'handle'"),
        ({"unrated": "maybe"}, "unrated is one of opponent, drop, not 'maybe'"),
        ({"unfinished": "first"}, "unfinished is one of last, drop"),
        ({"on_bad_row": "ignore"}, "on_bad_row is one of error, skip"),
    ],
)
def test_options_that_are_none(options: Any, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        History.from_frame(results(), **options)


def test_columns_podium_does_not_know_are_ignored() -> None:
    frame = results(row=[9, 9, 9], lane=[None, None, None], notes=[["a"], [], ["b"]])
    assert facts(History.from_frame(frame)) == facts(History.from_frame(results()))


# ------------------------------------------------------------------ results


def test_rows_and_events_keep_their_order() -> None:
    frame = pl.DataFrame(
        {
            "event": ["x", "y", "x", "z", "y", "z", "x"],
            "player": ["d", "c", "b", "a", "b", "d", "a"],
            "rank": [3, 2, 1, 2, 1, 1, 2],
        }
    )
    history = History.from_frame(frame)
    assert history.players.to_list() == ["d", "b", "a", "c"]
    assert [event.name for event in history] == ["x", "y", "z"]
    assert [event.sides for event in history] == [
        (("d",), ("b",), ("a",)),
        (("c",), ("b",)),
        (("a",), ("d",)),
    ]
    assert history.rank.tolist() == [3, 1, 2, 2, 1, 2, 1]


def test_scores() -> None:
    frame = results(rank=None, score=[-1.5, 20.25, 20.25])
    assert ranks(frame) == [3, 1, 1]
    assert ranks(frame, lower_is_better=True) == [1, 2, 2]
    history = History.from_frame(frame)
    assert history.score is not None
    assert history.score.tolist() == [-1.5, 20.25, 20.25]


def test_scores_are_ranked_inside_their_event() -> None:
    frame = pl.DataFrame(
        {"event": ["a", "b", "a", "b"], "player": ["ann", "bob", "cat", "ann"], "score": [1, 100, 2, 99]}
    )
    assert ranks(frame) == [2, 1, 1, 2]


def test_ranks_stand_before_scores() -> None:
    history = History.from_frame(results(score=[1.0, 2.0, None]))
    assert history.rank.tolist() == [1, 2, 3]
    assert history.event(0).scores is not None
    assert history.event(0).scores[:2] == (1.0, 2.0)


@pytest.mark.parametrize("finished", [[True, True, False], ["yes", "1", "no"], [1, 1, 0]])
def test_those_who_did_not_finish_are_last_together(finished: list[Any]) -> None:
    frame = results(event=["e", "e", "e"], finished=finished)
    assert ranks(frame) == [1, 2, 3]
    for place in (None, -1, 1, 0.5, float("nan")):
        assert ranks(frame.with_columns(rank=pl.Series([1.0, 2.0, place]))) == [1, 2, 3]
    assert ranks(frame.with_columns(rank=pl.Series(["1", "2", "DNF"]))) == [1, 2, 3]
    dropped = History.from_frame(frame, unfinished="drop")
    assert dropped.players.to_list() == ["ann", "bob"]


def test_nobody_finished() -> None:
    assert ranks(results(finished=[False] * 3, rank=[None] * 3)) == [1, 1, 1]
    assert ranks(results(finished=[False] * 3, rank=None, score=[None] * 3)) == [1, 1, 1]


@pytest.mark.parametrize("lower, expected", [(False, [2, 1, 3, 3]), (True, [1, 2, 3, 3])])
def test_scores_of_those_who_finished(lower: bool, expected: list[int]) -> None:
    frame = pl.DataFrame(
        {
            "event": ["e"] * 4,
            "player": ["ann", "bob", "cat", "dan"],
            "score": ["1", "2", "DNF", "999"],
            "finished": ["y", "y", "n", "n"],
        }
    )
    assert ranks(frame, lower_is_better=lower) == expected


def test_unrated_rows_stay_as_opponents_or_go() -> None:
    frame = results(rated=[True, False, True])
    history = History.from_frame(frame)
    assert history.unrated is not None
    assert history.unrated.tolist() == [False, True, False]
    dropped = History.from_frame(frame, unrated="drop")
    assert dropped.players.to_list() == ["ann", "cat"]
    assert dropped.unrated is None
    assert dropped.rank.tolist() == [1, 3]


def test_all_rated_is_as_if_nothing_were_said() -> None:
    assert History.from_frame(results(rated=["yes"] * 3)).unrated is None


def test_events_that_options_leave_one_player_of_go_too() -> None:
    frame = pl.DataFrame(
        {
            "event": ["a", "a", "b", "b"],
            "player": ["ann", "bob", "ann", "bob"],
            "rank": [1, 2, 1, 2],
            "rated": [True, False, True, True],
        }
    )
    history = History.from_frame(frame, unrated="drop")
    assert [event.name for event in history] == ["b"]
    assert history.skipped == ()


def test_an_option_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="no rows to rate"):
        History.from_frame(results(rated=[False] * 3), unrated="drop")


def test_weights_and_ceilings() -> None:
    frame = pl.DataFrame(
        {
            "event": ["a", "a", "b", "b"],
            "player": ["ann", "bob", "ann", "bob"],
            "rank": [1, 2, 1, 2],
            "weight": ["0.5", "0.5", "", None],
            "ceiling": [2400.0, 2400.0, None, float("nan")],
        }
    )
    history = History.from_frame(frame)
    first, second = history
    assert (first.weight, first.ceiling) == (0.5, 2400.0)
    assert (second.weight, second.ceiling) == (1.0, None)
    assert "an empty weight counts as 1" in history.readings[0].guesses


def test_no_times_are_no_times() -> None:
    for times in ([None] * 3, ["", " ", None]):
        assert History.from_frame(results(time=times)).time.tolist() == [NO_TIME]


def test_home() -> None:
    assert History.from_frame(results(home=["", "yes", None])).event(0).home == "bob"
    assert History.from_frame(results(home=[False] * 3)).home is None


def test_shares() -> None:
    frame = results()[:2].with_columns(share=pl.Series([0.75, 0.25]))
    assert History.from_frame(frame).event(0).share == 0.75
    assert History.from_frame(results(share=[None] * 3)).share is None


# ------------------------------------------------------------------ teams


def teams(**more: Any) -> pl.DataFrame:
    table = {
        "event": ["e"] * 5,
        "player": ["ann", "bob", "cat", "dan", "eve"],
        "team": ["red", "blue", "red", "blue", None],
        "rank": [1, 2, 1, 2, 3],
    }
    return pl.DataFrame({name: column for name, column in (table | more).items() if column is not None})


def test_sides_by_team() -> None:
    history = History.from_frame(teams())
    assert history.event(0).sides == (("ann", "cat"), ("bob", "dan"), ("eve",))
    assert history.event(0).ranks == (1, 2, 3)
    assert facts(history, labels=True)["events"][0]["teams"] == ["red", "blue", "red", "blue", None]


def test_teams_of_interleaved_events() -> None:
    frame = pl.DataFrame(
        {
            "event": ["x", "y", "x", "y", "x", "y"],
            "player": ["a", "b", "c", "d", "e", "f"],
            "team": ["red", "red", "blue", "red", "red", "blue"],
            "rank": [1, 2, 2, 2, 1, 1],
        }
    )
    first, second = History.from_frame(frame)
    assert (first.sides, first.ranks) == ((("a", "e"), ("c",)), (1, 2))
    assert (second.sides, second.ranks) == ((("b", "d"), ("f",)), (2, 1))


def test_a_team_takes_one_place_however_many_it_is() -> None:
    history = History.from_frame(teams(rank=None, score=[5, 3, 5, 3, 1]))
    assert history.event(0).ranks == (1, 2, 3)
    assert History.from_frame(teams(rank=None, score=[5, 3, 5, 3, 1]), lower_is_better=True).event(
        0
    ).ranks == (3, 2, 1)


def test_home_of_a_team_is_marked_on_one_member_or_all() -> None:
    for marks in ([0, 1, 0, 1, 0], [0, 0, 0, 1, 0]):
        history = History.from_frame(teams(home=marks))
        assert facts(history)["events"][0]["home side"] == 1


def test_a_team_that_did_not_finish() -> None:
    finished = [True, False, True, False, True]
    assert History.from_frame(teams(finished=finished, rank=[1, 7, 1, None, 2])).event(0).ranks == (1, 3, 2)


def test_an_empty_team_column_says_nothing() -> None:
    assert History.from_frame(results(team=[None, "", None])).side is None


# ------------------------------------------------------------------ matches


def matches(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame(columns)


AB = {"player_a": ["ann", "bob"], "player_b": ["bob", "cat"]}


def test_matches_by_score() -> None:
    history = History.from_frame(matches(**AB, score_a=["1", "0.5"]))
    assert history.rank.tolist() == [1, 2, 1, 1]
    assert [event.home for event in history] == [None, None]
    assert history.event_names is None


def test_matches_by_points_of_both() -> None:
    frame = matches(**AB, score_a=[3, 1], score_b=[2, 1])
    history = History.from_frame(frame)
    assert history.rank.tolist() == [1, 2, 1, 1]
    assert history.event(0).scores == (3.0, 2.0)
    assert ranks(frame, lower_is_better=True) == [2, 1, 1, 1]


def test_matches_by_winner() -> None:
    frame = matches(winner=["ann", "bob"], loser=["bob", "cat"], draw=["", "yes"])
    history = History.from_frame(frame)
    assert history.rank.tolist() == [1, 2, 1, 1]
    assert history.home is None  # who won cannot be who was at home


def test_columns_of_both_kinds_of_matches() -> None:
    frame = matches(**AB, winner=["bob", "cat"], loser=["ann", "bob"])
    history = History.from_frame(frame)
    assert [event.sides[0] for event in history] == [("bob",), ("cat",)]
    assert ranks(frame.with_columns(score_a=pl.Series([1, 1]))) == [1, 2, 1, 2]


def test_neutral_matches() -> None:
    history = History.from_frame(matches(**AB, score_a=[1, 1], neutral=["", "1"]))
    assert [event.home for event in history] == ["ann", None]
    assert History.from_frame(matches(**AB, score_a=[1, 1], neutral=[True, True])).home is None


@pytest.mark.parametrize("pair", [("player_a", "player_b"), ("winner", "loser")])
def test_home_by_name(pair: tuple[str, str]) -> None:
    columns = {pair[0]: ["ann", "bob", "cat"], pair[1]: ["bob", "cat", "ann"], "home": ["bob", None, "cat"]}
    history = History.from_frame(matches(**columns, score_a=[1, 1, 1]))
    assert [event.home for event in history] == ["bob", None, "cat"]
    assert history.player.tolist() == [0, 1, 1, 2, 2, 0]


def test_home_by_number() -> None:
    history = History.from_frame(matches(winner=[1, 2], loser=[2, 3], home=[2.0, None]))
    assert [event.home for event in history] == ["2", None]


def test_unrated_matches() -> None:
    frame = matches(**AB, score_a=[1, 0], rated=[True, False])
    history = History.from_frame(frame)
    assert history.unrated is not None
    assert history.unrated.tolist() == [False, False, True, True]
    dropped = History.from_frame(frame, unrated="drop")
    assert dropped.players.to_list() == ["ann", "bob"]
    assert len(dropped) == 1


def test_matches_may_share_a_name() -> None:
    history = History.from_frame(matches(**AB, score_a=[1, 0], event=["final", "final"]))
    assert [event.name for event in history] == ["final", "final"]
    partly = History.from_frame(matches(**AB, score_a=[1, 0], event=["final", " "]))
    assert [event.name for event in partly] == ["final", "2"]
    assert History.from_frame(matches(**AB, score_a=[1, 0], event=[None, ""])).event_names is None


# ------------------------------------------------------------------ adjustments


def test_adjustments_stand_among_the_results() -> None:
    frame = pl.DataFrame(
        {
            "event": [None, "a", "a", None, "b", "b", ""],
            "player": ["zoe", "ann", "bob", None, "ann", "bob", "ann"],
            "rank": [None, 1, 2, None, 1, 2, None],
            "adjustment": ["Set-Rating", None, "", " reset ", None, None, "rename"],
            "mu": ["1800", None, "", None, None, None, None],
            "keep": [None, None, None, 0.25, None, None, None],
            "into": [None, None, None, None, None, None, "anna"],
        }
    )
    history = History.from_frame(frame)
    assert [(p.before, p.adjustment.describe()) for p in history.adjustments] == [
        (0, "set-rating player=zoe, mu=1800.0"),
        (1, "reset keep=0.25"),
        (2, "rename player=ann, into=anna"),
    ]
    assert history.players.to_list() == ["ann", "bob", "zoe", "anna"]


def test_adjustments_by_time() -> None:
    frame = pl.DataFrame(
        {
            "winner": ["ann", "ann", None, None],
            "loser": ["bob", "bob", None, None],
            "time": ["2026-05-01", "2026-05-03", "2026-05-02", None],
            "adjustment": [None, None, "reset", "release"],
            "player": [None, None, None, 7],
        }
    )
    history = History.from_frame(frame)
    assert [(p.before, p.time) for p in history.adjustments] == [
        (1, to_micros("2026-05-02")),
        (2, to_micros("2026-05-03")),
    ]
    assert history.adjustments[1].adjustment.players == ("7",)


def test_a_table_of_adjustments_alone() -> None:
    frame = pl.DataFrame(
        {"adjustment": ["set-rating", "seed"], "player": ["ann", "bob"], "mu": [1, 2], "time": [20, 10]}
    )
    history = History.from_frame(frame)
    assert len(history) == 0
    assert [p.adjustment.players for p in history.adjustments] == [("bob",), ("ann",)]
    assert History.from_frame(history.to_frame()).adjustments == history.adjustments


@pytest.mark.parametrize(
    "row, reason",
    [
        ({"adjustment": "promote"}, "row 4: 'promote' is not an adjustment"),
        ({"adjustment": "set-rating", "player": "ann"}, "row 4: set-rating needs mu"),
        (
            {"adjustment": "set-rating", "player": "ann", "mu": "high"},
            "row 4: mu of set-rating must be a number",
        ),
        ({"adjustment": "reset", "player": "ann"}, "row 4: reset cannot use player"),
        ({"adjustment": "reset", "time": "soon"}, "row 4: 'soon' is not a time"),
    ],
)
def test_adjustments_that_are_none(row: dict[str, Any], reason: str) -> None:
    frame = results(time=["2026-05-01"] * 3)
    bad = pl.DataFrame({name: [value] for name, value in row.items()})
    table = pl.concat([frame, bad], how="diagonal")
    with pytest.raises(InputError, match=reason):
        History.from_frame(table)
    kept = History.from_frame(table, on_bad_row="skip")
    assert len(kept) == 1
    assert kept.adjustments == ()
    assert [item.where for item in kept.skipped] == ["row 4"]
    assert kept.skipped[0].reason.startswith(reason.removeprefix("row 4: "))


# ------------------------------------------------------------------ bad rows


BAD_RESULTS: list[tuple[dict[str, Any], str, str | None]] = [
    ({"event": ["e", None, "e"]}, "row 2: event is empty", None),
    ({"player": ["ann", "  ", "cat"]}, "row 2, event 'e': player is empty", None),
    ({"player": [1.0, 2.5, 3.0]}, "row 2, event 'e': player is 2.5, not a name", None),
    (
        {"player": ["ann", "bob", "ann"]},
        "row 3, event 'e': player 'ann' appears twice in one event",
        "re-match",
    ),
    (
        {"player": ["ann", "bob", "a" * 10_000]} | {"rank": [1, 2, 0]},
        "row 3, event 'e': rank is 0",
        "column score",
    ),
    ({"rank": [1, None, 3]}, "row 2, event 'e': rank is empty", "finished"),
    ({"rank": ["1", " ", "3"]}, "row 2, event 'e': rank is empty", "finished"),
    ({"rank": [1, float("nan"), 3]}, "row 2, event 'e': rank is empty", "finished"),
    ({"rank": ["1", "NaN", "3"]}, "row 2, event 'e': rank is 'NaN', not a number", None),
    ({"rank": ["1", "second", "3"]}, "row 2, event 'e': rank is 'second', not a number", None),
    ({"rank": [1, 1.5, 3]}, "row 2, event 'e': rank is 1.5, not a whole number", None),
    ({"rank": [1, float("inf"), 3]}, "row 2, event 'e': rank is inf, not a whole number", None),
    ({"rank": [1, 2 * 10**9, 3]}, "row 2, event 'e': rank is 2000000000, not a whole number up to", None),
    ({"rank": [1, 0, 3]}, "row 2, event 'e': rank is 0, and the best rank is 1", "column score"),
    ({"rank": [1, -7, 3]}, "row 2, event 'e': rank is -7, and the best rank is 1", "column score"),
    (
        {"rank": [1, None, 3], "score": [1, 2, 3]},
        "row 2, event 'e': a score but no rank: ranks and scores are mixed",
        "None",
    ),
    ({"rank": None, "score": [1, None, 3]}, "row 2, event 'e': score is empty", "finished"),
    ({"rank": None, "score": ["1", "two", "3"]}, "row 2, event 'e': score is 'two', not a number", None),
    ({"rank": None, "score": [1, float("-inf"), 3]}, "row 2, event 'e': score is infinite", None),
    ({"time": ["2026-05-01", "soon", "2026-05-01"]}, "row 2, event 'e': 'soon' is not a time", "2026-05-01"),
    (
        {"time": ["2026-05-01", "", "2026-05-01"]},
        "row 2, event 'e': time is empty, though other rows",
        "columns=",
    ),
    ({"time": [2019, 2019, 2019]}, "row 1, event 'e': '2019' is not a time", "not a year"),
    (
        {"time": ["2026-05-01", "2026-05-01", "2026-05-02"]},
        "row 3, event 'e': the time differs",
        "another name",
    ),
    ({"weight": [1, "heavy", 1]}, "row 2, event 'e': weight is 'heavy', not a number", None),
    ({"weight": [1, 0, 1]}, "row 2, event 'e': weight is 0, and must be from 1e-09", None),
    ({"weight": [2, 2, 3]}, "row 3, event 'e': the weight differs", "one weight"),
    ({"weight": [2, None, 2]}, "row 2, event 'e': the weight differs", "one weight"),
    ({"ceiling": [2400, 2400, None]}, "row 3, event 'e': the ceiling differs", "one ceiling"),
    ({"ceiling": [float("-inf")] * 3}, "row 1, event 'e': ceiling is −∞", None),
    ({"rated": [True, None, True]}, "row 2, event 'e': rated is empty, not yes or no", "yes or no"),
    ({"finished": ["y", "perhaps", "y"]}, "row 2, event 'e': finished is 'perhaps', not yes or no", None),
    ({"home": ["y", "", "ann"]}, "row 3, event 'e': home is 'ann', not yes or no", None),
    ({"home": [True, False, True]}, "row 1, event 'e': two sides are marked as home", None),
    ({"share": [0.5, 0.5, None]}, "row 1, event 'e': shares need two sides and must add up to 1", None),
    ({"share": [0.5, 1.5, None]}, "row 2, event 'e': share is 1.5, and must be from 0 to 1", None),
    ({"share": [0.5, "half", None]}, "row 2, event 'e': share is 'half', not a number", None),
    ({"event": ["e", "e", "f"]}, "row 3, event 'f': an event of one player", "needs at least two sides"),
]


@pytest.mark.parametrize("columns, message, hint", BAD_RESULTS)
def test_bad_results_are_refused(columns: dict[str, Any], message: str, hint: str | None) -> None:
    with pytest.raises(InputError) as caught:
        History.from_frame(_table(columns))
    assert str(caught.value).startswith(message)
    if hint is not None:
        assert hint in (caught.value.hint or "")
    assert len(str(caught.value)) < 600


def _table(columns: dict[str, Any]) -> pl.DataFrame:
    """Three rows; a column of mixed types is text, as in a CSV file."""
    table: dict[str, Any] = {"event": ["e"] * 3, "player": ["ann", "bob", "cat"], "rank": [1, 2, 3]} | columns
    series = []
    for name, values in table.items():
        if values is not None:
            kinds = {type(value) for value in values if value is not None}
            mixed = str in kinds and len(kinds) > 1
            series.append(pl.Series(name, [str(v) for v in values] if mixed else values, strict=False))
    return pl.DataFrame(series)


@pytest.mark.parametrize(
    "share, reason",
    [
        ([0.75, None], "add up to 1"),
        ([0.75, 0.75], "add up to 1"),
        ([0.1, 0.2], "add up to 1"),
    ],
)
def test_bad_shares(share: list[float | None], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        History.from_frame(results()[:2].with_columns(share=pl.Series(share)))


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"rank": [1, 2, 1, 3, 4]}, "row 4, event 'e': members of one team have different ranks"),
        (
            {"rank": None, "score": [5, 3, 4, 3, 1]},
            "row 3, event 'e': members of one team have different scores",
        ),
        (
            {"finished": [True, True, False, True, True]},
            "row 3, event 'e': members of one team have different ranks",
        ),
        ({"team": ["red"] * 5, "rank": [1] * 5}, "row 1, event 'e': an event of one side"),
        ({"home": [True, True, False, False, False]}, "row 1, event 'e': two sides are marked as home"),
        (
            {"team": ["x", "y", "x", "y", "y"], "rank": [1, 2, 1, 2, 2], "share": [0.6, 0.4, 0.7, 0.4, 0.4]},
            "row 3, event 'e': members of one team have different shares",
        ),
    ],
)
def test_bad_teams_are_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        History.from_frame(teams(**columns))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"player_a": ["ann", "cat"]}, "row 2: 'cat' plays against itself"),
        ({"player_b": ["bob", None]}, "row 2: player_b is empty"),
        ({"score_a": [1, 3]}, "row 2: score_a is 3, and must be from 0"),
        ({"score_a": [1, None]}, "row 2: score_a is empty"),
        ({"score_a": ["1", "won"]}, "row 2: score_a is 'won', not a number"),
        ({"score_b": [1, None]}, "row 2: score_b is empty"),
        ({"score_b": [1.0, float("inf")]}, "row 2: score_b is infinite"),
        ({"neutral": ["", "abroad"]}, "row 2: neutral is 'abroad', not yes or no"),
        ({"home": ["ann", "zoe"]}, "row 2: home is 'zoe', who does not play in this match"),
        (
            {"home": ["ann", "bob"], "neutral": [False, True]},
            "row 2: the match is neutral, but one player is at home",
        ),
        ({"rated": ["yes", ""]}, "row 2: rated is empty"),
        ({"time": ["2026-05-01", "soon"]}, "row 2: 'soon' is not a time"),
        ({"weight": [1, -1]}, "row 2: weight is -1"),
    ],
)
def test_bad_matches_are_refused(columns: dict[str, Any], message: str) -> None:
    table: dict[str, Any] = {**AB, "score_a": [1, 0]} | columns
    with pytest.raises(InputError) as caught:
        History.from_frame(pl.DataFrame(table))
    assert str(caught.value).startswith(message)


def test_bad_draws_are_refused() -> None:
    with pytest.raises(InputError, match="row 1: draw is 'perhaps', not yes or no"):
        History.from_frame(pl.DataFrame({"winner": ["ann"], "loser": ["bob"], "draw": ["perhaps"]}))


def test_the_first_of_several_bad_cells_is_named() -> None:
    frame = results(rank=[1, 0, 3], weight=[1, 1, -1], time=["2026-05-01", "2026-05-01", "soon"])
    with pytest.raises(InputError, match="row 2"):
        History.from_frame(frame)


def test_skipping_bad_rows_says_what_was_skipped() -> None:
    frame = pl.DataFrame(
        {
            "event": ["a", "a", "a", "b", "b", "c", "c", None, "d", "d"],
            "player": ["ann", "bob", "ann", "ann", "bob", "ghost", "cat", "dan", "eve", "fay"],
            "rank": ["1", "2", "3", "1", "x", "1", "0", "1", "1", "2"],
        }
    )
    history = History.from_frame(frame, on_bad_row="skip")
    assert [event.name for event in history] == ["a", "d"]
    assert history.players.to_list() == ["ann", "bob", "eve", "fay"]  # those skipped are nobody
    assert history.skipped == (
        Skipped("row 3", "player 'ann' appears twice in one event"),
        Skipped("row 4", "an event of one player"),
        Skipped("row 5", "rank is 'x', not a number"),
        Skipped("row 6", "an event of one player"),
        Skipped("row 7", "rank is 0, and the best rank is 1"),
        Skipped("row 8", "event is empty"),
    )


def test_skipping_bad_matches() -> None:
    frame = pl.DataFrame(
        {
            "winner": ["ghost", "ann", "bob", ""],
            "loser": ["ghost", "bob", "cat", "dan"],
            "weight": [1, 2, -1, 1],
        }
    )
    history = History.from_frame(frame, on_bad_row="skip")
    assert history.players.to_list() == ["ann", "bob"]
    assert history.event(0).weight == 2.0
    assert [item.where for item in history.skipped] == ["row 1", "row 3", "row 4"]


def test_skipping_keeps_places_right() -> None:
    """Ranks from scores are those among the rows that are left."""
    frame = results(player=["ann", "ann", "bob"], rank=None, score=[1, 5, 3])
    history = History.from_frame(frame, on_bad_row="skip")
    assert history.event(0).ranks == (2, 1)


def test_skipping_everything_is_refused() -> None:
    with pytest.raises(InputError, match="every row was skipped, the first because: row 1: rank is 0"):
        History.from_frame(results(rank=[0, 0, 0]), on_bad_row="skip")


# ------------------------------------------------------------------ there and back


@pytest.mark.filterwarnings("ignore::podium.ReadingWarning")
@given(histories())
def test_results_lead_back(history: History) -> None:
    again = History.from_frame(history.to_frame())
    expected = facts(history)
    assert facts(again)["events"] == expected["events"]
    assert again.adjustments == history.adjustments
    assert facts(History.from_frame(again.to_frame()), labels=True) == facts(again, labels=True)


@pytest.mark.filterwarnings("ignore::podium.ReadingWarning")
@given(match_histories())
def test_matches_lead_back(history: History) -> None:
    for shape in ("matches", "results"):
        assert facts(History.from_frame(history.to_frame(shape)))["events"] == facts(history)["events"]


def test_a_table_of_matches() -> None:
    history = History.from_matches(
        ["ann", "bob"], ["bob", "cat"], [0.75, 0.5], time=[10, 20], weight=[2.0, 1.0], home="b"
    )
    frame = history.to_frame("matches")
    assert frame.columns == ["time", "player_a", "player_b", "score_a", "weight", "home"]
    assert frame["home"].to_list() == ["bob", "cat"]
    assert facts(History.from_frame(frame)) == facts(history)
    assert history.to_frame("matches")["score_a"].to_list() == [0.75, 0.5]


def test_shares_lead_back_through_matches() -> None:
    history = History.from_matches(["ann", "bob"], ["bob", "cat"], [0.75, 0.0])
    assert facts(History.from_frame(history.to_frame("matches"))) == facts(history)


@pytest.mark.parametrize(
    "items, reason",
    [
        ([{"ranks": {"a": 1, "b": 2, "c": 3}}], "not every event is a match"),
        ([{"teams": [["a", "b"], ["c"]], "ranks": [1, 2]}], "not every event is a match"),
        ([{"ranks": {"a": 1, "b": 2}}, Reset()], "adjustments"),
        ([{"ranks": {"a": 1, "b": 2}, "unrated": ["a"]}], "an unrated player"),
        ([{"scores": {"a": 1, "b": 2}, "lower_is_better": True}], "the lower score is ranked first"),
        ([{"scores": {"a": 1, "b": 2}}, {"ranks": {"a": 1, "b": 2}}], "some have none"),
        ([{"scores": {"a": 1, "b": 2}, "share": 0.7}], "both scores and shares"),
        ([Event((("a",), ("b",)), (1, 2), share=0.3)], "the lower share is ranked first"),
        ([{"teams": [["a"], ["b"]], "ranks": [1, 1], "share": 0.6}], "the lower share is ranked first"),
    ],
)
def test_what_no_table_of_matches_can_say(items: list[Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        History.from_events(items).to_frame("matches")


def test_an_unknown_shape() -> None:
    with pytest.raises(ParameterError, match="results or matches, not 'wide'"):
        History.from_matches(["ann"], ["bob"]).to_frame("wide")  # type: ignore[arg-type]


def test_columns_of_a_table_of_results() -> None:
    plain = History.from_matches(["ann"], ["bob"])
    assert plain.to_frame().columns == ["event", "player", "rank"]
    history = History.from_events(
        [
            {
                "teams": [["a", "b"], ["c"]],
                "scores": [1, 2],
                "home": "b",
                "time": 5,
                "weight": 2,
                "unrated": ["c"],
                "ceiling": 9,
            },
            SetRating(player="zoe", mu=5),
        ]
    )
    frame = history.to_frame()
    assert frame.columns == [
        *("event", "time", "player", "rank", "score", "team", "home", "rated", "weight", "ceiling"),
        *("adjustment", "mu", "sigma", "keep", "toward", "into"),
    ]
    assert frame["home"].to_list() == [True, True, False, None]
    assert frame["adjustment"].to_list() == [None, None, None, "set-rating"]
    assert frame["time"].dt.epoch("us").to_list() == [5 * SECOND] * 4


def test_events_of_one_name_stay_apart_in_a_table_of_results() -> None:
    frame = pl.DataFrame(
        {"event": ["final", "final", "final (2)"], "winner": ["a", "a", "c"], "loser": ["b", "c", "a"]}
    )
    history = History.from_frame(frame)
    again = History.from_frame(history.to_frame())
    assert [event.name for event in again] == ["final", "final (3)", "final (2)"]
    assert [event.sides for event in again] == [event.sides for event in history]


def test_the_keywords_of_reading_are_the_options() -> None:
    """Type checkers are told of every option, and of none that is not there."""
    assert list(ReadKeywords.__annotations__) == [field.name for field in fields(ReadOptions)]
    with pytest.raises(TypeError, match="colums"):
        History.from_frame(pl.DataFrame(), colums={})  # type: ignore[call-arg]
