"""Distributions of performances as section 3.1 needs them, and Lemma 3.1 for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats
from podium.numerics.normal import normal_win_probability
from podium.systems.elo_mmr.performance_distributions import GUMBEL_MIN, HYPERBOLIC_SECANT

Function = Callable[[Floats], Floats]


class PerformanceModel(NamedTuple):
    """l, d and v of section 3.1 for one distribution of variance 1 (scale 1 if it has no variance)."""

    loss: Function
    draw: Function
    victory: Function


def _logistic() -> PerformanceModel:
    steep = np.pi / np.sqrt(3.0)

    def below(z: Floats) -> Floats:
        return np.asarray(0.5 * (1.0 + np.tanh(0.5 * steep * z)))

    return PerformanceModel(
        lambda z: -steep * below(z),
        lambda z: steep * (1.0 - 2.0 * below(z)),
        lambda z: steep * below(-z),
    )


def _normal() -> PerformanceModel:
    def hazard(z: Floats) -> Floats:
        near = np.minimum(z, 30.0)
        density = np.exp(-0.5 * near * near) / np.sqrt(2.0 * np.pi)
        far = z + 1.0 / np.maximum(z, 1.0)  # to 1e-4 beyond 30 deviations, where the quotient is 0/0
        return np.where(z > 30.0, far, density / normal_win_probability(-near, 1.0))

    return PerformanceModel(lambda z: -hazard(z), lambda z: -z, lambda z: hazard(-z))


def _cauchy() -> PerformanceModel:
    def above(z: Floats) -> Floats:
        return np.asarray(0.5 - np.arctan(z) / np.pi)

    def density(z: Floats) -> Floats:
        return np.asarray(1.0 / (np.pi * (1.0 + z * z)))

    return PerformanceModel(
        lambda z: -density(z) / above(z),
        lambda z: -2.0 * z / (1.0 + z * z),
        lambda z: density(z) / above(-z),
    )


LOG_CONCAVE = {
    "normal": _normal(),
    "logistic": _logistic(),
    "hyperbolic secant": PerformanceModel(*(getattr(HYPERBOLIC_SECANT, n) for n in PerformanceModel._fields)),
    "Gumbel": PerformanceModel(*(getattr(GUMBEL_MIN, n) for n in PerformanceModel._fields)),
}
HEAVY_TAILED = _cauchy()
"""Not log-concave: it shows what the assumption is for."""


def lemma_holds(kind: PerformanceModel, z: Floats) -> float:
    """Share of neighbouring grid points at which the lemma holds."""
    l, d, v = kind.loss(z), kind.draw(z), kind.victory(z)  # noqa: E741 (the paper's names)
    rounding = 1e-12
    ordered = (l <= d + rounding) & (d <= v + rounding) & (l < v)
    falling = np.all([np.diff(column) <= rounding for column in (l, d, v)], axis=0)
    return float(np.mean(ordered[1:] & falling))
