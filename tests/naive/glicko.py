"""The Glicko system, for two sides or more.

Glickman, "Parameter estimation in large dynamic paired comparison experiments", Applied Statistics 48 (1999);
Glickman, "The Glicko system", http://www.glicko.net/glicko/glicko.pdf (its steps 1 and 2 below).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from .events import (
    Belief,
    Event,
    Outcome,
    System,
    as_one_match,
    days_between,
    deviation,
    logistic,
    periods_between,
    score,
    strength,
)


@dataclass(frozen=True, kw_only=True)
class Glicko(System):
    """Glicko: a rating (mu) and its deviation (sigma, the paper's RD)."""

    sigma: float = 350.0  # of newcomers
    sigma_max: float = 350.0
    sigma_min: float = 0.0  # a deviation after an event is at least that
    event_period: str = "counted"  # "skipped": with period="event" only the time between events counts
    c: float = 0.0  # growth of the deviation per rating period
    pairs: str = "sum"  # see `as_one_match`
    periods_per_day: float = 0.0  # with period="event": how many rating periods pass in a day of absence

    @property
    def q(self) -> float:
        return math.log(10) / self.scale

    def g(self, sigma: float, q: float | None = None) -> float:
        """g(RD) = 1 / sqrt(1 + 3 q^2 RD^2 / pi^2)"""
        q = self.q if q is None else q
        return 1 / math.sqrt(1 + 3 * q**2 * sigma**2 / math.pi**2)

    def newcomer(self) -> Belief:
        return Belief(self.mu, self.sigma)

    def grown(self, belief: Belief, last: Event, event: Event) -> Belief:
        # t: the rating periods since the player's last event, its own included.
        if self.period == "event":
            own = self.event_period == "counted"
            return self.wider(belief, own + self.periods_per_day * days_between(last, event))
        return self.wider(belief, max(1, periods_between(last, event, self.period)))

    def found(self, belief: Belief, last: Event, event: Event) -> Belief:
        if self.period == "event":
            return self.wider(belief, self.periods_per_day * days_between(last, event))
        return self.grown(belief, last, event)

    def wider(self, belief: Belief, t: float) -> Belief:
        # Step 1: RD = min(sqrt(RD_old^2 + c^2 t), 350), but an RD already above the cap stays as it is.
        variance = belief.sigma**2
        grown = min(variance + self.c**2 * t, self.sigma_max**2)
        return Belief(belief.mu, math.sqrt(max(variance, grown)))

    def evidence(self, event: Event, beliefs: dict[str, Belief]) -> list[tuple[float, float]]:
        """(information, surprise) of every side: its share in 1/d^2 and in q * sum of g (s - E)."""
        strengths = [
            strength([beliefs[name].mu for name in side], self.team, self.mu) for side in event.sides
        ]
        deviations = [deviation([beliefs[name].sigma for name in side], self.team) for side in event.sides]
        q, weight = self.q, event.weight
        if self.pairs == "one-match":
            q, weight = math.sqrt(weight) * q, 1.0
        sides = range(len(event.sides))
        pieces = []
        for i in sides:
            information = surprise = 0.0
            for j in sides:
                if j == i:
                    continue
                g = self.g(deviations[j], q)
                # E = 1 / (1 + 10^(-g(RD_j) (r - r_j) / 400)), and 1 - E without the loss of its last digits
                d = self.difference(event, i, j, strengths)
                win, lose = logistic(q * g * d), logistic(-q * g * d)
                # 1 / d^2 = q^2 * sum of g(RD_j)^2 E (1 - E)
                information += weight * q**2 * g**2 * win * lose
                surprise += weight * q * g * (score(event, i, j) - win)
            pieces.append((information, surprise))
        return as_one_match(pieces, self.pairs, even=q**2 / 4)

    def closed(self, belief: Belief, evidence: list[tuple[float, float]], played: int) -> Belief:
        information = sum(information for information, _ in evidence)
        surprise = sum(surprise for _, surprise in evidence)
        # Step 2: RD'^2 = 1 / (1 / RD^2 + 1 / d^2)
        variance = 1 / (1 / belief.sigma**2 + information)
        #         r' = r + q / (1 / RD^2 + 1 / d^2) * sum of g(RD_j) (s_j - E_j)
        return Belief(belief.mu + variance * surprise, max(math.sqrt(variance), self.sigma_min))


def rate(events: list[Event], start: Mapping[str, tuple[float, float | None]] = {}, **parameters) -> Outcome:
    """Rate the players of events, some of them seeded. See `System.rate`."""
    return Glicko(**parameters).rate(events, start)


def expected(mu_a, sigma_a, mu_b, sigma_b, home=0.0, **parameters) -> float:
    """The expected score of a against b; home is +1 if a is at home, -1 if b is."""
    glicko = Glicko(**parameters)
    # E = 1 / (1 + 10^(-g(sqrt(RD_a^2 + RD_b^2)) (r_a - r_b) / 400))
    g = glicko.g(math.sqrt(sigma_a**2 + sigma_b**2))
    return logistic(glicko.q * g * (mu_a - mu_b + glicko.home_advantage * home))
