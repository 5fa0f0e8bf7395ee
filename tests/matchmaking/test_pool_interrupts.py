"""An interrupt at any line of a pool's calls leaves the pool of before or the pool of after."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from interrupting import interrupted
from podium import Elo, Ladder, Match, Matchmaker, Merge, PodiumError, Policy, Rename, SetRating
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.terms import BlockList, Needs, NoRematch, WaitingTime, WinProbabilityGap

POLICY = Policy(
    terms=(WinProbabilityGap(), WaitingTime(0.1, 20), NoRematch(2), BlockList(), Needs()),
    target=WinRateTarget(games=3),
)
Pool = tuple[Matchmaker, list[Match], Match]
PLAYERS = [f"p{i}" for i in range(16)]


def seen(maker: Matchmaker) -> Any:
    """All that can be seen of a pool, after a check that it holds together."""
    assert maker._pool._unfinished is None
    pool = maker._pool
    store, memory = pool.store, pool.memory
    assert len({len(column) for column in store.table.columns.values()}) == 1
    used = np.flatnonzero(store.table["state"] != 0)
    assert sorted([*used.tolist(), *store._free.tolist()]) == list(range(store._used))
    people = len(store.names)
    met = memory.opponents.met[:people]
    met = np.sort(met.reshape(len(met), met.shape[1] * met.shape[2]), axis=1)
    assert memory.scores is not None
    return {
        "names": store.names.to_list(),
        "tickets": [maker.ticket(name) for name in store.names if name in maker],
        "places": [store.slot_of(name) for name in store.names],
        "waiting": maker.waiting().to_frame().rows(),
        "numbers": (
            maker.clock,
            len(maker),
            maker._pool.ticks,
            maker._pool.proposed,
            maker._pool.requests,
            store._used,
        ),
        "counted": (store.joined, store.entries, sorted(store._free.tolist())),
        "texts": {name: texts is None for name, texts in store.attributes.texts.items()},
        "needs": store.attributes.needs,
        "met": [row[row >= 0].tolist() for row in met if row.max() >= 0],
        "scores": [
            (player, memory.scores.scores[player].tolist(), int(memory.scores.played[player]))
            for player in np.flatnonzero(memory.scores.played)
        ],
        "playing": store.people["playing"][:people].tolist(),
        "blocks": sorted(memory._blocks),
    }


def pool(mode: str = "1v1") -> Pool:
    """Players who wait, two matches that are proposed and one that is played; no slot is free."""
    maker = Matchmaker(Elo(), mode, policy=POLICY, seed=3, timeout=60)
    for i, name in enumerate(PLAYERS[:8]):
        maker.join(name, mu=1500 + i, time=0)
    played = maker.tick(time=1).matches[0]
    maker.start(played)
    maker.join_many(PLAYERS[8:], mu=np.linspace(1400, 1600, 8), time=2)
    proposed = list(maker.tick(time=3).matches[:2])
    for name in ("p16", "p17", "p18", "p19", "p20")[
        : 16 - maker._pool.store._used + len(maker._pool.store._free)
    ]:
        maker.join(name, mu=1500, time=4)
    assert len(proposed) == 2
    assert not len(maker._pool.store._free)
    return maker, proposed, played


CALLS: dict[str, Callable[[Pool], object]] = {
    "join": lambda pool: pool[0].join("new", mu=1500, time=5, attributes={"input": "pad"}, recent="WL"),
    "join_many": lambda pool: pool[0].join_many(
        ["new", ["old", "other"]][: 1 if pool[0].mode.is_duel else 2],
        mu=1500,
        time=5,
        needs={"input": ["pad", None][: 1 if pool[0].mode.is_duel else 2]},
    ),
    "leave": lambda pool: pool[0].leave("p16"),
    "leave a proposal": lambda pool: pool[0].leave(pool[1][0].players[0]),
    "tick": lambda pool: pool[0].tick(time=5),
    "tick that removes": lambda pool: pool[0].tick(time=63.5),
    "start": lambda pool: pool[0].start(pool[1]),
    "cancel": lambda pool: pool[0].cancel(pool[1][0], by=pool[1][0].players[1]),
    "finish": lambda pool: pool[0].finish(pool[2], side=0),
    "forget": lambda pool: pool[0].forget(list(pool[2].players)),
    "block": lambda pool: pool[0].block("p16", "p17"),
    "backfill": lambda pool: pool[0].backfill([["new"], ["old", "other"]], mu=1500, time=5),
    "refused": lambda pool: pool[0].join_many(["fresh", "p16"], mu=1500, time=5),
}
SOME = 9


def go_on(maker: Matchmaker) -> Any:
    """More calls; the pool answers as if nothing had happened."""
    maker.join("later", mu=1450, time=100, attributes={"input": "pad"})
    maker.join("last", mu=1450, time=100, needs={"input": "pad"})
    tick = maker.tick(time=101)
    maker.start(tick)
    return list(tick.matches), tick.expired, seen(maker)


def check(name: str, mode: str, step: int) -> None:
    start, call = pickle.dumps(pool(mode)), CALLS[name]
    before, after = pickle.loads(start), pickle.loads(start)
    try:
        call(after)
    except PodiumError:
        assert name == "refused"
    wanted, later = [seen(one[0]) for one in (before, after)], [go_on(one[0]) for one in (before, after)]
    lines = 0
    for maker, *_ in interrupted(lambda: pickle.loads(start), call, step):
        len(maker)  # the next call takes back what is left of it
        found = seen(maker)
        assert found in wanted
        assert go_on(maker) == later[wanted.index(found)]
        lines += 1
    assert lines * step > 20


@pytest.mark.parametrize("name", [name for name in CALLS if name != "backfill"])
def test_duels(name: str) -> None:
    check(name, "1v1", SOME)


@pytest.mark.parametrize("name", ["join_many", "leave a proposal", "tick", "start", "cancel", "backfill"])
def test_teams(name: str) -> None:
    check(name, "2v2", SOME)


def of_a_ladder() -> tuple[Ladder, Matchmaker]:
    """Four who wait, two of them in a proposal, and a ladder that knows them."""
    ladder = Ladder(Elo())
    for name in ("ann", "bob", "cat", "dan"):
        ladder.adjust(SetRating(player=name, mu=1500))
    maker = Matchmaker(ladder, policy=POLICY)
    maker.join_many(["ann", "bob"], time=0)
    maker.tick(time=0)
    maker.join_many(["cat", "dan"], time=1)
    return ladder, maker


@pytest.mark.parametrize(
    "change",
    [Rename(player="ann", into="eve"), Merge(player="cat", into="bob"), Merge(player="bob", into="ann")],
)
def test_an_interrupt_while_the_pool_follows_the_ladder(change: Rename | Merge) -> None:
    """The next call follows, whatever the interrupted one did of it."""

    def changed() -> Matchmaker:
        ladder, maker = of_a_ladder()
        ladder.adjust(change)
        return maker

    wanted, after = len(changed()), changed()
    assert wanted == len(after)
    for maker in interrupted(changed, len, 17):
        assert len(maker) == wanted
        assert seen(maker) == seen(after)


@pytest.mark.parametrize("call", ["rename", "undo"])
def test_an_interrupt_of_the_ladder_leaves_both_with_the_same_names(call: str) -> None:
    def made() -> tuple[Ladder, Matchmaker]:
        ladder, maker = of_a_ladder()
        if call == "undo":
            ladder.adjust(Rename(player="ann", into="eve"))
        return ladder, maker

    def change(both: tuple[Ladder, Matchmaker]) -> None:
        if call == "undo":
            both[0].undo()
        else:
            both[0].adjust(Rename(player="ann", into="eve"))

    for ladder, maker in interrupted(made, change, 5):
        assert [name in maker for name in ("ann", "eve")] == [name in ladder for name in ("ann", "eve")]


@pytest.mark.long
@pytest.mark.parametrize("mode", ["1v1", "2v2"])
@pytest.mark.parametrize("name", CALLS)
def test_every_line(name: str, mode: str) -> None:
    if name != "backfill" or mode != "1v1":
        check(name, mode, 1)
