"""Table 3: how long rating takes; and how time grows with the size of a contest, section 5.3."""

from __future__ import annotations

import math
import os
import platform
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from podium import charts
from podium.charts import Axis
from podium.history import History
from podium.numerics.threads import threads_from
from podium.simulation.populations import synthetic_contests
from podium.systems import RatingSystem
from podium.systems.codeforces.codeforces import Codeforces
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium.systems.elo_mmr.elo_mmx import EloMMX
from podium.systems.topcoder.topcoder import Topcoder
from podium.systems.trueskill.trueskill import TrueSkill
from podium_papers.cpu_time import cpu_timed
from podium_papers.elo_mmr.contest_data import (
    DRIFT_SIGMA,
    NO_FILE,
    NO_OTHERS,
    PERFORMANCE_SIGMA,
    SKILL_SIGMA,
    given_contests,
    in_place_of,
    remarked,
    synthetic,
)
from podium_papers.elo_mmr.published import (
    FASTER,
    LINEAR,
    MMX_FASTER,
    QUADRATIC,
    SECONDS,
    SEQUENTIAL,
    SYSTEMS,
    TABLE_1,
    TABLES,
)
from podium_papers.items import Number, Result, Setting, seeds_named
from podium_papers.printed import held

if TYPE_CHECKING:
    import altair as alt

DEFAULTS: dict[str, RatingSystem] = {
    "Codeforces": Codeforces(),
    "Topcoder": Topcoder(),
    "TrueSkill": TrueSkill(mu=1500.0, sigma=SKILL_SIGMA, beta=PERFORMANCE_SIGMA, tau=DRIFT_SIGMA),
    "Elo-MMχ": EloMMX(),
    "Elo-MMR(ρ)": EloMMR(),
}
"""Systems with default parameters; TrueSkill's are those of the simulated contests."""
CLAIMED = dict.fromkeys(SYSTEMS[:2], QUADRATIC) | dict.fromkeys(SYSTEMS[3:], LINEAR)
"""How time grows with the participants, according to the paper."""
REPEATS = 3
SIZES, QUICK_SIZES = (500, 1000, 2000, 4000, 8000, 16_000), (250, 500, 1000)
"""Numbers of participants."""
CONTESTS = 4
"""Contests rated one after another, so that not everybody is a newcomer."""


def table_3(setting: Setting) -> Result:
    """Time the synthetic set and the given file, and contests of growing size."""
    given = given_contests(setting)
    sets: dict[str, History] = {"Synthetic": synthetic(setting, setting.seed).history}
    if given is not None:
        sets["Codeforces"] = given
    numbers, ours = [], {}
    for row, history in sets.items():
        file = setting.contests if row == "Codeforces" else None
        for column, name in enumerate(SYSTEMS):
            ours[row, name] = seconds(history, DEFAULTS[name], REPEATS if history.rows < 10**6 else 1)
            numbers.append(
                Number(
                    f"{row if file is None else file.name}: {name}",
                    f"{ours[row, name]:.3f} s",
                    seeds_named([setting.seed]) if file is None else file.name,
                    f"{SECONDS[row][column]} s",
                    f"Table 3, {row}, {name}",
                    remarked(setting, cores_named(name) if file is None else in_place_of(row)),
                )
            )
    for row in sets:
        label = row if row == "Synthetic" or setting.contests is None else setting.contests.name
        times = {name: ours[row, name] for name in SYSTEMS}
        numbers += [
            replace(number, remark=remarked(setting, number.remark))
            for number in (
                _rate(row, label, times, sets[row].rows),
                _ratio(row, label, times),
                _mmx(row, label, times),
            )
        ]
    by_size = seconds_by_size(setting.seed, QUICK_SIZES if setting.quick else SIZES)
    numbers += [
        Number(
            f"{name}: time grows with participants to the power",
            f"{slope:.2f}",
            seeds_named([setting.seed]),
            *CLAIMED.get(name, ("", "")),
            remarked(setting, "1 is linear, 2 quadratic"),
        )
        for name, slope in slopes(by_size).items()
    ]
    return Result(
        _words(setting, slopes(by_size)),
        numbers=numbers,
        tables={f"Table 3 as printed{NO_OTHERS}": TABLES["Table 3"]},
        pictures={"table-3": _picture(by_size)},
    )


def cores_named(system: str) -> str:
    """The remark on a time of Table 3: on what it was measured, here and there."""
    there = "one thread there too" if system == "TrueSkill" else "24 cores there"
    return f"processor time of one thread here, {there}"


def seconds(history: History, system: RatingSystem, repeats: int) -> float:
    """The best time of several runs to rate a history in one thread; compiled code is warm."""
    system.update(system.new_state(len(history.players)), history[:1], trace=False)
    best = math.inf
    for _ in range(repeats):
        state = system.new_state(len(history.players))
        with threads_from(history.rows + 1):
            best = min(best, cpu_timed(system.update, state, history, trace=False)[1])
    return best


@cache
def seconds_by_size(seed: int, sizes: tuple[int, ...]) -> pl.DataFrame:
    """Seconds per contest, by system and number of participants."""
    rows = []
    for size in sizes:
        history = synthetic_contests(size, CONTESTS, size, seed=seed).history
        for name, system in DEFAULTS.items():
            rows.append((name, size, seconds(history, system, REPEATS) / CONTESTS))
    return pl.DataFrame(rows, schema=["system", "participants", "seconds"], orient="row")


def slopes(by_size: pl.DataFrame) -> dict[str, float]:
    """The power of the number of participants with which time grows, fitted to all sizes."""
    found = {}
    for (name,), part in by_size.group_by(["system"], maintain_order=True):
        size, spent = np.log(part["participants"].to_numpy()), np.log(part["seconds"].to_numpy())
        found[str(name)] = float(np.polyfit(size, spent, 1)[0])
    return found


def _rate(row: str, label: str, ours: dict[str, float], rows: int) -> Number:
    """Seconds per million participations: with all opponents here, with 500 in the paper."""
    contests, participants = TABLE_1[row]
    theirs = float(SECONDS[row][-1]) / (contests * participants) * 1e6
    return Number(
        f"{label}: seconds for a million rows, Elo-MMR(ρ)",
        f"{ours['Elo-MMR(ρ)'] / rows * 1e6:.2f}",
        "the times above",
        f"{theirs:.1f}",
        f"Table 3 over Table 1, {row}",
        "all opponents on one thread here, at most 500 on 24 cores there",
    )


def _ratio(row: str, label: str, ours: dict[str, float]) -> Number:
    """The time of Codeforces relative to Elo-MMR, the paper's headline."""
    theirs = dict(zip(SYSTEMS, map(float, SECONDS[row]), strict=True))
    faster = f'"{FASTER.value}" ({FASTER.place}): ' if row == "Codeforces" else ""
    return Number(
        f"{label}: times as long as Elo-MMR(ρ), Codeforces and Topcoder",
        ", ".join(f"{ours[name] / ours['Elo-MMR(ρ)']:.2f}" for name in SYSTEMS[:2]),
        "the times above",
        ", ".join(f"{theirs[name] / theirs['Elo-MMR(ρ)']:.2f}" for name in SYSTEMS[:2]),
        f"Table 3, {row}, as ratios",
        f"{faster}{'slower' if ours['Codeforces'] > ours['Elo-MMR(ρ)'] else 'no slower'} than it here",
    )


def _mmx(row: str, label: str, ours: dict[str, float]) -> Number:
    theirs = dict(zip(SYSTEMS, map(float, SECONDS[row]), strict=True))
    return Number(
        f"{label}: Elo-MMχ's time in Elo-MMR(ρ)'s",
        f"{ours['Elo-MMχ'] / ours['Elo-MMR(ρ)']:.2f}",
        "the times above",
        f"{theirs['Elo-MMχ'] / theirs['Elo-MMR(ρ)']:.2f}",
        f"Table 3, {row}, as a ratio",
        f'"{MMX_FASTER.value}" ({MMX_FASTER.place}): {held(ours["Elo-MMχ"] < ours["Elo-MMR(ρ)"])}',
    )


def _picture(by_size: pl.DataFrame) -> alt.ChartType:
    return charts.curves(
        by_size,
        Axis("participants", "participants of a contest", log=True, domain=_around(by_size), format="~s"),
        Axis("seconds", "time to rate a contest (seconds)", log=True, format="~g"),
        colour="system",
        dots=True,
        title="How time grows with the size of a contest",
        subtitle="best of three, one thread, both axes logarithmic; players who met before",
        legend_columns=5,
    )


def _around(by_size: pl.DataFrame) -> tuple[float, float]:
    sizes = by_size["participants"].to_numpy()
    return 0.8 * float(sizes.min()), 1.25 * float(sizes.max())


def _words(setting: Setting, grows: dict[str, float]) -> str:
    low, high = min(grows.values()), max(grows.values())
    return f"""
    Times are podium's: of the processor, not of the clock, the best of {REPEATS} (once where there are more
    than a million rows), without reading or writing files, on {_machine()}; one thread.
    The paper's are of a 24-core machine at 2.0 GHz and of other programs, so that seconds beside seconds say
    little. Four of the five were parallelized there; TrueSkill was not: "{SEQUENTIAL.value}"
    ({SEQUENTIAL.place}). What can be compared are ratios between the other four and how time grows.

    The paper computes the Codeforces and Topcoder systems in a time that is quadratic in the participants,
    and Elo-MMR with at most 500 sampled opponents. Neither is needed: in podium the sums over all opponents
    are tabulated (Codeforces, Elo-MMR), swept (Elo-MMχ) or expanded in a Fourier series (Topcoder), with
    nobody left out. Measured, the time of all five grows with a power of the participants from {low:.2f} to
    {high:.2f}. So an advantage of Elo-MMR that comes from others being quadratic is one of programs, not of
    systems.

    Times differ from run to run, and with what else the machine does.

    {"" if setting.contests is not None else NO_FILE}
    """


def _machine() -> str:
    """This machine in a few words."""
    cores = os.cpu_count() or 1
    return f"{platform.system()} on {platform.machine()}, {cores} core{'s' if cores > 1 else ''}"
