"""Swiss rounds: the look-ahead against brute force, the promise, and the points of those who meet."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.rounds import all_rounds, can_complete
from podium.errors import InputError
from podium.tournaments.completion import SearchEndError, certain, remaining_rounds
from podium.tournaments.final_places import match_points
from podium.tournaments.tournament import Tournament


@st.composite
def graphs(draw: st.DrawFn, most: int = 6, missing: int = 1) -> tuple[int, set[frozenset[int]]]:
    """Fields of an even size, and the pairs that may still meet; each entrant has met about `missing`."""
    size = 2 * draw(st.integers(2, most // 2))
    pairs = [frozenset((a, b)) for a in range(size) for b in range(a)]
    return size, {pair for pair in pairs if draw(st.integers(1, size)) > missing}


def opponents_of(size: int, allowed: set[frozenset[int]]) -> list[int]:
    return [sum(1 << b for b in range(size) if frozenset((a, b)) in allowed) for a in range(size)]


def check_look_ahead(graph: tuple[int, set[frozenset[int]]], rounds: int) -> None:
    size, allowed = graph
    found = remaining_rounds(opponents_of(size, allowed), rounds)
    assert (found is not None) == can_complete(size, allowed, rounds)
    if found is not None:
        pairs = [frozenset(pair) for each in found for pair in each]
        assert len(found) == rounds
        assert len(set(pairs)) == len(pairs) == rounds * size // 2
        assert set(pairs) <= allowed


@given(graphs(), st.integers(1, 5))
@settings(max_examples=150)
def test_look_ahead_agrees_with_brute_force(graph: tuple[int, set[frozenset[int]]], rounds: int) -> None:
    check_look_ahead(graph, rounds)


@pytest.mark.long
@given(graphs(most=10, missing=5), st.integers(1, 4))
@settings(max_examples=2_000, deadline=None)
def test_look_ahead_agrees_with_brute_force_up_to_ten(
    graph: tuple[int, set[frozenset[int]]], rounds: int
) -> None:
    check_look_ahead(graph, rounds)


@given(graphs(), st.integers(1, 4))
@settings(max_examples=100)
def test_the_theorem_promises_only_what_is_possible(
    graph: tuple[int, set[frozenset[int]]], rounds: int
) -> None:
    size, allowed = graph
    fewest = min(each.bit_count() for each in opponents_of(size, allowed))
    assert not certain(size, fewest, rounds) or can_complete(size, allowed, rounds)


def test_a_search_that_ends_early_says_so() -> None:
    with pytest.raises(SearchEndError):
        remaining_rounds(opponents_of(8, {frozenset((a, b)) for a in range(8) for b in range(a)}), 7, 3)


def started(players: int, rounds: int) -> Tournament:
    tournament = Tournament(f"swiss:{rounds}")
    for i in range(players):
        tournament.join(f"p{i}", 1500 + 10 * (i * 7 % players))
    return tournament


def report_all(tournament: Tournament, chance: np.random.Generator) -> None:
    for game in tournament.field.unfinished:
        tournament.result(game.number, [[1, 0], [0.5, 0.5], [0, 1]][chance.integers(3)])


@pytest.mark.parametrize("players", range(2, 11))
def test_all_announced_rounds_are_played_without_a_rematch(players: int) -> None:
    """As many rounds as there can be: without looking ahead, most of these get stuck."""
    rounds = players - 1 + players % 2
    for seed in range(8):
        tournament, chance = started(players, rounds), np.random.default_rng(seed)
        for _ in range(rounds):
            tournament.pair()
            report_all(tournament, chance)
        assert set(tournament.field.met.values()) == {1}
        assert {entrant.byes for entrant in tournament.field.entrants.values()} == {players % 2}


def test_a_round_has_the_least_difference_of_points_there_can_be() -> None:
    for seed in range(12):
        tournament, chance = started(8, 4), np.random.default_rng(seed)
        for _ in range(2):
            tournament.pair()
            report_all(tournament, chance)
        points = list(match_points(tournament.field).values())
        met = {frozenset(int(name[1:]) for name in pair) for pair in tournament.field.met}
        allowed = {frozenset((a, b)) for a in range(8) for b in range(a)} - met

        def apart(pairs: list[frozenset[int]], points: list[float] = points) -> float:
            return sum((points[a] - points[b]) ** 2 for a, b in pairs)

        best = min(
            apart(each)
            for each in all_rounds(list(range(8)), allowed)
            if can_complete(8, allowed - set(each), 1)
        )
        paired = [frozenset(int(name[1:]) for name in game.players) for game in tournament.pair().games]
        assert apart(paired) == pytest.approx(best)


def test_the_first_round_folds_the_field_and_sides_stay_balanced() -> None:
    tournament, chance = started(16, 9), np.random.default_rng(5)
    order = sorted(tournament.field.entrants.values(), key=lambda entrant: -entrant.mu)
    games = tournament.pair().games
    met = {frozenset(game.players) for game in games}
    assert met == {frozenset((order[i].player, order[i + 8].player)) for i in range(8)}
    for _ in range(8):
        report_all(tournament, chance)
        tournament.pair()
    for name in tournament.field.entrants:
        firsts = sum(game.sides[0] == (name,) for game in tournament.field.games)
        assert 3 <= firsts <= 6


def test_the_bye_goes_to_the_last_one_who_had_none() -> None:
    tournament, chance = started(5, 5), np.random.default_rng(1)
    last = min(tournament.field.entrants.values(), key=lambda entrant: entrant.mu)
    assert tournament.pair().byes == (last.player,)
    for _ in range(4):
        report_all(tournament, chance)
        tournament.pair()
    assert {entrant.byes for entrant in tournament.field.entrants.values()} == {1}


def test_clubs_and_families_never_meet() -> None:
    tournament = Tournament("swiss:3")
    for i in range(8):
        tournament.join(f"p{i}", 1500 + i, club="north" if i < 4 else "south")
    tournament.forbid("p0", "p4")
    chance = np.random.default_rng(0)
    for _ in range(3):
        tournament.pair()
        report_all(tournament, chance)
    for pair in tournament.field.met:
        a, b = sorted(pair)
        assert a in {"p0", "p1", "p2", "p3"}
        assert b not in {"p0", "p1", "p2", "p3"}
        assert (a, b) != ("p0", "p4")


def test_a_round_that_cannot_be_paired_names_the_entrant_and_the_way_out() -> None:
    tournament = Tournament("swiss:3")
    for name in ("ann", "bob", "cat", "dan"):
        tournament.join(name)
    for other in ("bob", "cat", "dan"):
        tournament.forbid("ann", other)
    with pytest.raises(InputError, match="'ann' has met every entrant"):
        tournament.pair()
    assert not tournament.field.rounds


@pytest.mark.parametrize("seed", range(12))
def test_as_few_of_one_club_meet_as_there_can_be(seed: int) -> None:
    tournament, chance = Tournament("swiss:3"), np.random.default_rng(seed)
    for i, club in enumerate(chance.permutation(["5a"] * 6 + ["5b", "5b"]).tolist()):
        tournament.join(f"p{i}", 1500 + i, club=club)
    clubs = [entrant.club for entrant in tournament.field.entrants.values()]
    allowed = {frozenset((a, b)) for a in range(8) for b in range(a)}
    for _ in range(3):
        with pytest.raises(InputError, match="of one club or class") as refused:
            tournament.pair()
        assert "6 of the 8 entrants are of '5a'" in str(refused.value)
        assert (refused.value.hint or "").startswith(
            "let members of one club or class meet in this round, or"
        )
        games = tournament.pair(clubmates=True).games
        fewest = min(
            sum(clubs[a] == clubs[b] for a, b in pairs) for pairs in all_rounds(list(range(8)), allowed)
        )
        assert sum(game.rule == "of the same club" for game in games) == fewest
        allowed -= {frozenset(int(name[1:]) for name in game.players) for game in games}
        report_all(tournament, chance)
    assert set(tournament.field.met.values()) == {1}
    together = next(game for game in games if game.rule)
    assert (
        "they should be kept apart (of the same club), but no other pairing was possible"
        in tournament.explain(together.number).why
    )


def test_the_way_out_of_an_impossible_round_works() -> None:
    """Whatever the error advises makes the round possible; what it does not name would not."""
    chance, seen = np.random.default_rng(3), set[str]()
    for _ in range(60):
        tournament = Tournament("swiss:5")
        for i in range(4):
            tournament.join(f"p{i}", club=[None, "5a", "5a"][chance.integers(3)])
        for a, b in combinations(range(4), 2):
            if chance.random() < 0.3:
                tournament.forbid(f"p{a}", f"p{b}")
        for _ in range(2):
            try:
                tournament.pair()
            except InputError as error:
                hint = error.hint or ""
                ways = {"rematches": "allow rematches" in hint, "clubmates": "let members" in hint}
                seen.add(str(ways))
                if not any(ways.values()):
                    with pytest.raises(InputError):
                        tournament.pair(rematches=True, clubmates=True)
                    break
                both = " and let members" in hint
                for word in (word for word, advised in ways.items() if advised and not both):
                    tournament.pair(**{word: True})
                    tournament.undo()
                tournament.pair(**ways)
            report_all(tournament, chance)
    assert len(seen) == 4


def test_rematches_are_played_only_where_they_are_allowed() -> None:
    tournament = Tournament("swiss:3")
    for name in ("ann", "bob"):
        tournament.join(name)
    tournament.pair()
    tournament.result("ann", "1:0")
    with pytest.raises(InputError, match="allow rematches"):
        tournament.pair()
    assert [set(game.players) for game in tournament.pair(rematches=True).games] == [{"ann", "bob"}]
