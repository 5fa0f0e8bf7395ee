"""Teams in Elo-MMχ against brute force: nothing is known here but densities, products and integrals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from podium import EloMMX, History, Ladder, SetRating
from podium.arrays import Floats

SYSTEM = EloMMX(beta=180.0, gamma=40.0)
SEEDS = {"a": (1700.0, 120.0), "b": (1450.0, 60.0), "c": (1600.0, 200.0), "d": (1300.0, 90.0)}
SEEDS |= {"e": (1550.0, 150.0), "f": (1480.0, 80.0)}
NODES = np.linspace(-8.0, 8.0, 97)
"""In deviations: the trapezoid rule on a normal density is exact to the last digits at this step."""

CASES = {
    "two against one": ([["a", "b"], ["c"]], [1, 2]),
    "one against three": ([["c"], ["a", "d", "e"]], [2, 1]),
    "a draw of unequal teams": ([["a", "b", "c"], ["d", "e"]], [1, 1]),
    "three teams": ([["a", "b"], ["c"], ["d", "e", "f"]], [2, 1, 3]),
    "three teams, two of them tied": ([["a", "b"], ["c"], ["d", "e", "f"]], [1, 2, 2]),
    "alone": ([["a"], ["b"], ["c"]], [1, 2, 2]),
}


def normal(x: Floats | float, mu: float, variance: float) -> Floats:
    return np.exp(-np.square(x - mu) / (2 * variance)) / math.sqrt(2 * math.pi * variance)


class Team:
    """The distribution of a team's performance, integrated over its members' contributions."""

    def __init__(self, members: Sequence[str], weight: float) -> None:
        self.weight, self.members = weight, members
        self.beliefs = [(SEEDS[m][0], SEEDS[m][1] ** 2 + SYSTEM.gamma**2) for m in members]

    def density(self, total: Floats, beliefs: Sequence[tuple[float, float]]) -> Floats:
        """Of the weighted contributions of these members adding up to each of the totals."""
        mu, skill = beliefs[0]
        scatter = self.weight**2 * (skill + SYSTEM.beta**2)
        centre = self.weight * (mu - SYSTEM.mu)
        if len(beliefs) == 1:
            return normal(total, centre, scatter)
        own = centre + math.sqrt(scatter) * NODES
        rest = self.density(total[..., None] - own, beliefs[1:])
        mixed: Floats = np.sum(normal(own, centre, scatter) * rest, axis=-1) * (own[1] - own[0])
        return mixed

    def skill(self, index: int, total: float) -> tuple[float, float]:
        """Mean and deviation of a member's skill, given the total: every skill with every noise."""
        mu, variance = self.beliefs[index]
        others = [belief for k, belief in enumerate(self.beliefs) if k != index]
        skills, noise = mu + math.sqrt(variance) * NODES, SYSTEM.beta * NODES
        if others:
            rest = total - self.weight * (skills[:, None] + noise - SYSTEM.mu)
            likelihood = np.sum(normal(noise, 0.0, SYSTEM.beta**2) * self.density(rest, others), axis=1)
        else:
            likelihood = normal(total + SYSTEM.mu - skills, 0.0, SYSTEM.beta**2)
        return mean_and_deviation(skills, normal(skills, mu, variance) * likelihood)

    def moments(self) -> tuple[float, float]:
        """Mean and variance of the total, by integrating its density."""
        reach = 8 * sum(self.weight * math.sqrt(v + SYSTEM.beta**2) for _, v in self.beliefs)
        centre = sum(self.weight * (mu - SYSTEM.mu) for mu, _ in self.beliefs)
        totals = centre + np.linspace(-reach, reach, 161)
        mean, deviation = mean_and_deviation(totals, self.density(totals, self.beliefs))
        return mean, deviation**2


def mean_and_deviation(x: Floats, density: Floats) -> tuple[float, float]:
    mass = density / density.sum()
    mean = float(np.sum(x * mass))
    return mean, math.sqrt(float(np.sum((x - mean) ** 2 * mass)))


def seeded(team: str) -> Ladder:
    ladder = Ladder(EloMMX(beta=180.0, gamma=40.0, team=team))
    for name, (mu, sigma) in SEEDS.items():
        ladder.adjust(SetRating(player=name, mu=mu, sigma=sigma))
    return ladder


def best(objective: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one maximum has it: the root of its slope, by halving."""

    def slope(x: float) -> float:
        return objective(x + 0.05) - objective(x - 0.05)

    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return (low + high) / 2


@pytest.mark.parametrize("team", ["mean", "sum"])
@pytest.mark.parametrize("case", CASES)
def test_brute_force(case: str, team: str) -> None:
    sides, ranks = CASES[case]
    teams = [Team(side, 1 / len(side) if team == "mean" else 1.0) for side in sides]
    moments = [t.moments() for t in teams]
    changes = {c.player: c for c in seeded(team).record(teams=sides, ranks=ranks)}

    for i, (own, rank) in enumerate(zip(teams, ranks, strict=True)):

        def evidence(p: float, i: int = i, rank: int = rank) -> float:
            """The chance that the team performs at p and the others as they were ranked."""
            total = 0.0
            for j, other in enumerate(ranks):
                mean, variance = moments[j]
                z = (p - mean) / math.sqrt(variance)
                if i == j or other == rank:
                    total -= z * z / 2
                else:
                    total += math.log(
                        0.5 * math.erfc(-z / math.sqrt(2) if other > rank else z / math.sqrt(2))
                    )
            return total

        performance = best(evidence, -4000.0, 4000.0)
        for k, name in enumerate(own.members):
            mean, deviation = own.skill(k, performance)
            assert changes[name].mu == pytest.approx(mean, abs=2e-4)
            assert changes[name].sigma == pytest.approx(deviation, abs=2e-4)


def test_moments_of_a_team_are_what_it_is_predicted_by() -> None:
    for team in ("mean", "sum"):
        one, two = ["a", "b"], ["c", "d", "e"]
        (m1, v1), (m2, v2) = (
            Team(side, 1 / len(side) if team == "mean" else 1.0).moments() for side in (one, two)
        )
        expected = 0.5 * math.erfc(-(m1 - m2) / math.sqrt(2 * (v1 + v2)))
        assert seeded(team).expected_score(one, two) == pytest.approx(expected, abs=1e-9)


def test_teams_of_one_are_players() -> None:
    alone = History.from_events([{"ranks": {"a": 1, "b": 2, "c": 2}}, {"ranks": {"b": 1, "a": 2}}])
    teams = History.from_events(
        [{"teams": [["a"], ["b"], ["c"]], "ranks": [1, 2, 2]}, {"teams": [["b"], ["a"]], "ranks": [1, 2]}]
    )
    one, other = EloMMX().new_state(), EloMMX(team="sum").new_state()
    EloMMX().update(one, alone)
    EloMMX(team="sum").update(other, teams)
    assert one == other


def test_a_better_known_member_moves_less_and_the_gain_is_shared_by_uncertainty() -> None:
    ladder = Ladder(EloMMX())
    ladder.adjust(SetRating(player="old hand", mu=1500, sigma=60))
    changes = {c.player: c for c in ladder.record(teams=[["old hand", "rookie"], ["x", "y"]], ranks=[1, 2])}
    assert 0 < changes["old hand"].gain < changes["rookie"].gain
    assert changes["rookie"].sigma < 350
