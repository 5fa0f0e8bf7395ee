"""Equation (7): a rating as an average of performances, in which those far off weigh less."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from podium.arrays import Floats
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium_papers.elo_mmr.momentum import perform
from podium_papers.elo_mmr.published import (
    NEAR_WEIGHT,
    ROBUST_AVERAGE,
    TYPICAL_WEIGHT,
    VANISHING_WEIGHT,
)
from podium_papers.items import Result, Setting, seeds_named
from podium_papers.printed import held

STILL = EloMMR(gamma=0.0)
"""Equation (7) is about skills that do not change."""
HISTORIES, QUICK_HISTORIES = 200, 10
PERFORMANCES = 15
DISTANCES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 100.0, 1000.0)
"""How far a performance is from the rating, in β."""
TYPICAL = 2.0
"""Performances within this number of β are called typical: 95 of 100 are."""


def weights(distance: Floats) -> Floats:
    """w of Equation (7) in units of 1/β², by the distance from the rating in β."""
    away = np.maximum(np.abs(distance), 1e-9)
    return np.asarray(math.pi / math.sqrt(3.0) / away * np.tanh(math.pi / math.sqrt(12.0) * away))


def average(rating: float, performances: Floats, system: EloMMR) -> float:
    """The right-hand side of Equation (7)."""
    w = weights((rating - performances) / system.beta) / system.beta**2
    w0 = system.sigma**-2
    return float((w0 * system.mu + w @ performances) / (w0 + w.sum()))


def equation_7(setting: Setting) -> Result:
    """Compare ratings with the average, and look at its weights."""
    chance = np.random.default_rng([setting.seed, 7])
    number = QUICK_HISTORIES if setting.quick else HISTORIES
    off = []
    for _ in range(number):
        shown = 1500.0 + 400.0 * chance.standard_t(2, PERFORMANCES)
        ratings = perform(STILL, shown)[1]
        off += [
            abs(average(rating, shown[: count + 1], STILL) - rating)
            for count, rating in enumerate(ratings.tolist())
        ]
    usual = chance.logistic(0.0, math.sqrt(3.0) / math.pi, 100_000)  # of variance 1
    typical = weights(usual[np.abs(usual) <= TYPICAL])
    near, far = (float(weights(np.array([distance]))[0]) for distance in (0.0, DISTANCES[-1]))
    grid = np.linspace(0.0, 5.0, 5001)
    even = grid[np.argmax(weights(grid) < 1.0)]
    source = seeds_named([setting.seed])
    numbers = [
        ROBUST_AVERAGE.beside(
            f"points between rating and average, at most, of {len(off):,}",
            f"{max(off):.1e}",
            source,
            held(max(off) < 1e-6),
        ),
        NEAR_WEIGHT.beside(
            "weight of a performance at the rating, in 1/β²",
            f"{near:.4f}",
            "exact",
            f"π²/6 is {math.pi**2 / 6.0:.4f}; {held(abs(near - math.pi**2 / 6.0) < 1e-6)}",
        ),
        TYPICAL_WEIGHT.beside(
            f"weight of performances within {TYPICAL:g} β, in 1/β²: mean (least to most)",
            f"{typical.mean():.2f} ({typical.min():.2f} to {typical.max():.2f})",
            source,
            f"it is 1 at {even:.2f} β, and larger nearer by",
        ),
        VANISHING_WEIGHT.beside(
            f"weight of a performance {DISTANCES[-1]:g} β off, in 1/β²",
            f"{far:.4f}",
            "exact",
            held(far < 0.01),
        ),
    ]
    table = pl.DataFrame(
        {"distance, in β": DISTANCES, "weight, in 1/β²": weights(np.array(DISTANCES)).round(4)}
    )
    return Result(
        f"""
        {number} players perform {PERFORMANCES} times, some of it far off, with skills that stay as they are;
        each rating is compared with the average of Equation (7), whose weights follow from the rating itself.
        """,
        numbers=numbers,
        tables={"The weights of Equation (7)": table},
    )
