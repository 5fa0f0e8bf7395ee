"""Draws by Davidson's model (1970): of a match from its expected score, and of a field of many sides.

Systems whose belief is only about expected scores get their draws from it: the chance of a draw is ν times
the geometric mean of the chances to win and to lose. Given the expected score E and the share of draws
between equals, p₀ = ν/(2 + ν), that has a closed form, keeps E = win + draw/2 exactly, and needs no other
parameter.

In a field, who would beat whom is found from what each side is expected to score against the whole field. The
log odds of that are nearer to 0 than those of matches, as the strengths of the others differ: for strengths
of variance v by about √(1 + πv/8), the logistic function averaged over a normal distribution. A few steps
from there find the strengths whose field expects the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import Floats
from podium.numerics.jit import kernel


def split_expected_score(expected: ArrayLike, draw_rate: float) -> NDArray[np.float64]:
    """Probabilities of win, draw and loss, as columns, from an expected score.

    >>> split_expected_score([0.5, 1.0], 0.3).round(3).tolist()
    [[0.35, 0.3, 0.35], [1.0, 0.0, 0.0]]
    """
    e = np.asarray(expected, np.float64)
    if draw_rate == 0.0:
        return np.stack([e, np.zeros_like(e), 1.0 - e], axis=-1)
    d = 2.0 * e - 1.0
    s = _decided(d, 2.0 * draw_rate / (1.0 - draw_rate))
    return np.stack([(s + d) / 2.0, 1.0 - s, (s - d) / 2.0], axis=-1)


def _decided(d: Any, nu: Any) -> Any:
    """S, the chance that there is no draw, for numbers or arrays."""
    # With S = win + loss and D = win − loss = 2E − 1: draw = 1 − S = ν√(S² − D²)/2, a quadratic in S.
    q = nu * nu / 4.0
    # (1 − q) S² − 2 S + 1 + q D² = 0; this form of its smaller root is stable for every q, 1 included.
    s = (1.0 + q * d * d) / (1.0 + np.sqrt(np.maximum(q * (1.0 - d * d + q * d * d), 0.0)))
    return np.minimum(np.maximum(s, np.abs(d)), 1.0)


_decided_once = kernel(_decided)


@kernel
def draw_chance(expected: float, nu: float) -> float:
    """The chance of a draw in one match, from its expected score and ν."""
    return float(1.0 - _decided_once(2.0 * expected - 1.0, nu))


MOST_COMPARED = 64
"""Sides up to which all pairs are looked at. Larger fields are laid on as many points of the scale."""
MOST_SPREAD = 0.8
"""The largest πv/8 that the first guess takes, v being the variance of log odds against the field."""
STEPS = 4
"""Steps towards them. They leave the room within 4% for 20 sides and more whose strengths have a deviation of
3 in log odds, and within 5% for five sides and a deviation of 2."""


@kernel
def mean_draw_room(expected: Floats, nu: float) -> float:
    """The chance of a tie per unit of ν, the mean over all pairs of sides with these expected scores."""
    n = len(expected)
    z, mean, square = np.empty(n), 0.0, 0.0
    for i in range(n):
        p = (expected[i] * (n - 1) + 0.5) / n  # oneself among the field, which keeps it off 0 and 1
        z[i] = math.log(p / (1.0 - p))
        mean += z[i] / n
        square += z[i] * z[i] / n
    points = min(n, MOST_COMPARED)
    odds, count = np.empty(points), np.zeros(points)
    if n == points:
        for i in range(n):
            odds[i], count[i] = z[i], 1.0
    else:
        low, high = z[0], z[0]
        for i in range(n):
            low, high = min(low, z[i]), max(high, z[i])
        width = max((high - low) / (points - 1), 1e-9)
        for a in range(points):
            odds[a] = low + a * width
        for i in range(n):  # between two points, so that nothing jumps
            at = (z[i] - low) / width
            a = min(int(at), points - 2)
            count[a] += 1.0 - (at - a)
            count[a + 1] += at - a
    spread = min(max(math.pi / 8.0 * (square - mean * mean), 0.0), MOST_SPREAD)
    strength = np.empty(points)
    for a in range(points):
        strength[a] = math.exp(odds[a] / math.sqrt(1.0 - spread))
    _fit_strengths(odds, count, strength)
    even = draw_chance(0.5, nu)
    total = -0.5 * n * even  # nobody meets oneself
    for a in range(points):
        total += 0.5 * count[a] * count[a] * even
        for b in range(a):
            won = strength[a] / (strength[a] + strength[b])
            total += count[a] * count[b] * draw_chance(won, nu)
    return total / (0.5 * n * (n - 1.0) * nu)


@kernel
def _fit_strengths(odds: Floats, count: Floats, strength: Floats) -> None:
    """Move strengths towards those whose log odds against the field, oneself among it, are these."""
    told = np.empty(len(odds))
    for _ in range(STEPS):
        for a in range(len(odds)):
            won, lost = 0.0, 0.0
            for b in range(len(odds)):
                part = count[b] / (strength[a] + strength[b])
                won += part * strength[a]
                lost += part * strength[b]
            told[a] = math.exp(odds[a]) * lost / won
        for a in range(len(odds)):
            strength[a] = min(max(strength[a] * told[a], 1e-30), 1e30)
