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
both with a start, and both forgotten towards it by one part in ten thousand a match.
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
        return p, chance_of_draw(p, self.draws / self.room)

    def learn(self, raw: float, home: float, lack: float, score: float, drawn: bool) -> None:
        """Learn from a match of two sides."""
        p, draw = self.predict(raw, home, lack)
        x = np.array([log_odds(raw), home, lack])
        self._learn(np.outer(x, x) * p * (1.0 - p), x * (score - p), 1.0)
        nu = self.draws / self.room
        self.draws += 1e-4 * (0.25 - self.draws) + drawn
        self.room += 1e-4 * (5.0 - self.room) + draw / nu

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
