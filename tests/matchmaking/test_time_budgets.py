"""Ticks with a budget: whom they look at, in which order, and what they say that they left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from podium import Elo, Matchmaker, ParameterError, Policy, document
from podium.matchmaking.deciders import decisions
from podium.matchmaking.deciders.decisions import ALWAYS_TICKETS, FIRST_SECONDS, PART_PLANNED
from podium.matchmaking.policies.terms import Needs, WaitingTime, WinProbabilityGap


class Watch:
    """A clock on which some time passes whenever somebody looks at it."""

    def __init__(self) -> None:
        self.now, self.step = 0.0, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    watch = Watch()
    monkeypatch.setattr(decisions, "perf_counter", watch)
    return watch


def seconds_for(tickets: int) -> float:
    """The budget of a first tick that looks at so many tickets."""
    return (tickets + 0.5) * FIRST_SECONDS / PART_PLANNED


def crowd(count: int, **options: Any) -> Matchmaker:
    maker = Matchmaker(Elo(), policy=Policy(tolerance=1.0), seed=2, **options)
    chance = np.random.default_rng(count)
    names = [f"p{i}" for i in range(count)]
    maker.join_many(names, mu=chance.normal(1500, 200, count), time=np.arange(count) / count)
    return maker


@pytest.mark.usefixtures("watch")
@pytest.mark.parametrize("mode", ["1v1", "2v2"])
def test_a_budget_that_is_enough_changes_nothing(mode: str) -> None:
    plain, hurried = (crowd(420, mode=mode).tick(time=2, **given) for given in ({}, {"budget": 60.0}))
    assert list(plain.matches) == list(hurried.matches)
    assert (plain.left, hurried.left) == (0, 0)


@pytest.mark.usefixtures("watch")
def test_the_oldest_are_served_and_the_others_left() -> None:
    """A quarter of the places is for the oldest; nobody has been looked at, so half of them is theirs too."""
    maker = crowd(1_000)
    tick = maker.tick(time=2, budget=seconds_for(400))
    served = {int(name[1:]) for match in tick.matches for name in match.players}
    assert len(served) == 400
    assert set(range(300)) < served
    assert (tick.left, tick.waiting) == (600, 600)
    assert document(tick)["left"] == 600


@pytest.mark.usefixtures("watch")
def test_the_oldest_who_are_stuck_keep_nobody_from_playing() -> None:
    """Of 500 who may meet nobody the first 100 are looked at every time; beside them all take turns."""
    maker = Matchmaker(Elo(), policy=Policy((WinProbabilityGap(), WaitingTime(patience=1), Needs()), 1.0))
    wish = {"attributes": {"input": ["pad"] * 500}, "needs": {"input": ["wheel"] * 500}}
    maker.join_many([f"stuck {i}" for i in range(500)], mu=1500, time=0, **wish)
    maker.join_many([f"young {i}" for i in range(200)], mu=1500, time=1)
    matches = [len(maker.tick(time=now, budget=seconds_for(400)).matches) for now in (10, 11, 12, 13)]
    assert sum(matches) == 100


@pytest.mark.usefixtures("watch")
def test_all_take_turns_though_nobody_joins() -> None:
    """1,000 who may meet nobody, 400 at a time: each is looked at in every 1,000 / 200 = 5 ticks."""
    maker = Matchmaker(Elo(), policy=Policy((WinProbabilityGap(), WaitingTime(patience=1), Needs()), 1.0))
    wish = {"attributes": {"input": ["pad"] * 1_000}, "needs": {"input": ["wheel"] * 1_000}}
    maker.join_many([f"stuck {i}" for i in range(1_000)], mu=1500, time=0, **wish)
    for now in range(5, 30, 5):
        before = maker._pool.store.table["looked"].copy()
        for later in range(5):
            maker.tick(time=now + later, budget=seconds_for(400))
        assert np.all(maker._pool.store.table["looked"][:1_000] > before[:1_000])


@pytest.mark.usefixtures("watch")
def test_two_who_may_play_only_each_other_are_looked_at_together() -> None:
    """Of 640 a tick looks at 320: with the 160 oldest and turns alone, these two would never be together."""
    maker = Matchmaker(Elo(), policy=Policy((WinProbabilityGap(), WaitingTime(patience=1), Needs()), 1.0))
    names = [f"stuck {i}" for i in range(640)]
    maps = ["ours" if i in (210, 420) else name for i, name in enumerate(names)]
    maker.join_many(
        names,
        mu=1500,
        time=np.arange(640) / 1_000,
        attributes={"map": maps},
        needs={"map": ["ours" if one == "ours" else "nowhere" for one in maps]},
    )
    assert any(maker.tick(time=now, budget=seconds_for(320)).matches for now in range(10, 110))


@pytest.mark.usefixtures("watch")
def test_a_few_tickets_are_looked_at_in_any_time() -> None:
    tick = crowd(ALWAYS_TICKETS).tick(time=2, budget=1e-9)
    assert (len(tick.matches), tick.left) == (ALWAYS_TICKETS // 2, 0)


def test_the_pool_learns_how_long_its_ticks_take(watch: Watch) -> None:
    """Its first tick took ten times as long as it would take at first."""
    maker = crowd(5_000)
    watch.step = seconds_for(4_000) * 10
    first = maker.tick(time=2, budget=seconds_for(4_000))
    assert first.left > 1_000
    watch.step = 0.0
    maker.join_many([f"q{i}" for i in range(5_000)], mu=1500, time=2)
    waiting = len(maker._pool.store.waiting())
    second = maker.tick(time=3, budget=seconds_for(4_000))
    assert waiting - second.left <= 400


@pytest.mark.parametrize("mode", ["1v1", "2v2"])
def test_a_tick_stops_between_its_steps(watch: Watch, mode: str) -> None:
    """The time is up when it looks at the clock for the first time; whoever is not overdue is left.

    The next tick takes few tickets, and serves these though its time is up again.
    """
    maker = crowd(420, mode=mode)
    watch.step = 1.0
    tick = maker.tick(time=2, budget=0.5)
    assert (len(tick.matches), tick.left, tick.waiting) == (0, 420, 420)
    tick = maker.tick(time=3, budget=0.5)
    assert (len(tick.matches), tick.left) == (ALWAYS_TICKETS // maker.mode.players, 420 - ALWAYS_TICKETS)


def test_a_tick_that_stops_has_served_the_oldest_of_those_overdue(watch: Watch) -> None:
    """Everybody finds somebody only across the pool, so that they search, some at a time.

    A quarter of those it looks at is by chance: not all whom it serves are the oldest of all, and some miss
    theirs.
    """
    maker = Matchmaker(Elo(), policy=Policy((WinProbabilityGap(), WaitingTime(patience=1), Needs())))
    count = 3_000
    names = [f"p{i}" for i in range(count)]
    maker.join_many(
        names,
        mu=1500 + 2.0 * np.arange(count),
        time=np.arange(count) / count,
        attributes={"name": names},
        needs={"name": [[name, "nobody"] for name in names[::-1]]},
    )
    watch.step = 1.0
    tick = maker.tick(time=5, budget=100.0)
    assert len(tick.matches) == count // 2
    for match in tick.matches:
        maker.cancel(match)
    watch.now = 0.0
    tick = maker.tick(time=6, budget=2.5)
    ages = sorted(min(int(name[1:]) for name in match.players) for match in tick.matches)
    assert 0 < len(ages) < count // 2
    assert ages[: len(ages) // 2] == list(range(len(ages) // 2))
    assert 0 < tick.left < tick.waiting == count - 2 * len(ages)


def crowd_with_roles(count: int, mode: str) -> Matchmaker:
    """People who take anybody; where there are roles, they play them in turn."""
    maker = Matchmaker(Elo(), mode, Policy((WinProbabilityGap(), WaitingTime(patience=50), Needs()), 1.0))
    chance, names = np.random.default_rng(count), maker.mode.role_names
    roles = [names[i % len(names)] for i in range(count)] if names else None
    people = [f"p{i}" for i in range(count)]
    maker.join_many(people, mu=chance.normal(1500, 200, count), time=np.arange(count) / count, roles=roles)
    return maker


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("mode", ["2v2", "2v2v2v2", "2v2: tank, healer", "ffa:4"])
def test_forming_stops_in_time(watch: Watch, mode: str, late: bool) -> None:
    """Every look at the clock takes a second of a budget that is not enough to form all lobbies.

    What was formed until then is kept, later ticks look at the clock hardly more often, and all have a turn.
    """
    count, start = 800, 100.0 if late else 2.0
    maker, watch.step = crowd_with_roles(count, mode), 1.0
    tick = maker.tick(time=start, budget=4.5)
    waiting = count - maker.mode.players * len(tick.matches)
    assert 0 < len(tick.matches) < count // maker.mode.players
    assert tick.waiting == waiting
    assert 0 < tick.left <= waiting
    for number in range(1, 200):
        began = watch.now
        tick = maker.tick(time=start + number, budget=4.5)
        assert watch.now - began <= 8.0
        if not tick.left:
            break
    assert tick.waiting < count // 20


def test_forming_serves_the_oldest_first(watch: Watch) -> None:
    """Everybody is overdue and may meet three others only, of the same age."""
    maker, count = Matchmaker(Elo(), "2v2", Policy((WaitingTime(patience=1), Needs()))), 1_200
    group = [f"g{i // 4}" for i in range(count)]
    wish = {"attributes": {"group": group}, "needs": {"group": group}}
    chance = np.random.default_rng(1)
    maker.join_many(
        [f"p{i}" for i in range(count)],
        mu=chance.normal(1500, 300, count),
        time=np.arange(count) / count,
        **wish,
    )
    watch.step = 1.0
    tick = maker.tick(time=5, budget=6.5)
    served = sorted(int(match.players[0][1:]) // 4 for match in tick.matches)
    assert 0 < len(served) < count // 4
    assert served == list(range(len(served)))
    assert tick.left == tick.waiting == count - 4 * len(served)


@pytest.mark.parametrize("budget", [0, -1.0, float("nan"), float("inf"), True, "1"])
def test_budgets_that_are_refused(budget: Any) -> None:
    maker = crowd(4)
    with pytest.raises(ParameterError, match=r"a budget of .* seconds"):
        maker.tick(time=2, budget=budget)
    assert maker.clock < 2
