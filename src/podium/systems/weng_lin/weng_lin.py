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
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

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
from podium.numerics.jit import kernel
from podium.numerics.newcomers import Newcomers, first_result, learn_first_results, newcomer_mean
from podium.numerics.ordering import order_sides
from podium.numerics.win_chances import LN10, LOGISTIC, expected_scores
from podium.parameters import parameter
from podium.systems.contract.explained_ratings import SURE
from podium.systems.contract.normal_system import NormalSystem, margin_outcomes, margin_score
from podium.systems.contract.opponent_ratings import logistic_gap, normal_gap
from podium.systems.contract.ratings import Trace
from podium.systems.contract.sides import Opponent, Sides
from podium.systems.contract.state import State
from podium.systems.weng_lin.comparisons import WengLinRules, compare_pairs, empty_field, rank_all

LOGISTIC_DEVIATION = math.pi / math.sqrt(3.0)
"""Turns a logistic number of scale 1 into one of deviation 1."""


@dataclass(frozen=True, kw_only=True)
class WengLin(NormalSystem):
    """Weng–Lin with its five models, and BAR.

    >>> import podium
    >>> ladder = podium.Ladder(podium.WengLin())
    >>> _ = ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})
    >>> [round(ladder.rating(name).mu, 1) for name in ("ann", "bob", "cat")]
    [27.9, 25.7, 21.4]
    """

    name: ClassVar[str] = "weng-lin"
    summary: ClassVar[str] = "members of teams of any size, much like TrueSkill, as in OpenSkill"
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
        "how fast deviations shrink: by a side's share of the deviation, or by 1 / number of sides",
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
        "off", "whether an event may never raise a deviation (tau can do so for experienced players)"
    )
    margin: float | None = parameter(
        None,
        "lead in scores above which a win or a defeat counts as a greater surprise, as in OpenSkill. none: "
        "scores are not used",
        low=1e-6,
        high=1e9,
        search=(0.1, 100.0),
        needs="scores",
    )
    partial_play: Literal["part", "weight"] = parameter(
        "part",
        "how partial play counts: as a part of the team's strength or, as in OpenSkill, as a weight of gains "
        "and losses, from 1 to 2 in each team",
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

    def joined(self, mu: Floats, sigma: Floats | None, sides: Sides) -> tuple[Floats, Floats]:
        """The sum over the members. Weights of gains and losses change nothing."""
        whole = replace(sides, play=None) if self.partial_play == "weight" else sides
        return super().joined(mu, sigma, whole)

    def noise_of(self, sides: Sides) -> Floats:
        """The number of members of each side, or that of the parts they play."""
        return sides.sizes.astype(np.float64) if self.partial_play == "weight" else sides.noise

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
            draw_margin=self.draw_margin,
            kappa=self.kappa,
            limited=self.limit_sigma == "on",
            slope=self._slope,
            by_sides=self.gamma == "sides",
            normal=self._normal,
            neighbours=self.model.endswith("part"),
            ranking=self.model == "plackett-luce",
            one_match=self.model == "one-match",
            margin=self.margin or 0.0,
            credited=self.partial_play == "weight",
        )


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
    in a member's skill; with p = 1 these are the update rules of the paper (step 3 of its algorithms). Or, as
    in OpenSkill, p weighs what a member gains and loses.
    """
    offsets, player, rank, side, held, time, weight, home, _, _, play, score = ev
    room = largest_event(offsets)
    first, size, place = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    order, ends = np.empty(room, np.int64), np.empty(room + 1, np.int64)
    sum_mean, sum_variance, drifted = np.empty(room), np.empty(room), np.empty(room)
    least, most = np.empty(room), np.empty(room)
    field = empty_field(room)
    mean, spread, sigma, pull, told, _, _, points, _ = field
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
            least[i], most[i] = np.inf, 0.0
        weighed = False
        for r in range(lo, hi):
            p, i, part = player[r], side_of(side, r, lo), played(play, r)
            if rules.credited:
                weighed = weighed or part != 1.0
                least[i], most[i], part = min(least[i], part), max(most[i], part), 1.0
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
            points[k] = score[first[i]] if len(score) > 0 else np.nan
        beta2 = rules.beta2 / event_weight(weight, e)
        if rules.ranking:
            rank_all(ends, groups, beta2, rules, field)
        else:
            compare_pairs(ends, groups, beta2, rules, field)
        for r in range(lo, hi):
            p, i, part = player[r], side_of(side, r, lo), played(play, r)
            k, credit = place[i], 1.0
            if rules.credited:
                if weighed:
                    credit = member_weight(part, least[i], most[i], size[i])
                if pull[k] < 0.0:
                    credit = 1.0 / credit
                part = 1.0
            if is_held(held, r):
                if tracing:
                    mu_after[r], sigma_after[r] = mu_before[r], sigma_before[r]
                continue
            v = drifted[r - lo]
            change = part * v * pull[k] * credit
            mu[p] += change
            before = variance[p] + rules.per_day * days_between(last_time[p], time[e])
            variance[p] = v * max(1.0 - part * part * v * told[k] * credit, rules.kappa)
            if rules.limited:
                variance[p] = min(variance[p], before)
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


@kernel
def member_weight(part: float, least: float, most: float, members: int) -> float:
    """OpenSkill's weight of a member: parts of a team are stretched to 1 to 2, and who is alone has 2."""
    if members == 1:
        return 2.0
    return 1.0 + (part - least) / (most - least) if most > least else 1.0
