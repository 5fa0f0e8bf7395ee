"""The searches of Elo-MMR and Elo-R where kernels are interpreted.

The compiled searches save exponentials; here every line costs more than an exponential. So these are the
shortest ones: Newton's method, guarded, with sums over whole arrays, or over lists where a match has two
players. Each function has the arguments of the kernel it stands for, which says what they mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from podium.arrays import Floats
from podium.numerics.panels import CERTAIN_SCALES, FLAT_SLOPE_PART

LAST_STEP_IN_SCALES = 1e-8
"""Newton's error is about the square of its last step, counted in the scale of the narrowest term."""
LAST_STEP_OF_LOGARITHMS = 1e-8
"""The same where the unknown numbers are logarithms."""

Look = Callable[[float], tuple[float, float]]
"""A falling function and minus its derivative."""


def performance(
    m: Floats,
    s: Floats,
    w: Floats,
    start: int,
    stop: int,
    own: int,
    own_stop: int,
    ties: int,
    low: float,
    high: float,
) -> float:
    """The zero of one tie group's Q, or the middle of the interval on which Q is zero."""
    rows = []
    for j, (mean, scale, weight) in enumerate(zip(m.tolist(), s.tolist(), w.tolist(), strict=True)):
        won, lost, twice = weight, -weight, 1.0
        if own <= j < own_stop:  # a win and a loss
            twice = 2.0
        elif start <= j < stop:
            won, lost = 0.5 * weight, -0.5 * weight
        elif j < start:
            won = 0.0
        else:
            lost = 0.0
        rows.append((mean, scale, twice * weight, won, lost))

    def surplus(x: float) -> tuple[float, float]:
        parts: list[float] = []
        slope = 0.0
        for mean, scale, weight, won, lost in rows:
            z = (x - mean) / scale
            e = math.exp(-abs(z)) if abs(z) <= CERTAIN_SCALES else 0.0
            share = 1.0 / (1.0 + e)
            lack = weight * e * share
            parts += (lost, lack) if z >= 0.0 else (won, -lack)
            slope += lack * share / scale
        return math.fsum(parts), slope

    narrowest, widest = float(s.min()), float(s.max())
    x, slope, low, high = _newton(
        surplus, 0.5 * float(low + high), float(low), float(high), LAST_STEP_IN_SCALES * narrowest
    )
    if slope > FLAT_SLOPE_PART * float(w.sum()) / widest or surplus(x)[0] != 0.0:
        return x
    lowest = _edge(lambda y: surplus(y)[0] > 0.0, low, x)
    return 0.5 * (lowest + _edge(lambda y: surplus(y)[0] < 0.0, high, x))


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
    """The zero of L' − pull, searched from `mu`."""
    if pull != 0.0 and w0 <= 0.0:
        return math.copysign(math.inf, pull)
    own = slice(start, start + length)
    centre, steepness = p[own], 1.0 / tau[own]
    rise = c * w[own]
    height = rise * tau[own]
    base, weight = float(p0), float(w0)

    def fall(s: float) -> tuple[float, float]:
        t = np.tanh((s - centre) * steepness)
        return pull - weight * (s - base) - float(height @ t), weight + float(rise @ (1.0 - t * t))

    beyond = 2.0 * abs(pull) / weight if pull != 0.0 else 0.0  # twice: the zero is not at a bound
    low = float(centre.min(initial=base)) - beyond
    high = float(centre.max(initial=base)) + beyond
    last = LAST_STEP_IN_SCALES * float(tau[own].min(initial=math.inf))
    return _newton(fall, min(max(float(mu), low), high), low, high, last)[0]


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

    With r = (y/u)² and f(y) = tanh y / y, the paper asks for r f(y) = f(u)/q. Newton's method finds ln q and
    every ln r together; d ln r/d ln(y tanh y) = 2/(1 + h), where h = 2y/sinh 2y = (1 − tanh² y)/f(y).
    """
    kappa = float(variance / (variance + added))
    if length == 0 or kappa == 1.0:
        return kappa
    own = slice(start, start + length)
    u, weight = np.abs(mu - p[own]) / tau[own], 1.0 / (tau[own] * tau[own])
    bent, f = _tanh_part(u)
    log_f, log_ratio, log_q = np.log(f), np.zeros(length), 0.0
    for _ in range(100):
        slope = 2.0 / (1.0 + (1.0 - bent * bent) / f)
        step = log_f - np.log(f) - log_ratio - log_q
        moved = weight * np.exp(log_ratio + slope * step)
        kept = float(w0) * math.exp(-log_q)
        total = kept + float(moved.sum())
        more = math.log(total * (variance + added)) * total / (kept + float(moved @ slope))
        more = min(log_q + more, -math.log(kappa)) - log_q  # normal factors alone would make ln q so large
        log_q += more
        step -= more
        log_ratio += slope * step
        if abs(more) < LAST_STEP_OF_LOGARITHMS and float(step @ step) < LAST_STEP_OF_LOGARITHMS**2:
            break
        bent, f = _tanh_part(u * np.exp(0.5 * log_ratio))
    w[own] = weight * np.exp(log_ratio)
    tau[own] *= np.exp(-0.5 * log_ratio)
    return math.exp(-log_q)


def _tanh_part(y: Floats) -> tuple[Floats, Floats]:
    """tanh y, and tanh y / y."""
    bent = np.tanh(y)
    return bent, np.divide(bent, y, out=np.ones_like(y), where=y > 0.0)


def _newton(look: Look, x: float, low: float, high: float, last: float) -> tuple[float, float, float, float]:
    """The zero of a falling function between `low` and `high`, its slope, and the last two bounds.

    A step that leaves the bounds, or is hardly shorter than the one before, goes to the middle instead.
    """
    before, slope = math.inf, 0.0
    for _ in range(200):
        value, slope = look(x)
        if value == 0.0:
            break
        if value > 0.0:
            low = x
        else:
            high = x
        step = value / slope if slope > 0.0 else math.inf
        if abs(step) <= last:
            x += step
            break
        if low < x + step < high and abs(step) <= 0.75 * before:
            before, x = abs(step), x + step
        else:
            before, x = high - low, 0.5 * (low + high)
            if before <= 1e-15 * abs(x) or before < 1e-12:
                break
    return x, slope, low, high


def _edge(is_outside: Callable[[float], bool], outside: float, inside: float) -> float:
    """Where something begins to hold, between a place where it does and one where it does not."""
    while (between := 0.5 * (outside + inside)) not in (outside, inside):
        if is_outside(between):
            outside = between
        else:
            inside = between
    return inside
