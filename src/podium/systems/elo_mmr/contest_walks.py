"""Elo-MMR, Elo-MMχ and Elo-R as `podium.smooth` sees them: drift by contest, performances estimated again."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from podium.arrays import EventColumns, Floats, Ints, Longs
from podium.history.ragged import Pace
from podium.numerics.event_sides import event_weight, is_held, largest_event
from podium.numerics.jit import kernel
from podium.systems.contract.skill_walks import LogisticWalk, NormalWalk
from podium.systems.elo_mmr.drift import Drift, spreads
from podium.systems.elo_mmr.logistic_performances import (
    LogisticField,
    empty_logistic_field,
    logistic_performances,
)
from podium.systems.elo_mmr.normal_contests import gaussian_performances
from podium.systems.elo_mmr.team_sums import gather_teams, room_for_teams, share_out


@dataclass(frozen=True, kw_only=True)
class NormalContestWalk(NormalWalk):
    """The walk of skills in Elo-MMχ."""

    drift: Drift
    newcomer_weights: tuple[float, ...]
    ties: int
    mean_of_team: bool
    newcomer: float
    """The rating of a newcomer, from which a team's rating is measured."""

    def spreads(self, events: EventColumns, experience: Ints) -> tuple[Floats, Floats]:
        """As in the base class, with the weights of contests and of newcomers."""
        return _contest_spreads(self.drift, self.newcomer_weights, events, experience)

    def perform(
        self, events: EventColumns, mean: Floats, variance: Floats, beta2: Floats
    ) -> tuple[Floats, Floats]:
        """As in the base class; a team's performance is shared among its members."""
        h, y = np.empty(len(mean)), np.empty(len(mean))
        given = (mean, variance, beta2, self.ties, self.mean_of_team, self.newcomer, h, y)
        for piece in Pace().pieces(events.offsets, 0, len(events.offsets) - 1):
            perform_normally(events.part(piece.start, piece.stop), *given)
        return h, y


@dataclass(frozen=True, kw_only=True)
class LogisticContestWalk(LogisticWalk):
    """The walk of skills in Elo-MMR and Elo-R."""

    drift: Drift
    newcomer_weights: tuple[float, ...]
    ties: int
    scale: float
    """Scale of a logistic performance, as a multiple of its deviation δ."""

    def spreads(self, events: EventColumns, experience: Ints) -> tuple[Floats, Floats]:
        """As in the base class, with the weights of contests and of newcomers."""
        return _contest_spreads(self.drift, self.newcomer_weights, events, experience)

    def perform(self, events: EventColumns, mean: Floats, variance: Floats, beta2: Floats) -> Floats:
        """As in the base class, by the same kernel as rating."""
        performance = np.empty(len(mean))
        field = empty_logistic_field(int(np.diff(events.offsets).max(initial=0)))
        given = (mean, variance, beta2, self.scale, self.ties, performance, field)
        for piece in Pace().pieces(events.offsets, 0, len(events.offsets) - 1):
            perform_logistically(events.part(piece.start, piece.stop), *given)
        return performance


def _contest_spreads(
    drift: Drift, newcomer_weights: tuple[float, ...], events: EventColumns, experience: Ints
) -> tuple[Floats, Floats]:
    beta2, own = np.zeros(len(experience)), np.zeros(len(experience))
    weights = np.array(newcomer_weights, np.float64)
    row_spreads(events.offsets, events.weight, experience, drift, weights, beta2, own)
    return beta2, own


@kernel
def row_spreads(
    offsets: Longs,
    weight: Floats,
    experience: Ints,
    drift: Drift,
    newcomer_weights: Floats,
    beta2: Floats,
    own: Floats,
) -> None:
    """Fill each row's β² and the drift of its event only, for Elo-MMR and its relatives."""
    for e in range(len(offsets) - 1):
        counts = event_weight(weight, e)
        for row in range(offsets[e], offsets[e + 1]):
            beta2[row], own[row] = spreads(counts, experience[row], 0.0, drift, newcomer_weights)


@kernel
def perform_logistically(
    ev: EventColumns,
    mean: Floats,
    variance: Floats,
    beta2: Floats,
    scale: float,
    ties: int,
    out: Floats,
    field: LogisticField,
) -> None:
    """Fill each row's performance from the beliefs about all players, with logistic performances."""
    offsets, rank, ceiling = ev.offsets, ev.rank, ev.ceiling
    scales = np.empty(largest_event(offsets))
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        for row in range(lo, hi):
            scales[row - lo] = scale * math.sqrt(variance[row] + beta2[row])
        logistic_performances(mean[lo:hi], scales[: hi - lo], rank[lo:hi], ties, out[lo:hi], field)
        if len(ceiling) > 0:
            for row in range(lo, hi):
                out[row] = min(out[row], ceiling[e])


@kernel
def perform_normally(
    ev: EventColumns,
    mean: Floats,
    variance: Floats,
    beta2: Floats,
    ties: int,
    mean_of_team: bool,
    newcomer: float,
    h: Floats,
    y: Floats,
) -> None:
    """Fill what each event says of each row, from all beliefs, with normal performances and teams.

    Of a contribution c of which the part κ was seen (`podium.systems.elo_mmr.team_sums`), the belief N(m, v)
    learns as in `podium.systems.elo_mmr.normal_contests`: what that adds to the precision is
    h = κ/(β² + (1 − κ) v), and y is what it adds to precision times mean.
    """
    offsets, held, ceiling = ev.offsets, ev.held, ev.ceiling
    room = largest_event(offsets)
    delta, shown, own = np.empty(room), np.empty(room), np.ones(room)
    teams = room_for_teams(room)
    _, _, place, strength, spread, together = teams
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        n = hi - lo
        highest = math.inf if len(ceiling) == 0 else ceiling[e]
        for i in range(n):
            delta[i] = math.sqrt(variance[lo + i] + beta2[lo + i])
        m = gather_teams(ev, e, mean_of_team, newcomer, mean[lo:hi], delta, teams)
        gaussian_performances(strength[:m], spread[:m], place[:m], ties, together[:m])
        for s in range(m):
            together[s] = min(together[s], highest)
        share_out(ev, e, mean_of_team, mean[lo:hi], delta, teams, shown, own)
        for i in range(n):
            row = lo + i
            if is_held(held, row):
                h[row], y[row] = 0.0, 0.0
                continue
            v, kappa = variance[row], own[i]
            seen = beta2[row] + (1.0 - kappa) * v
            h[row] = kappa / seen
            # the mean moves by v (c − m)/(v + β²), to a variance of v seen/(v + β²)
            y[row] = h[row] * mean[row] + (shown[i] - mean[row]) / seen
