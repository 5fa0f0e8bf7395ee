"""Elo-MMX (Elo-MM with a chi), Elo-MMR with the Gaussian performance model: beliefs stay Gaussian.

[MMR] Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions" (2021), sections 3
and 4, under "Gaussian performance model". The conventions are those of `elo_mmr`, and two more:

6. A tie is d = f' / f, which is not l + v; split ties are (l + v) / 2, oneself included.
10. The tails of l and v by the Mills ratio, see `performances`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .elo_mmr import TwoPhase
from .events import Event, Outcome
from .performances import Gaussian, performances


class Belief(NamedTuple):
    """A Gaussian."""

    mu: float
    sigma: float


def diffused(belief: Belief, gamma2: float) -> Belief:
    """Equation (9) for Gaussians: variances add."""
    return Belief(belief.mu, math.sqrt(belief.sigma**2 + gamma2))


def updated(belief: Belief, performance: float, beta2: float) -> Belief:
    """Equation (3) for Gaussians: the product of the prior and of the performance's density."""
    prior, new = 1 / belief.sigma**2, 1 / beta2
    mu = (prior * belief.mu + new * performance) / (prior + new)
    return Belief(mu, 1 / math.sqrt(prior + new))


@dataclass(frozen=True, kw_only=True)
class EloMMX(TwoPhase):
    """Elo-MMX(beta, gamma)."""

    beta: float = math.sqrt(6) * 80
    gamma: float = math.sqrt(0.2) * 80

    def gamma2(self) -> float:
        return self.gamma**2

    def gaussian(self, mu: float, sigma: float) -> Belief:
        return Belief(mu, sigma)

    def performances(self, mus: list[float], variances: list[float], ranks: list[int]) -> list[float]:
        deltas = [math.sqrt(delta2) for delta2 in variances]
        return performances(Gaussian, mus, deltas, ranks, self.ties)

    def diffused(self, belief: Belief, gamma2: float) -> Belief:
        return diffused(belief, gamma2)

    def updated(self, belief: Belief, performance: float, beta2: float) -> Belief:
        return updated(belief, performance, beta2)


def rate(events: list[Event], start: Mapping[str, tuple[float, float]] = {}, **parameters) -> Outcome:
    """Rate the players of events, some of them seeded. See `TwoPhase.rate`."""
    return EloMMX(**parameters).rate(events, start)
