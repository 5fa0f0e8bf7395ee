"""The Glicko-2 system, for two sides or more.

Glickman, "Example of the Glicko-2 system" (2012, 2013), http://www.glicko.net/glicko/glicko2.pdf; its steps
1 to 8 are marked below. "Internal" is the scale of these steps: display scale times ln(10) / 400.
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


def g(phi: float) -> float:
    """g(phi) = 1 / sqrt(1 + 3 phi^2 / pi^2)"""
    return 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)


def new_volatility(phi: float, volatility: float, v: float, delta: float, tau: float) -> float:
    """Step 5: the volatility sigma' = e^(x/2) at a root x of f, by the Illinois algorithm."""
    # 5.1: a = ln(sigma^2), and
    #
    #             e^x (delta^2 - phi^2 - v - e^x)     x - a
    #     f(x) = --------------------------------- - -------
    #               2 (phi^2 + v + e^x)^2             tau^2
    #
    # After an absurd upset neither delta^2 nor e^x need fit into a float. But the first fraction is also
    # r ((1 - r) ratio - 1) / 2 with r = e^x / (phi^2 + v + e^x) and ratio = delta^2 / (phi^2 + v), which do.
    a = math.log(volatility**2)
    log_spread = math.log(phi**2 + v)
    ratio = delta * (delta / (phi**2 + v))

    def f(x):
        r, one_minus_r = logistic(x - log_spread), logistic(log_spread - x)
        return r * (one_minus_r * ratio - 1) / 2 - (x - a) / tau**2

    # 5.2: the root lies between A = a and B = ln(delta^2 - phi^2 - v) if delta^2 > phi^2 + v, else between
    # A = a and the first B = a - k tau, k = 1, 2, ..., that has f(B) >= 0.
    A = a
    if ratio > 1:
        B = log_spread + math.log(ratio - 1)
    else:
        k = 1
        while f(a - k * tau) < 0:
            k += 1
        B = a - k * tau

    # 5.3 and 5.4: keep a root between A and B, and halve f(A) whenever A has stayed where it was. The paper's
    # epsilon is 0.000001; here it is a few units in the last place (reached in a few dozen rounds at most).
    f_A, f_B = f(A), f(B)
    for _ in range(1000):
        if abs(B - A) <= 1e-15 * max(1.0, abs(A)):
            break
        C = A + (A - B) * (f_A / (f_B - f_A))
        f_C = f(C)
        if f_C * f_B <= 0:
            A, f_A = B, f_B
        else:
            f_A /= 2
        B, f_B = C, f_C

    # 5.5: sigma' = e^(A/2)
    return math.exp(A / 2)


@dataclass(frozen=True, kw_only=True)
class Glicko2(System):
    """Glicko-2: a rating (mu), its deviation (sigma, the paper's RD) and a volatility (the paper's sigma)."""

    # Step 1: newcomers, and the system constant tau
    sigma: float = 350.0
    sigma_max: float = 350.0
    sigma_min: float = 0.0  # a deviation after an event is at least that
    event_period: str = "counted"  # "skipped": with period="event" only the time between events counts
    volatility: float = 0.06
    volatility_max: float | None = None
    tau: float = 0.5
    pairs: str = "sum"  # see `as_one_match`
    periods_per_day: float = 0.0  # with period="event": how many rating periods pass in a day of absence

    @property
    def internal(self) -> float:
        """Step 2: internal units per display unit, 1 / 173.7178 at the scale of 400."""
        return math.log(10) / self.scale

    def newcomer(self) -> Belief:
        return Belief(self.mu, self.sigma, self.volatility)

    def periods_missed(self, last: Event, event: Event) -> float:
        """The rating periods between the player's last event and this one, neither's own included."""
        if self.period == "event":
            return self.periods_per_day * days_between(last, event)
        return max(0, periods_between(last, event, self.period) - 1)

    def grown(self, belief: Belief, last: Event, event: Event) -> Belief:
        # Step 6 for every period missed: phi^2 + sigma^2, up to a cap that never lowers what is above it.
        # (The growth of the period played is in `closed`.)
        phi = belief.sigma * self.internal
        phi_max = self.sigma_max * self.internal
        grown = min(phi**2 + belief.volatility**2 * self.periods_missed(last, event), phi_max**2)
        return belief._replace(sigma=math.sqrt(max(phi**2, grown)) / self.internal)

    def evidence(self, event: Event, beliefs: dict[str, Belief]) -> list[tuple[float, float]]:
        """(information, surprise) of every side: its share in 1/v and in the sum of g (s - E)."""
        strengths = [
            strength([beliefs[name].mu for name in side], self.team, self.mu) for side in event.sides
        ]
        deviations = [deviation([beliefs[name].sigma for name in side], self.team) for side in event.sides]
        sides = range(len(event.sides))
        pieces = []
        # one-match: all as with sqrt(weight) times the differences and deviations, seen in units of these
        times, weight = (math.sqrt(event.weight), 1.0) if self.pairs == "one-match" else (1.0, event.weight)
        for i in sides:
            information = surprise = 0.0
            for j in sides:
                if j == i:
                    continue
                g_j = g(times * deviations[j] * self.internal)
                # E = 1 / (1 + exp(-g(phi_j) (mu - mu_j))), and 1 - E without the loss of its last digits
                d = times * self.difference(event, i, j, strengths) * self.internal
                win, lose = logistic(g_j * d), logistic(-g_j * d)
                # Step 3: 1 / v = sum of g(phi_j)^2 E (1 - E)
                information += weight * g_j**2 * win * lose
                # Step 4: delta = v * sum of g(phi_j) (s_j - E)
                surprise += times * weight * g_j * (score(event, i, j) - win)
            pieces.append((information, surprise))
        return as_one_match(pieces, self.pairs, even=event.weight / 4)

    def closed(self, belief: Belief, evidence: list[tuple[float, float]], played: int) -> Belief:
        phi = belief.sigma * self.internal
        information = sum(information for information, _ in evidence)
        surprise = sum(surprise for _, surprise in evidence)

        # Information that underflowed so far that delta squared would overflow: the volatility stays.
        if information**2 < 1e-290 * max(1.0, surprise**2):
            volatility = belief.volatility
        else:
            v = 1 / information
            delta = v * surprise
            volatility = new_volatility(phi, belief.volatility, v, delta, self.tau)
        # Step 6: phi* = sqrt(phi^2 + sigma'^2); lichess leaves it out (skipDeviationIncrease)
        phi_star_squared = phi**2 + (volatility**2 if self.event_period == "counted" else 0)
        # Step 7: phi' = 1 / sqrt(1 / phi*^2 + 1 / v), with 1 / v the information;
        # mu' = mu + phi'^2 * sum of g(phi_j) (s_j - E)
        phi_squared = 1 / (1 / phi_star_squared + information)
        step = phi_squared * surprise
        # Step 8: back to the display scale, and what lichess cuts off
        sigma = max(math.sqrt(phi_squared) / self.internal, self.sigma_min)
        volatility = min(volatility, math.inf if self.volatility_max is None else self.volatility_max)
        return Belief(belief.mu + step / self.internal, sigma, volatility)


def rate(events: list[Event], start: Mapping[str, tuple[float, float | None]] = {}, **parameters) -> Outcome:
    """Rate the players of events, some of them seeded (with the initial volatility). See `System.rate`."""
    return Glicko2(**parameters).rate(events, start)


def expected(mu_a, sigma_a, mu_b, sigma_b, home=0.0, **parameters) -> float:
    """The expected score of a against b; home is +1 if a is at home, -1 if b is."""
    glicko2 = Glicko2(**parameters)
    # E = 1 / (1 + exp(-g(sqrt(phi_a^2 + phi_b^2)) (mu_a - mu_b)))
    phi = math.sqrt(sigma_a**2 + sigma_b**2) * glicko2.internal
    d = (mu_a - mu_b + glicko2.home_advantage * home) * glicko2.internal
    return logistic(g(phi) * d)
