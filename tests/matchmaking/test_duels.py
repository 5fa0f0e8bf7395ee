"""Who is served at a tick one against one, among so many that not all pairs are candidates."""

from __future__ import annotations

import numpy as np
import pytest

from podium import Elo, Matchmaker, Policy
from podium.matchmaking.graphs.matching import best_matching
from podium.matchmaking.policy_terms import WinProbabilityGap
from podium.matchmaking.targets import WinRateTarget


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
    (left,) = maker.waiting()["player"]
    assert left.startswith("new")


def test_who_was_put_back_takes_nobody_unacceptable() -> None:
    """Everybody is looked at, and nobody of them will do."""
    maker = Matchmaker(Elo(), policy=Policy((WinProbabilityGap(),), tolerance=0.05))
    maker.join_many(["ann", "bob"], mu=1500, time=0)
    maker.cancel(maker.tick(0).matches[0], by="bob")
    maker.join_many(named("far", 400), mu=3000, time=1)
    tick = maker.tick(1)
    assert (len(tick.matches), tick.waiting) == (200, 1)
    assert "ann" in maker.waiting()["player"].to_list()


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
