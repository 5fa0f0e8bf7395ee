"""Section 6.3: all values of ρ between 0 and 1 produce very similar results."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from podium import charts
from podium.charts import Axis
from podium.history.core import Floats
from podium.papers.elo_mmr.data import DRIFT, NO_FILE, NOISE, read_contests, synthetic
from podium.papers.elo_mmr.protocol import measure, ratings_before
from podium.papers.elo_mmr.published import RHO
from podium.papers.items import Number, Result, Setting, seeds_named, spread_of
from podium.systems.elo_mmr import EloMMR

if TYPE_CHECKING:
    import altair as alt

VALUES = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 10.0, math.inf)
SEEDS = 8
QUICK_SEEDS = 2
METRICS = {"pair_inversion": "pair inversion", "rank_deviation": "rank deviation"}


def rho_alike(setting: Setting) -> Result:
    """Both metrics by ρ, on synthetic sets with the true β and γ and on the file given with the defaults."""
    seeds = setting.seeds(QUICK_SEEDS if setting.quick else SEEDS)
    rows = [_row(rho, str(seed), *_synthetic(setting, seed, rho)) for seed in seeds for rho in VALUES]
    made = pl.DataFrame(rows)
    source = seeds_named(seeds)
    numbers = _numbers(made, source, "synthetic")
    frames = [_summed(made, "synthetic")]
    if setting.contests is not None:
        history = read_contests(setting.contests)
        file = setting.contests.name
        found = []
        for rho in VALUES:
            measured = measure(history, ratings_before(EloMMR(rho=rho), history), "five before")
            found.append(_row(rho, file, measured.pair_inversion, measured.rank_deviation))
        real = pl.DataFrame(found)
        numbers += _numbers(real, file, file)
        frames.append(_summed(real, file))
    table = pl.concat(frames)
    return Result(
        f"""
        Pair inversion and rank deviation of players with five contests before, after the first tenth. On the
        synthetic sets β and γ are the true ones ({NOISE:.0f} and {DRIFT:.0f}), and the difference to ρ = 1 is
        taken seed by seed, as the sets differ more from each other than the values of ρ do; on a file they
        are the defaults. "Very similar" holds from 0 to 1, and nearly as well beyond: what ρ changes is how
        a rating answers to surprises (see momentum). Simulated players, who are normal and drift evenly,
        surprise nobody, and a memory of single performances is of no use to them; people do surprise, and
        may be better predicted with a small ρ.

        {"" if setting.contests is not None else NO_FILE}
        """,
        numbers=numbers,
        tables={"By ρ, in percent (points apart from ρ = 1)": table},
        pictures={"rho": _picture(table)},
    )


def _synthetic(setting: Setting, seed: int, rho: float) -> tuple[float, float]:
    history = synthetic(setting, seed).history
    rating = ratings_before(EloMMR(beta=NOISE, gamma=DRIFT, rho=rho), history)
    found = measure(history, rating, "five before")
    return found.pair_inversion, found.rank_deviation


def _row(rho: float, source: str, pairs: float, ranks: float) -> dict[str, float | str]:
    return {"rho": rho, "source": source, "pair_inversion": pairs, "rank_deviation": ranks}


def _apart(frame: pl.DataFrame, metric: str, rho: float) -> Floats:
    """From ρ = 1, a seed each."""
    of = {value: frame.filter(pl.col("rho") == value)[metric].to_numpy() for value in (rho, 1.0)}
    return np.asarray(of[rho] - of[1.0])


def _numbers(frame: pl.DataFrame, source: str, label: str) -> list[Number]:
    numbers = []
    for metric, called in METRICS.items():
        inside = max(np.abs(_apart(frame, metric, rho)).max() for rho in VALUES if rho <= 1.0)
        numbers.append(
            Number(
                f"{label}: {called}, farthest from ρ = 1 for ρ in 0 to 1",
                f"{inside:.3f}",
                source,
                RHO.text,
                RHO.place,
                "percentage points; holds" if inside < 0.5 else "percentage points; differs",
            )
        )
        numbers += [
            Number(
                f"{label}: {called} of ρ = {rho:g} less that of ρ = 1", _signed(frame, metric, rho), source
            )
            for rho in (10.0, math.inf)
        ]
    return numbers


def _signed(frame: pl.DataFrame, metric: str, rho: float) -> str:
    return spread_of(_apart(frame, metric, rho), 3)


def _summed(frame: pl.DataFrame, label: str) -> pl.DataFrame:
    rows = []
    for metric, called in METRICS.items():
        for rho in VALUES:
            values = frame.filter(pl.col("rho") == rho)[metric].to_numpy()
            apart = _apart(frame, metric, rho)
            rows.append(
                {
                    "set": label,
                    "metric": called,
                    "rho": f"{rho:g}",
                    "percent": round(float(values.mean()), 3),
                    "apart": round(float(apart.mean()), 4),
                    "least": round(float(apart.min()), 4),
                    "most": round(float(apart.max()), 4),
                }
            )
    return pl.DataFrame(rows)


def _picture(table: pl.DataFrame) -> alt.ChartType:
    shown = {f"{rho:g}": 1e-2 if rho == 0 else 100.0 if math.isinf(rho) else rho for rho in VALUES}
    frame = table.with_columns(at=pl.col("rho").replace_strict(shown, return_dtype=pl.Float64))
    return charts.curves(
        frame,
        Axis("at", "ρ (0 at the left end, ∞ at the right)", log=True, domain=(0.01, 100.0), format="~g"),
        Axis("apart", "percentage points apart from ρ = 1", format="+.2f"),
        colour="set",
        panel="metric",
        band=("least", "most"),
        dots=True,
        across=[0.0],
        title="Predictions hardly depend on ρ",
        subtitle="more pairs in order, and fewer ranks off, are better · band: least and most of all seeds",
    )
