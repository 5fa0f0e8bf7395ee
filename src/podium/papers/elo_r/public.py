"""Section 5: noise that keeps σ at its limit, and the public rating."""

from __future__ import annotations

import math

import numpy as np

from podium import charts
from podium.charts import Axis
from podium.papers.elo_r import published
from podium.papers.elo_r.performing import Belief
from podium.papers.items import Result, Setting
from podium.systems.elo_r import EloR

CONTESTS = 20


def public_rating(setting: Setting) -> Result:
    """What is shown is r − 2(σ − σ*): how much that takes from newcomers."""
    import polars as pl

    system = EloR()
    belief, deviations = Belief(system), [system.sigma]
    for _ in range(CONTESTS):
        belief.perform(system.mu)
        deviations.append(math.sqrt(belief.variance))
    penalty = system.display_k * (np.array(deviations) - system.sigma_limit)
    frame = pl.DataFrame({"contest": np.arange(CONTESTS + 1), "penalty": penalty})
    picture = charts.curves(
        frame,
        Axis("contest", "contests", format="d"),
        Axis("penalty", "r − public rating (points)", zero=True),
        dots=True,
        across={208.0: "208 after the first contest, 120 after the second (the paper)", 120.0: ""},
        title="What the public rating takes from newcomers",
        subtitle="2(σ − σ*) for a newcomer of 1500 ± 350, σ* = 100 and γ = 250",
    )
    told = "exact"
    ours = [f"{value:.1f}" for value in penalty]
    return Result(
        """
        All numbers (250, 100, 350) enter the formulas as they stand, without the factor √12/π that bars
        stand for: only then are the penalties those that the paper tells. Noise of the same size is added
        before a newcomer's first contest too.
        """,
        numbers=[
            published.FACTOR.beside("√12/π", f"{math.sqrt(12.0) / math.pi:.4f}", told, "as printed"),
            published.ETA.beside(
                "η, the noise between contests", f"{math.sqrt(system.contest_drift):.2f}", told, "as printed"
            ),
            published.LIMIT.beside(
                "σ after 200 contests", f"{_limit(system):.4f}", told, "as printed: the balance of both"
            ),
            *(
                printed.beside(f"r − public rating after contest {k}", ours[k], told, "as printed")
                for k, printed in enumerate(published.PENALTIES, 1)
            ),
            published.PENALTY_LIMIT.beside(
                "the same after 5, 10 and 20 contests", f"{ours[5]}, {ours[10]}, {ours[20]}", told, "so it is"
            ),
        ],
        tables={
            "σ and what it takes": frame.with_columns(
                pl.Series("σ", deviations).round(2), pl.col("penalty").round(1)
            )
        },
        pictures={"public-rating": picture},
    )


def _limit(system: EloR) -> float:
    belief = Belief(system)
    belief.perform(*[system.mu] * 200)
    return math.sqrt(belief.variance)
