"""Calibration, slow and obvious: a logistic regression of results on log odds, learned match by match.

θ = (slope, home, experience) with covariance P. For a match with inputs x = (log odds that the system gave,
1 at home or −1 away, difference of 1/(1 + n/5)), p = 1/(1 + e^−θ·x) is predicted. Then, with w = p (1 − p)
and the score s,

    P⁻¹ ← P⁻¹ + w x xᵀ        θ ← θ + P x (s − p)

and everything drifts back towards its start a little: P ← (1 − d) P + d P₀, θ ← θ₀ + √(1 − d) (θ − θ₀).

An event of n > 2 sides teaches the slope alone: the sums over all sides of ½ x (s − p) and of ½ p (1 − p) x²
stand for the gradient and the information, x being the log odds of p divided by the slope. It counts as n/2
matches of drift.

Draws follow Davidson (1970): win : draw : loss = r : ν : 1/r. ν = draws so far / sum of (chance of a draw/ν),
both with a start, and both forgotten towards it by one part in ten thousand a match. Before the first draw, ν
is multiplied by 5 / that sum.

An event of n > 2 sides teaches ν as n/2 matches do, 100 at most, of which as many are drawn as of its pairs.
The chances of its pairs are those of strengths s (a beats b with sₐ/(sₐ + s_b)) found from the log odds x of
what each side is expected to score against all sides and itself: s = exp(x/√(1 − πv/8)), v being the variance
of x, and πv/8 at most 0.8; then four times, s is multiplied by e^x / (odds that s gives against the field).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

START = np.array([1.0, 0.0, 0.0])
COVARIANCE = np.diag([0.5**2, 0.3**2, 1.0**2])
DRIFT = 1e-5
LOWEST, HIGHEST = np.array([0.05, -20.0, -20.0]), np.array([20.0, 20.0, 20.0])


def log_odds(p: float) -> float:
    """Up to 10 and down to −10."""
    if p in (0.0, 1.0):
        return math.copysign(10.0, p - 0.5)
    return min(max(math.log(p / (1.0 - p)), -10.0), 10.0)


def chance_of_draw(expected: float, nu: float) -> float:
    """By halving: the larger √(win odds) r is, the more r + ν/2 is of r + ν + 1/r."""
    low, high = -50.0, 50.0
    for _ in range(200):
        r = math.exp((low + high) / 2)
        low, high = (
            (low, (low + high) / 2)
            if (r + nu / 2) / (r + nu + 1 / r) > expected
            else ((low + high) / 2, high)
        )
    r = math.exp(low)
    return nu / (r + nu + 1 / r)


@dataclass
class Calibration:
    """What was learned so far."""

    theta: np.ndarray = field(default_factory=START.copy)
    covariance: np.ndarray = field(default_factory=COVARIANCE.copy)
    draws: float = 0.25
    room: float = 5.0

    def predict(self, raw: float, home: float, lack: float) -> tuple[float, float]:
        """Expected score and chance of a draw; `lack` is the first side's 1/(1 + n/5) less the second's."""
        p = 1.0 / (1.0 + math.exp(-float(self.theta @ [log_odds(raw), home, lack])))
        return p, chance_of_draw(p, self.nu)

    @property
    def nu(self) -> float:
        return self.draws / self.room * (1.0 if self.draws > 0.25 else 5.0 / self.room)

    def learn(self, raw: float, home: float, lack: float, score: float, drawn: bool) -> None:
        """Learn from a match of two sides."""
        p, draw = self.predict(raw, home, lack)
        x = np.array([log_odds(raw), home, lack])
        self._learn(np.outer(x, x) * p * (1.0 - p), x * (score - p), 1.0)
        self.learn_draws(1.0, drawn, draw / self.nu)

    def learn_draws(self, matches: float, drawn: float, room: float) -> None:
        """Learn from some matches, with the share of draws and the mean room for one."""
        kept = (1.0 - 1e-4) ** matches
        self.draws = 0.25 + kept * (self.draws - 0.25) + matches * drawn
        self.room = 5.0 + kept * (self.room - 5.0) + matches * room

    def learn_ties(self, expected: list[float], ranks: list[int]) -> None:
        """Learn from an event of more than two sides how often its pairs tie."""
        n = len(expected)
        share = [(p * (n - 1) + 0.5) / n for p in expected]
        x = np.log([p / (1.0 - p) for p in share])
        s = np.exp(x / math.sqrt(1.0 - min(math.pi * np.var(x) / 8.0, 0.8)))
        for _ in range(4):
            against = np.array([sum(a / (a + b) for b in s) / n for a in s])
            s = s * np.exp(x) * (1.0 - against) / against
        pairs = [(i, j) for i in range(n) for j in range(i)]
        room = np.mean([chance_of_draw(s[i] / (s[i] + s[j]), self.nu) / self.nu for i, j in pairs])
        drawn = np.mean([ranks[i] == ranks[j] for i, j in pairs])
        self.learn_draws(min(n / 2.0, 100.0), float(drawn), float(room))

    def learn_field(self, expected: list[float], scores: list[float]) -> None:
        """Learn from an event of more than two sides, whose mean expected scores were these."""
        slope, gradient, information = self.theta[0], 0.0, 0.0
        for p, score in zip(expected, scores, strict=True):
            x = log_odds(p) / slope
            gradient += 0.5 * x * (score - p)
            information += 0.5 * p * (1.0 - p) * x * x
        only_slope = np.diag([1.0, 0.0, 0.0])
        self._learn(information * only_slope, gradient * only_slope[0], len(expected) / 2)

    def _learn(self, information: np.ndarray, gradient: np.ndarray, matches: float) -> None:
        self.covariance = np.linalg.inv(np.linalg.inv(self.covariance) + information)
        self.theta = self.theta + self.covariance @ gradient
        kept = (1.0 - DRIFT) ** matches
        self.covariance = kept * self.covariance + (1.0 - kept) * COVARIANCE
        self.theta = np.clip(START + math.sqrt(kept) * (self.theta - START), LOWEST, HIGHEST)
