"""Nobody rests who could play: small pools that count as large, against all lobbies that are possible."""

from __future__ import annotations

from itertools import combinations, permutations, product
from random import Random
from typing import Any

import numpy as np
import pytest

from podium import Elo, Ladder, Matchmaker, Merge, PodiumError, Policy, Rename, SetRating
from podium.matchmaking.deciders import group_matches
from podium.matchmaking.lobbies import seed_searches
from podium.matchmaking.policies.terms import (
    BlockList,
    Latency,
    Needs,
    NoRematch,
    RatingGap,
    WaitingTime,
    WinProbabilityGap,
)
from podium.matchmaking.pool.ticks import look_at

MANY = 2
"""Overdue tickets above which they look in lists and rest."""
PATIENCE = 5.0
TERMS = (WinProbabilityGap(), WaitingTime(patience=PATIENCE), BlockList(), Needs(), NoRematch(), Latency(50))
NAMES = [f"p{i}" for i in range(20)]
PLACES = [{"eu": 20}, {"us": 20}, {"eu": 50, "us": 50}]


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few overdue tickets are many, one who rested is tried at a tick, and only the oldest has turns."""
    for module in (group_matches, seed_searches):
        monkeypatch.setattr(module, "LISTED_ABOVE", MANY)
    monkeypatch.setattr(group_matches, "RETRIED", 1)
    monkeypatch.setattr(seed_searches, "far_searches", lambda tickets: 0)


class LargePool:
    """A pool of a ladder in which something happens between ticks."""

    def __init__(self, seed: int, mode: str) -> None:
        self.chance, self.now, self.renamed = Random(seed), 0.0, 0
        self.ladder, self.names = Ladder(Elo()), list(NAMES)
        for name in NAMES:
            self.ladder.adjust(SetRating(player=name, mu=100.0 * self.chance.randint(12, 18)))
        terms = (*TERMS, RatingGap(most=300)) if self.chance.random() < 0.3 else TERMS
        self.maker = Matchmaker(self.ladder, mode, Policy(terms), seed=seed, unknown="newcomer")

    def join(self) -> None:
        chance, mode = self.chance, self.maker.mode
        free = [name for name in self.names if name not in self.maker]
        party = chance.sample(free, min(len(free), chance.choice([1, 1, 2]) if mode.has_teams else 1))
        if not party:
            return
        given: dict[str, Any] = {"latency": chance.choice(PLACES), "playing": True, "time": self.now}
        if mode.roles:
            given["roles"] = [chance.choice([None, "tank", "healer"]), *(None for _ in party[1:])]
        need = chance.choice([None, "a", ["a", "b"], "b", "c"])
        self.maker.join(party, attributes={"input": chance.choice("abc")}, needs={"input": need}, **given)

    def happen(self) -> None:
        maker, chance = self.maker, self.chance
        waiting = maker.waiting().to_frame()["player"].to_list() or self.names
        what = chance.choice(["join"] * 6 + ["leave", "block", "unblock", "restart", "cancel", "start"])
        what = chance.choice([what, what, "rename", "merge", "rating", "undo"])
        try:
            match what:
                case "join":
                    self.join()
                case "leave":
                    maker.leave(chance.choice(waiting))
                case "block" if len(waiting) > 1:
                    maker.block(*chance.sample(waiting, 2))
                case "unblock" if maker._pool.memory.has_blocks:
                    one, other = chance.choice(list(maker._pool.memory._blocks))
                    maker.unblock(maker._pool.store.names[one], maker._pool.store.names[other])
                case "restart":
                    self.maker = Matchmaker.from_bytes(maker.to_bytes(), self.ladder)
                case "cancel":
                    for match in maker.proposed():
                        maker.cancel(match)
                case "start":
                    maker.start(maker.proposed())
                case "rename":
                    self.renamed += 1
                    place = chance.randrange(len(self.names))
                    self.ladder.adjust(Rename(player=self.names[place], into=f"new {self.renamed}"))
                    self.names[place] = f"new {self.renamed}"
                case "merge" if len(waiting) > 1:
                    one, other = chance.sample(waiting, 2)
                    self.ladder.adjust(Merge(player=one, into=other))
                case "rating":
                    mu = 100.0 * chance.randint(12, 18)
                    self.ladder.adjust(SetRating(player=chance.choice(self.names), mu=mu))
                case "undo":
                    self.ladder.undo()
        except PodiumError:
            return  # somebody is not there, or plays

    def settle(self) -> None:
        """Tick until all who rest have been tried again."""
        tries = 0
        while tries <= len(self.maker._pool.store.waiting()):
            tries = 0 if len(self.maker.tick(time=self.now).matches) else tries + 1

    def possible(self) -> list[tuple[str, ...]]:
        """The tickets of a match that could be made around somebody overdue, if many are; else none."""
        store, mode = self.maker._pool.store, self.maker.mode
        slots = store.waiting()
        waiting = look_at(
            self.maker._pool, slots, self.now - store.table["time"][slots], self.maker._pool.now
        )
        first, second = np.triu_indices(len(slots), 1)
        may = ~self.maker.policy.forbidden(waiting.meet(first, second))
        allowed = set(zip(first[may].tolist(), second[may].tolist(), strict=True))
        overdue = set(np.flatnonzero(waiting.waited >= PATIENCE).tolist())
        if len(overdue) <= MANY:
            return []
        members = [store.members(slots[[row]])[0] for row in range(len(slots))]
        plays = [[mode.roles_in(bits) for bits in store.people["roles"][some].tolist()] for some in members]
        for count in range(2, mode.players + 1):
            for some in combinations(range(len(slots)), count):
                if (
                    waiting.size[list(some)].sum() == mode.players
                    and not overdue.isdisjoint(some)
                    and allowed.issuperset(combinations(some, 2))
                    and np.any(np.all(waiting.delays[list(some)] <= 50, axis=0))
                    and self.can_seat([plays[i] for i in some])
                ):
                    return [store.players_of(int(slots[i])) for i in some]
        return []

    def can_seat(self, parties: list[list[tuple[str, ...]]]) -> bool:
        """Whether parties fill the sides, and their players the roles."""
        mode = self.maker.mode
        for sides in product(range(mode.sides), repeat=len(parties)):
            teams = [
                [
                    player
                    for party, side in zip(parties, sides, strict=True)
                    if side == one
                    for player in party
                ]
                for one in range(mode.sides)
            ]
            if tuple(map(len, teams)) == mode.sizes and all(
                not mode.roles or any(self.play(order, team) for order in permutations(mode.roles[side]))
                for side, team in enumerate(teams)
            ):
                return True
        return False

    @staticmethod
    def play(roles: tuple[str, ...], team: list[tuple[str, ...]]) -> bool:
        return all(role in player for role, player in zip(roles, team, strict=True))


@pytest.mark.parametrize("mode", ["2v2", "ffa:3", "1v2", "2v2: tank, healer"])
def test_nobody_rests_who_could_play(mode: str) -> None:
    for seed in range(3):
        story = LargePool(seed, mode)
        for _ in range(12):
            for _ in range(story.chance.choice([1, 2, 4])):
                story.happen()
            story.now += story.chance.choice([0.0, 1.0, 6.0])
            story.settle()
            assert not story.possible(), f"story {seed}, at {story.now}"
