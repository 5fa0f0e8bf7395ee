"""The aggregating algorithm over the predictions of experts: one walk through events that were rated before.

There are K experts. Each predicts twice, raw and calibrated, and three more predictions regress results on
the log odds of all of these: N = 2K + 3 predictions in all, in this order. `docs/auto.md` has the theorem.

Weights are logarithms. An event multiplies the weight of every prediction that is awake by the likelihood it
gave to the result, so that the awake ones together keep what they had, and then all weights move a part, the
share, towards 1/N.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import DAY, NO_TIME, Bools, EventColumns, Floats, Ints, Longs
from podium.numerics.draws import draw_chance
from podium.numerics.jit import interpreted_as, kernel
from podium.numerics.win_chances import LN10, logistic
from podium.systems.contract.calibration_kernels import (
    EXPERIENCED_EVENTS,
    LARGEST_LOGIT,
    is_rated,
    learn_draw,
)

REFERENCE_RATING = 1500.0
POINTS = 400.0 / LN10
"""Points of public ratings that are odds of e to one."""
REGRESSION_VARIANCES = (1.0, 5.0, 25.0)
"""The variance of the sum of all coefficients before the first event, of each regression: a cautious one, one
that learns fast, and one between. Which is best depends on the history. They were chosen on the first halves
of five sets of real matches; on the second halves they were 0.0008 better on Smash than a single one of
variance 3, 0.0002 worse on Halo 2 and much the same elsewhere."""
REGRESSION_DRIFT = 1e-5
"""The part of it that each match adds again: a memory as long as that of calibrations."""
LARGEST_COEFFICIENT = 20.0
MONTH = 30.0
"""Days of absence; much shorter ones count in proportion, and longer ones by their logarithm."""
NO_DEVIATION = 350.0
"""The deviation of a public rating as long as no expert with deviations has rated anything."""
LARGEST_PUBLIC_LOGIT = 600.0
"""Log odds of public ratings, up or down: e to this power is still a number, and its inverse too."""


class Learned(NamedTuple):
    """What belongs to no single player; kernels write into it."""

    log_weights: Floats
    coefficients: Floats
    """Of each regression, and likewise their covariance."""
    covariance: Floats
    rated: Longs
    """Events that each expert has rated."""
    draws: Floats
    """As `learn_draw` has them."""
    latest_many: Bools
    """Whether the latest rated event had more than two sides; newcomers then start at a contest score."""


class Public(NamedTuple):
    """The columns of players' public ratings."""

    mu: Floats
    sigma: Floats
    unknown: Bools
    """Nothing is known of the player yet, who starts wherever experts believe that newcomers start."""
    events: Ints
    last_time: Longs
    many: Bools
    """Whether the rating is a contest score: that of everybody whose last event had more than two sides."""
    absence: Floats
    """What absence adds to a contest score, in points for each unit of ln(1 + days/30)."""


class Said(NamedTuple):
    """What the experts say of consecutive events, one row each; the events' awake experts are the same."""

    awake: Bools
    """Whether each expert can predict such events, as far as can be known before the result."""
    raw: Floats
    """The chance of each side, and likewise `calibrated`."""
    calibrated: Floats
    terms: Floats
    """The terms of each expert's calibration before the first event and after each, by event and expert."""
    after: Floats
    """The log odds of each row's player against the reference player after the event."""
    deviation: Floats
    """The deviation of each row's player after the event, in points of public ratings; below 0 for none."""
    fresh: Longs
    """For each row, its position in the next two if its player was unknown before the event; otherwise −1."""
    before: Floats
    """The log odds against the reference player of rows whose player was unknown before the event."""
    deviation_before: Floats
    rates: Bools
    """Whether each expert can rate these events."""


class Met(NamedTuple):
    """The sides of events: their offsets and what each scored, and who was tied."""

    offsets: Longs
    score: Floats
    drawn: Bools


class Scored(NamedTuple):
    """Ratings by contest scores; arrays of length 0 where there are no contests."""

    mu: Floats
    """By row, after the event, as `absence`."""
    absence: Floats
    start: Floats
    """The start of newcomers before the event, for each of the rows whose player was unknown."""


class Told(NamedTuple):
    """What the trace wants to know; arrays of length 0 if it wants nothing."""

    expected: Floats
    """By side, as `draw`; the others are by row."""
    draw: Floats
    mu_before: Floats
    sigma_before: Floats
    mu: Floats
    sigma: Floats


@kernel
def days_between(last: int, time: int) -> float:
    """Days from a player's last event until a time; 0 if one of them is unknown."""
    if last == NO_TIME or time == NO_TIME:
        return 0.0
    return float(max(time - last, 0) / DAY)


@kernel
def clipped_chance(p: float) -> float:
    """A chance between those of the largest log odds that count."""
    least = logistic(-LARGEST_LOGIT)
    return min(max(p, least), 1.0 - least)


@kernel
def find_predicting(awake: Bools, rated: Longs, predicting: Bools) -> int:
    """Mark the experts that predict an event: those that are awake and have rated before.

    If none has, all that are awake do. Returns their number.
    """
    count = 0
    for k in range(len(awake)):
        predicting[k] = awake[k] and rated[k] > 0
        count += predicting[k]
    if count == 0:
        for k in range(len(awake)):
            predicting[k] = awake[k]
            count += predicting[k]
    return count


@kernel
def _is_awake(predicting: Bools, i: int) -> bool:
    """Whether prediction number `i` counts: that of an expert that predicts, or of a regression."""
    return i >= 2 * len(predicting) or predicting[i % len(predicting)]


@kernel
def _learn_weights(log_weights: Floats, predicting: Bools, loss: Floats, share: float) -> None:
    """Reweigh by what each prediction lost; those asleep keep their weights, but for the share."""
    n = len(log_weights)
    least, before, after = math.inf, 0.0, 0.0
    for i in range(n):
        if _is_awake(predicting, i):
            least = min(least, loss[i])
            before += math.exp(log_weights[i])
    for i in range(n):
        if _is_awake(predicting, i):
            log_weights[i] -= loss[i] - least
            after += math.exp(log_weights[i])
    change = math.log(before / after)
    for i in range(n):
        w = log_weights[i] + (change if _is_awake(predicting, i) else 0.0)
        log_weights[i] = math.log((1.0 - share) * math.exp(w) + share / n)


@kernel
def _fill_weights(log_weights: Floats, weights: Floats) -> None:
    for i in range(len(weights)):
        weights[i] = math.exp(log_weights[i])


def _learn_covariance_by_arrays(covariance: Floats, x: Floats, information: float, u: Floats) -> None:
    """What `_learn_covariance` does, with whole rows at once."""
    u[:] = x @ covariance
    covariance -= information / (1.0 + information * (x @ u)) * np.outer(u, u)


@interpreted_as(_learn_covariance_by_arrays)
@kernel
def _learn_covariance(covariance: Floats, x: Floats, information: float, u: Floats) -> None:
    """P⁻¹ ← P⁻¹ + information · x xᵀ, by the formula of Sherman and Morrison; `u` is work space."""
    d, v = len(x), 0.0
    for i in range(d):
        u[i] = 0.0
    for j in range(d):  # in this order the inner loops are vectorised
        for i in range(d):
            u[i] += x[j] * covariance[j, i]
    for i in range(d):
        v += x[i] * u[i]
    part = information / (1.0 + information * v)
    for i in range(d):
        for j in range(d):
            covariance[i, j] -= part * (u[i] * u[j])


def _learn_coefficients_by_arrays(
    coefficients: Floats, covariance: Floats, variance: float, gradient: Floats, matches: float, u: Floats
) -> None:
    """What `_learn_coefficients` does, with whole rows at once."""
    d = len(coefficients)
    kept = (1.0 - REGRESSION_DRIFT) ** matches
    moved = 1.0 / d + math.sqrt(kept) * (coefficients + gradient @ covariance - 1.0 / d)
    coefficients[:] = np.clip(moved, -LARGEST_COEFFICIENT, LARGEST_COEFFICIENT)
    covariance *= kept
    covariance.ravel()[:: d + 1] += (1.0 - kept) * variance / d


@interpreted_as(_learn_coefficients_by_arrays)
@kernel
def _learn_coefficients(
    coefficients: Floats, covariance: Floats, variance: float, gradient: Floats, matches: float, u: Floats
) -> None:
    """One step of Newton's method, and the drift back towards the start of so many matches.

    The covariance has learned from the event already. `variance` is where that of the sum of the coefficients
    started; `u` is work space.
    """
    d = len(coefficients)
    kept = (1.0 - REGRESSION_DRIFT) ** matches
    root, start, fresh = math.sqrt(kept), 1.0 / d, (1.0 - kept) * variance / d
    for i in range(d):
        u[i] = 0.0
    for j in range(d):
        for i in range(d):
            u[i] += gradient[j] * covariance[j, i]
            covariance[j, i] *= kept
        covariance[j, j] += fresh
    for i in range(d):
        moved = start + root * (coefficients[i] + u[i] - start)
        coefficients[i] = min(max(moved, -LARGEST_COEFFICIENT), LARGEST_COEFFICIENT)


@kernel
def _mixed_logit(weights: Floats, coefficients: Floats, predicting: Bools, logit: Floats) -> float:
    """The log odds of the mixture of chances, given the log odds of each expert, raw and calibrated."""
    d, count, won, lost = len(logit), 0, 0.0, 0.0
    for k in range(len(predicting)):
        count += predicting[k]
    for i in range(len(weights)):
        if _is_awake(predicting, i):
            z = 0.0
            if i < d:
                z = logit[i]
            else:
                for j in range(d):
                    if _is_awake(predicting, j):
                        z += coefficients[i - d, j] * logit[j]
                z *= len(predicting) / count
            z = min(max(z, -LARGEST_PUBLIC_LOGIT), LARGEST_PUBLIC_LOGIT)
            won += weights[i] * logistic(z)
            lost += weights[i] * logistic(-z)
    return math.log(won / lost)


@kernel
def public_rating(
    weights: Floats,
    coefficients: Floats,
    knowing: Bools,
    terms: Floats,
    lack: float,
    logit: Floats,
    deviation: Floats,
    work: Floats,
) -> tuple[float, float]:
    """The rating and its deviation that say the same about meeting the reference player as the mixture.

    `logit` is what each expert says of that, raw, `terms` those of its calibration, and `lack` the player's
    1/(1 + n/5); the reference player is experienced. `knowing` marks the experts that count. The deviation is
    the mean of those of experts that have one, by their weights.
    """
    k_experts, total, weight = len(knowing), 0.0, 0.0
    for k in range(k_experts):
        work[k] = logit[k]
        work[k_experts + k] = terms[k, 0] * logit[k] + terms[k, 2] * lack
        if knowing[k] and deviation[k] >= 0.0:
            w = weights[k] + weights[k_experts + k]
            total += w * deviation[k]
            weight += w
    rating = REFERENCE_RATING + POINTS * _mixed_logit(weights, coefficients, knowing, work)
    return rating, total / weight if weight > 0.0 else NO_DEVIATION


@kernel
def rate_publicly(
    learned: Learned, terms: Floats, lack: Floats, logit: Floats, deviation: Floats, mu: Floats, sigma: Floats
) -> None:
    """Fill the public ratings of players by what experts, one row each, say of them."""
    k_experts = len(learned.rated)
    weights, work = np.empty(len(learned.log_weights)), np.empty(2 * k_experts)
    knowing = np.empty(k_experts, np.bool_)
    find_predicting(np.ones(k_experts, np.bool_), learned.rated, knowing)
    _fill_weights(learned.log_weights, weights)
    one_logit, one_deviation = np.empty(k_experts), np.empty(k_experts)
    for a in range(len(mu)):
        for k in range(k_experts):
            one_logit[k], one_deviation[k] = logit[k, a], deviation[k, a]
        mu[a], sigma[a] = public_rating(
            weights, learned.coefficients, knowing, terms, lack[a], one_logit, one_deviation, work
        )


@kernel
def _predict_side(
    weights: Floats,
    coefficients: Floats,
    predicting: Bools,
    scale: float,
    raw: Floats,
    calibrated: Floats,
    side: int,
    x: Floats,
    p: Floats,
) -> float:
    """Fill the inputs of the regressions and all predictions of a side; returns that of the mixture."""
    k_experts, d, mixed, weight = len(predicting), len(x), 0.0, 0.0
    for i in range(d):
        x[i], p[i], k = 0.0, 0.5, i % k_experts
        if predicting[k]:
            p[i] = clipped_chance(raw[k, side] if i < k_experts else calibrated[k, side])
            x[i] = scale * math.log(p[i] / (1.0 - p[i]))
            mixed += weights[i] * p[i]
            weight += weights[i]
    for m in range(len(coefficients)):
        z = 0.0
        for i in range(d):
            z += coefficients[m, i] * x[i]
        p[d + m] = logistic(min(max(z, -LARGEST_LOGIT), LARGEST_LOGIT))
        mixed += weights[d + m] * p[d + m]
        weight += weights[d + m]
    return mixed / weight


@kernel
def mix_chances(learned: Learned, awake: Bools, raw: Floats, calibrated: Floats, out: Floats) -> None:
    """Fill the mixture's chance of each side, by the experts' chances, one row each."""
    k_experts, n = len(awake), len(learned.log_weights)
    predicting = np.empty(k_experts, np.bool_)
    count = find_predicting(awake, learned.rated, predicting)
    weights, x, p = np.empty(n), np.empty(2 * k_experts), np.empty(n)
    _fill_weights(learned.log_weights, weights)
    for side in range(len(out)):
        out[side] = _predict_side(
            weights, learned.coefficients, predicting, k_experts / count, raw, calibrated, side, x, p
        )


@kernel
def _add_losses(p: Floats, score: float, part: float, loss: Floats) -> None:
    """Add a part of −s ln p − (1 − s) ln(1 − p) for every prediction."""
    for i in range(len(p)):
        loss[i] -= part * (score * math.log(p[i]) + (1.0 - score) * math.log(1.0 - p[i]))


@kernel
def mix_events(
    learned: Learned,
    public: Public,
    said: Said,
    met: Met,
    scored: Scored,
    ev: EventColumns,
    share: float,
    told: Told,
) -> None:
    """Predict each event by the mixture, learn from it, and rate its players in public, event after event.

    Players of matches are rated by the mixture, those of contests by their scores.
    """
    offsets, score, drawn = met
    rows, player, _, _, held, time, _, _, _, _, _, _ = ev
    log_weights, coefficients, covariance, rated, draws, latest_many = learned
    mu, sigma, unknown, events, last_time, many, absence = public
    score_after, absence_after, score_start = scored
    awake, raw, calibrated, all_terms, after, deviation, fresh, before, deviation_before, rates = said
    expected, draw, mu_before, sigma_before, mu_after, sigma_after = told
    k_experts, n, d, tracing = len(awake), len(log_weights), 2 * len(awake), len(mu_after) > 0
    predicting, knowing = np.empty(k_experts, np.bool_), np.empty(k_experts, np.bool_)
    everybody = np.ones(k_experts, np.bool_)
    weights, p, loss = np.empty(n), np.empty(n), np.empty(n)
    regressions = len(coefficients)
    x, gradient, work = np.empty(d), np.empty((regressions, d)), np.empty(d)
    one_logit, one_deviation = np.empty(k_experts), np.empty(k_experts)
    _fill_weights(log_weights, weights)
    find_predicting(everybody, rated, knowing)
    for e in range(len(offsets) - 1):
        lo, hi, sides = offsets[e], offsets[e + 1], offsets[e + 1] - offsets[e]
        if tracing:
            for r in range(rows[e], rows[e + 1]):
                a = player[r]
                away = days_between(last_time[a], time[e]) if absence[a] != 0.0 else 0.0
                mu_before[r], sigma_before[r] = mu[a] + absence[a] * math.log1p(away / MONTH), sigma[a]
                if fresh[r] >= 0:
                    for k in range(k_experts):
                        one_logit[k] = before[k, fresh[r]]
                        one_deviation[k] = deviation_before[k, fresh[r]]
                    mu_before[r], sigma_before[r] = public_rating(
                        weights, coefficients, knowing, all_terms[e], 1.0, one_logit, one_deviation, work
                    )
                    if latest_many[0]:
                        mu_before[r] = score_start[fresh[r]]
        count = find_predicting(awake, rated, predicting)
        counts = is_rated(held, rows[e], rows[e + 1])
        part = 1.0 if sides == 2 else 1.0 / sides
        matches = 1.0 if sides == 2 else 0.5  # that a side stands for in the regression
        for i in range(n):
            loss[i] = 0.0
        for m in range(regressions):
            for i in range(d):
                gradient[m, i] = 0.0
        for side in range(lo, lo + 1 if sides == 2 else hi):
            expected[side] = _predict_side(
                weights, coefficients, predicting, k_experts / count, raw, calibrated, side, x, p
            )
            draw[side] = 0.0
            if counts:
                _add_losses(p, score[side], part, loss)
                for m in range(regressions):
                    q = p[d + m]
                    for i in range(d):
                        gradient[m, i] += matches * (score[side] - q) * x[i]
                    _learn_covariance(covariance[m], x, matches * q * (1.0 - q), work)
        if sides == 2:
            nu = draws[0] / draws[1]
            draw[lo] = draw[lo + 1] = draw_chance(expected[lo], nu)
            expected[lo + 1] = 1.0 - expected[lo]
            if counts:
                learn_draw(draws, draw[lo], nu, drawn[e])
        if counts:
            _learn_weights(log_weights, predicting, loss, share)
            for m in range(regressions):
                variance = REGRESSION_VARIANCES[m]
                _learn_coefficients(coefficients[m], covariance[m], variance, gradient[m], 0.5 * sides, work)
            latest_many[0] = sides > 2
            for k in range(k_experts):
                rated[k] += rates[k]
            _fill_weights(log_weights, weights)
            find_predicting(everybody, rated, knowing)
        for r in range(rows[e], rows[e + 1]):
            a = player[r]
            if len(held) == 0 or not held[r]:
                events[a] += 1
                if time[e] != NO_TIME:
                    last_time[a] = time[e]
                for k in range(k_experts):
                    one_logit[k], one_deviation[k] = after[k, r], deviation[k, r]
                lack = 1.0 / (1.0 + events[a] / EXPERIENCED_EVENTS)
                mu[a], sigma[a] = public_rating(
                    weights, coefficients, knowing, all_terms[e + 1], lack, one_logit, one_deviation, work
                )
                unknown[a], many[a], absence[a] = False, sides > 2, 0.0
                if sides > 2:
                    mu[a], absence[a] = score_after[r], absence_after[r]
                if tracing:
                    mu_after[r], sigma_after[r] = mu[a], sigma[a]
            elif tracing:
                mu_after[r], sigma_after[r] = mu_before[r], sigma_before[r]


@kernel
def find_fresh(ev: EventColumns, unknown: Bools, fresh: Longs) -> int:
    """Number the rows whose player is unknown before the event; returns how many there are."""
    player, held, count = ev.player, ev.held, 0
    for r in range(len(player)):
        fresh[r] = -1
        if unknown[player[r]]:
            fresh[r] = count
            count += 1
            if len(held) == 0 or not held[r]:
                unknown[player[r]] = False
    for r in range(len(player)):  # as they were: whoever rates them marks them
        if fresh[r] >= 0:
            unknown[player[r]] = True
    return count
