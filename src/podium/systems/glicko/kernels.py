"""Glicko and Glicko-2, compiled: one walk through rating periods, two ways to close a period.

A player's row holds the belief at the opening of their rating period and the evidence collected since. The
period is closed when the player is next seen in a later one, or on the fly when somebody looks, so nothing
has to run at a period's end. With events as periods, every event is closed at once.

Evidence is in the internal scale of Glickman (2012), where q = ln 10 / scale turns points into log-odds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, EventColumns, Floats, Ints, Longs
from podium.numerics.allpairs import MANY, expected_sums, score_sums
from podium.numerics.event_sides import (
    days_between,
    event_weight,
    find_sides,
    home_side,
    is_held,
    largest_event,
    period_of,
    score_between,
    side_of,
)
from podium.numerics.hints import AHEAD, prefetch
from podium.numerics.jit import kernel


class Beliefs(NamedTuple):
    """Columns of the state; `volatility` is empty in Glicko."""

    mu: Floats
    variance: Floats
    volatility: Floats
    information: Floats
    surprise: Floats
    in_period: Ints
    """Events played in the open period."""
    period: Longs
    events: Ints
    last_time: Longs


class Rules(NamedTuple):
    """Parameters of the system."""

    q: float
    adaptive: bool
    """Whether players have volatilities: Glicko-2."""
    growth: float
    """c²: variance a rating period adds in Glicko; Glicko-2 has the player's volatility instead."""
    limit: float
    """Variance that absence never exceeds."""
    tau: float
    periods_per_day: float
    length: int
    """Microseconds of a rating period; 0 where every event is one."""
    home_advantage: float
    newcomer: float
    mean_of_team: bool
    pairs: int
    """What an event of many sides counts: see `PAIRS`."""


MEAN, SUM, ONE_MATCH = 0, 1, 2
PAIRS = {"mean": MEAN, "sum": SUM, "one-match": ONE_MATCH}


@kernel
def rate_periods(
    ev: EventColumns,
    beliefs: Beliefs,
    rules: Rules,
    mu_before: Floats,
    sigma_before: Floats,
    mu_after: Floats,
    sigma_after: Floats,
) -> None:
    """Rate events in order, in place."""
    offsets, player, rank, side, held, time, weight, home, share, _, _, _ = ev
    mu, variance, volatility, information, surprise, in_period, period, events, last_time = beliefs
    room = largest_event(offsets)
    first, size = np.empty(room, np.int32), np.empty(room, np.int32)
    member_mu, member_variance = np.empty(room), np.empty(room)
    strength, g = np.empty(room), np.empty(room)
    told, moved = np.empty(room), np.empty(room)
    tracing = len(mu_before) > 0
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        now = period_of(time[e], rules.length) if rules.length > 0 else 0
        for r in range(lo, hi):
            p = player[r]
            v = volatility[p] if rules.adaptive else 0.0
            settled = closed(mu[p], variance[p], v, information[p], surprise[p], in_period[p], rules)
            if rules.length > 0 and period[p] == now:  # an open period: the others see its opening
                member_mu[r - lo], member_variance[r - lo] = mu[p], variance[p]
            else:
                if events[p] > 0:
                    settled = grown(settled, period[p], now, last_time[p], time[e], rules)
                member_mu[r - lo], member_variance[r - lo] = settled[0], settled[1]
                if not is_held(held, r):
                    mu[p], variance[p] = settled[0], settled[1]
                    information[p], surprise[p], in_period[p] = 0.0, 0.0, 0
                    if rules.length > 0:
                        period[p] = now
                    if rules.adaptive:
                        volatility[p] = settled[2]
            if tracing:
                mu_before[r], sigma_before[r] = settled[0], math.sqrt(settled[1])
        sides = find_sides(side, lo, hi, first, size)
        counts = event_weight(weight, e)
        q = rules.q * math.sqrt(counts) if rules.pairs == ONE_MATCH else rules.q
        side_strengths(side, lo, hi, sides, size, q, rules, member_mu, member_variance, strength, g)
        at_home = home_side(home, player, side, e, lo, hi)
        if at_home >= 0:
            strength[at_home] += rules.home_advantage
        if sides > MANY:
            tabulated_evidence(rank, sides, first, strength, g, q, told, moved)
        else:
            pair_evidence(rank, share, sides, first, strength, g, q, told, moved)
        if rules.pairs != SUM:
            condense(told, moved, sides, rules.pairs, counts)
        for r in range(lo, hi):
            if is_held(held, r):
                if tracing:
                    mu_after[r], sigma_after[r] = mu_before[r], sigma_before[r]
                continue
            p, i = player[r], side_of(side, r, lo)
            information[p] += counts * told[i]
            surprise[p] += counts * moved[i]
            in_period[p] += 1
            events[p] += 1
            if time[e] != NO_TIME:
                last_time[p] = time[e]
            if not tracing and rules.length > 0:
                continue
            v = volatility[p] if rules.adaptive else 0.0
            settled = closed(mu[p], variance[p], v, information[p], surprise[p], in_period[p], rules)
            if tracing:
                mu_after[r], sigma_after[r] = settled[0], math.sqrt(settled[1])
            if rules.length == 0:
                mu[p], variance[p] = settled[0], settled[1]
                information[p], surprise[p], in_period[p] = 0.0, 0.0, 0
                if rules.adaptive:
                    volatility[p] = settled[2]


@kernel
def rate_duels(
    ev: EventColumns,
    beliefs: Beliefs,
    rules: Rules,
    mu_before: Floats,
    sigma_before: Floats,
    mu_after: Floats,
    sigma_after: Floats,
) -> None:
    """`rate_periods` where every event is a match of two that counts at once: the same to the last bit.

    Most histories are nothing else, and go twice as fast without sides, open periods and a work space.
    """
    offsets, player, rank, _, _, time, weight, home, share, _, _, _ = ev
    mu, variance, volatility, _, _, _, _, events, last_time = beliefs
    tracing = len(mu_before) > 0
    for e in range(len(offsets) - 1):
        lo = offsets[e]
        for r in range(lo + AHEAD, min(lo + AHEAD + 2, len(player))):
            prefetch(mu, player[r])
            prefetch(variance, player[r])
            prefetch(events, player[r])
        a, b = player[lo], player[lo + 1]
        one = (mu[a], variance[a], volatility[a] if rules.adaptive else 0.0)
        two = (mu[b], variance[b], volatility[b] if rules.adaptive else 0.0)
        timed = time[e] != NO_TIME
        if events[a] > 0:
            one = grown(one, 0, 0, last_time[a] if timed else NO_TIME, time[e], rules)
        if events[b] > 0:
            two = grown(two, 0, 0, last_time[b] if timed else NO_TIME, time[e], rules)
        if tracing:
            mu_before[lo], sigma_before[lo] = one[0], math.sqrt(one[1])
            mu_before[lo + 1], sigma_before[lo + 1] = two[0], math.sqrt(two[1])
        strength_a, strength_b = one[0] - rules.newcomer, two[0] - rules.newcomer
        if len(home) > 0 and home[e] == a:
            strength_a += rules.home_advantage
        elif len(home) > 0 and home[e] == b:
            strength_b += rules.home_advantage
        d = rules.q * (strength_a - strength_b)
        score = score_between(rank, share, lo, lo + 1)
        counts = event_weight(weight, e)
        g_a, g_b = attenuation(one[1], rules.q), attenuation(two[1], rules.q)
        told, moved = evidence(d, score, g_b)
        one = closed(one[0], one[1], one[2], counts * told, counts * moved, 1, rules)
        told, moved = evidence(-d, 1.0 - score, g_a)
        two = closed(two[0], two[1], two[2], counts * told, counts * moved, 1, rules)
        mu[a], variance[a] = one[0], one[1]
        mu[b], variance[b] = two[0], two[1]
        if rules.adaptive:
            volatility[a], volatility[b] = one[2], two[2]
        events[a] += 1
        events[b] += 1
        if timed:
            last_time[a] = last_time[b] = time[e]
        if tracing:
            mu_after[lo], sigma_after[lo] = one[0], math.sqrt(one[1])
            mu_after[lo + 1], sigma_after[lo + 1] = two[0], math.sqrt(two[1])


@kernel
def grown(
    belief: tuple[float, float, float], period: int, now: int, last_time: int, time: int, rules: Rules
) -> tuple[float, float, float]:
    """A closed belief as an event in a later period finds it.

    Glicko grows by c² at the opening of every period, the one played included (1999, step 1); Glicko-2 by σ²
    at the end of every period missed (2012, step 6), as closing has the growth of the period played.
    """
    mu, variance, volatility = belief
    if rules.length > 0:
        periods = float(now - period)
    else:
        periods = 1.0 + rules.periods_per_day * days_between(last_time, time)
    growth = rules.growth
    if rules.adaptive:
        growth, periods = (volatility / rules.q) ** 2, periods - 1.0
    return mu, max(variance, min(variance + growth * periods, rules.limit)), volatility


@kernel
def closed(
    mu: float,
    variance: float,
    volatility: float,
    information: float,
    surprise: float,
    played: int,
    rules: Rules,
) -> tuple[float, float, float]:
    """The belief after the evidence of its period: mu, variance, volatility."""
    if played == 0:
        return mu, variance, volatility
    q = rules.q
    if rules.adaptive:
        volatility = new_volatility(volatility, variance * q * q, information, surprise, rules.tau)
        variance += (volatility / q) ** 2  # 2012, step 6: φ*² = φ² + σ'²
    variance = 1.0 / (1.0 / variance + q * q * information)  # 1999, step 2; 2012, step 7
    return mu + variance * q * surprise, variance, volatility


@kernel
def new_volatility(
    volatility: float, phi_squared: float, information: float, surprise: float, tau: float
) -> float:
    """Step 5 of Glicko-2: the root of f by the Illinois algorithm, to machine precision.

    With v = 1/information and Δ = v·surprise. Where information has underflowed so far that Δ² leaves double
    precision, the volatility stays. For a large surprise f has three roots; the paper's bracket and update
    rule lead to the smallest, so both are followed to the letter.
    """
    if tau == 0.0 or information * information < 1e-290 * max(1.0, surprise * surprise):
        return volatility
    v, delta = 1.0 / information, surprise / information
    a = math.log(volatility * volatility)
    low = a
    if delta * delta > phi_squared + v:
        high = math.log(delta * delta - phi_squared - v)
    else:
        steps = 1
        while _volatility_slope(a - steps * tau, a, delta, phi_squared, v, tau) < 0.0 and steps < 1000:
            steps += 1
        high = a - steps * tau
    f_low = _volatility_slope(low, a, delta, phi_squared, v, tau)
    f_high = _volatility_slope(high, a, delta, phi_squared, v, tau)
    for _ in range(200):
        if f_high == 0.0 or f_low == f_high or abs(high - low) <= 1e-15 * max(1.0, abs(low)):
            break
        middle = low + (low - high) * (f_low / (f_high - f_low))
        f_middle = _volatility_slope(middle, a, delta, phi_squared, v, tau)
        if f_middle * f_high <= 0.0:
            low, f_low = high, f_high
        else:
            f_low /= 2.0
        high, f_high = middle, f_middle
    return math.exp((high if f_high == 0.0 else low) / 2.0)


@kernel
def _volatility_slope(x: float, a: float, delta: float, phi_squared: float, v: float, tau: float) -> float:
    """f(x), with numerator and denominator divided so that neither Δ² nor eˣ can overflow."""
    e = math.exp(x)
    total = phi_squared + v + e
    return (e / total) * ((delta / total) * delta - 1.0) / 2.0 - (x - a) / (tau * tau)


@kernel
def side_strengths(
    side: Ints,
    lo: int,
    hi: int,
    sides: int,
    size: Ints,
    q: float,
    rules: Rules,
    member_mu: Floats,
    member_variance: Floats,
    strength: Floats,
    g: Floats,
) -> None:
    """A side as one opponent: the mean, or the sum of what its independent members are above a newcomer.

    Fills how strong it is, and its attenuation.
    """
    for i in range(sides):
        strength[i] = 0.0
        g[i] = 0.0
    for r in range(lo, hi):
        i = side_of(side, r, lo)
        strength[i] += member_mu[r - lo] - rules.newcomer
        g[i] += member_variance[r - lo]
    for i in range(sides):
        if rules.mean_of_team:
            strength[i] /= size[i]
            g[i] /= size[i] * size[i]
        g[i] = attenuation(g[i], q)


@kernel
def pair_evidence(
    rank: Ints,
    share: Floats,
    sides: int,
    first: Ints,
    strength: Floats,
    g: Floats,
    q: float,
    information: Floats,
    surprise: Floats,
) -> None:
    """Σ g²E(1−E), which is 1/v, and Σ g(s−E) of each side over all others (2012, steps 3 and 4)."""
    for i in range(sides):
        information[i] = 0.0
        surprise[i] = 0.0
    for i in range(sides):
        for j in range(i + 1, sides):
            d = q * (strength[i] - strength[j])
            score = score_between(rank, share, first[i], first[j])
            told, moved = evidence(d, score, g[j])
            information[i] += told
            surprise[i] += moved
            told, moved = evidence(-d, 1.0 - score, g[i])
            information[j] += told
            surprise[j] += moved


@kernel
def condense(information: Floats, surprise: Floats, sides: int, pairs: int, weight: float) -> None:
    """All pairs of an event as one match.

    A rating period of hundreds of games is far outside what Glickman's single step is made for: it goes
    beyond the ratings that explain the results, further every time. One match against the average opponent
    (`MEAN`) cannot. `ONE_MATCH` is what the authors of Elo-MMR compared with: the mean over all sides, with
    oneself, and the information of an even match against somebody known exactly. An event's weight then
    multiplies q by its root; of that the evidence, which is multiplied by the weight, lacks a part.
    """
    for i in range(sides):
        if pairs == ONE_MATCH:
            information[i] = 0.25
            surprise[i] /= sides * math.sqrt(weight)
        else:
            information[i] /= sides - 1
            surprise[i] /= sides - 1


@kernel
def tabulated_evidence(
    rank: Ints,
    sides: int,
    first: Ints,
    strength: Floats,
    g: Floats,
    q: float,
    information: Floats,
    surprise: Floats,
) -> None:
    """The same sums for a large contest, each with oneself as an opponent of score and expectation ½."""
    expected = np.empty(sides)
    expected_sums(q * strength[:sides], g[:sides], expected, information[:sides])
    score_sums(rank[first[:sides]].astype(np.float64), g[:sides], surprise[:sides])
    for i in range(sides):
        surprise[i] -= expected[i]
        information[i] -= 0.25 * g[i] * g[i]


@kernel
def evidence(d: float, score: float, g: float) -> tuple[float, float]:
    """Information and surprise of one result against an opponent of attenuation g, d log-odds below."""
    e = math.exp(-g * abs(d))
    high = 1.0 / (1.0 + e)  # the favourite's expected score; e·high is the other's
    return g * g * (e * high * high), g * (score - (high if d >= 0.0 else e * high))


@kernel
def attenuation(variance: float, q: float) -> float:
    """g(φ): by how much an opponent's uncertainty weakens what a result says."""
    return 1.0 / math.sqrt(1.0 + 3.0 * q * q * variance / math.pi**2)


@kernel
def view_beliefs(
    beliefs: Beliefs, rules: Rules, chosen: NDArray[np.int64], at: int, mu_out: Floats, sigma_out: Floats
) -> None:
    """Beliefs right now, or as an event at `at` would find them."""
    mu, variance, volatility, information, surprise, in_period, period, events, last_time = beliefs
    now = period_of(at, rules.length) if rules.length > 0 and at != NO_TIME else 0
    for i in range(len(chosen)):
        p = chosen[i]
        v = volatility[p] if rules.adaptive else 0.0
        settled = closed(mu[p], variance[p], v, information[p], surprise[p], in_period[p], rules)
        running = rules.length > 0 and period[p] == now
        if at != NO_TIME and not running and events[p] > 0:
            settled = grown(settled, period[p], now, last_time[p], at, rules)
        mu_out[i], sigma_out[i] = settled[0], math.sqrt(settled[1])


def widened_scale(sigma_a: ArrayLike, sigma_b: ArrayLike, scale: float) -> Floats:
    """scale/g(√(RDₐ² + RD_b²)): the points that mean odds of ten to one between two so well known.

    It makes the logistic curve Glickman's expected score with both deviations (1999).
    """
    q = math.log(10.0) / scale
    phi_squared = q * q * (np.square(sigma_a) + np.square(sigma_b))
    widened: Floats = scale * np.sqrt(1.0 + 3.0 * phi_squared / math.pi**2)
    return widened
