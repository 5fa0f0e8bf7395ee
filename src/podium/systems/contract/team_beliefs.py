"""Teams as one opponent: the mean of their members, or the sum of what they are above a newcomer."""

from __future__ import annotations

from typing import Literal

import numpy as np

from podium.arrays import Floats
from podium.systems.contract.sides import Sides

TEAM = "strength of a team: the mean of its members, or the sum of their ratings above a newcomer's"


def team_belief(
    mu: Floats, sigma: Floats | None, sides: Sides, team: Literal["mean", "sum"], newcomer: float
) -> tuple[Floats, Floats | None]:
    """`mu` and `sigma` of each side from those of its members, taken as independent."""
    if sides.single:
        return mu, sigma
    starts, sizes = sides.offsets[:-1], sides.sizes
    total = np.add.reduceat(mu - newcomer, starts)
    variance = None if sigma is None else np.add.reduceat(sigma**2, starts)
    if team == "mean":
        total = total / sizes
        variance = None if variance is None else variance / sizes**2
    return newcomer + total, None if variance is None else np.sqrt(variance)
