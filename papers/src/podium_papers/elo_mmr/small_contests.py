"""Section 6.3: TrueSkill and Elo-MMR score about equally when the number of ranks is less than about 60."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from podium import charts
from podium.arrays import Floats
from podium.charts import Axis
from podium.evaluation.order_accuracy import accuracy
from podium.history import History
from podium.simulation.populations import synthetic_contests
from podium.studies.attacks.attack_verdicts import Gains
from podium.systems import RatingSystem
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium.systems.elo_mmr.elo_mmx import EloMMX
from podium.systems.trueskill.trueskill import TrueSkill
from podium_papers.elo_mmr.contest_data import (
    DRIFT_SIGMA,
    MIN_CONTESTS_OF_PLAYER,
    PERFORMANCE_SIGMA,
    SKILL_SIGMA,
    remarked,
)
from podium_papers.elo_mmr.protocol import ratings_before
from podium_papers.elo_mmr.published import EQUAL_IN_SMALL_CONTESTS
from podium_papers.items import Number, Result, Setting, seeds_named

if TYPE_CHECKING:
    import altair as alt

PLAYERS, QUICK_PLAYERS = 500, 100
"""Least number of players; more if a contest has more."""
SIZES = (2, 4, 8, 16, 30, 60, 125, 250, 500, 1000, 2500)
QUICK_SIZES = (2, 10, 50)
ALIKE_BELOW_RANKS = 60
"""Below this number of ranks the paper found both systems equal."""
CONTESTS_PER_PLAYER = 20
"""Contests of each player; the later half is measured."""
SEEDS, QUICK_SEEDS = 10, 2
SYSTEMS: dict[str, RatingSystem] = {
    "TrueSkill": TrueSkill(mu=1500.0, sigma=SKILL_SIGMA, beta=PERFORMANCE_SIGMA, tau=DRIFT_SIGMA),
    "Elo-MMR(1)": EloMMR(beta=PERFORMANCE_SIGMA, gamma=DRIFT_SIGMA),
    "Elo-MMχ": EloMMX(beta=PERFORMANCE_SIGMA, gamma=DRIFT_SIGMA),
}
"""Systems with the parameters that the contests are simulated with."""
TRUTH = "the true skills"


def trueskill_in_small_contests(setting: Setting) -> Result:
    """Measure pairs in order by the number of participants."""
    least, sizes = (QUICK_PLAYERS, QUICK_SIZES) if setting.quick else (PLAYERS, SIZES)
    seeds = setting.seeds(QUICK_SEEDS if setting.quick else SEEDS)
    rows = [row for size in sizes for seed in seeds for row in _scores(max(least, size), size, seed)]
    frame = pl.DataFrame(
        rows,
        schema=["participants", "seed", "predictor", "pairs right", "rank deviation"],
        orient="row",
    )
    source = seeds_named(seeds)
    ahead = {size: Gains(_ahead(frame, size)) for size in sizes}
    numbers = []
    for size, apart in ahead.items():
        label = f"Elo-MMR(1) less TrueSkill, pairs in order, {size:,} participants"
        claim = EQUAL_IN_SMALL_CONTESTS if size < ALIKE_BELOW_RANKS else ("", "")
        numbers.append(
            Number(
                label,
                f"{apart.mean:+.2f}{_within(apart)}",
                source,
                *claim,
                remarked(setting, verdict(apart)),
            )
        )
    return Result(
        f"""
        {least:,} players (more where contests are larger) with {CONTESTS_PER_PLAYER} contests each; skills
        ± {SKILL_SIGMA:.0f}, performances ± {PERFORMANCE_SIGMA:.0f}, and a drift of {DRIFT_SIGMA:.0f} from one
        contest of a player to the next, whatever their size. All systems are given these numbers. Measured is
        the later half, players with five contests before. Differences are taken seed by seed, in percentage
        points; the interval is where the mean of all such seeds is, with 95% certainty by Student's t, and
        one system is called ahead where it leaves out 0.

        Elo-MMR takes every performance for certain, which a contest of two or four players does not show it
        to be; TrueSkill does not. Performances are normal here, as TrueSkill takes them to be, and not
        logistic. The paper's claim is about fewer than about {ALIKE_BELOW_RANKS} ranks, from preliminary
        experiments that it does not describe, and without a measure of "about".

        {_in_words(ahead)}
        """,
        numbers=numbers,
        tables={"Mean over seeds, in percent": _means(frame)},
        pictures={"trueskill-small": _picture(frame)},
    )


def _scores(players: int, size: int, seed: int) -> list[tuple[int, int, str, float, float]]:
    contests = round(CONTESTS_PER_PLAYER * players / size)
    # Of the rounds between two contests of a player each adds its part of the drift.
    drift = DRIFT_SIGMA * math.sqrt(size / players)
    history, skill = synthetic_contests(
        players,
        contests,
        size,
        skill_deviation=SKILL_SIGMA,
        performance_deviation=PERFORMANCE_SIGMA,
        drift=drift,
        seed=seed,
    )
    ratings = {name: ratings_before(system, history) for name, system in SYSTEMS.items()} | {TRUTH: skill}
    return [(size, seed, name, *_measured(history, rating)) for name, rating in ratings.items()]


def _measured(history: History, rating: Floats) -> tuple[float, float]:
    found = accuracy(history, rating, min_events=MIN_CONTESTS_OF_PLAYER, first_event=len(history) // 2)
    return found.pairs_right, found.rank_deviation


def _ahead(frame: pl.DataFrame, size: int) -> Floats:
    """Pairs in order of Elo-MMR minus those of TrueSkill, one value per seed."""
    of = frame.filter(pl.col("participants") == size)
    values = [
        of.filter(pl.col("predictor") == name)["pairs right"].to_numpy()
        for name in ("Elo-MMR(1)", "TrueSkill")
    ]
    return np.asarray(values[0] - values[1])


def _within(apart: Gains) -> str:
    low, high = apart.interval
    return "" if math.isnan(low) else f" ({low:+.2f} to {high:+.2f})"


def _leader(apart: Gains) -> str | None:
    """Who is ahead by more than chance; "" if neither is shown to be, None if there are too few seeds."""
    low, high = apart.interval
    if math.isnan(low):
        return None
    return "Elo-MMR" if low > 0.0 else "TrueSkill" if high < 0.0 else ""


def verdict(apart: Gains) -> str:
    """Who is ahead, in words."""
    leader = _leader(apart)
    if leader is None:
        return "too few seeds to tell"
    return f"{leader} ahead" if leader else "not told apart"


def _in_words(ahead: Mapping[int, Gains]) -> str:
    """Who is ahead at which sizes, and by how much, in words."""
    said = []
    for leader in ("TrueSkill", "Elo-MMR", ""):
        sizes = [size for size, apart in ahead.items() if _leader(apart) == leader]
        if sizes:
            by = ", ".join(f"{size:,} ({abs(ahead[size].mean):.2f})" for size in sizes)
            who = f"{leader} is ahead" if leader else "They are not told apart"
            said.append(f"{who} in contests of {by}.")
    return " ".join(said) or "There are too few seeds to tell who is ahead."


def _means(frame: pl.DataFrame) -> pl.DataFrame:
    return pl.concat(
        frame.group_by(["participants", "predictor"], maintain_order=True)
        .agg(pl.lit(metric).alias("metric"), pl.col(metric).mean().round(2).alias("percent"))
        .pivot("predictor", index=["metric", "participants"], values="percent")
        for metric in ("pairs right", "rank deviation")
    )


def _picture(frame: pl.DataFrame) -> alt.ChartType:
    """Means in one panel; in the other the differences to TrueSkill, which vary less between seeds."""
    share = pl.col("pairs right")
    own = frame.filter(pl.col("predictor") == "TrueSkill").select("participants", "seed", share.alias("ts"))
    apart = frame.filter(pl.col("predictor").is_in(list(SYSTEMS))).join(own, on=["participants", "seed"])
    parts = {
        "(a) pairs in order": frame.with_columns(value=share),
        "(b) the same, less TrueSkill's": apart.with_columns(value=share - pl.col("ts")),
    }
    shown = pl.concat(
        part.group_by(["predictor", "participants"], maintain_order=True).agg(
            pl.lit(title).alias("panel"),
            pl.col("value").mean().alias("mean"),
            (pl.col("value").mean() if title.startswith("(a)") else pl.col("value").min()).alias("least"),
            (pl.col("value").mean() if title.startswith("(a)") else pl.col("value").max()).alias("most"),
        )
        for title, part in parts.items()
    )
    return charts.curves(
        shown,
        Axis("participants", "participants of a contest", log=True, domain=(1.8, 3000.0), format="~s"),
        Axis("mean", "percent, or percentage points"),
        colour="predictor",
        panel="panel",
        band=("least", "most"),
        dots=True,
        dashed=[TRUTH],
        title="TrueSkill and Elo-MMR by the size of contests",
        subtitle="means of all seeds; band: least and most · dashed: nobody can do better but by luck",
        legend_columns=4,
    )
