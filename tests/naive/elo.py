"""Elo's system, with the expectancy curves of FIDE and of Sonas, for two sides or more.

Elo, "The Rating of Chessplayers, Past and Present" (1978); Sonas, "The Sonas Rating Formula - Better than
Elo?" (2002).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .events import Belief, Event, Outcome, System, logistic, score, strength


@dataclass(frozen=True, kw_only=True)
class Elo(System):
    """Elo: mu' = mu + K (S - E)."""

    k: float = 32.0
    newcomer_k: float | None = None  # None: the same as k
    newcomer_events: int = 0  # those who played fewer events than this have newcomer_k
    curve: str = "logistic"
    pairs: str = "mean"

    def newcomer(self) -> Belief:
        return Belief(self.mu)

    def grown(self, belief: Belief, last: Event, event: Event) -> Belief:
        return belief  # there is no deviation that could grow

    def expectancy(self, d: float) -> float:
        """E(d): the expected score of a side that is d stronger than the other."""
        if self.curve == "logistic":
            # E = 1 / (1 + 10^(-d / scale))
            return logistic(math.log(10) * d / self.scale)
        if self.curve == "fide":
            # The same, but no difference counts for more than 400 points.
            d = min(max(d, -self.scale), self.scale)
            return logistic(math.log(10) * d / self.scale)
        if self.curve == "linear":
            # Sonas: 0.1164 % per point, up to 425 points, at the scale of 400.
            d = min(max(d, -1.0625 * self.scale), 1.0625 * self.scale)
            return 0.5 + 0.4656 * d / self.scale
        raise ValueError(f"curve is 'logistic', 'fide' or 'linear', not {self.curve!r}")

    def first_performance(
        self, event: Event, mine: int, opening: dict[str, Belief], before: Belief, after: Belief
    ) -> tuple[float, float]:
        # No deviation says how much a result is worth: all count as one newcomer, whose performance is the
        # mean surprise over the slope of the logistic curve between equals, ln 10 / (4 scale).
        alone = replace(self, pairs="mean").evidence(replace(event, weight=1.0), opening)
        return 1.0, before.mu + alone[mine] * 4 * self.scale / math.log(10)

    def evidence(self, event: Event, beliefs: dict[str, Belief]) -> list[float]:
        """The surprise of every side: weight * sum over the others of (s_ij - E_ij), or the mean of these."""
        strengths = [
            strength([beliefs[name].mu for name in side], self.team, self.mu) for side in event.sides
        ]
        sides = range(len(event.sides))
        surprises = []
        for i in sides:
            surprise = event.weight * sum(
                score(event, i, j) - self.expectancy(self.difference(event, i, j, strengths))
                for j in sides
                if j != i
            )
            if self.pairs == "mean":
                surprise /= len(event.sides) - 1
            elif self.pairs != "sum":
                raise ValueError(f"pairs is 'mean' or 'sum', not {self.pairs!r}")
            surprises.append(surprise)
        return surprises

    def closed(self, belief: Belief, evidence: list[float], played: int) -> Belief:
        k = self.k
        if self.newcomer_k is not None and played < self.newcomer_events:
            k = self.newcomer_k
        return Belief(belief.mu + k * sum(evidence))


def rate(events: list[Event], start: Mapping[str, tuple[float, float | None]] = {}, **parameters) -> Outcome:
    """Rate the players of events, some of them seeded; sigma is None everywhere. See `System.rate`."""
    return Elo(**parameters).rate(events, start)


def expected(mu_a, sigma_a, mu_b, sigma_b, home=0.0, **parameters) -> float:
    """The expected score of a against b; home is +1 if a is at home, -1 if b is. Deviations are ignored."""
    elo = Elo(**parameters)
    return elo.expectancy(mu_a - mu_b + elo.home_advantage * home)
