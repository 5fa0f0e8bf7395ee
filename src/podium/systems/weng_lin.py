"""Weng–Lin: TrueSkill's questions answered in closed form, for teams and free-for-alls of any size.

Weng and Lin, "A Bayesian approximation method for online ranking", JMLR 12 (2011). A belief is a normal
distribution. The likelihood of an event's result, as a model of paired comparisons or of rankings has it, is
taken by its slope and curvature at the prior, which gives the posterior's mean and variance. The paper has
five models; a sixth is BAR, of the experiments of Ebtekar and Liu (2021). OpenSkill is the same system.

>>> from podium import Ladder, WengLin
>>> ladder = Ladder(WengLin())
>>> changes = ladder.record(teams=[["ann", "bob"], ["cat", "dan"]], ranks=[1, 2])
>>> [round(change.mu, 2) for change in changes]
[26.96, 26.96, 23.04, 23.04]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import NO_TIME, EventColumns, Floats, Ints, Longs
from podium.numerics.event_sides import (
    days_between,
    event_weight,
    find_sides,
    home_side,
    is_held,
    largest_event,
    played,
    side_of,
)
from podium.numerics.exponential import exp
from podium.numerics.jit import formula, kernel
from podium.numerics.newcomers import Newcomers, first_result, learn_first_results, newcomer_mean
from podium.numerics.normal import above_in_loops, between
from podium.numerics.ordering import order_sides
from podium.numerics.win_chances import LN10, LOGISTIC, expected_scores
from podium.parameters import parameter
from podium.systems.contract.explained_ratings import SURE
from podium.systems.contract.normal_system import NormalSystem, margin_outcomes, margin_score
from podium.systems.contract.opponent_ratings import logistic_gap, normal_gap
from podium.systems.contract.ratings import Trace
from podium.systems.contract.sides import Opponent
from podium.systems.contract.state import State

LOGISTIC_DEVIATION = math.pi / math.sqrt(3.0)
"""Turns a logistic number of scale 1 into one of deviation 1."""


@dataclass(frozen=True, kw_only=True)
class WengLin(NormalSystem):
    """Weng–Lin with its five models, and BAR."""

    name: ClassVar[str] = "weng-lin"
    summary: ClassVar[str] = "teams of any size in closed form, as in OpenSkill, much like TrueSkill"
    explained: ClassVar[str] = f"""
        The system compares every pair of sides in an event: which side finished ahead, and which was
        expected to. A better result than expected raises ratings, and a worse result lowers them. A team's
        members share its gain or loss. {SURE}
    """

    model: Literal[
        "plackett-luce",
        "bradley-terry-full",
        "bradley-terry-part",
        "thurstone-mosteller-full",
        "thurstone-mosteller-part",
        "one-match",
    ] = parameter(
        "plackett-luce",
        "model of a result: the whole ranking, all pairs (full) or neighbours in rank (part), "
        "with logistic or normal performances. BAR: the mean over all pairs as one match",
    )
    gamma: Literal["deviation", "sides"] = parameter(
        "deviation",
        "what slows the shrinking of deviations: a side's share of the deviation, or 1 / number of sides",
    )
    draw_margin: float = parameter(
        0.1,
        "difference in points up to which normal performances are a draw",
        high=1e6,
        search=(0.0, 5.0),
        needs="ties",
    )
    kappa: float = parameter(
        1e-4, "smallest fraction of a variance that an event leaves", low=1e-12, high=1.0
    )
    limit_sigma: Literal["off", "on"] = parameter(
        "off", "whether an event never raises a deviation, as tau may do for experienced players"
    )

    # ------------------------------------------------------------------ predictions

    @property
    def _normal(self) -> bool:
        """Whether performances are normal; they are logistic otherwise."""
        return self.model.startswith("thurstone")

    @property
    def _slope(self) -> float:
        """By how much a difference in deviations counts in log-odds."""
        return LOGISTIC_DEVIATION if self.model == "one-match" else 1.0

    def added_variance(self, noise: Floats) -> Floats:
        """Adds the noise β once for each side, however many members it has."""
        return self.beta**2 + noise * self.tau**2

    def expected_score(self, difference: Floats, deviation: Floats, members: ArrayLike) -> Floats:
        """The model's probability of a win plus half that of a draw."""
        if self._normal:
            return margin_score(difference, self.draw_margin, deviation)
        return expected_scores(LOGISTIC, difference, LN10 / self._slope * deviation)

    def score_gap(self, probability: Floats, deviation: Floats) -> Floats | None:
        """The inverse of the model's curve. None for the normal one if draws are expected."""
        if not self._normal:
            return logistic_gap(probability, LN10 / self._slope * deviation)
        return normal_gap(probability, deviation) if self.draw_margin == 0.0 else None

    def outcomes_between(self, a: Opponent, b: Opponent, home: ArrayLike) -> Floats:
        """Probabilities of win, draw and loss. Only the Thurstone–Mosteller models have draws."""
        if not self._normal:
            return super().outcomes_between(a, b, home)
        difference, deviation, _ = self.difference(a, b, home)
        return margin_outcomes(difference, self.draw_margin, deviation)

    @property
    def rank_raises_display(self) -> bool:
        """The mean rises with the rank unless only neighbours count; deviations depend on results too."""
        return self.display_k == 0.0 and not self.model.endswith("-part")

    @property
    def exact_places(self) -> bool:
        """Without draws, the expected score of the normal models is that of two performances."""
        return self._normal and self.draw_margin == 0.0

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Normal or Gumbel performances. For equal deviations they agree with `expected_score`.

        (In the update of "plackett-luce" the scale grows with the number of sides, which would let a third
        player change the odds between two others.)
        """
        deviation = self.deviation(sigma, noise)
        if self._normal:
            return "normal", deviation
        return "gumbel", math.sqrt(2.0) / self._slope * deviation

    # ------------------------------------------------------------------ rating

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events in order, in place, and fill the trace."""
        _rate(
            events,
            state["mu"],
            state["variance"],
            state["events"],
            state["last_time"],
            self.newcomers(state),
            self._rules(),
            trace.mu_before,
            trace.sigma_before,
            trace.mu,
            trace.sigma,
        )

    def _rules(self) -> WengLinRules:
        return WengLinRules(
            beta2=self.beta**2,
            tau2=self.tau**2,
            per_day=self.drift_per_day,
            home_advantage=self.home_advantage,
            margin=self.draw_margin,
            kappa=self.kappa,
            limited=self.limit_sigma == "on",
            slope=self._slope,
            by_sides=self.gamma == "sides",
            normal=self._normal,
            neighbours=self.model.endswith("part"),
            ranking=self.model == "plackett-luce",
            one_match=self.model == "one-match",
        )


class WengLinRules(NamedTuple):
    """The parameters of Weng–Lin in the form kernels use."""

    beta2: float
    tau2: float
    per_day: float
    home_advantage: float
    margin: float
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


@kernel
def _empty_field(size: int) -> WengLinField:
    """Work space for `size` sides."""
    columns = np.empty((7, size))
    return WengLinField(columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], columns[6])


@kernel
def _rate(
    ev: EventColumns,
    mu: Floats,
    variance: Floats,
    events: Ints,
    last_time: Longs,
    newcomers: Newcomers,
    rules: WengLinRules,
    mu_before: Floats,
    sigma_before: Floats,
    mu_after: Floats,
    sigma_after: Floats,
) -> None:
    """Walk through the events: beliefs drift, sides are summed up, the model speaks, members move.

    A side's performance is the sum of its members', each times the part p of the event they played. So its
    mean is Σ p μ and its variance Σ p² σ², and its likelihood has the slope p Ω/σ² and the curvature p² Δ/σ²
    in a member's skill; with p = 1 these are the update rules of the paper (step 3 of its algorithms).
    """
    offsets, player, rank, side, held, time, weight, home, _, _, play, _ = ev
    room = largest_event(offsets)
    first, size, place = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    order, ends = np.empty(room, np.int64), np.empty(room + 1, np.int64)
    sum_mean, sum_variance, drifted = np.empty(room), np.empty(room), np.empty(room)
    field = _empty_field(room)
    mean, spread, sigma, pull, told, _, _ = field
    unknown, learned = newcomers
    tracing, learning = len(mu_before) > 0, len(learned) > 0
    start = 0.0
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        if learning:
            start = newcomer_mean(learned)
        new, first_weight, first_change = 0, 0.0, 0.0
        sides = find_sides(side, lo, hi, first, size)
        for i in range(sides):
            sum_mean[i], sum_variance[i] = 0.0, 0.0
        for r in range(lo, hi):
            p, i, part = player[r], side_of(side, r, lo), played(play, r)
            found = variance[p] + rules.per_day * days_between(last_time[p], time[e])
            drifted[r - lo] = found + rules.tau2
            here = mu[p]
            if learning and unknown[p]:
                here, new = start, new + 1
                if not is_held(held, r):
                    mu[p] = start
            sum_mean[i] += part * here
            sum_variance[i] += part * part * drifted[r - lo]
            if tracing:
                mu_before[r], sigma_before[r] = here, math.sqrt(found)
        at_home = home_side(home, player, side, e, lo, hi)
        if at_home >= 0:
            sum_mean[at_home] += rules.home_advantage
        groups = order_sides(rank, first, sides, order, ends)
        for k in range(sides):
            i = order[k]
            place[i] = k
            mean[k], spread[k] = sum_mean[i], sum_variance[i]
            sigma[k] = 1.0 if rules.by_sides else math.sqrt(sum_variance[i])
            pull[k], told[k] = 0.0, 0.0
        beta2 = rules.beta2 / event_weight(weight, e)
        if rules.ranking:
            _rank_all(ends, groups, beta2, rules, field)
        else:
            _compare_pairs(ends, groups, beta2, rules, field)
        for r in range(lo, hi):
            p, k, part = player[r], place[side_of(side, r, lo)], played(play, r)
            if is_held(held, r):
                if tracing:
                    mu_after[r], sigma_after[r] = mu_before[r], sigma_before[r]
                continue
            v = drifted[r - lo]
            change = part * v * pull[k]
            mu[p] += change
            most = variance[p] + rules.per_day * days_between(last_time[p], time[e])
            variance[p] = v * max(1.0 - part * part * v * told[k], rules.kappa)
            if rules.limited:
                variance[p] = min(variance[p], most)
            if learning and unknown[p]:
                unknown[p] = False
                says = first_result(change, v, variance[p])
                first_weight, first_change = first_weight + says[0], first_change + says[1]
            events[p] += 1
            if time[e] != NO_TIME:
                last_time[p] = time[e]
            if tracing:
                mu_after[r], sigma_after[r] = mu[p], math.sqrt(variance[p])
        if first_weight > 0.0:
            learn_first_results(learned, hi - lo, new, first_weight, first_change, True)


# ---------------------------------------------------------------------------------------------------------
# Pairs: Algorithms 1, 2 and 3


@kernel
def _compare_pairs(ends: Longs, groups: int, beta2: float, rules: WengLinRules, field: WengLinField) -> None:
    """Compare every side with all others, or with its neighbours in rank; each pair once.

    In a tie it is open who is whose neighbour; the paper takes any order of the tied (its r̄). Here the
    evidence is its mean over all their orders, so that none matters: two of a tie of g are neighbours in 2/g
    of them, and one of it and one of the next tie, of h, in 1/(g h).
    """
    mean, variance, sigma, pull, told, step, known = field
    gamma = 1.0 / ends[groups] if rules.by_sides else 0.0
    better, share_better, share = 0, 1.0, 1.0
    for group in range(groups):
        start, stop = ends[group], ends[group + 1]
        if rules.neighbours:
            better = ends[max(group - 1, 0)]
            share_better, share = 1.0 / max((stop - start) * (start - better), 1), 2.0 / (stop - start)
        for q in range(start, stop):
            rest = variance[q] + 2.0 * beta2
            if better < start:
                _meet(
                    better, start, 1.0, share_better, mean[q], rest, gamma, rules, mean, variance, step, known
                )
            if start < q:
                _meet(start, q, 0.5, share, mean[q], rest, gamma, rules, mean, variance, step, known)
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
) -> None:
    """What a score against q says of each side from `start` to `stop`; `rest` is c² but for their variance.

    `step` is what the pair adds to a side's pull and takes from q's; `known`, times σ, what it tells either.
    The compiler does several sides at once if it knows that no number of a side is negative, which would
    count from the end.
    """
    sign = 2.0 * score - 1.0
    for i in range(np.uint64(start), np.uint64(stop)):
        per_c = 1.0 / math.sqrt(variance[i] + rest)
        x = (mean[i] - mean_q) * per_c
        if not rules.normal:
            surprise, information = _by_logistic(rules.slope * x, score)
        elif score == 0.5:
            margin = rules.margin * per_c
            surprise, _, information = between(-margin - x, margin - x)
        else:
            surprise, information = above_in_loops(rules.margin * per_c - sign * x)
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
def _rank_all(ends: Longs, groups: int, beta2: float, rules: WengLinRules, field: WengLinField) -> None:
    """Plackett and Luce in linear time: in each tie, a side is chosen among all that are not better.

    With e_i = exp(mean/c) and S_g the sum of e over tie g and all below, side i of tie g has
    Ω c/σ² = 1/A_g − Σ_{h ≤ g} e_i/S_h and Δ c²/γσ² = Σ_{h ≤ g} (e_i/S_h)(1 − e_i/S_h); the paper's sum over
    each of the A_h tied sides, divided by A_h, is one term. S shrinks from tie to tie, so
    Σ 1/S_h = R/S_g with R ← 1 + R S_g/S_{g−1}, in which nothing can overflow; neither can S itself, kept as a
    multiple of the largest e in it.
    """
    mean, variance, sigma, pull, told, _, _ = field
    sides = ends[groups]
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
