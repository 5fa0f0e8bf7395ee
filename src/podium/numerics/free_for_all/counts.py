"""How many of a field are above a line: sums of independent yes-or-no chances (Poisson-binomial).

Such a count is concentrated: by Bernstein's inequality it is further than `reach` from its mean with a chance
of at most 2e-20, and only counts within that window are worked on.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats
from podium.numerics.compiler_hints import opaque
from podium.numerics.jit import kernel

_FAR_SCALES = 46.0  # e^−46 = 1e-20
NO_CHANCE = 1e-18
"""A chance so small, or so near to one, is none: less than rounding, even of thousands of them."""


@kernel
def reach(variance: float) -> float:
    """t with exp(−t²/(2·variance + 2t/3)) = e^−46."""
    return _FAR_SCALES / 3.0 + math.sqrt(_FAR_SCALES * _FAR_SCALES / 9.0 + 2.0 * _FAR_SCALES * variance)


@kernel
def add_chances(
    chances: Floats, pmf: Floats, spare: Floats, high: int, mean: float, variance: float
) -> tuple[int, int]:
    """Add independent events to a count with distribution ``pmf[:high]``; returns its new window.

    `pmf` and `spare` have room for one number a chance more than the window, and one.
    """
    low, swapped = 0, False
    for p in chances:
        if p < NO_CHANCE:
            continue
        mean += p
        variance += p * (1.0 - p)
        t = reach(variance)
        start = max(low, math.floor(mean - t))
        stop = min(high + 1, math.ceil(mean + t) + 1)
        pmf[high] = 0.0
        spare[start] = (1.0 - p) * pmf[start] + (p * pmf[start - 1] if start > low else 0.0)
        for k in range(start + 1, stop):  # from one array into another: the compiler vectorises it
            spare[k] = pmf[k] + p * (pmf[k - 1] - pmf[k])
        pmf, spare, swapped = spare, pmf, not swapped
        low, high = start, stop
    if swapped:
        for k in range(low, high):
            spare[k] = pmf[k]
    return low, high


POWERS = 16
RARE_CHANCE = 0.1
"""Chances up to this are added through the sums of their powers: what 16 powers leave out is below 1e-15."""
_LANES = 64


@kernel
def power_sums(values: Floats, out: Floats) -> None:
    """Σ v, Σ v², … Σ v^16, for many values side by side, so that the compiler vectorises it.

    Values below 1e-18 count as none, because numbers like 1e-310 take a processor a hundred times as long.
    """
    lanes = opaque(_LANES)  # unrolled, it would take seconds to compile
    value, power, total = np.empty(lanes), np.empty(lanes), np.empty((POWERS, lanes))
    for r in range(POWERS):
        for k in range(lanes):
            total[r, k] = 0.0
    for start in range(0, len(values), lanes):
        for k in range(lanes):
            inside = start + k < len(values)
            value[k] = values[start + k] if inside and values[start + k] > NO_CHANCE else 0.0
            power[k] = 1.0
        for r in range(POWERS):
            row = total[r]
            for k in range(lanes):
                power[k] *= value[k]
                row[k] += power[k]
    for r in range(POWERS):
        out[r] = 0.0
        for k in range(lanes):
            out[r] += total[r, k]


@kernel
def count_rare(odds: Floats, pmf: Floats) -> None:
    """The distribution of a count of rare events, from the power sums of their odds p/(1 − p).

    Its generating function is exp(Σ (−1)^(r+1) oddsᵣ (z^r − 1)/r); the derivative of that is a recurrence.
    """
    log = 0.0
    for r in range(POWERS):
        log -= (-1.0) ** r * odds[r] / (r + 1)
    pmf[0] = math.exp(log)
    for m in range(1, len(pmf)):
        total = 0.0
        for r in range(min(m, POWERS)):
            total += (-1.0) ** r * odds[r] * pmf[m - 1 - r]
        pmf[m] = total / m


@kernel
def cumulate_many(
    low_powers: Floats,
    high_powers: Floats,
    highs: float,
    mean: float,
    variance: float,
    cdf: Floats,
    first: int,
) -> None:
    """P(count ≤ first), P(count ≤ first + 1), … of many chances, from power sums, by Fourier inversion.

    `low_powers` are of chances up to ½, `high_powers` of one minus the `highs` others. A characteristic
    function is at most exp(−variance (1 − cos ω)), so a few dozen frequencies are all there is.
    """
    t = reach(variance)
    size = 2 * math.ceil(t) + 2
    start = math.floor(mean - t)
    steps = len(cdf)
    for m in range(steps):
        cdf[m] = (first + m - start + 1.0) / size
    for frequency in range(1, size // 2):
        omega = 2.0 * math.pi * frequency / size
        if variance * (1.0 - math.cos(omega)) > _FAR_SCALES:
            break
        z, log = complex(math.cos(omega) - 1.0, math.sin(omega)), complex(0.0, omega * highs)
        up, down = complex(1.0, 0.0), complex(1.0, 0.0)
        for r in range(POWERS):
            up *= -z
            down *= -z.conjugate()
            log -= (up * low_powers[r] + down * high_powers[r]) / (r + 1)
        # Σ_{j = start}^{m} e^{−iωj} is a geometric series.
        size_of, angle = math.exp(log.real), log.imag
        half = 2.0 * math.sin(0.5 * omega)
        for m in range(steps):
            # (e^{−iω(start − ½)} − e^{−iω(first + m + ½)}) / (2i sin(ω/2)), real part, twice
            a = math.sin(angle - omega * (start - 0.5)) - math.sin(angle - omega * (first + m + 0.5))
            cdf[m] += 2.0 * size_of * a / (half * size)
    for m in range(steps):
        if first + m < start:
            cdf[m] = 0.0
        elif first + m >= start + size:
            cdf[m] = 1.0
