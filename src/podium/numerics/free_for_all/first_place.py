"""The chance of everybody to win, in many small fields at once.

It is ∫ fᵢ(x) Π Fⱼ(x) dx over the others j of a field. The integrand is smooth and vanishes at both ends, so
sums over equal steps converge geometrically: with a third of the smallest scale they are exact to 1e-11.
Where that would be many steps, as somebody is much narrower than others, panels of 16 Gaussian nodes follow
whoever is narrowest where they are; they are no more than a few dozen a player. Performances that follow
Gumbel distributions of one scale need no sum: chances are as e^(location/scale).

Whoever is narrower than a millionth of the widest, or does not scatter at all, is taken to be as wide as that
around the same mean. Against wide ones that changes chances by the square of it, 1e-12. Two such narrow ones
are told apart by where they are if that differs by some millionths of the widest scale, and share else.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats, Longs
from podium.numerics.exponential import exp
from podium.numerics.free_for_all.noise import (
    FAMILIES,
    GUMBEL,
    MASS_BETWEEN,
    PANEL_WIDTH,
    chances_above,
    densities,
)
from podium.numerics.free_for_all.quadrature import GAUSS
from podium.numerics.jit import kernel

STEPS_PER_SCALE = 3
"""Steps a scale."""
MOST_STEPS = 1_000
"""More are not summed up; panels are."""
NARROWEST_SCALE = 1e-6
"""The smallest scale that is told apart from none, in scales of the widest of a field."""
PANEL_SHARE = 0.5
"""The width of a panel, of that over which one density is a polynomial: products are less smooth."""

_NODES, _WEIGHTS = GAUSS


def winning_chances(family: str, location: Floats, scale: Floats, offsets: Longs) -> Floats:
    """The probability of each player to win the own field: players offsets[i] to offsets[i + 1].

    >>> winning_chances("gumbel", np.log([2.0, 1.0, 1.0, 5.0, 5.0]), np.ones(5), np.array([0, 3, 5])).tolist()
    [0.5, 0.25, 0.25, 0.5, 0.5]
    """
    out = np.empty(len(location))
    number = FAMILIES[family]
    _win(
        number,
        (*MASS_BETWEEN[number], PANEL_SHARE * PANEL_WIDTH[number]),
        np.asarray(location, np.float64),
        np.asarray(scale, np.float64),
        offsets,
        out,
    )
    return out


@kernel
def _win(
    family: int,
    reach: tuple[float, float, float],
    location: Floats,
    scale: Floats,
    offsets: Longs,
    out: Floats,
) -> None:
    """Fill the chances of each field; `reach` is where a standard density is, and the width of a panel."""
    for field in range(len(offsets) - 1):
        a, b = offsets[field], offsets[field + 1]
        if a == b:
            continue
        here, spread = _told_apart(family, reach, location[a:b], scale[a:b])
        if spread[0] == 0.0:
            _share_first(here, out[a:b])
        elif family == GUMBEL and _are_equal(spread):
            _share(here, spread[0], out[a:b])
        else:
            _sum_up(family, reach, here, spread, out[a:b])


@kernel
def _told_apart(
    family: int, reach: tuple[float, float, float], location: Floats, scale: Floats
) -> tuple[Floats, Floats]:
    """Locations and scales; who is too narrow is a little wider with its mean.

    The narrowest of those who can win, who needs most digits, is at 0.
    """
    low, high, _ = reach
    n = len(location)
    here, spread = np.empty(n), np.empty(n)
    widest, start, narrowest = 0.0, -np.inf, 0
    for i in range(n):
        widest = max(widest, scale[i])
    for i in range(n):
        spread[i] = max(scale[i], widest * NARROWEST_SCALE)
        here[i] = location[i]
        if family == GUMBEL:
            here[i] -= np.euler_gamma * (spread[i] - scale[i])
        start = max(start, here[i] + low * spread[i])
        if here[i] > here[narrowest]:
            narrowest = i
    for i in range(n):
        if spread[i] < spread[narrowest] and here[i] + high * spread[i] > start:
            narrowest = i
    middle = here[narrowest]
    for i in range(n):
        here[i] -= middle
    return here, spread


@kernel
def _are_equal(values: Floats) -> bool:
    for i in range(len(values)):  # noqa: SIM110 — a kernel has no generators
        if values[i] != values[0]:
            return False
    return True


@kernel
def _highest(values: Floats) -> float:
    top = -np.inf
    for i in range(len(values)):
        top = max(top, values[i])
    return top


@kernel
def _share_first(location: Floats, out: Floats) -> None:
    """Nobody scatters: the highest wins, and equals share."""
    top, count = _highest(location), 0
    for i in range(len(location)):
        count += 1 if location[i] == top else 0
    for i in range(len(location)):
        out[i] = 1.0 / count if location[i] == top else 0.0


@kernel
def _share(location: Floats, scale: float, out: Floats) -> None:
    """Fill probabilities proportional to e^(location/scale)."""
    top, total = _highest(location), 0.0
    for i in range(len(location)):
        out[i] = exp((location[i] - top) / scale)
        total += out[i]
    for i in range(len(location)):
        out[i] /= total


@kernel
def _sum_up(
    family: int, reach: tuple[float, float, float], location: Floats, scale: Floats, out: Floats
) -> None:
    """The integral as a sum over equal steps, or over panels."""
    low, high, _ = reach
    work = np.empty((3, len(location)))
    # Somebody always performs better than `x`, and nobody better than `end`.
    x, end, narrowest = -np.inf, -np.inf, np.inf
    for i in range(len(location)):
        out[i] = 0.0
        x, end = max(x, location[i] + low * scale[i]), max(end, location[i] + high * scale[i])
        narrowest = min(narrowest, scale[i])
    step = narrowest / STEPS_PER_SCALE
    if end - x <= MOST_STEPS * step:
        for node in range(int((end - x) / step) + 2):
            _add_node(family, x + node * step, 1.0, location, scale, work, out)
    else:
        while x < end:
            half = 0.5 * _panel_width(x, end, reach, location, scale)
            for node in range(len(_NODES)):
                _add_node(
                    family, x + half * (1.0 + _NODES[node]), half * _WEIGHTS[node], location, scale, work, out
                )
            x += 2.0 * half
    total = 0.0
    for i in range(len(out)):
        total += out[i]
    for i in range(len(out)):
        out[i] /= total


@kernel
def _panel_width(
    x: float, end: float, reach: tuple[float, float, float], location: Floats, scale: Floats
) -> float:
    """How far a panel goes from x on: it is narrow for all whom it touches."""
    low, high, panel = reach
    width = end - x
    for i in range(len(location)):
        before = location[i] + low * scale[i] - x
        if x < location[i] + high * scale[i]:
            width = min(width, max(before, panel * scale[i]))
    return width


@kernel
def _add_node(
    family: int, x: float, weight: float, location: Floats, scale: Floats, work: Floats, out: Floats
) -> None:
    """Add each player's integrand at x, times the weight."""
    z, above, density = work[0], work[1], work[2]
    for i in range(len(location)):
        z[i] = (x - location[i]) / scale[i]
    chances_above(family, z, above)
    densities(family, z, density)
    product = weight
    for i in range(len(location)):
        product *= 1.0 - above[i]
    if product > 0.0:
        for i in range(len(location)):
            out[i] += density[i] / scale[i] * product / (1.0 - above[i])
