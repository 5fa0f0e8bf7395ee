"""Elo-R, the forerunner of Elo-MMR, with its four ways to add noise between events.

[R] Ebtekar, "Elo-R Competition Rating System" (2015, revised 2020), Algorithms 1-4, without any limit to the
history. Its symbols: gamma is `beta` here, sigma* is `sigma_limit`, eta is the noise of an event. Settled by
convention, because the paper leaves it open:

11. All numbers enter the formulas as they stand: the bars are implicit.
12. Ties are a win plus a loss as the algorithms print them; split half and half as in section 3, the tie with
    oneself, which is the prior, stays whole.
13. "Constant multiple on only the leading tau" multiplies the leading tau by 1 + eta^2 / sigma^2, not its
    root, and treats the normal factor as "all" does.
14. "All" moves the mode; phase one uses the rating from before.

The weight of an event acts as in Elo-MMR, with eta for gamma.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .elo_mmr import TwoPhase
from .events import Event, Outcome
from .performances import Logistic, performances, split, tanh_half, zero


class Term(NamedTuple):
    """A performance mu and its share in the slope of the belief, tanh((s - mu) / tau) / lead."""

    mu: float
    lead: float  # the leading tau; it differs from the other only after "leading" noise
    tau: float

    @property
    def weight(self) -> float:
        return 1 / (self.lead * self.tau)


class Belief(NamedTuple):
    """The product of a normal factor (mean mu0, variance 1 / w0) and of one factor for every event.

    mu is the rating after the last event, its mode then; sigma as at the end of section 4.
    """

    mu: float
    sigma: float
    mu0: float
    w0: float
    terms: tuple[Term, ...] = ()


def gaussian(mu: float, sigma: float) -> Belief:
    """A belief without performances, Algorithm 3."""
    return Belief(mu, sigma, mu, 1 / sigma**2)


def total_weight(w0: float, terms: tuple[Term, ...]) -> float:
    """1 / sigma^2 = 1 / tau_0^2 + sum of 1 / tau_k^2, at the end of section 4."""
    return math.fsum([w0, *(term.weight for term in terms)])


def mode(belief: Belief) -> float:
    """The zero of (s - mu_0) / tau_0^2 + sum of tanh((s - mu_k) / tau_k) / tau_k, section 4."""

    def descent(s: float) -> float:
        summands = [-belief.w0 * (s - belief.mu0)]
        for term in belief.terms:
            summands += [-part / term.lead for part in tanh_half(2 * (s - term.mu) / term.tau)]
        return math.fsum(summands)

    centres = [belief.mu0, *(term.mu for term in belief.terms)]
    return zero(descent, min(centres), max(centres))


# ---------------------------------------------------------------------------------------------------------
# Noise


def pull(distance: float, tau: float) -> float:
    """w_k of section 4, tanh(x / tau) / (x tau), and its limit for x = 0."""
    if distance == 0:
        return 1 / tau**2
    return math.tanh(distance / tau) / (distance * tau)


def weakened(term: Term, rating: float, q: float) -> Term:
    """The term with its tau' of section 5.2: its pull at the rating is q = 1 / kappa^2 times what it was."""
    distance = abs(rating - term.mu)
    wanted = q * pull(distance, term.tau)
    # pull falls with tau, and is at most 1 / tau^2.
    _, tau = split(lambda tau: pull(distance, tau) > wanted, term.tau, 1 / math.sqrt(wanted))
    return Term(term.mu, tau, tau)


def fancy(belief: Belief, growth: float) -> tuple[float, tuple[Term, ...]]:
    """w_0' and the terms of section 5.2: kappa such that the total weight falls by the factor `growth`."""
    wanted = total_weight(belief.w0, belief.terms) / growth

    def noise_missing(kappa2: float) -> float:
        """Decreasing: the weight that is still to go."""
        terms = tuple(weakened(term, belief.mu, 1 / kappa2) for term in belief.terms)
        return total_weight(belief.w0 / kappa2, terms) - wanted

    # The weight of a normal factor falls by kappa^2, of any other by more: kappa^2 is at most the growth.
    kappa2 = zero(noise_missing, 1.0, growth)
    return belief.w0 / kappa2, tuple(weakened(term, belief.mu, 1 / kappa2) for term in belief.terms)


def noised(belief: Belief, eta2: float, noise: str) -> Belief:
    """The belief after noise: the variance is sigma^2 + eta^2, the rating as it was (convention 14)."""
    growth = 1 + eta2 / belief.sigma**2
    mu0, w0, terms = belief.mu0, belief.w0 / growth, belief.terms
    if noise == "normal":  # 6.2.1
        mu0, w0, terms = belief.mu, 1 / (belief.sigma**2 + eta2), ()
    elif noise == "leading":  # 6.2.2, convention 13
        terms = tuple(term._replace(lead=term.lead * growth) for term in terms)
    elif noise == "all":  # 6.2.3
        root = math.sqrt(growth)
        terms = tuple(Term(term.mu, term.lead * root, term.tau * root) for term in terms)
    elif noise == "fancy":  # 6.2.4
        w0, terms = fancy(belief, growth)
    else:
        raise ValueError(f"noise is 'normal', 'leading', 'all' or 'fancy', not {noise!r}")
    return Belief(belief.mu, math.sqrt(belief.sigma**2 + eta2), mu0, w0, terms)


def updated(belief: Belief, performance: float, beta2: float) -> Belief:
    """Phase two, the end of Algorithm 4."""
    beta = math.sqrt(beta2)
    pushed = belief._replace(terms=(*belief.terms, Term(performance, beta, beta)))
    return pushed._replace(mu=mode(pushed), sigma=1 / math.sqrt(total_weight(pushed.w0, pushed.terms)))


# ---------------------------------------------------------------------------------------------------------
# The system


@dataclass(frozen=True, kw_only=True)
class EloR(TwoPhase):
    """Elo-R."""

    beta: float = 250.0
    sigma_limit: float = 100.0
    noise: str = "fancy"

    def gamma2(self) -> float:
        # eta^2 = 1 / (1 / sigma*^2 - 1 / gamma^2) - sigma*^2
        return 1 / (1 / self.sigma_limit**2 - 1 / self.beta**2) - self.sigma_limit**2

    def gaussian(self, mu: float, sigma: float) -> Belief:
        return gaussian(mu, sigma)

    def performances(self, mus: list[float], variances: list[float], ranks: list[int]) -> list[float]:
        # tanh((x - r_j) / delta_j) / delta_j = (2 F - 1) / delta_j, F logistic of scale delta_j / 2
        scales = [math.sqrt(delta2) / 2 for delta2 in variances]
        ties = "others half" if self.ties == "half" else self.ties
        return performances(Logistic, mus, scales, ranks, ties)

    def diffused(self, belief: Belief, gamma2: float) -> Belief:
        return noised(belief, gamma2, self.noise)

    def updated(self, belief: Belief, performance: float, beta2: float) -> Belief:
        return updated(belief, performance, beta2)


def rate(events: list[Event], start: Mapping[str, tuple[float, float]] = {}, **parameters) -> Outcome:
    """Rate the players of events, some of them seeded. See `TwoPhase.rate`."""
    return EloR(**parameters).rate(events, start)
