"""What the kernels of Glicko and Glicko-2 are given: columns of the state, and the parameters."""

from __future__ import annotations

from typing import NamedTuple

from podium.arrays import Floats, Ints, Longs


class GlickoBeliefs(NamedTuple):
    """The columns of the state; `volatility` is empty in Glicko."""

    mu: Floats
    variance: Floats
    volatility: Floats
    information: Floats
    surprise: Floats
    in_period: Ints
    """Number of events played in the open period."""
    period: Longs
    events: Ints
    last_time: Longs


class GlickoRules(NamedTuple):
    """The parameters of Glicko and Glicko-2 in the form kernels use."""

    q: float
    adaptive: bool
    """Whether players have volatilities: Glicko-2."""
    growth: float
    """c²: variance added by each rating period in Glicko; Glicko-2 uses the volatility instead."""
    limit: float
    """The variance that absence never exceeds."""
    tau: float
    periods_per_day: float
    length: int
    """Length of a rating period in microseconds; 0 if each event is a period."""
    home_advantage: float
    newcomer: float
    mean_of_team: bool
    pairs: int
    """How an event of many sides counts: see `PAIR_COUNTING`."""


MEAN, SUM, ONE_MATCH = 0, 1, 2
PAIR_COUNTING = {"mean": MEAN, "sum": SUM, "one-match": ONE_MATCH}
