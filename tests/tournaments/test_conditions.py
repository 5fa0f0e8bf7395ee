"""What must happen for somebody to win: last rounds that can be worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.command import succeeded
from podium.errors import InputError
from podium.tournaments.tournament import Tournament


def last_round() -> Tournament:
    """Round three of four players: ann and bob have 2 points, cat and dan none, and play each other."""
    tournament = Tournament("round-robin")
    for name in ("ann", "cat", "dan", "bob"):
        tournament.join(name)
    strength = {"ann": 3, "bob": 3, "cat": 1, "dan": 0}
    while len(tournament.field.rounds) < 3:
        for game in tournament.pair().games:
            (first,), (second,) = game.sides
            if {first, second} in ({"ann", "bob"}, {"cat", "dan"}):
                continue
            tournament.result(game.number, [strength[first], strength[second]])
        if tournament.field.unfinished:
            break
    return tournament


def test_a_match_that_decides_the_title() -> None:
    tournament = Tournament("knockout")
    for name in ("ann", "bob", "cat", "dan"):
        tournament.join(name)
    tournament.pair()
    found = tournament.conditions("ann", simulations=400)
    assert found.must == ["ann must beat dan"]
    own = next(match for match in found.matches if "ann" in match.sides)
    assert own.after[own.sides.index("dan") * 2] == 0.0
    assert own is found.matches[0]
    assert found.chance == pytest.approx(0.25, abs=0.1)
    assert tournament.conditions("ann", place=4, simulations=50).must == []
    assert "ann must beat dan" in str(found)


def test_chances_after_results_are_those_of_the_tournament_with_them() -> None:
    tournament = last_round()
    game = next(game for game in tournament.field.unfinished if "ann" in game.players)
    before = tournament.conditions("ann", simulations=2_000)
    other = tournament.copy()
    other.result("ann", "1:0", round=game.round)
    after = other.chances(simulations=2_000).title["ann"]
    match = next(match for match in before.matches if "ann" in match.sides)
    given = match.after[match.sides.index("ann") * 2]
    assert given == pytest.approx(after, abs=0.06)


def test_nothing_is_open() -> None:
    tournament = Tournament("knockout")
    for name in ("ann", "bob"):
        tournament.join(name)
    with pytest.raises(InputError, match="no match is open"):
        tournament.conditions("ann")
    tournament.pair()
    with pytest.raises(InputError, match="not an entrant"):
        tournament.conditions("zoe")


def test_on_the_command_line(tmp_path: Path) -> None:
    file = str(tmp_path / "cup.jsonl")
    succeeded("tournament", "new", file, "--format", "knockout")
    succeeded("tournament", "join", file, "ann", "bob")
    succeeded("tournament", "pair", file)
    assert "ann must beat bob" in succeeded("tournament", "chances", file, "--for", "ann")
