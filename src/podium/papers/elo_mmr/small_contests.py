"""Section 6.3: TrueSkill and Elo-MMR score about equally when the number of ranks is less than about 60."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from podium import EloMMR, EloMMX, History, RatingSystem, TrueSkill, charts
from podium.charts import Axis
from podium.history.core import Floats
from podium.lab.metrics import accuracy
from podium.lab.populations import synthetic_contests
from podium.papers.elo_mmr.data import DRIFT, NOISE, SKILL
from podium.papers.elo_mmr.protocol import LEAST, ratings_before
from podium.papers.elo_mmr.published import SMALL
from podium.papers.items import Number, Result, Setting, seeds_named, spread_of

if TYPE_CHECKING:
    import altair as alt

PLAYERS, QUICK_PLAYERS = 2_500, 100
SIZES = (2, 4, 8, 16, 30, 60, 125, 250, 500, 1000, 2500)
QUICK_SIZES = (2, 10, 50)
CONTESTS = 20
"""Contests a player; the later half is measured."""
SEEDS, QUICK_SEEDS = 4, 2
SYSTEMS: dict[str, RatingSystem] = {
    "TrueSkill": TrueSkill(mu=1500.0, sigma=SKILL, beta=NOISE, tau=DRIFT),
    "Elo-MMR(1)": EloMMR(beta=NOISE, gamma=DRIFT),
    "Elo-MMχ": EloMMX(beta=NOISE, gamma=DRIFT),
}
"""With the parameters of the model that makes the contests."""
TRUTH = "the true skills"


def trueskill_in_small_contests(setting: Setting) -> Result:
    """Pairs in order by the number of participants."""
    players, sizes = (QUICK_PLAYERS, QUICK_SIZES) if setting.quick else (PLAYERS, SIZES)
    seeds = setting.seeds(QUICK_SEEDS if setting.quick else SEEDS)
    rows = [row for size in sizes for seed in seeds for row in _scores(players, size, seed)]
    frame = pl.DataFrame(
        rows, schema=["participants", "seed", "predictor", "pair inversion", "rank deviation"], orient="row"
    )
    source = seeds_named(seeds)
    below = [size for size in sizes if size < 60]
    above = [size for size in sizes if size >= 60]
    numbers = []
    for words, chosen in (("below 60", below), ("60 and more", above)):
        for size in chosen:
            apart = _ahead(frame, size)
            numbers.append(
                Number(
                    f"Elo-MMR(1) less TrueSkill, pairs in order, {size} participants",
                    spread_of(apart, 2),
                    source,
                    SMALL.text if words == "below 60" else "",
                    SMALL.place if words == "below 60" else "",
                    _verdict(apart),
                )
            )
    return Result(
        f"""
        {players:,} players with {CONTESTS} contests each, in contests of every size; skills ± {SKILL:.0f},
        performances ± {NOISE:.0f}, and a drift of {DRIFT:.0f} from one contest of a player to the next,
        whatever their size. All systems are given these numbers. Measured is the later half, players with
        five contests before; differences are taken seed by seed, in percentage points.

        Elo-MMR takes every performance for certain, which a contest of two or four players does not show it
        to be; TrueSkill does not, and is ahead there. From a few dozen participants on both are level. With
        the largest contests TrueSkill does not fall behind as it does in the paper: that it "breaks down" is
        a defect of the program the authors used.
        """,
        numbers=numbers,
        tables={"Mean over seeds, in percent": _means(frame)},
        pictures={"trueskill-small": _picture(frame)},
    )


def _scores(players: int, size: int, seed: int) -> list[tuple[int, int, str, float, float]]:
    contests = round(CONTESTS * players / size)
    # Of the rounds between two contests of a player each adds its part of the drift.
    drift = DRIFT * math.sqrt(size / players)
    history, skill = synthetic_contests(
        players,
        contests,
        size,
        skill_deviation=SKILL,
        performance_deviation=NOISE,
        drift=drift,
        seed=seed,
    )
    ratings = {name: ratings_before(system, history) for name, system in SYSTEMS.items()} | {TRUTH: skill}
    return [(size, seed, name, *_measured(history, rating)) for name, rating in ratings.items()]


def _measured(history: History, rating: Floats) -> tuple[float, float]:
    found = accuracy(history, rating, min_events=LEAST, first_event=len(history) // 2)
    return found.pair_inversion, found.rank_deviation


def _ahead(frame: pl.DataFrame, size: int) -> Floats:
    """By how much Elo-MMR has more pairs in order than TrueSkill, a seed each."""
    of = frame.filter(pl.col("participants") == size)
    values = [
        of.filter(pl.col("predictor") == name)["pair inversion"].to_numpy()
        for name in ("Elo-MMR(1)", "TrueSkill")
    ]
    return np.asarray(values[0] - values[1])


def _verdict(apart: Floats) -> str:
    if np.all(apart > 0.0):
        return "Elo-MMR ahead in every seed"
    if np.all(apart < 0.0):
        return "TrueSkill ahead in every seed"
    return "level"


def _means(frame: pl.DataFrame) -> pl.DataFrame:
    metrics = ["pair inversion", "rank deviation"]
    return (
        frame.group_by(["participants", "predictor"], maintain_order=True)
        .agg(pl.col(metrics).mean().round(2))
        .pivot("predictor", index="participants", values=metrics)
    )


def _picture(frame: pl.DataFrame) -> alt.ChartType:
    shown = frame.group_by(["predictor", "participants"], maintain_order=True).agg(
        pl.col("pair inversion").mean().alias("mean"),
        pl.col("pair inversion").min().alias("least"),
        pl.col("pair inversion").max().alias("most"),
    )
    return charts.curves(
        shown,
        Axis("participants", "participants of a contest", log=True, format="~s"),
        Axis("mean", "pairs in order (percent)"),
        colour="predictor",
        band=("least", "most"),
        dots=True,
        dashed=[TRUTH],
        title="TrueSkill and Elo-MMR by the size of contests",
        subtitle="band: from the least to the most of all seeds · dashed: nobody can do better but by luck",
        legend_columns=4,
    )
