"""Elo-MMR with a distribution of performances that is not compiled: the same walk, in Python."""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import NO_TIME, EventColumns, Floats
from podium.systems.contract.ratings import Trace
from podium.systems.elo_mmr.beliefs import DRIFT_TRANSFER, FOLDED_WEIGHT_PART, drifted, folded
from podium.systems.elo_mmr.contest_kernels import Normals, RememberedPerformances
from podium.systems.elo_mmr.drift import ContestBeliefs, ContestField, Drift, find_beliefs, spreads
from podium.systems.elo_mmr.newcomers import MEAN, learn_newcomers
from podium.systems.elo_mmr.performance_distributions import (
    PerformanceDistribution,
    largest_pull,
    mode,
    performances,
    pulls,
)


def rate_contests_with(
    distribution: PerformanceDistribution,
    events: EventColumns,
    beliefs: ContestBeliefs,
    normals: Normals,
    memory: RememberedPerformances,
    drift: Drift,
    rho: float,
    half: bool,
    newcomer_weights: Floats,
    newcomers: Floats,
    trace: Trace,
) -> None:
    """Like `podium.systems.elo_mmr.contest_kernels.rate_contests`; the τ of a factor is its β here."""
    tracing = len(trace.mu_before) > 0
    for e, (lo, hi) in enumerate(zip(events.offsets[:-1].tolist(), events.offsets[1:].tolist(), strict=True)):
        n = hi - lo
        field = ContestField(*(np.empty(n) for _ in ContestField._fields))
        find_beliefs(
            lo,
            hi,
            events.player,
            events.held,
            events.time[e],
            events.weight[e] if len(events.weight) else 1.0,
            beliefs,
            drift,
            newcomer_weights,
            newcomers,
            field,
            trace.mu_before,
            trace.sigma_before,
        )
        shown = performances(distribution, field.prior, field.deviation, events.rank[lo:hi], half)
        if len(events.ceiling):
            shown = np.minimum(shown, events.ceiling[e])
        held = events.held[lo:hi] if len(events.held) else np.zeros(n, np.bool_)
        player = events.player[lo:hi]
        new = shown[~held & beliefs.unknown[player]] - newcomers[MEAN]
        for i, j in enumerate(player.tolist()):
            if not held[i]:
                evidence = float(shown[i]), field.added[i], field.beta2[i]
                _learn(distribution, j, *evidence, beliefs, normals, memory, rho)
                if events.time[e] != NO_TIME:
                    beliefs.last_time[j] = events.time[e]
                    memory.time[memory.start[j] + memory.length[j] - 1] = events.time[e]
        if tracing:
            trace.performance[lo:hi] = shown
            trace.mu[lo:hi] = np.where(held, trace.mu_before[lo:hi], beliefs.mu[player])
            deviation = np.sqrt(beliefs.variance[player])
            trace.sigma[lo:hi] = np.where(held, trace.sigma_before[lo:hi], deviation)
        if drift.adaptive:
            learn_newcomers(newcomers, len(new), float(new.sum()), float((new * new).sum()))


def _learn(
    distribution: PerformanceDistribution,
    j: int,
    performance: float,
    added: float,
    beta2: float,
    beliefs: ContestBeliefs,
    normals: Normals,
    memory: RememberedPerformances,
    rho: float,
) -> None:
    """Phase two for one player: update the belief by the performance."""
    mu, variance, unknown, events, _ = beliefs
    p0, w0, origin, origin_weight = normals
    start, length, room, p, w, beta, number, time = memory
    if unknown[j]:
        unknown[j] = False
        p0[j], w0[j] = mu[j], 1.0 / variance[j]
        origin[j], origin_weight[j] = p0[j], w0[j]
    p0[j], w0[j], factor = drifted(
        variance[j], added, rho, DRIFT_TRANSFER, mu[j], p0[j], w0[j], start[j], int(length[j]), p, w, beta
    )
    origin_weight[j] *= factor
    events[j] += 1
    k = start[j] + length[j]
    p[k], w[k], beta[k], number[k], time[k] = performance, 1.0 / beta2, math.sqrt(beta2), events[j], math.nan
    length[j] += 1
    variance[j] = 1.0 / (1.0 / (variance[j] + added) + 1.0 / beta2)
    own = slice(start[j], k + 1)
    mu[j] = mode(distribution, p0[j], w0[j], p[own], w[own], beta[own])
    while length[j] > 0 and w[start[j]] * variance[j] < FOLDED_WEIGHT_PART:
        k = start[j]
        pulled = float(pulls(distribution, mu[j], p[k : k + 1], w[k : k + 1], beta[k : k + 1])[0])
        p0[j], w0[j] = folded(mu[j], p0[j], w0[j], w[k], pulled)
        start[j], length[j], room[j] = k + 1, length[j] - 1, room[j] - 1


def rating_limits_with(
    distribution: PerformanceDistribution,
    j: int,
    days: float,
    beliefs: ContestBeliefs,
    normals: Normals,
    memory: RememberedPerformances,
    drift: Drift,
    rho: float,
    newcomer_weights: Floats,
) -> tuple[float, float]:
    """The most that the next event can raise and lower a rating."""
    a, n = int(memory.start[j]), int(memory.length[j])
    p, w, beta = (column[a : a + n].copy() for column in (memory.p, memory.w, memory.tau))
    beta2, added = spreads(1.0, int(beliefs.events[j]), days, drift, newcomer_weights)
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
