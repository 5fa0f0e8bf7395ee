"""Glicko and Glicko-2, compiled: one walk through rating periods, two ways to close a period.

A player's row holds the belief at the opening of their rating period and the evidence collected since. The
period is closed when the player is next seen in a later one, or on the fly when somebody looks, so nothing
has to run at a period's end. With events as periods, every event is closed at once.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME, EventColumns, Floats
from podium.numerics.allpairs import ALL_PAIRS_UP_TO
from podium.numerics.compiler_hints import ROWS_AHEAD, prefetch
from podium.numerics.event_sides import (
    NO_PERIOD,
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
from podium.numerics.jit import kernel
from podium.numerics.newcomers import (
    Newcomers,
    enter_period,
    first_result,
    learn_first_results,
    learn_of_two,
    newcomer_mean,
    place_two,
)
from podium.systems.glicko.evidence import (
    ONE_MATCH,
    SUM,
    GlickoBeliefs,
    GlickoRules,
    attenuation,
    condense,
    evidence,
    pair_evidence,
    side_strengths,
    tabulated_evidence,
)


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
def has_clock(period: int, events: int, last_time: int, rules: GlickoRules) -> bool:
    """Whether absence counts: since an event, or since the time of a rating that was set."""
    if rules.length > 0:
        return period != NO_PERIOD
    return events > 0 or last_time != NO_TIME


@kernel
def grown(
    belief: tuple[float, float, float], period: int, now: int, last_time: int, time: int, rules: GlickoRules
) -> tuple[float, float, float]:
    """A belief at the end of its period, widened by absence until a later one.

    Glicko grows by c² at the opening of every period (1999, step 1). Glicko-2 grows by σ² at the end of every
    period missed (2012, step 6), as closing has the growth of the period played. Where each event is a
    period, its own growth is no absence: see `opened`.
    """
    mu, variance, volatility = belief
    growth, missed = rules.growth, float(now - period)
    if rules.length == 0:
        missed = rules.periods_per_day * days_between(last_time, time)
    elif rules.adaptive:
        missed -= rules.plays
    if rules.adaptive:
        growth = (volatility / rules.q) ** 2
    return mu, max(variance, min(variance + growth * missed, rules.limit)), volatility


@kernel
def opened(belief: tuple[float, float, float], rules: GlickoRules) -> tuple[float, float, float]:
    """A belief widened by the period that an event opens, where each event is one (1999, step 1)."""
    mu, variance, volatility = belief
    if rules.length > 0:
        return belief
    return mu, max(variance, min(variance + rules.growth * rules.plays, rules.limit)), volatility


@kernel
def rate_periods(
    ev: EventColumns,
    beliefs: GlickoBeliefs,
    newcomers: Newcomers,
    rules: GlickoRules,
    mu_before: Floats,
    sigma_before: Floats,
    mu_after: Floats,
    sigma_after: Floats,
) -> None:
    """Rate events in order, in place, and fill the trace."""
    offsets, player, rank, side, held, time, weight, home, share, _, _, _ = ev
    mu, variance, volatility, information, surprise, in_period, period, events, last_time = beliefs
    room = largest_event(offsets)
    first, size = np.empty(room, np.int32), np.empty(room, np.int32)
    member_mu, member_variance = np.empty(room), np.empty(room)
    strength, g = np.empty(room), np.empty(room)
    told, moved = np.empty(room), np.empty(room)
    unknown, learned = newcomers
    tracing, learning = len(mu_before) > 0, len(learned) > 0
    start = 0.0
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        now = period_of(time[e], rules.length) if rules.length > 0 else 0
        if learning:
            if rules.length > 0:
                enter_period(learned, now)
            start = newcomer_mean(learned)
        new, first_weight, first_change = 0, 0.0, 0.0
        for r in range(lo, hi):
            p = player[r]
            v = volatility[p] if rules.adaptive else 0.0
            here = mu[p]
            if learning and unknown[p]:
                here, new = start, new + 1
            settled = closed(here, variance[p], v, information[p], surprise[p], in_period[p], rules)
            found = settled[1]
            if rules.length > 0 and period[p] == now:  # an open period: the others see its opening
                member_mu[r - lo], member_variance[r - lo] = mu[p], variance[p]
            else:
                if has_clock(period[p], events[p], last_time[p], rules):
                    settled = grown(settled, period[p], now, last_time[p], time[e], rules)
                    found = settled[1]
                    settled = opened(settled, rules)
                member_mu[r - lo], member_variance[r - lo] = settled[0], settled[1]
                if not is_held(held, r):
                    mu[p], variance[p] = settled[0], settled[1]
                    information[p], surprise[p], in_period[p] = 0.0, 0.0, 0
                    if rules.length > 0:
                        period[p] = now
                    if rules.adaptive:
                        volatility[p] = settled[2]
            if tracing:
                mu_before[r], sigma_before[r] = settled[0], math.sqrt(found)
        sides = find_sides(side, lo, hi, first, size)
        counts = event_weight(weight, e)
        q = rules.q * math.sqrt(counts) if rules.pairs == ONE_MATCH else rules.q
        side_strengths(side, lo, hi, sides, size, q, rules, member_mu, member_variance, strength, g)
        at_home = home_side(home, player, side, e, lo, hi)
        if at_home >= 0:
            strength[at_home] += rules.home_advantage
        if sides > ALL_PAIRS_UP_TO:
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
            is_first = learning and unknown[p]
            if not tracing and rules.length > 0 and not is_first:
                continue
            v = volatility[p] if rules.adaptive else 0.0
            settled = closed(mu[p], variance[p], v, information[p], surprise[p], in_period[p], rules)
            if tracing:
                mu_after[r], sigma_after[r] = settled[0], math.sqrt(settled[1])
            if is_first:
                unknown[p] = False
                says = first_result(settled[0] - mu[p], variance[p], settled[1])
                first_weight, first_change = first_weight + says[0], first_change + says[1]
            if rules.length == 0:
                mu[p], variance[p] = settled[0], settled[1]
                information[p], surprise[p], in_period[p] = 0.0, 0.0, 0
                if rules.adaptive:
                    volatility[p] = settled[2]
        if first_weight > 0.0:
            learn_first_results(learned, hi - lo, new, first_weight, first_change, rules.length == 0)


@kernel
def rate_duels(
    ev: EventColumns,
    beliefs: GlickoBeliefs,
    newcomers: Newcomers,
    rules: GlickoRules,
    mu_before: Floats,
    sigma_before: Floats,
    mu_after: Floats,
    sigma_after: Floats,
) -> None:
    """`rate_periods` for matches of two without longer periods: the same to the last bit.

    Most histories are nothing else, and go twice as fast without sides, open periods and a work space.
    """
    offsets, player, rank, _, _, time, weight, home, share, _, _, _ = ev
    mu, variance, volatility, _, _, _, _, events, last_time = beliefs
    unknown, learned = newcomers
    tracing, learning = len(mu_before) > 0, len(learned) > 0
    for e in range(len(offsets) - 1):
        lo = offsets[e]
        for r in range(lo + ROWS_AHEAD, min(lo + ROWS_AHEAD + 2, len(player))):
            prefetch(mu, player[r])
            prefetch(variance, player[r])
            prefetch(events, player[r])
        a, b = player[lo], player[lo + 1]
        if learning:
            place_two(learned, unknown, a, b, mu)
        one = (mu[a], variance[a], volatility[a] if rules.adaptive else 0.0)
        two = (mu[b], variance[b], volatility[b] if rules.adaptive else 0.0)
        timed = time[e] != NO_TIME
        found_a, found_b = one[1], two[1]
        if has_clock(0, events[a], last_time[a], rules):
            one = grown(one, 0, 0, last_time[a] if timed else NO_TIME, time[e], rules)
            found_a = one[1]
            one = opened(one, rules)
        if has_clock(0, events[b], last_time[b], rules):
            two = grown(two, 0, 0, last_time[b] if timed else NO_TIME, time[e], rules)
            found_b = two[1]
            two = opened(two, rules)
        if tracing:
            mu_before[lo], sigma_before[lo] = one[0], math.sqrt(found_a)
            mu_before[lo + 1], sigma_before[lo + 1] = two[0], math.sqrt(found_b)
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
        if learning:
            of_a = first_result(one[0] - mu[a], variance[a], one[1])
            of_b = first_result(two[0] - mu[b], variance[b], two[1])
            learn_of_two(learned, unknown, a, b, of_a, of_b)
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
def closed(
    mu: float,
    variance: float,
    volatility: float,
    information: float,
    surprise: float,
    played: int,
    rules: GlickoRules,
) -> tuple[float, float, float]:
    """The belief after the evidence of its period: mu, variance, volatility."""
    if played == 0:
        return mu, variance, volatility
    q = rules.q
    if rules.adaptive:
        volatility = new_volatility(volatility, variance * q * q, information, surprise, rules.tau)
        variance += rules.plays * (volatility / q) ** 2  # 2012, step 6: φ*² = φ² + σ'²
        volatility = min(volatility, rules.most_volatile)
    variance = 1.0 / (1.0 / variance + q * q * information)  # 1999, step 2; 2012, step 7
    return mu + variance * q * surprise, max(variance, rules.least), volatility


@kernel
def view_beliefs(
    beliefs: GlickoBeliefs,
    rules: GlickoRules,
    chosen: NDArray[np.int64],
    at: int,
    mu_out: Floats,
    sigma_out: Floats,
) -> None:
    """The beliefs now, or as an event at time `at` would find them."""
    mu, variance, volatility, information, surprise, in_period, period, events, last_time = beliefs
    now = period_of(at, rules.length) if rules.length > 0 and at != NO_TIME else 0
    for i in range(len(chosen)):
        p = chosen[i]
        v = volatility[p] if rules.adaptive else 0.0
        settled = closed(mu[p], variance[p], v, information[p], surprise[p], in_period[p], rules)
        running = rules.length > 0 and period[p] == now
        if at != NO_TIME and not running and has_clock(period[p], events[p], last_time[p], rules):
            settled = grown(settled, period[p], now, last_time[p], at, rules)
        mu_out[i], sigma_out[i] = settled[0], math.sqrt(settled[1])
