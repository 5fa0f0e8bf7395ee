"""How a live game went with each matcher: waiting, win rates, streaks, and errors of ratings.

Each picture is made of a table that has the columns system and matcher beside what it shows, as those of
`podium.studies.live_game.comparison` have. A colour is a matcher; what fair coins would give is dashed and
grey.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from podium.charts.grammar import GREY, HEIGHT, PALETTE, WIDTH, dressed, hints, named_colour, need
from podium.errors import InputError

if TYPE_CHECKING:
    import altair as alt
    import polars as pl


class _Measured(Protocol):
    """The four tables of a comparison of live games that are drawn."""

    @property
    def waits(self) -> pl.DataFrame: ...
    @property
    def win_rates(self) -> pl.DataFrame: ...
    @property
    def streaks(self) -> pl.DataFrame: ...
    @property
    def errors(self) -> pl.DataFrame: ...


def waiting_times(waits: pl.DataFrame) -> alt.ChartType:
    """Draw waiting times in seconds by true skill: the mean, and the time that only 5% exceed."""
    return _alone(
        waits,
        _waits,
        "Waiting",
        "line: mean · dashed: 95% of players wait less · by percentile of true skill",
    )


def win_rates(rates: pl.DataFrame) -> alt.ChartType:
    """Draw how often players have won each number of their last games, compared with fair coins."""
    return _alone(rates, _rates, "Win rates", "after each game, among the last games · grey: fair coins")


def streaks(lengths: pl.DataFrame) -> alt.ChartType:
    """Draw how often losing streaks of each length or longer occur, compared with fair coins."""
    return _alone(
        lengths, _streaks, "Losing streaks", "of at least this length, in a thousand games · grey: fair coins"
    )


def rating_errors(errors: pl.DataFrame) -> alt.ChartType:
    """Draw how far ratings are from the true ones, day by day."""
    return _alone(errors, _errors, "Rating error", "root mean square, without the mean error")


def live_game(measured: _Measured) -> alt.ChartType:
    """Draw waiting times, win rates, streaks and rating errors: four panels per system."""
    need("altair")
    import altair as alt

    frames = (measured.waits, measured.win_rates, measured.streaks, measured.errors)
    parts = (_waits, _rates, _streaks, _errors)
    systems = _named(measured.waits, "system")
    rows = []
    for system in systems:
        panels = [
            part(frame.filter(frame["system"] == system)).properties(
                width=WIDTH // 2, height=HEIGHT // 2, title=_small(words)
            )
            for part, frame, words in zip(parts, frames, _PANELS, strict=True)
        ]
        two = alt.vconcat(alt.hconcat(*panels[:2]), alt.hconcat(*panels[2:]))
        rows.append(two if len(systems) == 1 else two.properties(title=alt.Title(system, fontSize=15)))
    title = f"A live game rated with {systems[0]}" if len(systems) == 1 else "A live game"
    return dressed(alt.vconcat(*rows), title, "one colour per matcher · grey, dashed: fair coins")


_PANELS = (
    "seconds of waiting (line: mean, dashed: 95%)",
    "wins among the last games (percent of the time)",
    "losing streaks of at least this length, in 1,000 games",
    "rating error (points)",
)


def _alone(frame: pl.DataFrame, part: Any, title: str, subtitle: str) -> alt.ChartType:
    """One of the four charts, with a panel per system."""
    need("altair")
    import altair as alt

    systems = _named(frame, "system")
    panels = [part(frame.filter(frame["system"] == system)) for system in systems]
    if len(systems) == 1:
        only = panels[0].properties(width=WIDTH, height=HEIGHT)
        return dressed(only, f"{title}: {systems[0]}", subtitle)
    small = [
        panel.properties(width=WIDTH // 2, height=HEIGHT // 2, title=_small(system))
        for panel, system in zip(panels, systems, strict=True)
    ]
    return dressed(alt.concat(*small, columns=2), title, subtitle)


def _small(words: str) -> alt.Title:
    """The title of a panel."""
    import altair as alt

    return alt.Title(words, fontSize=13, offset=6, frame="group")


def _named(frame: pl.DataFrame, column: str) -> list[str]:
    names: list[str] = frame[column].unique(maintain_order=True).to_list()
    if not names:
        raise InputError("there are no data to draw", hint="the game was too short: no game began")
    return names


def _lines(frame: pl.DataFrame, x: alt.X, y: alt.Y, told: dict[str, str]) -> alt.Chart:
    import altair as alt

    colour = named_colour("matcher", _named(frame, "matcher"), "matchers", columns=len(PALETTE))
    base = alt.Chart(alt.InlineData(values=frame.to_dicts())).encode(x=x, y=y, color=colour)
    tips = [*hints({"matcher": "matcher"}), *hints(told, ".3~f")]
    lines: alt.Chart = base.mark_line(point=alt.OverlayMarkDef(size=22), strokeWidth=2)
    return lines.encode(tooltip=tips)


def _coins(frame: pl.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    import altair as alt

    matcher = _named(frame, "matcher")[0]
    rows = frame.filter(frame["matcher"] == matcher).to_dicts()
    coins: alt.Chart = alt.Chart(alt.InlineData(values=rows)).mark_line(strokeDash=[4, 3], color=GREY)
    return coins.encode(x=x, y=y)


def _waits(frame: pl.DataFrame) -> alt.LayerChart:
    import altair as alt

    x = alt.X("percentile:Q", title="true skill (percentile)", axis=alt.Axis(tickCount=6))
    y = alt.Y("mean:Q", title="waiting (seconds)")
    lines = _lines(frame, x, y, {"percentile": "percentile", "mean": "mean", "95%": "p95", "worst": "worst"})
    late = lines.encode(y=alt.Y("p95:Q", title="waiting (seconds)")).mark_line(strokeDash=[5, 3], opacity=0.7)
    return alt.LayerChart(layer=[late, lines])


def _rates(frame: pl.DataFrame) -> alt.LayerChart:
    import altair as alt
    import polars as pl

    frame = frame.with_columns(share=100 * pl.col("share"), coin=100 * pl.col("coin"))
    x = alt.X("wins:Q", title="games won among the last games", axis=alt.Axis(tickMinStep=1, format="d"))
    y = alt.Y("share:Q", title="percent of the time")
    lines = _lines(frame, x, y, {"won": "wins", "percent": "share", "coin": "coin"})
    return alt.LayerChart(layer=[_coins(frame, x, alt.Y("coin:Q", title="percent of the time")), lines])


def _streaks(frame: pl.DataFrame) -> alt.LayerChart:
    import altair as alt
    import polars as pl

    frame = frame.filter(pl.col("lost") > 0)  # none at all has no place on this scale
    x = alt.X("length:Q", title="games lost in a row, or more", axis=alt.Axis(tickMinStep=1, format="d"))
    scale, axis = alt.Scale(type="log"), alt.Axis(format="~g", tickCount=5)
    y = alt.Y("lost:Q", title="streaks in 1,000 games", scale=scale, axis=axis)
    coin = alt.Y("coin:Q", title="streaks in 1,000 games", scale=scale, axis=axis)
    lines = _lines(frame, x, y, {"games": "length", "lost": "lost", "won": "won", "coin": "coin"})
    return alt.LayerChart(layer=[_coins(frame, x, coin), lines])


def _errors(frame: pl.DataFrame) -> alt.LayerChart:
    import altair as alt

    x = alt.X("day:Q", title="day", axis=alt.Axis(tickMinStep=1))
    y = alt.Y("rmse:Q", title="error (points)", scale=alt.Scale(zero=False))
    return alt.LayerChart(layer=[_lines(frame, x, y, {"day": "day", "error": "rmse"})])
