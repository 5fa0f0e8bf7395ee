"""Elo-MMR and Elo-R, compiled: contests in order, two phases each.

Before a contest everybody's belief drifts; from the standings and these beliefs follow the performances
(phase one, `logistic_performances`); each rated player's belief then learns theirs (phase two, `beliefs`).
Threads share each phase of a large contest (`shared_contests`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from podium.arrays import NO_TIME, EventColumns, Floats, Ints, Longs
from podium.numerics.compiler_hints import NUMBERS_PER_LINE, ROWS_AHEAD, prefetch
from podium.numerics.event_sides import event_weight, is_held
from podium.numerics.jit import kernel
from podium.numerics.newcomers import MEAN, learn_newcomers
from podium.numerics.shared_work import (
    MEMBERS,
    SHARED_FROM,
    close,
    finish,
    post,
    take,
    wait_for_helpers,
    wait_for_work,
)
from podium.systems.elo_mmr.beliefs import FOLDED_WEIGHT_PART, drifted, factor_pull, folded, mode, room_for
from podium.systems.elo_mmr.drift import ContestBeliefs, ContestField, Drift, find_beliefs, spreads
from podium.systems.elo_mmr.logistic_performances import (
    empty_panels,
    fill_panels,
    find_edge,
    find_standings,
    logistic_performances,
    solve_rows,
)
from podium.systems.elo_mmr.shared_contests import (
    EDGES,
    EVENT,
    FILL,
    FIND,
    LEARN,
    PANELS,
    PARTS,
    PHASE,
    SOLVE,
    Desk,
    chunk_rows,
    lay_panels,
    lay_standings,
    seen_contest,
)


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


@kernel
def rate_contests(
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
    desk: Desk,
    board: Longs,
    longest: int,
    helping: bool,
) -> None:
    """Rate events in order, in place; there must be room for one term for each row.

    Threads that share the work call it with the same desk and board, all but one of them `helping`. No list
    of performances has more than `longest`.
    """
    offsets, player, rank, _, held, time, weight, _, _, ceiling, _, _ = ev
    mu, variance, unknown, events, last_time = beliefs
    p0, w0, origin, origin_weight = normals
    start, length, room, p, w, tau, number, when = memory
    field, shown, sums, edges, seen = desk
    prior, beta2, added, deviation = field
    rho, way, tracing = rules.rho, rules.way, len(mu_before) > 0
    space = room_for(longest)
    contest = seen_contest(seen, edges, 0, 0, 0)
    standings = contest.standings
    # As if an event before the first had just ended.
    phase, e, lo, n, size, chunk, chunks = LEARN, -1, 0, 0, 1, 0, 0
    members, shared = board[MEMBERS], False
    while True:
        if helping:
            chunk = wait_for_work(board)
            if chunk < 0:
                return
            e, phase = board[EVENT], board[PHASE]
            lo, n = offsets[e], offsets[e + 1] - offsets[e]
            size = chunk_rows(n)
            if FIND < phase < LEARN:
                contest = seen_contest(seen, edges, n, board[PANELS], board[PARTS])
                standings = contest.standings
        else:
            chunk = take(board) if shared else chunk + 1
            if chunk < 0 or chunk >= chunks:
                if shared:
                    wait_for_helpers(board, chunks)
                if phase == LEARN:
                    if drift.adaptive and n > 0:
                        count, total, squares = 0.0, 0.0, 0.0
                        for i in range(chunks):
                            count, total, squares = (
                                count + sums[i, 0],
                                total + sums[i, 1],
                                squares + sums[i, 2],
                            )
                        learn_newcomers(newcomers, int(count), total, squares)
                    e += 1
                    if e == len(offsets) - 1:
                        close(board)
                        return
                    lo, n = offsets[e], offsets[e + 1] - offsets[e]
                    size = chunk_rows(n)
                    chunks = (n + size - 1) // size
                    shared = members > 1 and n >= board[SHARED_FROM]
                    if shared:
                        phase = FIND
                    else:
                        find_beliefs(
                            lo,
                            lo + n,
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
                        for i in range(n):
                            deviation[i] *= rules.scale
                        logistic_performances(
                            prior[:n], deviation[:n], rank[lo : lo + n], rules.ties, shown[:n]
                        )
                elif phase == FIND:
                    standings = find_standings(prior[:n], deviation[:n], rank[lo : lo + n])
                    lay_standings(seen, standings)
                    board[PANELS], board[PARTS] = 0, 0
                    phase, chunks = EDGES, 2
                elif phase == EDGES:
                    contest = empty_panels(standings, edges)
                    panels, parts = len(contest.centre), len(contest.worse)
                    if panels <= len(seen.centre):
                        lay_panels(seen, contest)
                        contest = seen_contest(seen, edges, n, panels, parts)
                        board[PANELS], board[PARTS] = panels, parts
                        phase, chunks = FILL, min(members, panels)
                    else:
                        fill_panels(contest, 0, panels)
                        for i in range(parts):
                            solve_rows(contest, rules.ties, i, shown)
                        phase, chunks = LEARN, (n + size - 1) // size
                elif phase == FILL:
                    phase, chunks = SOLVE, len(contest.worse)
                else:
                    phase, chunks = LEARN, (n + size - 1) // size
                chunk = -1
                if shared:
                    board[EVENT], board[PHASE] = e, phase
                    post(board, chunks)
                continue
        first = chunk * size
        last = min(first + size, n)
        if phase == FIND:
            find_beliefs(
                lo + first,
                lo + last,
                player,
                held,
                time[e],
                event_weight(weight, e),
                beliefs,
                drift,
                newcomer_weights,
                newcomers,
                ContestField(prior[first:last], beta2[first:last], added[first:last], deviation[first:last]),
                mu_before,
                sigma_before,
            )
            for i in range(first, last):
                deviation[i] *= rules.scale
        elif phase == EDGES:
            find_edge(standings, chunk, edges)
        elif phase == FILL:
            panels = len(contest.centre)
            shares = min(members, panels)
            fill_panels(contest, panels * chunk // shares, panels * (chunk + 1) // shares)
        elif phase == SOLVE:
            solve_rows(contest, rules.ties, chunk, shown)
        else:
            known, count, total, squares = newcomers[MEAN], 0.0, 0.0, 0.0
            for i in range(first, last):
                if i + ROWS_AHEAD < n:
                    soon, sooner = player[lo + i + ROWS_AHEAD], player[lo + i + ROWS_AHEAD // 2]
                    _fetch_player(soon, mu, variance, events, last_time, p0, w0, origin_weight)
                    _fetch_list(soon, start, length, room)
                    _fetch_terms(start[sooner], start[sooner] + length[sooner], p, w, tau, number, when)
                row, j = lo + i, player[lo + i]
                here = shown[i] if len(ceiling) == 0 else min(shown[i], ceiling[e])
                if tracing:
                    performance[row] = here
                if is_held(held, row):
                    if tracing:
                        mu_after[row], sigma_after[row] = mu_before[row], sigma_before[row]
                    continue
                if unknown[j]:
                    unknown[j] = False
                    count, total, squares = count + 1.0, total + (here - known), squares + (here - known) ** 2
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
                if time[e] != NO_TIME:
                    last_time[j] = time[e]
                    when[new] = time[e]
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
            sums[chunk, 0], sums[chunk, 1], sums[chunk, 2] = count, total, squares
        if helping or shared:
            finish(board)


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
    j: int,
    days: float,
    beliefs: ContestBeliefs,
    normals: Normals,
    memory: RememberedPerformances,
    drift: Drift,
    rules: EloMMRRules,
    newcomer_weights: Floats,
) -> tuple[float, float, float, float]:
    """Δ₊ and Δ₋: the most that the next event (of weight 1) can move a rating; and Theorem 5.7's bounds."""
    mu, variance, _, events, _ = beliefs
    p0, w0, _, _ = normals
    start, length, _, p, w, tau, _, _ = memory
    a, n = start[j], length[j]
    own_p, own_w, own_tau = p[a : a + n].copy(), w[a : a + n].copy(), tau[a : a + n].copy()
    beta2, added = spreads(1.0, events[j], days, drift, newcomer_weights)
    mean, weight, _ = drifted(
        variance[j], added, rules.rho, rules.way, mu[j], p0[j], w0[j], 0, n, own_p, own_w, own_tau
    )
    pull = rules.pull * rules.tau / math.sqrt(beta2)  # c w τ of the new factor, as tanh goes to ±1
    space = room_for(n)
    rise = mode(mu[j], pull, mean, weight, 0, n, own_p, own_w, own_tau, rules.pull, space) - mu[j]
    fall = mu[j] - mode(mu[j], -pull, mean, weight, 0, n, own_p, own_w, own_tau, rules.pull, space)
    return rise, fall, pull / (weight + rules.pull * own_w.sum()), pull / weight if weight > 0.0 else math.inf
