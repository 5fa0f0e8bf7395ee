"""What cheating does to ratings: honest and dishonest curves side by side, and gains with their intervals.

Each picture is made of a table of `podium.studies.attacks.AttackReport`. Honest is blue and dishonest orange,
as everywhere what is above and below; in pictures of gains blue is what pays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from podium.charts.grammar import ABOVE, BELOW, GREY, ROW_HEIGHT, WIDTH, dressed, hints, lines, need
from podium.errors import InputError
from podium.text import shorten

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

SHADE = "#ececec"
WHO_COLOURS = {"honest": ABOVE, "cheating": BELOW}
PANEL_WIDTH, PANEL_HEIGHT = 285, 185
LINEAR_UP_TO_POINTS = 10.0
"""The scale of gains is linear up to this number of points, and logarithmic beyond."""
GAIN_TICKS = (-10_000, -1000, -100, 0, 100, 1000, 10_000)


def attack_curves(curves: pl.DataFrame, attack: str | None = None) -> alt.ChartType:
    """Draw the ratings of an honest player and of a cheat, event by event: one panel per system.

    Figure 2 of the Elo-MMR paper is such a picture. `curves` is `AttackReport.curves`; `attack` is one of its
    attacks, by default the first. With several runs, lines are means and bands hold 80% of the runs. Marks at
    the bottom are thrown events, darker if more runs threw them.
    """
    need("altair")
    import altair as alt
    import polars as pl

    if not curves.height:
        raise InputError("there are no data to draw", hint="give a report of at least one scripted attack")
    chosen = curves["attack"][0] if attack is None else attack
    frame = curves.filter(pl.col("attack") == chosen)
    if not frame.height:
        known = ", ".join(curves["attack"].unique(maintain_order=True).to_list())
        raise InputError(f"there is no attack {chosen!r} in this table", hint=f"there are {known}")
    systems = frame["system"].unique(maintain_order=True).to_list()
    several = bool((frame["high"] > frame["low"]).any())
    size = {"width": WIDTH, "height": 320} if len(systems) == 1 else {}
    panels = [
        _panel(frame.filter(pl.col("system") == name), several).properties(**(size or _PANEL_SIZE))
        for name in systems
    ]
    thrown = bool((frame["thrown"] > 0).any())
    words = ["lines: means · bands: 80% of runs"] if several else ["rating after each event"]
    words += ["grey: while cheating"] + (["marks: events thrown"] if thrown else [])
    title = f"{chosen[0].upper()}{chosen[1:]}"
    if len(systems) == 1:
        return dressed(panels[0], f"{title}: {systems[0]}", " · ".join(words))
    titled = [
        panel.properties(title=alt.Title(shorten(name, 40), fontSize=13, offset=6, frame="group"))
        for panel, name in zip(panels, systems, strict=True)
    ]
    columns = 2 if len(systems) < 7 else 3
    chart = alt.concat(*titled, columns=columns, spacing=16).resolve_scale(color="shared")
    return dressed(chart, title, " · ".join(words))


_PANEL_SIZE = {"width": PANEL_WIDTH, "height": PANEL_HEIGHT}


def _panel(frame: pl.DataFrame, several: bool) -> alt.LayerChart:
    import altair as alt
    import polars as pl

    rows = _apart(frame)
    low, high = float(frame["low"].min()), float(frame["high"].max())  # type: ignore[arg-type]
    room = 0.08 * (high - low or 1.0)
    axis = alt.Axis(tickMinStep=1, format="d", tickCount=6, grid=False)
    last = int(frame["number"].max())  # type: ignore[arg-type]
    across = alt.Scale(domain=[0.5, last + 0.5], nice=False)
    where = "own event (number)"
    x = alt.X("number:Q", title=where, scale=across, axis=axis)
    up = alt.Scale(domain=[low - 2 * room, high + room], nice=False, zero=False)
    heights = alt.Axis(format="~f", tickCount=5)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", title="rating (points)", scale=up, axis=heights)

    legend = alt.Legend(symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1)
    scale = alt.Scale(domain=list(WHO_COLOURS), range=list(WHO_COLOURS.values()))
    colour = alt.Color("who:N", scale=scale, legend=legend)
    told = hints({"": "who", "phase": "phase"}) + hints({"event": "number"}, "d")
    told += hints({"rating": "mean", "from": "low", "to": "high"}, ".1f") + hints({"thrown": "thrown"}, ".0%")
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, color=colour)
    layers: list[Any] = []
    if shaded := _phases(frame):
        block = alt.Chart(alt.InlineData(values=shaded)).mark_rect(color=SHADE, opacity=1)
        layers.append(block.encode(x=alt.X("from:Q", scale=across, axis=axis, title=where), x2="to:Q"))
    if several:
        layers.append(base.mark_area(opacity=0.2).encode(y=y("low"), y2="high:Q"))
    layers.append(base.mark_line(strokeWidth=2).encode(y=y("mean")))
    layers.append(base.mark_point(size=60, opacity=0, aria=False).encode(y=y("mean"), tooltip=told))
    thrown = frame.filter(pl.col("thrown") > 0.0).with_columns(floor=pl.lit(low - 1.2 * room))
    if thrown.height:
        marks = alt.Chart(alt.InlineData(values=thrown.to_dicts())).mark_tick(
            color=BELOW, thickness=2, orient="vertical", size=9, aria=False
        )
        seen = alt.Scale(domain=[0, 1], range=[0.15, 1])
        layers.append(
            marks.encode(
                x=x, y=y("floor"), opacity=alt.Opacity("thrown:Q", scale=seen, legend=None), tooltip=told
            )
        )
    return alt.LayerChart(layer=layers)


def _apart(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows to draw: the cheat's only from where the two curves differ, so that neither hides the other."""
    honest = {row["number"]: row for row in frame.to_dicts() if row["who"] == "honest"}
    cheating = [row for row in frame.to_dicts() if row["who"] != "honest"]
    same = [row["number"] for row in cheating if row["mean"] == honest[row["number"]]["mean"]]
    common = cheating[0]["number"] - 1 if cheating else 0
    for number in same:
        if number != common + 1:
            break
        common = number
    return [*(row for row in cheating if row["number"] >= common), *honest.values()]


def _phases(frame: pl.DataFrame) -> list[dict[str, float]]:
    """Ranges of event numbers, as from and to, in which the player does not play honestly."""
    numbers, phases = frame["number"].to_list(), frame["phase"].to_list()
    by_number = dict(zip(numbers, phases, strict=True))
    shaded: list[dict[str, float]] = []
    for number in sorted(by_number):
        if by_number[number] in ("honest", "old account"):
            continue
        if shaded and shaded[-1]["to"] == number - 0.5:
            shaded[-1]["to"] = number + 0.5
        else:
            shaded.append({"from": number - 0.5, "to": number + 0.5})
    return shaded


def attack_gains(summary: pl.DataFrame) -> alt.ChartType:
    """Draw the points that cheating gains, with intervals: one panel per attack, one line per system.

    `summary` is `AttackReport.summary`. Blue pays by more than chance, orange does not pay, grey is not shown
    either way. An attack that wants a lower rating pays if the rating is lower. Beyond ± 10 points the scale
    is logarithmic.
    """
    need("altair")
    import altair as alt
    import polars as pl

    if not summary.height:
        raise InputError("there are no data to draw", hint="give a report of at least one attack")
    attacks = summary["attack"].unique(maintain_order=True).to_list()
    systems = summary["system"].unique(maintain_order=True).to_list()
    ends = [abs(v) for c in ("gain", "low", "high") for v in summary[c].to_list() if v is not None]
    reach = min(max(*ends, LINEAR_UP_TO_POINTS), 1e6) * 1.3
    panels = []
    for number, attack in enumerate(attacks):
        rows = _gain_rows(summary.filter(pl.col("attack") == attack), systems)
        first = number % 3 == 0
        panels.append(_gain_panel(rows, systems if first else None, reach, attack))
    chart = alt.concat(*panels, columns=3, spacing=14)
    sure = f"{100.0 * summary['level'].max():.3g}%"  # type: ignore[operator]
    words = [
        (f"dots: mean over runs · bars: {sure} · blue: pays · orange: does not pay · grey: not significant")
    ]
    lower = "; (lower): of attacks that want a lower rating" if "lower" in set(summary["goal"]) else ""
    words += [f"points above honest play (logarithmic beyond ± {LINEAR_UP_TO_POINTS:g}{lower})"]
    return dressed(chart, "Gains from cheating", words)


def _gain_rows(frame: pl.DataFrame, systems: list[str]) -> list[dict[str, Any]]:
    shown = {True: "pays", False: "does not", None: "not shown"}
    return [
        {**one, "row": systems.index(one["system"]), "shown": shown[one["pays"]]} for one in frame.to_dicts()
    ]


def _gain_panel(
    rows: list[dict[str, Any]], systems: list[str] | None, reach: float, attack: str
) -> alt.LayerChart:
    import altair as alt

    scale = alt.Scale(
        type="symlog", constant=LINEAR_UP_TO_POINTS, domain=[-reach, reach], nice=False, clamp=True
    )
    ticks = [tick for tick in GAIN_TICKS if abs(tick) <= reach]
    said = "(datum.value > 0 ? '+' : '') + replace(format(datum.value, '~s'), '\u2212', '−')"
    axis = alt.Axis(values=ticks, labelExpr=said, labelOverlap=False)
    kinds = alt.Scale(domain=["pays", "does not", "not shown"], range=[ABOVE, BELOW, GREY])
    colour = alt.Color("shown:N", scale=kinds, legend=None)
    told = hints({"system": "system", "attack": "attack", "wanted": "goal"})
    told += hints({"gain": "gain", "from": "low", "to": "high", "spread": "spread"}, "+.1f")
    told += hints({"runs": "runs"}, "d")
    goal = " (lower)" if rows and rows[0]["goal"] == "lower" else ""
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=lines(None if systems is None else [shorten(name, 24) for name in systems]),
        tooltip=told,
        color=colour,
    )
    zero = alt.Chart(alt.InlineData(values=[{"at": 0}])).mark_rule(color=GREY, strokeDash=[3, 3])
    x = alt.X("gain:Q", title="points", scale=scale, axis=axis)
    bar = alt.X("low:Q", title="points", scale=scale, axis=axis)
    layers = [
        zero.encode(x=alt.X("at:Q", scale=scale, axis=axis, title="points")),
        base.mark_rule(strokeWidth=2.5, opacity=0.55, aria=False).encode(x=bar, x2="high:Q"),
        base.mark_circle(size=55, opacity=1, aria=False).encode(x=x),
    ]
    height = ROW_HEIGHT * max(
        len(systems) if systems is not None else 0, max((r["row"] for r in rows), default=0) + 1
    )
    title = alt.Title(f"{shorten(attack, 34)}{goal}", fontSize=13, offset=6, frame="group")
    return alt.LayerChart(layer=layers).properties(width=165, height=height, title=title)
