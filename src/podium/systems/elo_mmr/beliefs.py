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
from podium.numerics.exponential import exp
from podium.numerics.jit import kernel

DRIFT_TRANSFER, DRIFT_ALL, DRIFT_FANCY = 0, 1, 2
"""Ways of drifting: Elo-MMR's, with its rate ρ; Elo-R's "constant multiple on all τ"; its "fancy method"."""

FOLDED_WEIGHT_PART = 1e-14
"""A factor of less than this part of the total weight becomes part of the normal one. Its pull at the rating
stays the same, so the rating does; once that has moved by D points, the difference is about 1e-14 · D, where
L'' is near the total weight. With ρ near 0 and performances thousands of points apart L'' may be smaller; the
most that was seen is 5e-9."""

SUMS_AT_ONCE = 16
LAST_NEWTON_STEP = 1e-6
"""A Newton step below this multiple of τ leaves an error of about its square."""


@kernel
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
        q = _fancy_factor(1.0 / (variance + added), 1.0 / kappa, mu, w0, start, length, p, w, tau)
        return p0, w0 / q, 1.0 / q
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
def _fancy_factor(
    target: float,
    largest: float,
    mu: float,
    w0: float,
    start: int,
    length: int,
    p: Floats,
    w: Floats,
    tau: Floats,
) -> float:
    """κ² of Elo-R's section 5.2, between 1 and `largest`; weights and τ take their new values.

    With u = |r − μₖ|/τₖ the condition on τ' is u' tanh u' = (u tanh u)/κ², and then 1/τ'² = (u'/(r − μₖ))².
    """
    low, high = 1.0, largest
    q = high
    for _ in range(200):
        total, slope = w0 / q, -w0 / (q * q)
        for k in range(start, start + length):
            weight, change = _fancy_weight(abs(mu - p[k]), tau[k], q)
            total += weight
            slope += change
        if total > target:
            low = q
        else:
            high = q
        move = (target - total) / slope
        if abs(move) <= 1e-15 * q or not low < high:
            break
        q = q + move if low <= q + move <= high else 0.5 * (low + high)
    for k in range(start, start + length):
        w[k] = _fancy_weight(abs(mu - p[k]), tau[k], q)[0]
        tau[k] = 1.0 / math.sqrt(w[k])
    return q


@kernel
def _fancy_weight(distance: float, tau: float, q: float) -> tuple[float, float]:
    """1/τ'² and its derivative by q."""
    u = distance / tau
    if u < 1e-6:
        return 1.0 / (q * tau * tau), -1.0 / (q * q * tau * tau)
    aim = u * math.tanh(u) / q
    # y tanh y is y² near 0 and like y far out; from these starts Newton's method takes a few steps.
    y = math.sqrt(aim) * math.sqrt(1.0 + aim) if aim < 1.0 else aim + 0.5
    for _ in range(60):
        t = math.tanh(y)
        step = (y * t - aim) / (t + y * (1.0 - t * t))
        y -= step
        if abs(step) <= 4e-16 * y:
            break
    t = math.tanh(y)
    weight = (y / distance) ** 2
    return weight, -2.0 * weight / y * aim / q / (t + y * (1.0 - t * t))


@kernel
def room_for(factors: int) -> Floats:
    """Work space of `mode`, for beliefs of up to `factors` factors."""
    return np.empty((5, (factors + SUMS_AT_ONCE - 1) // SUMS_AT_ONCE * SUMS_AT_ONCE))


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
    """The zero of L' − pull, searched from `mu`; `space` comes from `room_for`."""
    if pull != 0.0 and w0 <= 0.0:
        return math.copysign(math.inf, pull)
    s = mu
    # The factors side by side, filled up with nothing to a whole number of vectors: odd ends would be slow.
    size = (length + SUMS_AT_ONCE - 1) // SUMS_AT_ONCE * SUMS_AT_ONCE
    centre, steepness, height, pulls, slopes = space[0], space[1], space[2], space[3], space[4]
    narrowest = math.inf if length > 0 else 1.0
    for i in range(length):
        k = start + i
        centre[i], steepness[i], height[i] = p[k], -2.0 / tau[k], c * w[k] * tau[k]
        narrowest = min(narrowest, tau[k])
    for i in range(length, size):
        centre[i], steepness[i], height[i] = s, 0.0, 0.0
    low, high, before = -math.inf, math.inf, math.inf
    for _ in range(200):
        total, slope = w0 * (s - p0) - pull, w0
        for i in range(size):
            e = exp((s - centre[i]) * steepness[i])
            t = (1.0 - e) / (1.0 + e)
            pulls[i] = height[i] * t
            slopes[i] = -0.5 * height[i] * steepness[i] * (1.0 - t * t)
        a, b, d, f = 0.0, 0.0, 0.0, 0.0
        for i in range(0, size, 2):  # two sums of each at a time; one would wait for itself
            a, b = a + pulls[i], b + pulls[i + 1]
            d, f = d + slopes[i], f + slopes[i + 1]
        total, slope = total + (a + b), slope + (d + f)
        if total == 0.0:
            return s
        if total > 0.0:
            high = s
        else:
            low = s
        step = -total / slope if slope > 0.0 else math.inf
        if abs(step) < LAST_NEWTON_STEP * narrowest:
            return s + step
        if low < s + step < high and abs(step) <= 0.75 * before:
            before, s = abs(step), s + step
            continue
        if math.isinf(high - low):  # nothing is known yet of one side: the zero is among what is averaged
            least, most = p0, p0
            for k in range(start, start + length):
                least, most = min(least, p[k]), max(most, p[k])
            beyond = abs(pull) / w0 if pull != 0.0 else 0.0
            low, high = max(low, least - beyond), min(high, most + beyond)
        before, s = high - low, 0.5 * (low + high)
        if not low < high or before <= 1e-15 * abs(s):
            return s
    return s


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
