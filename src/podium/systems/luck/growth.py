"""Growth between matches: a belief on a grid spread out by a kernel κ (Cowan, Model 2.16 and section 3.3).

κ is a mixture of normal or of Laplace densities, taken at whole numbers of cells. Each of its parts is a
probability on the unbounded grid before they are mixed, so that shares are shares and a part of deviation 0
is allowed: it stays where it is.

Sums over Laplace curves take one walk to the right and one to the left (Cowan, section 4.3). Mass sits at any
points on the line and sums are asked for at any others, both in ascending order. Between two points an
exponential only decays (Observation 4.4), so a walk carries all that lies behind it in one number.
"""

from __future__ import annotations

import math

from podium.arrays import Floats
from podium.numerics.jit import interpreted_as, kernel, summing
from podium.systems.luck import array_sums


@kernel
def laplace_densities(xs: Floats, mass: Floats, ys: Floats, width: float, out: Floats) -> None:
    """Fill Σₖ ρ(xₖ) f(y − xₖ), where f is the Laplace density e^(−|d|/b) / 2b (Algorithm 4.5)."""
    _walk(xs, mass, ys, width, 0.5 / width, 0.5 / width, 0.0, out)


@kernel
def laplace_chances(xs: Floats, mass: Floats, ys: Floats, width: float, out: Floats) -> None:
    """Fill Σₖ ρ(xₖ) F(y − xₖ), where F is the integral of the Laplace density (Algorithm 4.6)."""
    _walk(xs, mass, ys, width, -0.5, 0.5, 1.0, out)


@kernel
def _walk(
    xs: Floats, mass: Floats, ys: Floats, width: float, left: float, right: float, full: float, out: Floats
) -> None:
    """`left` times what decays from the left, `right` times the same from the right, and mass passed."""
    step, decay = 0.0, 1.0  # on a grid all steps are alike, and one exponential serves them all
    i, passed, carried, here = 0, 0.0, 0.0, xs[0]
    for j in range(len(ys)):
        while i < len(xs) and xs[i] <= ys[j]:
            if xs[i] - here != step:
                step = xs[i] - here
                decay = math.exp(-step / width)
            carried = decay * carried + mass[i]
            passed += mass[i]
            here = xs[i]
            i += 1
        rest = carried if here == ys[j] or i == 0 else math.exp(-(ys[j] - here) / width) * carried
        out[j] = full * passed + left * rest
    i, carried, here = len(xs) - 1, 0.0, xs[len(xs) - 1]
    for j in range(len(ys) - 1, -1, -1):
        while i >= 0 and xs[i] > ys[j]:
            if here - xs[i] != step:
                step = here - xs[i]
                decay = math.exp(-step / width)
            carried = decay * carried + mass[i]
            here = xs[i]
            i -= 1
        if i < len(xs) - 1:
            if here - ys[j] != step:
                step = here - ys[j]
                decay = math.exp(-step / width)
            out[j] += right * (decay * carried)


NORMAL_REACH = 8.2
"""Deviations after which a normal density is nothing beside its peak."""
NARROW_DEVIATION = 0.86
"""Deviations, in cells, up to which three points have the right mean and variance, and above which a normal
density taken at the points has them."""
TAPS_PER_PASS = 6
"""Taps that the stencil applies in one pass; the rest of the last pass is zeros."""


def line_length(points: int) -> int:
    """Length of the work space for a belief with zeros on both sides."""
    return points + 2 * (points + TAPS_PER_PASS)


def taps_length(points: int) -> int:
    """Length of the work space for a kernel as wide as the grid."""
    return points + TAPS_PER_PASS + 1


@kernel
def fill_normal_taps(shares: Floats, deviations: Floats, factor: float, whole: bool, taps: Floats) -> int:
    """Fill a mixture of normals at 0, 1, 2, … cells and zeros for one pass; returns its reach.

    Deviations are in cells, and multiplied by `factor`. With `whole`, all the taps there are are filled.
    """
    most = len(taps) - 1 - TAPS_PER_PASS - 1
    reach = most if whole else 0
    for j in range(len(shares)):
        reach = max(reach, int(min(math.ceil(NORMAL_REACH * deviations[j] * factor), float(most))))
    for k in range(reach + TAPS_PER_PASS + 1):
        taps[k] = 0.0
    for j in range(len(shares)):
        deviation = deviations[j] * factor
        if deviation < NARROW_DEVIATION:
            taps[0] += shares[j] * (1.0 - deviation * deviation)
            taps[1] += shares[j] * 0.5 * deviation * deviation
            continue
        level = shares[j] / _lattice_sum(deviation)
        for k in range(reach + 1):
            z = k / deviation
            taps[k] += level * math.exp(-0.5 * z * z)
    return reach


@kernel
def _lattice_sum(deviation: float) -> float:
    """Σ e^(−k²/2s²) over all whole numbers; the integral, unless it is narrow (Poisson summation)."""
    if deviation > 2.0:
        return deviation * math.sqrt(2.0 * math.pi)
    total = 1.0
    for k in range(1, 40):
        z = k / deviation
        total += 2.0 * math.exp(-0.5 * z * z)
    return total


@kernel
def spread(row: Floats, taps: Floats, reach: int, each: bool, line: Floats, out: Floats) -> None:
    """Fill Σⱼ ρⱼ κ(xᵢ − xⱼ) (Eq. 8); what falls off the grid is lost, unless `each` point's κ is normalised.

    `row` and `out` may be the same.
    """
    n = len(row)
    first = n + TAPS_PER_PASS
    if each:
        # What a symmetric kernel keeps of a point's mass is what it makes of a row of ones there (Eq. 6).
        for i in range(n):
            line[first + i] = 1.0
        kept = row.copy()
        _stencil(line, first, taps, reach, kept)
        for i in range(n):
            line[first + i] = row[i] / kept[i]
    else:
        for i in range(n):
            line[first + i] = row[i]
    _stencil(line, first, taps, reach, out)


@interpreted_as(array_sums.stencil)
@summing
def _stencil(line: Floats, first: int, taps: Floats, reach: int, out: Floats) -> None:
    n = len(out)
    centre, g0 = line[first : first + n], taps[0]
    for i in range(n):
        out[i] = g0 * centre[i]
    for k in range(1, reach + 1, TAPS_PER_PASS):
        g1, g2, g3, g4, g5, g6 = taps[k], taps[k + 1], taps[k + 2], taps[k + 3], taps[k + 4], taps[k + 5]
        a, b = first - k, first + k
        l1, l2, l3 = line[a : a + n], line[a - 1 : a - 1 + n], line[a - 2 : a - 2 + n]
        l4, l5, l6 = line[a - 3 : a - 3 + n], line[a - 4 : a - 4 + n], line[a - 5 : a - 5 + n]
        r1, r2, r3 = line[b : b + n], line[b + 1 : b + 1 + n], line[b + 2 : b + 2 + n]
        r4, r5, r6 = line[b + 3 : b + 3 + n], line[b + 4 : b + 4 + n], line[b + 5 : b + 5 + n]
        for i in range(n):
            near = g1 * (l1[i] + r1[i]) + g2 * (l2[i] + r2[i]) + g3 * (l3[i] + r3[i])
            far = g4 * (l4[i] + r4[i]) + g5 * (l5[i] + r5[i]) + g6 * (l6[i] + r6[i])
            out[i] += near + far


@kernel
def laplace_width(deviation: float, factor: float) -> float:
    """b of a Laplace density; never 0, and below a thousandth of a cell nothing moves."""
    return max(deviation * factor * math.sqrt(0.5), 1e-3)


@kernel
def laplace_level(width: float) -> float:
    """The mass that stays in place: (1 − r)/(1 + r), where r is the decay per cell; all sums to one."""
    return -math.expm1(-1.0 / width) / (1.0 + math.exp(-1.0 / width))


@kernel
def spread_laplace(
    row: Floats, shares: Floats, deviations: Floats, factor: float, cells: Floats, part: Floats, out: Floats
) -> None:
    """Like `spread`, for a mixture of Laplace densities, in time linear in the points (Algorithm 4.5)."""
    for i in range(len(row)):
        out[i] = 0.0
    for j in range(len(shares)):
        width = laplace_width(deviations[j], factor)
        level = 2.0 * width * shares[j] * laplace_level(width)
        laplace_densities(cells, row, cells, width, part)
        for i in range(len(row)):
            out[i] += level * part[i]
