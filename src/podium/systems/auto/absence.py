"""Absence: days since a player's last event, and what they count in contest scores."""

from __future__ import annotations

import numpy as np

from podium.arrays import DAY, NO_TIME, Floats
from podium.numerics.jit import kernel

MONTH = 30.0
"""Days of absence; much shorter ones count in proportion, and longer ones by their logarithm."""


@kernel
def days_between(last: int, time: int) -> float:
    """Days from a player's last event until a time; 0 if one of them is unknown."""
    if last == NO_TIME or time == NO_TIME:
        return 0.0
    return float(max(time - last, 0) / DAY)


def absence_of(days: Floats) -> Floats:
    """The input of contest scores of players who have been away for so many days."""
    return np.log1p(days / MONTH)
