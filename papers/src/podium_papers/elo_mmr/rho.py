"""Section 6.3: all values of ρ between 0 and 1 produce very similar results."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from podium import charts
from podium.arrays import Floats
from podium.charts import Axis
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium_papers.elo_mmr.contest_data import (
    DRIFT_SIGMA,
    NO_FILE,
    PERFORMANCE_SIGMA,
    given_contests,
    remarked,
    synthetic,
)
from podium_papers.elo_mmr.protocol import measure, ratings_before
from podium_papers.elo_mmr.published import PAIRS_RIGHT, SIMILAR_FOR_ALL_RHO
from podium_papers.items import Number, Result, Setting, seeds_named, spread_of
from podium_papers.printed import held, named, rho_named, signed

if TYPE_CHECKING:
    import altair as alt

RHOS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 10.0, math.inf)
SEEDS = 8
QUICK_SEEDS = 2
VERY_SIMILAR_POINTS = 0.1
"""Differences below this number of percentage points are called very similar."""
METRICS = {"pairs_right": "pairs right", "rank_deviation": "rank deviation"}


def rho_alike(setting: Setting) -> Result:
    """Measure both metrics by ρ, on synthetic sets with the true β and γ, and on the given file."""
    history = given_contests(setting)
    seeds = setting.seeds(QUICK_SEEDS if setting.quick else SEEDS)
    rows = [_row(rho, str(seed), *_synthetic(setting, seed, rho)) for seed in seeds for rho in RHOS]
    made = pl.DataFrame(rows)
    source = seeds_named(seeds)
    numbers = _numbers(made, source, "synthetic", setting)
    frames = [_summed(made, "synthetic")]
    if history is not None and setting.contests is not None:
        file = setting.contests.name
        found = []
        for rho in RHOS:
            measured = measure(history, ratings_before(EloMMR(rho=rho), history), "five before")
            found.append(_row(rho, file, measured.pairs_right, measured.rank_deviation))
        real = pl.DataFrame(found)
        numbers += _numbers(real, file, file, setting)
        frames.append(_summed(real, file))
    table = pl.concat(frames)
    return Result(
        f"""
        Pairs right and rank deviation of players with five contests before, after the first tenth. On the
        synthetic sets β and γ are the true ones ({PERFORMANCE_SIGMA:.0f} and {DRIFT_SIGMA:.0f}), and the
        difference to ρ = 1 is taken seed by seed; on a file they are the defaults. What ρ changes is how a
        rating answers to surprises (see momentum). Simulated players are normal and drift evenly, which no
        memory of single performances can help to predict; other players need not. The paper does not say how
        near "{SIMILAR_FOR_ALL_RHO.value}" is: the differences between systems in its Table 2 are
        {_printed_steps()} percentage points, so a tenth of a point is taken.
        {_best(table)}

        {"" if setting.contests is not None else NO_FILE}
        """,
        numbers=numbers,
        tables={"By ρ, in percent (points apart from ρ = 1)": table},
        pictures={"rho": _picture(table)},
    )


def _printed_steps() -> str:
    """In words, the differences between the printed systems other than TrueSkill, on the sites' data."""
    rows = {name: (*row[:2], *row[3:]) for name, row in PAIRS_RIGHT.items() if name != "Synthetic"}
    return ", ".join(f"{max(row) - min(row):.1f} ({name})" for name, row in rows.items())


def _best(table: pl.DataFrame) -> str:
    """In words, the ρ that predicted best."""
    said = []
    for (label,), part in table.filter(pl.col("metric") == "pairs right").group_by(
        ["set"], maintain_order=True
    ):
        best = part.row(int(part["percent"].arg_max() or 0), named=True)
        said.append(f"{label}: ρ = {best['rho']} ({signed(best['apart'], 3)} points beside ρ = 1)")
    return f"Most pairs in order, of the values tried: {'; '.join(said)}."


def _synthetic(setting: Setting, seed: int, rho: float) -> tuple[float, float]:
    history = synthetic(setting, seed).history
    rating = ratings_before(EloMMR(beta=PERFORMANCE_SIGMA, gamma=DRIFT_SIGMA, rho=rho), history)
    found = measure(history, rating, "five before")
    return found.pairs_right, found.rank_deviation


def _row(rho: float, source: str, pairs: float, ranks: float) -> dict[str, float | str]:
    return {"rho": rho, "source": source, "pairs_right": pairs, "rank_deviation": ranks}


def _apart(frame: pl.DataFrame, metric: str, rho: float) -> Floats:
    """Differences to ρ = 1, one per seed."""
    of = {value: frame.filter(pl.col("rho") == value)[metric].to_numpy() for value in (rho, 1.0)}
    return np.asarray(of[rho] - of[1.0])


def _numbers(frame: pl.DataFrame, source: str, label: str, setting: Setting) -> list[Number]:
    numbers = []
    for metric, called in METRICS.items():
        inside = max(np.abs(_apart(frame, metric, rho)).max() for rho in RHOS if rho <= 1.0)
        numbers.append(
            Number(
                f"{label}: {called}, farthest from ρ = 1 for ρ in 0 to 1",
                f"{inside:.3f}",
                source,
                *SIMILAR_FOR_ALL_RHO,
                remarked(setting, f"percentage points; {held(inside < VERY_SIMILAR_POINTS)}"),
            )
        )
        numbers += [
            Number(
                f"{label}: {called} of {rho_named(rho)} less that of ρ = 1",
                _signed(frame, metric, rho),
                source,
            )
            for rho in (10.0, math.inf)
        ]
    return numbers


def _signed(frame: pl.DataFrame, metric: str, rho: float) -> str:
    return spread_of(_apart(frame, metric, rho), 3)


def _summed(frame: pl.DataFrame, label: str) -> pl.DataFrame:
    rows = []
    for metric, called in METRICS.items():
        for rho in RHOS:
            values = frame.filter(pl.col("rho") == rho)[metric].to_numpy()
            apart = _apart(frame, metric, rho)
            rows.append(
                {
                    "set": label,
                    "metric": called,
                    "rho": named(rho),
                    "percent": round(float(values.mean()), 3),
                    "apart": round(float(apart.mean()), 4),
                    "least": round(float(apart.min()), 4),
                    "most": round(float(apart.max()), 4),
                }
            )
    return pl.DataFrame(rows)


def _picture(table: pl.DataFrame) -> alt.ChartType:
    # 0 and ∞ have no place on a logarithmic axis: the values tried stand side by side, each with its name
    place = {named(rho): float(number) for number, rho in enumerate(RHOS)}
    frame = table.with_columns(at=pl.col("rho").replace_strict(place, return_dtype=pl.Float64))
    return charts.curves(
        frame,
        Axis("at", "ρ (the values tried)", labels={at: rho for rho, at in place.items()}),
        Axis("apart", "percentage points apart from ρ = 1", format="+.2f"),
        colour="set",
        panel="metric",
        band=("least", "most"),
        dots=True,
        across=[0.0],
        title="How predictions depend on ρ",
        subtitle="more pairs in order, and fewer ranks off, are better · band: least and most of all seeds",
    )
