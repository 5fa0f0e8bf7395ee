"""Codeforces: a rating goes half of the way to the one at which the place deserved is to be expected.

From everybody's rating follows the place to expect of each, the *seed*. The geometric mean of the seed and of
the place reached is taken for the place deserved; the rating one would be expected to reach it with is the
performance, and ratings go half of the way there. There are two of it:

- ``variant="experiments"``, as in the comparisons of Ebtekar and Liu, "Elo-MMR: a rating system for massive
  multiplayer competitions", WWW 2021, and in their program: real numbers, the middle place for those who tie,
  no correction for inflation. A weight w scales the width of the win curve by 1/√w, and the step.
- ``variant="site"``, the algorithm that Mike Mirzayanov published for codeforces.com ("Open Codeforces Rating
  System", blog entry 20762, October 2015): whole numbers, the last place for those who tie, and two
  corrections that keep ratings from inflating.

>>> from podium import Codeforces, Ladder
>>> ladder = Ladder(Codeforces())
>>> [round(change.mu, 1) for change in ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})]
[1571.6, 1500.0, 1446.3]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.history import EventColumns
from podium.history.core import Bools, Floats, Ints, Longs
from podium.history.times import NO_TIME
from podium.numerics.allpairs import sorted_order
from podium.numerics.curves import LN10, LOGISTIC, expected_scores
from podium.numerics.jit import kernel
from podium.numerics.pairwise import event_weight, is_held, largest_event
from podium.numerics.performances import best_first
from podium.numerics.places import level_for, standing, survey
from podium.ratings import Trace
from podium.systems.base import Capabilities, RatingSystem
from podium.systems.parameters import parameter
from podium.systems.state import State

BAR = math.sqrt(3.0) / math.pi
"""Scale of a logistic distribution of deviation 1."""
LOWEST, HIGHEST = 1, 8000
"""Performances are looked for from the lowest, and below the highest (site)."""
LARGEST_CORRECTION = -10.0
"""Points that the leading players' inflation costs everybody at most (site)."""
BELOW = 1.0 - 1e-9
"""A seed is below a place if it is below this part of it: equality is not left to the last digit of a sum."""


@dataclass(frozen=True, kw_only=True)
class Codeforces(RatingSystem):
    """The rating system of Codeforces, as in the Elo-MMR experiments or as on the site."""

    name: ClassVar[str] = "codeforces"
    summary: ClassVar[str] = "one number a player; goes half of the way to each performance"
    supports: ClassVar[Capabilities] = Capabilities(many=True, ties=True, weights=True)
    has_sigma: ClassVar[bool] = False
    has_performance: ClassVar[bool] = True

    mu: float = parameter(1500.0, "rating of a newcomer", low=-1e9)
    beta: float = parameter(
        400.0 / (LN10 * BAR),
        "deviation of the difference of two performances; the default makes 400 points odds of ten to one",
        low=1e-3,
        high=1e6,
        search=(50.0, 1000.0),
    )
    weight: float = parameter(
        1.0,
        "what a contest weighs beside all before: w/(1 + w) is the part of the way to the performance",
        low=1e-6,
        high=1e6,
        search=(0.05, 2.0),
    )
    variant: Literal["experiments", "site"] = parameter(
        "experiments", "as in the Elo-MMR paper's comparisons, or as published by codeforces.com"
    )

    def newcomer(self) -> dict[str, np.generic]:
        """The rating."""
        return {"mu": np.float64(self.mu)}

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate contests in order."""
        _rate(
            events,
            state["mu"],
            state["events"],
            state["last_time"],
            Rules(self.scale, self.weight, self.variant == "site"),
            trace.mu_before,
            trace.performance,
            trace.mu,
        )

    @property
    def scale(self) -> float:
        """Of the logistic win curve: a difference of so many points is odds of e to one."""
        return BAR * self.beta

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, None]:
        """The rating; time does not change it."""
        return state.column("mu")[players].copy(), None

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """The logistic curve of the difference."""
        return expected_scores(LOGISTIC, np.subtract(mu_a, mu_b) + 0.0 * np.asarray(home), LN10 * self.scale)

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set ratings; a deviation has no meaning here."""
        state.column("mu")[players] = mu

    def performance_spread(self, sigma: Floats | None, sizes: Longs) -> tuple[str, Floats]:
        """Gumbel performances differ by a logistic."""
        return "gumbel", np.full(len(sizes), self.scale)


class Rules(NamedTuple):
    """Parameters as kernels take them."""

    scale: float
    weight: float
    site: bool


@kernel
def _rate(
    ev: EventColumns,
    mu: Floats,
    events: Ints,
    last_time: Longs,
    rules: Rules,
    mu_before: Floats,
    performance: Floats,
    mu_after: Floats,
) -> None:
    offsets, player, rank, _, held, time, weight, _, _, ceiling, _, _ = ev
    room = largest_event(offsets)
    rating, shown, change = np.empty(room), np.empty(room), np.empty(room)
    whole = HIGHEST if rules.site else 0
    known, asked = np.empty(whole), np.empty(whole, np.int64)
    for r in range(whole):
        asked[r] = -1
    tracing = len(mu_before) > 0
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        n, counts = hi - lo, event_weight(weight, e)
        for i in range(n):
            rating[i] = mu[player[lo + i]]
        if rules.site:
            _site_performances(rating[:n], rank[lo:hi], rules.scale, e, known, asked, shown[:n])
        else:
            _performances(rating[:n], rank[lo:hi], rules.scale / math.sqrt(counts), shown[:n])
        for i in range(n):
            if len(ceiling) > 0:
                shown[i] = min(shown[i], ceiling[e])
            change[i] = (shown[i] - rating[i]) * (counts * rules.weight) / (1.0 + counts * rules.weight)
        if rules.site:
            _settle(rating[:n], held, lo, change[:n])
        for i in range(n):
            row, j = lo + i, player[lo + i]
            if not is_held(held, row):
                mu[j] += change[i]
                events[j] += 1
                if time[e] != NO_TIME:
                    last_time[j] = time[e]
            if tracing:
                mu_before[row], performance[row], mu_after[row] = rating[i], shown[i], mu[j]


@kernel
def _performances(rating: Floats, rank: Ints, scale: float, out: Floats) -> None:
    """The rating at which everybody, oneself included, makes the deserved place the expected one."""
    z, field = _in_scales(rating, scale)
    centre, beaten, deviation, odds = survey(field)
    _deserved_places(z, rank, False, field, centre, beaten, deviation, out)
    for i in range(len(z)):
        out[i] = scale * level_for(out[i] - 0.5, field, centre, beaten, deviation, odds)


@kernel
def _site_performances(
    rating: Floats, rank: Ints, scale: float, e: int, known: Floats, asked: Longs, out: Floats
) -> None:
    """The highest whole rating whose seed in this field is not below the deserved place.

    As published, it is the seed of one more player, 1 and everybody's chance to win: oneself is an opponent
    as well. What was found for a rating is kept for the event, since all searches begin alike.
    """
    z, field = _in_scales(rating, scale)
    centre, beaten, deviation, _ = survey(field)
    _deserved_places(z, rank, True, field, centre, beaten, deviation, out)
    for i in range(len(z)):
        left, right = LOWEST, HIGHEST
        while right - left > 1:
            middle = (left + right) // 2
            if asked[middle] != e:
                asked[middle] = e
                known[middle] = 1.0 + standing(middle / scale, field, centre, beaten, deviation)[0]
            if known[middle] < BELOW * out[i]:
                right = middle
            else:
                left = middle
        out[i] = left


@kernel
def _in_scales(rating: Floats, scale: float) -> tuple[Floats, Floats]:
    """Ratings in units of the win curve's scale, and the same ascending."""
    n = len(rating)
    z, ascending = np.empty(n), np.empty(n)
    for i in range(n):
        z[i] = rating[i] / scale
    order = sorted_order(z)
    for k in range(n):
        ascending[k] = z[order[k]]
    return z, ascending


@kernel
def _deserved_places(
    z: Floats,
    rank: Ints,
    last: bool,
    field: Floats,
    centre: Floats,
    beaten: Floats,
    deviation: Floats,
    out: Floats,
) -> None:
    """The geometric mean of the place, which in a tie is the last or the middle one, and of the seed."""
    order = best_first(rank)
    start = 0
    while start < len(z):
        stop = start
        while stop < len(z) and rank[order[stop]] == rank[order[start]]:
            stop += 1
        place = float(stop) if last else 0.5 * (start + stop + 1)
        for k in range(start, stop):
            i = order[k]
            # Half of the tie with oneself is in the sum already: 1 + Σ over the others is ½ + Σ over all.
            seed = 0.5 + standing(z[i], field, centre, beaten, deviation)[0]
            out[i] = math.sqrt(place * seed)
        start = stop


@kernel
def _settle(rating: Floats, held: Bools, lo: int, change: Floats) -> None:
    """Round changes towards zero and correct them, so that ratings do not inflate.

    First everybody loses the mean change and a point more; then, if those who came with the highest ratings,
    four times the root of all, still gain on the whole, everybody loses that too, up to ten points. All that
    counts is who is rated. Where some of equal rating are among these and others are not, each of them counts
    by the same part: the published program goes by the order of its list.
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
    better, better_total, level, level_total = 0, 0.0, 0, 0.0
    for i in range(len(change)):
        if not is_held(held, lo + i) and rating[i] > last:
            better, better_total = better + 1, better_total + change[i]
        elif not is_held(held, lo + i) and rating[i] == last:
            level, level_total = level + 1, level_total + change[i]
    gain = (better_total * level + (leading - better) * level_total) / (leading * level)
    second = min(max(np.trunc(-gain), LARGEST_CORRECTION), 0.0)
    for i in range(len(change)):
        change[i] += second
