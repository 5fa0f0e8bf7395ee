"""The framework of Elo-MMR with any log-concave distribution of performances, given by three functions.

Section 3 of the paper asks of a distribution only its functions l, d and v: the derivatives of ln(1 − F), of
ln f and of ln F. Both phases are zeros of sums of them. The logistic, the normal and the Gumbel distribution
are compiled (`logistic_performances`, `normal_contests`, `gumbel_kernels`); any other is solved here as
exactly, in NumPy, in time quadratic in the contest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Ints
from podium.errors import ParameterError
from podium.named import Registry
from podium.systems.elo_mmr.gumbel_kernels import (
    CERTAIN_ODDS,
    EULER,
    GUMBEL_SWEEP,
    HIGHEST_POWER,
    LOWEST_POWER,
    STEEPNESS,
    learn_gumbel,
)
from podium.systems.elo_mmr.performance_sweeps import Learning, Performances

Function = Callable[[Floats], Floats]


class CompiledPhases(NamedTuple):
    """Both phases of Elo-MMR for one distribution."""

    performances: Performances
    learn: Learning


@dataclass(frozen=True)
class PerformanceDistribution:
    """A log-concave distribution of mean 0 and variance 1."""

    name: str
    loss: Function
    """l(z) = d/dz ln(1 − F(z)): the term of a loss in Q; negative and falling."""
    draw: Function
    """d(z) = d/dz ln f(z): the term of a draw in Q, and of a performance in a belief; falling."""
    victory: Function
    """v(z) = d/dz ln F(z): the term of a win in Q; positive and falling."""
    compiled: CompiledPhases | None = None
    """The same functions, compiled into both phases."""

    @cached_property
    def mode(self) -> float:
        """The most likely z, where a performance does not pull; not the mean if f is skewed."""
        return float(solve_decreasing(self.draw, np.array([-10.0]), np.array([10.0]))[0])

    def cdf(self, z: Floats) -> Floats:
        """F(z), computed from l = −f/(1 − F) and v = f/F."""
        lost, won = -self.loss(z), self.victory(z)
        below: Floats = lost / (lost + won)
        return below

    def density(self, z: Floats) -> Floats:
        """f(z), computed from `loss` and `victory`."""
        return self.victory(z) * self.cdf(z)


def register_distribution(
    distribution: PerformanceDistribution, *, replace: bool = False
) -> PerformanceDistribution:
    """Register a distribution under its name, for ``EloMMR(performance=name)``.

    Its functions are tried out: a distribution that is not log-concave, or not of mean 0 and variance 1, is
    refused, and so is a name that is taken, unless it is to `replace` the earlier one.
    """
    name = distribution.name
    replace = replace or DISTRIBUTIONS.get(name) == distribution
    DISTRIBUTIONS.check_free(name, distribution, replace=replace)
    _check(distribution)
    DISTRIBUTIONS.register(name, distribution, replace=replace)
    return distribution


def _check(distribution: PerformanceDistribution) -> None:
    """Refuse functions that are no log-concave distribution of mean 0 and variance 1."""
    z = np.linspace(-30.0, 30.0, 6001)
    middle = np.abs(z) <= 5.0
    with np.errstate(all="ignore"):
        loss, draw, victory = (f(z) for f in (distribution.loss, distribution.draw, distribution.victory))
        mass = distribution.density(z)
    name = distribution.name
    for what, values in (("loss", loss), ("draw", draw), ("victory", victory)):
        if not np.all(np.isfinite(values)) or np.any(np.diff(values[middle]) > 1e-9):
            raise ParameterError(f"{what} of {name!r} is not finite and falling, as log-concavity has it")
    if np.any(loss[middle] > 0.0) or np.any(victory[middle] < 0.0):
        raise ParameterError(f"{name!r}: loss must be negative and victory positive")
    mean, variance = (float((mass * moment).sum() / mass.sum()) for moment in (z, z * z))
    if abs(mean) > 0.01 or abs(variance - mean**2 - 1.0) > 0.02:
        raise ParameterError(
            f"{name!r} has mean {mean:.3g} and variance {variance - mean**2:.3g}, not 0 and 1",
            hint="scale its functions: f(z) becomes s f(s z)",
        )


def _secant_loss(z: Floats) -> Floats:
    e = np.exp(-0.5 * math.pi * np.minimum(np.abs(z), 400.0))  # beyond, nothing changes but that e vanishes
    above = np.where(z >= 0.0, np.arctan(e), 0.5 * math.pi - np.arctan(e))  # (π/2) (1 − F)
    loss: Floats = -0.5 * math.pi * e / (1.0 + e * e) / above
    return loss


HYPERBOLIC_SECANT = PerformanceDistribution(
    "hyperbolic-secant",
    loss=_secant_loss,
    draw=lambda z: -0.5 * math.pi * np.tanh(0.5 * math.pi * z),
    victory=lambda z: -_secant_loss(-z),
)
"""f(z) = ½ sech(πz/2), whose tails are thicker than the logistic's: more robust still."""


def _gumbel_odds(z: Floats) -> Floats:
    """x of F(z) = 1 − e^−x."""
    odds: Floats = np.exp(np.clip(STEEPNESS * z - EULER, LOWEST_POWER, HIGHEST_POWER))
    return odds


def _gumbel_victory(z: Floats) -> Floats:
    x = np.minimum(_gumbel_odds(z), CERTAIN_ODDS)
    victory: Floats = STEEPNESS * x / np.expm1(x)
    return victory


GUMBEL_MIN = PerformanceDistribution(
    "gumbel-min",
    loss=lambda z: -STEEPNESS * _gumbel_odds(z),
    draw=lambda z: STEEPNESS * (1.0 - _gumbel_odds(z)),
    victory=_gumbel_victory,
    compiled=CompiledPhases(GUMBEL_SWEEP.in_threads, learn_gumbel),
)
"""F(z) = 1 − exp(−e^(az − c)), of the worst of many: bad days reach further down than good ones reach up."""

DISTRIBUTIONS: Registry[PerformanceDistribution | None] = Registry(
    "distribution",
    {"logistic": None, "hyperbolic-secant": HYPERBOLIC_SECANT, "gumbel-min": GUMBEL_MIN},
    own=". For others, use register_distribution. For normal ones, use elo-mmx",
)
"""Distributions by name; the logistic one is compiled, and None here."""


def solve_decreasing(function: Function, low: Floats, high: Floats) -> Floats:
    """The zeros of many decreasing functions at once, each between its `low` and `high` (Chandrupatla 1997).

    `function` takes one argument for each of them.
    """
    x1, x2 = high.copy(), low.copy()
    f1, f2 = function(x1), function(x2)
    t = np.full_like(x1, 0.5)
    for _ in range(200):
        x = x1 + t * (x2 - x1)
        f = function(x)
        same = np.sign(f) == np.sign(f1)
        x3, f3 = np.where(same, x1, x2), np.where(same, f1, f2)
        x2, f2 = np.where(same, x2, x1), np.where(same, f2, f1)
        x1, f1 = x, f
        best = np.where(np.abs(f1) < np.abs(f2), x1, x2)
        gap = np.abs(x2 - x1)
        least = np.minimum((1e-15 * np.abs(best) + 1e-12) / np.maximum(gap, 1e-300), 0.5)
        if np.all((least >= 0.5) | (f1 == 0.0)):
            break
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            xi, phi = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
            smooth = (phi * phi < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
            quadratic = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (
                f3 - f2
            )
        t = np.where(smooth & np.isfinite(quadratic), quadratic, 0.5)
        t = np.clip(t, least, 1.0 - least)
    return best


MATRIX_NUMBERS = 4_000_000
"""Numbers in a matrix of players by tie groups at a time."""
PAIRS_AT_ONCE = 1000
"""Pairs of players whose chances are integrated at a time."""


def performances(
    distribution: PerformanceDistribution, mu: Floats, delta: Floats, rank: Ints, half: bool
) -> Floats:
    """Each row's performance: the zero of Q (Theorem 3.2); ties are whole, or half also with oneself."""
    levels, group = np.unique(rank, return_inverse=True)
    found = np.empty(len(levels))
    width = max(MATRIX_NUMBERS // len(mu), 1)
    margin = float(delta.max()) * (10.0 + math.log(len(mu)))
    for first in range(0, len(levels), width):
        chosen = np.arange(first, min(first + width, len(levels)))[:, None]
        better, tied = group < chosen, group == chosen

        def surplus(x: Floats, better: Bools = better, tied: Bools = tied) -> Floats:
            z = (x[:, None] - mu) / delta
            lost, won = distribution.loss(z), distribution.victory(z)
            level = 0.5 * (lost + won) if half else distribution.draw(z)
            total: Floats = (np.where(tied, level, np.where(better, lost, won)) / delta).sum(axis=1)
            return total

        low, high = np.full(len(chosen), mu.min() - margin), np.full(len(chosen), mu.max() + margin)
        for _ in range(200):
            short = surplus(low) <= 0.0
            long = surplus(high) >= 0.0
            if not (short.any() or long.any()):
                break
            low, high = np.where(short, low - margin, low), np.where(long, high + margin, high)
            margin *= 2.0
        found[chosen[:, 0]] = solve_decreasing(surplus, low, high)
    shown: Floats = found[group]
    return shown


def pulls(
    distribution: PerformanceDistribution, s: float | Floats, p: Floats, w: Floats, beta: Floats
) -> Floats:
    """The term of each factor in L'(s): ω/β d((p − s)/β) with the multiplicity ω = w β² (Eq. 10)."""
    pulled: Floats = w * beta * distribution.draw((p - s) / beta)
    return pulled


def largest_pull(distribution: PerformanceDistribution, side: float) -> float:
    """The strongest pull of a factor with w β = 1, from above (1) or below (−1); infinite if unbounded."""
    near, far = np.abs(distribution.draw(side * np.array([40.0, 80.0]))).tolist()
    return float(far) if math.isclose(near, far, rel_tol=1e-6) else math.inf


def mode(
    distribution: PerformanceDistribution,
    p0: float,
    w0: float,
    p: Floats,
    w: Floats,
    beta: Floats,
    pull: float = 0.0,
) -> float:
    """The zero of L' − pull, among p₀ and the ratings at which a factor does not pull, or that far beyond."""

    def descent(s: Floats) -> Floats:
        pulled = pulls(distribution, float(s[0]), p, w, beta).sum()
        left: Floats = pull - w0 * (s - p0) - pulled
        return left

    beyond = abs(pull) / w0 if w0 > 0.0 else math.inf
    if pull != 0.0 and math.isinf(beyond):
        return math.copysign(math.inf, pull)
    at_rest = p - distribution.mode * beta
    low, high = at_rest.min(initial=p0) - beyond, at_rest.max(initial=p0) + beyond
    return float(solve_decreasing(descent, np.array([low]), np.array([high]))[0])


def win_probability(
    distribution: PerformanceDistribution, difference: Floats, a: Floats, b: Floats
) -> Floats:
    """The probability that the first of two performances is the higher: ∫ f(u) F((d + a u)/b) du."""
    nodes = np.arange(-640, 641) / 20.0
    mass = distribution.density(nodes)
    mass = mass / mass.sum()
    given = np.broadcast_arrays(difference, a, b)
    d, wide, other = (np.ravel(x) for x in given)
    total = np.empty(len(d))
    for first in range(0, len(d), PAIRS_AT_ONCE):
        part = slice(first, first + PAIRS_AT_ONCE)
        reached = (d[part, None] + wide[part, None] * nodes) / other[part, None]
        # Not a matrix product: the last bits of those depend on how many pairs there are.
        total[part] = np.sum(distribution.cdf(reached) * mass, axis=1)
    return total.reshape(given[0].shape)
