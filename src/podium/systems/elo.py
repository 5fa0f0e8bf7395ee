"""Elo: every surprise moves both sides by K times its size.

The system of chess since 1960 and of nearly every game since. A result is compared with the score a win curve
expects of the difference in ratings, and both ratings move by K times that surprise. Simple, robust, and hard
to beat by much; it has no idea how sure it is.

>>> from podium import Elo, Ladder
>>> ladder = Ladder(Elo(k=20))
>>> [round(change.mu) for change in ladder.record_match("ann", "bob")]
[1510, 1490]

``curve="fide"`` is table 8.1.2 of the FIDE Rating Regulations (Handbook B.02). Predictions use it as it is.
When ratings are updated, a difference of more than 400 points counts as 400, except for a player rated 2650
or above. `fide_performance` is FIDE's performance rating.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, EventColumns, Floats, Ints, Longs
from podium.errors import InputError
from podium.numerics.allpairs import ALL_PAIRS_UP_TO, expected_sums, score_sums
from podium.numerics.compiler_hints import ROWS_AHEAD, prefetch
from podium.numerics.event_sides import (
    NO_PERIOD,
    are_duels,
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
    learn_first_results,
    learn_of_two,
    newcomer_mean,
    place_two,
)
from podium.numerics.win_chances import (
    CURVE_VARIANCES,
    CURVES,
    EXEMPT_RATING,
    FIDE,
    FIDE_SCALE,
    LN10,
    LOGISTIC,
    SCORE_DIFFERENCES,
    expected_score,
    expected_scores,
    fide_gap,
)
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.column_ranges import COUNT, PERIOD, Range
from podium.systems.contract.duel_system import PairwiseSystem
from podium.systems.contract.opponent_ratings import logistic_gap, normal_gap
from podium.systems.contract.ratings import Trace
from podium.systems.contract.state import Row, State


@dataclass(frozen=True, kw_only=True)
class Elo(PairwiseSystem):
    """Elo with a choice of win curve, a faster K for newcomers, teams, and contests of many.

    >>> import podium
    >>> ladder = podium.Ladder(podium.Elo(k=20, home_advantage=60))
    >>> winner, loser = ladder.record_match("ann", "bob", home="bob")
    >>> round(winner.mu, 1), round(loser.mu, 1)
    (1511.7, 1488.3)
    """

    name: ClassVar[str] = "elo"
    summary: ClassVar[str] = "one number per player: the most widely known system, simple and robust"
    explained: ClassVar[str] = """
        Every player has one number. The difference of two numbers gives the chance to win. The winner takes
        points from the loser: many if the win was a surprise, few if it was expected. So your rating rises
        as long as you do better than it predicts, and stays level when its predictions are right.
    """
    supports: ClassVar[Capabilities] = Capabilities(
        many=True, teams=True, ties=True, shares=True, weights=True, time=True, home=True
    )
    has_sigma: ClassVar[bool] = False
    ranges: ClassVar[Mapping[str, Range]] = {**PairwiseSystem.ranges, "in_period": COUNT, "period": PERIOD}

    k: float = parameter(
        32.0,
        "K: points for a completely unexpected result. A larger value moves ratings faster",
        high=1e6,
        search=(4.0, 256.0),
    )
    newcomer_k: float | None = parameter(
        None, "K during a player's first events. none means k", high=1e6, search=(8.0, 400.0)
    )
    newcomer_events: int = parameter(
        30, "number of events in which a player counts as a newcomer", search=(5, 50), beside="newcomer_k"
    )
    curve: Literal["logistic", "fide", "linear", "normal"] = parameter(
        "logistic",
        "win curve: logistic, fide (FIDE's table 8.1.2 with its 400-point rule), linear (Sonas's line) or "
        "normal (Elo's own: the deviation of performances is half the scale)",
    )
    pairs: Literal["mean", "sum"] = parameter(
        "mean", "in an event of many sides: change by the mean over the opponents, or by the sum"
    )

    def newcomer(self) -> dict[str, Row]:
        """The rating, and the evidence collected in an open rating period."""
        return {
            "mu": np.float64(self.mu),
            "surprise": np.float64(0.0),
            "in_period": np.int32(0),
            "period": np.int64(NO_PERIOD),
            **self.unknown_column(),
        }

    def rate_pairs(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events in order, in place. Matches of two have a faster kernel."""
        if self.period == "event" and are_duels(events, True):
            _rate_duels(
                events,
                state["mu"],
                state["events"],
                state["last_time"],
                self.newcomers(state),
                self._rules(),
                trace.mu_before,
                trace.mu,
            )
            return
        _rate(
            events,
            state["mu"],
            state["surprise"],
            state["in_period"],
            state["period"],
            state["events"],
            state["last_time"],
            self.newcomers(state),
            self._rules(),
            trace.mu_before,
            trace.mu,
        )

    def _rules(self) -> EloRules:
        return EloRules(
            k=self.k,
            newcomer_k=self._newcomer_k,
            newcomer_events=self.newcomer_events,
            curve=CURVES[self.curve],
            scale=self.scale,
            home_advantage=self.home_advantage,
            newcomer=self.mu,
            mean_of_team=self.team == "mean",
            mean_of_pairs=self.pairs == "mean",
            length=self.period_length,
        )

    @property
    def _newcomer_k(self) -> float:
        return self.k if self.newcomer_k is None else self.newcomer_k

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, None]:
        """The rating including the evidence of an open period. Time does not change it."""
        k: float | Floats = self.k
        if self._newcomer_k != self.k:
            before = state["events"][players] - state["in_period"][players]
            k = np.where(before < self.newcomer_events, self._newcomer_k, self.k)
        mu = state["mu"][players] + k * state["surprise"][players]
        return self.placed(state, players, mu, at, self.period_length), None

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """The win curve of the rating difference. Deviations are ignored."""
        difference = np.subtract(mu_a, mu_b) + self.home_advantage * np.asarray(home)
        return expected_scores(CURVES[self.curve], difference, self.temperature * self.scale)

    def closed_gap(
        self, probability: Floats, sigma: ArrayLike | None, opponent_sigma: ArrayLike | None
    ) -> Floats | None:
        """The inverse of the curve. FIDE's table has its own inverse, and Sonas's line has none."""
        scale = self.temperature * self.scale
        if self.curve == "normal":
            return normal_gap(probability, scale * math.sqrt(0.5))
        if self.curve == "fide":
            return scale / FIDE_SCALE * fide_gap(probability)
        return logistic_gap(probability, scale) if self.curve == "logistic" else None

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set ratings. Deviations are ignored."""
        self.mark_set(state, players)
        state["mu"][players] = mu
        state["surprise"][players] = 0.0
        state["in_period"][players] = 0

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Gumbel performances, whose difference is logistic.

        No performances differ by a curve that ends. If such a curve does not reach certainty, the rest is
        left to chance (`coin`). Normal performances then have the variance of the other part.
        """
        scale = self.temperature * self.scale
        if self.curve == "logistic":
            return "gumbel", np.full(len(noise), scale / LN10)
        return "normal", np.full(len(noise), scale * math.sqrt(0.5 * CURVE_VARIANCES[self.curve]))

    @property
    def rank_raises_display(self) -> bool:
        """The rating moves with the score."""
        return True

    @property
    def exact_places(self) -> bool:
        """Gumbel performances differ by the logistic curve, normal ones by the normal one."""
        return self.curve in ("logistic", "normal")

    @property
    def coin(self) -> float:
        """What the curve lacks to certainty, on both sides together: 0.0106 for Sonas's line."""
        return 2.0 * expected_score(CURVES[self.curve], -1e3, 1.0)


def fide_performance(opponents: Sequence[float], score: float) -> int:
    """FIDE's performance rating: the mean rating of the opponents, plus the points of table 8.1.1 for the
    score.

    The mean is rounded to a whole number, and the score per game to a hundredth. Halves are rounded up.

    Args:
        opponents: The ratings of the opponents.
        score: The sum over the games: 1 for a win, ½ for a draw.

    Returns:
        The performance rating.

    >>> fide_performance([2100, 2250, 2180, 2000], 3)  # 75%: 193 points above the mean of 2132.5
    2326
    """
    games = len(opponents)
    if games == 0 or not 0.0 <= score <= games:
        raise InputError(
            f"a score of {score:g} against {games} opponents has no performance rating",
            hint="the score must be from 0 to the number of opponents, with at least one opponent",
        )
    percent = math.floor(100.0 * score / games + 0.5)
    difference = SCORE_DIFFERENCES[percent - 50] if percent >= 50 else -SCORE_DIFFERENCES[50 - percent]
    return math.floor(math.fsum(opponents) / games + 0.5) + difference


class EloRules(NamedTuple):
    """The parameters of Elo in the form kernels use."""

    k: float
    newcomer_k: float
    newcomer_events: int
    curve: int
    scale: float
    home_advantage: float
    newcomer: float
    mean_of_team: bool
    mean_of_pairs: bool
    length: int
    """Length of a rating period in microseconds; 0 if each event is a period."""


@kernel
def _settled(mu: float, surprise: float, events: int, rules: EloRules) -> float:
    """The rating after a surprise; K depends on the number of events before it."""
    return mu + (rules.newcomer_k if events < rules.newcomer_events else rules.k) * surprise


@kernel
def _surprise_of_two(
    score: float, difference: float, rating_a: float, rating_b: float, rules: EloRules
) -> tuple[float, float]:
    """What both sides scored beyond their expected scores; `difference` is that of their strengths.

    FIDE's 400-point rule: a larger difference counts as 400 points, except for a side of an exempt rating.
    """
    if rules.curve != FIDE:
        x = score - expected_score(rules.curve, difference, rules.scale)
        return x, -x
    whole = expected_score(FIDE, difference, rules.scale)
    limited = expected_score(FIDE, min(max(difference, -rules.scale), rules.scale), rules.scale)
    return (
        score - (whole if rating_a >= EXEMPT_RATING else limited),
        (whole if rating_b >= EXEMPT_RATING else limited) - score,
    )


@kernel
def _first_result(surprise: float, rules: EloRules) -> tuple[float, float]:
    """Weight and change of a newcomer's first result, for `podium.numerics.newcomers`.

    There is no deviation to tell one result from another, so all count alike: by the curve's slope between
    equals, which is ln 10 / (4 scale).
    """
    return 1.0, 4.0 * rules.scale / LN10 * surprise


@kernel
def _rate_duels(
    ev: EventColumns,
    mu: Floats,
    events: Ints,
    last_time: Longs,
    newcomers: Newcomers,
    rules: EloRules,
    trace_before: Floats,
    trace_after: Floats,
) -> None:
    """`_rate` where each event is a match of two that counts at once or not at all: the same to the last bit.

    Most histories are nothing else, and go several times as fast without sides, periods and a work space.
    """
    offsets, player, rank, _, held, time, weight, home, share, _, _, _ = ev
    unknown, learned = newcomers
    tracing, learning = len(trace_before) > 0, len(learned) > 0
    for e in range(len(offsets) - 1):
        lo = offsets[e]
        for r in range(lo + ROWS_AHEAD, min(lo + ROWS_AHEAD + 2, len(player))):
            prefetch(mu, player[r])
            prefetch(events, player[r])
        a, b = player[lo], player[lo + 1]
        if is_held(held, lo):
            for r in range(lo, lo + 2 * tracing):
                new = learning and unknown[player[r]]
                trace_before[r] = trace_after[r] = newcomer_mean(learned) if new else mu[player[r]]
            continue
        if learning:
            place_two(learned, unknown, a, b, mu)
        strength_a, strength_b = mu[a] - rules.newcomer, mu[b] - rules.newcomer
        if len(home) > 0 and home[e] == a:
            strength_a += rules.home_advantage
        elif len(home) > 0 and home[e] == b:
            strength_b += rules.home_advantage
        score = score_between(rank, share, lo, lo + 1)
        x, y = _surprise_of_two(score, strength_a - strength_b, mu[a], mu[b], rules)
        if learning:
            learn_of_two(learned, unknown, a, b, _first_result(x, rules), _first_result(y, rules))
        counts = event_weight(weight, e)
        if tracing:
            trace_before[lo], trace_before[lo + 1] = mu[a], mu[b]
        mu[a] = _settled(mu[a], counts * x, events[a], rules)
        mu[b] = _settled(mu[b], counts * y, events[b], rules)
        if tracing:
            trace_after[lo], trace_after[lo + 1] = mu[a], mu[b]
        events[a] += 1
        events[b] += 1
        if time[e] != NO_TIME:
            last_time[a] = last_time[b] = time[e]


@kernel
def _surprises(
    rank: Ints,
    share: Floats,
    sides: int,
    first: Ints,
    strength: Floats,
    rating: Floats,
    rules: EloRules,
    change: Floats,
) -> None:
    """Σ (s − E) of each side over all others."""
    for i in range(sides):
        change[i] = 0.0
    for i in range(sides):
        for j in range(i + 1, sides):
            score = score_between(rank, share, first[i], first[j])
            x, y = _surprise_of_two(score, strength[i] - strength[j], rating[i], rating[j], rules)
            change[i] += x
            change[j] += y


@kernel
def _tabulated_surprises(
    rank: Ints, sides: int, first: Ints, strength: Floats, scale: float, change: Floats
) -> None:
    """The surprises in a large contest, with oneself as an opponent of score and expectation ½."""
    certainty, expected, unused = np.ones(sides), np.empty(sides), np.empty(sides)
    expected_sums((LN10 / scale) * strength[:sides], certainty, expected, unused)
    score_sums(rank[first[:sides]].astype(np.float64), certainty, change[:sides])
    for i in range(sides):
        change[i] -= expected[i]


@kernel
def _rate(
    ev: EventColumns,
    mu: Floats,
    surprise: Floats,
    in_period: Ints,
    period: Longs,
    events: Ints,
    last_time: Longs,
    newcomers: Newcomers,
    rules: EloRules,
    trace_before: Floats,
    trace_after: Floats,
) -> None:
    offsets, player, rank, side, held, time, weight, home, share, _, _, _ = ev
    room = largest_event(offsets)
    first, size = np.empty(room, np.int32), np.empty(room, np.int32)
    strength, rating, change = np.empty(room), np.empty(room), np.empty(room)
    unknown, learned = newcomers
    tracing, learning = len(trace_before) > 0, len(learned) > 0
    now, start = 0, 0.0
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        if rules.length > 0:
            now = period_of(time[e], rules.length)
        if learning:
            if rules.length > 0:
                enter_period(learned, now)
            start = newcomer_mean(learned)
        new, first_weight, first_change = 0, 0.0, 0.0
        sides = find_sides(side, lo, hi, first, size)
        for i in range(sides):
            strength[i] = rating[i] = 0.0
        for r in range(lo, hi):
            p = player[r]
            seen = shown = mu[p]
            if learning and unknown[p]:
                new += 1
                seen = shown = start
                if not is_held(held, r):
                    mu[p] = start
            if rules.length > 0:
                shown = _settled(seen, surprise[p], events[p] - in_period[p], rules)
                if period[p] != now:
                    seen = shown
                    if not is_held(held, r):  # their last period is over
                        mu[p], surprise[p], in_period[p], period[p] = shown, 0.0, 0, now
            if tracing:
                trace_before[r] = shown
            strength[side_of(side, r, lo)] += seen - rules.newcomer
            rating[side_of(side, r, lo)] += seen
        at_home = home_side(home, player, side, e, lo, hi)
        for i in range(sides):
            rating[i] /= size[i]
            if rules.mean_of_team:
                strength[i] /= size[i]
            if i == at_home:
                strength[i] += rules.home_advantage
        if sides > ALL_PAIRS_UP_TO and rules.curve == LOGISTIC:
            _tabulated_surprises(rank, sides, first, strength, rules.scale, change)
        else:
            _surprises(rank, share, sides, first, strength, rating, rules, change)
        counts = event_weight(weight, e)
        if rules.mean_of_pairs:
            counts /= sides - 1
        for r in range(lo, hi):
            if is_held(held, r):
                if tracing:
                    trace_after[r] = trace_before[r]
                continue
            p = player[r]
            evidence = counts * change[side_of(side, r, lo)]
            if learning and unknown[p]:
                unknown[p] = False
                told = _first_result(change[side_of(side, r, lo)] / (sides - 1), rules)
                first_weight, first_change = first_weight + told[0], first_change + told[1]
            if rules.length > 0:
                surprise[p] += evidence
                in_period[p] += 1
            else:
                mu[p] = _settled(mu[p], evidence, events[p], rules)
            events[p] += 1
            if time[e] != NO_TIME:
                last_time[p] = time[e]
            if tracing:
                trace_after[r] = mu[p]
                if rules.length > 0:
                    before = events[p] - in_period[p]
                    trace_after[r] = _settled(mu[p], surprise[p], before, rules)
        if first_weight > 0.0:
            learn_first_results(learned, hi - lo, new, first_weight, first_change, rules.length == 0)
