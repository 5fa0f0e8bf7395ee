"""Phase two of Elo-MMR and Elo-R: the belief about a player, and how it drifts and learns.

A belief is a normal factor and a list of logistic factors, one a remembered event. A factor has a weight w,
and 1/σ² is the sum of all weights (Eq. 8 and 10). The rating is the mode: the zero of

    L'(s) = w₀ (s − p₀) + c Σₖ wₖ τₖ tanh((s − pₖ)/τₖ)

In Elo-MMR τ = 2β̄ and c = π²/6, which is Eq. (10); Elo-R has τ = γ and c = 1. Its four ways of adding noise
share this form: "normal" is the pseudodiffusion of Elo-MMR with ρ = ∞, "leading" that with ρ = 0.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats
from podium.numerics.compiler_hints import SUMS_AT_ONCE
from podium.numerics.exponential import NEAR_ZERO, exp, tanh_fraction
from podium.numerics.jit import formula, interpreted_as, kernel, shared_kernel, summing
from podium.systems.elo_mmr import interpreted_searches
from podium.systems.elo_mmr.fancy_noise import add_fancy_noise

DRIFT_TRANSFER, DRIFT_ALL, DRIFT_FANCY = 0, 1, 2
"""Ways of drifting: Elo-MMR's, with its rate ρ; Elo-R's "constant multiple on all τ"; its "fancy method"."""

FOLDED_WEIGHT_PART = 1e-14
"""A factor of less than this part of the total weight becomes part of the normal one. Its pull at the rating
stays the same, so the rating does; once that has moved by D points, the difference is about 1e-14 · D, where
L'' is near the total weight. With ρ near 0 and performances thousands of points apart L'' may be smaller; the
most that was seen is 5e-9."""

LAST_ERROR = 3e-13
"""The error of the mode, as a multiple of τ."""

CENTRE, STEEPNESS, HEIGHT, BEND = range(4)
"""Rows of the work space: pₖ, 1/τₖ, c wₖ τₖ, and tanh((s − pₖ)/τₖ) where L' was last looked at."""


@shared_kernel
def drifted(
    variance: float,
    added: float,
    rho: float,
    way: int,
    mu: float,
    p0: float,
    w0: float,
    start: int,
    length: int,
    p: Floats,
    w: Floats,
    tau: Floats,
) -> tuple[float, float, float]:
    """Add variance to a belief: the new p₀ and w₀, and the part of the normal factor that is kept.

    The logistic factors are changed in place.
    """
    kappa = variance / (variance + added)  # κ of section 4.2
    if way == DRIFT_ALL:
        for k in range(start, start + length):
            w[k] *= kappa
            tau[k] /= math.sqrt(kappa)
        return p0, kappa * w0, kappa
    if way == DRIFT_FANCY:
        kept = add_fancy_noise(variance, added, mu, w0, start, length, p, w, tau)
        return p0, kept * w0, kept
    # Algorithm 2; ρ = ∞ collapses everything, also where nothing is added.
    kept, moved = 0.0, 1.0
    if rho == 1.0:  # the default needs no logarithm
        kept, moved = kappa, added / (variance + added)
    elif not math.isinf(rho):
        exponent = rho * math.log(kappa)
        kept, moved = math.exp(exponent), -math.expm1(exponent)
    gaussian, transferred = kept * w0, moved / variance
    both = gaussian + transferred
    for k in range(start, start + length):
        w[k] *= kappa * kept
    if both > 0.0:
        p0 += transferred / both * (mu - p0)
    return p0, kappa * both, kappa * kept


@kernel
def room_for(factors: int) -> Floats:
    """Work space of `mode`, for beliefs of up to `factors` factors."""
    return np.empty((4, (factors + SUMS_AT_ONCE - 1) // SUMS_AT_ONCE * SUMS_AT_ONCE))


@interpreted_as(interpreted_searches.mode)
@kernel
def mode(
    mu: float,
    pull: float,
    p0: float,
    w0: float,
    start: int,
    length: int,
    p: Floats,
    w: Floats,
    tau: Floats,
    c: float,
    space: Floats,
) -> float:
    """The zero of L' − pull, searched from `mu`; `space` comes from `room_for`.

    Steps use four derivatives, and looking at L' again after a short one needs no exponentials: from where a
    player's last rating was, two looks are enough for nearly everybody.
    """
    if pull != 0.0 and w0 <= 0.0:
        return math.copysign(math.inf, pull)
    s, size = mu, (length + SUMS_AT_ONCE - 1) // SUMS_AT_ONCE * SUMS_AT_ONCE
    for i in range(length):
        k = start + i
        space[CENTRE, i], space[STEEPNESS, i], space[HEIGHT, i] = p[k], 1.0 / tau[k], c * w[k] * tau[k]
    for i in range(length, size):  # nothing
        space[CENTRE, i], space[STEEPNESS, i], space[HEIGHT, i] = s, 0.0, 0.0
    low, high, before, step, far = -math.inf, math.inf, math.inf, 0.0, 1.0
    third, fourth, sharpness = 0.0, 0.0, 0.0
    for _ in range(200):
        if far == 0.0:
            total, slope, second, far = _look_near(step, size, space)
            third, fourth = 0.0, 0.0
        if far > 0.0:
            total, slope, second, third, fourth, sharpness = _look(s, size, space)
        total, slope = total + (w0 * (s - p0) - pull), slope + w0
        if total == 0.0:
            return s
        low, high = s if total < 0.0 else low, s if total > 0.0 else high
        known, far, step = far == 0.0, 1.0, math.inf
        if slope > 0.0:
            part = 1.0 / slope
            step, bend = -total * part, 0.5 * second * part
            square = step * step * (sharpness * part)  # of the step as a multiple of τ
            error = square + bend * step * (bend * step)
            last = square * error * error < LAST_ERROR * LAST_ERROR
            if s + step == s:  # no number is nearer
                return s
            if known and last:  # the step before was short for all factors, so this one is
                step = _householder(step, bend, 0.0)
                return s + step if abs(step) <= before else s
            if square < NEAR_ZERO * NEAR_ZERO:
                step = _zero_of_series(step, bend, third * part / 6.0, fourth * part / 24.0)
                far = 0.0
        if low < s + step < high and abs(step) <= 0.75 * before:
            before, s = abs(step), s + step
            continue
        if math.isinf(high - low):  # nothing is known yet of one side: the zero is among what is averaged
            least, most = p0, p0
            for k in range(start, start + length):
                least, most = min(least, p[k]), max(most, p[k])
            beyond = abs(pull) / w0 if pull != 0.0 else 0.0
            low, high = max(low, least - beyond), min(high, most + beyond)
        before, s, far = high - low, 0.5 * (low + high), 1.0
        if not low < high or before <= 1e-15 * abs(s):
            return s
    return s


@formula
def _householder(newton: float, second: float, third: float) -> float:
    """About the x with x + second x² + third x³ = newton."""
    return newton * (1.0 + second * newton) / (1.0 + newton * (2.0 * second + third * newton))


@formula
def _zero_of_series(newton: float, second: float, third: float, fourth: float) -> float:
    """The x with x + second x² + third x³ + fourth x⁴ = newton: Householder's step, then one of Newton's."""
    x = _householder(newton, second, third)
    value = x * (1.0 + x * (second + x * (third + x * fourth)))
    return x - (value - newton) / (1.0 + x * (2.0 * second + x * (3.0 * third + x * 4.0 * fourth)))


@summing
def _look(s: float, size: int, space: Floats) -> tuple[float, float, float, float, float, float]:
    """What the logistic factors add to L'(s) and its first four derivatives; slopes divided by τ², added."""
    total, slope, second, third, fourth, sharpness = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(size):
        g = space[STEEPNESS, i]
        e = exp(2.0 * g * (space[CENTRE, i] - s))
        t = (1.0 - e) / (1.0 + e)
        space[BEND, i] = t
        height, gt = space[HEIGHT, i], g * t
        gt2, g2 = gt * gt, g * g
        rise = height * g * (1.0 - t * t)
        total += height * t
        slope += rise
        second += rise * gt
        third += rise * (3.0 * gt2 - g2)
        sharpness += rise * g2
        fourth += rise * gt * (2.0 * g2 - 3.0 * gt2)
    return total, slope, -2.0 * second, 2.0 * third, 8.0 * fourth, sharpness


@summing
def _look_near(step: float, size: int, space: Floats) -> tuple[float, float, float, float]:
    """The same after a step from the last look, with two derivatives; and how many factors are too steep.

    tanh(a + b) follows from tanh a and tanh b, and that is a fraction near 0.
    """
    total, slope, second, far = 0.0, 0.0, 0.0, 0.0
    for i in range(size):
        g, t = space[STEEPNESS, i], space[BEND, i]
        b = g * step
        b2 = b * b
        upper, lower = tanh_fraction(b2)
        upper *= b
        t = (t * lower + upper) / (lower + t * upper)
        space[BEND, i] = t
        height = space[HEIGHT, i]
        rise = height * g * (1.0 - t * t)
        total += height * t
        slope += rise
        second += rise * g * t
        far += 1.0 if b2 > NEAR_ZERO * NEAR_ZERO else 0.0
    return total, slope, -2.0 * second, far


@kernel
def factor_pull(s: float, p: float, w: float, tau: float, c: float) -> float:
    """The term of L'(s) from one logistic factor."""
    return c * w * tau * math.tanh((s - p) / tau)


@kernel
def folded(mu: float, p0: float, w0: float, w: float, pulled: float) -> tuple[float, float]:
    """p₀ and w₀ after a factor of weight w joins the normal one, with the same pull at the rating."""
    if w0 + w > 0.0:
        p0 += (w * (mu - p0) - pulled) / (w0 + w)
    return p0, w0 + w
