"""Who is served at a tick one against one, among so many that not all pairs are candidates."""

from __future__ import annotations

import numpy as np
import pytest

from podium import Elo, Glicko, Matchmaker, Policy
from podium.matchmaking.deciders import duels
from podium.matchmaking.graphs.matching import best_matching
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.terms import Latency, Needs, WaitingTime, WinProbabilityGap


def named(letter: str, count: int) -> list[str]:
    return [f"{letter}{i}" for i in range(count)]


@pytest.mark.parametrize("seed", range(6))
def test_equals_are_all_paired_beside_overdue_ones(seed: int) -> None:
    """The overdue take candidates of the others, who then need new ones."""
    maker = Matchmaker(Elo(), seed=seed)
    maker.join_many(named("old", 300), mu=1500, time=0)
    maker.join_many(named("new", 60), mu=1500, time=199)
    assert maker.tick(200).waiting == 0


@pytest.mark.parametrize("seed", range(6))
def test_nobody_put_back_is_left_while_suitable_newcomers_play(seed: int) -> None:
    maker = Matchmaker(Elo(), policy=Policy((WinProbabilityGap(),), tolerance=0.3), seed=seed)
    maker.join_many(named("back", 200), mu=1500, time=0)
    for match in maker.tick(1).matches:
        maker.cancel(match)
    maker.join_many(named("new", 199), mu=1500, time=2)
    assert maker.tick(3).waiting == 1
    (left,) = maker.waiting().to_frame()["player"]
    assert left.startswith("new")


def test_who_was_put_back_takes_nobody_unacceptable() -> None:
    """Everybody is looked at, and nobody of them will do."""
    maker = Matchmaker(Elo(), policy=Policy((WinProbabilityGap(),), tolerance=0.05))
    maker.join_many(["ann", "bob"], mu=1500, time=0)
    maker.cancel(maker.tick(0).matches[0], by="bob")
    maker.join_many(named("far", 400), mu=3000, time=1)
    tick = maker.tick(1)
    assert (len(tick.matches), tick.waiting) == (200, 1)
    assert "ann" in maker.waiting().to_frame()["player"].to_list()


@pytest.mark.parametrize(("waiting", "effort"), [(200, None), (300, None), (420, "exact")])
def test_the_best_pairs_of_hundreds_are_the_best_of_all_pairs(waiting: int, effort: str | None) -> None:
    """Among all pairs, not among a few candidates of each; judged by the matching of the whole graph."""
    chance = np.random.default_rng(waiting)
    policy = Policy((WinProbabilityGap(),), tolerance=1.0, target=WinRateTarget(games=5))
    maker = Matchmaker(Elo(), policy=policy, effort=effort)  # type: ignore[arg-type]
    mu = chance.normal(1500, 300, waiting)
    recent = chance.choice([0.0, 1.0], (waiting, 5))
    maker.join_many(named("p", waiting), mu=mu, time=0, recent=recent.tolist())
    wanted = WinRateTarget(games=5, system=Elo()).probability(recent.sum(axis=1), np.full(waiting, 5))
    first, second = np.triu_indices(waiting, 1)
    expected = 1.0 / (1.0 + 10.0 ** ((mu[second] - mu[first]) / 400.0))
    cost = (np.abs(wanted[first] - expected) + np.abs(wanted[second] - (1.0 - expected))) / 2.0
    best = best_matching(waiting, first, second, 1_000.0 - cost, effort="exact")
    matches = maker.tick(0).matches
    assert len(matches) == waiting // 2
    assert matches.cost.sum() == pytest.approx(1_000.0 * len(matches) - best.weight, abs=1e-6)


def test_the_nearest_are_hardly_worse_than_the_best_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Overdue tickets that have to search compare a few; what they miss is less than a hundredth.

    Costs depend on deviations and delays too, so the nearest by rating need not be the cheapest.
    """
    chance, count = np.random.default_rng(5), 600
    terms = (WinProbabilityGap(), WaitingTime(), Needs(), Latency(most=100.0, weight=0.3))
    low = chance.normal(1400, 300, count).tolist()
    mu, sigma = chance.normal(1500, 300, count), chance.uniform(30, 350, count)
    cost = []
    for compared in (duels.NEAREST_COMPARED, count):
        monkeypatch.setattr(duels, "NEAREST_COMPARED", compared)
        maker = Matchmaker(Glicko(), policy=Policy(terms))
        maker.join_many(
            named("p", count),
            mu=mu,
            sigma=sigma,
            time=0,
            needs={"mu": [(least, least + 200.0) for least in low]},
            latency={"eu": np.random.default_rng(6).uniform(5, 95, count)},
        )
        matches = maker.tick(1_000).matches
        cost.append(sum(match.cost for match in matches) / len(matches))
    assert cost[0] < 1.01 * cost[1]


def test_who_needs_any_number_is_not_served_with_one_who_says_none() -> None:
    """A range without ends still asks that something is said, also where thousands are searched."""
    maker = Matchmaker(Elo(), policy=Policy((WinProbabilityGap(), WaitingTime(), Needs())))
    anything = (-np.inf, np.inf)
    maker.join_many(named("silent", 400), mu=1500, time=0, needs={"level": [anything] * 400})
    assert not maker.tick(1_000).matches
    maker.join("loud", mu=2500, time=1_000, attributes={"level": 3.0})
    (match,) = maker.tick(1_001).matches
    assert "loud" in match.players
