"""Section 5.2 of the draft: the bounds of Theorem 5.7 by ρ, for a player whose weights have settled."""

from __future__ import annotations

import math

import polars as pl

from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium_papers.elo_mmr.momentum import Weights, steady_weights
from podium_papers.elo_mmr_draft.published import INVERSE_TO_MOMENTUM, LOWER_BOUND, UPPER_BOUND
from podium_papers.items import Number, Result, Setting

RHOS = (0.1, 0.5, 1.0, 2.0, 10.0)


def bounds_by_rho(setting: Setting) -> Result:
    """Compute how far apart the bounds are, and their orders of magnitude."""
    rows = []
    for rho in RHOS:
        system = EloMMR(rho=rho)
        before = _drifted(system)
        pull = math.pi / (system.beta * math.sqrt(3.0))
        low = pull / (before.normal + math.pi**2 / 6.0 * before.logistic)
        high = pull / before.normal
        sigma2 = 1.0 / (before.normal + before.logistic)
        rows.append(
            {
                "ρ": rho,
                "lower bound": round(low, 2),
                "in σ²/β": round(low / (sigma2 / system.beta), 3),
                "upper bound": round(high, 2),
                "in β₀²/β": round(high * before.normal * system.beta, 3),
                "upper : lower": round(high / low, 3),
                "(upper : lower − 1) ρ": round((high / low - 1.0) * rho, 3),
            }
        )
    table = pl.DataFrame(rows)
    numbers = [
        Number(f"the {which} bound, in {unit}", _range(table[column]), "exact", *claim)
        for which, unit, column, claim in (
            ("lower", "σ²/β", "in σ²/β", LOWER_BOUND),
            ("upper", "β₀²/β", "in β₀²/β", UPPER_BOUND),
        )
    ]
    slow = table.filter(pl.col("ρ") <= 1.0)
    numbers.append(
        Number(
            "how far the bounds are apart, (upper : lower − 1) times ρ, ρ 0.1 to 10",
            _range(table["(upper : lower − 1) ρ"]),
            "exact",
            *INVERSE_TO_MOMENTUM,
            f"{_range(slow['(upper : lower − 1) ρ'])} up to ρ = 1; a constant would be in proportion to 1/ρ",
        )
    )
    return Result(
        """
        The draft prints Theorem 5.7 with β₀, the deviation of the normal factor, where the paper has its
        weight w₀ = 1/β₀²; the bounds are the same. With the weights that a regular player's belief settles at
        (derived from Algorithm 2; the paper's item momentum compares them with the system's) they follow from
        ρ alone. Their ratio less 1 is π²/6 times that of remembered to normal weight. Where it is in inverse
        proportion to ρ, its product with ρ is a constant; the last column of the table has that product.
        """,
        numbers=numbers,
        tables={"The bounds before the next contest, by ρ, at the default β and γ": table},
    )


def _range(column: pl.Series) -> str:
    values = column.to_list()
    return f"{min(values):.2f} to {max(values):.2f}"


def _drifted(system: EloMMR) -> Weights:
    """The settled weights after the next contest's drift, to which Theorem 5.7 refers."""
    rest = steady_weights(system)
    kappa = 1.0 - system.sigma_limit**2 / system.beta**2
    logistic = kappa ** (1.0 + system.rho) * rest.logistic
    return rest._replace(normal=kappa * (rest.normal + rest.logistic) - logistic, logistic=logistic)
