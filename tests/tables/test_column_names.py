"""Columns by the names people use: what is read as what, what is said of it, and what is warned of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import podium
from cli.command import podium_here
from podium.arrays import NO_TIME
from podium.errors import InputError, ParameterError
from podium.history import History, Reading, ReadingWarning
from podium.history.times import to_micros
from podium.tables.columns.column_names import (
    SYNONYMS,
    NamePair,
    plain_name,
    player_pairs,
    score_pairs,
    winner_pairs,
)
from podium.tables.columns.shapes import KNOWN, ReadOptions, table_columns
from podium.tables.ladder_column import read_ladders
from podium.tables.rows.defects import Source
from tables.messy import iso_times


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_bytes(content.encode())
    return path


def read(folder: Path, name: str, content: str, **options: Any) -> tuple[History, Reading]:
    """The history in a file and what was understood of it; warnings are in the latter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingWarning)
        history = podium.read_history(write(folder, name, content), **options)
    (reading,) = history.readings
    return history, reading


def theirs(header: str, **columns: str | None) -> dict[str, str]:
    """podium's columns and the table's, for a header with commas."""
    return dict(table_columns(header.split(","), ReadOptions(columns=columns), Source()).theirs)


def winners(history: History) -> list[str]:
    return [next(side[0] for side, rank in zip(e.sides, e.ranks, strict=True) if rank == 1) for e in history]


# ------------------------------------------------------------------ files people have

BUNDESLIGA = """\
Datum,Heim,Gast,ToreH,ToreG,Stadion
2026-05-03,Köln,Mainz,0,2,Müngersdorf
2026-05-02,Mainz,Bremen,1,1,Bruchweg
2026-05-01,Bremen,Köln,3,1,Weserstadion
"""


def test_a_season_newest_first_is_rated_in_order(tmp_path: Path) -> None:
    history, reading = read(tmp_path, "bundesliga.csv", BUNDESLIGA)
    assert [event.sides[0][0] for event in history] == ["Bremen", "Mainz", "Köln"]
    assert [event.home for event in history] == ["Bremen", "Mainz", "Köln"]
    assert [event.scores for event in history] == [(3, 1), (1, 1), (0, 2)]
    assert reading.description == (
        f"{tmp_path}/bundesliga.csv: matches; Datum as time, Heim as player_a (at home), Gast as player_b, "
        "ToreH as score_a, ToreG as score_b; sorted by time (the file is newest first); "
        "not used: Stadion"
    )
    assert reading.warnings == ()


def test_a_file_in_no_order(tmp_path: Path) -> None:
    rows = "day,winner,loser\n2026-05-02,a,b\n2026-05-03,b,a\n2026-05-01,c,a\n"
    history, reading = read(tmp_path, "x.csv", rows)
    assert winners(history) == ["c", "a", "b"]
    assert reading.guesses == ("sorted by time (the file is in another order)",)
    sorted_rows = "day,winner,loser\n2026-05-01,a,b\n2026-05-01,b,a\n"
    assert read(tmp_path, "x.csv", sorted_rows)[1].guesses == ()
    own = rows.replace("day", "time")
    assert read(tmp_path, "x.csv", own)[1].guesses == ()  # as the manual says


def test_the_command_line_says_what_it_understood(tmp_path: Path) -> None:
    path = write(tmp_path, "bundesliga.csv", BUNDESLIGA.replace("Stadion", "Freundschaftsspiel"))
    done = podium_here("rate", path, "--system", "elo", "--json")
    assert done.returncode == 0
    said = done.stderr.splitlines()
    assert said[0] == f"{path}: matches"
    assert said[1].startswith("  Datum as time, Heim as player_a (at home)")
    assert any(
        line.startswith("warning: 'Freundschaftsspiel' is not used, and seems to mark") for line in said
    )


FOOTBALL_DATA = "Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,HTAG,Referee"
SACKMANN = (
    "tourney_id,tourney_name,tourney_date,match_num,winner_id,winner_name,loser_id,loser_name,score,round"
)
CRICKET = "id,season,date,team1,team2,toss_winner,result,winner,player_of_match"
RACES = "raceId,driverId,constructorId,grid,positionOrder,points,laps,milliseconds"


@pytest.mark.parametrize(
    "header, expected",
    [
        (
            FOOTBALL_DATA,
            {
                **{"time": "Date", "clock": "Time", "player_a": "HomeTeam", "player_b": "AwayTeam"},
                **{"score_a": "FTHG", "score_b": "FTAG"},
            },
        ),
        (SACKMANN, {"time": "tourney_date", "winner": "winner_name", "loser": "loser_name"}),
        (CRICKET, {"time": "date", "player_a": "team1", "player_b": "team2", "winner": "winner"}),
        (RACES, {"event": "raceId", "player": "driverId", "rank": "positionOrder"}),
        (
            "Fecha,Local,Visitante,Goles Local,Goles Visitante",
            {
                **{"time": "Fecha", "player_a": "Local", "player_b": "Visitante"},
                **{"score_a": "Goles Local", "score_b": "Goles Visitante"},
            },
        ),
        ("Datum,Sieger,Verlierer", {"time": "Datum", "winner": "Sieger", "loser": "Verlierer"}),
        (
            "Course,Joueur,Classement,Équipe",
            {"event": "Course", "player": "Joueur", "rank": "Classement", "team": "Équipe"},
        ),
        ("Gara,Giocatore,Punteggio", {"event": "Gara", "player": "Giocatore", "score": "Punteggio"}),
        ("Prova,Jogador,Colocação", {"event": "Prova", "player": "Jogador", "rank": "Colocação"}),
        ("Wettkampf,Fahrer,Platz", {"event": "Wettkampf", "player": "Fahrer", "rank": "Platz"}),
        ("white,black,result", {"player_a": "white", "player_b": "black", "result": "result"}),
        ("home,away,score", {"player_a": "home", "player_b": "away", "result": "score"}),
        (
            "white_id,black_id,winner,created_at",
            {"time": "created_at", "player_a": "white_id", "player_b": "black_id", "winner": "winner"},
        ),
        (
            "player_a,player_b,winner,draw",
            {"player_a": "player_a", "player_b": "player_b", "winner": "winner", "draw": "draw"},
        ),
        (
            "P1,P2,score1,score2",
            {"player_a": "P1", "player_b": "P2", "score_a": "score1", "score_b": "score2"},
        ),
        ("name,white,black,result", {"player_a": "white", "player_b": "black", "result": "result"}),
        (
            "contest,handle,place,team",
            {"event": "contest", "player": "handle", "rank": "place", "team": "team"},
        ),
        (
            "Date,Kickoff,Winner,Loser",
            {"time": "Date", "clock": "Kickoff", "winner": "Winner", "loser": "Loser"},
        ),
        ("kickoff,winner,loser", {"time": "kickoff", "winner": "winner", "loser": "loser"}),
        (
            "date,name,club,country,school,position",
            {"time": "date", "player": "name", "rank": "position"},
        ),
        ("date,name,time", {"time": "date", "player": "name", "score": "time"}),
    ],
)
def test_headers_people_have(header: str, expected: dict[str, str]) -> None:
    assert theirs(header) == expected


@pytest.mark.parametrize(
    "header, columns, expected",
    [
        # podium's own names before those of others
        (
            "event,tournament,player,name,rank,position",
            {},
            {"event": "event", "player": "player", "rank": "rank"},
        ),
        ("winner,loser,winner_name,loser_name", {}, {"winner": "winner", "loser": "loser"}),
        # what the caller says before all
        (
            "event,tournament,player,handle,rank",
            {"event": "tournament", "player": "handle"},
            {"event": "tournament", "player": "handle", "rank": "rank"},
        ),
        ("date,time,winner,loser", {"time": "time"}, {"time": "time", "winner": "winner", "loser": "loser"}),
        ("date,time,winner,loser", {"time": None}, {"winner": "winner", "loser": "loser"}),
        ("date,time,winner,loser", {"clock": None}, {"time": "date", "winner": "winner", "loser": "loser"}),
        ("date,winner,loser", {"time": None}, {"winner": "winner", "loser": "loser"}),
        (
            "contest,handle,place,team",
            {"team": None},
            {"event": "contest", "player": "handle", "rank": "place"},
        ),
        # a column that the caller uses is not used for anything else
        ("date,winner,loser", {"event": "date"}, {"event": "date", "winner": "winner", "loser": "loser"}),
    ],
)
def test_what_is_said_comes_first(
    header: str, columns: dict[str, str | None], expected: dict[str, str]
) -> None:
    assert theirs(header, **columns) == expected


def test_names_are_compared_by_their_letters() -> None:
    for header in (
        "HomeTeam,AwayTeam",
        "home_team,away_team",
        "Home Team,AWAY-TEAM",
        "home.team, away team ",
    ):
        assert set(theirs(f"{header},result")) == {"player_a", "player_b", "result"}


def test_every_name_is_written_as_it_is_compared() -> None:
    listed = [name for names in SYNONYMS.values() for name in names]
    pairs: list[NamePair] = [*player_pairs(), *score_pairs(), *winner_pairs()]
    listed += [name for pair in pairs for name in (pair.first, pair.second)]
    assert [name for name in listed if name != plain_name(name)] == []
    assert set(SYNONYMS) <= set(KNOWN)


# ------------------------------------------------------------------ two readings


def test_two_readings_are_refused_with_both() -> None:
    with pytest.raises(InputError) as caught:
        theirs("home,away,home_score,away_score,name,points")
    assert "matches (home as player_a, away as player_b, home_score as score_a" in caught.value.reason
    assert "and as results (name as player, points as score)" in caught.value.reason
    assert "--column player=" in (caught.value.hint or "")
    assert set(theirs("home,away,home_score,away_score,name,points", player=None)) == {
        *("player_a", "player_b", "score_a", "score_b")
    }
    assert set(theirs("home,away,home_score,away_score,name,points", player_a=None)) == {
        *("player", "score", "home")
    }


def test_more_of_podiums_own_names_decide() -> None:
    assert set(theirs("home,away,home_score,away_score,player,rank")) == {"player", "rank", "home"}


def test_a_player_and_an_opponent_are_not_one_contest(tmp_path: Path) -> None:
    rows = "date,player,opponent,result\n2026-05-01,ann,bob,W\n2026-05-01,bob,ann,L\n"
    with pytest.raises(InputError, match="fit no kind of table") as caught:
        read(tmp_path, "x.csv", rows)
    assert "--column player_a=player --column player_b=opponent" in (caught.value.hint or "")


def test_teams_without_members_are_players() -> None:
    with pytest.raises(InputError, match="fit no kind of table") as caught:
        theirs("Mannschaft,Platz,Punkte")
    assert "--column player=Mannschaft" in (caught.value.hint or "")


# ------------------------------------------------------------------ who is at home


@pytest.mark.parametrize(
    "header, home",
    [
        ("home,away", "ann"),
        ("Heimmannschaft,Gastmannschaft", "ann"),
        ("white,black", "ann"),
        ("player_a,player_b", None),
        ("player1,player2", None),
        ("team a,team b", None),
        ("P1,P2", None),
        ("red,blue", None),
    ],
)
def test_who_is_at_home(tmp_path: Path, header: str, home: str | None) -> None:
    history, reading = read(tmp_path, "x.csv", f"{header},result\nann,bob,3-1\n")
    assert history.event(0).home == home
    assert ("(at home)" in reading.description) == (home is not None)
    marked, _ = read(tmp_path, "x.csv", f"{header},result,neutral site\nann,bob,3-1,yes\ncat,bob,1-1,no\n")
    assert [event.home for event in marked] == [None, "cat"]


# ------------------------------------------------------------------ one contest


def test_a_contest_without_a_column_event(tmp_path: Path) -> None:
    history, reading = read(tmp_path, "marathon.csv", "Platz,Name\n1,ann\n2,bob\n")
    assert [(event.name, event.ranks) for event in history] == [("marathon", (1, 2))]
    assert reading.guesses == ("all rows are one event",)
    frame = pl.DataFrame({"player": ["ann", "bob"], "score": [3, 5]})
    assert [(event.name, event.ranks) for event in History.from_frame(frame)] == [("1", (2, 1))]


def test_a_player_twice_in_a_contest_without_a_column_event(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 4, event 'x': player 'ann' appears twice") as caught:
        read(tmp_path, "x.csv", "name,place\nann,1\nbob,2\nann,3\n")
    assert "The table has no column event" in (caught.value.hint or "")
    with pytest.raises(InputError, match="appears twice") as caught:
        read(tmp_path, "x.csv", "event,name,place\ne,ann,1\ne,bob,2\ne,ann,3\n")
    assert "no column event" not in (caught.value.hint or "")


def test_each_time_is_an_event_where_no_column_says_more(tmp_path: Path) -> None:
    rows = "date,name,place\n2026-05-02,ann,1\n2026-05-02,bob,2\n2026-05-01,ann,2\n2026-05-01,bob,1\n"
    history, reading = read(tmp_path, "x.csv", rows)
    assert [(event.name, event.ranks) for event in history] == [
        ("2026-05-01", (2, 1)),
        ("2026-05-02", (1, 2)),
    ]
    assert reading.guesses[0] == "each time is an event"
    frame = pl.DataFrame({"name": ["a", "b", "a", "b"], "place": [1, 2, 1, 2], "date": [1, 1, 2, 2]})
    dated = frame.with_columns(pl.from_epoch(pl.col("date") * 86_400))
    assert [event.name for event in History.from_frame(dated)] == ["1970-01-02", "1970-01-03"]


def test_a_race_that_takes_place_every_year(tmp_path: Path) -> None:
    rows = (
        "race,date,driver,position\nMonaco,2025-05-02,ann,1\nMonaco,2025-05-02,bob,2\n"
        "Monaco,2026-05-01,ann,2\nMonaco,2026-05-01,bob,1\n"
    )
    history, reading = read(tmp_path, "x.csv", rows)
    assert [event.name for event in history] == ["Monaco 2025-05-02", "Monaco 2026-05-01"]
    assert reading.guesses == ("each race and time is an event",)
    with pytest.raises(InputError, match="appears twice"):  # podium's own name says what an event is
        read(tmp_path, "x.csv", rows.replace("race", "event"))


# ------------------------------------------------------------------ times that are none


def test_a_time_that_somebody_took(tmp_path: Path) -> None:
    history, reading = read(tmp_path, "run.csv", "rank,name,time\n1,ann,2:03:04.5\n2,bob,+0:12\n3,cat,\n")
    assert history.rank.tolist() == [1, 2, 3]
    assert history.time.tolist() == [NO_TIME]
    assert reading.guesses == (
        "time is a duration, not the time of the event",
        "all rows are one event",
    )
    assert reading.unused == ("time",)


def test_a_clock_that_differs_inside_an_event_is_a_result(tmp_path: Path) -> None:
    rows = "date,name,place,time\n2026-05-02,ann,1,17:45\n2026-05-02,bob,2,18:01\n"
    history, reading = read(tmp_path, "run.csv", rows)
    assert history.time.tolist() == [to_micros("2026-05-02")]
    assert "clock" not in reading.columns
    assert "time is a duration, not the time of the event" in reading.guesses


def test_the_time_is_the_score_where_there_is_no_other(tmp_path: Path) -> None:
    history, reading = read(tmp_path, "swim.csv", "name,time\nann,59.8\nbob,61.2\n")
    assert history.rank.tolist() == [1, 2]
    assert "lower time is better" in reading.guesses
    assert read(tmp_path, "swim.csv", "name,time\nann,59.8\nbob,61.2\n", lower_is_better=False)[
        0
    ].rank.tolist() == [2, 1]
    with pytest.raises(InputError, match="there is neither a rank nor a score"):
        read(tmp_path, "x.csv", "event,player,time\ne,ann,2026-05-01\ne,bob,2026-05-01\n")


@pytest.mark.parametrize("name", ["Finish Time", "laptime", "Strokes", "Zeit"])
def test_scores_that_are_called_low(tmp_path: Path, name: str) -> None:
    history, reading = read(tmp_path, "x.csv", f"name,{name}\nann,59.8\nbob,61.2\n")
    assert history.rank.tolist() == [1, 2]
    assert f"lower {name} is better" in reading.guesses
    points, plain = read(tmp_path, "x.csv", "name,points\nann,59.8\nbob,61.2\n")
    assert points.rank.tolist() == [2, 1]
    assert plain.guesses == ("all rows are one event", "higher points is better")


def test_what_is_called_like_a_time_and_holds_none(tmp_path: Path) -> None:
    history, reading = read(tmp_path, "x.csv", "event,player,rank,data\ne,ann,1,foo\ne,bob,2,\n")
    assert history.time.tolist() == [NO_TIME]
    assert reading.warnings == ("'data' has the name of a time but holds no times: not read",)
    _, table = read(tmp_path, "x.csv", "name,position,played\nann,1,34\nbob,2,34\n")
    assert (table.warnings, table.unused) == ((), ("played",))
    with pytest.raises(InputError, match="'2026-13-01' is not a time") as caught:
        read(tmp_path, "x.csv", "event,player,rank,date\ne,ann,1,2026-13-01\ne,bob,2,2026-13-01\n")
    assert caught.value.line == 2


def test_a_guessed_time_that_differs_can_be_left_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the time differs") as caught:
        read(tmp_path, "x.csv", "event,player,rank,date\ne,ann,1,2026-05-01\ne,bob,2,2026-05-02\n")
    assert "--column time= (columns={'time': None}) leaves it out" in (caught.value.hint or "")


# ------------------------------------------------------------------ what is warned of


@pytest.mark.parametrize(
    "header, warning",
    [
        (
            "datetime,date,winner,loser",
            "'date' is not used, and looks like a time: to read it, use --column "
            "time=date (columns={'time': 'date'}) "
            "instead of datetime",
        ),
        ("winner,loser,season", "'season' is not read as a time: --column time=season --time-format %Y"),
        (
            "event,player,rank,position",
            "'position' is not used, and looks like a rank: to read it, use --column rank=position",
        ),
        (
            "event,player,score,points",
            "'points' is not used, and looks like a score: to read it, use --column score=points",
        ),
        (
            "event,player,rank,status",
            "'status' is not used, and looks like a mark of the players who finished",
        ),
        ("event,player,rank,classified", "--column finished=classified (columns={'finished': 'classified'})"),
        (
            "player1,player2,sets1,sets2,points1,points2",
            "'points1' and 'points2' are not used, and look like scores: --column score_a=points1 --column "
            "score_b=points2 (columns={'score_a': 'points1', 'score_b': 'points2'}) reads them instead",
        ),
        (
            "winner,loser,official",
            "looks like a mark of the rows that count: to read it, use --column rated=official",
        ),
        ("winner,loser,Walkover", "'Walkover' is not used, and seems to mark rows that do not"),
        ("event,player,rank,exhibition", "add a column rated with no in them"),
    ],
)
def test_unused_columns_that_could_matter(header: str, warning: str) -> None:
    (found,) = table_columns(header.split(","), ReadOptions(), Source()).warnings
    assert warning in found


@pytest.mark.parametrize(
    "header, columns",
    [
        ("winner,loser,season,date", {}),  # the date says more
        ("event,player,rank,points,total", {}),  # ranks decide
        ("event,player,rank,status,finished", {}),
        ("home,away,sets home,sets away,goals home,goals away", {"score_a": "goals home"}),
        ("winner,loser,official,rated", {}),
        ("datetime,date,winner,loser", {"time": "datetime"}),
        ("event,player,rank,status", {"finished": None}),
        ("winner,loser,friendly", {"rated": None}),
        ("adjustment,player,mu,date,status", {}),
    ],
)
def test_columns_that_are_not_doubted(header: str, columns: dict[str, str | None]) -> None:
    assert table_columns(header.split(","), ReadOptions(columns=columns), Source()).warnings == ()


def test_files_and_dataframes_warn_alike(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "winner,loser,friendly\nann,bob,yes\n")
    with pytest.warns(ReadingWarning, match="x.csv: 'friendly' is not used") as caught:
        podium.read_history(path)
    assert caught[0].filename == __file__
    with pytest.warns(ReadingWarning, match="'friendly' is not used") as caught:
        History.from_frame(pl.read_csv(path))
    assert caught[0].filename == __file__
    with pytest.warns(ReadingWarning, match="x.csv: 'friendly' is not used") as caught:
        list(podium.read_chunks(path))
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "door",
    [
        lambda table: podium.rate(table, "elo"),
        lambda table: podium.predict(table, "elo"),
        lambda table: podium.evaluate(table, "elo", scopes="everyone"),
        lambda table: podium.smooth(table, "glicko"),
        lambda table: podium.what_if(table, "elo", without="1"),
        lambda table: podium.rate_ladders(table.with_columns(ladder=pl.lit("chess")), system="elo"),
        podium.advise,
    ],
    ids=["rate", "predict", "evaluate", "smooth", "what_if", "rate_ladders", "advise"],
)
def test_every_door_warns_at_the_callers_line(door: Callable[[pl.DataFrame], object]) -> None:
    table = pl.DataFrame({"winner": ["ann", "bob"] * 60, "loser": ["bob", "ann"] * 60, "friendly": "yes"})
    with pytest.warns(ReadingWarning, match="'friendly' is not used") as caught:
        door(table)
    assert {one.filename for one in caught} == {__file__}


def test_a_warning_about_aliases_is_at_the_callers_line() -> None:
    table = pl.DataFrame({"winner": ["ann", "bob"], "loser": ["bob", "ann"]})
    for door in (podium.read_history, History.from_frame, podium.predict):
        with pytest.warns(ReadingWarning, match="none of the aliases") as caught:
            door(table, aliases={"zoe": "z"})
        assert caught[0].filename == __file__


def test_errors_say_what_the_column_is_called(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2: score_a is 'x', not a number") as caught:
        read(tmp_path, "x.csv", "HomeTeam,AwayTeam,FTHG,FTAG\nA,B,x,1\n")
    assert "score_a is the column 'FTHG'" in (caught.value.hint or "")


def test_matches_not_played_yet(tmp_path: Path) -> None:
    rows = "Date,HomeTeam,AwayTeam,FTHG,FTAG\n2026-05-01,A,B,3,1\n2026-08-01,B,A,,\n"
    with pytest.raises(InputError, match="line 3: score_a is empty") as caught:
        read(tmp_path, "x.csv", rows)
    assert "matches that have no result (yet)" in (caught.value.hint or "")
    history, _ = read(tmp_path, "x.csv", rows, on_bad_row="skip")
    assert (len(history), len(history.skipped)) == (1, 1)


# ------------------------------------------------------------------ pieces and ladders


def test_pieces_of_a_file_are_read_as_the_whole(tmp_path: Path) -> None:
    rows = "".join(f"2026-05-{day:02},p{day % 3},p{day % 3 + 1},{day % 4},1\n" for day in range(1, 29))
    path = write(tmp_path, "x.csv", f"date,team1,team2,score1,score2\n{rows}")
    whole = podium.read_history(path)
    pieces = list(podium.read_chunks(path, rows=5))
    assert len(pieces) > 1
    assert History.concat(pieces).to_frame().equals(whole.to_frame())
    assert [len(piece.readings) for piece in pieces] == [1, *[0] * (len(pieces) - 1)]
    assert whole.home is None


def test_a_contest_without_a_column_event_in_pieces(tmp_path: Path) -> None:
    rows = "".join(f"p{place},{place}\n" for place in range(1, 30))
    path = write(tmp_path, "cup.csv", f"name,place\n{rows}")
    whole = podium.read_history(path)
    assert History.concat(podium.read_chunks(path, rows=5)).to_frame().equals(whole.to_frame())


def test_ladders_in_one_table_are_read_alike(tmp_path: Path) -> None:
    rows = "game,team1,team2,winner\nchess,ann,bob,bob\ngo,ann,bob,draw\n"
    for source in (write(tmp_path, "x.csv", rows), pl.read_csv(rows.encode())):
        ladders = read_ladders(source, by="game")
        assert [history.rank.tolist() for history in ladders.values()] == [[2, 1], [1, 1]]
        assert [history.home for history in ladders.values()] == [None, None]
    contests = "cup,name,place\nspring,ann,1\nspring,bob,2\nautumn,ann,2\nautumn,bob,1\n"
    assert len(read_ladders(write(tmp_path, "x.csv", contests), by="cup")) == 2


def test_an_empty_text_between_members() -> None:
    with pytest.raises(ParameterError, match="teams_split must be the text between"):
        ReadOptions(teams_split=" ")


@pytest.mark.parametrize("clock", ["UTCTime", "start_time", "Match time", "kickoff"])
def test_a_time_of_day_by_a_name_that_could_be_a_whole_time(tmp_path: Path, clock: str) -> None:
    path = write(tmp_path, "x.csv", f"White,Black,Result,Date,{clock}\nann,bob,1-0,2026-05-01,20:15\n")
    assert iso_times(podium.read_history(path)) == ["2026-05-01T20:15:00Z"]
    rows = "ann,bob,1-0,2026-05-01,2026-05-01 20:15\n"
    history = podium.read_history(write(tmp_path, "x.csv", f"White,Black,Result,Date,{clock}\n{rows}"))
    assert iso_times(history) == ["2026-05-01T20:15:00Z"]
    (reading,) = history.readings
    assert (reading.columns["time"], reading.unused) == (clock, ("Date",))


def test_what_the_caller_names_decides_over_what_is_guessed(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "home,away,home goals,away goals,on,FTR\nann,bob,1,1,bob,H\n")
    assert podium.read_history(path).event(0).ranks == (1, 1)
    assert podium.read_history(path, columns={"winner": "on"}).event(0).ranks == (2, 1)
    assert podium.read_history(path, columns={"result": "FTR"}).event(0).ranks == (1, 2)
    path = write(tmp_path, "x.csv", "event,name,position,elo\ne,ann,goal,5\ne,bob,wing,7\n")
    history = podium.read_history(path, columns={"score": "elo"})
    assert history.event(0).ranks == (2, 1)


def test_a_winner_beside_scores_may_say_something_else(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "home,away,home goals,away goals,winner\nann,bob,1,1,bob\n")
    with pytest.warns(podium.ReadingWarning, match="'winner' is not used, and may differ from the scores"):
        assert podium.read_history(path).event(0).ranks == (1, 1)
    assert podium.read_history(path, columns={"winner": "winner"}).event(0).ranks == (2, 1)


def test_starts_of_a_time_trial_are_those_of_players(tmp_path: Path) -> None:
    rows = "event,rider,rank,date,start time\na,ann,1,2026-05-01,10:00\na,bob,2,2026-05-01,10:01\n"
    (reading,) = podium.read_history(write(tmp_path, "x.csv", rows)).readings
    assert "start time is different for each player, not the time of the event" in reading.guesses
