"""Explanations: the terms of a standing add up to it, and each opponent who was passed over has a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.command import succeeded
from podium.documents import tournament_explanation_document
from podium.errors import InputError
from podium.tournaments.tournament import Tournament


def swiss(players: int, seed: int, rounds: int = 4) -> Tournament:
    """A Swiss tournament with a club and a family, played by chance, byes included."""
    chance, tournament = np.random.default_rng(seed), Tournament(f"swiss:{rounds}")
    for number in range(players):
        club = "north" if number % 5 == 0 else None
        tournament.join(f"p{number}", 1900.0 - 20 * number, club=club)
    tournament.forbid("p1", "p2")
    while not tournament.finished:
        for game in tournament.pair().games:
            tournament.result(game.number, [[2, 0], [1, 1], [0, 3]][int(chance.integers(3))])
    return tournament


@pytest.mark.parametrize("seed", range(5))
def test_terms_add_up_to_the_numbers_of_the_standings(seed: int) -> None:
    tournament = swiss(11, seed)
    for row in tournament.standings():
        found = tournament.explain_standing(row.player)
        for name in ("points", "buchholz", "sonneborn_berger", "difference"):
            assert sum(value for _, value in getattr(found, name)) == pytest.approx(getattr(row, name)), name


def test_terms_add_up_at_tables_and_in_doubles() -> None:
    for form, scores in (("evening:tables", [4, 3, 3, 1]), ("evening:2v2", [21, 15])):
        tournament = Tournament(form)
        for number in range(8):
            tournament.join(f"p{number}")
        for _ in range(3):
            for game in tournament.pair().games:
                tournament.result(game.number, scores)
        for row in tournament.standings():
            found = tournament.explain_standing(row.player)
            for name in ("points", "buchholz", "sonneborn_berger", "difference"):
                terms = sum(value for _, value in getattr(found, name))
                assert terms == pytest.approx(getattr(row, name)), name


@pytest.mark.parametrize("seed", range(5))
def test_reasons_of_a_swiss_round_are_true(seed: int) -> None:
    tournament = swiss(12, seed)
    field = tournament.field
    for game in field.games:
        found = tournament.explain(game.number, round=game.round)
        assert found.sides == game.sides
        (first,) = game.sides[0]
        for other, reason in found.others:
            earlier = [
                one.round
                for one in field.games
                if one.round < game.round and {first, other} <= {*one.players}
            ]
            if reason.startswith("they met in round"):
                assert earlier == [int(reason.split()[-1])]
            elif reason == "of the same club":
                assert field.entrants[first].club == field.entrants[other].club == "north"
            elif reason == "they must not meet":
                assert {first, other} == {"p1", "p2"}
            else:
                assert not earlier
                assert field.may_meet(first, other)


def test_reasons_in_words() -> None:
    tournament = Tournament("swiss:3")
    for name, rating in {"ann": 1700, "bob": 1600, "cat": 1500, "dan": 1400}.items():
        tournament.join(name, rating, club="north" if name in ("ann", "bob") else None)
    tournament.pair()
    tournament.result("ann", "1:0")
    tournament.result("bob", "1:0")
    tournament.pair()
    assert str(tournament.explain("ann", round=1)).splitlines() == [
        "ann – cat",
        "both have 0 points",
        "they have not met in this tournament",
        "not bob: of the same club",
        "not dan: plays bob, which is better for the round as a whole",
    ]
    assert "not bob: they met in round 1" in str(tournament.explain("dan", round=2))
    assert str(tournament.explain_standing("ann")).splitlines()[1] == "Points 1 = 1 against cat"


def test_reasons_of_other_formats() -> None:
    for form, words in (
        ("round-robin", "Berger's table of round 1"),
        ("knockout", "ann is seed 1"),
        ("knockout:double", "dan is seed 4"),
        ("evening", "chances of"),
        ("evening:tables", "like strength"),
        ("groups:2x1", "Berger's table"),
    ):
        tournament = Tournament(form)
        for name, rating in {"ann": 1700, "bob": 1600, "cat": 1500, "dan": 1400}.items():
            tournament.join(name, rating)
        tournament.pair()
        assert words in str(tournament.explain(1)), form


def test_reasons_are_those_of_the_entrant_who_asks() -> None:
    tournament = Tournament("swiss:3")
    for name, rating in {"ann": 1700, "bob": 1600, "cat": 1500, "dan": 1400}.items():
        tournament.join(name, rating, club="north" if name in ("bob", "cat") else None)
    tournament.pair()
    by_name = {name: dict(tournament.explain(name).others) for name in tournament.field.entrants}
    assert by_name["bob"]["cat"] == by_name["cat"]["bob"] == "of the same club"
    assert all(name not in others for name, others in by_name.items())


def test_an_explanation_is_a_document(tmp_path: Path) -> None:
    tournament = swiss(9, 1)
    file = tmp_path / "cup.jsonl"
    tournament.save(file)
    for row in tournament.standings():
        found: Any = tournament_explanation_document(tournament, row.player, 3)
        for name in ("points", "buchholz", "sonneborn_berger", "difference"):
            assert sum(term["value"] for term in found[name]) == pytest.approx(getattr(row, name)), name
    (bye,) = tournament.field.rounds[2].byes
    assert tournament_explanation_document(tournament, bye, 3)["pairing"] is None
    with pytest.raises(InputError, match="no round 9"):
        tournament_explanation_document(tournament, "p1", 9)
    told = json.loads(succeeded("tournament", "explain", str(file), "1", "--round", "3", "--json"))
    sides = [list(side) for side in tournament.match(1, 3).sides]
    assert (told["player"], told["pairing"]["sides"]) == (sides[0][0], sides)
