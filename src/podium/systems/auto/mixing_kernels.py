"""One walk through events that experts have rated: the mixture predicts, learns, and rates in public."""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import NO_TIME, Bools, EventColumns, Floats, Longs
from podium.numerics.draws import draw_chance
from podium.numerics.event_sides import days_between
from podium.numerics.jit import kernel
from podium.numerics.win_chances import logistic
from podium.systems.auto.expert_weights import (
    REGRESSION_VARIANCES,
    add_losses,
    clipped_chance,
    fill_weights,
    find_predicting,
    learn_coefficients,
    learn_covariance,
    learn_weights,
)
from podium.systems.auto.mixture_columns import Learned, Met, Public, Said, Scored, Told
from podium.systems.auto.public_ratings import MONTH, public_deviation, public_rating
from podium.systems.contract.calibration_kernels import (
    DRAW_MEMORY,
    EXPERIENCED_EVENTS,
    LARGEST_LOGIT,
    draw_ratio_of,
    is_rated,
    learn_draw,
    learn_ties,
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
    fill_weights(learned.log_weights, weights)
    for side in range(len(out)):
        out[side] = _predict_side(
            weights, learned.coefficients, predicting, k_experts / count, raw, calibrated, side, x, p
        )


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
    offsets, score, tied = met
    rows, player, _, _, held, time, _, _, _, _, _, _ = ev
    log_weights, coefficients, covariance, rated, draws, latest_many = learned
    mu, sigma, unknown, events, last_time, many, absence, pause = public
    score_after, absence_after, score_start = scored
    awake, raw, calibrated, all_terms, after, deviation, fresh, before, deviation_before, rates = said
    expected, draw, mu_before, sigma_before, mu_after, sigma_after = told
    k_experts, n, d, tracing = len(awake), len(log_weights), 2 * len(awake), len(mu_after) > 0
    predicting, knowing = np.empty(k_experts, np.bool_), np.empty(k_experts, np.bool_)
    everybody = np.ones(k_experts, np.bool_)
    weights, p, loss = np.empty(n), np.empty(n), np.empty(n)
    regressions = len(coefficients)
    x, gradient, work = np.empty(d), np.empty((regressions, d)), np.empty(d)
    fill_weights(log_weights, weights)
    find_predicting(everybody, rated, knowing)
    for e in range(len(offsets) - 1):
        lo, hi, sides = offsets[e], offsets[e + 1], offsets[e + 1] - offsets[e]
        if tracing:
            for r in range(rows[e], rows[e + 1]):
                a = player[r]
                away = days_between(last_time[a], time[e]) if absence[a] != 0.0 else 0.0
                mu_before[r], sigma_before[r] = mu[a] + absence[a] * math.log1p(away / MONTH), sigma[a]
                if fresh[r] >= 0:
                    sigma_before[r] = public_deviation(weights, knowing, deviation_before, fresh[r])
                    if latest_many[0]:
                        mu_before[r] = score_start[fresh[r]]
                    else:
                        mu_before[r] = public_rating(
                            weights, coefficients, knowing, all_terms[e], 1.0, before, fresh[r], work
                        )
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
                add_losses(p, score[side], part, loss)
                for m in range(regressions):
                    q = p[d + m]
                    for i in range(d):
                        gradient[m, i] += matches * (score[side] - q) * x[i]
                    learn_covariance(covariance[m], x, matches * q * (1.0 - q), work)
        if sides == 2:
            nu = draw_ratio_of(draws[0], draws[1])
            draw[lo] = draw[lo + 1] = draw_chance(expected[lo], nu)
            expected[lo + 1] = 1.0 - expected[lo]
            if counts:
                learn_draw(draws, draw[lo] / nu, tied[e], DRAW_MEMORY)
        elif counts:
            learn_ties(draws, expected[lo:hi], tied[e])
        if counts:
            learn_weights(log_weights, predicting, loss, share)
            for m in range(regressions):
                variance = REGRESSION_VARIANCES[m]
                learn_coefficients(coefficients[m], covariance[m], variance, gradient[m], 0.5 * sides, work)
            latest_many[0] = sides > 2
            for k in range(k_experts):
                rated[k] += rates[k]
            fill_weights(log_weights, weights)
            find_predicting(everybody, rated, knowing)
        for r in range(rows[e], rows[e + 1]):
            a = player[r]
            if len(held) == 0 or not held[r]:
                events[a] += 1
                pause[a] = math.log1p(days_between(last_time[a], time[e]) / MONTH)
                if time[e] != NO_TIME:
                    last_time[a] = time[e]
                sigma[a] = public_deviation(weights, knowing, deviation, r)
                unknown[a], many[a], absence[a] = False, sides > 2, 0.0
                if sides > 2:
                    mu[a], absence[a] = score_after[r], absence_after[r]
                else:
                    lack = 1.0 / (1.0 + events[a] / EXPERIENCED_EVENTS)
                    mu[a] = public_rating(
                        weights, coefficients, knowing, all_terms[e + 1], lack, after, r, work
                    )
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
