"""Chances of every place in a free-for-all, from independent performances.

Given player i's performance x, everyone else is above x or not independently of each other, so the number of
those above has a Poisson-binomial distribution; integrating over x gives the chance of each place. One
polynomial per quadrature node holds everybody, and each player's own factor is divided out again, which makes
the whole matrix cost nodes × n² instead of nodes × n³. Ties of performances have no mass.
"""

from __future__ import annotations

import math

import numpy as np

from podium.history.core import Floats
from podium.numerics.curves import logistic
from podium.numerics.jit import kernel

GUMBEL, NORMAL, LOGISTIC = 0, 1, 2
FAMILIES = {"gumbel": GUMBEL, "normal": NORMAL, "logistic": LOGISTIC}
_REACH = {GUMBEL: (-4.0, 38.0), NORMAL: (-9.0, 9.0), LOGISTIC: (-37.0, 37.0)}
"""Where a distribution of scale 1 has its mass, to 1e-16."""
_STEP = {GUMBEL: 0.125, NORMAL: 0.125, LOGISTIC: 0.5}
"""Of the quadrature: a logistic density is smooth in a strip of half-width π."""


@kernel
def _above(family: int, z: float) -> float:
    """The chance that a standard performance exceeds z."""
    if family == GUMBEL:
        return -math.expm1(-math.exp(-z))
    if family == LOGISTIC:
        return logistic(-z)
    return 0.5 * math.erfc(z / math.sqrt(2.0))


@kernel
def _density(family: int, z: float) -> float:
    if family == GUMBEL:
        return math.exp(-z - math.exp(-z))
    if family == LOGISTIC:
        return logistic(z) * logistic(-z)
    return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)


@kernel
def _accumulate(
    family: int, location: Floats, scale: Floats, nodes: Floats, step: float, out: Floats
) -> None:
    """Trapezoid rule, which converges geometrically for densities that vanish smoothly at both ends."""
    n = len(location)
    everyone = np.empty(n + 1)
    others = np.empty(n)
    p = np.empty(n)
    for node in range(len(nodes)):
        x = nodes[node]
        everyone[0] = 1.0
        for j in range(n):
            p[j] = _above(family, (x - location[j]) / scale[j])
            everyone[j + 1] = 0.0
            for k in range(j + 1, 0, -1):
                everyone[k] += p[j] * (everyone[k - 1] - everyone[k])
            everyone[0] *= 1.0 - p[j]
        for i in range(n):
            mass = step * _density(family, (x - location[i]) / scale[i]) / scale[i]
            if mass < 1e-18:
                continue
            # Divide by (1 − p) + p·z, from the end where that is stable.
            q = p[i]
            if q < 0.5:
                carry = 0.0
                for k in range(n):
                    carry = (everyone[k] - q * carry) / (1.0 - q)
                    others[k] = carry
            else:
                carry = 0.0
                for k in range(n - 1, -1, -1):
                    carry = (everyone[k + 1] - (1.0 - q) * carry) / q
                    others[k] = carry
            for k in range(n):
                out[i, k] += mass * max(others[k], 0.0)


def rank_probabilities(family: str, location: Floats, scale: Floats) -> Floats:
    """Row i, column k: the chance that player i comes in at place k + 1.

    >>> rank_probabilities("gumbel", np.zeros(2), np.ones(2)).round(12).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    low, high = _REACH[FAMILIES[family]]
    step = _STEP[FAMILIES[family]] * float(scale.min())
    # One grid for all, but only where somebody's performance may lie: ratings can be far apart.
    reaches = np.stack([location + low * scale, location + high * scale], axis=1) / step
    grids = [np.arange(np.floor(a), np.ceil(b) + 1) for a, b in reaches]
    nodes = step * np.unique(np.concatenate(grids))
    out = np.zeros((len(location), len(location)))
    _accumulate(FAMILIES[family], location, scale, nodes, step, out)
    out /= out.sum(axis=1, keepdims=True)
    return out
