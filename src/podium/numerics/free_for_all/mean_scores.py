"""Expected scores of everybody in many free-for-alls, fast.

The expected place of i is ½ + ∫ fᵢ(x) S(x) dx with S(x) = Σⱼ P(j above x), as in `mean_places`. Everything
under the integral is analytic in a strip around the real line, so the plainest rule, a sum over equidistant
points, converges as fast as e^(−2πd/h) for a strip of half-width d and points h apart: S is needed at those
points only and nothing has to be interpolated.

In fields of up to `EXACT_UP_TO` the error is below 1e-10 (mostly 1e-12); in larger ones, where a score is a
mean over many and nearly certain ones are rare, points are farther apart and far tails are left out: 1e-8.
Fields whose scales differ so much that they would need too many points are left to
`mean_places.expected_ranks`.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.numerics.free_for_all.noise import GUMBEL, LOGISTIC, chances_above, densities
from podium.numerics.jit import interpreted_as, kernel, summing
from podium.numerics.normal import NORMAL_PEAK

NUMBERS_AT_ONCE = 1_000_000
LOWEST_GUMBEL = -6.0
"""Gumbel performances below it have a probability of 1e-175; far below it, exponentials overflow."""

_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def score_field_by_arrays(
    family: int,
    location: Floats,
    scale: Floats,
    h: float,
    first: float,
    down: float,
    up: float,
    points: int,
    out: Floats,
) -> None:
    """`_score_field` where kernels are interpreted, with far tails: leaving them out takes longer there."""
    n = len(location)
    at = first + h * np.arange(points, dtype=np.float64)
    step = max(NUMBERS_AT_ONCE // points, 1)
    parts = [slice(start, start + step) for start in range(0, n, step)]
    sums = np.zeros(points)
    for part in parts:
        sums += _above_and_density(family, at, location[part], scale[part])[0].sum(axis=0)
    for part in parts:
        density = _above_and_density(family, at, location[part], scale[part])[1]
        total = (density * sums).sum(axis=1)
        out[part] = np.clip((n - 0.5 - total * h / scale[part]) / (n - 1), 0.0, 1.0)


def _above_and_density(family: int, at: Floats, location: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """For each side, the probability of a performance above each point, and the density there."""
    z = (at - location[:, None]) / scale[:, None]
    if family == GUMBEL:
        y = np.exp(-np.maximum(z, LOWEST_GUMBEL))
        return -np.expm1(-y), y * np.exp(-y)
    a = np.abs(z)
    if family == LOGISTIC:
        e = np.exp(-a)
        low = e / (1.0 + e)
        return np.where(z >= 0.0, low, 1.0 - low), low * (1.0 - low)
    low = 0.5 * _erfc(a / math.sqrt(2.0))
    return np.where(z >= 0.0, low, 1.0 - low), np.exp(-0.5 * a * a) * NORMAL_PEAK


EXACT_UP_TO = 256
"""Fields up to this size are computed as exactly as numbers allow, nearly."""
MOST_POINTS = 8192
"""Points at which a field is looked at, at most."""


@kernel
def _rule(family: int, small: bool) -> tuple[float, float, float]:
    """How far apart points are and how far performances reach down and up, in scales.

    A logistic density has poles at a distance of π; a Gumbel one grows beyond π/2; a normal one grows like
    the exponential of a square, where the best strip gives e^(−π²/h²).
    """
    if family == LOGISTIC:
        return (0.58, -37.0, 37.0) if small else (0.9, -19.0, 19.0)
    if family == GUMBEL:
        return (0.32, -3.7, 37.0) if small else (0.5, -3.2, 19.0)
    return (0.55, -8.5, 8.5) if small else (0.7, -6.0, 6.0)


@kernel
def score_fields(
    offsets: Longs, family: int, location: Floats, scale: Floats, out: Floats, missed: Bools
) -> None:
    """Fill the mean expected score of each side against the others of its event.

    ``missed`` marks events that need more points than there are.
    """
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        here, spread = location[lo:hi], scale[lo:hi]
        n = hi - lo
        step, down, up = _rule(family, n <= EXACT_UP_TO)
        narrowest, first, last = np.inf, np.inf, -np.inf
        for i in range(n):
            narrowest = min(narrowest, spread[i])
            first = min(first, here[i] + down * spread[i])
            last = max(last, here[i] + up * spread[i])
        h = step * narrowest
        missed[e] = not (last - first < h * (MOST_POINTS - 2))
        if not missed[e]:
            _score_field(family, here, spread, h, first, down, up, int((last - first) / h) + 2, out[lo:hi])


@interpreted_as(score_field_by_arrays)
@kernel
def _score_field(
    family: int,
    location: Floats,
    scale: Floats,
    h: float,
    first: float,
    down: float,
    up: float,
    points: int,
    out: Floats,
) -> None:
    """One event; points are at first + k·h."""
    n = len(location)
    start, stop, place = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    sums, sure = np.empty(points), np.empty(points + 1)
    z, values = np.empty(points), np.empty(points)
    for k in range(points):
        sums[k], sure[k] = 0.0, 0.0
    sure[points] = 0.0
    room = 0
    for j in range(n):
        start[j] = max(math.ceil((location[j] + down * scale[j] - first) / h), 0)
        stop[j] = min(int((location[j] + up * scale[j] - first) / h) + 1, points)
        place[j] = room
        room += stop[j] - start[j]
    # A logistic density is c (1 − c): chances that are kept need no other exponential.
    kept = np.empty(room if family == LOGISTIC else 0)
    for j in range(n):
        count = stop[j] - start[j]
        chances = kept[place[j] : place[j] + count] if family == LOGISTIC else values[:count]
        points_of_j = z[:count]
        _standardise(first + start[j] * h, h, location[j], scale[j], points_of_j)
        chances_above(family, points_of_j, chances)
        for k in range(count):
            sums[start[j] + k] += chances[k]
        sure[start[j]] += 1.0  # above every point before it
    above = 0.0
    for k in range(points - 1, -1, -1):
        above += sure[k + 1]
        sums[k] += above
    for i in range(n):
        count = stop[i] - start[i]
        if family == LOGISTIC:
            for k in range(count):
                chance = kept[place[i] + k]
                values[k] = chance * (1.0 - chance)
        else:
            _standardise(first + start[i] * h, h, location[i], scale[i], z[:count])
            densities(family, z[:count], values[:count])
        total = _weighed(values[:count], sums[start[i] : stop[i]])
        # (n − rank)/(n − 1), the rank being ½ more than the integral
        out[i] = min(max((n - 0.5 - total * h / scale[i]) / (n - 1), 0.0), 1.0)


@summing
def _weighed(values: Floats, weights: Floats) -> float:
    total = 0.0
    for k in range(len(values)):
        total += values[k] * weights[k]
    return total


@kernel
def _standardise(first: float, h: float, location: float, scale: float, z: Floats) -> None:
    """Points from `first` on, as performances of a player with location 0 and scale 1."""
    start, step = (first - location) / scale, h / scale
    for k in range(len(z)):
        z[k] = start + k * step
