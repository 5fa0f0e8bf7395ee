"""More than two teams, uneven teams and roles, against every way to seat people."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from conftest import tries
from naive import lobbies as naive
from podium.arrays import Floats, Longs
from podium.errors import InputError, UnsupportedError
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.open_places import fillable_rooms
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.seat_balance import seat_lobbies
from podium.matchmaking.lobbies.seating import (
    Seating,
    all_ways,
    drawn_ways,
    fits,
    give_roles,
    play_enough,
    room_of,
)
from podium.matchmaking.lobbies.team_balance import beliefs

MODES = [
    "2v2v2",
    "1v3",
    "1v2v2",
    "2v2: tank, healer",
    "3v3: tank, healer, damage",
    "1v3: killer / 2 medic, boss",
]


class Tickets:
    """Parties with the roles of their members, which may or may not fill a match."""

    def __init__(self, mode: Mode, seed: int) -> None:
        self.mode = mode
        chance = np.random.default_rng(seed)
        sizes, left = [], int(chance.integers(1, mode.players + 1)) if seed % 2 else mode.players
        while left:
            sizes.append(int(chance.integers(1, min(left, mode.size, 3) + 1)))
            left -= sizes[-1]
        bits = chance.integers(1, mode.any_role + 1, sum(sizes))
        bits[chance.random(len(bits)) < 0.3] = mode.any_role
        self.roles = Ragged(np.cumsum([0, *sizes]), bits)
        self.seating = Seating.of(mode, self.roles, np.full(len(sizes), -1))
        self.order = np.argsort(-self.seating.rank, kind="stable")

    @property
    def parties(self) -> list[list[set[str]]]:
        """The roles of all members, as the naive twin takes them."""
        names = self.mode.role_names or ("",)
        return [[{r for i, r in enumerate(names) if b >> i & 1} for b in one.tolist()] for one in self.roles]

    @property
    def sides(self) -> list[tuple[str, ...]]:
        return list(self.mode.roles or [("",) * size for size in self.mode.sizes])

    def without_names(self, where: tuple[int, ...]) -> frozenset[tuple[tuple[str, ...], frozenset[int]]]:
        """Who is together and on what kind of side; sides that take the same have no names."""
        return frozenset(
            (side, frozenset(t for t, at in enumerate(where) if at == i)) for i, side in enumerate(self.sides)
        )


@settings(max_examples=tries(60))
@given(text=st.sampled_from(MODES), seed=st.integers(0, 2**32 - 1))
def test_tickets_fit_where_there_is_a_way_to_seat_them(text: str, seed: int) -> None:
    tickets = Tickets(Mode.parse(text), seed)
    mode, parties = tickets.mode, tickets.parties
    every = naive.seatings(parties, tickets.sides)
    all_tickets = np.arange(len(parties))
    assert fits(tickets.seating._replace(fillable=fillable_rooms([1], mode.size)), all_tickets) == bool(every)
    filled = sum(map(len, parties)) == mode.players
    found = []
    for way in all_ways(tickets.seating, tickets.order, 1000) if filled else []:
        where = np.empty(len(parties), np.int64)
        where[tickets.order] = way
        found.append(tickets.without_names(tuple(where.tolist())))
    assert len(found) == len(set(found)), "each way once"
    assert set(found) == ({tickets.without_names(where) for where in every} if filled else set())


@settings(max_examples=tries(20))
@given(seed=st.integers(0, 2**32 - 1))
def test_everybody_gets_a_role_that_they_play(seed: int) -> None:
    mode = Mode.parse("4v4: tank, healer, 2 damage")
    tickets = Tickets(mode, 2 * seed)  # a full match
    ways = all_ways(tickets.seating, tickets.order, 5)
    if len(ways):
        strength = np.arange(len(tickets.order)) - 2.0
        ways = np.concatenate([ways, drawn_ways(tickets.seating, tickets.order, strength, ways[0])[::25]])
    for way in ways:
        order = np.repeat(way, tickets.roles.sizes[tickets.order]).argsort(kind="stable")
        roles = tickets.roles.take(tickets.order).items[order]
        given_roles = np.empty(mode.players, np.int64)
        give_roles(room_of(mode), np.arange(2), np.array([0, 4, 8]), roles, given_roles)
        assert all(bits >> role & 1 for bits, role in zip(roles.tolist(), given_roles.tolist(), strict=True))
        assert [sorted(given_roles[a:b]) for a, b in pairwise([0, 4, 8])] == [[0, 1, 2, 2]] * 2


def elo_chances(mu: Floats, where: tuple[int, ...], parties: Ragged, sides: int) -> list[float]:
    """Elo's: a side is as strong as its members in the mean, and wins in proportion to 10^(mu/400)."""
    side = np.repeat(where, parties.sizes)
    power = [10 ** (mu[side == i].mean() / 400) for i in range(sides)]
    return [one / sum(power) for one in power]


@settings(max_examples=tries(40))
@given(text=st.sampled_from(MODES), seed=st.integers(0, 2**31), even=st.booleans())
def test_no_way_to_seat_a_lobby_is_more_even(text: str, seed: int, even: bool) -> None:
    tickets = Tickets(Mode.parse(text), 2 * seed)
    mode, every = tickets.mode, naive.seatings(tickets.parties, tickets.sides)
    chance = np.random.default_rng(seed)
    mu = chance.normal(1500, 150, mode.players).round()
    wanted = np.full(len(tickets.roles), 0.5) if even else chance.choice([0.3, 0.5, 0.6], len(tickets.roles))
    if not every:
        return
    system = podium.Elo()
    parties = Ragged(tickets.roles.offsets, np.arange(mode.players))
    lobby = Ragged.of([chance.permutation(len(parties)).tolist()])
    found = seat_lobbies(system, beliefs(system, mu), parties, lobby, mode, tickets.seating, wanted=wanted)

    def gap(where: tuple[int, ...]) -> float:
        won = elo_chances(mu, where, parties, mode.sides)
        members = [
            (won[s], w) for s, w, n in zip(where, wanted, parties.sizes, strict=True) for _ in range(n)
        ]
        return float(np.mean([abs(one - wish * 2 / mode.sides) for one, wish in members]))

    chosen: Longs = np.empty(len(parties), np.int64)
    chosen[lobby.items] = found.side
    assert tuple(chosen.tolist()) in every
    assert found.gap[0] == pytest.approx(min(map(gap, every)), abs=1e-12)
    assert found.gap[0] == pytest.approx(gap(tuple(chosen.tolist())), abs=1e-12)
    assert found.chance[0] == pytest.approx(elo_chances(mu, tuple(chosen.tolist()), parties, mode.sides))


def test_of_many_ways_one_is_drawn_that_is_nearly_even() -> None:
    """Sixteen players in four teams of four can be seated in 2.6 million ways."""
    mode, system = Mode.parse("4v4v4v4"), podium.TrueSkill()
    mu = np.linspace(15.0, 35.0, 16)
    parties, lobby = Ragged.singles(16), Ragged.of([list(range(16))])
    seating = Seating.of(mode, Ragged(np.arange(17), np.ones(16, np.int64)), np.full(16, -1))
    found = seat_lobbies(
        system, beliefs(system, mu, np.full(16, 2.0)), parties, lobby, mode, seating, wanted=np.full(16, 0.5)
    )
    assert np.bincount(found.side).tolist() == [4, 4, 4, 4]
    assert found.chance.sum() == pytest.approx(1.0)
    assert found.gap[0] < 0.001


def test_a_pool_with_roles_from_join_to_rating() -> None:
    maker = podium.Matchmaker(podium.Elo(), "2v2: tank, healer")
    maker.join(["ann", "bob"], roles=["tank", ["healer", "tank"]], mu=[1500, 1520], time=0)
    maker.join_many(["cat", "dan"], roles=["healer", "healer"], mu=[1500, 1500], time=0)
    assert len(maker.tick(1).matches) == 0, "nobody plays the second tank"
    maker.join("eve", mu=1480, time=2)
    match = maker.tick(3).matches[0]
    roles = {
        n: r
        for side, of in zip(match.sides, match.roles or (), strict=True)
        for n, r in zip(side, of, strict=True)
    }
    assert (roles["ann"], roles["bob"], roles["eve"]) == ("tank", "healer", "tank")
    assert {"ann", "bob"} in map(set, match.sides)
    maker.start(match)
    ladder = podium.Ladder(podium.Elo())
    ladder.record(teams=[list(side) for side in match.sides], ranks=[1, 2])
    maker.finish(match, side=0)
    assert match.roles is not None
    assert maker.tick(4).matches.to_frame().columns[-1] == "role"


def test_running_matches_of_three_teams_and_with_roles_are_filled() -> None:
    maker = podium.Matchmaker(podium.Elo(), "2v2v2")
    maker.backfill([["ann"], [], ["bob", "cat"]], mu=[1500, 1500, 1500], time=0)
    maker.join_many(["dan", ["eve", "finn"]], mu=1500, time=1)
    match = maker.tick(2).matches[0]
    assert match.sides == (("ann", "dan"), ("eve", "finn"), ("bob", "cat"))
    with pytest.raises(InputError, match="2v2v2 has 3 sides, not 2"):
        maker.backfill([["x"], ["y"]], mu=1500)
    maker = podium.Matchmaker(podium.Elo(), "1v2: killer / medic, scout")
    maker.backfill([["ann"], ["bob"]], roles=["killer", "medic"], mu=1500, time=0)
    maker.join_many(["cat", "dan"], roles=["medic", ["scout", "killer"]], mu=[1500, 1520], time=0)
    match = maker.tick(1).matches[0]
    assert match.sides == (("ann",), ("bob", "dan"))
    assert match.roles == (("killer",), ("medic", "scout"))


@pytest.mark.parametrize("seed", range(20))
def test_matches_for_which_too_few_play_a_role_are_known_together(seed: int) -> None:
    """All at once, or one by one as the search for places does."""
    chance = np.random.default_rng(seed)
    mode = Mode.parse("2v2: tank, healer" if seed % 2 else "3v3: tank, healer, damage")
    sizes = chance.integers(1, 3, 12)
    bits = chance.choice([1, 2, mode.any_role], int(sizes.sum()), p=[0.15, 0.7, 0.15])
    tickets = Ragged(np.concatenate([[0], np.cumsum(sizes)]), bits)
    seating = Seating.of(mode, tickets, np.full(12, -1))
    running, others = (
        [np.array([0]), np.array([1, 2]), np.array([3])],
        np.arange(4, int(chance.integers(4, 12))),
    )
    found = seating.enough_for(running, others)
    assert found.tolist() == [play_enough(seating, rows, others) for rows in running]


def test_what_cannot_be_seated_is_refused() -> None:
    maker = podium.Matchmaker(podium.Elo(), "2v2: tank, healer")
    with pytest.raises(InputError, match="no side of 2v2: tank, healer has places for a party"):
        maker.join(["ann", "bob"], roles=["tank", "tank"], mu=[1500, 1500])
    with pytest.raises(InputError, match="one value of roles per player"):
        maker.join_many(["ann", "bob"], roles=["tank"], mu=1500)
    with pytest.raises(InputError, match="no role"):
        maker.join("ann", roles="bard", mu=1500)
    assert len(maker) == 0
    uneven = podium.Matchmaker(podium.Elo(), "1v3")
    with pytest.raises(InputError, match="more players than 1v3 has"):
        uneven.backfill([["ann", "bob"], []], mu=1500)
    with pytest.raises(UnsupportedError, match="teams"):
        podium.Matchmaker(podium.Codeforces(), "2v2v2")


def test_who_plays_a_rare_role_is_found_along_the_line() -> None:
    """Every fifth plays a tank, and all play whom the roles allow."""
    maker = podium.Matchmaker(podium.Elo(), "2v2: tank, damage", podium.Policy(tolerance=0.5))
    n = 100
    maker.join_many(
        [f"p{i}" for i in range(n)],
        roles=["tank" if i % 5 == 0 else "damage" for i in range(n)],
        mu=np.arange(1000.0, 1000.0 + 5 * n, 5),
        time=0,
    )
    assert len(maker.tick(1).matches) == 10, "of twenty tanks"


def test_a_lobby_that_a_search_gives_up_is_no_match(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(seating: Seating, tickets: Longs, most: int) -> Longs:
        return np.zeros((0, len(tickets)), np.int64)

    for found in (1, 0):
        maker = podium.Matchmaker(podium.Elo(), "1v2")
        maker.join_many(["ann", "bob", "cat"], mu=1500, time=0)
        assert len(maker.tick(500).matches) == found
        monkeypatch.setattr("podium.matchmaking.lobbies.seat_balance.all_ways", none)
