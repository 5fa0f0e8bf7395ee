"""What a pool counts, and what it says about somebody who waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from conftest import tries
from podium.errors import InputError, UnknownPlayerError
from podium.matchmaking.policies.terms import (
    BlockList,
    NoRematch,
    RatingGap,
    SameAttribute,
    WaitingTime,
    WinProbabilityGap,
)
from podium.matchmaking.pool.counters import Histogram, PoolCounters

TERMS = (WinProbabilityGap(), WaitingTime(per_minute=0.1, patience=120), NoRematch(1), BlockList())


def test_a_pool_counts_what_happens() -> None:
    maker = podium.Matchmaker(podium.Elo(), policy=podium.Policy(TERMS), timeout=300)
    maker.join_many(["ann", "bob", "cat", "dan"], mu=[1500, 1500, 1700, 1700], time=0)
    maker.join("eve", mu=2400, time=0)
    maker.block("ann", "cat")
    first = maker.tick(8)
    maker.cancel(first.matches[1], by="dan")
    maker.start(first)
    maker.finish(first.matches[0], side=0)
    maker.leave("cat")
    assert maker.tick(301).expired == [("eve",)]
    counters = maker.counters()
    plain = {name: value for name, value in counters.numbers().items() if ":" not in name}
    assert plain == {
        "tickets_joined": 5,
        "tickets_left": 2,  # dan, who cancelled, and cat
        "tickets_expired": 1,
        "tickets_matched": 2,
        "matches_proposed": 2,
        "matches_started": 1,
        "matches_cancelled": 1,
        "matches_finished": 1,
    }
    assert (counters.waits.count, counters.waits.total, counters.waits.quantile(0.5)) == (2, 16.0, 10.0)
    assert (counters.costs.count, counters.gaps.total) == (2, 0.0)
    assert counters.ticks.count == 2
    assert counters.refusals == {"no-rematch": 0, "block-list": 1}
    with pytest.raises(InputError):
        maker.join("finn", mu=float("nan"))
    assert maker.counters() is counters, "what is refused changes nothing"


def test_requests_of_running_matches_are_no_tickets() -> None:
    maker = podium.Matchmaker(podium.Elo(), "2v2")
    maker.backfill([["ann"], ["bob", "cat"]], mu=1500, time=0)
    maker.backfill([["dan"], []], mu=1500, time=0)
    maker.leave("dan")
    maker.join("eve", mu=1500, time=0)
    maker.start(maker.tick(4))
    counters = maker.counters()
    assert (counters.tickets_joined, counters.tickets_left, counters.tickets_matched) == (1, 0, 1)
    assert counters.waits.total == 4.0


@settings(max_examples=tries(50))
@given(values=st.lists(st.floats(0, 1e5), max_size=30), cut=st.integers(0, 30))
def test_a_histogram_is_the_same_in_pieces(values: list[float], cut: int) -> None:
    bounds = (1.0, 10.0, 1000.0)
    whole = Histogram.empty(bounds).add(np.array(values))
    pieces = Histogram.empty(bounds).add(np.array(values[:cut])).add(np.array(values[cut:]))
    assert pieces.counts == whole.counts
    assert pieces.total == pytest.approx(whole.total)
    assert whole.counts == tuple(
        sum(low < value <= high for value in values) + sum(value == 0 for value in values) * (low == 0)
        for low, high in ((0, 1), (1, 10), (10, 1000), (1000, float("inf")))
    )
    for share in (0.1, 0.5, 0.9):
        if (found := whole.quantile(share)) is not None:
            assert sum(value <= found for value in values) >= share * len(values)


def test_counters_are_numbers_and_back() -> None:
    counters = PoolCounters(tickets_joined=3, refusals={"no-rematch": 2}).started(1, np.array([3.0, 5000.0]))
    numbers = counters.numbers()
    assert PoolCounters.from_numbers(numbers) == counters
    assert PoolCounters.from_numbers({}) == PoolCounters()
    for wrong in (
        {"tickets": 1},
        {"tickets_joined": -1},
        {"waits:count:0": 0.5},
        {"waits:sum:0": float("nan")},
    ):
        with pytest.raises(InputError, match="counter"):
            PoolCounters.from_numbers(wrong)


def test_why_somebody_waits() -> None:
    """Elo gives 100 points 64.006%, so bob costs 0.14006: a minute adds 0.1, and it takes 24.04 s."""
    policy = podium.Policy((*TERMS, SameAttribute("platform"), RatingGap(500)))
    maker = podium.Matchmaker(podium.Elo(), policy=policy)
    maker.join_many(
        ["ann", "bob", "cat", "dan", "eve", "finn"],
        mu=[1500, 1600, 1500, 1500, 1900, 2100],
        attributes={"platform": ["pc", "pc", "tv", "pc", "pc", "tv"]},
        time=0,
    )
    maker.block("ann", "dan")
    why = maker.why("ann")
    assert (why.others, why.allowed, why.acceptable) == (5, 2, 0)
    assert why.forbidden == {
        "no-rematch": 0,
        "block-list": 1,
        "same-attribute platform": 2,
        "rating-gap": 1,
    }
    assert (why.nearest, why.accepts, why.overdue_in) == (("bob",), 0.1, 120.0)
    assert why.nearest_cost == pytest.approx(1 / (1 + 10 ** (-100 / 400)) - 0.5)
    assert why.acceptable_in == pytest.approx((why.nearest_cost - 0.1) * 600)
    assert why.acceptable_at == pytest.approx(24.04, abs=0.01)
    assert (why.expected_wait, why.open_places, why.available, why.match) == (None, 1, 2, None)
    assert "block-list 1, same-attribute platform 2 and rating-gap 1. 2 may meet." in str(why)
    assert "accepted in 24 s" in str(why)
    later = maker.why("ann", time=24.05)
    assert (later.acceptable, later.acceptable_in, later.waited) == (1, 0.0, 24.05)
    assert maker.clock == 0.0, "asking does not change the clock"
    assert len(maker.tick(24.0).matches) == 0
    assert [match.players for match in maker.tick(24.05).matches] == [("ann", "bob")]
    assert maker.why("bob").match == 0
    with pytest.raises(UnknownPlayerError):
        maker.why("nobody")


@settings(max_examples=tries(30))
@given(
    mu=st.lists(st.integers(1000, 2000), min_size=2, max_size=5),
    per_minute=st.sampled_from([0.0, 0.05]),
    timeout=st.sampled_from([None, 90.0]),
)
def test_the_pool_does_what_it_said(mu: list[int], per_minute: float, timeout: float | None) -> None:
    """Two who wait are matched at the time that was said, and not before."""
    policy = podium.Policy((WinProbabilityGap(), WaitingTime(per_minute, 200.0)), tolerance=0.02)
    maker = podium.Matchmaker(podium.Elo(), policy=policy, timeout=timeout)
    maker.join_many(["ann", "bob"], mu=mu[:2], time=[0, 5])
    soon = maker.why("ann").acceptable_in
    if soon is None:
        assert timeout is not None
        assert len(maker.tick(5 + 84.9).matches) == 0
    elif soon > 0.0:
        assert len(maker.tick(5 + soon * 0.999).matches) == 0
        assert len(maker.tick(5 + soon * 1.0001).matches) == 1
    else:
        assert len(maker.tick(5).matches) == 1


def test_why_with_datetimes_and_what_was_waited_so_far() -> None:
    start = datetime(2026, 5, 1, 18, 0, tzinfo=UTC)
    ladder = podium.Ladder(podium.Elo())
    for player, mu in (("ann", 1500), ("bob", 1500), ("cat", 1500), ("dan", 1600)):
        ladder.adjust(podium.SetRating(player=player, mu=mu))
    maker = podium.Matchmaker(ladder)
    maker.join_many(["ann", "bob"], time=start)
    maker.start(maker.tick(start + timedelta(seconds=40)))
    maker.join_many(["cat", "dan"], time=start + timedelta(seconds=50))
    why = maker.why("cat")
    assert why.expected_wait == 40.0
    assert isinstance(why.acceptable_at, datetime)
    assert why.acceptable_at - start == timedelta(seconds=50) + timedelta(seconds=why.acceptable_in or 0)
    assert maker.why("cat", time=start + timedelta(seconds=62)).expected_wait == pytest.approx(28.0)
    assert maker.why("cat", time=start + timedelta(seconds=170)).expected_wait is None


def test_why_in_a_mode_with_roles() -> None:
    maker = podium.Matchmaker(podium.Elo(), "2v2: tank, healer")
    maker.join_many(["ann", "bob", "cat"], roles=["tank", "tank", ["tank", "healer"]], mu=1500, time=0)
    why = maker.why("ann")
    assert (why.open_places, why.available, why.lacking) == (3, 2, {"healer": 1})
    assert "A match needs 3 more players, and 2 may meet." in str(why)
    assert "A match lacks 1 player for healer." in str(why)


def test_what_is_overdue_accepts_anybody_and_what_never_is_says_so() -> None:
    maker = podium.Matchmaker(podium.Elo(), policy=podium.Policy(TERMS))
    maker.join_many(["ann", "bob"], mu=[1500, 2500], time=0)
    assert maker.why("ann", time=0).acceptable_in == pytest.approx(120.0)
    for time in (120, 130):  # at exactly the patience, too
        overdue = maker.why("ann", time=time)
        assert (overdue.acceptable, overdue.acceptable_in, overdue.accepts) == (1, 0.0, float("inf"))
        assert overdue.overdue_in == 0.0
        assert "which is acceptable" in str(overdue)
    assert [match.players for match in maker.tick(120).matches] == [("ann", "bob")]
    never = podium.Matchmaker(podium.Elo(), policy=podium.Policy((WinProbabilityGap(),)))
    never.join_many(["ann", "bob"], mu=[1500, 2500], time=0)
    why = never.why("ann")
    assert (why.acceptable_in, why.acceptable_at, why.overdue_in) == (None, None, None)
    assert "never accepted" in str(why)
    alone = podium.Matchmaker(podium.Elo())
    alone.join("ann", mu=1500)
    assert (alone.why("ann").nearest, alone.why("ann").nearest_cost) == ((), None)


def test_why_a_running_match_waits() -> None:
    """Its open places are those of all sides, and so are the roles that it lacks."""
    maker = podium.Matchmaker(podium.Elo(), "2v2v2v2")
    maker.backfill([["a"], ["b", "c"], [], ["d"]], mu=1500, time=0)
    assert maker.why("a").open_places == 4
    maker = podium.Matchmaker(podium.Elo(), "2v2: tank, healer")
    maker.backfill([["a", "b"], ["c"]], mu=1500, time=0, roles=["tank", "healer", "healer"])
    reasons = maker.why("c")
    assert (reasons.open_places, reasons.lacking) == (1, {"tank": 1})
    assert "A match needs 1 more player, and 0 may meet." in str(reasons)


def test_why_counts_the_open_places_of_running_matches() -> None:
    """What `why` says is what the tick of the same moment does."""
    maker = podium.Matchmaker(podium.Elo(), "2v2")
    maker.backfill([["p0"], ["p1", "p2"]], mu=1500, time=0)
    maker.join("new", mu=1500, time=0)
    why = maker.why("new")
    assert (why.running, why.others, why.open_places, why.available) == (1, 0, 0, 0)
    assert str(why) == (
        "new has waited for 0 s, and 0 other tickets too.\n1 running match has open places for them."
    )
    assert [match.players for match in maker.tick(0).matches] == [("p0", "new", "p1", "p2")]
    maker.backfill([["q0"], ["q1", "q2"]], mu=1500, time=0)
    maker.join(["two", "three"], mu=1500, time=0)
    party = maker.why("two")  # for whom no side has room
    assert (party.running, party.open_places) == (0, 2)
    assert maker.why("q0").running == 0
    blocked = podium.Matchmaker(
        podium.Elo(), "2v2", policy=podium.Policy((*TERMS, SameAttribute("platform")))
    )
    blocked.backfill([["p0"], ["p1", "p2"]], mu=1500, attributes={"platform": "tv"})
    blocked.join("new", mu=1500, attributes={"platform": "pc"})
    assert (blocked.why("new").running, blocked.why("new").open_places) == (0, 3)
    assert blocked.why("new").forbidden["same-attribute platform"] == 0
    roles = podium.Matchmaker(podium.Elo(), "2v2: tank, healer")
    roles.backfill([["a", "b"], ["c"]], mu=1500, time=0, roles=["tank", "healer", "healer"])
    roles.join("new", mu=1500, roles="healer", time=0)
    assert "A match lacks 1 player for tank." in str(roles.why("new"))
    assert not roles.tick(0).matches


def test_why_names_who_is_overdue_first() -> None:
    """Somebody far away who is overdue in a second comes before somebody near who is accepted later."""
    maker = podium.Matchmaker(podium.Elo(), policy=podium.Policy(TERMS))
    maker.join("old", mu=1900, time=0)
    maker.join_many(["x", "near"], mu=[1500, 1610], time=119)
    reasons = maker.why("x")
    assert (reasons.nearest, round(reasons.acceptable_in or 0.0, 6)) == (("old",), 1.0)


def test_a_running_match_has_roles_that_its_sides_have() -> None:
    maker = podium.Matchmaker(podium.Elo(), "1v4: killer / 4 survivor")
    with pytest.raises(InputError, match=r"side 1 of .* has no places for"):
        maker.backfill([["ann"], ["b", "c"]], mu=1500, time=0, roles=["survivor"] * 3)
    assert len(maker) == 0
    maker.backfill([["ann"], ["b", "c"]], mu=1500, time=0, roles=["killer", "survivor", None])
    assert len(maker) == 3
