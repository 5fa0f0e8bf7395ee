"""Nobody starves: what a pool promises the ticket that is worst off, whatever arrives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import tries
from podium import Elo, Matchmaker, Policy
from podium.matchmaking.policies.terms import (
    BlockList,
    NoRematch,
    SameAttribute,
    WaitingTime,
    WinProbabilityGap,
)

PATIENCE = 10.0


def pool(*more: object, tolerance: float = 0.01, seed: int = 0) -> Matchmaker:
    terms = (WinProbabilityGap(), WaitingTime(per_minute=0.0, patience=PATIENCE), *more)
    return Matchmaker(Elo(), policy=Policy(terms=terms, tolerance=tolerance), seed=seed)  # type: ignore[arg-type]


ARRIVALS = st.lists(
    st.tuples(st.floats(0.1, 4.0), st.lists(st.sampled_from([0, 1500, 1501, 3000]), max_size=4)),
    min_size=1,
    max_size=30,
)


@settings(max_examples=tries(100))
@given(ARRIVALS, st.integers(0, 5))
def test_nobody_waits_longer_than_patience_and_a_tick(
    arrivals: list[tuple[float, list[int]]], seed: int
) -> None:
    """Where nothing is forbidden: whoever is overdue at a tick with others plays, but for the odd one.

    The odd one plays at the next tick with others. Told by names and times kept beside the pool.
    """
    maker, now, number = pool(seed=seed), 0.0, 0
    joined: dict[str, float] = {}
    odd: str | None = None
    for step, ratings in arrivals:
        for mu in ratings:
            joined[f"p{number}"] = now
            maker.join(f"p{number}", mu=mu, time=now)
            number += 1
        now += step
        tick = maker.tick(time=now)
        maker.start(tick)
        together = len(joined) >= 2
        served = {name for match in tick.matches for name in match.players}
        assert not (together and odd is not None) or odd in served
        overdue = {name for name, time in joined.items() if now - time >= PATIENCE}
        joined = {name: time for name, time in joined.items() if name not in served}
        assert not overdue & set(joined) or len(joined) == 1
        if overdue & set(joined):
            odd = next(iter(joined))
        elif odd in served:
            odd = None


@settings(max_examples=tries(50))
@given(st.integers(1, 5), st.floats(0.5, 3.0), st.integers(0, 5))
def test_a_flood_of_perfect_newcomers_starves_nobody(pairs: int, step: float, seed: int) -> None:
    """Every tick brings equals who would love to meet each other; the two at the ends come through."""
    maker, now, number = pool(seed=seed), 0.0, 0
    maker.join("weakest", mu=0, time=0)
    maker.join("strongest", mu=4000, time=0)
    served: dict[str, float] = {}
    while len(served) < 2:
        for _ in range(2 * pairs):
            maker.join(f"p{number}", mu=1500, time=now)
            number += 1
        tick = maker.tick(time=now)
        maker.start(tick)
        for match in tick.matches:
            served |= {name: now for name in match.players if name in ("weakest", "strongest")}
        now += step
        assert now < PATIENCE + 2 * step
    assert all(time < PATIENCE + step for time in served.values())


@settings(max_examples=tries(100))
@given(
    st.integers(2, 9),
    st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda p: p[0] < p[1])),
    st.lists(st.floats(0, 20), min_size=9, max_size=9),
    st.integers(0, 5),
)
def test_whoever_is_left_overdue_may_meet_nobody_left(
    players: int, forbidden: set[tuple[int, int]], times: list[float], seed: int
) -> None:
    """With forbidden meetings: all that an overdue ticket may meet is taken, by older overdue ones."""
    maker = pool(BlockList(), seed=seed)
    for a, b in sorted(forbidden):
        maker.block(str(a), str(b))
    times = sorted(times[:players])
    for number, time in enumerate(times):
        maker.join(number, mu=100.0 * number, time=time)  # type: ignore[arg-type]
    now = 20.0
    tick = maker.tick(time=now)
    paired = {int(match.sides[i][0]): int(match.sides[1 - i][0]) for match in tick.matches for i in (0, 1)}
    for ticket in range(players):
        if ticket in paired or now - times[ticket] < PATIENCE:
            continue
        for other in range(players):
            if other == ticket or (min(ticket, other), max(ticket, other)) in forbidden:
                continue
            assert other in paired
            older = {other, paired[other]} & set(range(ticket))
            assert any(now - times[one] >= PATIENCE for one in older)


def test_who_was_alone_is_asked_about_newcomers_only_and_misses_nobody() -> None:
    """Hundreds wait for a partner of their kind, so that everybody is looked at in turn, not all pairs."""
    maker = pool(SameAttribute("map"))
    many = [f"p{i}" for i in range(301)]
    maker.join_many(many, time=0, mu=np.linspace(0, 3000, 301), attributes={"map": many})
    for now in (11.0, 12.0):
        assert not maker.tick(time=now).matches
    maker.join("late", mu=3000, time=13, attributes={"map": "p0"})
    (match,) = maker.tick(time=13).matches
    assert match.players == ("p0", "late")
    maker.cancel(match)
    (match,) = maker.tick(time=14).matches
    assert match.players == ("p0", "late")


def test_a_block_taken_back_counts() -> None:
    maker = pool(BlockList())
    maker.block("ann", "bob")
    maker.join_many(["ann", "bob"], mu=[1500, 1500], time=0)
    assert not maker.tick(time=20).matches
    maker.unblock("ann", "bob")
    assert len(maker.tick(time=21).matches) == 1


@pytest.mark.parametrize("waiting", [3_000])
def test_many_overdue_at_once_are_all_served(waiting: int) -> None:
    """Nothing is acceptable until everybody's patience is over at once; nobody is left but the odd one."""
    maker = pool(NoRematch(1), tolerance=0.0)
    chance = np.random.default_rng(5)
    maker.join_many([f"p{i}" for i in range(waiting + 1)], mu=chance.normal(1500, 300, waiting + 1), time=0)
    assert not maker.tick(time=1).matches
    tick = maker.tick(time=PATIENCE)
    assert (len(tick.matches), tick.waiting) == (waiting // 2, 1)
    assert tick.matches.cost.mean() < 0.02


def test_the_oldest_is_served_first_whoever_joined_first() -> None:
    """Both are overdue and would take the newcomer; times need not come in the order of joining."""
    maker = pool(tolerance=0.0)
    maker.join_many(["younger", "older"], time=[5, 0], mu=[1500, 2000])
    maker.join("newcomer", time=15, mu=1900)
    (match,) = maker.tick(time=16).matches
    assert match.players == ("older", "newcomer")
