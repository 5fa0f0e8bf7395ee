"""Columns that are not read, and say something of those that are: draws, walkovers, seasons, moments."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

import podium
from podium import History
from podium.errors import InputError
from podium.history import ReadingWarning
from podium.history.times import to_iso
from podium.tables.ladder_column import read_ladders
from tables.messy import Messy, guesses

pytestmark = pytest.mark.filterwarnings("ignore::podium.ReadingWarning")


@pytest.fixture
def messy(tmp_path: Path) -> Messy:
    return Messy(tmp_path)


def drawn(history: History) -> list[bool]:
    return [event.ranks == (1, 1) for event in history]


def warned(history: History) -> list[str]:
    return [warning for reading in history.readings for warning in reading.warnings]


# ------------------------------------------------------------------ columns that disagree on who won


@pytest.mark.parametrize(
    "content, said",
    [
        (
            "player1,player2,result,winner\nann,bob,3:2,ann\nann,bob,3:2,bob\n",
            "line 3: 'winner' is 'bob' and 'result' is '3:2', which name different winners: 'winner' is "
            "read; --column winner= (columns={'winner': None}) leaves it out",
        ),
        ("player1,player2,score,winner\nann,bob,6-4 6-2,bob\n", "line 2: 'winner' is 'bob' and 'score' is"),
        (
            "player_a,player_b,score_a,score_b,winner\nann,bob,1,2,ann\n",
            "line 2: 'score_a' is '1' and 'winner' is 'ann'",
        ),
        (
            "home,away,home_goals,away_goals,result\nann,bob,1,2,2-1\n",
            "line 2: 'home_goals' is '1' and 'result' is '2-1'",
        ),
        (
            "winner,winner_score,loser,loser_score\nann,3,bob,4\n",
            "line 2: 'winner' is 'ann' and 'winner_score' is '3'",
        ),
    ],
)
def test_columns_that_name_different_winners(messy: Messy, content: str, said: str) -> None:
    assert [one for one in warned(messy.read(content)) if said in one]


@pytest.mark.parametrize(
    "content",
    [
        "player1,player2,result,winner\nann,bob,1:1,bob\nann,bob,2-0,ann\nann,bob,by decision,bob\n",
        "player_a,player_b,score_a,score_b,winner\nann,bob,1,1,ann\nann,bob,1,2,\n",
        "winner,winner_score,loser,loser_score\nann,3,bob,2\n",
    ],
)
def test_a_draw_or_other_words_contradict_nothing(messy: Messy, content: str) -> None:
    assert warned(messy.read(content, columns={}, on_bad_row="skip")) == []


def test_who_says_which_column_counts_is_not_doubted(messy: Messy) -> None:
    rows = "player1,player2,result,winner\nann,bob,3:2,bob\n"
    assert warned(messy.read(rows, columns={"winner": "winner"})) == []
    assert [event.ranks for event in messy.read(rows, columns={"winner": None})] == [(1, 2)]


# ------------------------------------------------------------------ draws between a winner and a loser


@pytest.mark.parametrize("cell", ["draw", "Tie", "remis", "Unentschieden", "½-½", "1/2-1/2", "2-2", "½"])
def test_a_result_that_says_draw(messy: Messy, cell: str) -> None:
    history = messy.read(f"winner,loser,result\nAnn,Bob,win\nBob,Cat,{cell}\nCat,Ann,3-1\n")
    assert drawn(history) == [False, True, False]
    assert guesses(history) == ["1 draw by result"]
    assert history.readings[0].unused == ()


def test_a_mark_of_draws(messy: Messy) -> None:
    assert drawn(messy.read("winner,loser,Tie?\nAnn,Bob,\nBob,Cat,Yes\n")) == [False, True]


@pytest.mark.parametrize(
    "header",
    [
        "winner,winner_score,loser,loser_score",
        "Winner/tie,PtsW,Loser/tie,PtsL",
        "Sieger,Tore Sieger,Verlierer,Tore Verlierer",
        "Winner,Winner points,Loser,Loser points",
    ],
)
def test_equal_points_of_winner_and_loser(messy: Messy, header: str) -> None:
    history = messy.read(f"{header}\nAnn,3,Bob,1\nBob,2,Cat,2\nCat,,Ann,\n")
    assert drawn(history) == [False, True, False]
    names = header.split(",")
    assert guesses(history) == [f"1 draw with equal {names[1]} and {names[3]}"]
    pieces = messy.pieces(messy.path.read_text(), rows=1)
    assert [draw for piece in pieces for draw in drawn(piece)] == [False, True, False]


def test_points_of_a_ranking_are_no_draws(messy: Messy) -> None:
    history = messy.read("Winner,Loser,WRank,LRank,WPts,LPts\nAnn,Bob,1,2,100,100\n")
    assert drawn(history) == [False]


def test_who_gave_up_has_lost(messy: Messy) -> None:
    assert drawn(messy.read("Winner,Loser,Winner sets,Loser sets\nAnn,Bob,1,1\n")) == [False]


def test_a_column_of_draws_decides(messy: Messy) -> None:
    table = "winner,loser,draw,winner_score,loser_score\nAnn,Bob,no,2,2\n"
    assert drawn(messy.read(table)) == [False]
    assert drawn(messy.read(table, columns={"draw": None})) == [False]


def test_draws_in_a_dataframe() -> None:
    frame = pl.DataFrame(
        {"winner": ["a", "b"], "loser": ["b", "c"], "winner_score": [1, 2], "loser_score": [1, 0]}
    )
    assert drawn(podium.History.from_frame(frame)) == [True, False]
    listed = frame.with_columns(winner_score=pl.lit([1, 2], pl.List(pl.Int64)), result=pl.lit([1]))
    assert drawn(podium.History.from_frame(listed)) == [False, False]


# ------------------------------------------------------------------ rows that may not count


def test_walkovers(messy: Messy) -> None:
    history = messy.read(
        "winner,loser,score\nAnn,Bob,6-4 6-4\nBob,Cat,W/O\nCat,Ann,Walkover\nAnn,Cat,avoid\n"
    )
    assert len(history) == 2
    assert "left out: W/O (not played) (1 match) and Walkover (not played) (1 match)" in guesses(history)
    with pytest.warns(ReadingWarning, match="1 row like 'game cancelled' in 'Comments'"):
        messy.read("winner,loser,Comments\nAnn,Bob,gg\nBob,Cat,game cancelled\n")
    assert warned(messy.read("winner,loser,Comments\nAnn,Bob,gg\n")) == []


@pytest.mark.parametrize("column", ["deleted", "Cancelled", "void"])
@pytest.mark.parametrize("date", ["", "date,"])
def test_marks_of_rows_that_may_not_count(messy: Messy, column: str, date: str) -> None:
    day = "2026-01-13," if date else ""
    history = messy.read(
        f"{date}home,away,score_a,score_b,{column}\n{day}Ann,Bob,3,0,yes\n",
        columns={"player_a": "home", "player_b": "away"},
    )
    assert [text.split(":")[0] for text in warned(history)] == [
        f"{column!r} is not used, and seems to mark rows that do not count"
    ]


# ------------------------------------------------------------------ an event of every year


def test_an_event_of_every_year(messy: Messy) -> None:
    table = (
        "year,race,driver,position\n2023,Monaco,VER,1\n2023,Monaco,ALO,2\n"
        "2024,Monaco,LEC,3\n2024,Monaco,PIA,4\n"
    )
    history = messy.read(table)
    assert [event.name for event in history] == ["Monaco 2023", "Monaco 2024"]
    assert guesses(history) == ["each race and year is an event"]
    assert history.readings[0].unused == ()
    assert warned(history) == [
        "'year' is not read as a time: --column time=year --time-format %Y (columns={'time': 'year'}, "
        "time_format='%Y') reads years"
    ]
    timed = messy.read(table, columns={"time": "year"}, time_format="%Y")
    assert len(timed) == 2


def test_a_year_that_is_none_of_the_event(messy: Messy) -> None:
    history = messy.read("race,name,year,position\n50m,Ann,2005,1\n50m,Bob,2006,2\n50m,Cat,2005,3\n")
    assert len(history) == 1
    assert history.readings[0].unused == ("year",)


def test_an_event_of_several_times(messy: Messy) -> None:
    history = messy.read(
        "date,race,driver,position\n2023-05-01,Monaco,VER,1\n2023-05-01,Monaco,ALO,2\n"
        "2024-05-01,Monaco,LEC,1\n2024-05-01,Monaco,PIA,2\n"
    )
    assert len(history) == 2
    assert "each race and time is an event" in guesses(history)


# ------------------------------------------------------------------ times that are not read


@pytest.mark.parametrize(
    "cells",
    [
        ("2026-01-13", "2026-01-14"),
        ("2026-01-13T20:15:00Z", ""),
        ("13.01.2026", "14.01.2026 20:15"),
        ("1/13/26", "1/14/26"),
        ("3 Apr 2026", "12 May 2026"),
        ("April 3, 2026", "May 12, 2026"),
        ("1768335300", "1768421700"),
    ],
)
def test_moments_that_are_not_read(messy: Messy, cells: tuple[str, str]) -> None:
    quoted = [f'"{cell}"' for cell in cells]
    history = messy.read("winner,loser,logged when\nann,bob,{}\nbob,cat,{}\n".format(*quoted))
    assert warned(history) == [
        "'logged when' is not used, and holds times: to read it, use --column 'time=logged when' "
        "(columns={'time': 'logged when'})"
    ]
    (piece, *_) = messy.pieces(messy.path.read_text(), rows=1)
    assert warned(piece) == warned(history)


@pytest.mark.parametrize(
    "table",
    [
        "winner,loser,court\nann,bob,3\n",
        "winner,loser,score\nann,bob,6-4-2\n",
        "winner,loser,set_id\nann,bob,1768335300\n",
        "winner,loser,winner birth date\nann,bob,2001-01-13\n",
        "winner,loser,date,entered\nann,bob,2026-01-13,2026-01-14\n",
        "winner,loser,empty\nann,bob,\n",
    ],
)
def test_what_is_no_moment(messy: Messy, table: str) -> None:
    assert warned(messy.read(table)) == []


def test_moments_of_a_dataframe() -> None:
    frame = pl.DataFrame({"winner": ["a"], "loser": ["b"], "entered": [date(2026, 1, 13)], "n": [3]})
    with pytest.warns(ReadingWarning, match="'entered' is not used, and holds times"):
        podium.History.from_frame(frame)


@pytest.mark.parametrize("name", ["created", "created_at", "ts", "gameday", "Game Day"])
def test_names_of_times(messy: Messy, name: str) -> None:
    history = messy.read(f"winner,loser,{name}\nann,bob,2026-01-13\n")
    assert history.readings[0].columns["time"] == name


@pytest.mark.parametrize("names", [("UTCDate", "UTCTime"), ("gameday", "gametime"), ("date", "match time")])
def test_a_day_and_the_time_of_day(messy: Messy, names: tuple[str, str]) -> None:
    history = messy.read("winner,loser,{},{}\nann,bob,2026-01-13,20:20\n".format(*names))
    assert to_iso(int(history.time[0])) == "2026-01-13T20:20:00Z"


def test_a_moment_beside_its_day(messy: Messy) -> None:
    history = messy.read("winner,loser,date,match time\nann,bob,2026-01-13,2026-01-13T20:20:00Z\n")
    assert to_iso(int(history.time[0])) == "2026-01-13T20:20:00Z"
    assert history.readings[0].unused == ("date",)


# ------------------------------------------------------------------ what is said


def test_at_home_unless_neutral(messy: Messy) -> None:
    history = messy.read("Home,Away,FTR,neutral\nann,bob,H,no\n")
    assert "Home as player_a (at home unless neutral)" in history.readings[0].description


def test_ladders_by_a_name_of_another_case(messy: Messy) -> None:
    messy.path.write_bytes(b"League,winner,loser\nnorth,ann,bob\nsouth,cat,dan\n")
    assert list(read_ladders(messy.path, by="league")) == ["north", "south"]
    messy.path.write_bytes(b"League,LEAGUE,winner,loser\nnorth,x,ann,bob\n")
    with pytest.raises(InputError, match="there is no column 'league'"):
        read_ladders(messy.path, by="league")
