"""Expected scores of a free-for-all where kernels are interpreted: the sums of `mean_scores` over arrays.

The compiled sums leave out far tails. Here that would take longer than to add them.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats
from podium.numerics.free_for_all.noise import GUMBEL, LOGISTIC
from podium.numerics.normal import NORMAL_PEAK

NUMBERS_AT_ONCE = 1_000_000
LOWEST_GUMBEL = -6.0
"""Gumbel performances below it have a probability of 1e-175; far below it, exponentials overflow."""

_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def score_field(
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
    """Fill the mean expected score of each side against the others; points are at first + k·h."""
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
