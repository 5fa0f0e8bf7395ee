"""Where newcomers start: at a fixed belief, or where earlier newcomers turned out to be.

The first performances of a competition's newcomers say where the next one is likely to be: their mean, and
their spread beyond what performances scatter anyway. Both are running averages over the latest newcomers. The
fixed belief keeps a part in the mean for ever: it alone ties the scale of ratings to anything. Without it,
wherever players get better with practice, newcomers would start lower and lower from year to year.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats
from podium.numerics.jit import kernel
from podium.systems.contract.column_ranges import FINITE, NOT_NEGATIVE, POSITIVE, Range, by_place

MEAN, SPREAD, SEEN, FIXED_MEAN, FIXED_VARIANCE, NOISE = range(6)

FIXED_MEAN_PART = 0.25
"""The part of the fixed mean in the mean that newcomers start from."""
FIXED_BELIEF_COUNTS_FOR = 30.0
"""Newcomers the fixed belief counts for in the running averages, at the beginning."""
NEWCOMERS_AVERAGED = 3000.0
"""Newcomers over which the averages run."""
LEAST_VARIANCE_PART = 0.25
"""Of the fixed variance: a belief about newcomers never gets surer than this."""

NEWCOMER_RANGE = by_place(
    FINITE, NOT_NEGATIVE, Range(0.0, NEWCOMERS_AVERAGED), FINITE, POSITIVE, NOT_NEGATIVE
)
"""What the six numbers above may be, in their order."""


def start_of_newcomers(mu: float, variance: float, noise: float) -> Floats:
    """What is known of newcomers before the first one; performances have variance `noise` around skills."""
    return np.array([mu, variance + noise, 0.0, mu, variance, noise])


@kernel
def newcomer_belief(newcomers: Floats) -> tuple[float, float]:
    """Mean and variance of the next newcomer's skill."""
    mean = FIXED_MEAN_PART * newcomers[FIXED_MEAN] + (1.0 - FIXED_MEAN_PART) * newcomers[MEAN]
    return mean, max(newcomers[SPREAD] - newcomers[NOISE], LEAST_VARIANCE_PART * newcomers[FIXED_VARIANCE])


@kernel
def learn_newcomers(newcomers: Floats, count: int, total: float, squares: float) -> None:
    """Learn from an event's newcomers: their number, and the sum and squares of first performances.

    They come all at once, so that the order of rows in an event does not matter.
    """
    if count == 0:
        return
    newcomers[SEEN] = min(newcomers[SEEN] + count, NEWCOMERS_AVERAGED)
    share = min(count / (FIXED_BELIEF_COUNTS_FOR + newcomers[SEEN]), 1.0)
    higher = total / count
    scatter = max(squares / count - higher * higher, 0.0)
    newcomers[MEAN] += share * higher
    newcomers[SPREAD] += share * (scatter - newcomers[SPREAD] + (1.0 - share) * higher * higher)
