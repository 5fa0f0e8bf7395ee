"""Elo-MMR, with the logistic performance model; and the walk that it shares with Elo-MMX and Elo-R.

[MMR] Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions" (2021), Algorithms 1-3.
What they leave open, or print wrongly, is settled by numbered conventions:

1. sigma is updated too, by Equations (8) and (10).
2. The bars lost in print: delta and beta enter Algorithm 3 as scales, sqrt(3) / pi times the deviations;
   every term keeps the beta of its own event.
3. Newcomers diffuse before their first event as well; no days have elapsed before it.
4. rho = infinity makes the belief Gaussian even where gamma = 0.
5. Ties that are split half and half split the tie with oneself as well.
7. An event in which everybody ties is an event like any other.
8. An event's weight acts through the limits, see `weighted`.
"""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .events import Event, Outcome, Row, days_between
from .performances import Family, GumbelMin, HyperbolicSecant, Logistic, performances, tanh_half, zero

BAR = math.sqrt(3) / math.pi  # scale of a logistic distribution with standard deviation 1


def weighted(beta2: float, gamma2: float, drift: float, omega: float) -> tuple[float, float]:
    """beta^2 and gamma^2 (without the drift of the days) of an event with the weight omega.

    Convention 8: a system has a limit sigma_lim of its deviations and a weight limit w, such that

        beta^2 = (1 + 1/w) sigma_lim^2 + drift / w        gamma^2 = w sigma_lim^2

    and an event of weight omega has omega w for w. Put sigma_lim^2 = gamma^2 / w into the first equation and
    multiply by w^2: beta^2 w^2 - (gamma^2 + drift) w - gamma^2 = 0, whose root w >= 0 is taken. With omega w
    for w, the first equation gives

        beta'^2 = sigma_lim^2 + (sigma_lim^2 + drift) / (omega w)
                = sigma_lim^2 + (beta^2 - sigma_lim^2) / omega

    and the second gamma'^2 = omega w sigma_lim^2 = omega gamma^2.
    """
    b = gamma2 + drift
    w = (b + math.sqrt(b**2 + 4 * beta2 * gamma2)) / (2 * beta2)
    sigma_lim2 = gamma2 / w if w > 0 else 0.0
    return sigma_lim2 + (beta2 - sigma_lim2) / omega, omega * gamma2


# ---------------------------------------------------------------------------------------------------------
# The walk through the events, Algorithm 1


@dataclass(frozen=True, kw_only=True)
class TwoPhase:
    """Systems that estimate performances first, and update every belief by its player's performance next."""

    mu: float = 1500.0  # of newcomers
    sigma: float = 350.0  # of newcomers
    beta: float
    drift_per_day: float = 0.0
    newcomer_weights: tuple[float, ...] = ()  # of a player's first event, second event, ...
    ties: str = "whole"
    newcomer_start: str = "fixed"

    def gamma2(self) -> float:
        """The variance that an event of weight 1 brings to every player in it."""
        raise NotImplementedError

    def gaussian(self, mu: float, sigma: float) -> Any:
        """The belief about a newcomer or a seeded player."""
        raise NotImplementedError

    def performances(self, mus: list[float], variances: list[float], ranks: list[int]) -> list[float]:
        """Phase one: mus are the ratings before the event, variances delta_j^2."""
        raise NotImplementedError

    def diffused(self, belief: Any, gamma2: float) -> Any:
        """The belief after its variance has grown by gamma2."""
        raise NotImplementedError

    def updated(self, belief: Any, performance: float, beta2: float) -> Any:
        """Phase two: the belief after a performance."""
        raise NotImplementedError

    def contributions(
        self, event: Event, mus: list[float], deltas2: list[float]
    ) -> tuple[list[float], list[float]]:
        """What everybody showed, none above the event's ceiling, and how much of it was seen: all.

        Teams, which the paper leaves open, perform as the mean of their members: T = sum(c_k) / n, of mean
        sum(mu_k) / n and variance sum(delta_k^2) / n^2. Given T = P, the member k showed what the teammates
        leave if each of them did as expected: n P - sum(mu_j) over the others = mu_k + n (P - E T).
        """
        members = iter(range(len(mus)))
        teams = [[next(members) for _ in side] for side in event.sides]
        means = [sum(mus[k] for k in team) / len(team) for team in teams]
        variances = [sum(deltas2[k] for k in team) / len(team) ** 2 for team in teams]
        ceiling = math.inf if event.ceiling is None else event.ceiling
        shown = []
        for team, p in zip(teams, self.performances(means, variances, event.ranks), strict=True):
            for k in team:
                shown.append(len(team) * min(p, ceiling) - sum(mus[j] for j in team if j != k))
        return shown, [1.0] * len(mus)

    def teammates_scatter(self, event: Event, deltas2: list[float]) -> list[float]:
        """For every player the variance of n P - sum(mu_j) that is the teammates': sum(delta_j^2)."""
        members = iter(range(len(deltas2)))
        teams = [[next(members) for _ in side] for side in event.sides]
        return [sum(deltas2[j] for j in team if j != k) for team in teams for k in team]

    def teaches_start(self, event: Event) -> bool:
        """Whether first performances in the event say where newcomers start: a team's members' do not."""
        return all(len(side) == 1 for side in event.sides)

    def partly_updated(self, prior: Any, updated: Any, part: float) -> Any:
        """The belief where only a part of the performance was seen."""
        raise NotImplementedError

    def newcomer(self, firsts: list[list[float]]) -> Any:
        """The belief about a newcomer, after events with these first performances.

        Fixed, or adaptive, which no paper describes: a running mean m and variance s of first performances,
        over the latest 3,000 of them, starting at the fixed belief as if it were 30 of them (whose
        performances scatter by beta as well). A newcomer is then believed to be at a quarter of the fixed
        mean and three quarters of m, with the variance s - beta^2, or at least a quarter of the fixed one.
        """
        if self.newcomer_start == "fixed":
            return self.gaussian(self.mu, self.sigma)
        m, s, seen = self.mu, self.sigma**2 + self.beta**2, 0
        for event in firsts:
            if event:
                seen = min(seen + len(event), 3000)
                new = min(len(event) / (30 + seen), 1.0)
                mean = sum(event) / len(event)
                scatter = sum((p - mean) ** 2 for p in event) / len(event)
                # the mixture of what was known, with weight 1 - new, and of the event, with weight new
                s = (1 - new) * s + new * scatter + new * (1 - new) * (mean - m) ** 2
                m = (1 - new) * m + new * mean
        return self.gaussian(
            0.25 * self.mu + 0.75 * m, math.sqrt(max(s - self.beta**2, 0.25 * self.sigma**2))
        )

    def event_weight(self, event: Event, played: int) -> float:
        """omega, for a player who was rated in so many events before."""
        if played < len(self.newcomer_weights):
            return event.weight * self.newcomer_weights[played]
        return event.weight

    def rate(self, events: list[Event], start: Mapping[str, tuple[float, float]]) -> Outcome:
        """Walk through the events.

        The trace shows what an event finds: a belief that has drifted for days, without the diffusion that
        the event itself brings. A held player is diffused for the comparison only, and stays the same.
        """
        beliefs = {name: self.gaussian(mu, sigma) for name, (mu, sigma) in start.items()}
        history = defaultdict(list)  # name -> events in which the player was rated
        firsts = []  # for each event, the performances of those who were rated for the first time
        trace = []

        for event in events:
            if event.share is not None:
                raise ValueError("an event of this system is a ranking")
            players = event.players()
            found, drifts, betas2, gammas2 = [], [], [], []
            newcomer = self.newcomer(firsts)
            firsts.append([])
            for name in players:
                found.append(beliefs.get(name, newcomer))
                played = history[name]
                days = days_between(played[-1], event) if played else 0.0
                drifts.append(self.drift_per_day * days)
                omega = self.event_weight(event, len(played))
                beta2, gamma2 = weighted(self.beta**2, self.gamma2(), self.drift_per_day, omega)
                betas2.append(beta2)
                gammas2.append(gamma2)

            everyone = range(len(players))
            # delta_j^2 = sigma_j^2 + beta^2, after the diffusion
            deltas2 = [found[j].sigma ** 2 + gammas2[j] + drifts[j] + betas2[j] for j in everyone]
            shown, parts = self.contributions(event, [belief.mu for belief in found], deltas2)
            scatter = self.teammates_scatter(event, deltas2)
            for i, name in enumerate(players):
                performance = shown[i]
                before = after = (found[i].mu, math.sqrt(found[i].sigma ** 2 + drifts[i]))
                if name not in event.held:
                    if name not in beliefs and self.teaches_start(event):
                        firsts[-1].append(performance)
                    prior = self.diffused(found[i], gammas2[i] + drifts[i])
                    beliefs[name] = self.updated(prior, performance, betas2[i] + scatter[i])
                    if parts[i] < 1:
                        beliefs[name] = self.partly_updated(prior, beliefs[name], parts[i])
                    history[name].append(event)
                    after = (beliefs[name].mu, beliefs[name].sigma)
                trace.append(Row(name, *before, *after, performance))

        ratings = {name: (belief.mu, belief.sigma) for name, belief in beliefs.items()}
        return Outcome(ratings=ratings, trace=trace)


# ---------------------------------------------------------------------------------------------------------
# Beliefs


class Term(NamedTuple):
    """A logistic factor of the belief: a performance, its weight and the beta of its event."""

    p: float
    weight: float
    beta: float


class Belief(NamedTuple):
    """The product of a Gaussian (mean p0, weight w0) and of logistic factors, one for every event for ever.

    mu is its mode, sigma as by Equation (10).
    """

    mu: float
    sigma: float
    p0: float
    w0: float
    terms: tuple[Term, ...] = ()


def gaussian(mu: float, sigma: float) -> Belief:
    """A belief without performances."""
    return Belief(mu, sigma, mu, 1 / sigma**2)


def mode(belief: Belief, family: Family = Logistic) -> float:
    """The rating: the zero of L'(s), Equation (10) and the last line of Algorithm 3.

    With another family than the logistic one: the sum of omega_k / beta_k d((p_k - s) / beta_k), where
    omega_k = w_k beta_k^2 and d = f' / f; the Gaussian term stays.
    """

    def descent(s: float) -> float:
        """-L'(s)"""
        summands = [-belief.w0 * (s - belief.p0)]
        for term in belief.terms:
            if family is not Logistic:
                pulls = family.draw((term.p - s) / term.beta)
                summands += [-term.weight * term.beta * pull for pull in pulls]
                continue
            bar = BAR * term.beta
            # (w_k beta_k^2 / bar beta_k) tanh((s - p_k) / (2 bar beta_k))
            slope = term.weight * term.beta**2 / bar
            summands += [-slope * part for part in tanh_half((s - term.p) / bar)]
        return math.fsum(summands)

    # A factor does not pull where (p_k - s) / beta_k is the mode of its family: 0 if that is symmetric.
    rest = 0.0 if family is Logistic else zero(lambda z: math.fsum(family.draw(z)), -10.0, 10.0)
    centres = [belief.p0, *(term.p - rest * term.beta for term in belief.terms)]
    return zero(descent, min(centres), max(centres))


def diffused(belief: Belief, gamma2: float, rho: float) -> Belief:
    """Algorithm 2: the pseudodiffusion by gamma2."""
    kappa = 1 / (1 + gamma2 / belief.sigma**2)
    # Convention 4: with rho = infinity all weight is transferred, also where kappa = 1.
    kept = 0.0 if rho == math.inf else kappa**rho
    total = math.fsum([belief.w0, *(term.weight for term in belief.terms)])
    w_gauss, w_logistic = kept * belief.w0, (1 - kept) * total
    return Belief(
        mu=belief.mu,
        sigma=belief.sigma / math.sqrt(kappa),
        p0=(w_gauss * belief.p0 + w_logistic * belief.mu) / (w_gauss + w_logistic),
        w0=kappa * (w_gauss + w_logistic),
        terms=tuple(term._replace(weight=kappa * kept * term.weight) for term in belief.terms),
    )


def updated(belief: Belief, performance: float, beta2: float, family: Family = Logistic) -> Belief:
    """Phase two, Algorithm 3: one factor more, its mode and (convention 1) its deviation."""
    pushed = belief._replace(terms=(*belief.terms, Term(performance, 1 / beta2, math.sqrt(beta2))))
    # Equation (10): 1 / sigma^2 = sum of the weights
    total = math.fsum([pushed.w0, *(term.weight for term in pushed.terms)])
    return pushed._replace(mu=mode(pushed, family), sigma=1 / math.sqrt(total))


# ---------------------------------------------------------------------------------------------------------
# The system


@dataclass(frozen=True, kw_only=True)
class EloMMR(TwoPhase):
    """Elo-MMR(rho, beta, gamma)."""

    beta: float = math.sqrt(6) * 80
    gamma: float = math.sqrt(0.2) * 80
    rho: float = 1.0
    performance: str = "logistic"

    @property
    def family(self) -> Family:
        families = {"logistic": Logistic, "hyperbolic-secant": HyperbolicSecant, "gumbel-min": GumbelMin}
        return families[self.performance]

    def gamma2(self) -> float:
        return self.gamma**2

    def gaussian(self, mu: float, sigma: float) -> Belief:
        return gaussian(mu, sigma)

    def performances(self, mus: list[float], variances: list[float], ranks: list[int]) -> list[float]:
        bar = BAR if self.performance == "logistic" else 1.0  # the others are given at variance 1
        scales = [bar * math.sqrt(delta2) for delta2 in variances]  # bar delta_j
        return performances(self.family, mus, scales, ranks, self.ties)

    def diffused(self, belief: Belief, gamma2: float) -> Belief:
        return diffused(belief, gamma2, self.rho)

    def updated(self, belief: Belief, performance: float, beta2: float) -> Belief:
        return updated(belief, performance, beta2, self.family)


def rate(events: list[Event], start: Mapping[str, tuple[float, float]] = {}, **parameters) -> Outcome:
    """Rate the players of events, some of them seeded. See `TwoPhase.rate`."""
    return EloMMR(**parameters).rate(events, start)
