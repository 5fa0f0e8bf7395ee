"""Limits that widen with waiting time, rematches that cost, parties and what their players say apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import podium.matchmaking
from podium import Elo, Glicko, InputError, Matchmaker, ParameterError, Policy
from podium.matchmaking import (
    BlockList,
    Latency,
    Mode,
    Needs,
    NoRematch,
    PremadeGap,
    RatingGap,
    SameAttribute,
    WaitingTime,
    WinProbabilityGap,
)

STEPS = RatingGap(100, widen_after=(30, 60), widen_to=(300, 800))


def matches_at(maker: Matchmaker, *times: float) -> list[int]:
    return [len(maker.tick(time).matches) for time in times]


@pytest.mark.parametrize("others", [0, 400])
def test_a_rating_gap_widens_in_steps(others: int) -> None:
    """Also among many, where the search goes by ranges and not by pairs."""
    maker = Matchmaker(Elo(), policy=Policy((STEPS,), tolerance=9))
    maker.join("ann", mu=1500.0, time=0)
    maker.join("bob", mu=1700.0, time=10)
    maker.join_many([f"p{i}" for i in range(others)], mu=5000.0 + 2000 * np.arange(others))
    assert matches_at(maker, 29, 39) == [0, 0]  # ann's limit has widened, and bob's has not
    assert [set(match.players) for match in maker.tick(40).matches] == [{"ann", "bob"}]


def test_overdue_tickets_find_whom_a_wider_limit_allows() -> None:
    """Who was tried in vain is tried again when limits have widened."""
    maker = Matchmaker(Elo(), policy=Policy((STEPS, WaitingTime(patience=5)), tolerance=9))
    maker.join_many(["ann", "bob"], mu=[1500.0, 2200.0], time=0)
    assert matches_at(maker, 10, 20, 40, 59, 60) == [0, 0, 0, 0, 1]
    assert not RatingGap(100).widen_after


def test_why_foresees_wider_limits() -> None:
    maker = Matchmaker(Elo(), policy=Policy((STEPS,), tolerance=9))
    maker.join_many(["ann", "bob"], mu=[1500.0, 1700.0], time=0)
    assert maker.why("ann", 1).acceptable_in == pytest.approx(29)


@pytest.mark.parametrize("mode", ["1v1", "ffa:3"])
def test_a_latency_widens_in_steps(mode: str) -> None:
    policy = Policy((Latency(50, widen_after=(30,), widen_to=(150,)),), tolerance=9)
    maker = Matchmaker(Elo(), mode, policy)
    for name in "abc"[: Mode.parse(mode).players]:
        maker.join(name, mu=1500.0, latency={"eu": 40 if name == "a" else 120, "us": 140}, time=0)
    assert matches_at(maker, 29) == [0]
    (match,) = maker.tick(30).matches
    assert match.region == "eu"
    with pytest.raises(InputError, match="no region is within 150 ms"):
        maker.join("z", mu=1500.0, latency={"eu": 151})


def test_a_match_is_played_where_each_of_its_tickets_allows_it() -> None:
    policy = Policy((Latency(50, widen_after=(30,), widen_to=(150,)),), tolerance=9)
    maker = Matchmaker(Elo(), policy=policy)
    maker.join("old", mu=1500.0, latency={"x": 140, "y": 100}, time=0)
    maker.join("new", mu=1500.0, latency={"x": 40, "y": 100}, time=40)
    assert maker.tick(40).matches[0].region == "x"  # in y, the newer one has 100 ms


def test_steps_are_checked() -> None:
    with pytest.raises(ParameterError, match="rating-gap: widen_after has 1 times, and widen_to 2 limits"):
        RatingGap(100, widen_after=(3,), widen_to=(200, 300))
    with pytest.raises(ParameterError, match="widen_to must grow"):
        Latency(100, widen_after=(3,), widen_to=(90,))
    with pytest.raises(ParameterError, match="widen_after must grow"):
        RatingGap(100, widen_after=(30, 30), widen_to=(200, 300))
    policy = Policy((STEPS, Latency(50, widen_after=(30,), widen_to=(150,)), NoRematch(2, 0.3)), party=0.5)
    assert Policy.from_toml(policy.to_toml()) == policy
    assert Matchmaker.from_bytes(Matchmaker(Elo(), policy=policy).to_bytes()).policy == policy


def test_two_alone_meet_again_when_a_rematch_only_costs() -> None:
    soft = NoRematch(3, weight=0.3)
    maker = Matchmaker(
        Elo(), policy=Policy((WinProbabilityGap(), WaitingTime(0.3, 300), soft), tolerance=0.1)
    )
    for again in range(2):
        maker.join_many(["ann", "bob"], mu=1500.0, time=1000.0 * again)
        if again:
            assert matches_at(maker, 1000, 1039) == [0, 0]
        match = maker.tick(1000.0 * again + 41).matches[0]
        assert match.cost == pytest.approx(0.3 * again)
        maker.start(match)
        maker.finish(match, draw=True)
    maker.join_many(["ann", "bob", "cat"], mu=1500.0, time=2000)
    assert "cat" in maker.tick(2000).matches[0].players  # a stranger is cheaper


@pytest.mark.parametrize(
    ("party", "rating"), [("mean", 1500.0), ("strongest", 1700.0), (0.5, 1600.0), (1, 1700.0)]
)
def test_the_rating_of_a_party(party: Any, rating: float) -> None:
    policy = Policy((RatingGap(150),), tolerance=9, party=party)
    maker = Matchmaker(Glicko(), "2v2", policy)
    maker.join(["ann", "bob"], mu=[1300.0, 1700.0], sigma=[100.0, 50.0], time=0)
    for away, met in ((151, 0), (150, 1)):
        pair = [f"x{away}", f"y{away}"]
        maker.join(pair, mu=[rating + away] * 2, sigma=[80.0] * 2)
        assert len(maker.tick(1).matches) == met
        if not met:
            maker.leave(pair[0])
    with pytest.raises(ParameterError, match="the rating of a party is 'best'"):
        Policy(party="best")  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["3v3", "3v3v3", "3v3: 2 tank, healer"])
def test_friends_meet_friends(mode: str) -> None:
    """Two trios and singles as strong: with the term, trios play each other or wait, and never strangers."""
    chance = np.random.default_rng(4)
    uneven = {}
    for weight in (0.0, 0.2):
        maker = Matchmaker(
            Elo(), mode, Policy((WinProbabilityGap(), WaitingTime(), PremadeGap(weight)), 0.15)
        )
        for i in range(12):
            maker.join([f"f{i}{j}" for j in range(3)], mu=chance.normal(1500, 100, 3), time=0)
        singles = [f"s{i}" for i in range(54)]
        maker.join_many(singles, mu=chance.normal(1500, 100, 54), time=0)
        found = maker.tick(1).matches
        assert len(found) > 3
        kinds = [{side[0][0] if len({n[:-1] for n in side}) == 1 else "s" for side in m.sides} for m in found]
        uneven[weight] = sum(len(kind) > 1 for kind in kinds)
    assert uneven[0.2] == 0 < uneven[0.0]


def test_players_of_a_party_say_each_for_themselves() -> None:
    policy = Policy((Latency(100), Needs(), WinProbabilityGap()), tolerance=1)
    maker = Matchmaker(Elo(), "2v2", policy)
    ticket = maker.join(
        ["ann", "bob"],
        mu=[1500.0, 1500.0],
        latency=[{"eu": 20, "us": 90}, {"eu": 60}],
        attributes=[{"input": "pad", "lang": "en"}, {"input": "touch", "lang": "en"}],
        needs=[
            {"input": ["pad", "touch"], "mu": (1400, 1600)},
            {"input": ["pad", "mouse"], "mu": (1450, None)},
        ],
    )
    assert ticket.latency == {"eu": 60.0}
    assert ticket.attributes == {"lang": "en"}
    assert ticket.needs == {"input": ("pad",), "mu": (1450.0, 1600.0)}
    one = maker.join("cat", mu=1500.0, latency=[{"eu": 5}], attributes={"input": "pad"})
    assert (one.latency, one.attributes) == ({"eu": 5.0}, {"input": "pad"})


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"attributes": ["pc", "pc"]}, "attributes are"),
        ({"latency": [20, 30]}, "latency are"),
        ({"needs": "pad"}, "needs are"),
        ({"latency": [{"eu": 20}]}, "latency are given for 1 players, and the party has 2"),
        ({"needs": [{"input": "pad"}, {"input": "touch"}]}, "have no need of 'input' in common"),
        ({"needs": [{"mu": (1, 2)}, {"mu": (3, 4)}]}, "have no need of 'mu' in common"),
        ({"latency": [{"eu": 20}, {"eu": "near"}]}, "the latency of 'eu'"),
    ],
)
def test_what_a_party_cannot_say(given: dict[str, Any], reason: str) -> None:
    maker = Matchmaker(Elo(), "2v2", Policy((Latency(100), Needs())))
    given = {"latency": {"eu": 20}} | given
    with pytest.raises(InputError, match=reason):
        maker.join(["ann", "bob"], mu=[1500.0, 1500.0], **given)


@pytest.mark.parametrize("text", ["3 v 3", "3 vs 3", " 3V3 "])
def test_modes_as_people_write_them(text: str) -> None:
    assert Mode.parse(text) == Mode((3, 3))
    assert Mode.parse("ffa 8") == Mode.parse("FFA:8")


def test_the_package_exports_its_names() -> None:
    for name in podium.matchmaking.__all__:
        assert getattr(podium.matchmaking, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        podium.matchmaking.Nothing  # type: ignore[attr-defined]  # noqa: B018
    assert podium.matchmaking.BlockList is BlockList
    assert podium.matchmaking.SameAttribute is SameAttribute
