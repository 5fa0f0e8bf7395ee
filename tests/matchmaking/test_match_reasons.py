"""Why a match is proposed: shares of the cost, and the next best one, compared with trying all."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import podium
from podium import Elo, InputError, Matchmaker, Policy
from podium.matchmaking import BlockList, NoRematch, PremadeGap, RatingGap, WaitingTime, WinProbabilityGap

POLICY = Policy(
    (WinProbabilityGap(), RatingGap(weight=0.05), NoRematch(1), BlockList(), PremadeGap(0.01), WaitingTime()),
    tolerance=1,
)


@pytest.mark.parametrize("mode", ["1v1", "2v2", "ffa:3", "2v2v2", "2v2: tank, healer"])
def test_shares_sum_to_the_cost_of_the_match(mode: str) -> None:
    maker = Matchmaker(Elo(), mode, POLICY)
    chance = np.random.default_rng(1)
    maker.join_many([f"p{i}" for i in range(30)], mu=chance.normal(1500, 200, 30), time=0)
    for match in maker.tick(3).matches:
        why = maker.why(match)
        assert sum(why.shares.values()) == pytest.approx(why.cost)
        assert why.cost == pytest.approx(match.cost)
        assert why.cost <= why.accepts
        assert why.next_cost is not None
        assert why.shares["rating-gap"] > 0
        assert ("sides" in why.shares) == (maker.mode.has_teams)
        assert podium.document(why)["kind"] == "match-reasons"


def test_the_next_best_is_the_cheapest_exchange() -> None:
    maker = Matchmaker(Elo(), policy=POLICY)
    chance = np.random.default_rng(2)
    mu = dict(zip([f"p{i}" for i in range(9)], chance.normal(1500, 100, 9).tolist(), strict=True))
    maker.join_many(list(mu), mu=list(mu.values()), time=0)
    maker.block("p0", "p1")

    def cost(a: str, b: str) -> float:
        gap = abs(float(Elo().win_probability(mu[a], None, mu[b], None)) - 0.5)
        return np.inf if {a, b} == {"p0", "p1"} else gap + 0.0005 * abs(mu[a] - mu[b])

    for match in maker.tick(1).matches:
        why = maker.why(match)
        others = [set(pair) for pair in combinations(mu, 2) if len(set(pair) & set(match.players)) == 1]
        assert why.next_cost == pytest.approx(min(cost(*pair) for pair in others))
        found = set(match.players) - set(why.leaving) | set(why.joining)
        assert cost(*found) == pytest.approx(why.next_cost)
        where = [one.number for one in maker.proposed() if why.joining[0] in one.players]
        assert why.joining_match == (where[0] if where else None)


def test_two_alone_have_no_next_best_match() -> None:
    maker = Matchmaker(Elo(), policy=POLICY)
    maker.join_many(["ann", "bob"], mu=[1500, 1520], time=0)
    match = maker.tick(1).matches[0]
    assert "No other ticket" in str(maker.why(match))
    maker.start(match)
    with pytest.raises(InputError, match="match 0 is not proposed"):
        maker.why(match)


def test_a_match_that_is_filled_has_reasons() -> None:
    maker = Matchmaker(Elo(), "2v2", POLICY)
    maker.backfill([["ann"], ["bob", "cat"]], mu=[1500.0] * 3, time=0)
    maker.join_many(["dan", "eve"], mu=[1500, 1550])
    why = maker.why(maker.tick(1).matches[0])
    assert (why.leaving, why.joining) == (("dan",), ("eve",))


def test_roles_are_counted_by_a_matching() -> None:
    """One tank, one healer and one who plays both fill no two places of each, though each role has two."""
    maker = Matchmaker(Elo(), "4v4: tank, healer, 2 damage", Policy(tolerance=1))
    roles = ["tank", "healer", ["tank", "healer"], *["damage"] * 5]
    maker.join_many([f"p{i}" for i in range(8)], mu=1500.0, roles=roles, time=0)
    assert not maker.tick(1).matches
    why = maker.why("p0")
    assert why.lacking == {"tank or healer": 1}
    assert "A match lacks 1 player for tank or healer." in str(why)
    maker.leave("p7")
    maker.join("flex", mu=1500.0)
    assert maker.why("p0").lacking == {}
    assert len(maker.tick(2).matches) == 1


def test_players_who_are_being_paired_are_told_of() -> None:
    maker = Matchmaker(Elo(), policy=POLICY)
    maker.join_many(["ann", "bob", "cat"], mu=[1500, 1501, 1510], time=0)
    maker.block("cat", "ann")
    maker.tick(1)
    why = maker.why("cat")
    assert (why.others, why.paired) == (0, 1)
    assert "1 more ticket that may meet them is in a proposed match." in str(why)
    assert maker.why("ann").paired == 0
