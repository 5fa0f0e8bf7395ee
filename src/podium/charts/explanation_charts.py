"""Why a rating is what it is: an average of performances, or a sum of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from podium.charts.grammar import INK, ROW_HEIGHT, WIDTH, dressed, hints, lines, need, points, two_sides
from podium.errors import ParameterError
from podium.text import rounded_gain, shorten

if TYPE_CHECKING:
    import altair as alt

    from podium.systems.contract.explained_ratings import (
        Contribution,
        Explanation,
        Performance,
        PerformanceExplanation,
    )

MAX_SINGLE_RESULTS = 25
"""Lines of results; if there are more, the less important ones become one of them."""

LONGEST_LABEL = 55
"""Letters of a label for which there is room."""


def explanation(explained: Explanation | PerformanceExplanation) -> alt.ChartType:
    """Draw why a rating is what it is: the performances it averages, or the changes it sums up.

    `explained` is what `Ladder.explain(player)` returns. Of more than 25 results, the most important ones are
    shown one by one, and the others together in one line; of `explained.shortened(n)`, n are shown.
    """
    from podium.systems.contract.explained_ratings import Explanation, PerformanceExplanation

    need("altair")
    if isinstance(explained, PerformanceExplanation):
        many = explained.others is None and len(explained.performances) > MAX_SINGLE_RESULTS
        return _average(explained.shortened(MAX_SINGLE_RESULTS - 1) if many else explained)
    if isinstance(explained, Explanation):
        many = explained.earlier is None and len(explained.contributions) > MAX_SINGLE_RESULTS
        return _waterfall(explained.shortened(MAX_SINGLE_RESULTS - 1) if many else explained)
    raise ParameterError("there is no picture of one event: draw a whole rating", hint="explain(player)")


def _average(explained: PerformanceExplanation) -> alt.ChartType:
    """Two panels: each performance as a dot, and its share of the rating as a bar."""
    import altair as alt

    mu, others = explained.rating.mu, explained.others
    parts = [
        (explained.start_words, explained.start, explained.start_share),
        ("remembered from before", explained.older, explained.older_share),
    ]
    parts = [part for part in parts if part[2] > 0.0]
    parts += [(_named(p), p.performance, p.share) for p in explained.performances]
    if others is not None:
        parts.append((f"{others.words}, on average", others.performance, others.share))
    rows: list[dict[str, Any]] = [
        {
            "row": number,
            "what": what,
            "performance": value,
            "share": 100.0 * share,
            "pull": share * (value - mu),
            "rating": mu,
            "side": "below" if value < mu else "above",
        }
        for number, (what, value, share) in enumerate(parts)
    ]
    told = hints({"result": "what"})
    told += hints({"performance": "performance", "share (%)": "share", "pull (points)": "pull"}, ".2f")
    base = alt.Chart(alt.InlineData(values=rows)).encode(color=two_sides("side"), tooltip=told)
    left = base.encode(x=points("performance", "performance"), y=lines([row["what"] for row in rows]))
    line = alt.Chart(alt.InlineData(values=rows[:1])).encode(x=points("rating", "performance"))
    right = base.encode(
        x=alt.X("share:Q", title="share of the rating (%)", axis=alt.Axis(tickCount=4)), y=lines(None)
    )
    area = alt.Scale(domainMin=0, rangeMin=8, rangeMax=260)
    results = alt.layer(
        left.mark_rule(strokeWidth=1.5, opacity=0.5).encode(x2="rating:Q"),
        line.mark_rule(color=INK, strokeWidth=1.5),
        left.mark_circle(opacity=1).encode(size=alt.Size("share:Q", scale=area, legend=None)),
        line.mark_text(dy=-8).encode(y=alt.value(0), text=alt.value(f"rating {mu:.0f}")),
    )
    numbers = right.mark_text(align="left", dx=4)
    shares = alt.layer(
        right.mark_bar(height=ROW_HEIGHT - 7, opacity=0.85),
        numbers.encode(text=alt.Text("share:Q", format=".1f"), color=alt.value(INK)),
    )
    chart = alt.hconcat(
        results.properties(width=0.6 * WIDTH, height=alt.Step(ROW_HEIGHT)),
        shares.properties(width=0.25 * WIDTH, height=alt.Step(ROW_HEIGHT)),
        spacing=14,
    ).resolve_scale(y="shared", color="shared")
    subtitle = "results right of the line pull the rating up, results left of it down, larger shares more"
    return dressed(chart, f"{shorten(explained.rating.player, 40)}: an average of performances", subtitle)


def _waterfall(explained: Explanation) -> alt.ChartType:
    """One bar per result, from the rating of a newcomer to the player's rating."""
    import altair as alt

    steps = [(explained.older_results, "older results")] if explained.older_results else []
    if explained.earlier is not None:
        steps.append((explained.earlier.change, explained.earlier.words))
    steps += [(part.change, _named(part)) for part in explained.contributions]
    steps += [(explained.absence, "less certain while away")] if explained.absence else []
    start, end = explained.newcomer, explained.rating.display
    rows: list[dict[str, Any]] = [
        {"what": explained.start_words, "from": start, "to": start, "said": f"{start:.1f}"}
    ]
    for change, what in steps:
        before = rows[-1]["to"]
        after = before + change
        rows.append({"what": what, "from": before, "to": after, "said": rounded_gain(before, after, 1)})
    rows.append({"what": "rating", "from": end, "to": end, "said": f"{end:.1f}"})
    for number, row in enumerate(rows):
        row |= {"row": number, "side": "below" if row["to"] < row["from"] else "above"}
        row["edge"] = max(row["from"], row["to"])
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=lines([row["what"] for row in rows]), tooltip=hints({"result": "what", "points": "said"})
    )
    bars = base.mark_bar(height=ROW_HEIGHT - 6).encode(
        x=points("from", "rating"), x2="to:Q", color=two_sides("side")
    )
    ticks = base.mark_tick(thickness=2, height=ROW_HEIGHT - 4, color=INK, opacity=1).encode(
        x=points("to", "rating")
    )
    text = base.mark_text(align="left", dx=6).encode(x=points("edge", "rating"), text="said:N")
    chart = alt.layer(bars, ticks, text).properties(width=WIDTH * 0.8, height=alt.Step(ROW_HEIGHT))
    return dressed(
        chart,
        f"{shorten(explained.rating.player, 40)}: a sum of changes",
        "blue steps are points gained, orange ones points lost",
    )


def _named(part: Performance | Contribution) -> str:
    """A short label for an event: its name, its day, and the match or the player's rank."""
    event = f"event {part.event}" if part.event.isdecimal() else shorten(part.event, 22)
    day = "" if part.time is None else f"{part.time:%Y-%m-%d}"
    if part.match is None:
        return " · ".join(filter(None, [event, day, "" if part.rank is None else f"rank {part.rank}"]))
    # A match is known by its day and its opponent; what has no room goes, the event's name first.
    labels = [f"{day or event} · {part.match}", f"{day or event} · {part.match.words}"]
    if day and not part.event.isdecimal():
        labels.insert(0, f"{event} · {labels[0]}")
    return next((label for label in labels if len(label) <= LONGEST_LABEL), labels[-1])
