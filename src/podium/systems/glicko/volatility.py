"""The volatility of Glicko-2: how erratically somebody performs, learned from each rating period."""

from __future__ import annotations

import math

from podium.numerics.jit import kernel


@kernel
def new_volatility(
    volatility: float, phi_squared: float, information: float, surprise: float, tau: float
) -> float:
    """Step 5 of Glicko-2: the root of f by the Illinois algorithm, to machine precision.

    With v = 1/information and Δ = v·surprise. Where information has underflowed so far that Δ² leaves double
    precision, the volatility stays. For a large surprise f has three roots; the paper's bracket and update
    rule lead to the smallest, so both are followed to the letter.
    """
    if tau == 0.0 or information * information < 1e-290 * max(1.0, surprise * surprise):
        return volatility
    v, delta = 1.0 / information, surprise / information
    a = math.log(volatility * volatility)
    low = a
    if delta * delta > phi_squared + v:
        high = math.log(delta * delta - phi_squared - v)
    else:
        steps = 1
        while _volatility_slope(a - steps * tau, a, delta, phi_squared, v, tau) < 0.0 and steps < 1000:
            steps += 1
        high = a - steps * tau
    f_low = _volatility_slope(low, a, delta, phi_squared, v, tau)
    f_high = _volatility_slope(high, a, delta, phi_squared, v, tau)
    for _ in range(200):
        if f_high == 0.0 or f_low == f_high or abs(high - low) <= 1e-15 * max(1.0, abs(low)):
            break
        middle = low + (low - high) * (f_low / (f_high - f_low))
        f_middle = _volatility_slope(middle, a, delta, phi_squared, v, tau)
        if f_middle * f_high <= 0.0:
            low, f_low = high, f_high
        else:
            f_low /= 2.0
        high, f_high = middle, f_middle
    return math.exp((high if f_high == 0.0 else low) / 2.0)


@kernel
def _volatility_slope(x: float, a: float, delta: float, phi_squared: float, v: float, tau: float) -> float:
    """f(x), with numerator and denominator divided so that neither Δ² nor eˣ can overflow."""
    e = math.exp(x)
    total = phi_squared + v + e
    return (e / total) * ((delta / total) * delta - 1.0) / 2.0 - (x - a) / (tau * tau)
