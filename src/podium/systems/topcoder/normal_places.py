"""Places to expect of normal performances: Σⱼ Φ((xⱼ − xᵢ)/√(vᵢ² + vⱼ²)), for all i in time linear in n.

Two deviations are in every term, so no single function of x serves everybody. But a square wave of
half-period L, blurred by a normal of variance s², is

    (4/π) Σ_{k odd} sin(kπu/L)/k · exp(−(kπ/L)² s²/2),

which for s² = vᵢ² + vⱼ² and u = xⱼ − xᵢ falls apart into factors of i and factors of j; and as long as |u|
stays clear of L by `CERTAIN_DEVIATIONS`, it is 2 Φ(u/s) − 1. Modes are left out when their last factor is
below e^−36. Both errors are about 2e-16 a pair, and so is what rounding adds: 7e-16 n was seen for a million.

The number of modes goes with L over the smallest deviation: less than a hundred in a usual contest. Two
divisions keep it below 500 in any other:

- pairs further than `CERTAIN_DEVIATIONS` apart are certain, so the field is cut into stretches, each of which
  sees only those near it;
- deviations are taken in classes that differ by at most `CLASS_WIDTH`; a pair belongs to the class of its
  larger one.

A stretch with so few pairs that going through them is faster is summed directly.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats, Longs
from podium.numerics.allpairs import sorted_order
from podium.numerics.jit import kernel
from podium.numerics.panels import count_below

DIRECT_UP_TO = 32
"""Fields of up to this number of players are summed directly."""
CERTAIN_DEVIATIONS = 8.3
"""Deviations after which a result is certain: Φ(−8.3) is 5e-17."""
MODES_END_AT = 8.5
"""√72: exp(−DECAY²/2) = e^−36, where modes end."""
CLASS_WIDTH = 8.0
STRETCH_LENGTH = 1.5
"""Length of a stretch in lengths of what it sees to either side; about where the work is least."""
PLAYERS_AT_ONCE = 128
PAIR_COST, MODE_COST, PLAYER_COST = 16.0, 1.2, 60.0
"""Nanoseconds, roughly: a pair; a mode of a player, there and back; what else a player costs."""


@kernel
def normal_places(x: Floats, v: Floats, out: Floats) -> None:
    """Fill the expected place of each: Σⱼ Φ((xⱼ − xᵢ)/√(vᵢ² + vⱼ²)), with oneself as one half."""
    n = len(x)
    order = sorted_order(x)
    ascending, deviation, total = np.empty(n), np.empty(n), np.empty(n)
    left = np.empty(n, np.int64)
    for k in range(n):
        ascending[k], deviation[k], total[k], left[k] = x[order[k]], v[order[k]], 0.0, k
    if n <= DIRECT_UP_TO:
        _add_pairs(ascending, deviation, left, left, total)
        left = left[:0]
    while len(left) > 0:
        widest = _extremes(deviation, left)[1]
        wide, narrow = np.empty(len(left), np.int64), np.empty(len(left), np.int64)
        wides, narrows = 0, 0
        for i in left:
            if deviation[i] * CLASS_WIDTH >= widest:
                wide[wides] = i
                wides += 1
            else:
                narrow[narrows] = i
                narrows += 1
        wide, narrow = wide[:wides], narrow[:narrows]
        for targets, sources in ((wide, left), (narrow, wide)):
            _add_stretches(ascending, deviation, targets, sources, widest, total)
        left = narrow
    for k in range(n):
        out[order[k]] = total[k]


@kernel
def _add_stretches(x: Floats, v: Floats, targets: Longs, sources: Longs, widest: float, out: Floats) -> None:
    """Add the sources' contributions to the targets, both in ascending order."""
    reach = CERTAIN_DEVIATIONS * math.sqrt(2.0) * widest
    place = np.empty(len(sources))
    for j in range(len(sources)):
        place[j] = x[sources[j]]
    start = 0
    while start < len(targets):
        first = x[targets[start]]
        stop = start + 1
        while stop < len(targets) and x[targets[stop]] - first <= STRETCH_LENGTH * reach:
            stop += 1
        last = x[targets[stop - 1]]
        low, high = count_below(place, first - reach), count_below(place, last + reach)
        while high < len(place) and place[high] <= last + reach:  # a reach may be less than the last digit
            high += 1
        for k in range(start, stop):
            out[targets[k]] += len(sources) - high
        if high > low:
            _add_near(x, v, targets[start:stop], sources[low:high], out)
        start = stop


@kernel
def _add_near(x: Floats, v: Floats, targets: Longs, sources: Longs, out: Floats) -> None:
    """Add everybody's chance against every target, by modes or by pairs."""
    least_target, most_target = _extremes(v, targets)
    least_source, most_source = _extremes(v, sources)
    first, last = x[targets[0]], x[targets[-1]]
    furthest = max(last - x[sources[0]], x[sources[-1]] - first, 0.0)
    half_period = furthest + CERTAIN_DEVIATIONS * math.hypot(most_target, most_source)
    step = math.pi / half_period
    modes = 0.5 * MODES_END_AT / (step * math.hypot(least_target, least_source)) + 1.0
    pairs = float(len(targets)) * len(sources)
    if pairs * PAIR_COST < (len(targets) + len(sources)) * (PLAYER_COST + MODE_COST * modes):
        _add_pairs(x, v, targets, sources, out)
        return
    size = int(modes) + 1
    even, odd = np.zeros(size), np.zeros(size)
    turn = np.empty((6, PLAYERS_AT_ONCE))
    for block in range(0, len(sources), PLAYERS_AT_ONCE):
        count = _start_block(x, v, sources, block, first, step, turn)
        _analyse(turn, count, even, odd)
    for m in range(size):
        scale = 2.0 / (math.pi * (2 * m + 1))
        even[m] *= scale
        odd[m] *= scale
    total = np.empty(PLAYERS_AT_ONCE)
    for block in range(0, len(targets), PLAYERS_AT_ONCE):
        count = _start_block(x, v, targets, block, first, step, turn)
        _synthesise(turn, even, odd, total)
        for k in range(count):
            out[targets[block + k]] += 0.5 * len(sources) + total[k]


@kernel
def _extremes(v: Floats, chosen: Longs) -> tuple[float, float]:
    """The smallest and the largest of the chosen values."""
    least, most = math.inf, 0.0
    for i in chosen:
        least, most = min(least, v[i]), max(most, v[i])
    return least, most


@kernel
def _start_block(
    x: Floats, v: Floats, chosen: Longs, block: int, origin: float, step: float, turn: Floats
) -> int:
    """Prepare the first mode of each of a block: its value, and the factors for the next; returns how many.

    With h = (step · v)²/2 the factor of mode k is e^(−hk²); from k to k + 2 it falls by e^(−4h(k + 1)), and
    that itself by e^(−8h). Together with a turn by twice the angle, a mode costs no function at all.
    """
    count = min(PLAYERS_AT_ONCE, len(chosen) - block)
    for k in range(PLAYERS_AT_ONCE):
        i = chosen[block + min(k, count - 1)]
        angle, h = step * (x[i] - origin), 0.5 * (step * v[i]) ** 2
        cosine, sine = math.cos(angle), math.sin(angle)
        size, fall = math.exp(-h), math.exp(-8.0 * h)
        turn[0, k], turn[1, k] = size * cosine, size * sine
        turn[2, k], turn[3, k] = cosine * cosine - sine * sine, 2.0 * sine * cosine
        turn[4, k], turn[5, k] = fall, fall
    return count


@kernel
def _analyse(turn: Floats, count: int, even: Floats, odd: Floats) -> None:
    """Add the modes of a block of sources, and use the block up."""
    a, b, c, s, r, q = turn[0], turn[1], turn[2], turn[3], turn[4], turn[5]
    for k in range(count, PLAYERS_AT_ONCE):
        a[k], b[k] = 0.0, 0.0
    for m in range(len(even)):
        a0, a1, a2, a3, b0, b1, b2, b3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(0, PLAYERS_AT_ONCE, 4):
            a0, a1, a2, a3 = a0 + a[k], a1 + a[k + 1], a2 + a[k + 2], a3 + a[k + 3]
            b0, b1, b2, b3 = b0 + b[k], b1 + b[k + 1], b2 + b[k + 2], b3 + b[k + 3]
        even[m] += (a0 + a1) + (a2 + a3)
        odd[m] += (b0 + b1) + (b2 + b3)
        _next_mode(a, b, c, s, r, q)


@kernel
def _synthesise(turn: Floats, even: Floats, odd: Floats, total: Floats) -> None:
    """Read the sum of all modes off at a block of targets, and use the block up."""
    a, b, c, s, r, q = turn[0], turn[1], turn[2], turn[3], turn[4], turn[5]
    for k in range(PLAYERS_AT_ONCE):
        total[k] = 0.0
    for m in range(len(even)):
        cosines, sines = even[m], odd[m]
        for k in range(PLAYERS_AT_ONCE):
            total[k] += sines * a[k] - cosines * b[k]
        _next_mode(a, b, c, s, r, q)


@kernel
def _next_mode(a: Floats, b: Floats, c: Floats, s: Floats, r: Floats, q: Floats) -> None:
    """From mode k to mode k + 2: a turn, and the fall of its size, which falls itself."""
    for k in range(PLAYERS_AT_ONCE):
        x, y, fall = a[k], b[k], r[k]
        a[k] = fall * (x * c[k] - y * s[k])
        b[k] = fall * (x * s[k] + y * c[k])
        r[k] = fall * q[k]


@kernel
def _add_pairs(x: Floats, v: Floats, targets: Longs, sources: Longs, out: Floats) -> None:
    """Add everybody's chance against every target, by a sum over all pairs."""
    for i in targets:
        total = 0.0
        for j in sources:
            total += 0.5 * math.erfc((x[i] - x[j]) / (math.hypot(v[i], v[j]) * math.sqrt(2.0)))
        out[i] += total
