"""Why a rating is what it is, where it is an average of what a player did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Floats


@dataclass(frozen=True)
class Shares:
    """A rating that is an average, split into start, older results and performances.

    rating = origin_share · origin + older_share · older + Σ share · performance.
    """

    origin: float
    origin_share: float
    older: float
    older_share: float
    performance: Floats
    share: Floats
    number: NDArray[np.int64]
    """The number of each performance's event among the player's own, from 1."""
    time: NDArray[np.int64]
    rise: float
    """The most that one more result, at the time that was asked about, can raise mu."""
    fall: float
    bounds: tuple[float, float]
