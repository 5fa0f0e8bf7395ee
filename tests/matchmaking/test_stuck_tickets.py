"""Many overdue tickets of teams: who finds whom in lists, who rests, and who is tried again when."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import podium
from podium import Elo, Matchmaker, Policy
from podium.matchmaking.lobbies import seed_searches
from podium.matchmaking.policies.terms import BlockList, Needs, WaitingTime, WinProbabilityGap

MANY = seed_searches.LISTED_ABOVE + 20
ROLES = "2v2: tank, healer"
TERMS = (WinProbabilityGap(), WaitingTime(patience=10.0), Needs(), BlockList())


def pool(mode: str = "2v2", rated: Any = None) -> Matchmaker:
    return Matchmaker(Elo() if rated is None else rated, mode, Policy(TERMS, tolerance=0.0))


def join(maker: Matchmaker, names: list[str], maps: list[str], time: float = 0.0, **given: Any) -> None:
    """People who each need others of their map."""
    maps = list(maps)
    maker.join_many(names, time=time, attributes={"map": maps}, needs={"map": maps}, **given)


def strangers(maker: Matchmaker, count: int = MANY) -> list[str]:
    """People of whom nobody may meet anybody."""
    names = [f"stuck {i}" for i in range(count)]
    join(maker, names, names, mu=1500.0 + np.arange(count))
    return names


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The tickets that each search in lists asked for, in number; nobody but the oldest has turns."""
    monkeypatch.setattr(seed_searches, "far_searches", lambda tickets: 0)
    asked: list[int] = []
    nearest = seed_searches.TicketSearch.nearest

    def counting(self: Any, asking: Any, since: Any, free: Any, most: int, *given: Any) -> Any:
        if most > 1:
            asked.append(len(asking))
        return nearest(self, asking, since, free, most, *given)

    monkeypatch.setattr(seed_searches.TicketSearch, "nearest", counting)
    return asked


@pytest.mark.parametrize("mode", ["2v2", "ffa:4", "2v2v2", ROLES])
def test_everybody_whose_friends_wait_plays_at_once(mode: str) -> None:
    """Everybody may meet those of their map only, who stand anywhere in the line: as many as a match has."""
    maker = pool(mode)
    chance, players = np.random.default_rng(4), maker.mode.players
    matches = 1 + MANY // players
    order = chance.permutation(players * matches)
    maps = [f"map {i // players}" for i in order]
    roles = [("tank", "healer")[i % 2] for i in order] if maker.mode.roles else None
    names = [f"p{i}" for i in range(len(order))]
    join(maker, names, maps, mu=chance.normal(1500.0, 200.0, len(order)), roles=roles)
    tick = maker.tick(time=20)
    where = dict(zip(names, maps, strict=True))
    assert sorted(where[match.players[0]] for match in tick.matches) == sorted(set(maps))
    assert all(len({where[name] for name in match.players}) == 1 for match in tick.matches)


def test_lobbies_out_of_lists_are_legal_and_take_the_oldest_first() -> None:
    """Blocks, parties and needs at once; three of the oldest are stuck, and the next ones play."""
    maker, chance = pool("3v3"), np.random.default_rng(5)
    strangers(maker, 3)
    parties = [[f"p{i}-{k}" for k in range(1 + i % 3 // 2)] for i in range(MANY + 100)]
    for i, party in enumerate(parties):
        maker.join(
            party,
            mu=float(chance.normal(1500.0, 200.0)),
            time=i / 1000,
            attributes={"map": str(i % 5)},
            needs={"map": str(i % 5)} if i % 2 else None,
        )
    names = [name for party in parties for name in party]
    blocked = {frozenset(chance.choice(names, 2, replace=False).tolist()) for _ in range(400)}
    for pair in blocked:
        maker.block(*pair)
    tick = maker.tick(time=20)
    played = {name for match in tick.matches for name in match.players}
    assert len(played) > 0.9 * len(names)
    assert set(parties[0]) <= played
    ticket = {name: i for i, party in enumerate(parties) for name in party}
    for match in tick.matches:
        assert [len(side) for side in match.sides] == [3, 3]
        tickets = {ticket[name] for name in match.players}
        assert sum(len(parties[i]) for i in tickets) == 6
        assert not any(frozenset(pair) in blocked for pair in combinations(match.players, 2))
        needed = {i % 5 for i in tickets if i % 2}
        assert not needed or {i % 5 for i in tickets} == needed


def test_who_found_nobody_rests_until_somebody_comes(lists: list[int]) -> None:
    """Nobody is looked for twice, apart from turns; a ticket that three come for is, and plays.

    Wherever these three stand: between them are others, who are neither overdue nor may meet anybody.
    """
    maker = pool()
    names = strangers(maker)
    maker.tick(time=20)
    assert sum(lists) == MANY
    for now in (21, 22):
        assert not maker.tick(time=now).matches
    assert sum(lists) == MANY + 2
    others = [f"other {i}" for i in range(100)]
    join(maker, others, others, time=22, mu=np.linspace(1000.0, 2000.0, 100))
    join(maker, ["a", "b", "c"], [names[7]] * 3, time=22, mu=[1000.0, 2000.0, 2500.0])
    (match,) = maker.tick(time=23).matches
    assert set(match.players) == {names[7], "a", "b", "c"}


def test_those_who_rest_are_tried_again_in_turn(lists: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody may meet the newcomer, so everybody may find somebody: all are tried, some at a tick."""
    monkeypatch.setattr("podium.matchmaking.deciders.group_matches.RETRIED", MANY // 2)
    monkeypatch.setattr(seed_searches, "LISTED_ABOVE", 100)
    monkeypatch.setattr("podium.matchmaking.deciders.group_matches.LISTED_ABOVE", 100)
    maker = pool()
    maker.join_many(
        [f"stuck {i}" for i in range(MANY)],
        mu=1500.0,
        time=0,
        attributes={"map": [f"map {i}" for i in range(MANY)]},
        needs={"map": [[f"map {MANY - 1 - i}", "any"] for i in range(MANY)]},
    )
    maker.tick(time=20)
    assert sum(lists) == MANY
    maker.join("any", mu=1500.0, time=20, attributes={"map": "any"})
    tried = []
    for now in (21, 22, 23):
        lists.clear()
        maker.tick(time=now)
        tried.append(sum(lists))
    assert tried[0] == MANY // 2
    assert tried[0] + tried[1] in (MANY, MANY + 1)  # the oldest has a turn at every tick
    assert tried[2] <= 1


@pytest.mark.parametrize("change", ["unblock", "rating"])
def test_who_rests_plays_when_others_may_be_met_again(change: str) -> None:
    """A block that is undone, and a rating of the ladder that changes: what was remembered does not count."""
    ladder = podium.Ladder(Elo())
    names = [f"stuck {i}" for i in range(MANY)]
    maker = Matchmaker(ladder, "2v2", Policy(TERMS, tolerance=0.0), unknown="newcomer")
    join(maker, names, names)
    friends = ["a", "b", "c", "d"]
    if change == "unblock":
        maker.block("a", "b")
        join(maker, friends, ["here"] * 4)
    else:
        needs = [(1505.0, 1600.0) if name == "a" else None for name in friends]
        maker.join_many(friends, time=0, attributes={"map": ["here"] * 4}, needs={"mu": needs})
    assert not maker.tick(time=20).matches
    assert not maker.tick(time=21).matches
    if change == "unblock":
        maker.unblock("a", "b")
    else:
        for name in ("b", "c", "d"):
            ladder.record_match(name, "weak")
    (match,) = maker.tick(time=22).matches
    assert set(match.players) == set(friends)


def test_few_overdue_tickets_do_not_rest(lists: list[int]) -> None:
    """Where few are overdue they are served as ever: near in the line, and from everybody in turn."""
    maker = pool()
    strangers(maker, 30)
    maker.tick(time=20)
    assert not lists
    assert not maker._pool.store.table["scanned"].any()


def test_a_restored_pool_knows_who_rests(lists: list[int]) -> None:
    maker = pool()
    strangers(maker)
    maker.tick(time=20)
    restored = Matchmaker.from_bytes(maker.to_bytes())
    lists.clear()
    restored.tick(time=21)
    assert lists == [1]
