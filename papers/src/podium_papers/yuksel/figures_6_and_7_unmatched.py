"""Figures 6 and 7: what matchmaking does to win rates, and what becomes of ratings without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from podium import charts
from podium.charts import Axis
from podium.studies.live_game.rounds import RoundsRun
from podium.systems.yuksel.yuksel import Yuksel
from podium_papers.items import Number, Result, Setting, seeds_named, spread_of
from podium_papers.printed import held
from podium_papers.yuksel import published
from podium_papers.yuksel.contenders import OURS, POPULATION, SCALED
from podium_papers.yuksel.figures_4_and_5_populations import (
    MATCHED,
    RANDOM,
    SHOWN,
    Size,
    errors_after,
    errors_chart,
    errors_table,
    listed,
    printed_errors,
    runs_of,
    size_of,
)

if TYPE_CHECKING:
    import altair as alt


def figure_6(setting: Setting) -> Result:
    """Draw win rates with and without matchmaking."""
    size = size_of(setting)
    size = size._replace(rounds=min(size.rounds, 1_000))
    marks = [mark for mark in (10, 100, 1_000) if mark <= size.rounds]
    halves = {"with matchmaking": MATCHED, "without": RANDOM}
    found = {half: runs_of(POPULATION[OURS], size, shuffle) for half, shuffle in halves.items()}
    source = seeds_named(size.seeds)
    numbers = []
    for half, runs in found.items():
        for mark in marks:
            within, ends = zip(*(_near_half(run, mark) for run in runs), strict=True)
            what = f"players who won 40% to 60% of {mark:,} games, {half}: middle 90% and ends"
            ours = f"{spread_of(100 * np.array(within), 0, '%')} and {100 * np.mean(ends):.0f}%"
            if half == "with matchmaking":
                numbers.append(
                    published.MOST_WIN_RATES.beside(what, ours, source, held(np.mean(within) > 0.9))
                )
            else:
                numbers.append(Number(what, ours, source))
    return Result(
        f"""
        Win rates of the new system's {size.players:,} players after {listed(marks)} rounds, sorted by actual
        rating. Ends are the twentieth of players at each end of the list, where nobody is strong or weak
        enough. Of 10 games between equals, 66% of players win 4 to 6 by chance alone.
        """,
        numbers=numbers,
        pictures={"figure-6": _win_rate_dots(found, marks)},
    )


def _near_half(run: RoundsRun, mark: int) -> tuple[float, float]:
    """Share of players who won 40% to 60%: of the middle 90% by true rating, and of the others."""
    rate = run.win_rate[int(np.flatnonzero(run.kept == mark)[0])][np.argsort(run.skill, kind="stable")]
    near = np.abs(rate - 0.5) <= 0.1 + 1e-9
    end = len(rate) // 20
    return float(near[end:-end].mean()), float(np.concatenate((near[:end], near[-end:])).mean())


def _win_rate_dots(found: Mapping[str, Sequence[RoundsRun]], marks: Sequence[int]) -> alt.ChartType:
    import polars as pl

    parts = []
    for half, runs in found.items():
        run = runs[0]
        order = np.argsort(run.skill, kind="stable")
        for mark in marks:
            rate = run.win_rate[int(np.flatnonzero(run.kept == mark)[0])][order]
            place = np.arange(1, len(order) + 1)
            columns = {"panel": f"{half}, {mark:,} rounds", "player": place, "rate": rate}
            parts.append(pl.DataFrame(columns)[:: 2 if len(order) > 500 else 1])
    return charts.dots(
        pl.concat(parts),
        Axis("player", "player, by actual rating", format="~d"),
        Axis("rate", "games won", domain=(0.0, 1.0), format=".0%"),
        panel="panel",
        across=[0.5],
        columns=len(marks),
        width=210,
        height=160,
        title="Win rates with and without matchmaking",
        subtitle="Yuksel's system; a dot is a player, and of a thousand every second is shown",
    )


def figure_7(setting: Setting) -> Result:
    """Draw errors round by round, with random pairs."""
    size = size_of(setting)
    all_runs = {name: runs_of(system, size, RANDOM) for name, system in POPULATION.items()}
    source, last = seeds_named(size.seeds), size.marks[-1]
    numbers = printed_errors(published.FIGURE_7, all_runs, size)
    numbers += _without_matchmaking(all_runs, size)
    if size.rounds >= 1_000:
        numbers += _unstable(all_runs, last, source)
    alone = size._replace(seeds=size.seeds[:1])
    for what, system in {
        "s = 0.7": Yuksel(step=0.7),
        "s = 0.95, α = 1.6": Yuksel(step=0.95, alpha=1.6),
    }.items():
        ours = spread_of(errors_after(runs_of(system, alone, RANDOM), last), 0)
        numbers.append(Number(f"Yuksel with {what} after {last:,} rounds", ours, seeds_named(alone.seeds)))
    return Result(
        """
        The same without matchmaking: anybody meets anybody. The paper's remedy for its own system, s = 0.95,
        stands beside two others that were tried, a smaller s and a smaller α; podium's study of matchmaking
        lists more readings of the algorithm.
        """,
        numbers=numbers,
        tables={f"Root mean square errors, {source}": errors_table(all_runs, size)},
        pictures={"figure-7": errors_chart(all_runs, "random pairing", size)},
    )


def _unstable(all_runs: Mapping[str, Sequence[RoundsRun]], last: int, source: str) -> list[Number]:
    """What the paper says of its own system, without and with its remedy."""
    best = [int(run.rmse.argmin()) + 1 for run in all_runs[OURS]]
    least = np.mean([run.rmse.min() for run in all_runs[OURS]])
    return [
        published.UNSTABLE.beside(
            "Yuksel gets better for so many rounds", spread_of(best, 0), source, f"to {least:.0f} points"
        ),
        published.WORSE.beside(
            f"Yuksel after {last:,} rounds",
            spread_of(errors_after(all_runs[OURS], last), 0),
            source,
            f"{np.mean(errors_after(all_runs[OURS], last)) / least:.1f} times its least",
        ),
        published.OUTPERFORMS.beside(
            f"Yuksel with s = 0.95 after {last:,} rounds",
            spread_of(errors_after(all_runs[SCALED], last), 0),
            source,
            _verdict(all_runs, last),
        ),
    ]


def _without_matchmaking(all_runs: Mapping[str, Sequence[RoundsRun]], size: Size) -> list[Number]:
    """Every other system with random pairs and with matchmaking; and whether Elo is the slowest."""
    alone, numbers = size._replace(seeds=size.seeds[:1]), []
    for name in SHOWN[1:]:
        matched = runs_of(POPULATION[name], alone)[0]
        for mark in size.marks[1:]:
            random, paired = float(all_runs[name][0].rmse[mark - 1]), float(matched.rmse[mark - 1])
            numbers.append(
                published.BETTER.beside(
                    f"{name} after {mark:,} rounds, random pairs and matchmaking",
                    f"{random:.0f} and {paired:.0f}",
                    seeds_named(alone.seeds),
                    held(random < paired),
                )
            )
    errors = {name: float(np.mean(errors_after(runs, 100))) for name, runs in all_runs.items()}
    slowest = max(errors, key=lambda name: errors[name])
    ours = ", ".join(f"{name} {error:.0f}" for name, error in errors.items() if name != SCALED)
    what, source = "errors after 100 rounds, random pairs", seeds_named(size.seeds)
    return [*numbers, published.ELO_SLOWER.beside(what, ours, source, held(slowest == "Elo"))]


def _verdict(all_runs: Mapping[str, Sequence[RoundsRun]], mark: int) -> str:
    errors = {name: float(np.mean(errors_after(runs, mark))) for name, runs in all_runs.items()}
    best = min(errors, key=lambda name: errors[name])
    return "so it is" if best == SCALED else f"it is not: {best} is best, {errors[best]:.0f} off"
