"""Many threads on one pool: nobody is booked twice, nobody is lost, and nothing waits for ever."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier
from typing import Any

import pytest

from podium import (
    Elo,
    InputError,
    Ladder,
    Match,
    Matchmaker,
    Merge,
    Policy,
    Rename,
    SetRating,
    UnknownPlayerError,
)
from podium.matchmaking.policies.term_contract import Term
from podium.matchmaking.policies.terms import WinProbabilityGap
from podium.named import temporary_registrations

THREADS, PLAYERS = 8, 6


pytestmark = pytest.mark.usefixtures("restless")


def test_eight_threads_book_nobody_twice_and_lose_nobody() -> None:
    """Every thread joins, leaves, ticks, starts what it likes, and looks; the ladder is renamed meanwhile."""
    ladder = Ladder(Elo())
    for thread in range(THREADS):
        for i in range(PLAYERS):
            ladder.adjust(SetRating(player=f"p{thread}/{i}", mu=1500))
    maker = Matchmaker(ladder, policy=Policy(tolerance=1))
    barrier = Barrier(THREADS)
    proposed: list[Match] = []
    started: list[Match] = []
    left: set[str] = set()

    def work(thread: int) -> None:
        chance = Random(thread)
        barrier.wait()
        for i in range(PLAYERS):
            name = f"p{thread}/{i}"
            maker.join(name)
            proposed.extend(maker.tick().matches)
            for match in chance.sample(proposed, min(3, len(proposed))):
                try:
                    maker.start(match)
                    started.append(match)
                except InputError:  # another thread was faster
                    pass
            if i == 2:
                ladder.adjust(Rename(player=name, into=f"{name} as was"))
            elif i == 3:
                try:
                    maker.leave(name)
                    left.add(name)
                except UnknownPlayerError:  # the match has started
                    pass
            elif i == 4:
                ladder.record_match(name, f"p{thread}/0")
            look(maker, chance)

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(work, thread) for thread in range(THREADS)]:
            done.result(timeout=60)
    assert len({match.number for match in started}) == len(started)
    booked = [name for match in maker.running() for name in match.players]
    booked += [name for match in maker.proposed() for name in match.players]
    booked += maker.waiting().to_frame()["player"].to_list()
    everybody = set(ladder.ratings()["player"])
    assert sorted(booked) == sorted(everybody - left)


def look(maker: Matchmaker, chance: Random) -> None:
    """Look at the pool in some way; what is seen fits together."""
    kind = chance.randrange(4)
    if kind == 0:
        names = maker.waiting().to_frame()["player"].to_list()
        assert len(set(names)) == len(names)
    elif kind == 1:
        assert all(len(set(match.players)) == 2 for match in maker.proposed())
    elif kind == 2:
        Matchmaker.from_bytes(maker.to_bytes(), maker._pool.source.ladder, unknown="newcomer")  # type: ignore[attr-defined]
    else:
        pickle.loads(pickle.dumps(maker))


def test_a_term_may_look_at_the_pool_and_not_change_it() -> None:
    with temporary_registrations():

        class Nosy(Term):
            name = "nosy"

            def forbids(self, meetings: Any) -> Any:
                seen.append(len(maker))
                try:
                    maker.leave("ann")
                except InputError as error:
                    seen.append(str(error))
                return meetings.first["clan"] == meetings.second["clan"]

        seen: list[Any] = []
        maker = Matchmaker(Elo(), policy=Policy((WinProbabilityGap(), Nosy())))
        maker.join_many(["ann", "bob"], mu=1500, attributes={"clan": ["red", "blue"]})
        assert len(maker.tick().matches) == 1
        assert seen[0] == 2
        assert seen[1].startswith("leave in the middle of another call of this pool")


def test_merges_while_others_tick() -> None:
    """A ladder's change never waits for a pool, so a tick that waits for the ladder goes on."""
    ladder = Ladder(Elo())
    for i in range(40):
        ladder.adjust(SetRating(player=f"p{i}", mu=1500))
    maker = Matchmaker(ladder, policy=Policy(tolerance=1))
    maker.join_many([f"p{i}" for i in range(40)])

    def merge() -> None:
        for i in range(0, 40, 2):
            ladder.adjust(Merge(player=f"p{i}", into=f"p{i + 1}"))

    def tick() -> None:
        for _ in range(8):
            for match in maker.tick().matches:
                try:
                    maker.cancel(match)
                except InputError:  # its players are one by now
                    assert maker.proposed() is not None

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(merge), pool.submit(tick)]:
            done.result(timeout=60)
    names = maker.waiting().to_frame()["player"].to_list()
    names += [name for match in maker.proposed() for name in match.players]
    assert sorted(names) == sorted(f"p{i}" for i in range(1, 40, 2))
