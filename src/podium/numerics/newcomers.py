"""Where newcomers start: at a fixed belief, or where earlier newcomers turned out to be.

The first performances of a competition's newcomers say where the next one is likely to be: their mean, and
their spread beyond what performances scatter anyway. Both are running averages that begin at the fixed
belief, which counts like some newcomers seen already, and that forget newcomers of long ago.
"""

from __future__ import annotations

import numpy as np

from podium.history.core import Floats
from podium.numerics.jit import kernel

MEAN, SPREAD, SEEN, NOISE = 0, 1, 2, 3

EARNEST = 100.0
"""Newcomers the fixed belief counts for."""
REMEMBERED = 10_000.0
"""Newcomers over which the averages run."""
LEAST_PART = 0.25
"""Of the fixed variance: a belief about newcomers never gets surer than this."""


def start_of_newcomers(mu: float, variance: float, noise: float) -> Floats:
    """What is known of newcomers before the first: performances scatter by `noise` around skills."""
    return np.array([mu, variance + noise, 0.0, noise, LEAST_PART * variance])


@kernel
def newcomer_belief(newcomers: Floats) -> tuple[float, float]:
    """Mean and variance of the next newcomer's skill."""
    return newcomers[MEAN], max(newcomers[SPREAD] - newcomers[NOISE], newcomers[4])


@kernel
def learn_newcomer(newcomers: Floats, performance: float) -> None:
    """One more newcomer's first performance."""
    newcomers[SEEN] = min(newcomers[SEEN] + 1.0, REMEMBERED)
    rate = 1.0 / (EARNEST + newcomers[SEEN])
    surprise = performance - newcomers[MEAN]
    newcomers[MEAN] += rate * surprise
    newcomers[SPREAD] += rate * (surprise * (performance - newcomers[MEAN]) - newcomers[SPREAD])
