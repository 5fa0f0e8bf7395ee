"""Section 6.3: TrueSkill and Elo-MMR score about equally when the number of ranks is less than about 60."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from podium import charts
from podium.charts import Axis
from podium.history import History
from podium.history.core import Floats
from podium.lab.metrics import accuracy
from podium.lab.populations import synthetic_contests
from podium.papers.elo_mmr.data import DRIFT, NOISE, SKILL
from podium.papers.elo_mmr.protocol import LEAST, ratings_before
from podium.papers.elo_mmr.published import SMALL
from podium.papers.items import Number, Result, Setting, seeds_named, spread_of
from podium.systems import RatingSystem
from podium.systems.elo_mmr import EloMMR
from podium.systems.elo_mmx import EloMMX
from podium.systems.trueskill import TrueSkill

if TYPE_CHECKING:
    import altair as alt

PLAYERS, QUICK_PLAYERS = 500, 100
"""At least; more where a contest has more."""
SIZES = (2, 4, 8, 16, 30, 60, 125, 250, 500, 1000, 2500)
QUICK_SIZES = (2, 10, 50)
RANKS = 60
"""Below so many the paper found both alike."""
ALIKE = 0.1
"""Percentage points that are called level."""
CONTESTS = 20
"""Contests a player; the later half is measured."""
SEEDS, QUICK_SEEDS = 10, 2
SYSTEMS: dict[str, RatingSystem] = {
    "TrueSkill": TrueSkill(mu=1500.0, sigma=SKILL, beta=NOISE, tau=DRIFT),
    "Elo-MMR(1)": EloMMR(beta=NOISE, gamma=DRIFT),
    "Elo-MMχ": EloMMX(beta=NOISE, gamma=DRIFT),
}
"""With the parameters of the model that makes the contests."""
TRUTH = "the true skills"


def trueskill_in_small_contests(setting: Setting) -> Result:
    """Pairs in order by the number of participants."""
    least, sizes = (QUICK_PLAYERS, QUICK_SIZES) if setting.quick else (PLAYERS, SIZES)
    seeds = setting.seeds(QUICK_SEEDS if setting.quick else SEEDS)
    rows = [row for size in sizes for seed in seeds for row in _scores(max(least, size), size, seed)]
    frame = pl.DataFrame(
        rows,
        schema=["participants", "seed", "predictor", "pair inversion", "rank deviation"],
        orient="row",
    )
    source = seeds_named(seeds)
    numbers = []
    for size in sizes:
        claim = SMALL if size < RANKS else ("", "")
        apart = _ahead(frame, size)
        label = f"Elo-MMR(1) less TrueSkill, pairs in order, {size:,} participants"
        numbers.append(Number(label, spread_of(apart, 2), source, *claim, _verdict(apart)))
    return Result(
        f"""
        {least:,} players (more where contests are larger) with {CONTESTS} contests each; skills
        ± {SKILL:.0f}, performances ± {NOISE:.0f}, and a drift of {DRIFT:.0f} from one contest of a player
        to the next, whatever their size. All systems are given these numbers. Measured is the later half,
        players with five contests before; differences are taken seed by seed, in percentage points.

        Elo-MMR takes every performance for certain, which a contest of two or four players does not show it
        to be; TrueSkill does not, and is ahead there. {_level(frame, sizes)}
        So the claim holds where contests are not tiny, and not only below 60: with the largest contests
        TrueSkill does not fall behind, as it does in the paper. It keeps a trace of a lead over Elo-MMR,
        whose logistic performances are not those of these players; Elo-MMχ, whose are, has none to make up.
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
    if abs(apart.mean()) < ALIKE:
        return "level"
    return "Elo-MMR ahead" if apart.mean() > 0.0 else "TrueSkill ahead"


def _level(frame: pl.DataFrame, sizes: tuple[int, ...]) -> str:
    """From which size on the two are level, in words."""
    apart = [size for size in sizes if abs(_ahead(frame, size).mean()) >= ALIKE]
    level = [size for size in sizes if not apart or size > apart[-1]]
    if not level:
        return f"They are more than {ALIKE} percentage points apart up to the largest contests here."
    return f"From {level[0]} participants on both are within {ALIKE} percentage points of each other."


def _means(frame: pl.DataFrame) -> pl.DataFrame:
    return pl.concat(
        frame.group_by(["participants", "predictor"], maintain_order=True)
        .agg(pl.lit(metric).alias("metric"), pl.col(metric).mean().round(2).alias("percent"))
        .pivot("predictor", index=["metric", "participants"], values="percent")
        for metric in ("pair inversion", "rank deviation")
    )


def _picture(frame: pl.DataFrame) -> alt.ChartType:
    """Means in one panel; in the other differences to TrueSkill of the same seeds, as seeds differ more."""
    share = pl.col("pair inversion")
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
