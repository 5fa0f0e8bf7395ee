"""Topcoder, as in the comparisons of the Elo-MMR paper.

[MMR] The comparisons of Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions"
(2021), section 6, and the program they were made with. Since 2022 that program lets a contest of weight ω
move ratings √ω times as far at most; before, the cap did not depend on the weight.

[TC] topcoder.com, "Algorithm Competition Rating System", which the program follows but for three things:
newcomers, the weight of an event, and that the current contest counts as experience.
"""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist, fmean

from .events import Event, Outcome, Row
from .performances import split


def cdf(z: float) -> float:
    """The normal distribution."""
    return math.erfc(-z / math.sqrt(2)) / 2


def inverse_cdf(p: float) -> float:
    """Its inverse, to the last digit: by halving around a first answer."""
    if p > 1 / 2:
        return -inverse_cdf(1 - p)
    near = NormalDist().inv_cdf(p)
    return sum(split(lambda z: cdf(z) < p, near - 1e-6, near + 1e-6)) / 2


@dataclass(frozen=True, kw_only=True)
class Topcoder:
    """Topcoder(weight)."""

    mu: float = 1500.0  # of newcomers
    sigma: float = 350.0  # of newcomers: their volatility
    weight: float = 1.0
    cap: str = "fixed"  # or "weighted"

    def performances(
        self, mus: list[float], volatilities: list[float], ranks: list[int], omega: float
    ) -> list[float]:
        """perfAs = mu + c (actual performance - expected performance)."""
        n = len(mus)
        mean = fmean(mus)
        variance = fmean(v**2 for v in volatilities)
        if n > 1:
            variance += math.fsum((mu - mean) ** 2 for mu in mus) / (n - 1)
        c = math.sqrt(variance)
        found = []
        for i in range(n):
            # Everybody's chance to beat i, that of i against itself included.
            expected = math.fsum(
                cdf(math.sqrt(omega) * (mus[j] - mus[i]) / math.hypot(volatilities[i], volatilities[j]))
                for j in range(n)
            )
            better, tied = sum(r < ranks[i] for r in ranks), sum(r == ranks[i] for r in ranks)
            actual = better + tied / 2
            found.append(mus[i] + c * (-inverse_cdf(actual / n) + inverse_cdf(expected / n)))
        return found

    def updated(
        self, mu: float, volatility: float, performance: float, contests: int, omega: float
    ) -> tuple[float, float]:
        """Rating and volatility after the player's contest of this number."""
        weight = (1 / (0.82 - 0.42 / contests) - 1) * omega * self.weight
        if mu >= 2500:
            weight *= 0.8
        elif mu >= 2000:
            weight *= 0.9
        limit = 1 / 0.82 - 1
        cap = (150 + 1500 / (contests + 1)) * (self.weight * (1 + limit) / (1 + limit * self.weight))
        if self.cap == "weighted":
            cap *= math.sqrt(omega)
        tried = (mu + weight * performance) / (1 + weight)
        new = min(max(tried, mu - cap), mu + cap)
        return new, math.sqrt((tried - mu) ** 2 / weight + volatility**2 / (1 + weight))

    def rate(self, events: list[Event], start: Mapping[str, tuple[float, float]]) -> Outcome:
        """Walk through the events; a held player is an opponent like any other, and stays the same."""
        beliefs = dict(start)
        contests = defaultdict(int)
        trace = []
        for event in events:
            players = event.players()
            found = [beliefs.get(name, (self.mu, self.sigma)) for name in players]
            mus, volatilities = [mu for mu, _ in found], [volatility for _, volatility in found]
            shown = self.performances(mus, volatilities, event.ranks, event.weight)
            for i, name in enumerate(players):
                performance = shown[i] if event.ceiling is None else min(shown[i], event.ceiling)
                after = found[i]
                if name not in event.held:
                    contests[name] += 1
                    after = self.updated(*found[i], performance, contests[name], event.weight)
                    beliefs[name] = after
                trace.append(Row(name, *found[i], *after, performance))
        return Outcome(ratings=beliefs, trace=trace)


def rate(events: list[Event], start: Mapping[str, tuple[float, float]] = {}, **parameters) -> Outcome:
    """Rate the players of events, some of them seeded. See `Topcoder.rate`."""
    return Topcoder(**parameters).rate(events, start)
