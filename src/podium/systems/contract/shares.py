"""Why a rating is what it is, where it is an average of what a player did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Floats


@dataclass(frozen=True)
class Shares:
    """A rating taken apart, where it is an average: of where the player started, older results, performances.

    rating = origin_share · origin + older_share · older + Σ share · performance.
    """

    origin: float
    origin_share: float
    older: float
    older_share: float
    performance: Floats
    share: Floats
    number: NDArray[np.int64]
    """Of each performance's event, among the player's own, from 1."""
    time: NDArray[np.int64]
    rise: float
    """How far the next result can move the rating at most."""
    fall: float
    bounds: tuple[float, float]
