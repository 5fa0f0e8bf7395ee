"""Where newcomers start: at a fixed belief, or where earlier newcomers turned out to be.

The first performances of a competition's newcomers say where the next one is likely to be. Their mean is a
running average over the latest newcomers. The fixed belief keeps a part in it for ever: it alone ties the
scale of ratings to anything. Without it, wherever players get better with practice, newcomers would start
lower and lower from year to year.

A contest of many also says how far newcomers are apart (`learn_newcomers`): their performances spread more
than performances scatter anyway. A match does not: who beats an equal has shown the same performance, however
different newcomers are. So systems of matches learn the mean alone (`learn_first_results`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import NO_BOOLS, NO_FLOATS, NO_TIME, Bools, Floats
from podium.numerics.event_sides import NO_PERIOD, period_of
from podium.numerics.jit import kernel

MEAN, SPREAD, SEEN, FIXED_MEAN, FIXED_VARIANCE, NOISE = range(6)
"""Places of what is known of newcomers. Where only the mean is learned, nothing is at those of a variance."""
PERIOD, OPEN_WEIGHT, OPEN_CHANGE = 6, 7, 8
"""Where only the mean is learned: the latest rating period, and what it will have taught when it is over."""

FIXED_MEAN_PART = 0.25
"""The part of the fixed mean in the mean that newcomers start from."""
FIXED_BELIEF_COUNTS_FOR = 30.0
"""Newcomers the fixed belief counts for in the running averages, at the beginning."""
NEWCOMERS_AVERAGED = 3000.0
"""Newcomers over which the averages run."""
LEAST_VARIANCE_PART = 0.25
"""Of the fixed variance: a belief about newcomers never gets surer than this."""
FARTHEST_PERFORMANCE = 4.0
"""How far from the start a first performance can be, in deviations of the start. A result that was nearly
certain tells next to nothing; an upset there would stand for a performance beyond all bounds."""


class Newcomers(NamedTuple):
    """What kernels need of newcomers; both are empty if the start is fixed."""

    unknown: Bools
    """For each player, whether nothing is known yet except that the player is new."""
    learned: Floats
    """What earlier newcomers taught, by the places above."""


FIXED_START = Newcomers(NO_BOOLS, NO_FLOATS)


def start_of_newcomers(mu: float, variance: float, noise: float) -> Floats:
    """What is known of newcomers before the first one; performances have variance `noise` around skills."""
    return np.array([mu, variance + noise, 0.0, mu, variance, noise])


def start_of_mean(mu: float) -> Floats:
    """The same where only the mean is learned."""
    return np.array([mu, 0.0, 0.0, mu, 0.0, 0.0, NO_PERIOD, 0.0, 0.0])


@kernel
def newcomer_mean(newcomers: Floats) -> float:
    """The mean of the next newcomer's skill."""
    return float(FIXED_MEAN_PART * newcomers[FIXED_MEAN] + (1.0 - FIXED_MEAN_PART) * newcomers[MEAN])


@kernel
def newcomer_belief(newcomers: Floats) -> tuple[float, float]:
    """Mean and variance of the next newcomer's skill."""
    least = LEAST_VARIANCE_PART * newcomers[FIXED_VARIANCE]
    return newcomer_mean(newcomers), max(newcomers[SPREAD] - newcomers[NOISE], least)


@kernel
def learn_mean(newcomers: Floats, count: float, higher: float) -> float:
    """Learn from so many newcomers who are `higher` than the mean; returns their share in the new mean."""
    newcomers[SEEN] = min(newcomers[SEEN] + count, NEWCOMERS_AVERAGED)
    share: float = min(count / (FIXED_BELIEF_COUNTS_FOR + newcomers[SEEN]), 1.0)
    newcomers[MEAN] += share * higher
    return share


@kernel
def learn_newcomers(newcomers: Floats, count: int, total: float, squares: float) -> None:
    """Learn from an event's newcomers: their number, and the sum and squares of first performances.

    They come all at once, so that the order of rows in an event does not matter.
    """
    if count == 0:
        return
    higher = total / count
    share = learn_mean(newcomers, float(count), higher)
    scatter = max(squares / count - higher * higher, 0.0)
    newcomers[SPREAD] += share * (scatter - newcomers[SPREAD] + (1.0 - share) * higher * higher)


# ---------------------------------------------------------------------------------------------------------
# Systems that learn the mean alone


@kernel
def first_result(change: float, variance: float, left: float) -> tuple[float, float]:
    """What the first result of a newcomer says: its weight, and the weight times performance above start.

    From N(mu, σ²) to N(mu + change, σ'²), a result says as much as a performance with noise v, where
    1/σ'² = 1/σ² + 1/v. Performances of newcomers scatter by σ² + v, so that in their mean this one has the
    weight 1/(σ² + v), or 1 − σ'²/σ² beside one of no noise; and it is change/weight above the start.
    """
    farthest = FARTHEST_PERFORMANCE * math.sqrt(variance)
    weight = min(max(1.0 - left / variance, abs(change) / farthest), 1.0)
    return weight, min(max(change, -weight * farthest), weight * farthest)


@kernel
def learn_first_results(
    newcomers: Floats, rows: int, new: int, weight: float, change: float, at_once: bool
) -> None:
    """Learn from the sums of `first_result` over an event's newcomers; later, if its period is still open.

    `new` of the event's rows are newcomers. What they show against each other says nothing about where
    newcomers are, so that each counts by the part of the others who are none.
    """
    others = (rows - new) / max(rows - 1, 1)
    newcomers[OPEN_WEIGHT] += others * weight
    newcomers[OPEN_CHANGE] += others * change
    if at_once:
        _close(newcomers)


@kernel
def _close(newcomers: Floats) -> None:
    """Learn what was collected."""
    weight = newcomers[OPEN_WEIGHT]
    if weight > 0.0:
        above_start = newcomers[OPEN_CHANGE] / weight
        learn_mean(newcomers, weight, newcomer_mean(newcomers) + above_start - newcomers[MEAN])
        newcomers[OPEN_WEIGHT] = newcomers[OPEN_CHANGE] = 0.0


@kernel
def enter_period(newcomers: Floats, now: int) -> None:
    """Learn what an earlier rating period taught; inside a period newcomers all start alike."""
    if newcomers[PERIOD] < now:
        _close(newcomers)
        newcomers[PERIOD] = now


@kernel
def newcomer_mean_at(copied: Floats, time: int, length: int) -> float:
    """The mean that an event at a time finds, with rating periods of this length; 0 if events are periods.

    It enters the period of that time in a copy of what is known of newcomers.
    """
    if length > 0 and time != NO_TIME:
        enter_period(copied, period_of(time, length))
    return newcomer_mean(copied)


@kernel
def place_two(newcomers: Floats, unknown: Bools, a: int, b: int, mu: Floats) -> None:
    """Place those of two players who are newcomers."""
    if unknown[a]:
        mu[a] = newcomer_mean(newcomers)
    if unknown[b]:
        mu[b] = newcomer_mean(newcomers)


@kernel
def learn_of_two(
    newcomers: Floats, unknown: Bools, a: int, b: int, of_a: tuple[float, float], of_b: tuple[float, float]
) -> None:
    """`learn_first_results` for a match of two, of whom at most one is a newcomer if it teaches anything."""
    if unknown[a] != unknown[b]:
        weight, change = of_a if unknown[a] else of_b
        learn_first_results(newcomers, 2, 1, weight, change, True)
    unknown[a] = unknown[b] = False
