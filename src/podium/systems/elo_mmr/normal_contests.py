"""Elo-MMχ, compiled: contests in order, two phases each, where beliefs and performances are normal.

Phase one is a sweep down the standings (`performance_sweeps`): with h the hazard of the normal distribution,
−l(z) = h(z), v(z) = h(−z) and d(z) = −z. In phase two beliefs learn in closed form.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import NO_TIME, EventColumns, Floats, TraceColumns
from podium.numerics.event_sides import is_held, largest_event
from podium.numerics.jit import formula, kernel
from podium.numerics.newcomers import MEAN, learn_newcomers
from podium.numerics.normal import hazards
from podium.systems.elo_mmr.drift import (
    ContestBeliefs,
    ContestField,
    DriftAndNewcomers,
    empty_field,
    find_beliefs,
)
from podium.systems.elo_mmr.performance_sweeps import sweep
from podium.systems.elo_mmr.team_sums import gather_teams, room_for_teams, share_out


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


@kernel
def rate_normal_contests(
    ev: EventColumns,
    beliefs: ContestBeliefs,
    before: DriftAndNewcomers,
    ties: int,
    mean_of_team: bool,
    newcomer: float,
    trace: TraceColumns,
) -> None:
    """Rate events in order, in place, with normal beliefs and performances: Elo-MMχ."""
    offsets, rank, ceiling, newcomers = ev.offsets, ev.rank, ev.ceiling, before.newcomers
    in_teams, room = len(ev.side) > 0, largest_event(offsets)
    field, shown, own, sums = empty_field(room), np.empty(room), np.ones(room), np.empty(3)
    prior, _, _, delta = field
    teams = room_for_teams(room if in_teams else 0)
    _, _, place, strength, spread, together = teams
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        n = hi - lo
        find_beliefs(ev, e, 0, n, beliefs, before, field, trace)
        highest = math.inf if len(ceiling) == 0 else ceiling[e]
        if not in_teams:
            gaussian_performances(prior[:n], delta[:n], rank[lo:hi], ties, shown[:n])
            for i in range(n):
                shown[i] = min(shown[i], highest)
        else:
            m = gather_teams(ev, e, mean_of_team, newcomer, prior, delta, teams)
            gaussian_performances(strength[:m], spread[:m], place[:m], ties, together[:m])
            for s in range(m):
                together[s] = min(together[s], highest)
            share_out(ev, e, mean_of_team, prior, delta, teams, shown, own)
        learn_normal_performances(0, n, ev, e, beliefs, field, shown, own, newcomers[MEAN], trace, sums)
        if before.drift.adaptive:
            learn_newcomers(newcomers, int(sums[0]), sums[1], sums[2])


@kernel
def learn_normal_performances(
    first: int,
    last: int,
    ev: EventColumns,
    e: int,
    beliefs: ContestBeliefs,
    field: ContestField,
    shown: Floats,
    own: Floats,
    known: float,
    trace: TraceColumns,
    sums: Floats,
) -> None:
    """Phase two of Elo-MMχ for the rows of an event from `first` to `last`; `sums` are those of newcomers.

    `own` is κ of `team_sums`, which is 1 for whoever is alone; `known` is the mean of newcomers so far.
    """
    offsets, player, _, _, held, time, _, _, _, _, _, _ = ev
    mu, variance, unknown, events, last_time = beliefs
    _, beta2, added, _ = field
    mu_before, sigma_before, performance, mu_after, sigma_after = trace
    tracing, lo = len(mu_before) > 0, offsets[e]
    count, total, squares = 0, 0.0, 0.0
    for i in range(first, last):
        row, j = lo + i, player[lo + i]
        here = shown[i]
        if tracing:
            performance[row] = here
        if is_held(held, row):
            if tracing:
                mu_after[row], sigma_after[row] = mu_before[row], sigma_before[row]
            continue
        if unknown[j]:
            unknown[j] = False
            count, total, squares = count + 1, total + (here - known), squares + (here - known) ** 2
        grown = variance[j] + added[i]
        mu[j] += grown / (grown + beta2[i]) * (here - mu[j])
        variance[j] = grown * (beta2[i] + (1.0 - own[i]) * grown) / (grown + beta2[i])
        events[j] += 1
        if time[e] != NO_TIME:
            last_time[j] = time[e]
        if tracing:
            mu_after[row], sigma_after[row] = mu[j], math.sqrt(variance[j])
    sums[0], sums[1], sums[2] = count, total, squares
