"""Entrants who must not meet, in the formats that cannot promise it: what can be kept, is kept."""

from __future__ import annotations

import json
from itertools import chain, combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.command import failed, succeeded
from podium.errors import InputError
from podium.tournaments.group_stages import groups_of
from podium.tournaments.knockouts import seed_order
from podium.tournaments.tournament import Tournament


def entered(form: str, clubs: list[str | None]) -> Tournament:
    """A tournament of p1, p2 … of these clubs, the best one first."""
    tournament = Tournament(form)
    for number, club in enumerate(clubs, 1):
        tournament.join(f"p{number}", 2000.0 - 10 * number, club=club)
    return tournament


def played(tournament: Tournament) -> Tournament:
    """The tournament, in which the entrant of the first side wins every match."""
    while True:
        for game in tournament.field.unfinished:
            tournament.result(game.number, "1:0")
        if tournament.finished:
            break
        tournament.pair()
    return tournament


def clashes(pairs: Any, clubs: list[str | None]) -> int:
    """Pairs of seeds of one club."""
    return sum(clubs[a - 1] is not None and clubs[a - 1] == clubs[b - 1] for a, b in pairs)


def arranged(tiers: list[list[int]]) -> list[dict[int, int]]:
    """Every way in which the seeds of each tier can change places: who is where seed n would be."""
    ways = product(*(permutations(tier) for tier in tiers))
    return [dict(zip(chain(*tiers), chain(*way), strict=True)) for way in ways]


@pytest.mark.parametrize("size", range(3, 9))
@pytest.mark.parametrize("form", ["knockout", "knockout:double"])
def test_no_other_draw_of_a_bracket_has_fewer_clashes_in_round_1(size: int, form: str) -> None:
    chance, order = np.random.default_rng(size), seed_order(8 if size > 4 else 4)
    byes = len(order) - size  # of the highest seeds, who keep them
    steps = ([1], [2], [3, 4], [5, 6, 7, 8])
    kept = [[n for n in step if n <= min(byes, size)] for step in steps]
    tiers = kept + [[n for n in step if byes < n <= size] for step in steps]
    first = [(a, b) for a, b in zip(order[::2], order[1::2], strict=True) if max(a, b) <= size]
    for _ in range(25):
        clubs = [None if club == 0 else f"c{club}" for club in chance.integers(0, 4, size)]
        tournament = entered(form, clubs)
        paired = tournament.pair()
        sides = [match.sides for match in tournament.bracket() if (match.part, match.column) == ("main", 1)]
        mine = [(int(a[1:]), int(b[1:])) for a, b in sides if a is not None and b is not None]
        assert sorted(chain(*mine)) == sorted(chain(*first))
        best = min(clashes([(way[a], way[b]) for a, b in first], clubs) for way in arranged(tiers))
        assert clashes(mine, clubs) == best, clubs
        assert best <= sum(game.rule is not None for game in paired.games)


@pytest.mark.parametrize(("size", "groups"), [(6, 2), (8, 2), (7, 3), (9, 3)])
def test_no_other_groups_have_fewer_clashes(size: int, groups: int) -> None:
    chance = np.random.default_rng(size)
    laps = [list(range(n + 1, min(n + groups, size) + 1)) for n in range(0, size, groups)]
    for _ in range(25):
        clubs = [None if club == 0 else f"c{club}" for club in chance.integers(0, 4, size)]
        tournament = entered(f"groups:{groups}x1", clubs)
        plain = groups_of(entered(f"groups:{groups}x1", [None] * size).field, tournament.format)
        seeds = [[int(name[1:]) for name in group] for group in plain]
        best = min(
            sum(clashes(combinations([way[n] for n in group], 2), clubs) for group in seeds)
            for way in arranged(laps)
        )
        found = groups_of(tournament.field, tournament.format)
        mine = [[int(name[1:]) for name in group] for group in found]
        assert sum(clashes(combinations(group, 2), clubs) for group in mine) == best, clubs
        left_out = sum(len(each.apart) for each in played(tournament).field.rounds)
        assert left_out == best


def test_sixteen_of_four_clubs_meet_no_one_of_their_own_before_the_semi_finals() -> None:
    tournament = entered("knockout", [f"c{number // 4}" for number in range(16)])
    rounds = played(tournament).field.rounds
    assert [sum(game.rule is not None for game in each.games) for each in rounds[:2]] == [0, 0]
    halves = [match.row > 4 for match in tournament.bracket()[:8] if {"p1", "p2"} & {*match.sides}]
    assert sorted(halves) == [False, True]


@pytest.mark.parametrize("form", ["round-robin", "round-robin:double"])
def test_a_round_robin_leaves_out_the_matches_of_a_club_and_of_a_family(form: str, tmp_path: Path) -> None:
    clubs = ["n", None, "n", None, None, None, "n"]
    tournament = entered(form, clubs)
    tournament.forbid("p2", "p4")
    laps = 2 if form.endswith("double") else 1
    played(tournament)
    met = sorted(tuple(sorted(game.players)) for game in tournament.field.games)
    apart = {("p1", "p3"), ("p1", "p7"), ("p3", "p7"), ("p2", "p4")}
    expected = sorted(pair for pair in combinations(tournament.field.entrants, 2) if pair not in apart)
    assert met == sorted(expected * laps)
    notes = [note for each in tournament.field.rounds for note in each.notes]
    assert len(notes) == 4 * laps
    assert {
        "p2 and p4 have no match: they are kept apart",
        "p4 and p2 have no match: they are kept apart",
    } & {*notes}
    tournament.save(tmp_path / "t.jsonl")
    assert Tournament.load(tmp_path / "t.jsonl").field == tournament.field
    with pytest.raises(InputError, match="no match is left"):
        entered("round-robin", ["n", "n", "n"]).pair()


@pytest.mark.parametrize("form", ["knockout", "knockout:double", "groups:2x2"])
def test_a_rule_after_the_start_and_an_older_file_change_no_draw(form: str, tmp_path: Path) -> None:
    tournament = entered(form, [None, "n", "n", "n", None, None, "m", "m"])
    tournament.pair()
    bracket, groups = tournament.bracket(), [[row.player for row in group] for group in tournament.groups()]
    tournament.forbid("p1", "p5")
    assert tournament.bracket() == bracket
    assert [[row.player for row in group] for group in tournament.groups()] == groups
    older = entered(form, [None] * 8)
    older.pair()
    older.save(tmp_path / "older.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "older.jsonl").read_text().splitlines()]
    for line in lines:  # as podium 0.1 wrote it
        line.pop("apart", None)
        line.pop("draw", None)
        if line.get("player") in ("p1", "p8"):
            line["club"] = "n"
    (tmp_path / "older.jsonl").write_text("\n".join(map(json.dumps, lines)))
    loaded = Tournament.load(tmp_path / "older.jsonl")
    assert loaded.bracket() == older.bracket()
    assert played(loaded).field.rounds[0].games[0].sides == played(older).field.rounds[0].games[0].sides


def test_a_bracket_without_another_way_says_so(tmp_path: Path) -> None:
    file = str(tmp_path / "cup.jsonl")
    succeeded("tournament", "new", file, "--format", "knockout")
    succeeded("tournament", "join", file, "ann", "bob", "--club", "north")
    succeeded("tournament", "join", file, "cat", "--club", "south")
    said = succeeded("tournament", "pair", file)
    assert "kept apart" not in said
    assert "cat" in said
    succeeded("tournament", "result", file, "cat", "0:1")
    said = succeeded("tournament", "pair", file)
    assert "ann and bob should be kept apart (of the same club), but no other pairing was possible" in said
    assert "the bracket left no other way" in succeeded("tournament", "explain", file, "ann")


def test_pupils_of_one_class_meet_where_the_organiser_allows_it(tmp_path: Path) -> None:
    file = str(tmp_path / "day.jsonl")
    succeeded("tournament", "new", file, "--format", "swiss:3")
    succeeded("tournament", "join", file, "ann", "bob", "cat", "--club", "5a")
    succeeded("tournament", "join", file, "dan", "--club", "5b")
    assert "3 of the 4 entrants are of '5a'" in failed(1, "tournament", "pair", file)
    said = succeeded("tournament", "pair", file, "--clubmates")
    assert said.count("should be kept apart (of the same club), but no other pairing was possible") == 1


def test_rules_are_lifted_and_clubs_changed(tmp_path: Path) -> None:
    tournament = entered("swiss:3", ["n", "n", None, None])
    tournament.forbid("p3", "p4")
    tournament.set_club("p4", "n")
    field = tournament.field
    assert [field.may_meet(*pair) for pair in (("p1", "p4"), ("p3", "p4"), ("p1", "p3"))] == [
        False,
        False,
        True,
    ]
    tournament.allow("p4", "p3")
    tournament.set_club("p1", None)
    assert [field.may_meet(*pair) for pair in (("p1", "p4"), ("p3", "p4"), ("p1", "p2"))] == [
        True,
        True,
        True,
    ]
    before = list(tournament.happenings)
    with pytest.raises(InputError, match="no rule keeps 'p2' and 'p4' apart by name") as refused:
        tournament.allow("p2", "p4")
    assert "of the same club" in (refused.value.hint or "")
    for wrong in (lambda: tournament.allow("p1", "p3"), lambda: tournament.set_club("zoe", "n")):
        with pytest.raises(InputError):
            wrong()
    assert tournament.happenings == before
    tournament.save(tmp_path / "t.jsonl")
    assert Tournament.load(tmp_path / "t.jsonl").field == field
    tournament.undo()
    assert not tournament.field.may_meet("p1", "p2")


def test_an_entrant_who_comes_back_may_have_another_club() -> None:
    tournament = entered("evening", ["n", None])
    for name, club, then in (("p1", None, "n"), ("p1", "s", "s"), ("p2", "s", "s")):
        tournament.leave(name)
        tournament.join(name, club=club)
        assert tournament.field.entrants[name].club == then


def test_rules_on_the_command_line(tmp_path: Path) -> None:
    file = str(tmp_path / "cup.jsonl")
    succeeded("tournament", "new", file, "--format", "round-robin")
    succeeded("tournament", "join", file, "ann", "bob", "cat")
    succeeded("tournament", "forbid", file, "ann", "bob")
    assert "bob and ann may play each other" in succeeded("tournament", "allow", file, "bob", "ann")
    assert "2 entrants in north" in succeeded("tournament", "club", file, "north", "ann", "bob")
    assert not Tournament.load(file).field.may_meet("ann", "bob")
    assert "1 entrant in no club" in succeeded("tournament", "club", file, "", "ann")
    assert Tournament.load(file).field.may_meet("ann", "bob")
