"""Searches for opponents find what comparing with everybody finds, and compare with few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import tries
from podium import Elo, Matchmaker, Policy, Term
from podium.arrays import Bools, Longs
from podium.matchmaking.deciders.ticket_search import TicketSearch
from podium.matchmaking.graphs import ticket_tree
from podium.matchmaking.policies.meetings import Meetings, Waiting
from podium.matchmaking.policies.terms import (
    BlockList,
    Latency,
    Needs,
    NoRematch,
    SameAttribute,
    WaitingTime,
    WinProbabilityGap,
)
from podium.matchmaking.pool.player_lists import PlayerLists
from podium.matchmaking.pool.ticks import look_at
from podium.named import temporary_registrations

DEVICES = ("pad", "touch", "mouse", "wheel")


def waiting_of(maker: Matchmaker) -> Waiting:
    slots = maker._pool.store.waiting()
    return look_at(maker._pool, slots, np.zeros(len(slots)), maker._pool.now)


def fill(maker: Matchmaker, chance: np.random.Generator, count: int) -> None:
    """Tickets with needs of every kind, regions, blocks, and games that were played before."""
    names = [f"p{i}" for i in range(count)]
    for _ in range(count):
        a, b = chance.choice(count, 2, replace=False)
        maker.block(names[a], names[b])
    everywhere: dict[str, Any] = {"latency": {"eu": 10}, "attributes": {"map": ["plain"] * count}}
    maker.join_many(names, mu=1500, time=0, **everywhere)
    maker.start(maker.tick(1))
    for name in names:
        if name in maker:
            maker.leave(name)
    lists = [list(chance.choice(DEVICES, 2, replace=False)) for _ in names]
    asked = [[None, str(one[0]), [*map(str, one)]][chance.integers(3)] for one in lists]
    levels = [None if chance.random() < 0.5 else (low, low + 4) for low in chance.integers(8, size=count)]
    mu = chance.normal(1500, 100, count).round(-1)
    around = [None if chance.random() < 0.5 else (m - 150, m + 50) for m in mu.tolist()]
    maker.join_many(
        names,
        mu=mu,
        time=2,
        attributes={
            "map": chance.choice(["plain", "hills"], count).tolist(),
            "input": [None if chance.random() < 0.1 else str(chance.choice(DEVICES)) for _ in names],
            "level": [None if chance.random() < 0.1 else float(chance.integers(10)) for _ in names],
        },
        needs={"input": asked, "level": levels, "mu": around},
        latency={"eu": chance.uniform(0, 60, count), "us": chance.uniform(0, 120, count)},
        playing=True,
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("own", [False, True])
def test_the_nearest_who_are_allowed(seed: int, own: bool) -> None:
    """Against all pairs, sorted; with a term of one's own that has to be asked about each of them."""
    chance = np.random.default_rng(seed)
    terms: tuple[Term, ...] = (Needs(), SameAttribute("map"), Latency(60), NoRematch(1), BlockList())
    with temporary_registrations():

        class Odd(Term):
            name = "odd"

            def forbids(self, meetings: Meetings) -> Bools:
                together: Longs = meetings.first.rows + meetings.second.rows
                return together % 3 == 0

        policy = Policy((*terms, Odd()) if own else terms)
        maker = Matchmaker(Elo(), policy=policy)
        fill(maker, chance, 90)
        waiting = waiting_of(maker)
        n, rank = len(waiting), chance.permutation(len(waiting))
        search, free = TicketSearch(waiting, policy, rank), np.ones(n, np.bool_)
        first, second = np.divmod(np.arange(n * n), n)
        forbidden = policy.forbidden(waiting.meet(first, second)).reshape(n, n)
        forbidden[np.arange(n), np.arange(n)] = True
        assert 0.01 < np.mean(~forbidden) < 0.5
        far = np.abs(waiting.mu[:, None] - waiting.mu)
        for most in (3, 64):
            free &= chance.random(n) < 0.9
            asking = chance.permutation(n)
            found = search.nearest(asking, np.zeros(n, np.int64), free, most, edges=10**6)
            assert len(found) == n
            for i, row in enumerate(asking.tolist()):
                allowed = np.flatnonzero(~forbidden[row] & free)
                best = allowed[np.lexsort((rank[allowed], far[row, allowed]))[:most]]
                assert found.other[found.offsets[i] : found.offsets[i + 1]].tolist() == best.tolist()
            together = asking[:2]
            both = np.flatnonzero(~forbidden[together].any(axis=0) & free)
            assert search.all_of(together, free).tolist() == both.tolist()


def test_only_those_who_came_since_are_looked_at() -> None:
    maker = Matchmaker(Elo())
    maker.join_many(["a", "b"], mu=1500, time=0)
    maker.join_many(["c", "d"], mu=1600, time=1)
    waiting = waiting_of(maker)
    search, free = TicketSearch(waiting, maker.policy, np.arange(4)), np.ones(4, np.bool_)
    entered = maker._pool.store.table["entered"][waiting.slots]
    found = search.nearest(np.array([0, 1]), entered[:2], free, 64, 100)
    assert (found.offsets.tolist(), found.other.tolist()) == ([0, 2, 4], [2, 3, 2, 3])


@settings(max_examples=tries(60))
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=25),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12),
    st.integers(0, 12),
)
def test_lists_that_changed_are_those_made_anew(
    before: list[tuple[int, int]], added: list[tuple[int, int]], removed: int
) -> None:
    """Pairs may be there twice, and players may be new."""
    pairs = [(a, b) for a, b in before if a != b]
    more = [(a, b) for a, b in added if a != b]
    gone = (pairs + more)[:removed]
    left = (pairs + more)[removed:]
    columns = (np.array(some, np.int64).reshape(-1, 2) for some in (pairs, more, gone, left))
    old, new, out, rest = columns
    changed = PlayerLists.of(7, old[:, 0], old[:, 1]).changed(10, new, out)
    anew = PlayerLists.of(10, rest[:, 0], rest[:, 1])
    assert changed.offsets.tolist() == anew.offsets.tolist()
    assert changed.other.tolist() == anew.other.tolist()
    for player in range(10):
        others = [b if a == player else a for a, b in left if player in (a, b)]
        assert anew.other[anew.offsets[player] : anew.offsets[player + 1]].tolist() == sorted(others)


def test_blocks_come_and_go_between_ticks() -> None:
    maker = Matchmaker(Elo(), policy=Policy((WinProbabilityGap(), BlockList()), tolerance=1.0))
    maker.join_many(["ann", "bob"], mu=1500, time=0)
    for blocked in (("ann", "bob"), ("bob", "ann")):
        maker.block(*blocked)
        maker.block(*blocked)
        assert not maker.tick().matches
    maker.unblock("ann", "bob")
    maker.block("new", "ann")
    assert not maker.tick().matches
    maker.unblock("bob", "ann")
    assert len(maker.tick().matches) == 1


# ---------------------------------------------------------------------------------------------------------
# How much is looked at


@pytest.fixture
def met(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of meetings that pools looked at, call by call."""
    counts: list[int] = []
    meet = Waiting.meet

    def counting(self: Waiting, first: Longs, second: Longs) -> Meetings:
        counts.append(len(first))
        return meet(self, first, second)

    monkeypatch.setattr(Waiting, "meet", counting)
    return counts


def needy(count: int, wish: str) -> dict[str, Any]:
    """Attributes and needs of many who may meet one other, or nobody."""
    names, places = [f"n{i}" for i in range(count)], np.arange(float(count))
    if wish == "texts":
        return {"attributes": {"name": names}, "needs": {"name": [f"x{i}" for i in range(count)]}}
    if wish == "partners":
        return {"attributes": {"name": names}, "needs": {"name": [[name, "n0"] for name in names[::-1]]}}
    if wish == "numbers":
        return {"attributes": {"level": places}, "needs": {"level": [(v + 1, v + 9) for v in places]}}
    return {"needs": {"mu": [(1500 + 2 * v + 1, 1500 + 2 * v + 90) for v in places]}}


@pytest.mark.parametrize("wish", ["texts", "partners", "numbers", "ratings"])
def test_those_with_needs_of_their_own_are_compared_with_few(met: list[int], wish: str) -> None:
    """Each with some dozen, whatever the number of tickets; and partners find each other across the pool."""
    for count in (400, 800):
        maker = Matchmaker(Elo())
        names = [f"n{i}" for i in range(count)]
        maker.join_many(names, mu=1500 + 2 * np.arange(count), time=0, **needy(count, wish))
        met.clear()
        matches = maker.tick(time=1_000).matches
        assert sum(met) <= 40 * count
        pairs = [sorted(int(name[1:]) for name in match.players) for match in matches]
        assert pairs == ([[i, count - 1 - i] for i in range(count // 2)] if wish == "partners" else [])


def test_those_who_block_each_other_are_compared_with_few(met: list[int]) -> None:
    for count in (310, 620):
        maker = Matchmaker(Elo())
        names = [f"n{i}" for i in range(count)]
        for number in range(count):
            for other in range(number):
                maker._pool.memory.block(
                    maker._pool.store.names.add(names[number]), maker._pool.store.names.add(names[other])
                )
        maker.join_many(names, mu=1500 + np.arange(count), time=0)
        met.clear()
        assert not maker.tick(time=1_000).matches
        assert sum(met) <= 40 * count


@pytest.mark.parametrize("reason", ["rating", "needs", "size"])
def test_running_matches_that_nobody_can_fill_are_compared_with_few(met: list[int], reason: str) -> None:
    """With the nearest, all of them at once; among everybody only a few matches a tick look."""
    looked = []
    for requests in (10, 40):
        maker = Matchmaker(Elo(), "3v3", policy=Policy((WinProbabilityGap(), WaitingTime(), Needs())))
        for number in range(requests):
            wish = {"attributes": {"seat": f"s{number}"}, "needs": {"seat": f"t{number}"}}
            sides = [[f"{number}a", f"{number}b"], [f"{number}{c}" for c in "def"]]
            maker.backfill(sides, mu=1500.0, time=0, **(wish if reason == "needs" else {}))
        mu = 2500.0 if reason == "rating" else 1500.0
        size = 2 if reason == "size" else 1
        parties = [[f"w{i} {j}" for j in range(size)] for i in range(200)]
        maker.join_many(parties, mu=mu, time=0)
        met.clear()
        tick = maker.tick(time=1)
        assert all(match.backfill is None for match in tick.matches)
        looked.append(sum(met))
    assert looked[1] - looked[0] <= 30 * 2 * 40 + 4_000


def test_every_running_match_has_its_turn_to_look_among_everybody() -> None:
    """Fifty who are near and forbidden hide one who is far and allowed, from each of twenty matches."""
    maker = Matchmaker(Elo(), "ffa:3", policy=Policy((WinProbabilityGap(), Needs()), tolerance=1.0))
    for number in range(20):
        seat = f"seat {number}"
        wish: dict[str, Any] = {"attributes": {"seat": "running"}, "needs": {"seat": [seat, "none"]}}
        maker.backfill([f"{number}a", f"{number}b"], mu=1500, time=0, **wish)
    maker.join_many([f"near {i}" for i in range(300)], mu=1500, time=0, attributes={"seat": ["near"] * 300})
    maker.join_many(
        [f"far {i}" for i in range(20)],
        mu=2500,
        time=0,
        attributes={"seat": [f"seat {i}" for i in range(20)]},
        needs={"seat": ["running"] * 20},
    )
    filled: list[int] = []
    for now in range(1, 11):
        tick = maker.tick(time=now)
        answered = [match for match in tick.matches if match.backfill is not None]
        assert all(f"far {match.backfill}" in match.players for match in answered)
        filled += [match.backfill for match in answered if match.backfill is not None]
        for match in answered:
            maker.start(match)
    assert sorted(filled) == list(range(20))


# ---------------------------------------------------------------------------------------------------------
# What is remembered


def test_what_a_pool_remembers_changes_no_match() -> None:
    """Those who were alone are compared with newcomers only; a pool that forgot it proposes the same."""
    chance = np.random.default_rng(8)
    policy = Policy((WinProbabilityGap(), WaitingTime(patience=10), Needs(), BlockList(), Latency(100, 0.5)))
    count, newcomers = 320, 200
    alone = [f"alone {i}" for i in range(count)]
    makers = [Matchmaker(Elo(), policy=policy, seed=4) for _ in range(2)]
    mu, delay = chance.normal(1500, 200, count), chance.uniform(5, 95, count)
    new_mu, new_delay = chance.normal(1500, 200, newcomers), chance.uniform(5, 95, newcomers)
    proposed = []
    for number, maker in enumerate(makers):
        wish: dict[str, Any] = {
            "attributes": {"side": ["left"] * count},
            "needs": {"side": ["right"] * count},
        }
        maker.join_many(alone, mu=mu, time=0, latency={"eu": delay}, **wish)
        assert not maker.tick(time=20).matches
        assert np.any(maker._pool.store.table["scanned"] > 0)
        if number:
            maker._pool.store.table["scanned"][:] = 0
        right = {"attributes": {"side": ["right"] * newcomers}}
        names = [f"new {i}" for i in range(newcomers)]
        maker.join_many(names, mu=new_mu, time=21, latency={"eu": new_delay}, **right)
        proposed.append(list(maker.tick(time=21).matches))
    assert proposed[0] == proposed[1]
    assert len(proposed[0]) == newcomers


def test_the_number_with_k_before_it() -> None:
    """Against NumPy's partition, with equal and with infinite numbers."""
    found: Any = ticket_tree._kth_smallest
    chosen = getattr(found, "py_func", found)  # compiled only as a part of another kernel
    random = np.random.default_rng(1)
    for size in range(1, 60):
        for values in (random.normal(size=size), random.choice([0.0, 1.0, np.inf], size)):
            k = int(random.integers(size))
            assert chosen(values.copy(), k) == np.partition(values, k)[k]
