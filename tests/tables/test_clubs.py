"""A column team that names clubs: their members do not play together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import podium
from podium.errors import InputError
from podium.history import History

CLUB = "team is a club, not a side: members of one have different ranks"
RACE = "race,driver,position,team\nspa,ann,1,red\nspa,bob,2,red\nspa,cat,3,blue\nspa,dan,4,blue\nspa,eve,5,\n"


def read(folder: Path, content: str, **options: Any) -> History:
    path = folder / "x.csv"
    path.write_bytes(content.encode())
    return podium.read_history(path, **options)


def test_members_with_different_ranks_are_of_a_club(tmp_path: Path) -> None:
    history = read(tmp_path, RACE)
    assert history.side is None
    assert history.team is None
    assert history.rank.tolist() == [1, 2, 3, 4, 5]
    (reading,) = history.readings
    assert CLUB in reading.guesses
    assert "team" not in reading.columns
    assert reading.unused == ("team",)


def test_podiums_own_names_and_scores_too(tmp_path: Path) -> None:
    rows = "event,player,score,team\ne,ann,9,red\ne,bob,8,red\ne,cat,7,blue\n"
    history = read(tmp_path, rows)
    assert history.side is None
    assert history.readings[0].guesses == (CLUB.replace("ranks", "scores"),)


def test_one_result_makes_a_side(tmp_path: Path) -> None:
    history = read(tmp_path, RACE.replace(",2,red", ",1,red").replace(",4,blue", ",3,blue"))
    assert history.event(0).sides == (("ann", "bob"), ("cat", "dan"), ("eve",))
    assert CLUB not in history.readings[0].guesses


def test_a_team_of_each_is_as_it_was(tmp_path: Path) -> None:
    history = read(tmp_path, "event,player,rank,team\ne,ann,1,red\ne,bob,2,blue\n")
    assert history.team_names == ("red", "blue")


def test_half_of_the_teams_agree(tmp_path: Path) -> None:
    rows = RACE.replace(",4,blue", ",3,blue")
    with pytest.raises(InputError, match="line 3, event 'spa': members of one team have different") as caught:
        read(tmp_path, rows)
    hint = caught.value.hint or ""
    assert "correct the rows" in hint
    assert "--column team=" in hint
    assert read(tmp_path, rows, columns={"team": None}).side is None


@pytest.mark.parametrize("options", [{"columns": {"team": "team"}}, {"teams": "players"}])
def test_who_says_that_they_are_sides_gets_sides(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="members of one team have different ranks"):
        read(tmp_path, RACE, **options)


def test_those_who_did_not_finish_tell_nothing(tmp_path: Path) -> None:
    rows = "event,player,rank,team,finished\n" + "".join(
        f"e,{player}\n"
        for player in ("ann,1,red,yes", "bob,,red,no", "cat,2,blue,yes", "dan,3,blue,yes", "eve,,blue,no")
    )
    history = read(tmp_path, rows)
    assert history.side is None
    assert history.rank.tolist() == [1, 4, 2, 3, 4]


def test_dataframes_have_clubs_too() -> None:
    frame = pl.read_csv(RACE.encode())
    assert History.from_frame(frame).side is None


def test_the_first_piece_decides(tmp_path: Path) -> None:
    def race(name: str, ranks: tuple[int, int]) -> str:
        return f"{name},ann,{ranks[0]},red\n{name},bob,{ranks[1]},red\n{name},cat,3,blue\n"

    path = tmp_path / "x.csv"
    head = "event,player,rank,team\n"
    path.write_bytes((head + race("a", (1, 2)) + race("b", (1, 1)) + race("c", (2, 1))).encode())
    pieces = list(podium.read_chunks(path, rows=3))
    assert len(pieces) > 1
    assert all(piece.side is None for piece in pieces)
    assert History.concat(pieces).to_frame().equals(podium.read_history(path).to_frame())
    path.write_bytes((head + race("a", (1, 1)) + race("b", (1, 2))).encode())
    with pytest.raises(InputError, match="line 6, event 'b': members of one team have different ranks"):
        list(podium.read_chunks(path, rows=3))


def test_a_club_of_which_one_did_not_finish(tmp_path: Path) -> None:
    history = read(tmp_path, "event,player,rank,team\ne,ann,1,red\ne,bob,2,blue\ne,cat,DNF,blue\n")
    assert history.side is None
    assert history.rank.tolist() == [1, 2, 3]
