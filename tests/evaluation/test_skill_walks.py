"""A system of a user's own says how its skills walk, and is smoothed like podium's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import podium
from naive import smoothing as naive
from podium import EloMMX, History, RatingSystem
from podium.arrays import NO_TIME, EventColumns, Floats
from podium.systems import Capabilities
from podium.systems.contract.skill_walks import NormalWalk, SkillWalk

NOISE = 150.0**2
"""The variance of what a match shows of a difference of skills."""


@dataclass(frozen=True, kw_only=True)
class Tide(RatingSystem):
    """Skills drift by 30 points a match; a win shows a difference of 200 points, and noise."""

    name: ClassVar[str] = "tide"
    summary: ClassVar[str] = "a filter for matches"
    supports: ClassVar[Capabilities] = Capabilities(ties=True)

    def newcomer(self) -> Mapping[str, Any]:
        return {"mu": np.float64(1500.0), "variance": np.float64(300.0**2)}

    def rate_events(self, state: Any, events: EventColumns, trace: Any) -> None:
        mu, variance = state["mu"], state["variance"]
        for event in range(len(events.offsets) - 1):
            rows = [int(events.offsets[event]), int(events.offsets[event]) + 1]
            players = events.player[rows]
            before, spread = mu[players].copy(), variance[players].copy()
            shown = 200.0 * np.sign(events.rank[rows[1]] - events.rank[rows[0]])
            for i, (row, player) in enumerate(zip(rows, players, strict=True)):
                seen = before[1 - i] + (shown if i == 0 else -shown)
                prior = spread[i] + 30.0**2
                gain = prior / (prior + spread[1 - i] + 30.0**2 + NOISE)
                trace.mu_before[row], trace.sigma_before[row] = before[i], np.sqrt(spread[i])
                mu[player] = before[i] + gain * (seen - before[i])
                variance[player] = prior * (1.0 - gain)
                trace.mu[row], trace.sigma[row] = mu[player], np.sqrt(variance[player])
                state["events"][player] += 1
                if events.time[event] != NO_TIME:
                    state["last_time"][player] = events.time[event]

    def view(self, state: Any, players: Any, at: int) -> tuple[Floats, Floats]:
        return state.column("mu")[players].copy(), np.sqrt(state.column("variance")[players])

    def set_belief(self, state: Any, players: Any, mu: Any, sigma: Any) -> None:
        state.column("mu")[players] = mu
        if sigma is not None:
            state.column("variance")[players] = np.square(sigma)

    def win_probability(self, mu_a: Any, sigma_a: Any, mu_b: Any, sigma_b: Any, home: Any = 0.0) -> Floats:
        return np.full(np.shape(mu_a), 0.5)

    def performance_spread(self, sigma: Any, noise: Floats) -> tuple[str, Floats]:
        return "normal", noise

    def skill_walk(self) -> SkillWalk:
        return SkillWalk(drift_per_event=30.0**2)


@pytest.fixture
def history() -> History:
    rng = np.random.default_rng(2)
    pairs = [rng.permutation(list("abcd"))[:2].tolist() for _ in range(40)]
    return History.from_matches([a for a, _ in pairs], [b for _, b in pairs])


def test_the_walks_are_those_of_the_joint_distribution(history: History) -> None:
    system = Tide()
    smoothing = podium.smooth(history, system)
    trace = system.update(system.new_state(), history)
    before, after = trace.sigma_before**2 + 30.0**2, trace.sigma**2
    for player in range(4):
        rows = np.flatnonzero(history.player == player)
        added = np.diff(before[rows], prepend=before[rows[0]])
        added[1:] += before[rows[:-1]] - after[rows[:-1]]
        h = 1.0 / after[rows] - 1.0 / before[rows]
        y = trace.mu[rows] / after[rows] - trace.mu_before[rows] / before[rows]
        mean, covariance = naive.conditioned(
            1500.0, naive.roots(before[rows[0]], np.maximum(added, 0.0).tolist()), h, y
        )
        np.testing.assert_allclose(smoothing.mu_smoothed[rows], mean, rtol=0, atol=1e-8)
        np.testing.assert_allclose(smoothing.sigma_smoothed[rows], np.sqrt(np.diag(covariance)), rtol=1e-9)


def test_rounds_need_performances(history: History) -> None:
    with pytest.raises(podium.UnsupportedError, match="tide has no performances to estimate again"):
        podium.smooth(history, Tide(), rounds=2)


@dataclass(frozen=True, kw_only=True)
class Again(NormalWalk):
    """The walks of Elo-MMχ, asked for through the contract."""

    theirs: NormalWalk

    def spreads(self, events: EventColumns, experience: Any) -> tuple[Floats, Floats]:
        return self.theirs.spreads(events, experience)

    def perform(
        self, events: EventColumns, mean: Floats, variance: Floats, beta2: Floats
    ) -> tuple[Floats, Floats]:
        return self.theirs.perform(events, mean, variance, beta2)


@dataclass(frozen=True, kw_only=True)
class Own(EloMMX):
    """Elo-MMχ with a walk of one's own."""

    name: ClassVar[str] = "own"

    def skill_walk(self) -> Any:
        return Again(drift_per_day=self.drift_per_day, theirs=super().skill_walk())


def test_performances_are_estimated_again_by_the_system(history: History) -> None:
    ours, theirs = (podium.smooth(history, system, rounds=5, tolerance=0.0) for system in (Own(), EloMMX()))
    assert ours.rounds == 5
    np.testing.assert_array_equal(ours.mu_smoothed, theirs.mu_smoothed)


def test_who_says_nothing_is_refused_by_name(history: History) -> None:
    class Silent(Tide):
        skill_walk = RatingSystem.skill_walk

    with pytest.raises(podium.UnsupportedError, match="tide cannot be smoothed"):
        podium.smooth(history, Silent())


def test_days_away_end_where_the_system_says() -> None:
    walk = SkillWalk(drift_per_day=10.0, highest_variance=100.0)
    days = np.array([0.0, 5.0, 50.0])
    assert walk.after_days(np.array([50.0, 50.0, 50.0]), days).tolist() == [50.0, 100.0, 100.0]
    assert walk.after_days(np.array([120.0]), np.array([1.0])).tolist() == [120.0]
