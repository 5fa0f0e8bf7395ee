"""Elo-R's "fancy" noise: every factor of a belief loses the same part of its pull at the rating.

Section 5.2 of the paper asks for κ² =: q and, with u = |r − μₖ|/τₖ, for the y = |r − μₖ|/τ'ₖ of each factor:

    y tanh y = (u tanh u)/q,      w₀/q + Σₖ (y/u)²/τₖ² = 1/(σ² + η²)

In logarithms all of this is nearly linear: with a = ln(y tanh y) and h = 2y/sinh 2y, d ln y/da = 1/(1 + h),
which lies between ½ and 1. So every y and ln q take steps of third order together, as long as all steps are
small; larger ones are of first order. Two rounds are usual.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats
from podium.numerics.compiler_hints import SUMS_AT_ONCE
from podium.numerics.exponential import NEAR_ZERO, exp, tanh_fraction
from podium.numerics.jit import interpreted_as, kernel, summing
from podium.systems.elo_mmr import interpreted_searches

SMALL = 0.5
"""Steps up to this size are of third order."""
LAST_STEPS, LAST_STEP = 1e-6, 3e-5
"""After a step s the error is about 0.02 s⁴, and about 0.02 s³ in ln q: sum of squares of all steps, and the
step of ln q, of the last round."""
SATURATED = 20.0
"""Beyond this tanh is 1."""

Y, RATIO, BASE, SLOPE, BEND, TWIST, STEP, WEIGHT = range(8)
"""Rows of the work space: y and (y/u)²; u/tanh u, or 0 before the first round, in which y is u; d ln y²/da
and its derivatives; a step of a; 1/τ²."""


@interpreted_as(interpreted_searches.add_fancy_noise)
@kernel
def add_fancy_noise(
    variance: float,
    added: float,
    mu: float,
    w0: float,
    start: int,
    length: int,
    p: Floats,
    w: Floats,
    tau: Floats,
) -> float:
    """Add variance to a belief: the part of the normal factor that is kept, 1/q.

    The weights and τ of the other factors take their new values.
    """
    kappa = variance / (variance + added)
    if length == 0 or kappa == 1.0:
        return kappa
    size = (length + SUMS_AT_ONCE - 1) // SUMS_AT_ONCE * SUMS_AT_ONCE
    space = np.empty((8, size))
    for i in range(length):
        k = start + i
        space[Y, i], space[WEIGHT, i] = abs(mu - p[k]) / tau[k], 1.0 / (tau[k] * tau[k])
    for i in range(size):
        space[RATIO, i], space[BASE, i] = 1.0, 0.0
        if i >= length:  # nothing
            space[Y, i], space[WEIGHT, i] = 0.0, 0.0
    kept, log_q, most = 1.0, 0.0, -math.log(kappa)  # normal factors alone would make ln q as large as that
    for _ in range(100):
        total, first, second, third = _sums(kept, space)
        normal = w0 * kept
        total, first, second, third = total + normal, first + normal, second + normal, third + normal
        # ln(total) falls by first/total for each 1 of ln q; the series, reverted, has two more terms.
        step = math.log(total * (variance + added)) * total / first
        if abs(step) < SMALL:
            bend = 0.5 * (second / first - first / total)
            twist = (third / first - 3.0 * second / total + 2.0 * (first / total) ** 2) / 6.0
            step *= 1.0 + step * (bend + step * (2.0 * bend * bend - twist))
        step = min(log_q + step, most) - log_q
        log_q += step
        kept = math.exp(-log_q)
        if _take_steps(step, space) < LAST_STEPS and abs(step) < LAST_STEP:
            break
    for i in range(length):
        k = start + i
        w[k] = space[WEIGHT, i] * space[RATIO, i]
        tau[k] /= math.sqrt(space[RATIO, i])
    return kept


@summing
def _sums(kept: float, space: Floats) -> tuple[float, float, float, float]:
    """The steps that factors need for this 1/q; the sum of weights after these, and its derivatives by a."""
    total, first, second, third = 0.0, 0.0, 0.0, 0.0
    for i in range(space.shape[1]):
        y = space[Y, i]
        y2 = y * y
        e = exp(-2.0 * y)
        lower, upper = tanh_fraction(y2)  # of y/tanh y; near 0, 1 − e would lose digits
        upper, lower = (upper, lower) if y < NEAR_ZERO else (y * (1.0 + e), 1.0 - e)
        inverse = 1.0 / (upper * lower)
        r, t2 = upper * upper * inverse, y2 * (lower * lower * inverse) * (lower * lower * inverse)
        h = r * (1.0 - t2) if y < SATURATED else 0.0
        k = r * (1.0 + t2)  # 2y coth 2y
        m = 2.0 / (1.0 + h)
        part, rest = 0.25 * m * m * m * h, k - 1.0
        bend = part * rest
        twist = m * (0.75 * m * bend * h * rest + 0.5 * part * (k - h * h - rest * rest))
        base = space[BASE, i] if space[BASE, i] > 0.0 else r
        space[BASE, i] = base
        is_now, wanted = base * space[RATIO, i], kept * r
        # ln(wanted/is_now) to third order
        step = (wanted - is_now) * (wanted + 5.0 * is_now) / (is_now * (4.0 * wanted + 2.0 * is_now))
        step = min(max(step, -SMALL), SMALL)
        space[SLOPE, i], space[BEND, i], space[TWIST, i], space[STEP, i] = m, bend, twist, step
        weight = space[WEIGHT, i] * space[RATIO, i]
        m1, m2, m3 = weight * m, weight * (m * m + bend), weight * (m * (m * m + 3.0 * bend) + twist)
        total += weight + step * (m1 + step * (0.5 * m2 + step * m3 / 6.0))
        first += m1 + step * (m2 + 0.5 * step * m3)
        second += m2 + step * m3
        third += m3
    return total, first, second, third


@summing
def _take_steps(more: float, space: Floats) -> float:
    """Take the steps of all factors, ln q having grown by `more`; the sum of their squares."""
    squares = 0.0
    for i in range(space.shape[1]):
        step = space[STEP, i] - more
        small = abs(step) < SMALL
        bend, twist = (space[BEND, i], space[TWIST, i]) if small else (0.0, 0.0)
        factor = exp(0.5 * step * (space[SLOPE, i] + step * (0.5 * bend + step * twist / 6.0)))
        space[Y, i] *= factor
        space[RATIO, i] *= factor * factor
        squares += step * step
    return squares
