"""Regressions of results on the log odds of all experts, raw and calibrated: how they learn.

Each has coefficients θ, which start at 1/d for d inputs, and their covariance P. An event is one step of
Newton's method, as in calibrations; P learns by the formula of Sherman and Morrison.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Floats
from podium.numerics.jit import interpreted_as, kernel

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
