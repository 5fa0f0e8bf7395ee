"""Codeforces: a rating goes half of the way to the one at which the place deserved is to be expected.

From everybody's rating follows the place to expect of each, the *seed*. The geometric mean of the seed and of
the place reached is taken for the place deserved; the rating one would be expected to reach it with is the
performance, and ratings go half of the way there. There are two of it:

- ``variant="experiments"``, as in the comparisons of Ebtekar and Liu, "Elo-MMR: a rating system for massive
  multiplayer competitions", WWW 2021, and in their program: real numbers, the middle place for those who tie,
  no correction for inflation. A weight w scales the width of the win curve by 1/√w, and the step.
- ``variant="site"``, as codeforces.com rates its rounds: whole numbers, the last place for those who tie, and
  two corrections that keep ratings from inflating. Mike Mirzayanov published the algorithm ("Open Codeforces
  Rating System", blog entry 20762, October 2015). The changes that the site publishes follow it with two
  differences: players are not among their own opponents, and of equal ratings at the end of the leading
  players the better placed come first (`benchmarks/codeforces_rounds.py` checks real rounds).

>>> from podium import Codeforces, Ladder
>>> ladder = Ladder(Codeforces())
>>> [round(change.mu, 1) for change in ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})]
[1571.6, 1500.0, 1446.3]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, Bools, EventColumns, Floats, Ints, Longs
from podium.numerics.allpairs import sorted_order
from podium.numerics.compiler_hints import ROWS_AHEAD, prefetch
from podium.numerics.event_sides import event_weight, is_held, largest_event
from podium.numerics.jit import kernel
from podium.numerics.ordering import reached_places
from podium.numerics.win_chances import LN10, LOGISTIC, expected_scores, logistic
from podium.parameters import parameter
from podium.systems.codeforces.expected_places import level_for, standing, survey
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.opponent_ratings import logistic_gap
from podium.systems.contract.ratings import Trace
from podium.systems.contract.state import State
from podium.systems.contract.system import RatedAlone, RatingSystem

LOGISTIC_SCALE = math.sqrt(3.0) / math.pi
"""Scale of a logistic distribution of deviation 1."""
LOWEST_PERFORMANCE, HIGHEST_PERFORMANCE = 1, 8000
"""Performances are looked for from the lowest, and below the highest (site)."""
LARGEST_CORRECTION = -10.0
"""Points that the leading players' inflation costs everybody at most (site)."""
BELOW_PLACE_PART = 1.0 - 1e-12
"""A seed is below a place if it is below this part of it: equality is not left to the last digit of a sum."""


@dataclass(frozen=True, kw_only=True)
class Codeforces(RatingSystem):
    """The rating system of Codeforces, as in the Elo-MMR experiments or as on the site.

    >>> import podium
    >>> ladder = podium.Ladder(podium.Codeforces())
    >>> _ = ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})
    >>> [round(ladder.rating(name).mu) for name in ("ann", "bob", "cat")]
    [1572, 1500, 1446]
    """

    name: ClassVar[str] = "codeforces"
    summary: ClassVar[str] = "one number per player, which moves half of the way to each performance"
    explained: ClassVar[str] = """
        Before a contest, the ratings give every player's expected rank. Afterwards the system takes the
        middle between your expected and your actual rank. It finds the rating for which this middle would be
        expected, and moves your rating half of the way towards it. If you did better than expected, your
        rating rises. If you did worse, it falls.
    """
    supports: ClassVar[Capabilities] = Capabilities(many=True, ties=True, weights=True)
    has_sigma: ClassVar[bool] = False
    has_performance: ClassVar[bool] = True

    mu: float = parameter(1500.0, "rating of a newcomer", low=-1e9)
    beta: float = parameter(
        400.0 / (LN10 * LOGISTIC_SCALE),
        "deviation of the difference of two performances. With the default, 400 points are odds "
        "of ten to one",
        low=1e-3,
        high=1e6,
        search=(50.0, 1000.0),
    )
    weight: float = parameter(
        1.0,
        "weight w of a contest relative to all earlier ones: the rating moves w/(1 + w) of the way to the "
        "performance",
        low=1e-6,
        high=1e6,
        search=(0.05, 2.0),
    )
    variant: Literal["experiments", "site"] = parameter(
        "experiments", "as in the Elo-MMR paper's comparisons, or as codeforces.com rates its rounds"
    )

    def newcomer(self) -> dict[str, np.generic]:
        """One column, `mu`: the rating."""
        return {"mu": np.float64(self.mu)}

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate contests in order, in place, and fill the trace."""
        kernel_of_variant = _rate_as_site if self.variant == "site" else _rate
        kernel_of_variant(
            events,
            state["mu"],
            state["events"],
            state["last_time"],
            self.scale,
            self.weight,
            trace.mu_before,
            trace.performance,
            trace.mu,
        )

    def rated_alone(self, state: State, event: EventColumns) -> RatedAlone | None:
        """As in the base class. On the site, each player's change depends on all other changes."""
        if self.variant == "site":
            return None

        def rate(moved: Longs, better: Longs) -> tuple[Floats, None]:
            mu = np.empty(len(moved))
            _rate_alone(event, state["mu"], self.scale, self.weight, moved, better, mu)
            return mu, None

        return rate

    @property
    def scale(self) -> float:
        """The scale of the logistic win curve: this difference in points means odds of e to one."""
        return LOGISTIC_SCALE * self.beta

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, None]:
        """The rating. Time does not change it."""
        return state.column("mu")[players].copy(), None

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """The logistic curve of the rating difference. Deviations are ignored."""
        return expected_scores(LOGISTIC, np.subtract(mu_a, mu_b) + 0.0 * np.asarray(home), LN10 * self.scale)

    def closed_gap(
        self, probability: Floats, sigma: ArrayLike | None, opponent_sigma: ArrayLike | None
    ) -> Floats | None:
        """The inverse of the logistic curve."""
        return logistic_gap(probability, LN10 * self.scale)

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set ratings. Deviations are ignored."""
        state.column("mu")[players] = mu

    @property
    def rank_raises_display(self) -> bool:
        """What a better rank takes from others comes back to all of them together."""
        return True

    @property
    def exact_places(self) -> bool:
        """Gumbel performances differ by the logistic curve."""
        return True

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Performances are Gumbel distributed: their difference is logistic."""
        return "gumbel", np.full(len(noise), self.scale)


# ------------------------------------------------------------------ as in the experiments


@kernel
def _rate(
    ev: EventColumns,
    mu: Floats,
    events: Ints,
    last_time: Longs,
    scale: float,
    weight: float,
    mu_before: Floats,
    performance: Floats,
    mu_after: Floats,
) -> None:
    offsets, rank, weights = ev.offsets, ev.rank, ev.weight
    room = largest_event(offsets)
    rating, shown, change = np.empty(room), np.empty(room), np.empty(room)
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        n, counts = hi - lo, event_weight(weights, e)
        width = scale / math.sqrt(counts)
        z, field = _find_ratings(ev, e, mu, width, rating)
        centre, beaten, deviation, odds = survey(field)
        better, upto = reached_places(rank[lo:hi])
        for i in range(n):
            place = 0.5 * (better[i] + upto[i] + 1.0)  # the middle of the tie
            seed = 0.5 + standing(z[i], field, centre, beaten, deviation)[0]
            deserved = math.sqrt(place * seed)
            shown[i] = width * level_for(deserved - 0.5, field, centre, beaten, deviation, odds)
        _find_changes(ev, e, rating, shown, counts * weight, change)
        _apply(ev, e, mu, events, last_time, rating, shown, change, mu_before, performance, mu_after)


@kernel
def _rate_alone(
    ev: EventColumns, mu: Floats, scale: float, weight: float, moved: Longs, better: Longs, after: Floats
) -> None:
    """The rating of each of the `moved` rows if it alone stood behind `better` of the others."""
    held, ceiling, counts = ev.held, ev.ceiling, event_weight(ev.weight, 0)
    rating, width = np.empty(len(ev.player)), scale / math.sqrt(counts)
    z, field = _find_ratings(ev, 0, mu, width, rating)
    centre, beaten, deviation, odds = survey(field)
    for k in range(len(moved)):
        i = moved[k]
        after[k] = rating[i]
        if is_held(held, i):
            continue
        seed = 0.5 + standing(z[i], field, centre, beaten, deviation)[0]
        deserved = math.sqrt((better[k] + 1.0) * seed)
        shown = width * level_for(deserved - 0.5, field, centre, beaten, deviation, odds)
        if len(ceiling) > 0:
            shown = min(shown, ceiling[0])
        after[k] += _part_of_way(rating[i], shown, counts * weight)


# ------------------------------------------------------------------ as on the site


@kernel
def _rate_as_site(
    ev: EventColumns,
    mu: Floats,
    events: Ints,
    last_time: Longs,
    scale: float,
    weight: float,
    mu_before: Floats,
    performance: Floats,
    mu_after: Floats,
) -> None:
    offsets, rank, held, weights = ev.offsets, ev.rank, ev.held, ev.weight
    room = largest_event(offsets)
    rating, shown, change = np.empty(room), np.empty(room), np.empty(room)
    seed_of, asked = np.empty(HIGHEST_PERFORMANCE), np.empty(HIGHEST_PERFORMANCE, np.int64)
    for r in range(HIGHEST_PERFORMANCE):
        asked[r] = -1
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        n, counts = hi - lo, event_weight(weights, e)
        z, field = _find_ratings(ev, e, mu, scale, rating)
        centre, beaten, deviation, _ = survey(field)
        _, upto = reached_places(rank[lo:hi])
        for i in range(n):
            # Half of the tie with oneself is in the sum already: 1 + Σ over the others is ½ + Σ over all.
            seed = 0.5 + standing(z[i], field, centre, beaten, deviation)[0]
            deserved = BELOW_PLACE_PART * math.sqrt(upto[i] * seed)  # with the last place of the tie
            # The highest rating whose seed is not below the deserved place. 1 + Σ over all is the same for
            # everybody and kept for the event; the own chance is taken off, where one so small can decide.
            left, right = LOWEST_PERFORMANCE, HIGHEST_PERFORMANCE
            while right - left > 1:
                middle = (left + right) // 2
                if asked[middle] != e:
                    asked[middle] = e
                    seed_of[middle] = 1.0 + standing(middle / scale, field, centre, beaten, deviation)[0]
                spare = seed_of[middle] - deserved
                if spare < 0.0 or (spare < 1.0 and spare < logistic(z[i] - middle / scale)):
                    right = middle
                else:
                    left = middle
            shown[i] = left
        _find_changes(ev, e, rating, shown, counts * weight, change)
        _settle(rating[:n], rank[lo:hi], held, lo, change[:n])
        _apply(ev, e, mu, events, last_time, rating, shown, change, mu_before, performance, mu_after)


@kernel
def _settle(rating: Floats, rank: Ints, held: Bools, lo: int, change: Floats) -> None:
    """Round changes towards zero and correct them, so that ratings do not inflate.

    First everybody loses the mean change and a point more. Then, if the highest rated, four times the root of
    all, still gain on the whole, everybody loses their mean gain too, up to ten points. Only those who are
    rated count. Of equal ratings at the end of the highest, the better placed come first; those of equal
    places have equal changes.
    """
    n, total = 0, 0.0
    for i in range(len(change)):
        change[i] = np.trunc(change[i])
        if not is_held(held, lo + i):
            n += 1
            total += change[i]
    if n == 0:
        return
    first = np.trunc(-total / n) - 1.0
    came = np.empty(n)
    n = 0
    for i in range(len(change)):
        change[i] += first
        if not is_held(held, lo + i):
            came[n] = rating[i]
            n += 1
    leading = min(4 * int(math.sqrt(n) + 0.5), n)
    last = came[sorted_order(came)[n - leading]]
    gain, left = 0.0, leading
    place, level = np.empty(n), np.empty(n)
    n = 0
    for i in range(len(change)):
        if not is_held(held, lo + i) and rating[i] > last:
            gain += change[i]
            left -= 1
        elif not is_held(held, lo + i) and rating[i] == last:
            place[n], level[n] = rank[i], change[i]
            n += 1
    for i in sorted_order(place[:n])[:left]:
        gain += level[i]
    second = min(max(np.trunc(-gain / leading), LARGEST_CORRECTION), 0.0)
    for i in range(len(change)):
        change[i] += second


# ------------------------------------------------------------------ what both do


@kernel
def _find_ratings(
    ev: EventColumns, e: int, mu: Floats, scale: float, rating: Floats
) -> tuple[Floats, Floats]:
    """Fill the ratings before the event; returns them in units of the curve's scale, and these sorted."""
    lo, player = ev.offsets[e], ev.player
    n = ev.offsets[e + 1] - lo
    z, ascending = np.empty(n), np.empty(n)
    for i in range(n):
        if lo + i + ROWS_AHEAD < len(player):
            prefetch(mu, player[lo + i + ROWS_AHEAD])
        rating[i] = mu[player[lo + i]]
        z[i] = rating[i] / scale
    order = sorted_order(z)
    for k in range(n):
        ascending[k] = z[order[k]]
    return z, ascending


@kernel
def _find_changes(
    ev: EventColumns, e: int, rating: Floats, shown: Floats, weight: float, change: Floats
) -> None:
    """Cut performances at the event's ceiling, and go the part of the way that the weight says."""
    ceiling = ev.ceiling
    for i in range(ev.offsets[e + 1] - ev.offsets[e]):
        if len(ceiling) > 0:
            shown[i] = min(shown[i], ceiling[e])
        change[i] = _part_of_way(rating[i], shown[i], weight)


@kernel
def _part_of_way(rating: float, shown: float, weight: float) -> float:
    """The change that a performance of this weight brings."""
    return (shown - rating) * weight / (1.0 + weight)


@kernel
def _apply(
    ev: EventColumns,
    e: int,
    mu: Floats,
    events: Ints,
    last_time: Longs,
    rating: Floats,
    shown: Floats,
    change: Floats,
    mu_before: Floats,
    performance: Floats,
    mu_after: Floats,
) -> None:
    """Apply the changes to all rated players and fill the trace."""
    lo, player, held, time = ev.offsets[e], ev.player, ev.held, ev.time
    for i in range(ev.offsets[e + 1] - lo):
        row, j = lo + i, player[lo + i]
        if row + ROWS_AHEAD < len(player):
            prefetch(mu, player[row + ROWS_AHEAD])
            prefetch(events, player[row + ROWS_AHEAD])
            prefetch(last_time, player[row + ROWS_AHEAD])
        if not is_held(held, row):
            mu[j] = rating[i] + change[i]
            events[j] += 1
            if time[e] != NO_TIME:
                last_time[j] = time[e]
        if len(mu_before) > 0:
            mu_before[row], performance[row], mu_after[row] = rating[i], shown[i], mu[j]
