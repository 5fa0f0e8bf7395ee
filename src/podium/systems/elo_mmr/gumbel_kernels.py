"""Elo-MMR with performances of the Gumbel distribution of minima, compiled: both phases.

F(z) = 1 − e^−x with x = e^(az − c). So −l(z) = a x, v(z) = a x/(e^x − 1) and d(z) = a (1 − x).
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats
from podium.numerics.exponential import exp
from podium.numerics.jit import formula, kernel, summing
from podium.systems.elo_mmr.performance_sweeps import learning, sweep

STEEPNESS = math.pi / math.sqrt(6.0)
"""a, which makes the variance 1."""
EULER = float(np.euler_gamma)
"""c, which makes the mean 0."""
MODE = EULER / STEEPNESS
"""The most likely z, where x is 1 and d is 0."""
LOWEST_POWER, HIGHEST_POWER = -600.0, 300.0
"""az − c is cut here, where all is decided, so that sums of x stay finite."""
CERTAIN_ODDS = 700.0
"""An x from which on a win says nothing."""
SERIES_UP_TO = 0.5
"""An x below which e^x − 1 would lose digits."""
LAST_NEWTON_STEP = 1e-7
"""A Newton step below this multiple of β leaves an error of about its square."""


@formula
def _odds(z: float) -> float:
    """x of F(z) = 1 − e^−x."""
    return exp(min(max(STEEPNESS * z - EULER, LOWEST_POWER), HIGHEST_POWER))


@formula
def _terms(z: float) -> tuple[float, float]:
    x = _odds(z)
    # (e^x − 1)/x where x is small: Taylor's series, whose first missing term is below 1e-16.
    y = min(x, SERIES_UP_TO)
    series = 1.0 / 6227020800.0
    series = series * y + 1.0 / 479001600.0
    series = series * y + 1.0 / 39916800.0
    series = series * y + 1.0 / 3628800.0
    series = series * y + 1.0 / 362880.0
    series = series * y + 1.0 / 40320.0
    series = series * y + 1.0 / 5040.0
    series = series * y + 1.0 / 720.0
    series = series * y + 1.0 / 120.0
    series = series * y + 1.0 / 24.0
    series = series * y + 1.0 / 6.0
    series = series * y + 0.5
    series = series * y + 1.0
    wide = min(max(x, SERIES_UP_TO), CERTAIN_ODDS)
    large = 0.5 + math.copysign(0.5, x - SERIES_UP_TO)  # 1 or 0: a condition would not be vectorised
    won = (1.0 - large) / series + large * wide / (exp(wide) - 1.0)
    return STEEPNESS * x, STEEPNESS * won


@formula
def _derivatives(z: float, lost: float, won: float) -> tuple[float, float, float, float]:
    """Of a x: a² x and a³ x; of v: v (a − a x − v) and what follows from it."""
    fall = STEEPNESS - lost - won
    first = won * fall
    more = STEEPNESS * lost
    return more, STEEPNESS * more, first, first * fall - won * (more + first)


@formula
def _draw(z: float, lost: float) -> tuple[float, float, float]:
    return STEEPNESS - lost, -STEEPNESS * lost, -STEEPNESS * STEEPNESS * lost


GUMBEL_SWEEP = sweep("gumbel", _terms, _derivatives, _draw, panel=0.38)
"""The poles of v are where x = 2πi: (π/2)/a = 1.22 δ away from the real line."""


@summing
def _descent(s: float, start: int, end: int, p: Floats, w: Floats, beta: Floats) -> tuple[float, float]:
    """The terms of L'(s) from all factors, and their derivative."""
    total, slope = 0.0, 0.0
    for k in range(start, end):
        x = _odds((p[k] - s) / beta[k])
        total += w[k] * beta[k] * (1.0 - x)
        slope += w[k] * x
    return STEEPNESS * total, STEEPNESS * STEEPNESS * slope


@kernel
def gumbel_mode(
    mu: float, p0: float, w0: float, start: int, end: int, p: Floats, w: Floats, beta: Floats
) -> float:
    """The zero of L', searched from `mu` on, among the ratings at which a factor does not pull."""
    low, high, narrowest = p0, p0, math.inf
    for k in range(start, end):
        at_rest = p[k] - MODE * beta[k]
        low, high, narrowest = min(low, at_rest), max(high, at_rest), min(narrowest, beta[k])
    before = high - low
    s = min(max(mu, low), high)
    for _ in range(200):
        total, slope = _descent(s, start, end, p, w, beta)
        total, slope = total + w0 * (s - p0), slope + w0
        if total > 0.0:
            high = s
        else:
            low = s
        step = -total / slope if slope > 0.0 else math.inf
        if abs(step) < LAST_NEWTON_STEP * narrowest:
            return s + step
        if low < s + step < high and abs(step) <= 0.75 * before:
            before, s = abs(step), s + step
        else:
            before, s = high - low, 0.5 * (low + high)
            if not low < high or before <= 1e-15 * abs(s):
                return s
    return s


@kernel
def _pull(s: float, p: float, w: float, beta: float) -> float:
    return w * beta * STEEPNESS * (1.0 - _odds((p - s) / beta))


learn_gumbel = kernel(learning(gumbel_mode, _pull))
