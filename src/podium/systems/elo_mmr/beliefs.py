"""Phase two of Elo-MMR and Elo-R: the belief about a player, and how it drifts and learns.

A belief is a normal factor and a list of logistic factors, one a remembered event. A factor has a weight w,
and 1/σ² is the sum of all weights (Eq. 8 and 10). The rating is the mode: the zero of

    L'(s) = w₀ (s − p₀) + c Σₖ wₖ τₖ tanh((s − pₖ)/τₖ)

In Elo-MMR τ = 2β̄ and c = π²/6, which is Eq. (10); Elo-R has τ = γ and c = 1. Its four ways of adding noise
share this form: "normal" is the pseudodiffusion of Elo-MMR with ρ = ∞, "leading" that with ρ = 0.

By Elo-R's "fancy" noise every factor loses the same part of its pull at the rating. Section 5.2 of its paper
asks for κ² =: q and, with u = |r − μₖ|/τₖ, for the y = |r − μₖ|/τ'ₖ of each factor:

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
from podium.numerics.jit import formula, interpreted_as, kernel, shared_kernel, summing
from podium.systems.elo_mmr import interpreted_searches

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


SMALL = 0.5
"""Steps up to this size are of third order."""
LAST_STEPS, LAST_STEP = 1e-6, 3e-5
"""After a step s the error is about 0.02 s⁴, and about 0.02 s³ in ln q: sum of squares of all steps, and the
step of ln q, of the last round."""
SATURATED = 20.0
"""Beyond this tanh is 1."""

Y, RATIO, BASE, SLOPE, CURVE, TWIST, STEP, WEIGHT = range(8)
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
        space[SLOPE, i], space[CURVE, i], space[TWIST, i], space[STEP, i] = m, bend, twist, step
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
        bend, twist = (space[CURVE, i], space[TWIST, i]) if small else (0.0, 0.0)
        factor = exp(0.5 * step * (space[SLOPE, i] + step * (0.5 * bend + step * twist / 6.0)))
        space[Y, i] *= factor
        space[RATIO, i] *= factor * factor
        squares += step * step
    return squares
