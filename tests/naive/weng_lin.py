"""Weng and Lin's system with its five models, and the variant of it known as BAR.

[WL] Weng and Lin, "A Bayesian Approximation Method for Online Ranking" (2011), Algorithms 1-4. Omega and
Delta are the paper's, of a team; gamma is sigma_i / c, its suggestion, or 1 / k.
[MMR] Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions" (2021): BAR in their
experiments, and the program that made them.

What [WL] leaves open:

1. Where teams are tied, partial pairing depends on an order of the tied that is chosen at will. Omega and
   Delta are averaged over all such orders.
2. A team's performance is the sum of its members', each by the part of the event played: mu_i is the sum of
   play mu_ij, sigma_i^2 that of play^2 sigma_ij^2. The derivative of mu_i by mu_ij being play, a member's
   share of Omega is play sigma_ij^2 / sigma_i^2, and that of Delta play^2 sigma_ij^2 / sigma_i^2.
3. tau^2, and drift_per_day for every day since the last event, are added to sigma_ij^2 of those in the event.
4. An event of weight w has beta^2 / w.

From the source of openskill 6.2.0 are limit_sigma, margins and weights of members (partial_play="weight").
"""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, groupby, pairwise, permutations, product
from typing import NamedTuple

from .events import Event, Outcome, Row, days_between, home_sign, logistic, score
from .newcomers import Newcomers, performance, told_by_others


class Team(NamedTuple):
    """A side of an event: the sums of its members."""

    mu: float
    sigma2: float
    rank: int


# ---------------------------------------------------------------------------------------------------------
# V and W of [WL], Algorithm 3


def hazard_and_excess(z: float) -> tuple[float, float]:
    """h(z) = phi(z) / (1 - Phi(z)) and h(z) - z; far out by h(z) - z = 1 / (z + 2 / (z + 3 / ...))."""
    if z < 5:
        density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        h = density / (math.erfc(z / math.sqrt(2)) / 2)
        return h, h - z
    tail = z
    for n in range(200, 1, -1):
        tail = z + n / tail
    return z + 1 / tail, 1 / tail


def v_and_w(x: float, t: float) -> tuple[float, float]:
    """V = phi(x - t) / Phi(x - t) and W = V (V + x - t)."""
    v, v_plus_x_minus_t = hazard_and_excess(t - x)
    return v, v * v_plus_x_minus_t


def v_and_w_of_draws(x: float, t: float) -> tuple[float, float]:
    """V and W with a tilde: the mean of a normal number between -t - x and t - x, and 1 minus its variance.

    By Simpson's rule, for s = what the number is above -x; 6000 steps are right to 1e-10 even where the
    interval lies ten deviations away.
    """
    if t == 0:
        return -x, 1.0
    n = 6000
    mass = first = second = 0.0
    for k in range(n + 1):
        s = t * (2 * k / n - 1)
        # the density at s - x, over the one at the point of the interval next to 0
        nearest = min(max(x, -t), t)
        density = math.exp(((nearest - x) ** 2 - (s - x) ** 2) / 2)
        density *= 1 if k in (0, n) else 4 if k % 2 else 2
        mass += density
        first += density * s
        second += density * s**2
    return first / mass - x, 1 - (second / mass - (first / mass) ** 2)


# ---------------------------------------------------------------------------------------------------------
# The system


@dataclass(frozen=True, kw_only=True)
class WengLin:
    """[WL] or BAR, by `model`."""

    mu: float = 25.0
    sigma: float = 25 / 3
    beta: float = 25 / 6
    tau: float = 25 / 300
    drift_per_day: float = 0.0
    home_advantage: float = 0.0
    model: str = "plackett-luce"
    gamma: str = "deviation"
    draw_margin: float = 0.1
    kappa: float = 1e-4
    limit_sigma: str = "off"  # on: as in OpenSkill, an event never raises a deviation
    margin: float | None = None  # the lead in scores above which it counts
    partial_play: str = "part"  # or weight: of gains and losses
    newcomer_start: str = "fixed"

    def lead(self, event: Event, i: int, q: int) -> float:
        """margin_divisor, or margin_factor, of openskill."""
        if self.margin is None or event.scores is None:
            return 1.0
        ahead = abs(event.scores[i] - event.scores[q])
        return math.log1p(ahead / self.margin) if ahead > self.margin else 1.0

    def weights(self, event: Event, side: list[str], omega: float) -> list[float]:
        """What multiplies the changes of each member: openskill normalizes weights to 1 to 2 in each team."""
        parts = [event.play.get(name, 1.0) for name in side]
        if self.partial_play == "part" or all(event.play.get(name, 1.0) == 1.0 for name in event.players()):
            return [1.0] * len(side)
        low, high = min(parts), max(parts)
        scaled = [1 + (part - low) / ((high - low) or 0.0001) for part in parts] if len(side) > 1 else [2.0]
        return scaled if omega >= 0 else [1 / weight for weight in scaled]

    def slowing(self, team: Team, c: float, k: int) -> float:
        """gamma_q of [WL]."""
        return math.sqrt(team.sigma2) / c if self.gamma == "deviation" else 1 / k

    # ------------------------------------------------------------------ pairs

    def pair(self, event: Event, teams: list[Team], i: int, q: int, beta2: float) -> tuple[float, float]:
        """delta_q and eta_q of [WL], that is, what the pair adds to Omega_i and to Delta_i."""
        one, other = teams[i], teams[q]
        c = math.sqrt(one.sigma2 + other.sigma2 + 2 * beta2)
        x = (one.mu - other.mu + self.home_advantage * home_sign(event, i, q)) / c
        x /= self.lead(event, i, q)
        s = score(event, i, q)
        if self.model.startswith("bradley-terry"):  # Algorithm 1
            p = logistic(x)
            surprise, information = s - p, p * logistic(-x)
        elif s == 0.5:  # Algorithm 3
            surprise, information = v_and_w_of_draws(x, self.draw_margin / c)
        elif s == 1.0:
            surprise, information = v_and_w(x, self.draw_margin / c)
        else:
            surprise, information = v_and_w(-x, self.draw_margin / c)
            surprise = -surprise
        slowed = self.slowing(one, c, len(teams))
        return one.sigma2 / c * surprise, slowed * one.sigma2 / c**2 * information

    def full(self, event: Event, teams: list[Team], beta2: float) -> list[tuple[float, float]]:
        """Algorithms 1 and 3: all pairs."""
        everyone = range(len(teams))
        found = []
        for i in everyone:
            pairs = [self.pair(event, teams, i, q, beta2) for q in everyone if q != i]
            found.append((sum(omega for omega, _ in pairs), sum(delta for _, delta in pairs)))
        return found

    def part(self, event: Event, teams: list[Team], beta2: float) -> list[tuple[float, float]]:
        """Algorithm 2: pairs of neighbours; the mean over all orders r that the ranks allow."""
        ranked = sorted(range(len(teams)), key=lambda i: teams[i].rank)
        ties = [list(tied) for _, tied in groupby(ranked, key=lambda i: teams[i].rank)]
        orders = [list(chain.from_iterable(order)) for order in product(*map(permutations, ties))]
        omegas, deltas = [0.0] * len(teams), [0.0] * len(teams)
        for order in orders:
            for a, b in pairwise(order):
                for i, q in ((a, b), (b, a)):
                    omega, delta = self.pair(event, teams, i, q, beta2)
                    omegas[i] += omega / len(orders)
                    deltas[i] += delta / len(orders)
        return list(zip(omegas, deltas, strict=True))

    # ------------------------------------------------------------------ rankings

    def ranking(self, event: Event, teams: list[Team], beta2: float) -> list[tuple[float, float]]:
        """Algorithm 4."""
        everyone = range(len(teams))
        c = math.sqrt(sum(team.sigma2 + beta2 for team in teams))
        mus = [team.mu + self.home_advantage * (event.home == i) for i, team in enumerate(teams)]
        if self.margin is not None and event.scores is not None:  # _sum_q of openskill
            unlike = [[q for q in everyone if event.scores[q] != event.scores[i]] for i in everyone]
            drawn = [
                sum((mus[i] - mus[q]) * (self.lead(event, i, q) - 1) for q in unlike[i]) for i in everyone
            ]
            mus = [mus[i] - drawn[i] / max(len(unlike[i]), 1) for i in everyone]

        def chance(i: int, q: int) -> float:
            """p_iq = e^(mu_i / c) / sum over s in C_q of e^(mu_s / c), C_q being those not before q."""
            below = [math.exp(min((mus[s] - mus[i]) / c, 700)) for s in everyone if ranks[s] >= ranks[q]]
            return 1 / sum(below)

        ranks = [team.rank for team in teams]
        tied = [ranks.count(rank) for rank in ranks]  # A_q
        found = []
        for i in everyone:
            before = [q for q in everyone if ranks[q] <= ranks[i]]
            surprise = sum(((q == i) - chance(i, q)) / tied[q] for q in before)
            information = sum(chance(i, q) * (1 - chance(i, q)) / tied[q] for q in before)
            slowed = self.slowing(teams[i], c, len(teams))
            sigma2 = teams[i].sigma2
            found.append((sigma2 / c * surprise, slowed * sigma2 / c**2 * information))
        return found

    # ------------------------------------------------------------------ BAR

    def bar(self, event: Event, teams: list[Team], beta2: float) -> list[tuple[float, float]]:
        """The mean of (outcome - probability) / c over all, oneself included; one match of information 1/4.

        The probability is that of a logistic distribution with standard deviation 1.
        """
        found = []
        for i, one in enumerate(teams):
            update = 0.0
            for q, other in enumerate(teams):
                c = math.sqrt(one.sigma2 + other.sigma2 + 2 * beta2)
                x = (one.mu - other.mu + self.home_advantage * home_sign(event, i, q)) / c
                x /= self.lead(event, i, q)
                outcome = 0.5 if i == q else score(event, i, q)
                update += (outcome - logistic(math.pi / math.sqrt(3) * x)) / c / len(teams)
            found.append((one.sigma2 * update, one.sigma2 * 0.25 / (one.sigma2 + 2 * beta2)))
        return found

    # ------------------------------------------------------------------ the walk through the events

    def evidence(self, event: Event, teams: list[Team]) -> list[tuple[float, float]]:
        """Omega_i and Delta_i of every team."""
        beta2 = self.beta**2 / event.weight
        if self.model == "plackett-luce":
            return self.ranking(event, teams, beta2)
        if self.model == "one-match":
            return self.bar(event, teams, beta2)
        return (self.part if self.model.endswith("part") else self.full)(event, teams, beta2)

    def rate(self, events: list[Event], start: Mapping[str, tuple[float, float]]) -> Outcome:
        """Walk through the events; the trace shows beliefs before tau^2 is added."""
        beliefs = dict(start)
        newcomers = Newcomers(self.mu, self.newcomer_start == "adaptive")
        last = defaultdict(lambda: None)  # name -> the last event in which the player was rated
        trace = []
        for event in events:
            found, drifted, performances = {}, {}, []
            new = [name for name in event.players() if name not in beliefs]
            for name in event.players():
                mu, sigma = beliefs.get(name, (newcomers.start(), self.sigma))
                days = days_between(last[name], event) if last[name] else 0.0
                found[name] = (mu, math.sqrt(sigma**2 + self.drift_per_day * days))
                drifted[name] = sigma**2 + self.drift_per_day * days + self.tau**2
            play = {name: event.play.get(name, 1.0) for name in event.players()}
            if self.partial_play == "weight":
                play = dict.fromkeys(play, 1.0)
            teams = [
                Team(
                    sum(play[name] * found[name][0] for name in side),
                    sum(play[name] ** 2 * drifted[name] for name in side),
                    rank,
                )
                for side, rank in zip(event.sides, event.ranks, strict=True)
            ]
            for side, team, (omega, delta) in zip(
                event.sides, teams, self.evidence(event, teams), strict=True
            ):
                for name, weight in zip(side, self.weights(event, side, omega), strict=True):
                    before = after = found[name]
                    if name not in event.held:
                        part, variance = play[name], drifted[name]
                        mu = before[0] + part * variance / team.sigma2 * omega * weight
                        left = max(1 - part**2 * variance / team.sigma2 * delta * weight, self.kappa)
                        sigma = math.sqrt(variance * left)
                        if self.limit_sigma == "on":
                            sigma = min(sigma, before[1])
                        after = beliefs[name] = (mu, sigma)
                        last[name] = event
                        if name in new:
                            performances.append(performance(before[0], variance, mu, sigma**2))
                    trace.append(Row(name, *before, *after))
            newcomers.learn(told_by_others(event.players(), new, performances))
        return Outcome(ratings=beliefs, trace=trace)


def rate(events: list[Event], start: Mapping[str, tuple[float, float]] = {}, **parameters) -> Outcome:
    """Rate the players of events, some of them seeded. See `WengLin.rate`."""
    return WengLin(**parameters).rate(events, start)
