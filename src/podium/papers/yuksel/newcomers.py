"""Figures 1 to 3: one new player in a settled pool."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium import charts
from podium.charts import Axis
from podium.history.core import Floats
from podium.lab.games import SCALE
from podium.lab.scenarios import SCENARIOS, NewcomerRun, Opponents, follow_newcomer
from podium.numerics.curves import LOGISTIC, expected_scores
from podium.papers.items import Number, Result, Setting, seeds_named
from podium.papers.printed import held, signed
from podium.papers.yuksel import published
from podium.papers.yuksel.contenders import NEWCOMER, OURS

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

SETTLED = 0.1
"""The part of the games after which errors and win rates are counted."""
WINDOW = 10
"""Games of a win rate in the figures."""


class Panel(NamedTuple):
    """One of the two halves of a figure."""

    letter: str
    scenario: str
    title: str
    opponents: Opponents = "wanted"


FIXED = Panel("a", "fixed", "fixed, matched")
NEAR = Panel("b", "fixed", "fixed, opponents of 1750 to 2250", "near")
RISING = Panel("a", "rising", "steadily increasing")
FLAT = Panel("b", "rising-then-flat", "increasing, then fixed")
JUMP = Panel("a", "jump", "sudden increase")
THROWN = Panel("b", "thrown", "100 games thrown")


@cache
def newcomer(name: str, panel: Panel, repetitions: int, seed: int, thinned: int) -> NewcomerRun:
    """A system that follows a new player; the same seed gives all of them the same luck.

    Thinned by ten, a scenario has a tenth of its games.
    """
    told = SCENARIOS[panel.scenario]
    played = replace(
        told, skill=told.skill[::thinned], thrown=told.thrown[::thinned], change=told.change // thinned
    )
    return follow_newcomer(
        NEWCOMER[name], played, repetitions=repetitions, opponents=panel.opponents, seed=seed
    )


def first_counted(run: NewcomerRun) -> int:
    """The number of the first game in which a rating should have settled."""
    return round(SETTLED * run.scenario.games) + 1


class Runs(NamedTuple):
    """All systems through both halves of a figure."""

    setting: Setting
    panels: tuple[Panel, Panel]

    @property
    def repetitions(self) -> int:
        """How often each is played; the first repetition is the one in the pictures."""
        return 20 if self.setting.quick else 200

    def of(self, name: str, panel: Panel) -> NewcomerRun:
        """One system in one half."""
        return newcomer(name, panel, self.repetitions, self.setting.seed, 10 if self.setting.quick else 1)

    @property
    def source(self) -> str:
        """What numbers come from."""
        return f"{self.repetitions} repetitions, {seeds_named(self.setting.seeds(1))}"

    def tables(self) -> dict[str, pl.DataFrame]:
        """Errors and win rates of every system."""
        import polars as pl

        rows = []
        for panel in self.panels:
            for name in NEWCOMER:
                run = self.of(name, panel)
                since = first_counted(run)
                won = 100.0 * run.score[since - 1 :].mean(axis=0)
                rows.append(
                    {
                        "": f"({panel.letter}) {panel.title}",
                        "system": name,
                        "rmse": round(run.rmse(since), 1),
                        "mean error": round(run.mean_error(since), 1),
                        "won, %": round(float(won.mean()), 1),
                        "lowest": round(float(won.min()), 1),
                        "highest": round(float(won.max()), 1),
                    }
                )
        title = f"From game {since} on: errors in points, thrown games left out, and games won"
        return {f"{title} ({self.source})": pl.DataFrame(rows)}

    def pictures(self, figure: str) -> dict[str, alt.ChartType]:
        """Ratings of one run, and its win rates over ten games."""
        return {figure: self._ratings(), f"{figure}-win-rates": self._win_rates()}

    def _ratings(self) -> alt.ChartType:
        frame = self._frame(self._rating_frame)
        ends = float(frame["low"].min()), float(frame["high"].max())  # type: ignore[arg-type]
        low, high = 100.0 * math.floor(ends[0] / 100.0), 100.0 * math.ceil(ends[1] / 100.0)
        return charts.curves(
            frame,
            Axis("game", "games", format="~d"),
            # the same for all, unless thrown games would leave no room for the rest
            Axis("rating", "rating (points)", domain=(low, high) if high - low < 1500.0 else None),
            colour="what",
            panel="panel",
            band=("low", "high"),
            dashed=["actual rating"],
            height=150,
            title="The estimated rating of a new player",
            subtitle=[self._halves, "line: one run, as in the paper · area: 90% of all repetitions"],
        )

    def _win_rates(self) -> alt.ChartType:
        return charts.curves(
            self._frame(self._rate_frame),
            Axis("game", "games", format="~d"),
            Axis("rate", "won of the last 10", domain=(0.0, 1.0), format=".0%"),
            panel="panel",
            across=[0.5],
            height=110,
            title="The win rate of the past 10 games",
            subtitle=[self._halves, "of the run whose ratings are shown"],
        )

    @property
    def _halves(self) -> str:
        return " · ".join(
            f"{side}: ({panel.letter}) {panel.title}"
            for side, panel in zip(("left", "right"), self.panels, strict=True)
        )

    def _frame(self, of_run: Callable[[NewcomerRun], pl.DataFrame]) -> pl.DataFrame:
        import polars as pl

        parts = []
        for name in NEWCOMER:
            for panel in self.panels:
                frame = of_run(self.of(name, panel))
                parts.append(frame.with_columns(pl.lit(f"({panel.letter}) {name}").alias("panel")))
        return pl.concat(parts)

    @staticmethod
    def _rating_frame(run: NewcomerRun) -> pl.DataFrame:
        import polars as pl

        shown = slice(1, None, 2)  # every second game: more cannot be seen
        game = np.arange(1, run.scenario.games + 1)[shown]
        low, high = np.quantile(run.rating[shown], (0.05, 0.95), axis=1)
        skill = run.scenario.skill[shown]
        columns = {"what": "estimate", "game": game, "rating": run.rating[shown, 0], "low": low, "high": high}
        actual = {"what": "actual rating", "game": game, "rating": skill, "low": skill, "high": skill}
        return pl.concat([pl.DataFrame(columns), pl.DataFrame(actual)])

    @staticmethod
    def _rate_frame(run: NewcomerRun) -> pl.DataFrame:
        import polars as pl

        rates = run.win_rates(WINDOW)[:, 0]
        games = np.arange(WINDOW, run.scenario.games + 1)
        return pl.DataFrame({"game": games, "rate": rates})[::2]


def win_chance(points: float) -> float:
    """Of somebody rated so much higher."""
    return float(expected_scores(LOGISTIC, np.array([points]), SCALE)[0])


def quartered(values: Floats) -> str:
    """The median and from where to where 90% go; those that never get there count as last."""
    shown = np.quantile(np.where(np.isnan(values), np.inf, values), (0.05, 0.5, 0.95), method="nearest")
    low, middle, high = ("never" if np.isinf(x) else f"{x:.0f}" for x in shown)
    return middle if low == high else f"{middle} ({low} to {high})"


def _median(values: Floats) -> float:
    return float(np.median(np.where(np.isnan(values), np.inf, values)))


def in_the_run_shown(values: Floats) -> str:
    """Of the repetition in the pictures."""
    return f"in the run shown {'never' if np.isnan(values[0]) else format(values[0], '.0f')}"


# ---------------------------------------------------------------------- the figures


def figure_1(setting: Setting) -> Result:
    """A fixed rating, with matchmaking and without."""
    runs = Runs(setting, (FIXED, NEAR))
    numbers = [*_evenness(runs), *_streaks(runs)]
    low, high = win_chance(-250.0), win_chance(250.0)
    numbers.append(
        published.RANGE.beside(
            "win chances against 250 points more and less",
            f"{100 * low:.0f}% to {100 * high:.0f}%",
            "exact",
            "as printed",
        )
    )
    return Result(
        """
        A newcomer of 2000, rated from 1500 on, over a thousand games: with opponents from the window of
        section 4.1, and with any opponents from 1750 to 2250. The figures of the paper show one run; here are
        many beside it, with the same luck for all systems. After five wins or losses in a row the window of
        the paper has no end (Δp equals 1/(2n + 2)); chances are cut off at 1% and 99%. Elo stays noisy,
        Glicko comes to rest soonest, and TrueSkill and the new system are in between, as the paper says. The
        noise that random opponents add is small, and none with Elo and Glicko.
        """,
        numbers=numbers,
        tables=runs.tables(),
        pictures=runs.pictures("figure-1"),
    )


def _evenness(runs: Runs) -> list[Number]:
    numbers = []
    for name in NEWCOMER:
        both = [runs.of(name, panel) for panel in runs.panels]
        rates = [run.win_rates(WINDOW)[first_counted(run) - WINDOW :] for run in both]
        within = [100.0 * float(np.mean(np.abs(rate - 0.5) < 0.15)) for rate in rates]
        numbers.append(
            published.EVEN.beside(
                f"games after which 4 to 6 of the last 10 were won, {name}",
                f"{within[0]:.0f}% with matchmaking, {within[1]:.0f}% without",
                runs.source,
                held(within[0] > max(75.0, within[1])),
            )
        )
    return numbers


def _streaks(runs: Runs) -> list[Number]:
    numbers = []
    for panel in runs.panels:
        run = runs.of(OURS, panel)
        won, lost = run.longest_streak(True), run.longest_streak(False)
        longest = np.maximum(won, lost)
        what = f"({panel.letter}) longest streak of a thousand games"
        ours = f"{longest.mean():.1f} ({longest.min()} to {longest.max()})"
        if panel is NEAR:
            among = bool(longest.min() <= 10 <= longest.max())
            numbers.append(published.STREAKS.beside(what, ours, runs.source, held(among)))
        else:
            numbers.append(Number(what, ours, runs.source))
    scores = [runs.of(name, NEAR).score for name in NEWCOMER]
    same = all(np.array_equal(scores[0], other) for other in scores)
    numbers.append(
        published.SAME.beside("(b) results of all systems", "the same" if same else "others", runs.source)
    )
    for name in NEWCOMER:
        a, b = (run.rmse(first_counted(run)) for run in (runs.of(name, panel) for panel in runs.panels))
        remark = held(True) if b > 1.02 * a else "hardly"
        numbers.append(
            published.NOISIER.beside(
                f"error with {name}, (a) and (b)", f"{a:.0f}, {b:.0f}", runs.source, remark
            )
        )
    return numbers


def figure_2(setting: Setting) -> Result:
    """A rating that rises, and one that stops half-way."""
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
                f"{held(won['Glicko'] > won['Elo'] + 3.0)}; with Elo {won['Elo']:.0f}%",
            )
        )
        for name in (OURS, "TrueSkill"):
            run = runs.of(name, panel)
            ours = f"{run.rmse(since):.0f} points off, mean {signed(run.mean_error(since))}"
            numbers.append(published.FOLLOWS.beside(f"({panel.letter}) {name}", ours, runs.source))
    return Result(
        """
        The paper does not say by how much the rating increases; here it goes from 1500 to 2000, in a thousand
        games or in the first five hundred. As the paper says, Elo follows with noise, Glicko falls behind
        and the player wins more often than not, and TrueSkill and the new system follow, some tens of points
        behind. In errors the three that follow are alike while the rating rises.
        """,
        numbers=numbers,
        tables=runs.tables(),
        pictures=runs.pictures("figure-2"),
    )


def figure_3(setting: Setting) -> Result:
    """A jump, and a hundred games lost on purpose."""
    runs = Runs(setting, (JUMP, THROWN))
    changed = runs.of(OURS, JUMP).scenario.change + 1
    jump = {name: runs.of(name, JUMP).games_until(2000.0, rising=True, since=changed) for name in NEWCOMER}
    thrown = {name: runs.of(name, THROWN) for name in NEWCOMER}
    honest = thrown[OURS].scenario.change
    below = {name: run.games_until(1500.0, rising=False, since=changed) for name, run in thrown.items()}
    back = {name: run.games_until(2000.0, rising=True, since=honest + 1) for name, run in thrown.items()}
    lowest = {name: f"{run.rating[honest - 1].mean():.0f}".replace("-", "−") for name, run in thrown.items()}
    numbers = [
        published.JUMP.beside(
            "(a) games until 2000, TrueSkill",
            quartered(jump["TrueSkill"]),
            runs.source,
            f"{held(_median(jump['TrueSkill']) > 200.0)}; {in_the_run_shown(jump['TrueSkill'])}",
        ),
    ]
    for name in NEWCOMER:
        if name != "TrueSkill":
            what = f"(a) games until 2000, {name}"
            shown = in_the_run_shown(jump[name])
            numbers.append(Number(what, quartered(jump[name]), runs.source, remark=shown))
    for name, printed in published.BELOW.items():
        remark = f"{in_the_run_shown(below[name])}; lowest rating {lowest[name]}"
        what = f"(b) games until below 1500, {name}"
        numbers.append(printed.beside(what, quartered(below[name]), runs.source, remark))
    for name, printed in published.BACK.items():
        what = f"(b) games until back at 2000, {name}"
        numbers.append(printed.beside(what, quartered(back[name]), runs.source, in_the_run_shown(back[name])))
    short = _short(thrown["TrueSkill"], back["Elo"])
    numbers += [
        published.SHORT.beside(
            "(b) how far TrueSkill is short when Elo is back",
            quartered(short),
            runs.source,
            in_the_run_shown(short),
        ),
        published.AT_1500.beside(
            "win chance of 2000 against 1500", f"{100 * win_chance(500.0):.1f}%", "exact", "a little less"
        ),
    ]
    over = float(np.mean(np.nan_to_num(below[OURS], nan=np.inf) > 60.0))
    return Result(
        f"""
        A rating that jumps from 1500 to 2000 after 500 games, and one of 2000 whose games 501 to 600 are lost
        on purpose. The paper gives the games of one run; here is the median of many, and where 90% of them
        lie. Elo's 26 and TrueSkill's 43 lie there, and so does the new system's 12. That it takes more than
        60 lost games to bring the new system below 1500 happens in {100 * over:.0f}% of the runs; Elo's 266
        games until it is back are at the upper end of ours. All of it hangs on where the pool of opponents
        ends: nobody here is rated below 0 or above 3000, as in section 5.3. Without an end ratings fall much
        further while games are thrown, and 0 was chosen because it gives the paper's 12 games.
        """,
        numbers=numbers,
        tables=runs.tables(),
        pictures=runs.pictures("figure-3"),
    )


def _short(run: NewcomerRun, recovered: Floats) -> Floats:
    """How far below 2000 a system is, in each repetition, when another is back there."""
    honest = run.scenario.change
    games = np.where(np.isnan(recovered), run.scenario.games - honest, recovered).astype(np.int64)
    short: Floats = 2000.0 - run.rating[honest - 1 + games, np.arange(run.rating.shape[1])]
    return short
