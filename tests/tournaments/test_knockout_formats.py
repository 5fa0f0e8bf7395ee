"""Double knockouts and groups before a knockout: who is out when, and who goes on."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from cli.command import succeeded
from podium.errors import InputError
from podium.tournaments.double_knockouts import double_bracket
from podium.tournaments.tournament import Tournament


def entered(form: str, players: int) -> Tournament:
    """A tournament of players p1, p2 … of falling ratings."""
    tournament = Tournament(form)
    for number in range(1, players + 1):
        tournament.join(f"p{number}", 2000.0 - 10 * number)
    return tournament


def played(tournament: Tournament, chance: np.random.Generator, leaving: float = 0.0) -> Tournament:
    """The tournament played to its end by chance; now and then an entrant leaves."""
    while not tournament.finished:
        for entrant in tournament.field.here:
            if tournament.field.rounds and chance.random() < leaving:
                tournament.leave(entrant.player)
        for game in tournament.pair().games:
            tournament.result(game.number, [1, 0] if chance.random() < 0.5 else [0, 1])
    return tournament


def losses(tournament: Tournament) -> Counter[str]:
    """How often each entrant has lost, counted from the matches alone."""
    return Counter(
        player for game in tournament.field.games for player in game.players if (player,) != game.winner
    )


@pytest.mark.parametrize("players", range(2, 18))
def test_two_losses_and_out(players: int) -> None:
    for seed in range(10):
        tournament = played(entered("knockout:double", players), np.random.default_rng(seed))
        rows, lost = tournament.standings(), losses(tournament)
        assert lost[rows[0].player] <= 1
        assert all(lost[row.player] == 2 for row in rows[1:])
        assert len(tournament.field.games) == 2 * (players - 1) + lost[rows[0].player]
        so_far: Counter[str] = Counter()
        for game in tournament.field.games:
            assert max(so_far[player] for player in game.players) < 2, "nobody plays after two losses"
            so_far.update(player for player in game.players if (player,) != game.winner)
        out = [row.player for row in rows]
        last = {player: game.round for game in tournament.field.games for player in game.players}
        assert last[out[0]] == last[out[1]] == len(tournament.field.rounds)
        assert sorted(row.place for row in rows)[:3] == ([1, 2, 3] if players > 2 else [1, 2])
        shown = [match for match in tournament.bracket() if None not in match.sides]
        assert sum(match.points is not None for match in shown) == len(tournament.field.games)


def test_the_second_final_is_played_only_if_the_first_loss_comes_in_the_first_one() -> None:
    tournament = entered("knockout:double", 4)
    for winners in (("p1", "p2"), ("p1", "p3"), ("p2",)):
        for game, winner in zip(tournament.pair().games, winners, strict=True):
            tournament.result(winner, "1:0", round=game.round)
    assert [game.sides for game in tournament.pair().games] == [(("p1",), ("p2",))]
    other = tournament.copy()
    tournament.result("p1", "1:0")
    assert tournament.finished
    other.result("p2", "1:0")
    assert not other.finished
    assert [game.sides for game in other.pair().games] == [(("p2",), ("p1",))]
    other.result("p2", "1:0")
    assert other.finished
    assert [row.player for row in other.standings()] == ["p2", "p1", "p3", "p4"]


def test_the_losers_bracket_takes_every_loser_once() -> None:
    for size in (2, 4, 8, 16, 32, 64):
        nodes = double_bracket(size)
        used = Counter(source for node in nodes for source in node.sources)
        assert set(used.values()) == {1}
        lost = {number for node in nodes for kind, number in node.sources if kind == "loser"}
        main = {number for number, node in enumerate(nodes) if node.part == "main"}
        assert lost - {len(nodes) - 2} == main
        assert len(nodes) == 2 * size - 1


def test_who_leaves_a_double_knockout_loses_what_is_left() -> None:
    for seed in range(30):
        tournament = played(entered("knockout:double", 9), np.random.default_rng(seed), leaving=0.05)
        assert tournament.standings()[0].losses <= 1


def test_title_chances_of_a_double_knockout_are_those_of_all_courses() -> None:
    """Four entrants: every course of wins and losses, each with its probability."""
    tournament = entered("knockout:double", 4)
    title: Counter[str] = Counter()
    for course in product((True, False), repeat=7):
        other, chance, left = tournament.copy(), 1.0, list(course)
        while not other.finished:
            for game in other.pair().games:
                (first,), (second,) = game.sides
                win = _win(other, first, second)
                wins = left.pop()
                chance *= win if wins else 1.0 - win
                other.result(game.number, [1, 0] if wins else [0, 1])
        title[other.standings()[0].player] += chance / 2 ** len(left)
    assert sum(title.values()) == pytest.approx(1.0)
    found = tournament.chances(simulations=4_000, seed=3).title
    for player, expected in title.items():
        assert found[player] == pytest.approx(expected, abs=4 * (expected * (1 - expected) / 4_000) ** 0.5)


def _win(tournament: Tournament, first: str, second: str) -> float:
    a, b = tournament.field.entrants[first], tournament.field.entrants[second]
    return float(tournament.system.win_probability(a.mu, a.sigma, b.mu, b.sigma))


@pytest.mark.parametrize(("players", "form"), [(8, "groups:2x2"), (13, "groups:3x2"), (16, "groups:4x2")])
def test_the_best_of_each_group_go_on(players: int, form: str) -> None:
    for seed in range(10):
        tournament = entered(form, players)
        number = tournament.format.groups
        chance = np.random.default_rng(seed)
        played(tournament, chance)
        groups = tournament.groups()
        assert len(groups) == number
        assert sorted(row.player for group in groups for row in group) == sorted(tournament.field.entrants)
        assert max(map(len, groups)) - min(map(len, groups)) <= 1
        of = {row.player: place for place, group in enumerate(groups) for row in group}
        first = next(index for index, each in enumerate(tournament.field.rounds) if _crosses(each, of))
        for each in tournament.field.rounds[:first]:
            assert all(of[game.players[0]] == of[game.players[1]] for game in each.games)
        for place, group in enumerate(groups):
            inside = [game for each in tournament.field.rounds[:first] for game in each.games]
            assert sum(of[game.players[0]] == place for game in inside) == len(group) * (len(group) - 1) // 2
        best = {row.player for group in groups for row in group[:2]}
        after = {
            player
            for each in tournament.field.rounds[first:]
            for game in each.games
            for player in game.players
        }
        assert after <= best
        assert {row.player for row in tournament.standings()[: 2 * number]} == best
        meets = [of[game.players[0]] == of[game.players[1]] for game in tournament.field.rounds[first].games]
        assert not any(meets), "two of one group meet in the first round of the knockout"


def _crosses(each, of) -> bool:  # type: ignore[no-untyped-def]
    return any(of[game.players[0]] != of[game.players[1]] for game in each.games)


def test_results_of_groups_stand_once_the_knockout_is_paired() -> None:
    tournament = entered("groups:2x1", 4)
    tournament.pair()
    tournament.result(1, "1:1")
    tournament.result(2, "1:0")
    tournament.result(2, "0:1", correct=True)
    tournament.pair()
    with pytest.raises(InputError, match="knockout is paired"):
        tournament.result(2, "1:0", round=1, correct=True)
    with pytest.raises(InputError, match="needs a winner"):
        tournament.result(1, "1:1")
    tournament.result(1, "1:0")
    assert tournament.finished


def test_groups_need_enough_entrants() -> None:
    with pytest.raises(InputError, match="4 groups need 8 entrants, and there are 7"):
        entered("groups:4x2", 7).pair()


def test_chances_of_groups_and_their_knockout() -> None:
    tournament = Tournament("groups:2x1")
    for number in range(1, 5):
        tournament.join(f"p{number}", 2000.0 - 200 * number)
    found = tournament.chances(simulations=200)
    assert found.title["p1"] == max(found.title.values())
    assert sum(found.places[:, 0]) == pytest.approx(1.0)


def test_seeds_come_before_ratings(tmp_path: Path) -> None:
    for form in ("knockout", "knockout:double", "groups:2x1"):
        tournament = Tournament(form)
        for number in range(1, 9):
            tournament.join(f"p{number}", 1000.0 + number, seed=None if number > 6 else number)
        tournament.save(tmp_path / "t.jsonl")
        loaded = Tournament.load(tmp_path / "t.jsonl")
        plain = Tournament(form)
        for number in (1, 2, 3, 4, 5, 6, 8, 7):
            plain.join(f"p{number}", 2000.0 - len(plain.field.entrants))
        assert loaded.pair().games[0].sides == plain.pair().games[0].sides
        assert [game.sides for game in loaded.field.games] == [game.sides for game in plain.field.games]
    with pytest.raises(InputError, match="seed 0"):
        Tournament("knockout").join("ann", seed=0)


def test_the_best_of_a_tournament_play_a_knockout(tmp_path: Path) -> None:
    day, cup = str(tmp_path / "day.jsonl"), str(tmp_path / "cup.jsonl")
    succeeded("tournament", "new", day, "--format", "round-robin")
    succeeded("tournament", "join", day, "ann", "bob", "cat", "dan", "--club", "5a")
    succeeded("tournament", "club", day, "", "ann", "bob", "cat", "dan")
    for _ in range(3):
        succeeded("tournament", "pair", day)
        for match in "12":
            first, second = Tournament.load(day).match(int(match)).players
            succeeded("tournament", "result", day, match, "0:1" if first < second else "1:0")
    said = succeeded("tournament", "new", cup, "--format", "knockout", "--of", day, "--best", "3")
    assert f"Next: podium tournament pair {cup}" in said
    assert "bye: dan" in succeeded("tournament", "pair", cup)
