"""Figures 1 to 3: a new player whose rating stands, rises, jumps or is hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Floats
from podium.studies.live_game.newcomer_scenarios import NewcomerRun
from podium_papers.items import Number, Result, Setting
from podium_papers.printed import held, signed
from podium_papers.yuksel import published
from podium_papers.yuksel.contenders import NEWCOMER, OURS
from podium_papers.yuksel.followed_newcomer import (
    WIN_RATE_GAMES,
    Panel,
    Runs,
    first_counted,
    how_often,
    in_the_run_shown,
    quartered,
    win_chance,
)

if TYPE_CHECKING:
    import polars as pl

FIXED = Panel("a", "fixed", "fixed, matched")
NEAR = Panel("b", "fixed", "fixed, opponents of 1750 to 2250", "near")
RISING = Panel("a", "rising", "steadily increasing")
FLAT = Panel("b", "rising-then-flat", "increasing, then fixed")
JUMP = Panel("a", "jump", "sudden increase")
THROWN = Panel("b", "thrown", "games thrown")
OTHER_POOL_ENDS = (-1000.0, 500.0, 1000.0)
"""Other lowest ratings that the pool of opponents could have, besides 0."""


def figure_1(setting: Setting) -> Result:
    """Follow a newcomer with a fixed rating, with and without matchmaking."""
    runs = Runs(setting, (FIXED, NEAR))
    low, high = (100.0 * win_chance(points) for points in (-250.0, 250.0))
    numbers = [*_evenness(runs), *_streaks(runs), *_noise(runs)]
    numbers.append(
        published.RANGE.beside(
            "win chances against 250 points more and less",
            f"{low:.0f}% to {high:.0f}%",
            "exact",
            held(abs(high - 80.0) < 1.0),
        )
    )
    some = runs.of(OURS, FIXED)
    errors = {name: runs.of(name, FIXED).rmse(first_counted(some)) for name in NEWCOMER}
    order = sorted(errors, key=lambda name: errors[name])
    return Result(
        f"""
        A newcomer of 2000, rated from 1500 on, over {some.scenario.games:,} games: with opponents from the
        window of section 4.1, and with any opponents from 1750 to 2250. The figures of the paper show one
        run; here are {runs.repetitions} beside it, with the same luck for all systems. After five wins or
        losses in a row the window of the paper has no end (Δp equals 1/(2n + 2)); chances are cut off at 1%
        and 99%. By root mean square error from game {first_counted(some)} on, from least to most:
        {", ".join(f"{name} {errors[name]:.0f}" for name in order)}.
        """,
        numbers=numbers,
        tables=runs.tables(),
        pictures=runs.pictures("figure-1"),
    )


def _evenness(runs: Runs) -> list[Number]:
    """Win rates over ten games; ± is their standard deviation, which is 16 if every game is even."""
    numbers, shares = [], []
    for name in NEWCOMER:
        both = [runs.of(name, panel) for panel in runs.panels]
        rates = [100.0 * run.win_rates(WIN_RATE_GAMES)[first_counted(run) - WIN_RATE_GAMES :] for run in both]
        with_it, without = (f"{rate.mean():.1f}% ± {rate.std():.1f}" for rate in rates)
        numbers.append(
            published.EVEN_WIN_RATES.beside(
                f"won of the last {WIN_RATE_GAMES} games, {name}",
                with_it,
                runs.source,
                f"without matchmaking {without}; even games give ± 15.8",
            )
        )
        within = [100.0 * float(np.mean(np.abs(rate - 50.0) < 15.0)) for rate in rates]
        shares.append(
            Number(
                f"games after which 4 to 6 of the last {WIN_RATE_GAMES} were won, {name}",
                f"{within[0]:.0f}%",
                runs.source,
                remark=f"without matchmaking {within[1]:.0f}%; even games give 66%",
            )
        )
    return numbers + shares


def _streaks(runs: Runs) -> list[Number]:
    numbers = []
    for panel in runs.panels:
        run = runs.of(OURS, panel)
        longest = np.maximum(run.longest_streak(True), run.longest_streak(False))
        what = f"({panel.letter}) longest streak of {run.scenario.games:,} games"
        ours = f"{longest.mean():.1f} ({longest.min()} to {longest.max()})"
        if panel is NEAR:
            remark = f"at most 10 in {100 * np.mean(longest <= 10):.0f}% of runs"
            numbers.append(runs.beside(published.STREAKS, what, ours, remark))
        else:
            numbers.append(Number(what, ours, runs.source))
    scores = [runs.of(name, NEAR).score for name in NEWCOMER]
    same = all(np.array_equal(scores[0], other) for other in scores)
    what, ours = "(b) results of all systems", "the same" if same else "others"
    return [*numbers, published.SAME.beside(what, ours, runs.source, held(same))]


def _noise(runs: Runs) -> list[Number]:
    """The paper speaks of the variance; here its square root, around the mean of each run."""
    numbers = []
    for name in NEWCOMER:
        both = [runs.of(name, panel) for panel in runs.panels]
        a, b = (float(run.rating[first_counted(run) - 1 :].std(axis=0).mean()) for run in both)
        numbers.append(
            published.NOISIER.beside(
                f"deviation of the rating with {name}, (a) and (b)",
                f"{a:.1f}, {b:.1f}",
                runs.source,
                f"{held(b > a)}: {signed(100.0 * (b / a - 1.0))}%",
            )
        )
    return numbers


def figure_2(setting: Setting) -> Result:
    """Follow a rating that rises, and one that stops half-way."""
    runs = Runs(setting, (RISING, FLAT))
    numbers = []
    for panel in runs.panels:
        since = first_counted(runs.of(OURS, panel))
        won = {name: 100.0 * runs.of(name, panel).score[since - 1 :].mean() for name in NEWCOMER}
        numbers.append(
            published.RISING.beside(
                f"({panel.letter}) games won with Glicko",
                f"{won['Glicko']:.0f}%",
                runs.source,
                ", ".join(f"{name} {won[name]:.0f}%" for name in NEWCOMER if name != "Glicko"),
            )
        )
        for name in (OURS, "TrueSkill"):
            run = runs.of(name, panel)
            ours = f"{run.rmse(since):.0f} points off, mean {signed(run.mean_error(since))}"
            others = [f"{other} {runs.of(other, panel).rmse(since):.0f}" for other in ("Elo", "Glicko")]
            numbers.append(
                published.FOLLOWS.beside(f"({panel.letter}) {name}", ours, runs.source, ", ".join(others))
            )
    scenario = runs.of(OURS, FLAT).scenario
    late = (scenario.change + scenario.games) // 2 + 1
    for name in (OURS, "TrueSkill"):
        run = runs.of(name, FLAT)
        rising, flat = run.rmse(since, scenario.change), run.rmse(late)
        what = f"(b) {name}, points off while it rises, and in the last {scenario.games - late + 1} games"
        numbers.append(
            published.CONVERGE.beside(what, f"{rising:.0f}, {flat:.0f}", runs.source, held(flat < rising))
        )
    return Result(
        f"""
        The paper does not say by how much the rating increases; here it goes from 1500 to 2000, in
        {scenario.games:,} games or in the first {scenario.change}. The figures of the paper show one run;
        here are {runs.repetitions} beside it.
        """,
        numbers=numbers,
        tables=runs.tables(),
        pictures=runs.pictures("figure-2"),
    )


def figure_3(setting: Setting) -> Result:
    """Follow a jump, and games lost on purpose."""
    runs = Runs(setting, (JUMP, THROWN))
    jump, thrown = (runs.of(OURS, panel).scenario for panel in (JUMP, THROWN))
    first = int(np.flatnonzero(thrown.thrown)[0]) + 1
    chance = 100.0 * win_chance(500.0)
    over = published.AT_1500.beside(
        "win chance of 2000 against 1500", f"{chance:.1f}%", "exact", held(chance > 95.0)
    )
    tables = runs.tables() | {
        f"Where the pool of opponents ends, games as above ({runs.source})": pool_ends(runs)
    }
    return Result(
        f"""
        A rating that jumps from 1500 to 2000 after {jump.change} games, and one of 2000 whose games {first}
        to {thrown.change} are lost on purpose. The paper gives the games of one run; here is the median of
        {runs.repetitions}, where 90% of them lie, and how often it is as the paper tells of its one.

        All of it hangs on where the pool of opponents ends: nobody here is rated below 0 or above 3000, as in
        section 5.3. The paper gives no end. 0 was chosen after the results were seen, since it comes near the
        paper's 12 games; what other ends give stands in a table.
        """,
        numbers=[*_after_the_jump(runs), *_thrown(runs), over],
        tables=tables,
        pictures=runs.pictures("figure-3"),
    )


def _after_the_jump(runs: Runs) -> list[Number]:
    numbers = []
    for name in ("TrueSkill", *(other for other in NEWCOMER if other != "TrueSkill")):
        run = runs.of(name, JUMP)
        games = run.games_until(2000.0, rising=True, since=run.scenario.change + 1)
        what, shown = f"(a) games until 2000, {name}", in_the_run_shown(games)
        if name == "TrueSkill":
            remark = f"{how_often(games, published.JUMP)}; {shown}"
            numbers.append(runs.beside(published.JUMP, what, quartered(games), remark))
        else:
            numbers.append(Number(what, quartered(games), runs.source, remark=shown))
    return numbers


def _thrown(runs: Runs) -> list[Number]:
    numbers = []
    for name, printed in published.BELOW.items():
        run = runs.of(name, THROWN)
        games = _until_below(run)
        lowest = float(np.median(run.rating[run.scenario.thrown].min(axis=0)))
        remark = f"lowest rating {signed(lowest).removeprefix('+')}"
        if name != "Glicko":
            remark = f"{how_often(games, printed)}; {in_the_run_shown(games)}; {remark}"
        numbers.append(runs.beside(printed, f"(b) games until below 1500, {name}", quartered(games), remark))
    back = {name: _until_back(runs.of(name, THROWN)) for name in published.BACK}
    for name, printed in published.BACK.items():
        remark = in_the_run_shown(back[name])
        if name == "TrueSkill":
            later = np.nan_to_num(back[name], nan=np.inf) > back["Elo"]
            remark = f"longer in {100 * np.mean(later):.0f}% of runs; {remark}"
        else:
            remark = f"{how_often(back[name], printed)}; {remark}"
        numbers.append(
            runs.beside(printed, f"(b) games until back at 2000, {name}", quartered(back[name]), remark)
        )
    short = short_of(runs.of("TrueSkill", THROWN), back["Elo"])
    what = f"(b) how far TrueSkill is short when Elo is back, in {len(short)} of {runs.repetitions} runs"
    ours = quartered(short) if len(short) else "Elo is never back"
    return [*numbers, runs.beside(published.SHORT_OF_2000, what, ours)]


def _until_below(run: NewcomerRun) -> Floats:
    """Games thrown until the rating is below 1500."""
    return run.games_until(1500.0, rising=False, since=int(np.flatnonzero(run.scenario.thrown)[0]) + 1)


def _until_back(run: NewcomerRun) -> Floats:
    """Honest games until the rating is back."""
    return run.games_until(2000.0, rising=True, since=run.scenario.change + 1)


def short_of(run: NewcomerRun, recovered: Floats) -> Floats:
    """How far a system is below 2000 when another is back there, over the repetitions in which it is."""
    ever = np.flatnonzero(~np.isnan(recovered))
    games = recovered[ever].astype(np.int64)
    short: Floats = 2000.0 - run.rating[run.scenario.change - 1 + games, ever]
    return short


def pool_ends(runs: Runs) -> pl.DataFrame:
    """Effect of the end of the pool on the two systems that follow furthest."""
    import polars as pl

    rows = []
    for lowest in sorted((0.0, *OTHER_POOL_ENDS)):
        row: dict[str, object] = {"weakest opponent": signed(lowest).removeprefix("+")}
        for name in (OURS, "Elo"):
            run = runs.of(name, THROWN, lowest)
            row[f"{name} until below 1500"] = quartered(_until_below(run))
            row[f"{name} until back at 2000"] = quartered(_until_back(run))
        rows.append(row)
    return pl.DataFrame(rows)
