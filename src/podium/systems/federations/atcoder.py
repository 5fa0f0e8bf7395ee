"""AtCoder's rating of algorithm contests: a mean of performances, less what a newcomer is short of.

The formulas are those that AtCoder published in 2019 ("AtCoder's rating system", a PDF on its site), as other
programs have them (koba-e964/atcoder-rating-estimator, key-moon/ac-predictor). `mu` is the mean of
performances, in which recent ones count more, and `sigma` is f(n), the part that is subtracted after n
contests: it begins at 1200 and vanishes. The rating displayed is their difference, kept above zero.

What differs: performances are unrounded, no contest has an upper bound of rated players, and predictions of
single matches go by `mu` instead of the plain mean by which performances are computed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from podium.arrays import Floats
from podium.numerics.win_chances import logistic_of
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.column_ranges import POSITIVE, Range
from podium.systems.contract.simple_system import Numbers, SimpleEvent, SimpleSystem

DECAY = 0.9
"""Weight of a performance from contest to contest."""
LEVEL = 800.0
"""Points by which g doubles."""
SPREAD = 400.0 / math.log(6.0)
"""Points of the logistic curve of places: odds of six to one at 400."""
SHORT = 1200.0
"""f(1): what is subtracted after the first contest."""
LIMIT = math.sqrt(1.0 / 19.0)
"""F(∞) of F(n) = √(Σ 0.81ⁱ) / Σ 0.9ⁱ."""
LEAST_DISPLAY = 400.0
"""Ratings below it are displayed on a scale that ends at 0."""
FIRST_FACTOR = 1.5
"""How much further from the centre a first performance counts."""
UNPLAYED = 2400.0
"""`sigma` of a newcomer: above f(1), which says that there was no contest."""
LEAST_WEIGHT = 1e-200
STEPS = 100
"""Most steps to a performance; ten are usual."""


@dataclass(frozen=True, kw_only=True)
class AtCoder(SimpleSystem):
    """AtCoder's rating of algorithm contests."""

    name: ClassVar[str] = "atcoder"
    summary: ClassVar[str] = "AtCoder's rating: recent performances count most, and newcomers start low"
    explained: ClassVar[str] = """
        Each contest has a performance: the rating at which the place would have been expected. The rating is
        a mean of performances, in which recent ones count more. A deduction begins at 1200 points and becomes
        small after a dozen contests, so at first the rating rises with nearly every contest.
    """
    supports: ClassVar[Capabilities] = Capabilities(many=True, ties=True)
    has_performance: ClassVar[bool] = True
    ranges: ClassVar[Mapping[str, Range]] = {"sigma": POSITIVE}

    mu: float = parameter(
        1200.0,
        "centre: the assumed rating of a newcomer, 1000 and 800 in easier contests",
        search=(400, 2400),
    )

    def first(self) -> dict[str, float]:
        """The mean that is displayed, f(n), and the plain mean by which performances are computed."""
        return {"mu": self.mu, "sigma": UNPLAYED, "mean": self.mu}

    def chance(self, a: Any, b: Any) -> float:
        """The curve of places between two."""
        return float(logistic_of((a.mu - b.mu) / SPREAD))

    def rate(self, event: SimpleEvent) -> Sequence[Numbers]:
        """Every performance by the means before, and the means after it."""
        means = np.array([player.rating.mean for player in event.players], np.float64)
        ranks = np.array([player.rank for player in event.players])
        found = {rank: performance(means, _middle(ranks, rank)) for rank in set(ranks.tolist())}
        after = []
        for player in event.players:
            one = player.rating
            performed = found[player.rank]
            left = remaining(one.sigma)
            if left == 1.0:
                performed = (performed - self.mu) * FIRST_FACTOR + self.mu
            total = DECAY * (1.0 - left) / (1.0 - DECAY)  # Σ 0.9ⁱ of what was before
            before = one.mu if total > 0.0 else performed  # which counts nothing then
            high = max(before, performed)
            old, new = (2.0 ** ((value - high) / LEVEL) for value in (before, performed))
            after.append(
                {
                    "mu": high + LEVEL * math.log2((total * old + new) / (total + 1.0)),
                    "sigma": shortfall(DECAY * left),
                    "mean": (total * one.mean + performed) / (total + 1.0),
                    "performance": performed,
                }
            )
        return after

    def set_belief(self, state: Any, players: Any, mu: Any, sigma: Any) -> None:
        """Set both means."""
        super().set_belief(state, players, mu, sigma)
        state["mean"][np.arange(state.size)[players]] = mu

    def display(self, mu: Floats, sigma: Floats | None) -> Floats:
        """The rating as the site shows it: above 0."""
        rating = mu - (0.0 if sigma is None else sigma)
        low = LEAST_DISPLAY * np.exp((np.minimum(rating, LEAST_DISPLAY) - LEAST_DISPLAY) / LEAST_DISPLAY)
        shown: Floats = np.where(rating >= LEAST_DISPLAY, rating, low)
        return shown

    def mu_displayed_as(self, display: Floats, sigma: Floats | None) -> Floats:
        """The inverse of `display`."""
        low = np.log(np.maximum(np.minimum(display, LEAST_DISPLAY), 1e-300) / LEAST_DISPLAY)
        rating = np.where(np.asarray(display) >= LEAST_DISPLAY, display, LEAST_DISPLAY * (1.0 + low))
        found: Floats = rating + (0.0 if sigma is None else sigma)
        return found


def _middle(ranks: Any, rank: int) -> float:
    """The mean of the places that a rank shares."""
    return float(np.sum(ranks < rank)) + 0.5 * (1.0 + float(np.sum(ranks == rank)))


def performance(means: Floats, place: float) -> float:
    """The X with Σ 1 / (1 + 6^((X − mᵢ)/400)) = place − ½, over all players, by Newton's method."""
    reach = SPREAD * math.log(4.0 * len(means))
    low, high = float(means.min()) - reach, float(means.max()) + reach
    x = 0.5 * (low + high)
    for _ in range(STEPS):
        chances = logistic_of((means - x) / SPREAD)
        excess = float(chances.sum()) - (place - 0.5)
        low, high = (x, high) if excess > 0.0 else (low, x)
        slope = float((chances * (1.0 - chances)).sum()) / SPREAD
        step = excess / slope if slope > 0.0 else math.inf
        new = x + step if low < x + step < high else 0.5 * (low + high)
        if abs(new - x) <= 1e-13 * max(abs(x), SPREAD):
            return new
        x = new
    return x


def remaining(sigma: float) -> float:
    """x = 0.9ⁿ for the n with f(n) = sigma; 1 before the first contest."""
    if sigma > SHORT * (1.0 + 1e-9):
        return 1.0
    excess = (1.0 - LIMIT) * sigma / SHORT / LIMIT  # F/F(∞) − 1, of which F² = F(∞)² (1 + x) / (1 − x)
    return max(excess * (2.0 + excess) / (2.0 + excess * (2.0 + excess)), LEAST_WEIGHT)


def shortfall(left: float) -> float:
    """f(n) = 1200 (F(n) − F(∞)) / (F(1) − F(∞)), from x = 0.9ⁿ; F(1) is 1."""
    square = 2.0 * left / (1.0 - left)  # (F/F(∞))² − 1
    excess = square / (1.0 + math.sqrt(1.0 + square))
    return SHORT * LIMIT * excess / (1.0 - LIMIT)
