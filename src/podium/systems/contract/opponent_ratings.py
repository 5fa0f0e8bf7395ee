"""Win curves turned round: from a chance to win to the rating of the opponent who leaves it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Bools, Floats
from podium.numerics.normal import normal_quantiles

FARTHEST_POINTS = 1e9
"""Points beyond which no win curve rises."""
REACHABLE_PART = 0.98
"""Of the way from a half to where a curve ends: as far as differences still mean something."""
MOST_STEPS = 200
"""More than halving alone needs between any two numbers here."""


def logistic_gap(probability: ArrayLike, scale: ArrayLike) -> Floats:
    """How far above an opponent a player with this win probability is: scale · log₁₀(p/(1 − p)).

    >>> logistic_gap([0.5, 10 / 11], 400.0).round(6).tolist()
    [0.0, 400.0]
    """
    p = np.asarray(probability, np.float64)
    with np.errstate(divide="ignore"):
        gap: Floats = np.asarray(scale) * (np.log10(p) - np.log10(1.0 - p))
    return gap


def normal_gap(probability: ArrayLike, deviation: ArrayLike) -> Floats:
    """The same if the difference of performances is normal with this deviation: deviation · Φ⁻¹(p)."""
    return np.asarray(deviation) * normal_quantiles(probability)


def opponent_found(
    win_probability: Callable[..., Floats],
    probability: Floats,
    mu: Floats,
    sigma: ArrayLike | None,
    opponent_sigma: ArrayLike | None,
) -> Floats:
    """The rating of an opponent beaten with this probability, by root finding; arrays are broadcast."""
    deviations = [None if s is None else np.asarray(s, np.float64) for s in (sigma, opponent_sigma)]
    shape = np.broadcast_shapes(probability.shape, *(s.shape for s in deviations if s is not None))
    p, flat = np.broadcast_to(probability, shape), np.broadcast_to(mu, shape).ravel()
    ours, theirs = (None if s is None else np.broadcast_to(s, shape).ravel() for s in deviations)

    def chance(rating: Floats, some: Bools) -> Floats:
        a, b = (None if s is None else s[some] for s in (ours, theirs))
        return win_probability(flat[some], a, rating, b)

    return solve_opponent(chance, flat, p)


def solve_opponent(chance: Callable[[Floats, Bools], Floats], mu: Floats, probability: Floats) -> Floats:
    """For each player rated `mu`, the rating of an opponent beaten with this probability, numerically.

    `chance(rating, some)` is the chance of those of `some` against opponents of these ratings; it falls as
    the rating rises, wherever it stands. Where a curve ends short of 0 or 1, as Sonas's line does and
    that of a game with a coin in it, chances near and beyond its end mean the rating at which it is nearly
    there.
    """
    shape, mu, p = probability.shape, mu.ravel(), probability.ravel()
    everyone = np.ones(len(mu), np.bool_)
    most, least = chance(mu - FARTHEST_POINTS, everyone), chance(mu + FARTHEST_POINTS, everyone)
    even = chance(mu, everyone)
    p = np.where(most < 1.0, np.minimum(p, even + REACHABLE_PART * (most - even)), p)
    p = np.where(least > 0.0, np.maximum(p, even + REACHABLE_PART * (least - even)), p)
    low, high = _bracket(chance, mu, p, even)
    return _between(chance, low, high, p).reshape(shape)


def _bracket(
    chance: Callable[[Floats, Bools], Floats], mu: Floats, p: Floats, even: Floats
) -> tuple[Floats, Floats]:
    """Ratings below and above the one looked for: from the player's own, in steps that double."""
    easier = p > even
    near, far = mu.copy(), mu.copy()
    step, searching = np.where(easier, -1.0, 1.0), p != even
    while searching.any():
        far[searching] = near[searching] + step[searching]
        found = chance(far[searching], searching)
        wanted = p[searching]
        reached = np.where(easier[searching], found >= wanted, found <= wanted)
        reached |= np.abs(step[searching]) > FARTHEST_POINTS
        still = searching.copy()
        still[searching] = ~reached
        near[still] = far[still]
        step[still] *= 2.0
        searching = still
    return np.minimum(near, far), np.maximum(near, far)


def _between(chance: Callable[[Floats, Bools], Floats], low: Floats, high: Floats, p: Floats) -> Floats:
    """Where a falling chance meets p, by Chandrupatla's method: parabolas where safe, else halves."""
    open_ = high > low
    a, b = low.copy(), high.copy()
    fa, fb = np.zeros_like(p), np.zeros_like(p)
    fa[open_], fb[open_] = chance(a[open_], open_) - p[open_], chance(b[open_], open_) - p[open_]
    c, fc, part = a.copy(), fa.copy(), np.full_like(p, 0.5)
    for _ in range(MOST_STEPS):
        best = np.where(np.abs(fa) < np.abs(fb), a, b)
        tolerance = 4.0 * np.spacing(np.maximum(np.abs(best), 1.0))
        open_ &= (np.abs(b - a) > tolerance) & (fa != 0.0) & (fb != 0.0)
        if not open_.any():
            break
        x = a[open_] + part[open_] * (b[open_] - a[open_])
        fx = chance(x, open_) - p[open_]
        same = np.sign(fx) == np.sign(fa[open_])
        c[open_] = np.where(same, a[open_], b[open_])
        fc[open_] = np.where(same, fa[open_], fb[open_])
        b[open_], fb[open_] = np.where(same, b[open_], a[open_]), np.where(same, fb[open_], fa[open_])
        a[open_], fa[open_] = x, fx
        with np.errstate(divide="ignore", invalid="ignore"):
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            safe = (phi**2 < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
            guess = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            edge = 0.5 * tolerance / np.abs(b - a)
        part = np.where(safe & np.isfinite(guess), np.clip(guess, edge, 1.0 - edge), 0.5)
    return np.where(np.abs(fa) < np.abs(fb), a, b)
