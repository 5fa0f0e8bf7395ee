"""How likely the sides of a free-for-all are to share their places.

The places of free-for-alls come from performances of which no two are equal: a tie counts half for each of
both orders. How often two sides tie is known from the system's own draws. For more it is an approximation.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats
from podium.ladder.win_limits import believed_of
from podium.systems import RatingSystem, Sides, State

MOST_DRAWN = 1.0 - 1e-12
"""A draw of two sides counts as no more certain than this, so that its logarithm is finite."""


def tie_chances(system: RatingSystem, state: State, sides: Sides, at: int) -> Floats:
    """The probability of each side to share its rank with another, as if draws of pairs were independent.

    For two sides it is their draw. For more, the pairs of a side are not quite independent, and this is a
    little too high: where equals draw a quarter of their matches, by 0.01 for three, 0.02 for four and 0.06
    for eight of them (performances that tie within a margin, simulated).
    """
    n = len(sides.offsets) - 1
    if not system.outcomes(state, sides, sides, at=at)[:, 1].any():  # not even equals draw
        return np.zeros(n)
    ours, theirs = np.triu_indices(n, 1)
    if system.two_numbers and not system.is_calibrated:
        chances = system.outcomes_between(*believed_of(system, state, sides, at, ours, theirs), 0.0)
    else:
        chances = system.outcomes(state, sides.taken(ours), sides.taken(theirs), at=at)
    drawn = chances[:, 1]
    if n == 2:
        return np.repeat(drawn, 2)
    apart = np.log1p(-np.minimum(drawn, MOST_DRAWN))
    tied: Floats = -np.expm1(np.bincount(ours, apart, n) + np.bincount(theirs, apart, n))
    return tied
