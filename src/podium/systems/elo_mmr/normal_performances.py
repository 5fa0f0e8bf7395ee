"""Phase one of Elo-MMχ: performances in a contest where they are normal.

With h the hazard of the normal distribution, −l(z) = h(z), v(z) = h(−z) and d(z) = −z.
"""

from __future__ import annotations

from podium.numerics.jit import formula
from podium.numerics.normal import hazards
from podium.systems.elo_mmr.performance_sweeps import sweep


@formula
def _derivatives(z: float, lost: float, won: float) -> tuple[float, float, float, float]:
    """h' = h (h − z) and h'' = h ((h − z)² + h (h − z) − 1), at z and at −z."""
    beyond, short = lost - z, won + z
    return (
        lost * beyond,
        lost * (beyond * (beyond + lost) - 1.0),
        -won * short,
        won * (short * (short + won) - 1.0),
    )


@formula
def _draw(z: float, lost: float) -> tuple[float, float, float]:
    return -z, -1.0, 0.0


NORMAL_SWEEP = sweep("normal", hazards, _derivatives, _draw, panel=1.0)
"""The hazard is smooth up to 2.8 δ away from the real line."""
gaussian_performances = NORMAL_SWEEP.performances
