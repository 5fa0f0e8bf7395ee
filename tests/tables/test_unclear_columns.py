"""Columns that could be read in two ways, or not at all: what podium refuses, and what it says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium import History
from podium.errors import InputError
from tables.messy import Messy


@pytest.fixture
def messy(tmp_path: Path) -> Messy:
    return Messy(tmp_path)


def home_and_ranks(history: History) -> list[tuple[str | None, dict[str, int]]]:
    """Who is at home in each match, and who has which rank."""
    return [
        (
            None if history.home is None else history.players[history.home[i]],
            {side[0]: rank for side, rank in zip(event.sides, event.ranks, strict=True)},
        )
        for i, event in enumerate(history)
    ]


# ------------------------------------------------------------------ two columns of one name


def test_two_columns_of_one_name(messy: Messy) -> None:
    error = messy.refusal("Name,Pts,Name,Pts\nAnn,11,Bob,7\nCat,5,Dan,11\n")
    assert error.reason == "there are two columns 'Name'"
    assert error.hint == "rename them to player_a and player_b (if they belong to two sides of a match)"
    assert messy.refusal("race,driver,points,points\nSpa,A,1,25\nSpa,B,2,18\n").reason == (
        "there are two columns 'points'"
    )
    given = messy.refusal("Home,PTS,Away,PTS\nA,2,B,1\n", columns={"score_a": "PTS", "score_b": "PTS"})
    assert given.reason == "the columns 'PTS' and 'PTS' are both called score_a"


def test_two_spellings_of_one_name(messy: Messy) -> None:
    table = "race,driver,Pts,PTS.\nSpa,A,1,25\nSpa,B,2,18\n"
    error = messy.refusal(table)
    assert error.reason == "the columns 'Pts' and 'PTS.' have the same name"
    assert error.hint is not None
    assert "--column score=Pts (columns={'score': 'Pts'})" in error.hint
    assert messy.read(table, columns={"score": "Pts"}).event(0).ranks == (2, 1)


def test_two_columns_that_need_not_be_read(messy: Messy) -> None:
    table = "winner,loser,Match ID,match_id,note,note\nann,bob,1,2,x,y\n"
    error = messy.refusal(table)
    assert error.hint is not None
    assert error.hint.endswith("or read none of them: --column event= (columns={'event': None})")
    assert len(messy.read(table, columns={"event": None})) == 1


def test_columns_without_a_name(messy: Messy) -> None:
    history = messy.read("Date,Winner,,Loser,,\n2026-01-13,Ann,@,Bob,,\n")
    assert history.readings[0].unused == ()


# ------------------------------------------------------------------ the second side stands first

AWAY_FIRST = {"player_a": "Away", "player_b": "Home", "home": "Home"}
HOME_FIRST = {"player_a": "Home", "player_b": "Away"}


def test_away_before_home(messy: Messy) -> None:
    table = "Date,Away,Home,Score\n2026-04-01,Yankees,Red Sox,4-4\n2026-04-02,Yankees,Mets,5-3\n"
    error = messy.refusal(table)
    assert error.line == 3
    assert error.reason == "'5-3' may be Home 5 and Away 3, or Away 5 and Home 3"
    assert error.hint is not None
    assert "--column player_a=Home --column player_b=Away" in error.hint
    assert "--column player_a=Away --column player_b=Home --column home=Home" in error.hint
    first, second = (messy.read(table, columns=given) for given in (AWAY_FIRST, HOME_FIRST))
    assert home_and_ranks(first)[1] == ("Mets", {"Yankees": 1, "Mets": 2})
    assert home_and_ranks(second)[1] == ("Mets", {"Mets": 1, "Yankees": 2})


@pytest.mark.parametrize("cells", [("W", "L"), ("win", "loss"), ("1", "0")])
def test_away_before_home_with_letters(messy: Messy, cells: tuple[str, str]) -> None:
    table = "Away,Home,Result\nYankees,Red Sox,{}\nYankees,Mets,{}\n".format(*cells)
    error = messy.refusal(table)
    assert error.reason == f"{cells[0]!r} may mean that Home won, or that Away won"
    assert home_and_ranks(messy.read(table, columns=AWAY_FIRST))[0] == (
        "Red Sox",
        {"Yankees": 1, "Red Sox": 2},
    )


@pytest.mark.parametrize("cells", [("H", "A"), ("home", "away"), ("1", "2")])
def test_cells_that_name_the_side(messy: Messy, cells: tuple[str, str]) -> None:
    history = messy.read("Away,Home,Result\nYankees,Red Sox,{}\nYankees,Mets,{}\n".format(*cells))
    assert home_and_ranks(history) == [
        ("Red Sox", {"Red Sox": 1, "Yankees": 2}),
        ("Mets", {"Mets": 2, "Yankees": 1}),
    ]


def test_white_comes_first_in_results_of_chess(messy: Messy) -> None:
    history = messy.read("Black,White,Result\nLee,Ke,0-1\nKe,Shin,1-0\nLee,Shin,½-½\n")
    assert [ranks for _, ranks in home_and_ranks(history)] == [
        {"Lee": 1, "Ke": 2},
        {"Shin": 1, "Ke": 2},
        {"Lee": 1, "Shin": 1},
    ]
    assert messy.refusal("Black,White,Result\nLee,Ke,3-2\n").reason == (
        "'3-2' may be White 3 and Black 2, or Black 3 and White 2"
    )


def test_numbered_points_of_named_sides(messy: Messy) -> None:
    table = "Away,Home,Score 1,Score 2\nYankees,Mets,5,3\n"
    error = messy.refusal(table)
    assert error.reason == "'Score 1' may belong to 'Home', or to 'Away', the first column"
    assert home_and_ranks(messy.read(table, columns=AWAY_FIRST)) == [("Mets", {"Yankees": 1, "Mets": 2})]
    clear = messy.read("Away,Away Score,Home,Home Score\nYankees,5,Mets,3\n")
    assert home_and_ranks(clear) == [("Mets", {"Yankees": 1, "Mets": 2})]


# ------------------------------------------------------------------ more than two players in a row


@pytest.mark.parametrize(
    ("header", "third"),
    [
        ("Player 1,Player 2,Player 3,Player 4,Score 1,Score 2", "Player 3"),
        ("team_a,team_b,team_c,winner,x,y", "team_c"),
    ],
)
def test_three_players_in_a_row(messy: Messy, header: str, third: str) -> None:
    with pytest.raises(InputError) as caught:
        messy.read(f"{header}\nann,bob,cat,ann,3,1\n")
    assert caught.value.reason == f"{third!r} is a third player in a row, and a match has two sides"
    assert caught.value.hint is not None
    assert "a row for each player" in caught.value.hint


# ------------------------------------------------------------------ tables of no shape


@pytest.mark.parametrize(
    ("header", "hint"),
    [
        (
            "Player 1,Player 2,Date",
            "Date as time, Player 1 as player_a, Player 2 as player_b are understood. A result is missing: "
            "two scores (score_a, score_b), result or winner",
        ),
        ("Driver,Race", "Driver as player, Race as event are understood. A result is missing: rank or score"),
        ("Winner,Court", "Winner is understood. The other player is missing: add loser"),
        ("Red Attack,Red Score,Blue Score", "The two players are missing: player_a and player_b"),
        ("lifter,place", "place as rank is understood. A column player is missing"),
        ("Home,G,Away,G", "'G' appears twice there: if these are scores, call that of Home score_a"),
        ("a,b,c", "results need event, player and rank or score. Matches need"),
        ("Red front,Red back,Black front,Black back", "in doubles partner_a and partner_b"),
        ("Dato,Spil,Freja,Ida,Vinder", "If each player has a column: --column player=Ann,Bob,Cid"),
        ("Bowler,Game 1,Game 2", "If each event has one, write a row for each player and event"),
    ],
)
def test_what_is_understood_and_what_is_missing(messy: Messy, header: str, hint: str) -> None:
    error = messy.refusal(f"{header}\n" + ",".join("vwxyz"[: header.count(",") + 1]) + "\n")
    assert error.reason.endswith("fit no kind of table that podium reads")
    assert hint in (error.hint or "")


@pytest.mark.parametrize(
    "table",
    [
        "2026-01-13,Ann,Bob,11,7\n2026-01-14,Bob,Cat,5,11\n",
        "13.01.2026,Ann,Bob\n14.01.2026,Cat,Dan\n",
        "Ann,Bob,11,7\nCat,Dan,5,11\n",
        "Ann,Bob\nBob,Cat\n",
    ],
)
def test_no_header(messy: Messy, table: str) -> None:
    assert (messy.refusal(table).hint or "").startswith("the first line looks like data")


@pytest.mark.parametrize(
    "text",
    [
        "zapp 2-0 MuffinMan\ngrandma 1-3 zapp\n",
        "Hi all, results so far - Barry\n\nRed Lion 7 v 2 Kings Arms\n",
    ],
)
def test_free_text(messy: Messy, text: str) -> None:
    assert (messy.refusal(text).hint or "").startswith("the first line looks like free text")


@pytest.mark.parametrize(
    "table",
    [
        "Dato,Freja,Magnus,Vinder\n2026-01-13,12,7,Freja\n2026-01-14,3,8,Magnus\n",
        "Mat;Scarlet;Azure;Winner\n1;Ann;Bob;Azure\n2;Cid;Dan;Scarlet\n",
    ],
)
def test_a_name_of_a_column_in_a_cell(messy: Messy, table: str) -> None:
    hint = messy.refusal(table).hint or ""
    assert "is understood" in hint or "are understood" in hint
    assert "looks like data" not in hint


def test_numbers_that_are_names(messy: Messy) -> None:
    for header in ("who,1,2,3", "who,2023,2024,2025"):
        assert "looks like data" not in (messy.refusal(f"{header}\nann,4,5,6\n").hint or "")


# ------------------------------------------------------------------ other names


def test_lists_of_standings(messy: Messy) -> None:
    history = messy.read("#,Who,Penalty\n1,ann,5\n2,bob,3\n")
    assert history.readings[0].columns == {"player": "Who", "rank": "#"}
    assert "fit no kind of table" in messy.refusal("#,City\n1,ann\n").reason
    assert messy.read("Rk,Name\n2,ann\n1,bob\n").event(0).ranks == (2, 1)


def test_how_long_somebody_took(messy: Messy) -> None:
    history = messy.read("Event,Name,Finals Time\n50 Free,Anna,34.22\n50 Free,Bea,35.90\n")
    assert history.event(0).ranks == (1, 2)
    assert history.readings[0].guesses == ("lower Finals Time is better",)
    named = messy.read("race,who,Wertungszeit\nx,a,34\nx,b,35\n", columns={"player": "who"})
    assert named.event(0).ranks == (1, 2)
    given = messy.read("race,name,my time\nx,a,34\nx,b,35\n", columns={"score": "my time"})
    assert given.event(0).ranks == (1, 2)
    assert messy.read("name,seconds\na,1234\nb,1230\n").event(0).ranks == (2, 1)
    assert "fit no kind of table" in messy.refusal("player,wins,last_time\na,15,2026-01-20\n").reason
    assert messy.refusal("player,some time\na,2026-01-20\n").reason == "there is neither a rank nor a score"


def test_sets_of_both(messy: Messy) -> None:
    history = messy.read("Spieler 1;Spieler 2;Sätze 1;Sätze 2\nann;bob;3;1\n")
    assert history.event(0).ranks == (1, 2)


def test_questions_of_a_form(messy: Messy) -> None:
    history = messy.read("Who won?,Who lost?\nann,bob\n")
    assert history.readings[0].columns == {"winner": "Who won?", "loser": "Who lost?"}


@pytest.mark.parametrize(
    ("table", "name", "theirs"),
    [
        ("match,player,position,points\n1,Ann,Forward,10\n1,Bob,Goalkeeper,7\n", "rank", "position"),
        ("event,player,home,rank\nopen,Ann,Boston,1\nopen,Bea,Leeds,2\n", "home", "home"),
        ("event,player,weight,rank\nopen,Ann,59kg,1\nopen,Bea,60kg,2\n", "weight", "weight"),
    ],
)
def test_columns_that_are_something_else(messy: Messy, table: str, name: str, theirs: str) -> None:
    hint = f"f {theirs!r} is something else, leave it out: --column {name}= (columns={{{name!r}: None}})"
    assert hint in (messy.refusal(table).hint or "")
    assert messy.read(table, columns={name: None}).event(0).ranks == (1, 2)


def test_weights_of_bodies(messy: Messy) -> None:
    table = "event,player,weight,rank\nopen,Ann,59.5,1\nopen,Bea,60,2\n"
    assert "--column weight= (columns={'weight': None})" in (messy.refusal(table).hint or "")
    assert messy.read(table, columns={"weight": None}).event(0).ranks == (1, 2)
