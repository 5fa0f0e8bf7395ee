"""One new player in a settled pool, followed by every system: what Figures 1 to 3 have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium import charts
from podium.arrays import Floats
from podium.charts import Axis
from podium.numerics.win_chances import LOGISTIC, expected_scores
from podium.simulation.arena import POINTS_FOR_TEN_TO_ONE
from podium.studies.live_game.newcomer_scenarios import SCENARIOS, NewcomerRun, Opponents, follow_newcomer
from podium_papers.items import Number, Setting, seeds_named
from podium_papers.printed import Printed
from podium_papers.yuksel.contenders import NEWCOMER

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

SETTLING_SHARE = 0.1
"""Share of the games after which errors and win rates are counted."""
WIN_RATE_GAMES = 10
"""Number of games in a win rate of the figures."""


class Panel(NamedTuple):
    """One of the two halves of a figure."""

    letter: str
    scenario: str
    title: str
    opponents: Opponents = "wanted"


@cache
def newcomer(
    name: str, panel: Panel, repetitions: int, seed: int, thinned: int, lowest: float = 0.0
) -> NewcomerRun:
    """Let a system follow a new player; the same seed gives all systems the same luck.

    In quick runs a scenario has a tenth of its games. Nobody in the pool is rated below the lowest rating.
    """
    told = SCENARIOS[panel.scenario]
    played = replace(
        told, skill=told.skill[::thinned], thrown=told.thrown[::thinned], change=told.change // thinned
    )
    return follow_newcomer(
        NEWCOMER[name],
        played,
        repetitions=repetitions,
        opponents=panel.opponents,
        pool=(lowest, 3000.0),
        seed=seed,
    )


def first_counted(run: NewcomerRun) -> int:
    """Number of the first game that is counted: by then a rating should have settled."""
    return round(SETTLING_SHARE * run.scenario.games) + 1


class Runs(NamedTuple):
    """All systems in both halves of a figure."""

    setting: Setting
    panels: tuple[Panel, Panel]

    @property
    def repetitions(self) -> int:
        """Number of repetitions; the pictures show the first."""
        return 20 if self.setting.quick else 200

    def of(self, name: str, panel: Panel, lowest: float = 0.0) -> NewcomerRun:
        """One system in one half."""
        thinned = 10 if self.setting.quick else 1
        return newcomer(name, panel, self.repetitions, self.setting.seed, thinned, lowest)

    def beside(self, printed: Printed, what: str, ours: str, remark: str = "") -> Number:
        """Counts of games next to the published ones; not in quick runs, which have a tenth of the games."""
        if self.setting.quick:
            return Number(what, ours, self.source)
        return printed.beside(what, ours, self.source, remark)

    @property
    def source(self) -> str:
        """Where numbers come from, in words."""
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
        """Ratings of one run, a picture for each half, and its win rates over ten games."""
        ratings = {f"{figure}-{panel.letter}": self._ratings(panel) for panel in self.panels}
        return ratings | {f"{figure}-win-rates": self._win_rates()}

    def _ratings(self, panel: Panel) -> alt.ChartType:
        """All systems on one scale, so that they can be compared."""
        frame = self._frame(self._rating_frame, (panel,))
        ends = float(frame["low"].min()), float(frame["high"].max())  # type: ignore[arg-type]
        low, high = 100.0 * math.floor(ends[0] / 100.0), 100.0 * math.ceil(ends[1] / 100.0)
        return charts.curves(
            frame,
            Axis("game", "games", format="~d"),
            Axis("rating", "rating (points)", domain=(low, high)),
            colour="what",
            panel="panel",
            band=("low", "high"),
            dashed=["actual rating"],
            title=f"The estimated rating of a new player: {panel.title}",
            subtitle="line: one run, as in the paper · area: 90% of all repetitions",
        )

    def _win_rates(self) -> alt.ChartType:
        return charts.curves(
            self._frame(self._rate_frame, self.panels),
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

    def _frame(self, of_run: Callable[[NewcomerRun], pl.DataFrame], panels: Sequence[Panel]) -> pl.DataFrame:
        import polars as pl

        parts = []
        for name in NEWCOMER:
            for panel in panels:
                frame = of_run(self.of(name, panel))
                parts.append(frame.with_columns(pl.lit(f"({panel.letter}) {name}").alias("panel")))
        return pl.concat(parts)

    @staticmethod
    def _rating_frame(run: NewcomerRun) -> pl.DataFrame:
        import polars as pl

        every = max(1, run.scenario.games // 250)  # more cannot be seen
        shown = slice(every - 1, None, every)
        game = np.arange(1, run.scenario.games + 1)[shown]
        low, high = np.quantile(run.rating[shown], (0.05, 0.95), axis=1)
        # a gap where games are thrown, as in the paper
        skill = np.where(run.scenario.thrown, np.nan, run.scenario.skill)[shown]
        columns = {"what": "estimate", "game": game, "rating": run.rating[shown, 0], "low": low, "high": high}
        actual = {"what": "actual rating", "game": game, "rating": skill, "low": skill, "high": skill}
        return pl.concat([pl.DataFrame(columns), pl.DataFrame(actual)]).fill_nan(None)

    @staticmethod
    def _rate_frame(run: NewcomerRun) -> pl.DataFrame:
        import polars as pl

        rates = run.win_rates(WIN_RATE_GAMES)[:, 0]
        games = np.arange(WIN_RATE_GAMES, run.scenario.games + 1)
        return pl.DataFrame({"game": games, "rate": rates})[::2]


def win_chance(points: float) -> float:
    """Win probability of a player rated this much higher."""
    return float(expected_scores(LOGISTIC, np.array([points]), POINTS_FOR_TEN_TO_ONE)[0])


def quartered(values: Floats) -> str:
    """The median and the middle 90%; runs that never get there count as last."""
    shown = np.quantile(np.where(np.isnan(values), np.inf, values), (0.05, 0.5, 0.95), method="nearest")
    low, middle, high = ("never" if np.isinf(x) else f"{x:.0f}" for x in shown)
    return middle if low == high else f"{middle} ({low} to {high})"


def in_the_run_shown(values: Floats) -> str:
    """The value in the repetition of the pictures."""
    return f"in the run shown {'never' if np.isnan(values[0]) else format(values[0], '.0f')}"


def how_often(values: Floats, printed: Printed) -> str:
    """Share of the runs that agree with what the paper says of one run."""
    over = printed.value.startswith("over")
    said = float(printed.value.removeprefix("over "))
    reached = np.where(np.isnan(values), np.inf, values)
    part = float(np.mean(reached > said if over else reached <= said))
    return f"{printed.value if over else f'at most {said:.0f}'} in {100 * part:.0f}% of runs"
