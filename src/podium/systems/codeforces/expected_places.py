"""Expected places: how many of a field would beat somebody of a given rating, and the rating for a place.

With logistic differences that number is A(x) = Σⱼ σ(zⱼ − x), one falling function for the whole field;
ratings here are in units of the logistic scale. A large field is tabulated once (`podium.numerics.panels`);
reading off everybody's place, and finding the rating that belongs to any place, then costs a few polynomials
each. All weights are 1, so the base of a panel is a whole number, and what is added to it keeps its digits.

A result more than 40 scales away is certain. Panels cover only what somebody is near to, so two clusters any
distance apart cost no more than one; between them A is a whole number over a whole interval, and the rating
for exactly that place is the interval's midpoint. So that the last digit of a place cannot decide this, the
rating is by definition the middle of where A is the place to within `SAME_PLACE_PART`.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats
from podium.numerics.jit import kernel
from podium.numerics.panels import (
    CERTAIN_SCALES,
    FLAT_SLOPE_PART,
    LAST_NEWTON_STEP,
    MOST_PANELS,
    PANEL_SCALES,
    chebyshev_sum,
    count_below,
    tabulate,
)

DIRECT_UP_TO = 24
"""Fields of up to this number of players are summed directly."""
SAME_PLACE_PART = 1e-14
"""Places this close, as a part of the place, are one."""


@kernel
def survey(z: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Tabulate a field with ascending ratings: centres of panels, expected number beaten, its deviation.

    Last come the log-odds of being beaten at both ends of each panel, by which one finds the panel of a
    place. All are empty where sums are taken directly.
    """
    n = len(z)
    panels = _panels(z, np.empty(0)) if n > DIRECT_UP_TO else 0
    if panels > MOST_PANELS:
        panels = 0
    centre = np.empty(panels)
    _panels(z, centre)
    ones = np.ones(n if panels > 0 else 0)
    beaten, _, deviation = tabulate(z[: len(ones)], ones, ones, centre, PANEL_SCALES)
    odds = np.empty((panels, 2))
    for p in range(panels):
        for end in range(2):
            rest, _ = chebyshev_sum(deviation, p, 2.0 * end - 1.0)
            odds[p, end] = math.log(((n - beaten[p]) - rest) / (beaten[p] + rest))
    return centre, beaten, deviation, odds.ravel()


@kernel
def _panels(z: Floats, centre: Floats) -> int:
    """Place panels side by side wherever a player is near, as far as there is room; returns their number."""
    n = len(z)
    margin = _margin(n)
    edge, panels, ahead = z[0] - margin, 0, 0
    while edge < z[n - 1] + margin and panels <= MOST_PANELS:
        if panels < len(centre):
            centre[panels] = edge + PANEL_SCALES
        panels += 1
        edge += 2.0 * PANEL_SCALES
        while ahead < n and z[ahead] <= edge:
            ahead += 1
        if 0 < ahead < n and edge - z[ahead - 1] > CERTAIN_SCALES and z[ahead] - edge > CERTAIN_SCALES:
            edge = z[ahead] - CERTAIN_SCALES
    return panels


@kernel
def _margin(n: int) -> float:
    """So far outside the field, less than half a player's worth of doubt is left: no place lies beyond."""
    return math.log(2.0 * n) + 2.0


@kernel
def standing(
    x: float, z: Floats, centre: Floats, beaten: Floats, deviation: Floats
) -> tuple[float, float, float]:
    """Expected numbers of players who would beat x and whom x would beat, and the slope."""
    panels = len(centre)
    if panels > 0:
        p = min(count_below(centre, x - PANEL_SCALES), panels - 1)
        t = (x - centre[p]) / PANEL_SCALES
        if abs(t) <= 1.0 + 1e-9:
            rest, slope = chebyshev_sum(deviation, p, t)
            return (len(z) - beaten[p]) - rest, beaten[p] + rest, slope / PANEL_SCALES
    return _standing_directly(x, z)


@kernel
def _standing_directly(x: float, z: Floats) -> tuple[float, float, float]:
    """Like `standing`, by a sum over all players whose result is not certain."""
    beaten, rest, slope = _sum_near(x, z)
    return (len(z) - beaten) - rest, beaten + rest, slope


@kernel
def _sum_near(x: float, z: Floats) -> tuple[int, float, float]:
    """The number of players below x, its correction to the expected number beaten, and the slope."""
    first, last = count_below(z, x - CERTAIN_SCALES), count_below(z, x + CERTAIN_SCALES)
    beaten, rest, slope = first, 0.0, 0.0
    for j in range(first, last):
        d = x - z[j]
        e = math.exp(-abs(d))
        share = 1.0 / (1.0 + e)
        if d >= 0.0:
            beaten += 1
            rest -= e * share
        else:
            rest += e * share
        slope += e * share * share
    return beaten, rest, slope


@kernel
def level_for(
    place: float, z: Floats, centre: Floats, beaten: Floats, deviation: Floats, odds: Floats
) -> float:
    """The rating that `place` players of the field are expected to beat, for ½ ≤ place ≤ n − ½.

    Newton's method in log-odds, in which one cluster is nearly a line.
    """
    n, p = len(z), -1
    low, high = z[0] - _margin(n), z[n - 1] + _margin(n)
    x = 0.5 * (low + high)
    if len(centre) > 0:
        wanted = math.log(place / (n - place))
        p = _panel_of(wanted, odds)
        low, high = centre[p] - PANEL_SCALES, centre[p] + PANEL_SCALES
        if odds[2 * p] < wanted:  # in the gap before this panel
            return _middle(place, z)
        x = low + (high - low) * (odds[2 * p] - wanted) / (odds[2 * p] - odds[2 * p + 1])
    rated_at, rate = x, 0.0
    for _ in range(100):
        if p >= 0:
            rest, slope = chebyshev_sum(deviation, p, (x - centre[p]) / PANEL_SCALES)
            above, below, slope = (n - beaten[p]) - rest, beaten[p] + rest, slope / PANEL_SCALES
        else:
            above, below, slope = _standing_directly(x, z)
        if not slope > FLAT_SLOPE_PART * (place + 0.5):
            break
        new_rate = n * slope / (above * below)
        bend = (new_rate - rate) / (x - rated_at) if x != rated_at else math.inf
        rated_at, rate = x, new_rate
        step = math.log((above / place) * ((n - place) / below)) / rate
        if x + step == x:
            return float(x)
        if abs(step) < LAST_NEWTON_STEP and abs(step * bend) < 0.1 * rate:
            return float(x + step * (1.0 - 0.5 * step * bend / rate))
        if step > 0.0:
            low = x
        else:
            high = x
        x = x + step if low < x + step < high else 0.5 * (low + high)
    return _middle(place, z)


@kernel
def _panel_of(wanted: float, odds: Floats) -> int:
    """The first panel at whose right end the odds are no longer above those wanted."""
    low, high = 0, len(odds) // 2 - 1
    while low < high:
        middle = (low + high) // 2
        if odds[2 * middle + 1] > wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _middle(place: float, z: Floats) -> float:
    """The middle of where A is the place to within `SAME_PLACE_PART`, by halving."""
    n = len(z)
    tolerance = SAME_PLACE_PART * (place + 0.5)
    total = 0.0
    for surplus in (tolerance, -tolerance):
        low, high = z[0] - _margin(n), z[n - 1] + _margin(n)
        while True:
            x = 0.5 * (low + high)
            if not low < x < high:
                break
            beaten, rest, _ = _sum_near(x, z)
            if ((n - beaten) - place) - rest > surplus:
                low = x
            else:
                high = x
        total += 0.5 * high
    return total
