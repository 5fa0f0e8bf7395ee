"""Teams out of lobbies: against every split tried by hand, for every system that knows teams."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from conftest import tries
from naive import teams as naive
from podium.errors import InputError, UnsupportedError
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.team_balance import MOST_SPLITS, balance_teams, beliefs, ways_to_split

WITH_TEAMS = [
    podium.Elo(),
    podium.Elo(team="sum"),
    podium.Glicko(),
    podium.Glicko2(),
    podium.EloMMX(),
    podium.TrueSkill(),
    podium.WengLin(),
]


@st.composite
def lobbies(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    """Party sizes of a few lobbies that can be divided, and the size of a team."""
    team = draw(st.integers(1, 4))
    made = []
    for _ in range(draw(st.integers(1, 3))):
        sizes: list[int] = []
        for _ in range(2):
            left = team
            while left:
                sizes.append(draw(st.integers(1, left)))
                left -= sizes[-1]
        made.append(draw(st.permutations(sizes)))
    return made, team


def parties_of(made: list[list[int]]) -> tuple[Ragged, Ragged]:
    """Parties of these sizes, and the lobbies they are in; players are numbered as they come."""
    sizes = [size for lobby in made for size in lobby]
    players = Ragged(np.cumsum([0, *sizes]), np.arange(sum(sizes)))
    return players, Ragged(np.cumsum([0, *map(len, made)]), np.arange(len(sizes)))


@pytest.mark.parametrize("system", WITH_TEAMS, ids=lambda s: f"{s.name}-{getattr(s, 'team', '')}")
@settings(max_examples=tries(25))
@given(drawn=lobbies(), seed=st.integers(0, 2**32 - 1), even=st.booleans())
def test_no_split_is_nearer(
    system: podium.RatingSystem, drawn: tuple[list[list[int]], int], seed: int, even: bool
) -> None:
    made, team = drawn
    parties, waiting = parties_of(made)
    chance = np.random.default_rng(seed)
    scale = system.start(system.new_state())[0][0] / 5
    mu = scale * (5 + chance.normal(size=len(parties.items)))
    sigma = scale * chance.uniform(0.1, 1, len(mu)) if system.has_sigma else None
    wanted = np.full(len(parties), 0.5) if even else chance.uniform(0.1, 0.9, len(parties))
    state = beliefs(system, mu, sigma)
    balanced = balance_teams(system, state, parties, waiting, team, wanted=wanted)

    def won(a: list[int], b: list[int]) -> float:
        return float(system.predict(state, [a], [b])[0])

    by_player = wanted[parties.owner]
    for lobby, tickets in enumerate(waiting):
        side = balanced.side[waiting.offsets[lobby] : waiting.offsets[lobby + 1]]
        sides = [[int(p) for t in tickets[side == i] for p in parties[t]] for i in (0, 1)]
        assert [len(members) for members in sides] == [team, team]
        assert balanced.probability[lobby] == pytest.approx(won(*sides), abs=1e-12)
        everybody = [parties[t].tolist() for t in tickets]
        least = naive.least_gap(everybody, team, by_player, won)
        assert balanced.gap[lobby] == pytest.approx(least, abs=1e-12)


@settings(max_examples=tries(60))
@given(drawn=lobbies())
def test_every_split_is_there_once(drawn: tuple[list[list[int]], int]) -> None:
    made, team = drawn
    for sizes in made:
        expected = {sides for sides in naive.splits(sizes, team) if sides[0] == 0}
        rows = [tuple(row) for row in ways_to_split(tuple(sizes), team).astype(int).tolist()]
        assert len(rows) == len(set(rows))
        assert set(rows) == expected
        if len(sizes) > 1:
            apart = {tuple(r) for r in ways_to_split(tuple(sizes), team, True).astype(int).tolist()}
            assert apart == {sides for sides in expected if sides[1] == 1}


def test_large_teams_are_drawn_from_all_splits_alike() -> None:
    sizes = (4, 3, 2, 2, *[1] * 13)
    table = ways_to_split(sizes, 12)
    assert table.shape == (MOST_SPLITS, len(sizes))
    assert np.all(table @ np.array(sizes) == 12)
    assert not table[:, 0].any()
    ways = math.comb
    # The party of three joins the first in as many ways as the rest can fill the five places left.
    together = ways(13, 5) + 2 * ways(13, 3) + ways(13, 1)
    alone = ways(13, 8) + 2 * ways(13, 6) + ways(13, 4)
    share = together / (together + alone)
    deviation = math.sqrt(share * (1 - share) / MOST_SPLITS)
    assert abs(np.mean(~table[:, 1]) - share) < 4 * deviation


def test_large_teams_are_close() -> None:
    system = podium.Elo()
    chance = np.random.default_rng(3)
    state = beliefs(system, chance.normal(1500, 300, 100))
    lobby = Ragged(np.array([0, 100]), np.arange(100))
    balanced = balance_teams(system, state, Ragged.singles(100), lobby, 50)
    assert balanced.side.sum() == 50
    assert balanced.gap[0] < 1e-3


def test_teams_that_play_already_stay_apart() -> None:
    system = podium.Elo()
    mu = [1900.0, 1200.0, 1500.0, 1550.0, 1800.0, 1300.0]
    state = beliefs(system, mu)
    parties = Ragged.of([[0], [4, 5], [1], [2], [3]])
    lobby = Ragged.of([[0, 1, 2, 3, 4]])
    balanced = balance_teams(system, state, parties, lobby, 3, apart=True)
    assert balanced.side[0] == 0
    assert balanced.side[1] == 1

    def won(a: list[int], b: list[int]) -> float:
        return float(system.predict(state, [a], [b])[0])

    everybody = [[0], [4, 5], [1], [2], [3]]
    least = naive.least_gap(everybody, 3, [0.5] * 6, won, apart=True)
    assert balanced.gap[0] == pytest.approx(least, abs=1e-12)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    system = podium.TrueSkill()
    chance = np.random.default_rng(5)
    state = beliefs(system, chance.normal(25, 8, 60), chance.uniform(1, 8, 60))
    lobbies = Ragged(np.arange(0, 61, 6), chance.permutation(60))
    at_once = balance_teams(system, state, Ragged.singles(60), lobbies, 3)
    monkeypatch.setattr("podium.matchmaking.lobbies.team_balance.PLACES_AT_ONCE", 1)
    one_by_one = balance_teams(system, state, Ragged.singles(60), lobbies, 3)
    for whole, pieces in zip(at_once, one_by_one, strict=True):
        assert np.array_equal(whole, pieces)


def test_what_cannot_be_divided_is_refused() -> None:
    system = podium.Elo()
    state = beliefs(system, [1500.0] * 8)
    parties = Ragged.of([[0, 1, 2], [3, 4, 5], [6, 7]])
    with pytest.raises(InputError, match="parties of 3, 3, 2 cannot form two teams of 4"):
        balance_teams(system, state, parties, Ragged.of([[0, 1, 2]]), 4)


def test_systems_without_teams_are_refused_by_name() -> None:
    system = podium.Codeforces()
    state = beliefs(system, [1500.0] * 4)
    with pytest.raises(UnsupportedError, match="codeforces cannot use teams"):
        balance_teams(system, state, Ragged.singles(4), Ragged.of([[0, 1, 2, 3]]), 2)


def test_no_lobbies_are_no_teams() -> None:
    system = podium.Elo()
    balanced = balance_teams(system, beliefs(system, [1500.0]), Ragged.singles(1), Ragged.of([]), 2)
    assert [len(column) for column in balanced] == [0, 0, 0]
