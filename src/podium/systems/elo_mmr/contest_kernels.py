"""Elo-MMR and Elo-R, compiled: contests in order, two phases each.

Before a contest everybody's belief drifts; from the standings and these beliefs follow the performances
(phase one, `logistic_performances`); each rated player's belief then learns theirs (phase two, `beliefs`).
Other threads can help with every step of it (`podium.numerics.crews`).

A team performs as the mean of its members, and phase one finds its performance as if it were a player. In
phase two each member learns what they showed if the teammates did what was expected of them; the teammates'
scatter is added to the noise (`team_sums`). With normal performances that would be exact, and is Elo-MMχ's
rule; here the sum of logistic performances counts as a logistic one of the same deviation. A member's own
part in a team's result is too uncertain to say where newcomers start: nothing is learned about that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from podium.arrays import NO_TIME, EventColumns, Floats, Ints, Longs, TraceColumns
from podium.numerics.compiler_hints import NUMBERS_PER_LINE, ROWS_AHEAD, prefetch
from podium.numerics.crews import Board, await_parts, crew_size, end_part, next_part, open_loop, subject_of
from podium.numerics.event_sides import is_held, largest_event
from podium.numerics.jit import kernel
from podium.numerics.newcomers import MEAN, learn_newcomers
from podium.systems.elo_mmr.beliefs import FOLDED_WEIGHT_PART, drifted, factor_pull, folded, mode, room_for
from podium.systems.elo_mmr.drift import (
    ContestBeliefs,
    ContestField,
    DriftAndNewcomers,
    empty_field,
    find_beliefs,
    spreads,
)
from podium.systems.elo_mmr.logistic_performances import (
    DIRECT_UP_TO,
    PANELS,
    PARTS,
    LogisticField,
    fill_panels,
    find_edge,
    find_standings,
    lay_panels,
    logistic_performances,
    solve_rows,
)
from podium.systems.elo_mmr.team_sums import blame_members, gather_teams, room_for_teams

FIND, LIMIT, TABULATE, SOLVE, LEARN = range(5)
"""The steps of a contest: find beliefs; limit performances from below and above; tabulate chances; solve for
the performances; let beliefs learn them."""
STEPS = 5
ROWS_FOUND_AT_ONCE, ROWS_LEARNT_AT_ONCE = 512, 128
"""Rows of a contest that one thread finds, or lets learn, before it looks for more."""


class EloMMRRules(NamedTuple):
    """The parameters of a system that remembers performances, in the form kernels use."""

    rho: float
    way: int
    """How beliefs drift: see `podium.systems.elo_mmr.beliefs`."""
    pull: float
    """c of `podium.systems.elo_mmr.beliefs`."""
    scale: float
    """Scale of a logistic performance, as a multiple of its deviation δ."""
    tau: float
    """τ of a factor, as a multiple of β."""
    ties: int


class Normals(NamedTuple):
    """Columns of systems that remember performances: the normal factor of each belief."""

    p0: Floats
    w0: Floats
    origin: Floats
    """The rating the player started from."""
    origin_weight: Floats
    """The remaining weight of the start; it is part of w₀."""


class RememberedPerformances(NamedTuple):
    """The remembered performances; each player's start at `start`, their number is `length`."""

    start: Longs
    length: Ints
    room: Ints
    p: Floats
    w: Floats
    tau: Floats
    number: Floats
    """The number of the event among the player's own."""
    time: Floats
    """The time of the event in microseconds; NaN if it has none."""


class RememberingColumns(NamedTuple):
    """The state of systems that remember performances, in the form kernels use."""

    beliefs: ContestBeliefs
    normals: Normals
    memory: RememberedPerformances


@kernel
def rate_contests(
    ev: EventColumns,
    columns: RememberingColumns,
    before: DriftAndNewcomers,
    rules: EloMMRRules,
    trace: TraceColumns,
    found: Floats,
    standings: LogisticField,
    sums: Floats,
    board: Board,
    helping: bool,
) -> None:
    """Rate events in order, in place, or help another call that does; each row needs room for a term.

    There is work space for the largest event: for what it finds and the performances in it, for its
    standings, and for the sums of newcomers in each part of it that learns.
    """
    offsets, player, rank, ceiling, newcomers = ev.offsets, ev.player, ev.rank, ev.ceiling, before.newcomers
    sizes = standings.sizes
    prior, beta2, added, deviation, shown = found[0], found[1], found[2], found[3], found[4]
    field, room = ContestField(prior, beta2, added, deviation), columns.memory.room
    space = room_for(0)
    for turn in range(1 if helping else STEPS * (len(offsets) - 1)):  # in one turn a helper takes part in all
        if not helping:
            e, step = turn // STEPS, turn % STEPS
            lo, n = offsets[e], offsets[e + 1] - offsets[e]
            parts = 2 if n > DIRECT_UP_TO else 0
            if step == FIND:
                parts = n // ROWS_FOUND_AT_ONCE + 1
            elif step == LIMIT:
                find_standings(prior[:n], deviation[:n], rank[lo : lo + n], standings)
            elif step == TABULATE:
                lay_panels(standings)
                parts = min(sizes[PANELS], crew_size(board))
            elif step == SOLVE:
                parts = sizes[PARTS]
            else:
                parts = n // ROWS_LEARNT_AT_ONCE + 1
            open_loop(board, turn, parts)
        part = next_part(board, helping)
        while part >= 0:
            e, step = subject_of(board) // STEPS, subject_of(board) % STEPS
            lo, n = offsets[e], offsets[e + 1] - offsets[e]
            if step == FIND:
                first = part * ROWS_FOUND_AT_ONCE
                last = min(first + ROWS_FOUND_AT_ONCE, n)
                find_beliefs(ev, e, first, last, columns.beliefs, before, field, trace)
                for i in range(first, last):
                    deviation[i] *= rules.scale
            elif step == LIMIT:
                find_edge(standings, part)
            elif step == TABULATE:
                panels, parts = sizes[PANELS], min(sizes[PANELS], crew_size(board))
                fill_panels(standings, part * panels // parts, (part + 1) * panels // parts)
            elif step == SOLVE:
                solve_rows(standings, rules.ties, part, shown)
            else:
                if space.shape[1] == 0:
                    longest = 0
                    for row in range(offsets[0], offsets[-1]):
                        longest = max(longest, room[player[row]])
                    space = room_for(longest)
                first, known = part * ROWS_LEARNT_AT_ONCE, newcomers[MEAN]
                last = min(first + ROWS_LEARNT_AT_ONCE, n)
                highest = math.inf if len(ceiling) == 0 else ceiling[e]
                learn_rows(
                    ev, e, first, last, highest, columns, rules, known, field, shown, trace, space, sums[part]
                )
            end_part(board)
            part = next_part(board, helping)
        if not helping:
            await_parts(board)
            if step == LEARN and before.drift.adaptive:
                count, total, squares = 0.0, 0.0, 0.0
                for part in range(parts):
                    count, total = count + sums[part, 0], total + sums[part, 1]
                    squares += sums[part, 2]
                learn_newcomers(newcomers, int(count), total, squares)


@kernel
def learn_rows(
    ev: EventColumns,
    e: int,
    first: int,
    last: int,
    highest: float,
    columns: RememberingColumns,
    rules: EloMMRRules,
    known: float,
    field: ContestField,
    shown: Floats,
    trace: TraceColumns,
    space: Floats,
    sums: Floats,
) -> None:
    """Phase two for the rows of event `e` from `first` to `last`; `sums` are those of newcomers.

    No performance is above `highest`; `known` is the mean of newcomers so far; `space` comes from `room_for`.
    """
    player, held, time, lo = ev.player, ev.held, ev.time[e], ev.offsets[e]
    n = ev.offsets[e + 1] - lo
    beliefs, normals, memory = columns
    mu_before, sigma_before, performance, mu_after, sigma_after = trace
    mu, variance, unknown, events, last_time = beliefs
    p0, w0, origin, origin_weight = normals
    start, length, room, p, w, tau, number, when = memory
    _, beta2, added, _ = field
    rho, way, tracing = rules.rho, rules.way, len(mu_before) > 0
    count, total, squares = 0, 0.0, 0.0
    for i in range(first, last):
        if i + ROWS_AHEAD < n:
            soon, sooner = player[lo + i + ROWS_AHEAD], player[lo + i + ROWS_AHEAD // 2]
            _fetch_player(soon, mu, variance, events, last_time, p0, w0, origin_weight)
            _fetch_list(soon, start, length, room)
            _fetch_terms(start[sooner], start[sooner] + length[sooner], p, w, tau, number, when)
        row, j = lo + i, player[lo + i]
        here = min(shown[i], highest)
        if tracing:
            performance[row] = here
        if is_held(held, row):
            if tracing:
                mu_after[row], sigma_after[row] = mu_before[row], sigma_before[row]
            continue
        if unknown[j]:
            unknown[j] = False
            count, total, squares = count + 1, total + (here - known), squares + (here - known) ** 2
            p0[j], w0[j] = mu[j], 1.0 / variance[j]
            origin[j], origin_weight[j] = p0[j], w0[j]
        p0[j], w0[j], factor = drifted(
            variance[j], added[i], rho, way, mu[j], p0[j], w0[j], start[j], length[j], p, w, tau
        )
        origin_weight[j] *= factor
        new = start[j] + length[j]
        p[new], w[new], tau[new] = here, 1.0 / beta2[i], rules.tau * math.sqrt(beta2[i])
        events[j] += 1
        number[new], when[new] = events[j], math.nan
        if time != NO_TIME:
            last_time[j] = time
            when[new] = time
        length[j] += 1
        variance[j] = 1.0 / (1.0 / (variance[j] + added[i]) + 1.0 / beta2[i])  # Eq. (8)
        mu[j] = mode(mu[j], 0.0, p0[j], w0[j], start[j], length[j], p, w, tau, rules.pull, space)
        while length[j] > 0 and w[start[j]] * variance[j] < FOLDED_WEIGHT_PART:
            k = start[j]
            pulled = factor_pull(mu[j], p[k], w[k], tau[k], rules.pull)
            p0[j], w0[j] = folded(mu[j], p0[j], w0[j], w[k], pulled)
            start[j], length[j], room[j] = k + 1, length[j] - 1, room[j] - 1
        if tracing:
            mu_after[row], sigma_after[row] = mu[j], math.sqrt(variance[j])
    sums[0], sums[1], sums[2] = count, total, squares


@kernel
def _fetch_player(
    j: int,
    mu: Floats,
    variance: Floats,
    events: Ints,
    last_time: Longs,
    p0: Floats,
    w0: Floats,
    origin_weight: Floats,
) -> None:
    """Begin to load a player's numbers, which lie anywhere in memory."""
    prefetch(mu, j)
    prefetch(variance, j)
    prefetch(events, j)
    prefetch(last_time, j)
    prefetch(p0, j)
    prefetch(w0, j)
    prefetch(origin_weight, j)


@kernel
def _fetch_list(j: int, start: Longs, length: Ints, room: Ints) -> None:
    """Begin to load where a player's performances are."""
    prefetch(start, j)
    prefetch(length, j)
    prefetch(room, j)


@kernel
def _fetch_terms(
    first: int, end: int, p: Floats, w: Floats, tau: Floats, number: Floats, when: Floats
) -> None:
    """Begin to load remembered performances, and where the next one goes."""
    for k in range(first, end, NUMBERS_PER_LINE):
        prefetch(p, k)
        prefetch(w, k)
        prefetch(tau, k)
    prefetch(number, end)
    prefetch(when, end)


@kernel
def rating_limits(
    j: int, days: float, columns: RememberingColumns, before: DriftAndNewcomers, rules: EloMMRRules
) -> tuple[float, float, float, float]:
    """Δ₊ and Δ₋: the most that the next event (of weight 1) can move a rating; and Theorem 5.7's bounds."""
    mu, variance, _, events, _ = columns.beliefs
    p0, w0, _, _ = columns.normals
    start, length, _, p, w, tau, _, _ = columns.memory
    a, n = start[j], length[j]
    own_p, own_w, own_tau = np.empty(n), np.empty(n), np.empty(n)
    for k in range(n):
        own_p[k], own_w[k], own_tau[k] = p[a + k], w[a + k], tau[a + k]
    beta2, added = spreads(1.0, events[j], days, before.drift, before.newcomer_weights)
    mean, weight, _ = drifted(
        variance[j], added, rules.rho, rules.way, mu[j], p0[j], w0[j], 0, n, own_p, own_w, own_tau
    )
    pull = rules.pull * rules.tau / math.sqrt(beta2)  # c w τ of the new factor, as tanh goes to ±1
    space = room_for(n)
    rise = mode(mu[j], pull, mean, weight, 0, n, own_p, own_w, own_tau, rules.pull, space) - mu[j]
    fall = mu[j] - mode(mu[j], -pull, mean, weight, 0, n, own_p, own_w, own_tau, rules.pull, space)
    total = 0.0
    for k in range(n):
        total += own_w[k]
    return rise, fall, pull / (weight + rules.pull * total), pull / weight if weight > 0.0 else math.inf


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
    columns: RememberingColumns,
    before: DriftAndNewcomers,
    rules: EloMMRRules,
    trace: TraceColumns,
    standings: LogisticField,
) -> None:
    """Rate events with teams in order, in place; each row needs room for a term."""
    offsets, player, ceiling, room = ev.offsets, ev.player, ev.ceiling, columns.memory.room
    rows, longest = largest_event(offsets), 0
    for row in range(offsets[0], offsets[-1]):
        longest = max(longest, room[player[row]])
    field, shown, space, sums = empty_field(rows), np.empty(rows), room_for(longest), np.empty(3)
    teams, scale = room_for_teams(rows), np.empty(rows)
    _, _, place, strength, spread, together = teams
    for e in range(len(offsets) - 1):
        n = offsets[e + 1] - offsets[e]
        find_beliefs(ev, e, 0, n, columns.beliefs, before, field, trace)
        prior, beta2, _, deviation = field
        m = gather_teams(ev, e, True, 0.0, prior, deviation, teams)
        for s in range(m):
            scale[s] = rules.scale * spread[s]
        logistic_performances(strength[:m], scale[:m], place[:m], rules.ties, together[:m], standings)
        if len(ceiling) > 0:
            for s in range(m):
                together[s] = min(together[s], ceiling[e])
        blame_members(ev, e, prior, deviation, teams, shown, beta2)
        learn_rows(ev, e, 0, n, math.inf, columns, rules, 0.0, field, shown, trace, space, sums)
