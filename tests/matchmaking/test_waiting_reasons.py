"""What a pool says about a ticket that waits, judged by the rules written down again and by later ticks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from conftest import tries
from podium import Matchmaker, Policy, Term
from podium.matchmaking.policies.meetings import Meetings, Tickets
from podium.matchmaking.policies.terms import BlockList, WaitingTime, WinProbabilityGap
from podium.matchmaking.pool.counters import Histogram, PoolCounters
from podium.matchmaking.pool.waiting_reasons import WaitingReasons
from podium.named import temporary_registrations

TOLERANCE = 0.05
STEP = 0.5
"""Seconds between the moments at which the judge looks."""
JUST_BEFORE = 1e-4


@pytest.fixture(scope="module", autouse=True)
def own_terms() -> Iterator[None]:
    """Terms that let some tickets accept more sooner, cost less after a wait, or forbid until then."""
    with temporary_registrations():

        class Speeds(Term):
            name = "speeds"

            def allowance(self, tickets: Tickets) -> Any:
                return tickets["speed"] * tickets.waited / 60.0

        class Regrets(Term):
            name = "regrets"

            def cost(self, meetings: Meetings) -> Any:
                late = np.minimum(meetings.first.waited, meetings.second.waited)
                return meetings.first["regret"] * meetings.second["regret"] * np.maximum(0.0, 1 - late / 100)

        class Shyness(Term):
            name = "shyness"

            def forbids(self, meetings: Meetings) -> Any:
                first, second = meetings.first, meetings.second
                return (first.waited < first["shy"]) | (second.waited < second["shy"])

        yield


@dataclass(frozen=True)
class Somebody:
    """A ticket, as the judge knows it."""

    name: str
    mu: int
    time: float
    speed: float
    regret: float
    shy: float


@dataclass(frozen=True)
class Rules:
    """A pool's options, and what follows of them for two tickets: written from the documentation alone."""

    per_minute: float
    patience: float
    timeout: float
    terms: tuple[str, ...]
    blocks: frozenset[frozenset[str]]

    def is_there(self, one: Somebody, at: float) -> bool:
        return at - one.time < self.timeout

    def is_forbidden(self, a: Somebody, b: Somebody, at: float) -> bool:
        shy = "shyness" in self.terms and any(at - one.time < one.shy for one in (a, b))
        return shy or {a.name, b.name} in self.blocks

    def cost(self, a: Somebody, b: Somebody, at: float) -> float:
        gap = abs(1.0 / (1.0 + 10.0 ** ((b.mu - a.mu) / 400.0)) - 0.5)
        regret = a.regret * b.regret * max(0.0, 1 - min(at - a.time, at - b.time) / 100)
        return gap + (regret if "regrets" in self.terms else 0.0)

    def accepts(self, one: Somebody, at: float) -> float:
        waited = at - one.time
        speed = self.per_minute + (one.speed if "speeds" in self.terms else 0.0)
        return math.inf if waited >= self.patience else TOLERANCE + speed * waited / 60.0

    def is_acceptable(self, a: Somebody, b: Somebody, at: float) -> bool:
        if not (self.is_there(a, at) and self.is_there(b, at)) or self.is_forbidden(a, b, at):
            return False
        return self.cost(a, b, at) <= max(self.accepts(a, at), self.accepts(b, at))

    def first_acceptable(self, a: Somebody, b: Somebody, now: float) -> float | None:
        """The first of the moments the judge looks at, in seconds from now."""
        end = min(now + 700.0, min(a.time, b.time) + self.timeout - JUST_BEFORE)
        moments = [*np.arange(now, end, STEP).tolist(), end]
        return next((at - now for at in moments if at >= now and self.is_acceptable(a, b, at)), None)


def pool_of(rules: Rules, everybody: list[Somebody]) -> Matchmaker:
    own = [Term.known.find(name)() for name in rules.terms]
    policy = Policy(
        (WinProbabilityGap(), WaitingTime(rules.per_minute, rules.patience), BlockList(), *own), TOLERANCE
    )
    timeout = None if math.isinf(rules.timeout) else rules.timeout
    maker = Matchmaker(podium.Elo(), policy=policy, timeout=timeout)
    for one in sorted(everybody, key=lambda one: one.time):
        said = {"speed": one.speed, "regret": one.regret, "shy": one.shy}
        maker.join(one.name, mu=one.mu, time=one.time, attributes=said)
    for first, second in map(sorted, rules.blocks):
        maker.block(first, second)
    return maker


def is_matched(maker: Matchmaker, name: str, at: float, *, alone_with: tuple[str, ...] | None = None) -> bool:
    """Whether a tick at a time matches a ticket, if only some others stay; the pool itself stays as it is."""
    copy = Matchmaker.from_bytes(maker.to_bytes())
    for other in copy.waiting().to_frame()["player"]:
        if alone_with is not None and other not in (name, *alone_with):
            copy.leave(other)
    return any(name in match.players for match in copy.tick(at).matches)


somebody = st.tuples(
    st.integers(0, 40).map(lambda steps: 1300 + 20 * steps),
    st.integers(0, 100).map(float),
    st.sampled_from([0.0, 0.1, 0.5]),
    st.sampled_from([0.0, 0.3, 0.6]),
    st.sampled_from([0.0, 0.0, 33.0, 80.0]),
)


@settings(max_examples=tries(60))
@given(
    tickets=st.lists(somebody, min_size=1, max_size=6),
    per_minute=st.sampled_from([0.0, 0.1]),
    patience=st.sampled_from([35.0, 90.0, 300.0, 1e7]),
    timeout=st.sampled_from([40.0, 90.0, 200.0, math.inf]),
    terms=st.sets(st.sampled_from(["speeds", "regrets", "shyness"])),
    blocked=st.sets(st.sampled_from([("a", "b"), ("a", "c"), ("b", "c")])),
    later=st.sampled_from([0.0, 0.0, 11.0, 45.0, 150.0]),
)
def test_what_it_says_is_so(
    tickets: list[Any],
    per_minute: float,
    patience: float,
    timeout: float,
    terms: set[str],
    blocked: set[tuple[str, str]],
    later: float,
) -> None:
    everybody = [Somebody(name, *said) for name, said in zip("abcdef", tickets, strict=False)]
    blocks = frozenset(frozenset(pair) for pair in blocked)
    rules = Rules(per_minute, patience, timeout, tuple(sorted(terms)), blocks)
    maker = pool_of(rules, everybody)
    now = max(one.time for one in everybody) + later
    asked = everybody[0]
    why = maker.why(asked.name, time=now)
    check_numbers(why, rules, asked, everybody[1:], now)
    check_nearest(why, rules, asked, everybody[1:], now)
    check_ticks(why, maker, asked, now)


def check_numbers(
    why: WaitingReasons, rules: Rules, asked: Somebody, rest: list[Somebody], at: float
) -> None:
    there = [one for one in rest if rules.is_there(one, at)]
    allowed = [one for one in there if not rules.is_forbidden(asked, one, at)]
    assert (why.others, why.allowed, why.available) == (len(there), len(allowed), len(allowed))
    assert why.forbidden.get("block-list", 0) == sum({asked.name, one.name} in rules.blocks for one in there)
    assert why.acceptable == sum(rules.is_acceptable(asked, one, at) for one in there)
    waited = at - asked.time
    assert why.times_out_in == (None if math.isinf(rules.timeout) else max(0.0, rules.timeout - waited))
    is_served = rules.patience < rules.timeout
    assert why.overdue_in == (max(0.0, rules.patience - waited) if is_served else None)
    assert ("has timed out" in str(why)) == (not rules.is_there(asked, at))


def check_nearest(
    why: WaitingReasons, rules: Rules, asked: Somebody, rest: list[Somebody], at: float
) -> None:
    firsts = {one.name: rules.first_acceptable(asked, one, at) for one in rest}
    first = min((seconds for seconds in firsts.values() if seconds is not None), default=None)
    if first is None:
        assert why.acceptable_in is None or why.acceptable_in > 700.0 - STEP
        assert "Nearest is" not in str(why) or "accepted" in str(why)
        return
    assert why.acceptable_in is not None
    assert first - STEP - JUST_BEFORE <= why.acceptable_in <= first + JUST_BEFORE
    (nearest,) = (one for one in rest if (one.name,) == why.nearest)
    its_first = firsts[nearest.name]
    assert its_first is not None
    assert its_first <= first + STEP
    assert why.nearest_cost == pytest.approx(rules.cost(asked, nearest, at + why.acceptable_in), abs=1e-6)


def check_ticks(why: WaitingReasons, maker: Matchmaker, asked: Somebody, now: float) -> None:
    """A tick matches the pair when the pool said so, and the ticket with nobody before."""
    soon = why.acceptable_in
    if soon is not None:
        after = 0.0 if soon == 0.0 else JUST_BEFORE / 2.0
        assert is_matched(maker, asked.name, now + soon + after, alone_with=why.nearest)
    moments = [60.0, 500.0] if soon is None else [0.999 * soon]
    if soon is None and why.times_out_in:
        moments.append(why.times_out_in - JUST_BEFORE)
    if soon != 0.0:
        assert not any(is_matched(maker, asked.name, now + seconds) for seconds in moments)


def joined(timeout: float | None, patience: float, **people: tuple[float, float]) -> Matchmaker:
    """A pool of people, each with a rating and the time of joining, whose tolerance grows by 0.1 a minute."""
    policy = Policy((WinProbabilityGap(), WaitingTime(0.1, patience)))
    maker = Matchmaker(podium.Elo(), policy=policy, timeout=timeout)
    for name, (mu, time) in people.items():
        maker.join(name, mu=mu, time=time)
    return maker


def test_a_ticket_that_has_timed_out_is_no_candidate() -> None:
    maker = joined(90.0, 60.0, old=(1500, 0), far=(2000, 80))
    assert maker.why("far").acceptable == 1, "old is overdue"
    why = maker.why("far", time=130)
    assert (why.others, why.acceptable, why.nearest, why.times_out_in) == (0, 0, (), 40.0)
    maker.join("new", mu=2200, time=130)
    assert maker.why("far").nearest == ("new",), "the clock moved on by a join"
    old = maker.why("old")
    assert (old.times_out_in, old.acceptable, old.acceptable_in, old.nearest) == (0.0, 0, None, ())
    assert str(old) == (
        "old has waited for 130 s, and 2 other tickets too.\n"
        "The ticket has timed out: the next tick removes it."
    )
    assert maker.tick(130).expired == [("old",)]


def test_a_proposed_ticket_times_out_only_if_it_waits_again() -> None:
    maker = joined(90.0, 60.0, ann=(1500, 0), bob=(1500, 0))
    tick = maker.tick(1)
    assert maker.tick(100).expired == []
    assert "if the match is cancelled, the next tick removes it" in str(maker.why("ann"))
    maker.cancel(tick.matches[0])
    assert len(maker.tick(100).expired) == 2


def test_another_is_accepted_though_the_nearest_times_out() -> None:
    """`old` lacks 0.02 and accepts 0.017 more until it leaves; what `far` costs, `ann` accepts later."""
    maker = joined(200.0, 1000.0, old=(1970, 0), ann=(1500, 190), far=(1800, 190))
    why = maker.why("ann")
    cost = 1 / (1 + 10 ** (-300 / 400)) - 0.5
    assert (why.nearest, why.nearest_cost) == (("far",), pytest.approx(cost))
    assert why.acceptable_in == pytest.approx((cost - 0.1) * 600)
    assert [is_matched(maker, "ann", 190 + 600 * (cost - 0.1) + more) for more in (-0.01, 0.01)] == [
        False,
        True,
    ]


def test_nothing_is_promised_beyond_a_timeout() -> None:
    maker = joined(90.0, 120.0, ann=(1500, 0), bob=(2100, 30))
    why = maker.why("ann")
    assert (why.acceptable_in, why.overdue_in, why.times_out_in) == (None, None, 60.0)
    assert "one of the two times out before this is accepted" in str(why)
    assert maker.tick(89).matches[:] == []
    assert maker.tick(90).expired == [("ann",)]


def test_a_slow_tolerance_is_no_never() -> None:
    """A cost of 0.14 at a millionth a minute: 40,000 minutes and 76 days, with a patience of decades."""
    policy = Policy((WinProbabilityGap(), WaitingTime(1e-6, 1e9)))
    maker = Matchmaker(podium.Elo(), policy=policy)
    maker.join_many(["ann", "bob"], mu=[1500, 1600], time=0)
    why = maker.why("ann")
    assert why.acceptable_in == pytest.approx((why.nearest_cost - 0.1) * 6e7)
    assert why.acceptable_in > 1e6
    assert len(maker.tick(why.acceptable_in + 1.0).matches) == 1


def test_a_pool_that_was_told_no_time_names_none() -> None:
    maker = Matchmaker(podium.Elo())
    maker.join_many(["ann", "bob"], mu=[1500, 1600])
    why = maker.why("ann")
    assert (why.time, why.acceptable_at) == (-math.inf, None)
    assert why.acceptable_in == pytest.approx(24.04, abs=0.01)
    assert podium.document(why)["seconds"] is None
    assert maker.why("ann", time=1000).acceptable_at == pytest.approx(1024.04, abs=0.01)


def test_teams_count_only_tickets_that_have_not_timed_out() -> None:
    maker = Matchmaker(podium.Elo(), "2v2: tank, healer", timeout=60)
    maker.join("old", mu=1500, time=0, roles="healer")
    maker.join_many(["ann", "bob"], mu=1500, time=50, roles=["tank", "healer"])
    assert maker.why("ann").lacking == {"tank": 1}
    why = maker.why("ann", time=60)
    assert (why.others, why.available, why.lacking) == (1, 1, {"tank": 1, "healer": 1})


# ------------------------------------------------------------------ how long others waited

BOUNDS = (10.0, 300.0, 600.0)


@settings(max_examples=tries(200))
@given(
    waits=st.lists(st.integers(0, 700).map(float), max_size=12),
    cut=st.integers(0, 12),
    value=st.integers(0, 720).map(float),
)
def test_how_much_longer_others_waited(waits: list[float], cut: int, value: float) -> None:
    counted = Histogram.empty(BOUNDS).add(np.array(waits[:cut])).add(np.array(waits[cut:]))
    longer = [wait - value for wait in waits if wait >= value]
    found = counted.mean_excess(value)
    if not longer:
        assert found is None
        return
    assert found is not None
    assert 0.0 <= found <= max(longer) + 1e-9
    assert (found == 0.0) == (max(longer) == 0.0)
    bucket = np.searchsorted(BOUNDS, waits).tolist()
    inside = [wait for wait, at in zip(waits, bucket, strict=True) if at == np.searchsorted(BOUNDS, value)]
    if len(inside) <= 2 or min(inside) >= value or max(inside) < value:
        assert found == pytest.approx(np.mean(longer)), "nothing is estimated"


def test_a_wide_bucket_is_not_one_number() -> None:
    """Waits of 310 and 590 s are counted together, between 300 and 600."""
    counters = PoolCounters().started(2, np.array([310.0, 310.0, 590.0, 590.0]))
    assert [counters.waits.mean_excess(value) for value in (100.0, 310.0, 590.0)] == [350.0, 140.0, 0.0]
    assert counters.waits.mean_excess(500.0) == pytest.approx(90.0, abs=20.0)
    assert counters.waits.mean_excess(591.0) is None


def test_a_wait_may_be_as_long_as_a_clock_can_show() -> None:
    """A pool that has counted it can be saved and read."""
    maker = joined(None, 1.0, ann=(1500, 0), bob=(1500, 0))
    maker.start(maker.tick(1.7e308))
    waits = Matchmaker.from_bytes(maker.to_bytes()).counters().waits
    assert (waits.count, math.isfinite(waits.total)) == (2, True)


def test_counters_saved_without_ranges() -> None:
    """The range of what was counted before stays unknown, and its numbers are taken to be near their mean."""
    counters = PoolCounters().started(1, np.array([308.0, 312.0, 4000.0]))
    old = {
        key: one for key, one in counters.numbers().items() if "least" not in key and "greatest" not in key
    }
    waits = PoolCounters.from_numbers(old).waits
    assert waits.mean_excess(300.0) == counters.waits.mean_excess(300.0)
    assert (waits.mean_excess(400.0), waits.mean_excess(4500.0)) == (3600.0, None)
    assert (waits.quantile(1.0), counters.waits.quantile(1.0)) == (4000.0, 4000.0)
    more = waits.add(np.array([313.0]))
    assert more.ranges == waits.ranges
    for wrong in ({"waits:least:3": 2.0}, {"waits:least:3": 6.0, "waits:greatest:3": 5.5}):
        with pytest.raises(podium.InputError, match="counter waits"):
            PoolCounters.from_numbers({"waits:count:3": 1, "waits:sum:3": 6.0, **wrong})


def test_parties_that_do_not_fit_together_are_named() -> None:
    maker = podium.Matchmaker(podium.Elo(), mode="4v4")
    for party in (["a1", "a2", "a3"], ["b1", "b2", "b3"], ["c1", "c2"]):
        maker.join(party, mu=[1500] * len(party), time=0)
    assert len(maker.tick(time=10_000).matches) == 0
    why = maker.why("a1")
    assert not why.parties_fit
    assert "do not fit together into the sides" in str(why)
    maker.join("d", mu=1500, time=10_000)
    maker.join("e", mu=1500, time=10_000)
    assert maker.why("a1").parties_fit
    assert len(maker.tick(time=20_000).matches) == 1
