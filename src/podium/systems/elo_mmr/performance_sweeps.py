"""Phase one of Elo-MMχ, and of Elo-MMR with Gumbel performances: a sweep down the standings.

With zⱼ = (x − μⱼ)/δⱼ and l, d, v as in `performance_distributions`, the performance of i is the zero of

    Qᵢ(x) = Σ_{better} l(zⱼ)/δⱼ + Σ_{worse} v(zⱼ)/δⱼ + Σ_{tied} d(zⱼ)/δⱼ          (Theorem 3.2)

Wins and losses are different functions here, so no single table serves everybody. Performances fall from
the best to the worst (Theorem 5.2): go down the standings with the two sums tabulated on the *current* panel
only, moving everybody from the worse to the better as they are passed, and step to the next panel below where
a zero leaves this one. Each panel costs a pass over everybody; there are a dozen or two.

Phase two of Elo-MMR with a distribution of performances other than the logistic one is `learning`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from podium.arrays import NO_TIME, Bools, Floats, Ints, Longs
from podium.numerics.compiler_hints import opaque
from podium.numerics.jit import kernel, made_for, shared_kernel, summing
from podium.numerics.ordering import best_first
from podium.numerics.panels import LAST_NEWTON_STEP
from podium.numerics.threads import in_threads
from podium.systems.elo_mmr.beliefs import DRIFT_TRANSFER, FOLDED_WEIGHT_PART, drifted, folded
from podium.systems.elo_mmr.contest_kernels import RememberingColumns
from podium.systems.elo_mmr.drift import ContestField
from podium.systems.elo_mmr.logistic_performances import DIRECT_UP_TO, WHOLE_TIES

SWEEP_NODES = 16
"""Chebyshev nodes of a panel."""

Performances = Callable[[Floats, Floats, Ints, int, Floats], None]
"""Fills each row's performance in one contest, given μ, δ, ranks and how ties count: whole, or half (with
oneself too)."""


class Sweep(NamedTuple):
    """Phase one for one distribution."""

    performances: Performances
    in_threads: Performances
    """The same to the last bit, in threads; not for kernels."""


class SweptStandings(NamedTuple):
    """A contest from best to worst."""

    order: Longs
    rank: Ints
    m: Floats
    d: Floats
    lowest: float
    highest: float
    """All performances are between these two."""
    narrowest: float
    """The smallest δ."""
    part: Longs
    """Where each part of the rows begins, at the first row of a tie; then the end."""


TWO_PARTS_FROM = 50_000
"""Rows from which on a contest is swept in two parts, in one thread too: results do not depend on the number
of threads. A part has to find its first panel, which takes a tenth of the time of a contest."""

PLACING_STEP = 1e-3
"""A panel is placed by a zero found to this part of its half-width; the panel then gives it exactly."""


def sweep(
    name: str,
    terms: Callable[[float], tuple[float, float]],
    derivatives: Callable[[float, float, float], tuple[float, float, float, float]],
    draw: Callable[[float, float], tuple[float, float, float]],
    panel: float,
) -> Sweep:
    """The sweep for the distribution of this name, whose formulas are compiled into it.

    `terms` are −l(z) and v(z), both positive; `derivatives` their first and second derivatives: those of −l,
    then those of v, from z and the terms; `draw` is d(z) with its two derivatives, from z and −l(z). `panel`
    is the half-width of a panel in units of the smallest δ: so small that a polynomial through
    `SWEEP_NODES` nodes is exact to about 1e-13.
    """
    own = made_for(name)

    @kernel
    @own
    def performances(mu: Floats, delta: Floats, rank: Ints, ties: int, out: Floats) -> None:
        standings = ordered(mu, delta, rank)
        for part in range(len(standings.part) - 1):
            sweep_rows(standings, ties, part, out)

    def performances_in_threads(mu: Floats, delta: Floats, rank: Ints, ties: int, out: Floats) -> None:
        standings = ordered(mu, delta, rank)
        in_threads(sweep_rows, [(standings, ties, part, out) for part in range(len(standings.part) - 1)])

    @kernel
    @own
    def sweep_rows(standings: SweptStandings, ties: int, part: int, out: Floats) -> None:
        """Fill the performances of one part of the rows."""
        order, rank, m, d, lowest, highest, narrowest, edges = standings
        n, start, end = len(m), edges[part], edges[part + 1]
        half = panel * narrowest
        nodes = opaque(SWEEP_NODES)
        node, barycentric, inverse = np.empty(SWEEP_NODES), np.empty(SWEEP_NODES), np.empty(SWEEP_NODES)
        values, passed = np.empty(SWEEP_NODES), np.empty(SWEEP_NODES)
        for k in range(SWEEP_NODES):
            angle = math.pi * (k + 0.5) / SWEEP_NODES
            node[k] = half * math.cos(angle)
            barycentric[k] = math.sin(angle) * (1.0 if k % 2 == 0 else -1.0)
        centre = math.inf  # no panel yet
        x = 0.5 * (lowest + highest)
        while start < end:
            stop = start
            while stop < end and rank[stop] == rank[start]:
                stop += 1
            if n <= DIRECT_UP_TO:
                x = solve_directly(x, m, d, start, stop, ties, lowest, highest, 0.0)
            else:
                adjacent = found = centre < math.inf
                if found:
                    leave_worse(values, passed, node, centre, m, d, start, stop, nodes)
                    x, found = solve(
                        x, values, node, barycentric, inverse, centre, half, m, d, start, stop, ties, nodes
                    )
                while not found:
                    if adjacent:
                        centre -= 2.0 * half
                    else:  # far below, or the first: find it without a panel
                        x = solve_directly(x, m, d, start, stop, ties, lowest, highest, PLACING_STEP * half)
                        centre = x - 0.9 * half
                    tabulate_all(values, node, centre, m, d, start, nodes)
                    leave_worse(values, passed, node, centre, m, d, start, stop, nodes)
                    x, found = solve(
                        x, values, node, barycentric, inverse, centre, half, m, d, start, stop, ties, nodes
                    )
                    found = found or not adjacent
                    adjacent = False
                for k in range(SWEEP_NODES):  # the tie is now among the better
                    values[k] -= passed[k]
            for k in range(start, stop):
                out[order[k]] = x
            start = stop

    @kernel
    @own
    def tabulate_all(
        values: Floats, node: Floats, centre: float, m: Floats, d: Floats, start: int, nodes: int
    ) -> None:
        """Fill the values at every node: the terms of the better, and of all who are not."""
        for k in range(nodes):
            values[k] = 0.0
        for j in range(start):
            steepness = 1.0 / d[j]
            shift = (centre - m[j]) * steepness
            for k in range(nodes):
                lost, _ = terms(shift + node[k] * steepness)
                values[k] -= steepness * lost
        for j in range(start, len(m)):
            steepness = 1.0 / d[j]
            shift = (centre - m[j]) * steepness
            for k in range(nodes):
                _, won = terms(shift + node[k] * steepness)
                values[k] += steepness * won

    @kernel
    @own
    def leave_worse(
        values: Floats,
        passed: Floats,
        node: Floats,
        centre: float,
        m: Floats,
        d: Floats,
        start: int,
        stop: int,
        nodes: int,
    ) -> None:
        """Take a tie out of the worse; what its members will count for as the better is `passed`."""
        for k in range(nodes):
            passed[k] = 0.0
        for j in range(start, stop):
            steepness = 1.0 / d[j]
            shift = (centre - m[j]) * steepness
            for k in range(nodes):
                lost, won = terms(shift + node[k] * steepness)
                values[k] -= steepness * won
                passed[k] += steepness * lost

    @kernel
    @own
    def solve(
        x: float,
        values: Floats,
        node: Floats,
        barycentric: Floats,
        inverse: Floats,
        centre: float,
        half: float,
        m: Floats,
        d: Floats,
        start: int,
        stop: int,
        ties: int,
        nodes: int,
    ) -> tuple[float, bool]:
        """The zero of a tie's Q on the current panel, and whether it is there: below, it may not be."""
        low, high = centre - half, centre + half
        known = False  # whether the zero is above the panel's lower edge
        x = min(max(x, low), high)
        for _ in range(100):
            surplus, slope, bend = interpolated(x - centre, values, node, barycentric, inverse, nodes)
            own, own_slope, own_bend = own_part(x, m, d, start, stop, ties)
            surplus, slope, bend = surplus + own, -(slope + own_slope), bend + own_bend
            if surplus > 0.0:
                low, known = x, True
            else:
                high = x
            step = surplus / slope if slope > 0.0 else math.inf
            if not known and not x + step > low:
                if x == low:
                    return x, False
                x = low
                continue
            if abs(step) < LAST_NEWTON_STEP * half:
                return x + step + 0.5 * step * step * bend / slope, True
            if not low < high:
                return x + step, True
            x = x + step if low < x + step < high else 0.5 * (low + high)
        return x, True

    @kernel
    @own
    def own_part(
        x: float, m: Floats, d: Floats, start: int, stop: int, ties: int
    ) -> tuple[float, float, float]:
        """The terms of a tie, with their first and second derivatives."""
        value, slope, bend = 0.0, 0.0, 0.0
        for j in range(start, stop):
            steepness = 1.0 / d[j]
            z = (x - m[j]) / d[j]
            lost, won = terms(z)
            if ties == WHOLE_TIES:
                first, second, third = draw(z, lost)
            else:
                more_lost, bent_lost, more_won, bent_won = derivatives(z, lost, won)
                first, second, third = (
                    0.5 * (won - lost),
                    0.5 * (more_won - more_lost),
                    0.5 * (bent_won - bent_lost),
                )
            value += steepness * first
            slope += steepness * steepness * second
            bend += steepness * steepness * steepness * third
        return value, slope, bend

    @summing
    @own
    def others_part(x: float, m: Floats, d: Floats, start: int, stop: int) -> tuple[float, float]:
        """The terms of everybody better and worse than a tie, and their derivative."""
        value, slope = 0.0, 0.0
        for j in range(start):
            steepness = 1.0 / d[j]
            z = (x - m[j]) * steepness
            lost, won = terms(z)
            more, _, _, _ = derivatives(z, lost, won)
            value -= steepness * lost
            slope -= steepness * steepness * more
        for j in range(stop, len(m)):
            steepness = 1.0 / d[j]
            z = (x - m[j]) * steepness
            lost, won = terms(z)
            _, _, more, _ = derivatives(z, lost, won)
            value += steepness * won
            slope += steepness * steepness * more
        return value, slope

    @kernel
    @own
    def solve_directly(
        x: float,
        m: Floats,
        d: Floats,
        start: int,
        stop: int,
        ties: int,
        low: float,
        high: float,
        near: float,
    ) -> float:
        """The zero of a tie's Q by going through everybody, within `near` or to the last digits."""
        before = high - low
        for _ in range(200):
            surplus, slope = others_part(x, m, d, start, stop)
            own, own_slope, _ = own_part(x, m, d, start, stop, ties)
            surplus, slope = surplus + own, slope + own_slope
            if surplus > 0.0:
                low = x
            else:
                high = x
            step = -surplus / slope if slope < 0.0 else math.inf
            if abs(step) <= max(1e-15 * abs(x), near) or abs(step) < 1e-12 or not low < high:
                return x + step
            if low < x + step < high and abs(step) < 0.5 * before:
                before, x = abs(step), x + step
            else:
                before, x = high - low, 0.5 * (low + high)
        return x

    return Sweep(performances, performances_in_threads)


@shared_kernel
def ordered(mu: Floats, delta: Floats, rank: Ints) -> SweptStandings:
    """Rows from best to worst, in parts, and where their performances can be."""
    n = len(mu)
    order = best_first(rank)
    place, m, d = np.empty(n, np.int32), np.empty(n), np.empty(n)
    lowest, highest, widest, narrowest = math.inf, -math.inf, 0.0, math.inf
    for k in range(n):
        place[k], m[k], d[k] = rank[order[k]], mu[order[k]], delta[order[k]]
        lowest, highest = min(lowest, m[k]), max(highest, m[k])
        widest, narrowest = max(widest, d[k]), min(narrowest, d[k])
    # So far above everyone, all wins together weigh less than a tie with oneself; below, all losses.
    margin = widest * (4.0 + math.log(n * widest / narrowest))
    parts = 2 if n >= TWO_PARTS_FROM else 1
    part = np.empty(parts + 1, np.int64)
    part[0], part[parts] = 0, n
    if parts == 2:
        part[1] = n // 2
        while part[1] > 0 and place[part[1]] == place[part[1] - 1]:
            part[1] -= 1
    return SweptStandings(order, place, m, d, lowest - margin, highest + margin, narrowest, part)


@summing
def interpolated(
    t: float, values: Floats, node: Floats, barycentric: Floats, inverse: Floats, nodes: int
) -> tuple[float, float, float]:
    """The polynomial through the values at the nodes, by the barycentric formula, and two derivatives.

    Schneider and Werner, "Some new aspects of rational interpolation", 1986, Proposition 12.
    """
    total, weights = 0.0, 0.0
    for _ in range(2):
        total, weights = 0.0, 0.0
        for k in range(nodes):
            inverse[k] = 1.0 / (t - node[k])
            total += barycentric[k] * inverse[k] * values[k]
            weights += barycentric[k] * inverse[k]
        if math.isfinite(weights):
            break
        t += 1e-12 * node[0]  # off a node, on which the formula has no value
    value = total / weights
    rate = 0.0
    for k in range(nodes):
        rate += barycentric[k] * inverse[k] * inverse[k] * (value - values[k])
    rate /= weights
    bend = 0.0
    for k in range(nodes):
        quotient = (value - values[k]) * inverse[k]
        bend += barycentric[k] * inverse[k] * inverse[k] * (rate - quotient)
    return value, rate, 2.0 * bend / weights


Mode = Callable[[float, float, float, int, int, Floats, Floats, Floats], float]
"""The mode of a belief, searched from a rating: given p₀ and w₀, and p, w and β from one place to another."""
Pull = Callable[[float, float, float, float], float]
"""The term of L'(s) from one factor, given s, p, w and β."""
Learning = Callable[[Ints, Bools, int, Floats, ContestField, RememberingColumns, float], None]


def learning(mode: Mode, pull: Pull) -> Learning:
    """A function that lets everybody in one event learn their performance; compiled if these two are."""

    def learn(
        player: Ints,
        held: Bools,
        time: int,
        shown: Floats,
        field: ContestField,
        columns: RememberingColumns,
        rho: float,
    ) -> None:
        mu, variance, unknown, events, last_time = columns.beliefs
        p0, w0, origin, origin_weight = columns.normals
        start, length, room, p, w, beta, number, when = columns.memory
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
