"""Elo-MMR with a distribution of performances other than the logistic one: contests in order, in Python.

What each contest takes is compiled if the distribution is, and NumPy if it is somebody's own.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import EventColumns, Floats, Ints
from podium.numerics.newcomers import MEAN, learn_newcomers
from podium.systems.contract.ratings import Trace
from podium.systems.elo_mmr.beliefs import DRIFT_TRANSFER, drifted
from podium.systems.elo_mmr.contest_kernels import RememberingColumns
from podium.systems.elo_mmr.drift import (
    ContestField,
    DriftAndNewcomers,
    find_beliefs,
    spreads,
)
from podium.systems.elo_mmr.logistic_performances import HALF_TIES, WHOLE_TIES
from podium.systems.elo_mmr.performance_distributions import (
    PerformanceDistribution,
    largest_pull,
    mode,
    performances,
    pulls,
)
from podium.systems.elo_mmr.performance_sweeps import Learning, learning
from podium.systems.elo_mmr.team_sums import blame_members, gather_teams, room_for_teams


def rate_contests_with(
    distribution: PerformanceDistribution,
    events: EventColumns,
    columns: RememberingColumns,
    before: DriftAndNewcomers,
    rho: float,
    half: bool,
    trace: Trace,
) -> None:
    """Like `podium.systems.elo_mmr.contest_kernels.rate_contests`; the τ of a factor is its β here."""
    tracing, learn = len(trace.mu_before) > 0, _learning(distribution)
    beliefs, newcomers = columns.beliefs, before.newcomers
    for e, (lo, hi) in enumerate(zip(events.offsets[:-1].tolist(), events.offsets[1:].tolist(), strict=True)):
        n = hi - lo
        field = ContestField(*(np.empty(n) for _ in ContestField._fields))
        find_beliefs(events, e, 0, n, beliefs, before, field, trace.kernel_columns)
        ceiling = events.ceiling[e] if len(events.ceiling) else math.inf
        rank, side = events.rank[lo:hi], events.side[lo:hi]
        in_teams = len(side) > 0 and int(side.max()) + 1 < n
        if in_teams:
            shown = _shown_in_teams(distribution, field, events, e, half, ceiling)
        else:
            shown = np.minimum(_performances(distribution, field.prior, field.deviation, rank, half), ceiling)
        held = events.held[lo:hi] if len(events.held) else np.zeros(n, np.bool_)
        player = events.player[lo:hi]
        new = shown[~held & beliefs.unknown[player]] - newcomers[MEAN]
        learn(player, held, int(events.time[e]), shown, field, columns, rho)
        if tracing:
            trace.performance[lo:hi] = shown
            trace.mu[lo:hi] = np.where(held, trace.mu_before[lo:hi], beliefs.mu[player])
            deviation = np.sqrt(beliefs.variance[player])
            trace.sigma[lo:hi] = np.where(held, trace.sigma_before[lo:hi], deviation)
        if before.drift.adaptive and not in_teams:
            learn_newcomers(newcomers, len(new), float(new.sum()), float((new * new).sum()))


def _performances(
    distribution: PerformanceDistribution, prior: Floats, deviation: Floats, rank: Ints, half: bool
) -> Floats:
    """Phase one: the performance of each player or team."""
    if distribution.compiled is None:
        return performances(distribution, prior, deviation, rank, half)
    shown = np.empty(len(rank))
    ties = HALF_TIES if half else WHOLE_TIES
    distribution.compiled.performances(prior, deviation, rank, ties, shown)
    return shown


def _shown_in_teams(
    distribution: PerformanceDistribution,
    field: ContestField,
    events: EventColumns,
    e: int,
    half: bool,
    ceiling: float,
) -> Floats:
    """Phase one with teams, as in `rate_team_contests`: what each member showed; their β² grows."""
    shown, teams = np.empty(len(field.prior)), room_for_teams(len(field.prior))
    sides = gather_teams(events, e, True, 0.0, field.prior, field.deviation, teams)
    own = (teams.strength[:sides], teams.spread[:sides], teams.place[:sides])
    teams.performance[:sides] = np.minimum(_performances(distribution, *own, half), ceiling)
    blame_members(events, e, field.prior, field.deviation, teams, shown, field.beta2)
    return shown


def _learning(distribution: PerformanceDistribution) -> Learning:
    """Phase two."""
    if distribution.compiled is not None:
        return distribution.compiled.learn

    def mode_of(
        mu: float, p0: float, w0: float, start: int, end: int, p: Floats, w: Floats, beta: Floats
    ) -> float:
        own = slice(start, end)
        return mode(distribution, p0, w0, p[own], w[own], beta[own])

    def pull_of(s: float, p: float, w: float, beta: float) -> float:
        return float(pulls(distribution, s, *(np.array([x]) for x in (p, w, beta)))[0])

    return learning(mode_of, pull_of)


def rating_limits_with(
    distribution: PerformanceDistribution,
    j: int,
    days: float,
    columns: RememberingColumns,
    before: DriftAndNewcomers,
    rho: float,
) -> tuple[float, float]:
    """The most that the next event can raise and lower a rating."""
    beliefs, normals, memory = columns
    a, n = int(memory.start[j]), int(memory.length[j])
    p, w, beta = (column[a : a + n].copy() for column in (memory.p, memory.w, memory.tau))
    beta2, added = spreads(1.0, int(beliefs.events[j]), days, before.drift, before.newcomer_weights)
    mu = float(beliefs.mu[j])
    mean, weight, _ = drifted(
        beliefs.variance[j], added, rho, DRIFT_TRANSFER, mu, normals.p0[j], normals.w0[j], 0, n, p, w, beta
    )
    moves = []
    for side in (1.0, -1.0):
        pull = largest_pull(distribution, side) / math.sqrt(beta2)
        end = (
            mode(distribution, mean, weight, p, w, beta, side * pull) if math.isfinite(pull) else side * pull
        )
        moves.append(side * (end - mu))
    return moves[0], moves[1]
