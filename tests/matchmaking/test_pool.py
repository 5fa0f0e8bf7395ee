"""The pool against a plain twin that looks at every pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import tries
from naive import pool as naive
from podium import Elo, Matchmaker, Policy
from podium.matchmaking.policies.term_contract import Term
from podium.matchmaking.policies.terms import (
    BlockList,
    Latency,
    Needs,
    NoRematch,
    SameAttribute,
    WaitingTime,
    WinProbabilityGap,
)
from podium.matchmaking.pool.proposals import Tick

PLAYERS = "abcdefgh"
REGIONS = ("eu", "us", "asia")
NEEDS = st.fixed_dictionaries(
    {},
    optional={
        "input": st.sampled_from(["pad", "touch", ["pad", "mouse"]]),
        "level": st.sampled_from([(1, 3), (2, 2), 3]),
        "mu": st.sampled_from([(1300, 1500), (1500, 1900)]),
    },
)
ATTRIBUTES = st.fixed_dictionaries(
    {"map": st.sampled_from(["plain", "hills"])},
    optional={"input": st.sampled_from(["pad", "touch", "mouse"]), "level": st.integers(1, 4)},
)
LATENCY = st.builds(
    lambda delays, home, near: {**delays, home: near},
    st.dictionaries(st.sampled_from(REGIONS), st.integers(10, 150)),
    st.sampled_from(REGIONS),
    st.integers(10, 30),
)


@st.composite
def pools(draw: st.DrawFn) -> tuple[list[naive.Ticket], naive.Rules, list[str]]:
    """Tickets, rules, and which extra rules there are."""
    kinds = draw(st.lists(st.sampled_from(["needs", "latency", "same", "blocks", "rematch"]), unique=True))
    count = draw(st.integers(0, len(PLAYERS)))
    times = sorted(draw(st.lists(st.floats(0, 100), min_size=count, max_size=count)))
    ratings = st.floats(1200, 1900)
    tickets = [
        naive.Ticket(
            player,
            draw(ratings),
            time,
            number,
            attributes=draw(ATTRIBUTES) if {"needs", "same"} & set(kinds) else {},
            needs=draw(NEEDS) if "needs" in kinds else {},
            latency=draw(LATENCY) if "latency" in kinds else {},
        )
        for number, (player, time) in enumerate(zip(PLAYERS, times, strict=False))
    ]
    pairs = st.tuples(st.sampled_from(PLAYERS), st.sampled_from(PLAYERS)).filter(lambda p: p[0] != p[1])
    rules = naive.Rules(
        tolerance=draw(st.sampled_from([0.0, 0.05, 0.2, 1.0])),
        per_minute=draw(st.sampled_from([0.0, 0.1])),
        patience=draw(st.sampled_from([1000.0, 60.0, 1.0])),
        most_latency=draw(st.integers(30, 120)) if "latency" in kinds else None,
        latency_weight=draw(st.sampled_from([0.0, 0.3])),
        same=("map",) if "same" in kinds else (),
        blocks=set(draw(st.lists(pairs, max_size=6))) if "blocks" in kinds else set(),
        rematch_games=draw(st.integers(1, 3)) if "rematch" in kinds else 0,
        gap_weight=draw(st.sampled_from([1.0, 0.5])),
    )
    return tickets, rules, kinds


def policy_of(rules: naive.Rules, kinds: list[str]) -> Policy:
    extra: dict[str, Term] = {
        "needs": Needs(),
        "latency": Latency(rules.most_latency or 1.0, rules.latency_weight),
        "same": SameAttribute("map"),
        "blocks": BlockList(),
        "rematch": NoRematch(max(1, rules.rematch_games)),
    }
    terms = (WinProbabilityGap(rules.gap_weight), WaitingTime(rules.per_minute, rules.patience))
    return Policy(terms=(*terms, *(extra[kind] for kind in kinds)), tolerance=rules.tolerance)


def join_all(maker: Matchmaker, tickets: list[naive.Ticket]) -> None:
    for t in tickets:
        more: dict[str, Any] = {"attributes": t.attributes} if t.attributes else {}
        more |= {"needs": t.needs} if t.needs else {}
        more |= {"latency": t.latency} if t.latency else {}
        maker.join(t.player, mu=t.mu, time=t.time, **more)


def play(maker: Matchmaker, games: list[tuple[str, str]], kinds: list[str]) -> dict[str, list[str]]:
    """Let pairs play who may, before anybody else comes; whom each met."""
    met: dict[str, list[str]] = {}
    more: dict[str, Any] = {"latency": {"eu": 10}} if "latency" in kinds else {}
    more |= {"attributes": {"map": "plain"}} if "same" in kinds else {}
    for a, b in games:
        for player in (a, b):
            maker.join(player, mu=1500, time=0, **more)
        if matches := maker.tick(time=0).matches:
            maker.start(matches[0])
            maker.finish(matches[0], draw=True)
            met.setdefault(a, []).append(b)
            met.setdefault(b, []).append(a)
        else:
            maker.leave(a)
            maker.leave(b)
    return met


GAMES = st.lists(
    st.tuples(st.sampled_from(PLAYERS), st.sampled_from(PLAYERS)).filter(lambda p: p[0] != p[1]), max_size=8
)


@settings(max_examples=tries(100))
@given(pools(), GAMES, st.integers(0, 3), st.booleans())
def test_a_tick_is_what_the_plain_pool_says(
    pool: tuple[list[naive.Ticket], naive.Rules, list[str]],
    games: list[tuple[str, str]],
    seed: int,
    cancelled: bool,
) -> None:
    """Overdue tickets get whom they should, and of the others as many as possible, as well as possible."""
    tickets, rules, kinds = pool
    maker = Matchmaker(Elo(), policy=policy_of(rules, kinds), seed=seed)
    for pair in sorted(rules.blocks):
        maker.block(*pair)
    if "rematch" in kinds:
        rules.games = play(maker, games, kinds)
    join_all(maker, tickets)
    tick = maker.tick(time=100.0)
    if cancelled and tick.matches:
        match = tick.matches[0]
        maker.cancel(match)
        for t in tickets:
            t.front = t.player in match.players
        tickets = [t for t in tickets if t.player not in {n for m in tick.matches[1:] for n in m.players}]
        tick = maker.tick(time=100.0)
    assert 2 * len(tick.matches) + tick.waiting == len(tickets)
    judge(tickets, tick, rules, "latency" in kinds)


def judge(tickets: list[naive.Ticket], tick: Tick, rules: naive.Rules, regions: bool) -> None:
    """Matches that may be, priced as they should be, to whom they are due, and the best of the others."""
    by_name = {t.player: t for t in tickets}
    partner: dict[str, str] = {}
    for match in tick.matches:
        a, b = (by_name[name] for name in match.players)
        partner |= {a.player: b.player, b.player: a.player}
        assert not naive.is_forbidden(a, b, rules)
        assert match.cost == pytest.approx(naive.cost(a, b, rules), abs=1e-12)
        assert match.chances[0] == pytest.approx(naive.expected(a.mu, b.mu), abs=1e-12)
        assert match.waited == (100.0 - a.time, 100.0 - b.time)
        assert (match.region is not None) == regions
        if match.region is not None:
            assert max(t.latency[match.region] for t in (a, b)) == naive.best_region(a, b)[1]
    left, wrong = naive.after_serving(tickets, partner, 100.0, rules)
    assert not wrong
    count, total = naive.best_pairs(left, 100.0, rules)
    names = {t.player for t in left}
    others = [match for match in tick.matches if match.players[0] in names]
    assert len(others) == count
    assert sum(match.cost for match in others) == pytest.approx(total, abs=1e-9)
    assert tick.waiting == len(tickets) - 2 * len(tick.matches)


@pytest.mark.parametrize("seed", range(4))
def test_many_tickets_meet_whom_they_may_and_overdue_ones_are_served(seed: int) -> None:
    """Enough of them that everybody has a few candidates only; the plain pool says who may meet."""
    chance = np.random.default_rng(seed)
    kinds = ["needs", "latency", "same", "blocks"]
    rules = naive.Rules(tolerance=0.01, per_minute=0.0, patience=50.0, most_latency=40.0, same=("map",))
    inputs, maps = ("pad", "touch", "mouse"), ("plain", "hills")
    tickets = []
    for number, time in enumerate(sorted(chance.uniform(0, 100, 400).tolist())):
        needs = [{}, {}, {"input": ["pad", "touch"]}, {"mu": (1200, 1600)}, {"level": 2}][chance.integers(5)]
        said = {
            "map": maps[chance.integers(2)],
            "input": inputs[chance.integers(3)],
            "level": int(chance.integers(4)),
        }
        delays = {region: float(chance.uniform(10, 90)) for region in REGIONS}
        delays[REGIONS[chance.integers(3)]] = 40.0
        mu = float(chance.normal(1500, 300))
        tickets.append(naive.Ticket(f"p{number}", mu, time, number, said, needs, delays))
    pairs = {tuple(f"p{i}" for i in chance.integers(400, size=2)) for _ in range(800)}
    rules.blocks = {(a, b) for a, b in pairs if a != b}
    maker = Matchmaker(Elo(), policy=policy_of(rules, kinds), seed=seed)
    for a, b in sorted(rules.blocks):
        maker.block(a, b)
    join_all(maker, tickets)
    by_name = {t.player: t for t in tickets}
    left = dict(by_name)
    for now in (100.0, 101.0, 120.0):
        tick = maker.tick(time=now)
        maker.start(tick)
        for match in tick.matches:
            a, b = (left.pop(name) for name in match.players)
            assert not naive.is_forbidden(a, b, rules)
            assert match.cost == pytest.approx(naive.cost(a, b, rules), abs=1e-12)
            overdue = now - min(a.time, b.time) >= rules.patience
            assert overdue or naive.is_acceptable(a, b, now, rules)
        for t in left.values():
            if now - t.time >= rules.patience:
                assert all(naive.is_forbidden(t, other, rules) for other in left.values() if other is not t)
    assert 0 < len(left) < 200  # some may meet nobody, and most have played
