"""Elo-MMX (Elo-MM with a chi), Elo-MMR with the Gaussian performance model: beliefs stay Gaussian.

[MMR] Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions" (2021), sections 3
and 4, under "Gaussian performance model". The conventions are those of `elo_mmr`, and two more:

6. A tie is d = f' / f, which is not l + v; split ties are (l + v) / 2, oneself included.
10. The tails of l and v by the Mills ratio, see `performances`.

Teams, which the paper leaves open: a member contributes c_k ~ N(mu_k, delta_k^2), and the team performs
T = mu_0 + w * sum(c_k - mu_0), with w = 1 (sum) or 1 / size (mean). T is normal, so phase one finds the
performance of the team as if it were a player. Conditioning on T = P (the covariance of c_k and T is
w delta_k^2, that of the skill s_k and T is w sigma_k^2):

    E[c_k | P] = mu_k + w delta_k^2 / Var T * (P - E T)
    E[s_k | P] = mu_k + w sigma_k^2 / Var T * (P - E T)
    Var[s_k | P] = sigma_k^2 - w^2 sigma_k^4 / Var T
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
    team: str = "mean"

    def gamma2(self) -> float:
        return self.gamma**2

    def gaussian(self, mu: float, sigma: float) -> Belief:
        return Belief(mu, sigma)

    def performances(self, mus: list[float], variances: list[float], ranks: list[int]) -> list[float]:
        deltas = [math.sqrt(delta2) for delta2 in variances]
        return performances(Gaussian, mus, deltas, ranks, self.ties)

    def contributions(
        self, event: Event, mus: list[float], deltas2: list[float]
    ) -> tuple[list[float], list[float]]:
        """E[c_k | P] of every member, and the part w^2 delta_k^2 / Var T of the team's scatter."""
        members = iter(range(len(mus)))
        teams = [[next(members) for _ in side] for side in event.sides]
        weights = [1 / len(team) if self.team == "mean" else 1.0 for team in teams]
        means = [
            self.mu + w * sum(mus[k] - self.mu for k in team) for team, w in zip(teams, weights, strict=True)
        ]
        variances = [w**2 * sum(deltas2[k] for k in team) for team, w in zip(teams, weights, strict=True)]
        ceiling = math.inf if event.ceiling is None else event.ceiling
        shown, parts = [], []
        for team, w, mean, variance, p in zip(
            teams, weights, means, variances, self.performances(means, variances, event.ranks), strict=True
        ):
            for k in team:
                shown.append(mus[k] + w * deltas2[k] / variance * (min(p, ceiling) - mean))
                parts.append(w**2 * deltas2[k] / variance if len(team) > 1 else 1.0)
        return shown, parts

    def teammates_scatter(self, event: Event, deltas2: list[float]) -> list[float]:
        """None: a contribution is the member's own, of which only a part was seen."""
        return [0.0] * len(deltas2)

    def teaches_start(self, event: Event) -> bool:
        """Whether first performances in the event say where newcomers start: contributions do."""
        return True

    def partly_updated(self, prior: Belief, updated: Belief, part: float) -> Belief:
        """Var[s_k | P]: only this part of the fall in variance that seeing the whole contribution brings."""
        fall = prior.sigma**2 - updated.sigma**2
        return Belief(updated.mu, math.sqrt(prior.sigma**2 - part * fall))

    def diffused(self, belief: Belief, gamma2: float) -> Belief:
        return diffused(belief, gamma2)

    def updated(self, belief: Belief, performance: float, beta2: float) -> Belief:
        return updated(belief, performance, beta2)


def rate(events: list[Event], start: Mapping[str, tuple[float, float]] = {}, **parameters) -> Outcome:
    """Rate the players of events, some of them seeded. See `TwoPhase.rate`."""
    return EloMMX(**parameters).rate(events, start)
