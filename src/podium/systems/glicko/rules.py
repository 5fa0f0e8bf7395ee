"""What the kernels of Glicko and Glicko-2 are given: columns of the state, and the parameters."""

from __future__ import annotations

from typing import NamedTuple

from podium.arrays import Floats, Ints, Longs


class GlickoBeliefs(NamedTuple):
    """Columns of the state; `volatility` is empty in Glicko."""

    mu: Floats
    variance: Floats
    volatility: Floats
    information: Floats
    surprise: Floats
    in_period: Ints
    """Events played in the open period."""
    period: Longs
    events: Ints
    last_time: Longs


class GlickoRules(NamedTuple):
    """Parameters of the system."""

    q: float
    adaptive: bool
    """Whether players have volatilities: Glicko-2."""
    growth: float
    """c²: variance a rating period adds in Glicko; Glicko-2 has the player's volatility instead."""
    limit: float
    """Variance that absence never exceeds."""
    tau: float
    periods_per_day: float
    length: int
    """Microseconds of a rating period; 0 where every event is one."""
    home_advantage: float
    newcomer: float
    mean_of_team: bool
    pairs: int
    """What an event of many sides counts: see `PAIR_COUNTING`."""


MEAN, SUM, ONE_MATCH = 0, 1, 2
PAIR_COUNTING = {"mean": MEAN, "sum": SUM, "one-match": ONE_MATCH}
