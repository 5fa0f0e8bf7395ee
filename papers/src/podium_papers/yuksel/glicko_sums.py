"""Section 2.2: whether Glicko's two win probabilities add up to less than 1."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from podium.arrays import Floats
from podium_papers.items import Number, Result, Setting, seeds_named
from podium_papers.printed import held
from podium_papers.yuksel import published

PAIRS = 100_000
EXAMPLES = ((200.0, 50.0, 50.0), (200.0, 50.0, 350.0), (200.0, 350.0, 50.0), (0.0, 50.0, 350.0))
"""Rating difference of the first player, and both deviations."""


def win_probability(gap: Floats, opponent_deviation: Floats) -> Floats:
    """f_G of Equation (4)."""
    q = math.log(10.0) / 400.0
    g = 1.0 / np.sqrt(1.0 + 3.0 * (q * opponent_deviation / math.pi) ** 2)
    return np.asarray(1.0 / (1.0 + 10.0 ** (-g * gap / 400.0)))


def sums(gap: Floats, own: Floats, other: Floats) -> Floats:
    """f_G(a, b) + f_G(b, a), where a is rated `gap` higher than b."""
    return win_probability(gap, other) + win_probability(-gap, own)


def glicko_sums(setting: Setting) -> Result:
    """Add both probabilities for random pairs, and for pairs with equal deviations."""
    chance = np.random.default_rng([setting.seed, 4])
    gap = 400.0 * chance.standard_normal(PAIRS)
    own, other = np.exp(chance.uniform(np.log(30.0), np.log(350.0), (2, PAIRS)))
    found, equal = sums(gap, own, other), sums(gap, own, own)
    below = 100.0 * float(np.mean(found < 1.0))
    surer = (gap > 0.0) == (own < other)  # the higher rated is better known
    source = f"{PAIRS:,} pairs, {seeds_named(setting.seeds(1))}"
    numbers = [
        published.GLICKO_SUM.beside(
            "pairs with a sum below 1", f"{below:.1f}%", source, held(below == 100.0)
        ),
        Number("the least and the largest sum", f"{found.min():.3f}, {found.max():.3f}", source),
        Number(
            "the same for pairs with equal deviations of 30 to 350, less 1",
            f"{np.abs(equal - 1.0).max():.0e} at most",
            source,
            *published.GLICKO_UNLESS,
            "deviations need not be 0, only equal",
        ),
    ]
    rule = bool(np.all((found < 1.0) == surer))
    table = pl.DataFrame(
        [
            {"r_a − r_b": gap, "φ_a": own, "φ_b": other}
            | {"sum": round(float(sums(*np.array([[gap], [own], [other]]))[0]), 4)}
            for gap, own, other in EXAMPLES
        ]
    )
    return Result(
        f"""
        The paper notes that Glicko's win probability is not consistent, as both probabilities of a game add
        up to less than 1 unless both deviations are 0. That they need not add up to 1 is right; that the sum
        is less is not. Each of the two uses the opponent's deviation only: f_G(a, b) + f_G(b, a) − 1 is
        F(g(φ_b) d) − F(g(φ_a) d) for a rating difference of d, with F the logistic curve. It is 0 whenever
        the deviations are equal, below 0 where the higher rated of the two is the better known, and above 0
        where the higher rated is the less known{": so in all pairs tried" if rule else ""}. The mean sum
        over all pairs is {found.mean():.3f}.
        """,
        numbers=numbers,
        tables={"Some sums": table},
    )
