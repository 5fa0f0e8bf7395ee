"""Teams as entrants: boards, ratings of members, and every format with teams."""

from __future__ import annotations

from pathlib import Path

import pytest

import podium
from cli.command import succeeded
from podium.errors import InputError
from podium.tournaments.tournament import Tournament

TEAMS = {"Reds": ["ann", "bob"], "Blues": ["cat", "dan"], "Greens": ["eve", "fay"], "Golds": ["gil", "hal"]}


def league(form: str, ladder: podium.Ladder | None = None) -> Tournament:
    """A tournament of four teams of two."""
    tournament = Tournament(form, ladder=ladder)
    for team, members in TEAMS.items():
        tournament.join(team, members=members)
    return tournament


@pytest.mark.parametrize(
    "form", ["swiss:2", "round-robin", "knockout", "knockout:double", "groups:2x1", "evening"]
)
def test_boards_decide_matches_in_every_format(form: str, tmp_path: Path) -> None:
    tournament = league(form)
    for _ in range(2):
        for game in tournament.pair().games:
            tournament.team_result(game.number, ["1:0", "½:½"])
            assert game.points == (1.5, 0.5)
            assert game.boards == ((1.0, 0.0), (0.5, 0.5))
            assert game.winner == game.sides[0]
    tournament.save(tmp_path / "t.jsonl")
    loaded = Tournament.load(tmp_path / "t.jsonl")
    assert loaded.field == tournament.field
    assert loaded.field.entrants["Reds"].members == ("ann", "bob")


def test_a_team_has_the_mean_rating_of_its_members() -> None:
    ladder = podium.Ladder("elo")
    ladder.adjust(podium.SetRating(player="ann", mu=1700.0))
    tournament = league("swiss:2", ladder)
    assert tournament.field.entrants["Reds"].mu == 1600.0
    assert tournament.field.entrants["Blues"].mu == 1500.0


def test_boards_after_a_name_and_what_is_refused() -> None:
    tournament = league("knockout")
    game = tournament.pair().games[0]
    (second,) = game.sides[1]
    with pytest.raises(InputError, match="needs a winner"):
        tournament.team_result(1, ["1:0", "0:1"])
    with pytest.raises(InputError, match="3 boards"):
        tournament.team_result(1, ["1:0"] * 3)
    with pytest.raises(InputError, match="two scores"):
        tournament.team_result(1, ["1:0:2"])
    with pytest.raises(InputError, match="named twice"):
        Tournament("knockout").join("Reds", members=["ann", "ann"])
    tournament.team_result(second, ["1:0", "1:0"])
    assert game.winner == (second,)
    tournament.team_result(second, ["1:0", "1:0"])
    with pytest.raises(InputError, match="already 0:2"):
        tournament.team_result(1, ["1:0", "1:0"])
    tournament.team_result(1, ["1:0", "1:0"], correct=True)
    assert game.winner == game.sides[0]


def test_on_the_command_line(tmp_path: Path) -> None:
    file = str(tmp_path / "league.jsonl")
    succeeded("tournament", "new", file, "--format", "round-robin")
    for team, members in list(TEAMS.items())[:2]:
        succeeded("tournament", "join", file, team, "--members", ",".join(members))
    succeeded("tournament", "pair", file)
    succeeded("tournament", "result", file, "Reds", "1:0 0.5:0.5")
    assert "Reds – Blues  1.5:0.5" in succeeded("tournament", "rounds", file)
