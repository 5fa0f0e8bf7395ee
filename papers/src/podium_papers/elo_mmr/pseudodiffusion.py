"""Theorem 4.1: which of the properties of section 4.1 the drift between contests has, for each ρ."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import polars as pl

from podium.arrays import Floats
from podium.systems.elo_mmr.beliefs import DRIFT_TRANSFER, drifted, mode, room_for
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium_papers.elo_mmr.published import (
    COMPOSABILITY,
    CORRECT_MAGNITUDE,
    FAILS_ZERO_DIFFUSION,
    FAILS_ZERO_UNCERTAINTY,
    MEETS_ALL,
    RATING_PRESERVATION,
    ZERO_DIFFUSION,
    ZERO_UNCERTAINTY,
)
from podium_papers.items import Result, Setting, seeds_named
from podium_papers.printed import Printed, held, rho_named

RHOS = (0.0, 0.1, 0.5, 1.0, 10.0, math.inf)
SYSTEM = EloMMR()
BELIEFS, QUICK_BELIEFS = 200, 20
PERFORMANCES = 12
"""Remembered performances of each belief."""
TAU = np.full(PERFORMANCES, SYSTEM.rules().tau * SYSTEM.beta)
TINY = 1e-12
"""What stands for γ → 0, in parts of σ²."""
CERTAIN = 1e-200
"""What stands for σ → 0: σ² in parts of γ². With ρ = 0.1 the remembered weights keep its tenth root."""
ROUNDING = 1e-6
"""Points, or parts of a weight, that may be lost to rounding."""
PROPERTIES: dict[str, tuple[Printed, str]] = {
    "rating preservation": (RATING_PRESERVATION, "points that the rating moves"),
    "correct magnitude": (CORRECT_MAGNITUDE, "part of σ² + γ² that the new σ² is off"),
    "composability": (COMPOSABILITY, "part of the weight by which two steps differ from one"),
    "zero diffusion": (ZERO_DIFFUSION, "part of the weight that moves as γ → 0"),
    "zero uncertainty": (ZERO_UNCERTAINTY, "part of the weight still remembered as σ → 0"),
}
"""The properties that a drift alone can show, and what is measured; 0 is a property that holds."""
FAILS = {
    (0.0, "zero uncertainty"): FAILS_ZERO_UNCERTAINTY,
    (math.inf, "zero diffusion"): FAILS_ZERO_DIFFUSION,
}
"""What the paper says does not hold."""


class Belief(NamedTuple):
    """A normal factor and remembered performances, as Equation (10) has them."""

    mu: float
    p0: float
    w0: float
    p: Floats
    w: Floats

    @property
    def variance(self) -> float:
        """σ² by Equation (10)."""
        return 1.0 / (self.w0 + float(self.w.sum()))

    def drifted(self, added: float, rho: float) -> Belief:
        """The belief after a drift of variance `added`."""
        p, w = self.p.copy(), self.w.copy()
        p0, w0, _ = drifted(
            self.variance, added, rho, DRIFT_TRANSFER, self.mu, self.p0, self.w0, 0, len(p), p, w, TAU
        )
        return Belief(self.mu, p0, w0, p, w)

    def mode(self) -> float:
        """The rating: the zero of L' in Equation (10)."""
        size, pull = len(self.p), SYSTEM.rules().pull
        return mode(self.mu, 0.0, self.p0, self.w0, 0, size, self.p, self.w, TAU, pull, room_for(size))


def random_beliefs(number: int, seed: int) -> list[Belief]:
    """Random beliefs, each with its own mode."""
    chance = np.random.default_rng([seed, 41])
    found = []
    for _ in range(number):
        p = 1500.0 + 400.0 * chance.standard_normal(PERFORMANCES)
        w = SYSTEM.beta**-2 * chance.random(PERFORMANCES)
        belief = Belief(1500.0, 1500.0 + 400.0 * chance.standard_normal(), 350.0**-2, p, w)
        found.append(belief._replace(mu=belief.mode()))
    return found


def worst(beliefs: list[Belief], rho: float) -> dict[str, float]:
    """How far each property is from holding, for the belief for which it is farthest."""
    gamma2 = SYSTEM.gamma**2
    found = dict.fromkeys(PROPERTIES, 0.0)
    for belief in beliefs:
        after, before = belief.drifted(gamma2, rho), belief.variance
        parts = belief.drifted(0.3 * gamma2, rho).drifted(0.7 * gamma2, rho)
        still = belief.drifted(TINY * before, rho)
        sure = belief._replace(w0=belief.w0 / CERTAIN, w=belief.w / CERTAIN).drifted(gamma2, rho)
        measured = {
            "rating preservation": abs(after.mode() - belief.mu),
            "correct magnitude": abs(after.variance / (before + gamma2) - 1.0),
            "composability": _moved(parts, after),
            "zero diffusion": _moved(still, belief),
            "zero uncertainty": float(sure.w.sum()) * sure.variance,
        }
        found = {name: max(found[name], value) for name, value in measured.items()}
    return found


def _moved(one: Belief, other: Belief) -> float:
    """The largest difference of a weight, in parts of the total."""
    apart = np.abs(np.append(one.w - other.w, one.w0 - other.w0)).max()
    return float(apart) * other.variance


def theorem_4_1(setting: Setting) -> Result:
    """Measure the five properties that a drift alone can show, for ρ from 0 to ∞."""
    beliefs = random_beliefs(QUICK_BELIEFS if setting.quick else BELIEFS, setting.seed)
    found = {rho: worst(beliefs, rho) for rho in RHOS}
    source = seeds_named([setting.seed])
    inside = [rho for rho in RHOS if 0.0 < rho < math.inf]
    numbers, meets = [], 0
    for name, (printed, what) in PROPERTIES.items():
        most = max(found[rho][name] for rho in inside)
        meets += most < ROUNDING
        about = f"{name}, ρ from {inside[0]:g} to {inside[-1]:g}: {what}"
        numbers.append(printed.beside(about, f"{most:.0e}", source, held(most < ROUNDING)))
    for (rho, name), printed in FAILS.items():
        about, off = f"{name}, {rho_named(rho)}: {PROPERTIES[name][1]}", found[rho][name]
        numbers.append(printed.beside(about, f"{off:.2f}", source, held(off > ROUNDING)))
    numbers.append(
        MEETS_ALL.beside(
            f"properties met, ρ from {inside[0]:g} to {inside[-1]:g}",
            f"{meets} of {len(PROPERTIES)}",
            source,
            held(meets == len(PROPERTIES)),
        )
    )
    table = pl.DataFrame(
        [
            {"property": name, "measured": what} | {rho_named(rho): f"{found[rho][name]:.0e}" for rho in RHOS}
            for name, (_, what) in PROPERTIES.items()
        ]
    )
    return Result(
        f"""
        Algorithm 2 is applied to {len(beliefs)} beliefs drawn at random, each with {PERFORMANCES}
        performances and a normal factor. The farthest that any of them is from having a property is given;
        below {ROUNDING:g} is rounding. γ → 0 is γ² = {TINY:g} σ², σ → 0 is σ² = {CERTAIN:g} γ². That
        incentives survive, the first of the six properties, is Theorem 5.5: see the items theorems and
        properties.

        ρ = 0 and ρ = ∞ each lack one property, as the paper says: with 0 nothing is ever transferred to the
        normal factor, with ∞ all of it is at once.
        """,
        numbers=numbers,
        tables={"How far each property is from holding, at most": table},
    )
