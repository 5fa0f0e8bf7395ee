"""What a contest finds, in Elo-MMR, Elo-MMχ and Elo-R: beliefs that have drifted, newcomers, weights."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, EventColumns, Floats, Ints, Longs, TraceColumns
from podium.numerics.compiler_hints import ROWS_AHEAD, prefetch
from podium.numerics.event_sides import days_between, event_weight, is_held
from podium.numerics.jit import kernel, shared_kernel
from podium.numerics.newcomers import newcomer_belief


class Drift(NamedTuple):
    """The noise of performances and the drift of beliefs."""

    beta2: float
    gamma2: float
    limit2: float
    """The variance that beliefs of regular players approach."""
    per_day: float
    """Variance that each day away adds."""
    adaptive: bool
    """Whether newcomers start where earlier newcomers turned out to be."""


@kernel
def spreads(
    weight: float, experience: int, days: float, drift: Drift, newcomer_weights: Floats
) -> tuple[float, float]:
    """β² and the variance added by drift, for a player with this experience in an event of this weight.

    A weight ω acts through the equivalent limits (σ_lim, w): with ω w in place of w, in
    β² = (1 + 1/w) σ_lim² + drift/w what is divided by w is divided by ω too, and γ² = w σ_lim² is multiplied.
    """
    if 0 <= experience < len(newcomer_weights):  # below 0 where a 32-bit count has overflowed
        weight *= newcomer_weights[experience]
    return drift.limit2 + (drift.beta2 - drift.limit2) / weight, weight * drift.gamma2 + drift.per_day * days


class ContestBeliefs(NamedTuple):
    """The columns of the state that these systems have in common."""

    mu: Floats
    variance: Floats
    unknown: Bools
    """Whether nothing is known yet except that the player is new."""
    events: Ints
    last_time: Longs


class DriftAndNewcomers(NamedTuple):
    """The change of beliefs before a contest is rated."""

    drift: Drift
    newcomer_weights: Floats
    """Factors on the weight of a player's first event, second event, …"""
    newcomers: Floats
    """What is known of them: see `podium.numerics.newcomers`."""


class ContestField(NamedTuple):
    """The participants' ratings and deviations before a contest, one row each."""

    prior: Floats
    """The rating before the contest."""
    beta2: Floats
    added: Floats
    """The variance added by drift, including the contest's own."""
    deviation: Floats
    """δ: the deviation of the performance around the rating."""


@kernel
def empty_field(size: int) -> ContestField:
    """Work space for `size` participants."""
    return ContestField(np.empty(size), np.empty(size), np.empty(size), np.empty(size))


@shared_kernel
def find_beliefs(
    ev: EventColumns,
    e: int,
    first: int,
    last: int,
    beliefs: ContestBeliefs,
    before: DriftAndNewcomers,
    field: ContestField,
    trace: TraceColumns,
) -> None:
    """Fill the field of contest `e`, from its row `first` to `last`.

    The trace gets beliefs before the contest's own drift.
    Where their start adapts, newcomers who are rated here get the belief they start from.
    """
    player, held, lo, time, weight = ev.player, ev.held, ev.offsets[e], ev.time[e], event_weight(ev.weight, e)
    mu, variance, unknown, events, last_time = beliefs
    drift, newcomer_weights, newcomers = before
    mu_before, sigma_before = trace.mu_before, trace.sigma_before
    prior, beta2, added, deviation = field
    start_mu, start_variance = newcomer_belief(newcomers)
    for i in range(first, last):
        if i + ROWS_AHEAD < last:
            soon = player[lo + i + ROWS_AHEAD]
            prefetch(mu, soon)
            prefetch(variance, soon)
            prefetch(unknown, soon)
            prefetch(events, soon)
            prefetch(last_time, soon)
        row, j = lo + i, player[lo + i]
        days = days_between(last_time[j], time)
        beta2[i], added[i] = spreads(weight, events[j], days, drift, newcomer_weights)
        here, spread = mu[j], variance[j]
        if unknown[j] and drift.adaptive:
            here, spread = start_mu, start_variance
            if not is_held(held, row):
                mu[j], variance[j] = here, spread
        prior[i] = here
        deviation[i] = math.sqrt(spread + added[i] + beta2[i])
        if len(mu_before) > 0:
            mu_before[row] = here
            sigma_before[row] = math.sqrt(spread + drift.per_day * days)
