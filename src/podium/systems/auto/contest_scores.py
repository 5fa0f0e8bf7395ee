"""The contest score: a combination of several systems' ratings that puts the players of contests in order.

A player's score is θ·x. The inputs x are what each system displays of the player, in log odds above 1500
points as that system counts them, and six more: 1, for the level of all scores; inexperience, 1/(1 + n/5)
after n events; absence, ln(1 + days/30); pause, which is what absence was before the player's last event; the
square of what one system displays, as log odds need not be right on the whole scale; and deviation. The
weights θ are learned contest by contest (`pair_regression`), so that every contest is scored by what was
known before it.

Deviations make a pair less certain. Without that, newcomers, of whom a few do well and most do not, would get
the score of somebody who beats as many as they do on average; with it they come nearer to somebody whom
half of them beat, which is what matters to an order.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Bools, Floats, Ints, Longs
from podium.systems.auto.absence import absence_of
from podium.systems.auto.pair_regression import DEVIATION, LEVEL, learn_contests, pair_tables, score_events
from podium.systems.auto.public_ratings import POINTS, REFERENCE_RATING
from podium.systems.contract.calibration_kernels import EXPERIENCED_EVENTS

LEADING_VARIANCE, FOLLOWING_VARIANCE, OTHER_VARIANCE = 0.15**2, 0.03**2, 0.4**2
"""How far from their start the weights may be: of systems that start with a weight, of systems that do not,
and of the other inputs. These and the numbers of `pair_regression` were among the best of some hundred
settings on the first half of AtCoder's contests and the first tenth of Formula 1; most of the others were
0.01 to 0.1 points worse. docs/auto.md tells what was looked at when."""
SQUARE_OF_ONE = 20.0
"""Squared log odds that count as 1: many, so that the square counts little until much is known."""
LARGEST_INPUT = 100.0
"""Inputs beyond are taken as this: such log odds are as certain as any."""
OTHER_INPUTS = 6
"""The inputs after those of systems: level, inexperience, absence, pause, square, deviation."""
INEXPERIENCE, ABSENCE, PAUSE, SQUARE = -5, -4, -3, -2
"""Where four of them are; `pair_regression` has the others."""


def start_of_weights(experts: Floats) -> Floats:
    """Where weights start: at these of systems, and 0 for what else counts."""
    return np.concatenate((experts, np.zeros(OTHER_INPUTS)))


def least_precision(start: Floats) -> Floats:
    """The inverse of each weight's variance at the start."""
    variance = np.where(start > 0.0, LEADING_VARIANCE, FOLLOWING_VARIANCE)
    variance[-OTHER_INPUTS:] = OTHER_VARIANCE
    return 1.0 / variance


def nothing_learned(start: Floats) -> Floats:
    """What is known before the first contest: the weights, and below them the inverse of their covariance."""
    return np.concatenate((start[None], np.diag(least_precision(start))))


def contest_inputs(
    displays: Floats, squared: int, events: Ints, days: Floats, pause: Floats, deviation: Floats
) -> Floats:
    """The inputs of rows: `displays` has a column for each system, in log odds above 1500 points.

    `squared` is the number of the system whose square is an input.

    >>> events, days, pause, deviation = np.array([[5], [0], [0.3], [0.7]])
    >>> contest_inputs(np.array([[1.0, 2.0]]), 1, events, days, pause, deviation).tolist()
    [[1.0, 2.0, 1.0, 0.5, 0.0, 0.3, 0.2, 0.7]]
    """
    inputs = np.empty((len(displays), displays.shape[1] + OTHER_INPUTS))
    inputs[:, :-OTHER_INPUTS] = displays
    inputs[:, LEVEL] = 1.0
    inputs[:, INEXPERIENCE] = 1.0 / (1.0 + events / EXPERIENCED_EVENTS)
    inputs[:, ABSENCE] = absence_of(days)
    inputs[:, PAUSE] = pause
    inputs[:, SQUARE] = np.clip(displays[:, squared], -LARGEST_INPUT, LARGEST_INPUT) ** 2 / SQUARE_OF_ONE
    inputs[:, DEVIATION] = deviation
    return np.clip(inputs, -LARGEST_INPUT, LARGEST_INPUT, out=inputs)


def public_rating(score: Floats) -> Floats:
    """Scores on the public scale, where 400 points are ten to one.

    >>> public_rating(np.log([1.0, 10.0])).round(9).tolist()
    [1500.0, 1900.0]
    """
    return REFERENCE_RATING + POINTS * score


def score_contests(
    learned: Floats, start: Floats, offsets: Longs, rank: Ints, teaches: Bools, inputs: Floats
) -> tuple[Floats, Floats]:
    """Score the sides of consecutive events as they stand before each, and learn from those that teach.

    Returns the score of each side and the weights after each event. `learned` is changed.
    """
    score, weights = np.empty(len(rank)), np.empty((len(offsets) - 1, len(start)))
    prior = least_precision(start)
    learn_contests(learned, start, prior, *pair_tables(), offsets, rank, teaches, inputs, score, weights)
    return score, weights


def scores_after(offsets: Longs, weights: Floats, inputs: Floats) -> Floats:
    """The score of each side by the weights after its event, and by its inputs then."""
    score = np.empty(len(inputs))
    score_events(offsets, weights, inputs, score)
    return score
