"""Section 5: noise that keeps σ at its limit, and the public rating."""

from __future__ import annotations

import math

import numpy as np

from podium import charts
from podium.arrays import Floats
from podium.charts import Axis
from podium.systems.elo_mmr.elo_r import EloR
from podium_papers.elo_r import published
from podium_papers.elo_r.told_beliefs import Belief
from podium_papers.items import Number, Result, Setting
from podium_papers.printed import compared, held

CONTESTS = 20


def public_rating(setting: Setting) -> Result:
    """Compute the public rating r − 2(σ − σ*): how much it subtracts from newcomers."""
    import polars as pl

    system = EloR()
    belief, deviations = Belief(system), [system.sigma]
    for _ in range(CONTESTS):
        belief.perform(system.mu)
        deviations.append(math.sqrt(belief.variance))
    first, second = (printed.value for printed in published.PENALTIES)
    penalty = system.display_k * (np.array(deviations) - system.sigma_limit)
    frame = pl.DataFrame({"contest": np.arange(CONTESTS + 1), "penalty": penalty})
    picture = charts.curves(
        frame,
        Axis("contest", "contests", format="d"),
        Axis("penalty", "r − public rating (points)", zero=True),
        dots=True,
        across={float(first): f"{first} after the first contest, {second} after the second (the paper)"}
        | {float(second): ""},
        title="What the public rating takes from newcomers",
        subtitle="2(σ − σ*) for a newcomer of 1500 ± 350, σ* = 100 and γ = 250",
    )
    return Result(
        """
        All numbers (250, 100, 350) enter the formulas as they stand, without the factor √12/π that bars
        stand for: that is how the penalties of the paper come about. Noise of the same size is added
        before a newcomer's first contest too.
        """,
        numbers=_numbers(system, penalty),
        tables={
            "σ and what it takes": frame.with_columns(
                pl.Series("σ", deviations).round(2), pl.col("penalty").round(1)
            )
        },
        pictures={"public-rating": picture},
    )


def _numbers(system: EloR, penalty: Floats) -> list[Number]:
    told = "exact"
    exact = (
        (published.FACTOR, "√12/π", math.sqrt(12.0) / math.pi, 4),
        (published.ETA, "η, the noise between contests", math.sqrt(system.contest_drift), 2),
        (published.LIMIT, "σ after 200 contests", _limit(system), 4),
        *(
            (printed, f"r − public rating after contest {k}", float(penalty[k]), 1)
            for k, printed in enumerate(published.PENALTIES, 1)
        ),
    )
    numbers = [
        printed.beside(what, f"{value:.{digits}f}", told, compared(value, printed.value))
        for printed, what, value, digits in exact
    ]
    falls = bool(np.all(np.diff(penalty) < 0.0) and penalty[-1] > 0.0)
    ours = ", ".join(f"{penalty[k]:.1f}" for k in (5, 10, CONTESTS))
    what = f"the same after 5, 10 and {CONTESTS} contests"
    return [*numbers, published.PENALTY_LIMIT.beside(what, ours, told, held(falls and penalty[-1] < 1.0))]


def _limit(system: EloR) -> float:
    belief = Belief(system)
    belief.perform(*[system.mu] * 200)
    return math.sqrt(belief.variance)
