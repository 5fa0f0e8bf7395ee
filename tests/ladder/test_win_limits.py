"""No further opponent raises the chance to win: it is at most the least chance against one of the field."""

from __future__ import annotations

import numpy as np
import pytest

from checks.variants import DEFAULTS, SINGLE_CHOICES, label
from podium import Elo, Glicko, Ladder, SetRating, WengLin
from podium.ladder.field_chances import least_pairwise_chances, moved_to_first
from podium.numerics.free_for_all.top_chances import top_chances
from podium.systems import RatingSystem, Sides
from podium.systems.contract.side_scores import performances, with_coin

FIELDS = 4
"""Random fields tried for each system."""


def some_field(system: RatingSystem, chance: np.random.Generator) -> tuple[Ladder, list[str]]:
    """A ladder with players of very different ratings and deviations."""
    ladder = Ladder(system)
    mu, sigma = system.start(ladder.state)
    unit = 500.0 if mu[0] > 100.0 else 10.0
    names = [f"player {i}" for i in range(int(chance.integers(3, 7)))]
    spread = unit * float(chance.choice([0.15, 0.6, 1.5]))
    for name in names:
        deviation = None if sigma is None else float(sigma[0] * chance.uniform(0.05, 1.0))
        ladder.adjust(
            SetRating(player=name, mu=float(mu[0] + spread * chance.standard_normal()), sigma=deviation)
        )
    return ladder, names


@pytest.mark.parametrize("system", [*DEFAULTS, *SINGLE_CHOICES], ids=label)
def test_nobody_wins_more_often_than_against_one_of_the_field(system: RatingSystem) -> None:
    chance = np.random.default_rng(7)
    for _ in range(FIELDS):
        ladder, names = some_field(system, chance)
        chances = ladder.rank_probabilities(names)
        least = [min(ladder.expected_score(a, b) for b in names if b != a) for a in names]
        assert np.all(chances.matrix[:, 0] <= np.array(least) + 1e-9)
        assert chances.matrix.min() >= -1e-15
        assert chances.matrix.sum(axis=0) == pytest.approx(np.ones(len(names)), abs=1e-9)
        assert chances.matrix.sum(axis=1) == pytest.approx(np.ones(len(names)), abs=1e-9)
        near = 1e-8 if system.exact_places and not system.is_calibrated else 0.1
        if system.name == "auto":  # its experts say the mean ranks, its public ratings the chances of places
            near = 0.5
        assert ladder.expected_ranks(names) == pytest.approx(chances.expected_rank, abs=near)
        for k in (1, 2):
            assert ladder.top_chances(names, k) == pytest.approx(chances.top(k), abs=1e-9)


@pytest.mark.parametrize("system", [*DEFAULTS, *SINGLE_CHOICES], ids=label)
def test_who_calls_places_exact_has_them_so(system: RatingSystem) -> None:
    """Performances alone keep the limit where a system says that they differ by its own curve."""
    if not system.exact_places or system.is_calibrated:
        return
    chance = np.random.default_rng(8)
    for _ in range(FIELDS):
        ladder, names = some_field(system, chance)
        sides = Sides.of(np.arange(len(names)))
        belief = system.side_belief(ladder.state, sides, 0)
        first = with_coin(
            system, top_chances(*performances(system, *belief, sides.noise), 1), 1.0 / len(names)
        )
        field = np.array([0, len(names)])
        assert np.all(first <= least_pairwise_chances(system, ladder.state, sides, 0, field) + 1e-9)


def test_a_third_opponent_of_a_curve_that_ends() -> None:
    """425 points or more are worth 0.9947 against one, and less against two."""
    ladder = Ladder(Elo(curve="linear"))
    ladder.adjust(SetRating(player="ann", mu=3500))
    assert ladder.expected_score("ann", "bob") == pytest.approx(0.9947)
    first = ladder.top_chances(["ann", "bob", "cat"], 1)
    # A coin decides 0.0106 of all events; the rest is certain.
    coin = 0.0106
    assert first == pytest.approx([1 - coin * 2 / 3, coin / 3, coin / 3], abs=1e-6)


def test_a_third_opponent_of_fides_table() -> None:
    """Above 735 points the table leaves no chance, nor do two opponents; below it they lower the chance."""
    ladder = Ladder(Elo(curve="fide"))
    ladder.adjust(SetRating(player="ann", mu=2500))
    ladder.adjust(SetRating(player="dan", mu=1900))
    assert ladder.top_chances(["ann", "bob", "cat"], 1) == pytest.approx([1, 0, 0], abs=0.005)
    assert ladder.expected_score("dan", "bob") == 0.92
    assert 0.8 < ladder.top_chances(["dan", "bob", "cat"], 1)[0] < 0.92


def test_unequal_deviations_of_glicko() -> None:
    """Two Gumbel performances of unequal scale alone would give an unsure favourite more than the curve."""
    ladder = Ladder(Glicko())
    for name, mu, sigma in (("ann", 2100, 350), ("bob", 1500, 30), ("cat", 500, 30)):
        ladder.adjust(SetRating(player=name, mu=mu, sigma=sigma))
    sides = Sides.of(np.arange(3))
    belief = ladder.system.side_belief(ladder.state, sides, 0)
    alone = top_chances(*performances(ladder.system, *belief, sides.noise), 1)
    against_bob = ladder.expected_score("ann", "bob")
    assert alone[0] > against_bob + 0.005
    assert ladder.top_chances(["ann", "bob", "cat"], 1)[0] == pytest.approx(against_bob, abs=1e-9)


def test_teams_are_limited_too() -> None:
    chance = np.random.default_rng(9)
    for system in (Glicko(), WengLin(), Elo(curve="linear")):
        for _ in range(FIELDS):
            ladder, names = some_field(system, chance)
            teams = [names[:1], names[1:3], ["new", "newer"]]
            first = ladder.top_chances(teams, 1)
            least = [min(ladder.expected_score(a, b) for b in teams if b is not a) for a in teams]
            assert np.all(first <= np.array(least) + 1e-9)


def test_limits_that_contradict_each_other_are_kept_as_far_as_possible() -> None:
    """Three sides that beat each other in a circle cannot all be below their least chance."""
    first, second = np.array([0.6, 0.2, 0.2]), np.array([0.3, 0.4, 0.3])
    moved = moved_to_first(first, second, np.array([0.1, 0.3, 0.3]))
    assert moved == pytest.approx([-0.2, 0.1, 0.1])
    assert moved_to_first(first, second, np.array([0.1, 0.1, 0.1])) == pytest.approx(np.zeros(3))


@pytest.mark.parametrize("system", ["auto", "teams"])
def test_the_limit_holds_for_teams_of_different_sizes(system: str) -> None:
    ladder = Ladder(system)
    for _ in range(5):
        ladder.record(teams=[["ann"], ["bob", "cat"]], ranks=[1, 2])
    sides = ["ann", ["bob", "cat"], "dan"]
    chances = ladder.rank_probabilities(sides)
    least = [min(ladder.expected_score(a, b) for b in sides if b != a) for a in sides]
    assert np.all(chances.matrix[:, 0] <= np.array(least) + 1e-9)
    assert chances.matrix.sum(axis=0) == pytest.approx(np.ones(3), abs=1e-9)
