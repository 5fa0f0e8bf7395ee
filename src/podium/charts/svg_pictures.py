"""The pictures of a website as inline SVG, each in well under a millisecond: see `svg_plot` for how."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import zip_longest
from typing import NamedTuple

from podium.charts.svg_plot import (
    Mark,
    Plot,
    Point,
    Scale,
    axis_number,
    round_marks,
    scale_around,
    seconds_of,
    time_marks,
)
from podium.systems.tiers import Tier
from podium.text import chance_words, percent, rounded_gain, shorten, write_number

MOST_POINTS = 300
"""Points of a line: more than there are pixels on a phone."""
MOST_DOTS = 600
"""Dots of a picture: of more, some at even distances are drawn."""
MOST_TARGETS = 100
"""Points that one can point at: with more, each would be a pixel or two wide."""
LOGARITHMIC_FROM = 30.0
"""Places whose worst is so many times the best are drawn on a logarithmic axis."""
FURTHEST_PERFORMANCE = 0.5
"""Performances further outside the ratings than this part of their range are only pointed at by arrows."""
MOST_ARROWS = 100
LEAST_TIER_HEIGHT = 15.0
"""Pixels that a tier needs to be named in a picture."""
ROOM_FOR_TIERS = 0.12
"""Part of a picture that is left free on the right for the names of tiers."""
BAR_ROW = 38
"""Height of a bar with its words above it, in pixels."""
LONGEST_LABEL = 34
"""Letters above a bar for which a phone has room."""


class RatingLine(NamedTuple):
    """How a rating went, one entry per event or adjustment: what `rating_history` draws."""

    times: Sequence[str | None]
    ratings: Sequence[float]
    band: tuple[Sequence[float], Sequence[float]] | None
    """Lower and upper ends of the band, None if a system has no deviations."""
    performances: Sequence[float | None]
    words: Sequence[str]
    """What to say about each event when it is pointed at."""
    events: int | None = None
    """How many of the entries are events, if not all are: the others are adjustments."""


def rating_history(line: RatingLine, tiers: Sequence[Tier] = (), *, title: str) -> str:
    """A rating over time with its band, performances as dots, and tiers in the background."""
    x_scale, places, x_marks = _moments(line.times, room=ROOM_FOR_TIERS if tiers else 0.0)
    shown = thinned(line.ratings, MOST_POINTS)
    low, high = line.band or (line.ratings, line.ratings)
    lowest, highest = min(*line.ratings, *low), max(*line.ratings, *high)
    reach = FURTHEST_PERFORMANCE * (highest - lowest) or math.inf
    low_end, high_end = lowest - reach, highest + reach
    played: list[Point] = [
        (place, value) for place, value in zip(places, line.performances, strict=True) if value is not None
    ]
    known = [(place, value) for place, value in played if low_end <= value <= high_end]
    ends = [low_end] if any(value < low_end for _, value in played) else []
    ends += [high_end] if any(value > high_end for _, value in played) else []
    y_scale = scale_around([lowest, highest, *ends, *(value for _, value in known)])
    plot = Plot(x_scale, y_scale, height=300)
    _tiers_behind(plot, tiers)
    plot.grid(x_marks, round_marks(y_scale))
    _tiers_named(plot, tiers)
    if line.band:
        upper = [(places[i], high[i]) for i in shown]
        plot.area(upper, [(places[i], low[i]) for i in shown], "band")
    plot.dots(known[:: math.ceil(len(known) / MOST_DOTS) or 1], "performances")
    beyond = [(place, value > high_end) for place, value in played if not low_end <= value <= high_end]
    plot.arrows(beyond[:: math.ceil(len(beyond) / MOST_ARROWS) or 1])
    plot.line([(places[i], line.ratings[i]) for i in shown], "line")
    plot.dot(places[-1], line.ratings[-1], 4, "end")
    _target(plot, list(zip(places, line.ratings, strict=True)), line.words)
    said = f"The rating changes from {_number(line.ratings[0])} to {_number(line.ratings[-1])}"
    events = len(places) if line.events is None else line.events
    said += f" in {events:,} events. The highest is {_number(max(line.ratings))}."
    return plot.svg(title, said)


def place_history(
    times: Sequence[str | None], places: Sequence[int | None], words: Sequence[str], *, title: str
) -> str:
    """A place over time, the best on top."""
    x_scale, moments, x_marks = _moments(times)
    rows = [
        (moment, place, said)
        for moment, place, said in zip(moments, places, words, strict=True)
        if place is not None
    ]
    best, worst = min(row[1] for row in rows), max(row[1] for row in rows)
    logarithmic = worst >= LOGARITHMIC_FROM * best
    # The best place is on top: the axis runs from the worst place up to the best one.
    y_scale = (
        Scale(worst * 1.1, best / 1.2, True) if logarithmic else Scale(worst + 1.0, max(0.3, best - 1.0))
    )
    rising = Scale(y_scale.high, y_scale.low, logarithmic)
    marks = [mark for mark in round_marks(rising, 4, whole=True) if mark.value >= 1]
    if y_scale.high <= 1.0 and not any(mark.value == 1 for mark in marks):
        marks.insert(0, Mark(1.0, "1"))
    plot = Plot(x_scale, y_scale, height=200)
    plot.grid(x_marks, marks)
    points: list[Point] = [(moment, place) for moment, place, _ in rows]
    shown = thinned([place for _, place in points], MOST_POINTS)
    plot.line([points[i] for i in shown], "line")
    plot.dot(*points[-1], 4, "end")
    _target(plot, points, [said for _, _, said in rows])
    said = f"The place changes from {rows[0][1]:,} to {rows[-1][1]:,}. The best is {best:,}."
    return plot.svg(title, said)


def spark_line(values: Sequence[float]) -> str:
    """A tiny line of a few numbers, without axes; empty without at least two of them."""
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    span = high - low or 1.0
    step = 96.0 / (len(values) - 1)
    points = " ".join(
        f"{2 + number * step:.1f} {22 - 20 * (value - low) / span if high > low else 12:.1f}"
        for number, value in enumerate(values)
    )
    look = "line up" if values[-1] >= values[0] else "line down"
    return (
        f'<svg class="spark" role="img" viewBox="0 0 100 24" preserveAspectRatio="none" '
        f'aria-label="from {_number(values[0])} to {_number(values[-1])}">'
        f'<path class="{look}" d="M{points}"/></svg>'
    )


def ratings_distribution(
    edges: Sequence[float], counts: Sequence[int], tiers: Sequence[Tier] = (), *, title: str
) -> str:
    """A histogram of ratings; bars have the colours of tiers where there are some."""
    x_scale, y_scale = Scale(edges[0], edges[-1]), Scale(0.0, 1.08 * max(1, *counts))
    plot = Plot(x_scale, y_scale, height=200)
    plot.grid(round_marks(x_scale, 5), round_marks(y_scale, 4, whole=True))
    words = []
    for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True):
        tier = _tier_of((left + right) / 2, tiers)
        gap = 0.06 * (right - left)
        if count:
            colour = None if tier is None else tier.colour
            plot.box((left + gap, right - gap, 0.0, count), "bar" if tier is None else "tierbar", colour)
        named = "" if tier is None else f" · {tier.name}"
        words.append(f"{_number(left)} to {_number(right)}{named}: {count:,}")
    middles = [((a + b) / 2, float(count)) for a, b, count in zip(edges, edges[1:], counts, strict=False)]
    plot.pointed_at(middles, words)
    most = counts.index(max(counts))
    least, last, low, high = map(_number, (edges[0], edges[-1], *edges[most : most + 2]))
    said = f"{sum(counts):,} players between {least} and {last}. "
    said += f"The largest group, {counts[most]:,} of them, is between {low} and {high}."
    return plot.svg(title, said, "bars")


def calibration_dots(
    predicted: Sequence[float], happened: Sequence[float], counts: Sequence[int], *, title: str
) -> str:
    """Mean scores over expected scores, one dot per bin, the larger the more predictions it has."""
    scale = Scale(0.0, 1.0)
    marks = [Mark(part / 4, percent(part / 4)) for part in range(5)]
    plot = Plot(scale, scale, height=300)
    plot.grid(marks, marks)
    plot.line([(0.0, 0.0), (1.0, 1.0)], "reference")
    most = max(counts, default=1)
    points = list(zip(predicted, happened, strict=True))
    plot.line(points, "line thin")
    for (x, y), count in zip(points, counts, strict=True):
        plot.dot(x, y, 2.5 + 5 * math.sqrt(count / most), "end")
    words = [
        f"expected {percent(x)}, scored {percent(y)} · {count:,} predictions"
        for (x, y), count in zip(points, counts, strict=True)
    ]
    plot.pointed_at(points, words)
    return plot.svg(title, "; ".join(words) + "." if words else "No predictions.", "square")


def pull_bars(pulls: Sequence[tuple[str, float]], digits: int, *, title: str) -> str:
    """Pulls on a rating as bars: right and blue what pulls it up, left and orange what pulls it down."""
    bars = [Bar(words, rounded_gain(0.0, pull, digits), 0.0, pull) for words, pull in pulls]
    return _bars(bars, 0.0, title)


def change_bars(
    start: tuple[str, float], changes: Sequence[tuple[str, float]], digits: int, *, title: str
) -> str:
    """A rating as a start and changes, each a bar that begins where the one before it ends."""
    words, rating = start
    bars = [Bar(words, write_number(rating, f".{digits}f"), rating, rating)]
    for what, change in changes:
        end = bars[-1].end + change
        bars.append(Bar(what, rounded_gain(bars[-1].end, end, digits), bars[-1].end, end))
    return _bars(bars, rating, title)


class Bar(NamedTuple):
    """A bar with its words and its number, from one value to another."""

    words: str
    number: str
    start: float
    end: float


def _bars(bars: Sequence[Bar], reference: float, title: str) -> str:
    """Bars below each other, each under its words; a dashed line is at the reference."""
    ends = [reference, *(bar.end for bar in bars)]
    low, high = min(ends), max(ends)
    plot = Plot(Scale(low, high if high > low else low + 1.0), Scale(0.0, 1.0), BAR_ROW * len(bars) + 8)
    for row, bar in enumerate(bars):
        top = BAR_ROW * row + 14
        plot.words(shorten(bar.words, LONGEST_LABEL), 0, top, "start ink")
        plot.words(bar.number, 100, top, "end strong")
        left, right = sorted((plot.across(bar.start), plot.across(bar.end)))
        plot.marks.append(
            f'<rect class="{"bar" if bar.end >= bar.start else "bar below"}" x="{left:.2f}%" y="{top + 6}" '
            f'width="{max(0.3, right - left):.2f}%" height="8" rx="2"/>'
        )
    at = plot.across(reference)
    plot.marks.append(
        f'<line class="reference" x1="{at:.2f}%" x2="{at:.2f}%" y1="18" y2="{plot.height - 8}"/>'
    )
    return plot.svg(title, "; ".join(f"{bar.words}: {bar.number}" for bar in bars) + ".", "list")


def expected_ranks(
    expected: Sequence[float], ranks: Sequence[float], words: Sequence[str], *, title: str, said: str
) -> str:
    """Ranks over expected ranks, the best on the right and on top: blue dots did better than expected.

    A tied rank is the mean of the places that the tie covers. `words` are about each dot, `said` about all.
    """
    worst = max(1.0, *expected, *ranks)
    margin = 0.04 * (worst - 1.0) or 0.5
    scale = Scale(worst + margin, 1.0 - margin)
    marks = [mark for mark in round_marks(Scale(scale.high, scale.low), 5, whole=True) if mark.value >= 1]
    marks = [Mark(1.0, "1"), *(mark for mark in marks if mark.value > 1 + 0.06 * worst)]
    plot = Plot(scale, scale, height=300)
    plot.grid(marks, marks)
    plot.line([(worst, worst), (1.0, 1.0)], "reference")
    chosen = range(0, len(ranks), math.ceil(len(ranks) / MOST_DOTS))
    plot.dots([(expected[i], ranks[i]) for i in chosen if ranks[i] <= expected[i]], "dots above")
    plot.dots([(expected[i], ranks[i]) for i in chosen if ranks[i] > expected[i]], "dots below")
    near = list(chosen) if len(chosen) <= MOST_TARGETS else list(chosen)[:MOST_TARGETS]
    plot.pointed_at([(expected[i], ranks[i]) for i in near], [words[i] for i in near])
    return plot.svg(title, said, "square")


def chance_bar(win: float, draw: float, loss: float) -> str:
    """The chances of a match as one bar of two or three parts."""
    chances = {"win": win, "draw": draw, "loss": loss} if draw else {"win": win, "loss": loss}
    words = escape(", ".join(f"{name} {chance_words(chance)}" for name, chance in chances.items()))
    parts = [("bar", 0.0, win), ("bar even", win, draw), ("bar below", win + draw, loss)]
    boxes = "".join(
        f'<rect class="{look}" x="{100 * start:.1f}%" width="{100 * part:.1f}%" height="100%"/>'
        for look, start, part in parts
        if part > 0
    )
    return f'<svg class="chances" role="img" aria-label="{words}">{boxes}</svg>'


def interval_bar(low: float, value: float, high: float, least: float, most: float) -> str:
    """An estimate and its interval on an axis from `least` to `most`."""
    span = max(most - least, 1e-9)
    start, middle, end = (100.0 * (x - least) / span for x in (low, value, high))
    return (
        f'<svg class="interval" role="img" aria-label="{low:.0f} to {high:.0f}">'
        f'<line class="line" x1="{start:.1f}%" x2="{end:.1f}%" y1="50%" y2="50%"/>'
        f'<circle class="dot" cx="{middle:.1f}%" cy="50%" r="4"/></svg>'
    )


def thinned(values: Sequence[float], most: int) -> list[int]:
    """Numbers of values that show a line of all: the lowest and the highest of each piece, and both ends.

    >>> thinned([1.0, 5.0, 2.0, 0.0, 3.0, 4.0], 4)
    [0, 1, 3, 5]
    """
    if len(values) <= most:
        return list(range(len(values)))
    pieces = max(1, most // 2)
    kept = {0, len(values) - 1}
    for piece in range(pieces):
        numbers = range(piece * len(values) // pieces, (piece + 1) * len(values) // pieces)
        kept |= {min(numbers, key=values.__getitem__), max(numbers, key=values.__getitem__)}
    return sorted(kept)


def _moments(times: Sequence[str | None], room: float = 0.0) -> tuple[Scale, list[float], list[Mark]]:
    """The axis of time, where each event is on it, and its marks; without times, events by their number.

    `room` is left free on the right.
    """
    known = [seconds_of(time) for time in times if time is not None]
    if len(known) == len(times) and known[0] < known[-1]:
        scale = scale_around([*known, known[-1] + room * (known[-1] - known[0])], margin=0.01)
        return scale, known, time_marks(scale)
    numbers = [float(number) for number in range(1, len(times) + 1)]
    scale = scale_around([*numbers, numbers[-1] + room * (numbers[-1] - 1.0)], margin=0.02)
    marks = [mark for mark in round_marks(scale, 5, whole=True) if mark.value >= 1]
    return scale, numbers, [Mark(mark.value, f"no. {mark.text}") for mark in marks]


def _tier_of(rating: float, tiers: Sequence[Tier]) -> Tier | None:
    return next((tier for tier in reversed(tiers) if rating >= tier.lower), None)


def _tier_edges(plot: Plot, tiers: Sequence[Tier]) -> list[tuple[Tier, float, float]]:
    """The tiers inside a plot, with the lower and upper ends of what is seen of them."""
    edges = [
        (
            tier,
            max(tier.lower, plot.y.low),
            plot.y.high if upper is None else min(upper, plot.y.high),
        )
        for tier, upper in zip_longest(tiers, [tier.lower for tier in tiers[1:]])
    ]
    return [(tier, low, high) for tier, low, high in edges if low < high]


def _tiers_behind(plot: Plot, tiers: Sequence[Tier]) -> None:
    for tier, low, high in _tier_edges(plot, tiers):
        plot.box((plot.x.low, plot.x.high, low, high), "tier", tier.colour)


def _tiers_named(plot: Plot, tiers: Sequence[Tier]) -> None:
    for tier, low, high in _tier_edges(plot, tiers):
        if tier.lower == low:
            plot.level(low, "tierline")
        if plot.down(low) - plot.down(high) >= LEAST_TIER_HEIGHT:
            plot.words(shorten(tier.name, 20), 99, plot.down(low) - 4, "end halo")


def _target(plot: Plot, points: Sequence[Point], words: Sequence[str]) -> None:
    near = thinned([y for _, y in points], MOST_TARGETS)
    plot.pointed_at([points[i] for i in near], [words[i] for i in near])


def _number(value: float) -> str:
    """A rating in the text alternative, with as many decimals as its size deserves."""
    return axis_number(value, 0 if abs(value) >= 100 else 1)
