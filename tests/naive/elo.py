"""Elo's system, with the expectancy curves of FIDE and of Sonas, for two sides or more.

Elo, "The Rating of Chessplayers, Past and Present" (1978); FIDE Handbook B.02, "FIDE Rating Regulations":
table 8.1.2, the 400-point rule and its exemption; Sonas, "The Sonas Rating Formula - Better than Elo?"
(2002).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist

from .events import Belief, Event, Outcome, System, logistic, score, strength

# Table 8.1.2: differences of ratings, and the expected score of the stronger player in hundredths.
TABLE_8_1_2 = """
0-3 50, 4-10 51, 11-17 52, 18-25 53, 26-32 54, 33-39 55, 40-46 56, 47-53 57, 54-61 58, 62-68 59, 69-76 60,
77-83 61, 84-91 62, 92-98 63, 99-106 64, 107-113 65, 114-121 66, 122-129 67, 130-137 68, 138-145 69,
146-153 70, 154-162 71, 163-170 72, 171-179 73, 180-188 74, 189-197 75, 198-206 76, 207-215 77, 216-225 78,
226-235 79, 236-245 80, 246-256 81, 257-267 82, 268-278 83, 279-290 84, 291-302 85, 303-315 86, 316-328 87,
329-344 88, 345-357 89, 358-374 90, 375-391 91, 392-411 92, 412-432 93, 433-456 94, 457-484 95, 485-517 96,
518-559 97, 560-619 98, 620-735 99
"""


def fide_table() -> dict[int, int]:
    """Table 8.1.2 by whole difference, up to 735."""
    table = {}
    for row in TABLE_8_1_2.split(","):
        differences, hundredths = row.split()
        first, last = map(int, differences.split("-"))
        table |= dict.fromkeys(range(first, last + 1), int(hundredths))
    return table


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
            stronger = fide_table().get(math.floor(abs(d) * 400 / self.scale + 0.5 + 1e-9), 100) / 100
            return stronger if d >= 0 else 1 - stronger
        if self.curve == "linear":
            # Sonas: 0.1164 % per point, up to 425 points, at the scale of 400.
            d = min(max(d, -1.0625 * self.scale), 1.0625 * self.scale)
            return 0.5 + 0.4656 * d / self.scale
        if self.curve == "normal":
            # Elo (1978): performances are normal, with a deviation of 200 at the scale of 400.
            return NormalDist(0, self.scale / 2 * math.sqrt(2)).cdf(d)
        raise ValueError(f"curve is 'logistic', 'fide', 'linear' or 'normal', not {self.curve!r}")

    def counted(self, d: float, rating: float) -> float:
        """The part of a difference that counts in an update: of FIDE's 400 points, unless one has 2650."""
        if self.curve == "fide" and rating < 2650 - 1e-9:
            return min(max(d, -self.scale), self.scale)
        return d

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
        ratings = [math.fsum(beliefs[name].mu for name in side) / len(side) for side in event.sides]
        sides = range(len(event.sides))
        surprises = []
        for i in sides:
            surprise = event.weight * sum(
                score(event, i, j)
                - self.expectancy(self.counted(self.difference(event, i, j, strengths), ratings[i]))
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
