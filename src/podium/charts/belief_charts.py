"""What is known of ratings, in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.charts.grammar import HEIGHT, INK, WIDTH, dressed, hints, need, player_colour, points
from podium.text import shorten

if TYPE_CHECKING:
    import altair as alt

    from podium.systems.contract.distribution import Distribution

TAIL_NOT_DRAWN = 1e-4
"""Probability, on either side, of the ratings too far away to be drawn."""


def distribution(beliefs: Distribution | Sequence[Distribution]) -> alt.ChartType:
    """Draw where ratings are likely to be: one curve per player, from a ladder's `distribution`.

    For a single player the middle 95% are darker. A rating known for sure is a vertical line.
    """
    need("altair")
    import altair as alt

    shown = list(beliefs) if isinstance(beliefs, Sequence) else [beliefs]
    names = [belief.player or f"rating {number}" for number, belief in enumerate(shown, 1)]
    colour = player_colour(names)
    rows = [row for name, belief in zip(names, shown, strict=True) for row in _curve(name, belief)]
    top = max((row["density"] for row in rows), default=1.0)
    means = [_middle(name, belief, top) for name, belief in zip(names, shown, strict=True)]
    digits = f".{max(belief.digits for belief in shown)}f"

    y = alt.Y("density:Q", title="chance per point (%)", axis=alt.Axis(tickCount=5))
    told = hints({"player": "player"})
    told += hints({"rating": "rating"}, digits) + hints({"chance to be above (%)": "above"}, ".1f")
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=points("rating", "rating"), y=y, color=colour)
    middle = alt.Chart(alt.InlineData(values=means)).encode(x=points("rating", "rating"), color=colour)
    layers = [base.mark_area(opacity=0.16).encode(y=y.stack(None))]
    words = ["curve: the probability of each rating", "line: its mean"]
    if len(shown) == 1:
        low, high = shown[0].interval()
        inside = [row for row in rows if low <= row["rating"] <= high]
        darker = alt.Chart(alt.InlineData(values=inside)).encode(x=points("rating", "rating"), y=y)
        layers.append(darker.mark_area(opacity=0.22).encode(color=colour))
        words = [f"darker: the middle 95%, from {low:{digits}} to {high:{digits}}", "line: the mean"]
    layers += [
        base.mark_line(strokeWidth=2),
        base.mark_point(size=60, opacity=0).encode(tooltip=told),  # something to point at
        middle.mark_rule(strokeWidth=1.5).encode(y=y, y2=alt.datum(0), tooltip=told),
        middle.mark_text(dy=-8).encode(y=y, text=alt.Text("rating:Q", format=digits), color=alt.value(INK)),
    ]
    title = f"Rating distribution of {shorten(names[0])}" if len(shown) == 1 else "Rating distributions"
    return dressed(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT), title, " · ".join(words))


def _curve(name: str, belief: Distribution) -> list[dict[str, Any]]:
    """Points of the density, without its far tails; none for a rating known for sure."""
    if len(belief.points) == 1:
        return []
    near, far = belief.quantile(TAIL_NOT_DRAWN), belief.quantile(1.0 - TAIL_NOT_DRAWN)
    # The ends of the middle 95% are points of the curve too, so that what is darker ends there.
    at = np.unique([near, *belief.interval(), far, *belief.points])
    at = at[(at >= near) & (at <= far)]
    density = np.interp(at, belief.points, belief.density)
    return [
        {"player": name, "rating": x, "density": 100.0 * d, "above": 100.0 * belief.chance_above(x)}
        for x, d in zip(at.tolist(), density.tolist(), strict=True)
    ]


def _middle(name: str, belief: Distribution, top: float) -> dict[str, Any]:
    """The mean as a vertical line, as high as the player's curve; if there is none, as the highest curve."""
    mean, sure = belief.mean, len(belief.points) == 1
    density = top if sure else 100.0 * float(belief.density.max())
    return {"player": name, "rating": mean, "density": density, "above": 100.0 * belief.chance_above(mean)}
