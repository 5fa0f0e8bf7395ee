"""Cowan's system, "Paired comparisons for games of chance" (2023), as dense sums over a grid.

Eq. (1) and (7) for a match, (5) for newcomers, (6) and (8) for growth. Strengths are natural, x; ratings are
mu + x scale / ln 10 (Eq. 3), and so are all parameters.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .events import Event, Outcome, Row, score

LN10 = math.log(10.0)


def logistic(d):
    return 1 / (1 + np.exp(-d))


def normal_cdf(z):
    return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in np.ravel(z)]).reshape(np.shape(z))


def laplace_cdf(d, a):
    return np.where(d < 0, 0.5 * np.exp(-np.abs(d) / a), 1 - 0.5 * np.exp(-np.abs(d) / a))


def sigmoid(name: str):
    """F by the name of a luck function."""
    kind, _, inside = name.partition("(")
    numbers = [float(n) for n in inside.rstrip(")").split(",")] if inside else []
    if kind == "logistic":
        return logistic
    if kind == "heaviside":
        return lambda d: np.where(np.abs(d) < 1e-9, 0.5, d > 0)
    if kind == "fide":
        return lambda d: logistic(np.clip(d, -LN10, LN10))
    if kind == "normal":
        return lambda d: normal_cdf(d / (numbers[0] if numbers else 1.702))
    if kind == "margin":
        epsilon = numbers[0] if numbers else 0.1
        return lambda d: np.where(d > epsilon, 1.0, np.where(d < -epsilon, 0.0, 0.5))
    if kind == "laplace" and len(numbers) <= 1:
        return lambda d: laplace_cdf(d, numbers[0] if numbers else 1.0)
    if kind == "laplace":
        parts = list(zip(numbers[::2], numbers[1::2], strict=True))
        return lambda d: sum(p * laplace_cdf(d, a) for p, a in parts)
    raise ValueError(f"there is no luck function {name!r} here")


@dataclass(frozen=True, kw_only=True)
class Luck:
    """The parameters, and the steps of section 4."""

    mu: float = 1500.0
    scale: float = 400.0
    luck: str = "logistic"
    beta: float = 0.8
    sigma: float = 0.7 * 400 / LN10
    points: int = 1001
    reach: float = 7 * 400 / LN10
    growth: tuple = (0.03 * 400 / LN10,)
    growth_shares: tuple = (1.0,)
    growth_family: str = "normal"
    growth_per_day: float = 0.0
    newcomer_growth: float | None = None
    newcomer_events: int = 30
    adapt: float = 0.0
    edge: str = "once"
    draws: str = "inside"
    home_advantage: float = 0.0
    home_luck: str | None = None
    algorithm: str = "auto"  # all algorithms are to come to the same

    @property
    def unit(self) -> float:
        return LN10 / self.scale

    def grid(self):
        """x_k = -M + 2M k / n (Eq. 5)."""
        reach = self.reach * self.unit
        return -reach + 2 * reach * np.arange(self.points) / (self.points - 1)

    def newcomer(self):
        rho = np.exp(-(self.grid() ** 2) / (2 * (self.sigma * self.unit) ** 2))
        return rho / rho.sum()

    def chance(self, home: int):
        """Lambda(x, y) = (1 - beta)/2 + beta F(x - y), a row for each x; home is +1 where x is at home."""
        x = self.grid()
        d = x[:, None] - x[None, :]
        if self.home_luck is None or home == 0:
            chance = sigmoid(self.luck)(d + home * self.home_advantage * self.unit)
        elif home == 1:
            chance = sigmoid(self.home_luck)(d)
        else:
            chance = 1 - sigmoid(self.home_luck)(-d)
        return (1 - self.beta) / 2 + self.beta * chance

    def likelihoods(self, theta: float, chance, rho_a, rho_b):
        """The bracket of Eq. (1) for both players; both are compared as they were before the match."""
        if self.draws == "inside":
            kernel = chance**theta * (1 - chance) ** (1 - theta)
            return kernel @ rho_b, rho_a @ kernel
        return (
            (chance @ rho_b) ** theta * ((1 - chance) @ rho_b) ** (1 - theta),
            (rho_a @ chance) ** theta * (rho_a @ (1 - chance)) ** (1 - theta),
        )

    def kernel(self, shares, deviations, family: str):
        """K(x, x_k); each part of the mixture adds up to one on the unbounded grid."""
        x = self.grid()
        h = x[1] - x[0]
        d = np.abs(np.arange(self.points)[:, None] - np.arange(self.points)[None, :]) * h
        total = np.zeros_like(d)
        for share, deviation in zip(shares, deviations, strict=True):
            s = deviation * self.unit
            if s == 0:
                total += share * (d == 0)
                continue
            wide = h * np.arange(1, int(60 * s / h) + 60)
            if family == "normal" and s < 0.86 * h:  # the grid cannot show it: three points of its variance
                total += share * ((d == 0) * (1 - (s / h) ** 2) + np.isclose(d, h) * (s / h) ** 2 / 2)
                continue
            if family == "normal":
                f = np.exp(-(d**2) / (2 * s**2))
                everywhere = 1 + 2 * np.exp(-(wide**2) / (2 * s**2)).sum()
            else:
                b = s / math.sqrt(2)  # the variance of a Laplace density is 2 b^2
                f = np.exp(-d / b)
                everywhere = 1 + 2 * np.exp(-wide / b).sum()
            total += share * f / everywhere
        return total

    def grown(self, rho, kernel):
        """Eq. (8), normalised at the end, or with every row of K a probability on the grid (Eq. 6)."""
        if self.edge == "each":
            kernel = kernel / kernel.sum(axis=0)
        spread = kernel @ rho
        return spread / spread.sum()

    def absent(self, rho, days: float):
        if self.growth_per_day == 0 or days <= 0:
            return rho
        return self.grown(rho, self.kernel([1.0], [self.growth_per_day * math.sqrt(days)], "normal"))

    def shown(self, rho):
        """Mean and deviation on the display scale; what is narrower than a cell counts as uniform in one."""
        x = self.grid()
        mean = rho @ x
        variance = max(rho @ (x - mean) ** 2, (x[1] - x[0]) ** 2 / 12)
        return self.mu + mean / self.unit, math.sqrt(variance) / self.unit

    def growth_factor(self, played: int, surprise: float) -> float:
        factor = 1.0
        if self.newcomer_growth is not None and played < self.newcomer_events:
            factor = self.newcomer_growth
        if self.adapt > 0:
            factor *= min(max(math.sqrt(surprise), 0.25), 4.0)
        return factor


def rate(events: list[Event], start: Mapping[str, tuple[float, float | None]] = {}, **parameters) -> Outcome:
    """Rate the players of matches of two; nobody can be seeded here."""
    assert not start
    system = Luck(**parameters)
    beliefs, played, last, surprise, trace = {}, {}, {}, {}, []
    chances = {home: system.chance(home) for home in (0, 1, -1)}
    growth = system.growth or (0.0,)
    kernels = {}

    for event in events:
        names = event.players()
        home = 0 if event.home is None else 1 if event.home == 0 else -1
        theta = score(event, 0, 1)
        before = []
        for name in names:
            rho = beliefs.get(name, system.newcomer())
            if last.get(name) is not None and event.time is not None:
                rho = system.absent(rho, event.time - last[name])
            before.append(rho)
        likelihoods = system.likelihoods(theta, chances[home], *before)
        expected = before[0] @ chances[home] @ before[1]
        surprised = (theta - expected) ** 2 / max(expected * (1 - expected), 0.01)
        for name, rho, likelihood in zip(names, before, likelihoods, strict=True):
            after = rho
            if name not in event.held:
                posterior = rho * likelihood**event.weight
                if posterior.sum() > 0:
                    after = posterior / posterior.sum()
                average = surprise.get(name, 1.0)
                surprise[name] = average + system.adapt * (surprised - average)
                factor = system.growth_factor(played.get(name, 0), surprise[name])
                if factor not in kernels:
                    widened = [factor * deviation for deviation in growth]
                    shares = system.growth_shares if system.growth else (1.0,)
                    kernels[factor] = system.kernel(shares, widened, system.growth_family)
                after = system.grown(after, kernels[factor])
                beliefs[name] = after
                played[name] = played.get(name, 0) + 1
                last[name] = event.time if event.time is not None else last.get(name)
            trace.append(Row(name, *system.shown(rho), *system.shown(after)))
    return Outcome(ratings={name: system.shown(rho) for name, rho in beliefs.items()}, trace=trace)
