"""What an event says of its sides in Weng–Lin, compiled: comparisons of pairs, and of whole rankings.

Margins are OpenSkill's, not the paper's: a lead in scores makes sides count as closer than they are, so that
the result is a greater surprise.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats, Longs
from podium.numerics.exponential import exp
from podium.numerics.jit import formula, kernel
from podium.numerics.normal import above_in_loops, between


class WengLinRules(NamedTuple):
    """The parameters of Weng–Lin in the form kernels use."""

    beta2: float
    tau2: float
    per_day: float
    home_advantage: float
    draw_margin: float
    kappa: float
    limited: bool
    """Whether a variance is at most what it was before the event."""
    slope: float
    by_sides: bool
    """Whether γ is 1 / number of sides."""
    normal: bool
    neighbours: bool
    """Whether only sides with neighbouring ranks are compared."""
    ranking: bool
    """Whether the ranking counts as a whole, without pairs: Plackett and Luce."""
    one_match: bool
    margin: float
    """The lead in scores above which it counts; 0 if scores are not used."""
    credited: bool
    """Whether the part of an event that a member played weighs gains and losses."""


class WengLinField(NamedTuple):
    """The sides of an event in order of rank, and what the event says about each."""

    mean: Floats
    variance: Floats
    sigma: Floats
    """What γ is proportional to: the deviation, or 1."""
    pull: Floats
    """Slope of the log-likelihood in the strength of the side: Ω/σ² of the paper."""
    told: Floats
    """Its curvature, times γ: Δ/σ² of the paper."""
    step: Floats
    """Work space: what one pair adds to `pull`."""
    known: Floats
    """Work space: what one pair adds to `told`, without the factor σ."""
    points: Floats
    """The scores, if margins count."""
    nearer: Floats
    """Work space: what a lead multiplies the difference to another side by; 1 without margins."""


@kernel
def empty_field(size: int) -> WengLinField:
    """Work space for `size` sides."""
    c = np.ones((9, size))  # indexed: rows that are unpacked would count as strided
    return WengLinField(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8])


# ---------------------------------------------------------------------------------------------------------
# Pairs: Algorithms 1, 2 and 3


@kernel
def compare_pairs(ends: Longs, groups: int, beta2: float, rules: WengLinRules, field: WengLinField) -> None:
    """Compare every side with all others, or with its neighbours in rank; each pair once.

    In a tie it is open who is whose neighbour; the paper takes any order of the tied (its r̄). Here the
    evidence is its mean over all their orders, so that none matters: two of a tie of g are neighbours in 2/g
    of them, and one of it and one of the next tie, of h, in 1/(g h).
    """
    mean, variance, sigma, pull, told, step, known, points, nearer = field
    columns = mean, variance, step, known, nearer
    gamma = 1.0 / ends[groups] if rules.by_sides else 0.0
    better, share_better, share = 0, 1.0, 1.0
    for group in range(groups):
        start, stop = ends[group], ends[group + 1]
        if rules.neighbours:
            better = ends[max(group - 1, 0)]
            share_better, share = 1.0 / max((stop - start) * (start - better), 1), 2.0 / (stop - start)
        for q in range(start, stop):
            rest = variance[q] + 2.0 * beta2
            if rules.margin > 0.0:
                for i in range(better, q):
                    nearer[i] = 1.0 / lead_factor(abs(points[i] - points[q]), rules.margin)
            if better < start:
                _meet(better, start, 1.0, share_better, mean[q], rest, gamma, rules, *columns)
            if start < q:
                _meet(start, q, 0.5, share, mean[q], rest, gamma, rules, *columns)
            _note(better, q, q, sigma, pull, told, step, known)
    if rules.one_match:
        for i in range(ends[groups]):  # the mean over all, oneself included, who pulls nowhere
            pull[i] /= ends[groups]
            told[i] = 0.25 / (variance[i] + 2.0 * beta2)


@kernel
def _meet(
    start: int,
    stop: int,
    score: float,
    share: float,
    mean_q: float,
    rest: float,
    gamma: float,
    rules: WengLinRules,
    mean: Floats,
    variance: Floats,
    step: Floats,
    known: Floats,
    nearer: Floats,
) -> None:
    """What a score against q says of each side from `start` to `stop`; `rest` is c² but for their variance.

    `step` is what the pair adds to a side's pull and takes from q's; `known`, times σ, what it tells either.
    The compiler does several sides at once if it knows that no number of a side is negative, which would
    count from the end.
    """
    sign = 2.0 * score - 1.0
    for i in range(np.uint64(start), np.uint64(stop)):
        per_c = 1.0 / math.sqrt(variance[i] + rest)
        x = (mean[i] - mean_q) * per_c * nearer[i]
        if not rules.normal:
            surprise, information = _by_logistic(rules.slope * x, score)
        elif score == 0.5:
            reach = rules.draw_margin * per_c
            surprise, _, information = between(-reach - x, reach - x)
        else:
            surprise, information = above_in_loops(rules.draw_margin * per_c - sign * x)
            surprise *= sign
        step[i] = share * surprise * per_c
        known[i] = share * information * (per_c * per_c) * (gamma if gamma > 0.0 else per_c)


@kernel
def _note(
    start: int,
    stop: int,
    q: int,
    sigma: Floats,
    pull: Floats,
    told: Floats,
    step: Floats,
    known: Floats,
) -> None:
    """Add to `pull` and `told` what the comparisons of these sides with side q say."""
    for i in range(np.uint64(start), np.uint64(stop)):
        pull[i] += step[i]
        told[i] += sigma[i] * known[i]
    pull[q] -= _sum(step, start, stop)
    told[q] += sigma[q] * _sum(known, start, stop)


@kernel
def _sum(values: Floats, start: int, stop: int) -> float:
    """The sum as four partial sums, which the processor can compute in parallel."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    fours = start + (stop - start) // 4 * 4
    for i in range(start, fours, 4):
        a, b, c, d = a + values[i], b + values[i + 1], c + values[i + 2], d + values[i + 3]
    for i in range(fours, stop):
        a += values[i]
    return (a + b) + (c + d)


@formula
def _by_logistic(x: float, score: float) -> tuple[float, float]:
    """Bradley and Terry: s − p and p (1 − p), where p = 1/(1 + e^−x)."""
    e = exp(-abs(x))
    high = 1.0 / (1.0 + e)
    expected = high if x >= 0.0 else e * high
    return score - expected, e * high * high


# ---------------------------------------------------------------------------------------------------------
# Rankings: Algorithm 4


@kernel
def rank_all(ends: Longs, groups: int, beta2: float, rules: WengLinRules, field: WengLinField) -> None:
    """Plackett and Luce in linear time: in each tie, a side is chosen among all that are not better.

    With e_i = exp(mean/c) and S_g the sum of e over tie g and all below, side i of tie g has
    Ω c/σ² = 1/A_g − Σ_{h ≤ g} e_i/S_h and Δ c²/γσ² = Σ_{h ≤ g} (e_i/S_h)(1 − e_i/S_h); the paper's sum over
    each of the A_h tied sides, divided by A_h, is one term. S shrinks from tie to tie, so
    Σ 1/S_h = R/S_g with R ← 1 + R S_g/S_{g−1}, in which nothing can overflow; neither can S itself, kept as a
    multiple of the largest e in it.
    """
    mean, variance, sigma, pull, told, drawn_in, _, points, _ = field
    sides = ends[groups]
    if rules.margin > 0.0:
        draw_in(mean, points, sides, rules.margin, drawn_in)
        mean = drawn_in
    c2 = 0.0
    for i in range(sides):
        c2 += variance[i] + beta2
    per_c = 1.0 / math.sqrt(c2)
    gamma = 1.0 / sides if rules.by_sides else per_c
    top, total = -np.inf, 0.0
    for k in range(sides):  # from the last; sums wait where the answers will be
        i = sides - 1 - k
        x = mean[i] * per_c
        if x > top:
            total, top = total * math.exp(top - x) + 1.0, x
        else:
            total += math.exp(x - top)
        pull[i], told[i] = total, top
    best, best_squares, earlier, earlier_top = 0.0, 0.0, 1.0, np.inf
    for group in range(groups):
        start, stop = ends[group], ends[group + 1]
        total, top = pull[start], told[start]
        shrunk = 0.0 if group == 0 else math.exp(top - earlier_top) * (total / earlier)
        best, best_squares = 1.0 + best * shrunk, 1.0 + best_squares * shrunk * shrunk
        earlier, earlier_top = total, top
        for i in range(start, stop):
            chance = math.exp(mean[i] * per_c - top) / total
            pull[i] = (1.0 / (stop - start) - chance * best) * per_c
            told[i] = sigma[i] * gamma * max(chance * (best - chance * best_squares), 0.0) * (per_c * per_c)


# ---------------------------------------------------------------------------------------------------------
# Margins: OpenSkill


@kernel
def lead_factor(lead: float, margin: float) -> float:
    """By what a lead in scores divides a difference of means; 1 up to the margin, or without scores."""
    return math.log1p(lead / margin) if lead > margin else 1.0


@kernel
def draw_in(mean: Floats, points: Floats, sides: int, margin: float, out: Floats) -> None:
    """The means with margins: each side nearer to those whose scores are far away, on average."""
    for i in range(sides):
        total, others = 0.0, 0
        for j in range(sides):
            lead = abs(points[i] - points[j])
            if lead > 0.0:
                total += (mean[i] - mean[j]) * (lead_factor(lead, margin) - 1.0)
                others += 1
        out[i] = mean[i] - total / max(others, 1)
