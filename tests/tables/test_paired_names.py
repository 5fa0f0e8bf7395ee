"""Cells that may name two players: teams where both are known, else names or a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium.history import ReadingWarning
from podium.tables.names.paired_names import SIGNS, pair_cells
from tables.messy import Messy


@pytest.fixture
def messy(tmp_path: Path) -> Messy:
    return Messy(tmp_path)


@pytest.mark.parametrize("sign", SIGNS)
def test_both_names_are_known(sign: str) -> None:
    pair = f"ann{sign}bob"
    assert pair_cells(["ann", "bob", pair]).sign == sign
    assert pair_cells([pair], ["ann", "bob"]).sign == sign
    assert pair_cells([pair, f"ann{sign}cat", f"bob{sign}cat"]).sign == sign


@pytest.mark.parametrize(
    "names",
    [["AC/DC", "bob"], ["1/2", "3/4"], ["a+b"], ["Bosnia & Herzegovina", "Wales", "Peru"], ["+", "/"]],
)
def test_names_stay_names(names: list[str]) -> None:
    assert pair_cells(names) == (None, None, None, False)


def test_a_few_among_many_are_warned_of(messy: Messy) -> None:
    rows = "".join(f"p{i},q{i}\n" for i in range(20))
    with pytest.warns(ReadingWarning, match="'p1/zoe' may be two players or one name: --teams-split /"):
        history = messy.read(f"winner,loser\n{rows}p1/zoe,q1\n")
    assert "p1/zoe" in history.players
    history = messy.read(f"winner,loser\n{rows}p1/zoe,q1\n", teams_split="none")
    assert "p1/zoe" in history.players


def test_an_alias_of_itself_is_a_name(messy: Messy) -> None:
    content = "winner,loser\nann,bob\nann / bob,cat\n"
    assert list(messy.read(content).event(1).sides) == [("ann", "bob"), ("cat",)]
    assert "ann / bob" in messy.read(content, aliases={"ann / bob": "ann / bob"}).players


def test_pieces_are_the_whole(messy: Messy) -> None:
    content = "winner,loser\nann,bob\ncat,dan\nann / bob,cat / dan\nann,cat\n"
    for rows in (1, 2, 4):
        pieces = messy.pieces(content, rows=rows)
        assert [event.sides for piece in pieces for event in piece] == [
            event.sides for event in messy.read(content)
        ]


@pytest.mark.parametrize("shape", ["players", "rosters"])
def test_teams_of_two_columns_are_players(shape: str, messy: Messy) -> None:
    content = "player 1,partner 1,player 2,partner 2,result\nann,bob,cat,dan,1-0\n"
    players = list(messy.read(content, teams=shape).players)
    assert players == (["ann / bob", "cat / dan"] if shape == "players" else players)
    assert len(players) == 2


def test_partners_are_named_by_the_caller(messy: Messy) -> None:
    names = dict(zip(("player_a", "partner_a", "player_b", "partner_b"), "vwxy", strict=True))
    history = messy.read("v,w,x,y,result\nann,bob,cat,dan,1-0\n", columns=names)
    assert history.event(0).sides == (("ann", "bob"), ("cat", "dan"))
