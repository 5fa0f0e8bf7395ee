"""Inactivity in Glicko and Glicko-2: a deviation grows with the rating periods that pass."""

from __future__ import annotations

from podium.arrays import NO_TIME
from podium.numerics.event_sides import NO_PERIOD, days_between
from podium.numerics.jit import kernel
from podium.systems.glicko.rules import GlickoRules


@kernel
def has_clock(period: int, events: int, last_time: int, rules: GlickoRules) -> bool:
    """Whether absence counts: since an event, or since the time of a rating that was set."""
    if rules.length > 0:
        return period != NO_PERIOD
    return events > 0 or last_time != NO_TIME


@kernel
def grown(
    belief: tuple[float, float, float], period: int, now: int, last_time: int, time: int, rules: GlickoRules
) -> tuple[float, float, float]:
    """A belief at the end of its period, widened for an event in a later one.

    Glicko grows by c² at the opening of every period, the one played included (1999, step 1); Glicko-2 by σ²
    at the end of every period missed (2012, step 6), as closing has the growth of the period played.
    """
    mu, variance, volatility = belief
    if rules.length > 0:
        periods = float(now - period)
    else:
        periods = 1.0 + rules.periods_per_day * days_between(last_time, time)
    growth = rules.growth
    if rules.adaptive:
        growth, periods = (volatility / rules.q) ** 2, periods - 1.0
    return mu, max(variance, min(variance + growth * periods, rules.limit)), volatility
