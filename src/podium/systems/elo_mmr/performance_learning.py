"""Phase two of Elo-MMR with a distribution of performances other than the logistic one."""

from __future__ import annotations

import math
from collections.abc import Callable

from podium.arrays import NO_TIME, Bools, Floats, Ints
from podium.systems.elo_mmr.beliefs import DRIFT_TRANSFER, FOLDED_WEIGHT_PART, drifted, folded
from podium.systems.elo_mmr.contest_kernels import Normals, RememberedPerformances
from podium.systems.elo_mmr.drift import ContestBeliefs, ContestField

Mode = Callable[[float, float, float, int, int, Floats, Floats, Floats], float]
"""The mode of a belief, searched from a rating: given p₀ and w₀, and p, w and β from one place to another."""
Pull = Callable[[float, float, float, float], float]
"""The term of L'(s) from one factor, given s, p, w and β."""
Learning = Callable[
    [Ints, Bools, int, Floats, ContestField, ContestBeliefs, Normals, RememberedPerformances, float], None
]


def learning(mode: Mode, pull: Pull) -> Learning:
    """A function that lets everybody in one event learn their performance; compiled if these two are."""

    def learn(
        player: Ints,
        held: Bools,
        time: int,
        shown: Floats,
        field: ContestField,
        beliefs: ContestBeliefs,
        normals: Normals,
        memory: RememberedPerformances,
        rho: float,
    ) -> None:
        mu, variance, unknown, events, last_time = beliefs
        p0, w0, origin, origin_weight = normals
        start, length, room, p, w, beta, number, when = memory
        _, beta2, added, _ = field
        for i in range(len(player)):
            if held[i]:
                continue
            j = player[i]
            if unknown[j]:
                unknown[j] = False
                p0[j], w0[j] = mu[j], 1.0 / variance[j]
                origin[j], origin_weight[j] = p0[j], w0[j]
            p0[j], w0[j], factor = drifted(
                variance[j],
                added[i],
                rho,
                DRIFT_TRANSFER,
                mu[j],
                p0[j],
                w0[j],
                start[j],
                int(length[j]),
                p,
                w,
                beta,
            )
            origin_weight[j] *= factor
            events[j] += 1
            new = start[j] + length[j]
            p[new], w[new], beta[new] = shown[i], 1.0 / beta2[i], math.sqrt(beta2[i])
            number[new], when[new] = events[j], math.nan
            if time != NO_TIME:
                last_time[j] = time
                when[new] = time
            length[j] += 1
            variance[j] = 1.0 / (1.0 / (variance[j] + added[i]) + 1.0 / beta2[i])  # Eq. (8)
            mu[j] = mode(mu[j], p0[j], w0[j], start[j], new + 1, p, w, beta)
            while length[j] > 0 and w[start[j]] * variance[j] < FOLDED_WEIGHT_PART:
                k = start[j]
                p0[j], w0[j] = folded(mu[j], p0[j], w0[j], w[k], pull(mu[j], p[k], w[k], beta[k]))
                start[j], length[j], room[j] = k + 1, length[j] - 1, room[j] - 1

    return learn
