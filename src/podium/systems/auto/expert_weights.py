"""The aggregating algorithm: weights of predictions, what a result does to them; and regressions.

There are K experts. Each predicts twice, raw and calibrated, and regressions on the log odds of all of these
predict too, in this order. `docs/auto.md` has the theorem.

Weights are logarithms. An event multiplies the weight of every prediction that is awake by the likelihood it
gave to the result, so that the awake ones together keep what they had, and then all weights move a part, the
share, towards 1/N.

A regression has coefficients θ, which start at 1/d for d inputs, and their covariance P. An event is one step
of Newton's method, as in calibrations; P learns by the formula of Sherman and Morrison.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.numerics.jit import interpreted_as, kernel
from podium.numerics.win_chances import logistic
from podium.systems.contract.calibration_kernels import LARGEST_LOGIT


@kernel
def clipped_chance(p: float) -> float:
    """A chance between those of the largest log odds that count."""
    least = logistic(-LARGEST_LOGIT)
    return min(max(p, least), 1.0 - least)


@kernel
def find_predicting(awake: Bools, rated: Longs, predicting: Bools) -> int:
    """Mark the experts that predict an event: those that are awake and have rated before.

    If none has, all that are awake do. Returns their number.
    """
    count = 0
    for k in range(len(awake)):
        predicting[k] = awake[k] and rated[k] > 0
        count += predicting[k]
    if count == 0:
        for k in range(len(awake)):
            predicting[k] = awake[k]
            count += predicting[k]
    return count


@kernel
def is_awake(predicting: Bools, i: int) -> bool:
    """Whether prediction number `i` counts: that of an expert that predicts, or of a regression."""
    return i >= 2 * len(predicting) or predicting[i % len(predicting)]


@kernel
def learn_weights(log_weights: Floats, predicting: Bools, loss: Floats, share: float) -> None:
    """Reweigh by what each prediction lost; those asleep keep their weights, but for the share."""
    n = len(log_weights)
    least, before, after = math.inf, 0.0, 0.0
    for i in range(n):
        if is_awake(predicting, i):
            least = min(least, loss[i])
            before += math.exp(log_weights[i])
    for i in range(n):
        if is_awake(predicting, i):
            log_weights[i] -= loss[i] - least
            after += math.exp(log_weights[i])
    change = math.log(before / after)
    for i in range(n):
        w = log_weights[i] + (change if is_awake(predicting, i) else 0.0)
        log_weights[i] = math.log((1.0 - share) * math.exp(w) + share / n)


@kernel
def fill_weights(log_weights: Floats, weights: Floats) -> None:
    """The weights themselves."""
    for i in range(len(weights)):
        weights[i] = math.exp(log_weights[i])


@kernel
def add_losses(p: Floats, score: float, part: float, loss: Floats) -> None:
    """Add a part of −s ln p − (1 − s) ln(1 − p) for every prediction."""
    for i in range(len(p)):
        loss[i] -= part * (score * math.log(p[i]) + (1.0 - score) * math.log(1.0 - p[i]))


REGRESSION_VARIANCES = (1.0, 5.0, 25.0)
"""The variance of the sum of all coefficients before the first event, of each regression: a cautious one, one
that learns fast, and one between. Which is best depends on the history. They were chosen on the first halves
of five sets of real matches; on the second halves they were 0.0008 better on Smash than a single one of
variance 3, 0.0002 worse on Halo 2 and much the same elsewhere."""
REGRESSION_DRIFT = 1e-5
"""The part of it that each match adds again: a memory as long as that of calibrations."""
LARGEST_COEFFICIENT = 20.0


def _learn_covariance_by_arrays(covariance: Floats, x: Floats, information: float, u: Floats) -> None:
    """What `learn_covariance` does, with whole rows at once."""
    u[:] = x @ covariance
    covariance -= information / (1.0 + information * (x @ u)) * np.outer(u, u)


@interpreted_as(_learn_covariance_by_arrays)
@kernel
def learn_covariance(covariance: Floats, x: Floats, information: float, u: Floats) -> None:
    """P⁻¹ ← P⁻¹ + information · x xᵀ, by the formula of Sherman and Morrison; `u` is work space."""
    d, v = len(x), 0.0
    for i in range(d):
        u[i] = 0.0
    for j in range(d):  # in this order the inner loops are vectorised
        for i in range(d):
            u[i] += x[j] * covariance[j, i]
    for i in range(d):
        v += x[i] * u[i]
    part = information / (1.0 + information * v)
    for i in range(d):
        for j in range(d):
            covariance[i, j] -= part * (u[i] * u[j])


def _learn_coefficients_by_arrays(
    coefficients: Floats, covariance: Floats, variance: float, gradient: Floats, matches: float, u: Floats
) -> None:
    """What `learn_coefficients` does, with whole rows at once."""
    d = len(coefficients)
    kept = (1.0 - REGRESSION_DRIFT) ** matches
    moved = 1.0 / d + math.sqrt(kept) * (coefficients + gradient @ covariance - 1.0 / d)
    coefficients[:] = np.clip(moved, -LARGEST_COEFFICIENT, LARGEST_COEFFICIENT)
    covariance *= kept
    covariance.ravel()[:: d + 1] += (1.0 - kept) * variance / d


@interpreted_as(_learn_coefficients_by_arrays)
@kernel
def learn_coefficients(
    coefficients: Floats, covariance: Floats, variance: float, gradient: Floats, matches: float, u: Floats
) -> None:
    """One step of Newton's method, and the drift back towards the start of so many matches.

    The covariance has learned from the event already. `variance` is where that of the sum of the coefficients
    started; `u` is work space.
    """
    d = len(coefficients)
    kept = (1.0 - REGRESSION_DRIFT) ** matches
    root, start, fresh = math.sqrt(kept), 1.0 / d, (1.0 - kept) * variance / d
    for i in range(d):
        u[i] = 0.0
    for j in range(d):
        for i in range(d):
            u[i] += gradient[j] * covariance[j, i]
            covariance[j, i] *= kept
        covariance[j, j] += fresh
    for i in range(d):
        moved = start + root * (coefficients[i] + u[i] - start)
        coefficients[i] = min(max(moved, -LARGEST_COEFFICIENT), LARGEST_COEFFICIENT)
