"""The public rating: the number that says the same about meeting a reference player as the mixture does.

In contests, absence counts: days since a player's last event (`absence_of`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Bools, Floats
from podium.numerics.jit import kernel
from podium.numerics.win_chances import LN10, logistic
from podium.systems.auto.expert_weights import fill_weights, find_predicting, is_awake
from podium.systems.auto.mixture_columns import Learned

REFERENCE_RATING = 1500.0
POINTS = 400.0 / LN10
"""Points of public ratings that are odds of e to one."""
NO_DEVIATION = 350.0
"""The deviation of a public rating as long as no expert with deviations has rated anything."""
COUNTED_VARIANCE = 0.5
"""The part of both players' variances that makes a chance by public ratings less certain, as in Glicko.
Ratings are about a reference player and so have shrunk by uncertainty once. On first parts ½ missed least of
0, ½, 1 and 2, given ratings computed now."""
LARGEST_PUBLIC_LOGIT = 600.0
"""Log odds of public ratings, up or down: e to this power is still a number, and its inverse too."""


def points_between(sigma: ArrayLike | None, other: ArrayLike | None) -> Floats:
    """Points that are odds of e to one between players with these deviations.

    >>> points_between([0.0, 200.0], 200.0).round(1).tolist()
    [190.4, 205.8]
    """
    variance = sum(np.square(np.asarray(one, np.float64)) for one in (sigma, other) if one is not None)
    widened: Floats = np.sqrt(POINTS**2 + COUNTED_VARIANCE * 3.0 / math.pi**2 * variance)
    return widened


@kernel
def _mixed_logit(weights: Floats, coefficients: Floats, predicting: Bools, logit: Floats) -> float:
    """The log odds of the mixture of chances, given the log odds of each expert, raw and calibrated."""
    d, count, won, lost = len(logit), 0, 0.0, 0.0
    for k in range(len(predicting)):
        count += predicting[k]
    for i in range(len(weights)):
        if is_awake(predicting, i):
            z = 0.0
            if i < d:
                z = logit[i]
            else:
                for j in range(d):
                    if is_awake(predicting, j):
                        z += coefficients[i - d, j] * logit[j]
                z *= len(predicting) / count
            z = min(max(z, -LARGEST_PUBLIC_LOGIT), LARGEST_PUBLIC_LOGIT)
            won += weights[i] * logistic(z)
            lost += weights[i] * logistic(-z)
    return math.log(won / lost)


@kernel
def public_rating(
    weights: Floats,
    coefficients: Floats,
    knowing: Bools,
    terms: Floats,
    lack: float,
    logit: Floats,
    column: int,
    work: Floats,
) -> float:
    """The rating that says the same about meeting the reference player as the mixture.

    `logit` is what each expert, one row each, says of that, raw; `terms` are those of its calibration, and
    `lack` the player's 1/(1 + n/5); the reference player is experienced. `knowing` marks the experts that
    count.
    """
    k_experts = len(knowing)
    for k in range(k_experts):
        work[k] = logit[k, column]
        work[k_experts + k] = terms[k, 0] * logit[k, column] + terms[k, 2] * lack
    return REFERENCE_RATING + POINTS * _mixed_logit(weights, coefficients, knowing, work)


@kernel
def public_deviation(weights: Floats, knowing: Bools, deviation: Floats, column: int) -> float:
    """The mean of the deviations of experts that have one, by their weights."""
    k_experts, total, weight = len(knowing), 0.0, 0.0
    for k in range(k_experts):
        if knowing[k] and deviation[k, column] >= 0.0:
            w = weights[k] + weights[k_experts + k]
            total += w * deviation[k, column]
            weight += w
    return total / weight if weight > 0.0 else NO_DEVIATION


@kernel
def rate_publicly(
    learned: Learned, terms: Floats, lack: Floats, logit: Floats, deviation: Floats, mu: Floats, sigma: Floats
) -> None:
    """Fill the public ratings of players by what experts, one row each, say of them."""
    k_experts = len(learned.rated)
    weights, work = np.empty(len(learned.log_weights)), np.empty(2 * k_experts)
    knowing = np.empty(k_experts, np.bool_)
    find_predicting(np.ones(k_experts, np.bool_), learned.rated, knowing)
    fill_weights(learned.log_weights, weights)
    for a in range(len(mu)):
        mu[a] = public_rating(weights, learned.coefficients, knowing, terms, lack[a], logit, a, work)
        sigma[a] = public_deviation(weights, knowing, deviation, a)


MONTH = 30.0
"""Days of absence; much shorter ones count in proportion, and longer ones by their logarithm."""


def absence_of(days: Floats) -> Floats:
    """The input of contest scores of players who have been away for so many days."""
    return np.log1p(days / MONTH)
