"""Values far from all others: which of them an axis leaves out, and the arrows at its edge that say so."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import altair as alt

REACH_IN_TYPICAL_DISTANCES = 5.0
"""Values farther away than this number of typical distances may be left out of an axis."""
LEAST_GAIN = 2.0
"""Values are left out only if the axis would be at least this many times as long with them."""
ROOM = 0.05
"""Empty part at each end of an axis, as a fraction of what it shows."""
ARROW_INSET = 5
"""Distance of an arrow from the edge, in pixels."""


def axis_limits(
    points: Sequence[tuple[float, float, float]], anchor: float, share: float = 0.5
) -> tuple[float, float]:
    """The ends of an axis on which values near the `anchor` can be told apart.

    A point is a value between the ends of its interval (three times the value if it has none). The typical
    distance is the one to the anchor that this `share` of the values does not exceed, so at least as many
    stay on the axis. A value closer than a usual interval is long is never left out.
    """
    distances = sorted(abs(value - anchor) for _, value, _ in points if value != anchor)
    typical = distances[int(share * (len(distances) - 1))] if distances else 0.0
    length = statistics.median_low(high - low for low, _, high in points)
    reach = max(REACH_IN_TYPICAL_DISTANCES * typical, length)
    low, high = _span([point for point in points if abs(point[1] - anchor) <= reach], anchor)
    least, most = _span(points, anchor)
    if most - least < LEAST_GAIN * (high - low):
        low, high = least, most
    room = ROOM * ((high - low) or abs(anchor) or 1.0)
    return low - room, high + room


def _span(points: Sequence[tuple[float, float, float]], anchor: float) -> tuple[float, float]:
    return min(anchor, *(low for low, _, _ in points)), max(anchor, *(high for _, _, high in points))


def off_scale(value: float, limits: tuple[float, float]) -> Literal["below", "above"] | None:
    """On which side of an axis a value is left out; None if it is on the axis."""
    return "below" if value < limits[0] else "above" if value > limits[1] else None


def on_scale(base: alt.Chart, field: str) -> alt.Chart:
    """The rows whose value is on the axis; `field` holds what `off_scale` says."""
    return base.transform_filter(f"datum.{field} === null")


def arrows(
    base: alt.Chart, along: Literal["x", "y"], field: str, length: float, text: str
) -> list[alt.Chart]:
    """Arrows at the edges of an axis for the values left out, with the text of a field beside each.

    `along` is the axis, `length` its pixels, and `field` holds what `off_scale` says.
    """
    import altair as alt

    shapes = {"x": ("triangle-left", "triangle-right"), "y": ("triangle-down", "triangle-up")}[along]
    # Pixels count from the left and from the top, so that high values are at 0 of a y axis.
    ends = (ARROW_INSET, length - ARROW_INSET) if along == "x" else (length - ARROW_INSET, ARROW_INSET)
    layers = []
    for side, shape, at in zip(("below", "above"), shapes, ends, strict=True):
        there = base.transform_filter(f"datum.{field} === '{side}'").encode(**{along: alt.value(at)})
        at_the_right = along == "x" and side == "above"
        layers += [
            there.mark_point(shape=shape, size=75, filled=True, opacity=1),
            there.mark_text(
                fontSize=11, align="right" if at_the_right else "left", dx=-9 if at_the_right else 9
            ).encode(text=f"{text}:N"),
        ]
    return layers
