"""Topcoder: a rating and a volatility, moved by how a place compares with the place expected.

Everybody performs normally around their rating, with their volatility. The place to expect of a player and
the place reached are both turned into quantiles of the normal distribution; their difference, in units of how
the field is spread, is added to the rating for a performance. Ratings move towards it by a weight that falls
with experience and with the rating, and no further than a cap; the volatility follows the size of the moves.

This is the system as in the comparisons of Ebtekar and Liu, "Elo-MMR: a rating system for massive multiplayer
competitions", WWW 2021, and in their program: that of topcoder.com, where everybody starts as in their other
systems, the current contest counts as experience, and contests have weights. On the site newcomers start at
1200 with a volatility of 515. In their program until 2022, the weight of a contest does not change the cap;
this is the default here (`cap="fixed"`). Since then the cap grows with the root of the weight
(`cap="weighted"`). Sums over all pairs are those of `podium.systems.topcoder.normal_places`.

>>> from podium import Ladder, Topcoder
>>> ladder = Ladder(Topcoder())
>>> [round(change.mu, 1) for change in ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})]
[1703.2, 1500.0, 1296.8]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, EventColumns, Floats, Ints, Longs
from podium.errors import ParameterError
from podium.numerics.compiler_hints import ROWS_AHEAD, prefetch
from podium.numerics.event_sides import event_weight, is_held, largest_event
from podium.numerics.jit import kernel
from podium.numerics.normal import normal_quantile, normal_win_probability
from podium.numerics.ordering import reached_places
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.column_ranges import POSITIVE, Range
from podium.systems.contract.newcomer_system import UncertainSystem
from podium.systems.contract.opponent_ratings import normal_gap
from podium.systems.contract.ratings import Trace
from podium.systems.contract.state import State
from podium.systems.topcoder.normal_places import normal_places

KEPT_PART, NEWCOMER_PART = 0.82, 0.42
"""A rating keeps 0.82 − 0.42/k of itself in the player's k-th contest."""
LEAST_VOLATILITY = 1e-9
"""Nobody is more predictable than this, so that a difference can be divided by it."""


@dataclass(frozen=True, kw_only=True)
class Topcoder(UncertainSystem):
    """The rating system of Topcoder, as in the Elo-MMR experiments.

    >>> import podium
    >>> ladder = podium.Ladder(podium.Topcoder())
    >>> _ = ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})
    >>> [round(ladder.rating(name).mu) for name in ("ann", "bob", "cat")]
    [1703, 1500, 1297]
    """

    name: ClassVar[str] = "topcoder"
    summary: ClassVar[str] = "a rating and a volatility: fast with newcomers, slower at the top"
    explained: ClassVar[str] = """
        Before a contest, the ratings give every player's expected rank. Your performance is the rating that
        fits your actual rank. Your rating moves towards it: far in your first contests, less in later ones,
        and less for players at the top. A volatility measures how much your results vary.
    """
    supports: ClassVar[Capabilities] = Capabilities(many=True, ties=True, weights=True)
    has_performance: ClassVar[bool] = True
    ranges: ClassVar[dict[str, Range]] = {"volatility": POSITIVE}

    mu: float = parameter(1500.0, "rating of a newcomer (1200 on the site)", low=-1e9)
    sigma: float = parameter(
        350.0, "volatility of a newcomer (515 on the site)", low=1e-3, high=1e6, search=(50.0, 800.0)
    )
    weight: float = parameter(
        1.0,
        "factor on the weight of contests. A larger value moves ratings faster and widens the "
        "cap accordingly",
        low=1e-6,
        high=1e6,
        search=(0.1, 5.0),
    )
    cap: Literal["fixed", "weighted"] = parameter(
        "fixed",
        "the largest move in a contest. fixed: the same for every weight, as in the authors' "
        "program of 2021. weighted: by the root of the contest's weight, as in their program "
        "since 2022",
    )

    def newcomer(self) -> dict[str, np.generic]:
        """Two columns: the rating and the volatility."""
        return {"mu": np.float64(self.mu), "volatility": np.float64(self.sigma)}

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate contests in order, in place, and fill the trace."""
        _rate(
            events,
            state["mu"],
            state["volatility"],
            state["events"],
            state["last_time"],
            TopcoderRules(self.weight, self.cap_multiplier, self.cap == "weighted"),
            trace.mu_before,
            trace.sigma_before,
            trace.performance,
            trace.mu,
            trace.sigma,
        )

    @property
    def cap_multiplier(self) -> float:
        """How much `weight` widens the cap: by the step of a settled player relative to weight 1."""
        settled = 1.0 / KEPT_PART - 1.0
        return self.weight * (1.0 + settled) / (1.0 + settled * self.weight)

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats]:
        """Rating and volatility. Time does not change them."""
        return state.column("mu")[players].copy(), state.column("volatility")[players].copy()

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """The probability that the first of two normal performances is the higher."""
        if sigma_a is None or sigma_b is None:
            raise ParameterError(f"{self.name} needs volatilities")
        return normal_win_probability(
            np.subtract(mu_a, mu_b) + 0.0 * np.asarray(home), np.hypot(sigma_a, sigma_b)
        )

    def closed_gap(
        self, probability: Floats, sigma: ArrayLike | None, opponent_sigma: ArrayLike | None
    ) -> Floats | None:
        """The inverse of the normal curve with both volatilities."""
        if sigma is None or opponent_sigma is None:
            raise ParameterError(f"{self.name} needs volatilities")
        return normal_gap(probability, np.hypot(sigma, opponent_sigma))

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set ratings. Without `sigma` the volatilities stay."""
        state.column("mu")[players] = mu
        if sigma is not None:
            state.column("volatility")[players] = np.maximum(sigma, LEAST_VOLATILITY)

    def merge(self, state: State, source: int, into: int) -> None:
        """Average both accounts weighted by events, because a volatility does not measure certainty."""
        both = np.array([source, into])
        events = state["events"][both]
        if events.any():
            for name in ("mu", "volatility"):
                state[name][into] = np.average(state[name][both], weights=events)
        state["events"][into] = events.sum()
        state["last_time"][into] = state["last_time"][both].max()

    @property
    def rank_raises_display(self) -> bool:
        """The rating rises with the rank, but a surprise also raises the volatility."""
        return self.display_k == 0.0

    @property
    def exact_places(self) -> bool:
        """`win_probability` is that of two normal performances."""
        return True

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Performances are normal, with the volatility as their deviation."""
        if sigma is None:
            raise ParameterError(f"{self.name} needs volatilities")
        return "normal", sigma


class TopcoderRules(NamedTuple):
    """The parameters of Topcoder in the form kernels use."""

    weight: float
    cap_multiplier: float
    weighted_cap: bool


@kernel
def _rate(
    ev: EventColumns,
    mu: Floats,
    volatility: Floats,
    events: Ints,
    last_time: Longs,
    rules: TopcoderRules,
    mu_before: Floats,
    sigma_before: Floats,
    performance: Floats,
    mu_after: Floats,
    sigma_after: Floats,
) -> None:
    offsets, player, rank, held = ev.offsets, ev.player, ev.rank, ev.held
    time, weight, ceiling = ev.time, ev.weight, ev.ceiling
    room = largest_event(offsets)
    rating, spread, scaled, shown = np.empty(room), np.empty(room), np.empty(room), np.empty(room)
    tracing = len(mu_before) > 0
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        n, counts = hi - lo, event_weight(weight, e)
        cap_factor = rules.cap_multiplier * (math.sqrt(counts) if rules.weighted_cap else 1.0)
        for i in range(n):
            if lo + i + ROWS_AHEAD < len(player):
                prefetch(mu, player[lo + i + ROWS_AHEAD])
                prefetch(volatility, player[lo + i + ROWS_AHEAD])
            rating[i], spread[i] = mu[player[lo + i]], volatility[player[lo + i]]
            scaled[i] = math.sqrt(counts) * rating[i]
        normal_places(scaled[:n], spread[:n], shown[:n])
        _to_performances(rating[:n], spread[:n], rank[lo:hi], shown[:n])
        for i in range(n):
            row, j = lo + i, player[lo + i]
            if len(ceiling) > 0:
                shown[i] = min(shown[i], ceiling[e])
            if not is_held(held, row):
                events[j] += 1
                # Experience counts this contest.
                step = counts * contest_pace(rating[i], events[j]) * rules.weight
                cap = (150.0 + 1500.0 / (events[j] + 1.0)) * cap_factor
                move = step / (1.0 + step) * (shown[i] - rating[i])
                mu[j] += min(max(move, -cap), cap)
                # (move² / step + volatility² / (1 + step))^½, where the move is the one before the cap
                grown = math.hypot(move, math.sqrt(step / (1.0 + step)) * spread[i]) / math.sqrt(step)
                volatility[j] = max(grown, LEAST_VOLATILITY)
                if time[e] != NO_TIME:
                    last_time[j] = time[e]
            if tracing:
                mu_before[row], sigma_before[row] = rating[i], spread[i]
                performance[row] = shown[i]
                mu_after[row], sigma_after[row] = mu[j], volatility[j]


@kernel
def contest_pace(rating: float, contests: int) -> float:
    """The weight of a contest relative to the old rating; the highest rated change more slowly."""
    pace = 1.0 / (KEPT_PART - NEWCOMER_PART / contests) - 1.0
    if rating >= 2500.0:
        return 0.8 * pace
    if rating >= 2000.0:
        return 0.9 * pace
    return pace


@kernel
def _to_performances(rating: Floats, spread: Floats, rank: Ints, out: Floats) -> None:
    """Turn places to expect into performances: how much better the place was, in units of the field's spread.

    Both places count half of oneself, so neither is nearer than ½ to 0 or n, and both quantiles are finite.
    As in the authors' program, the middle of a tie is its place, and the spread c, of ratings and
    volatilities together, is the same where an event's weight narrows the win curve.
    """
    n = len(rating)
    mean, variance, between = 0.0, 0.0, 0.0
    for i in range(n):
        mean += rating[i] / n
        variance += spread[i] * spread[i] / n
    for i in range(n):
        between += (rating[i] - mean) * (rating[i] - mean)
    c = math.sqrt(variance + (between / (n - 1.0) if n > 1 else 0.0))
    better, upto = reached_places(rank)
    for i in range(n):
        out[i] = rating[i] + c * (_quantile(out[i], n) - _quantile(0.5 * (better[i] + upto[i]), n))


@kernel
def _quantile(place: float, n: int) -> float:
    """Φ⁻¹(place/n), from the end that is nearer."""
    if place > 0.5 * n:
        return -normal_quantile((n - place) / n)
    return normal_quantile(place / n)
