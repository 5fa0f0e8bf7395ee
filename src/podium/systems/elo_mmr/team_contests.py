"""Contests with teams in Elo-MMR and Elo-R, compiled.

A team performs as the mean of its members, and phase one finds its performance as if it were a player. In
phase two each member learns what they showed if the teammates did what was expected of them; the teammates'
scatter is added to the noise (`team_sums`). With normal performances that would be exact, and is Elo-MMχ's
rule; here the sum of logistic performances counts as a logistic one of the same deviation.

A member's own part in a team's result is too uncertain to say where newcomers start: nothing is learned
about that here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from podium.arrays import EventColumns, Floats
from podium.numerics.event_sides import event_weight, find_sides, largest_event
from podium.numerics.jit import kernel
from podium.systems.elo_mmr.beliefs import room_for
from podium.systems.elo_mmr.contest_kernels import EloMMRRules, Normals, RememberedPerformances, learn_rows
from podium.systems.elo_mmr.drift import ContestBeliefs, Drift, empty_field, find_beliefs
from podium.systems.elo_mmr.logistic_performances import LogisticField, logistic_performances
from podium.systems.elo_mmr.team_sums import blame_members, gather_teams


def runs(events: EventColumns) -> Iterator[tuple[EventColumns, bool]]:
    """The events in order, cut into runs with teams and runs without; whether each one has teams."""
    if not len(events.side):
        yield events, False
        return
    starts = events.offsets[:-1]
    sides = np.maximum.reduceat(events.side, starts) + 1
    with_teams = sides < np.diff(events.offsets)
    ends = [*(np.flatnonzero(np.diff(with_teams)) + 1).tolist(), len(starts)]
    for first, last in zip([0, *ends[:-1]], ends, strict=True):
        yield events.part(first, last), bool(with_teams[first])


@kernel
def rate_team_contests(
    ev: EventColumns,
    beliefs: ContestBeliefs,
    normals: Normals,
    memory: RememberedPerformances,
    drift: Drift,
    rules: EloMMRRules,
    newcomer_weights: Floats,
    newcomers: Floats,
    mu_before: Floats,
    sigma_before: Floats,
    performance: Floats,
    mu_after: Floats,
    sigma_after: Floats,
    standings: LogisticField,
) -> None:
    """Rate events with teams in order, in place; each row needs room for a term."""
    offsets, player, rank, side, held, time, weight, _, _, ceiling, _, _ = ev
    rows, longest = largest_event(offsets), 0
    for row in range(offsets[0], offsets[-1]):
        longest = max(longest, memory.room[player[row]])
    field, shown, space, sums = empty_field(rows), np.empty(rows), room_for(longest), np.empty(3)
    first, size, place = np.empty(rows, np.int32), np.empty(rows, np.int32), np.empty(rows, np.int32)
    strength, spread, scale, together = np.empty(rows), np.empty(rows), np.empty(rows), np.empty(rows)
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        n = hi - lo
        find_beliefs(
            lo,
            0,
            n,
            player,
            held,
            time[e],
            event_weight(weight, e),
            beliefs,
            drift,
            newcomer_weights,
            newcomers,
            field,
            mu_before,
            sigma_before,
        )
        prior, beta2, _, deviation = field
        m = find_sides(side, lo, hi, first, size)
        gather_teams(lo, hi, side, size, m, True, 0.0, prior, deviation, strength, spread)
        for s in range(m):
            place[s], scale[s] = rank[first[s]], rules.scale * spread[s]
        logistic_performances(strength[:m], scale[:m], place[:m], rules.ties, together[:m], standings)
        if len(ceiling) > 0:
            for s in range(m):
                together[s] = min(together[s], ceiling[e])
        blame_members(lo, hi, side, size, prior, deviation, strength, spread, together, shown, beta2)
        learn_rows(
            lo,
            0,
            n,
            n,
            player,
            held,
            time[e],
            math.inf,
            beliefs,
            normals,
            memory,
            rules,
            0.0,
            field,
            shown,
            mu_before,
            sigma_before,
            performance,
            mu_after,
            sigma_after,
            space,
            sums,
        )
