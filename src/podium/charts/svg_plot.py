"""A small writer of SVG: scales with round marks, and a plot that is as wide as the page gives it room.

A page of a website draws thousands of these, so that no library is loaded for them. Across, everything is in
percent of the plot; down, in pixels. Texts and dots so keep their size on a phone and on a wide screen. Looks
are classes, which the stylesheet of the page colours in its light and its dark theme.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from itertools import pairwise
from typing import NamedTuple

from podium.text import write_number

Point = tuple[float, float]
BEYOND = 'class="beyond"'
"""What an arrow at the edge of a picture has."""

SECONDS_OF_DAY = 86_400.0
MOST_TIME_MARKS, MOST_MONTH_MARKS = 5, 4
"""Marks below a plot for which a phone has room; months with their years are longer than years and days."""
LAST_TIME_MARK = 0.94
"""Marks of times further right than this part of a plot would be cut off."""
CALENDAR = [datetime(*day, tzinfo=UTC).timestamp() for day in ((1, 1, 1), (9999, 12, 31))]
"""The seconds since 1970 that have a date; the margin of an axis may go beyond them."""


class Mark(NamedTuple):
    """A value on an axis with the text beside it."""

    value: float
    text: str


@dataclass(frozen=True)
class Scale:
    """The values of an axis, from one end of a plot to the other."""

    low: float
    high: float
    logarithmic: bool = False

    def part(self, value: float) -> float:
        """Where a value is on the axis: 0 at `low`, 1 at `high`."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def scale_around(values: Iterable[float], margin: float = 0.06) -> Scale:
    """A scale with room for all values and a margin; equal values get a scale around them.

    >>> scale_around([1400.0, 1600.0], margin=0.1)
    Scale(low=1380.0, high=1620.0, logarithmic=False)
    """
    found = list(values)
    low, high = min(found), max(found)
    room = (high - low) * margin or max(abs(high) * margin, 1.0)
    return Scale(low - room, high + room)


def round_marks(scale: Scale, most: int = 5, *, whole: bool = False) -> list[Mark]:
    """Marks at round numbers inside a scale; `whole` leaves out fractions.

    >>> [mark.text for mark in round_marks(Scale(1380.0, 1620.0))]
    ['1400', '1450', '1500', '1550', '1600']
    """
    if scale.logarithmic:
        powers = range(math.ceil(math.log10(scale.low) - 1e-9), math.floor(math.log10(scale.high) + 1e-9) + 1)
        return [Mark(10.0**power, axis_number(10.0**power)) for power in powers]
    rough = (scale.high - scale.low) / most
    base = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * base for factor in (1.0, 2.0, 5.0, 10.0) if factor * base >= rough * (1 - 1e-9))
    if whole:
        step = max(1.0, step)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(scale.low / step - 1e-9), math.floor(scale.high / step + 1e-9)
    return [Mark(number * step, axis_number(number * step, digits)) for number in range(first, last + 1)]


def axis_number(value: float, digits: int = 0) -> str:
    """A number beside an axis: ratings of four digits have no comma, as everywhere else on a page.

    >>> axis_number(1500.0), axis_number(212839.0), axis_number(-0.5, 1)
    ('1500', '212,839', '−0.5')
    """
    return write_number(value, f",.{digits}f" if abs(value) >= 10_000 else f".{digits}f")


def seconds_of(time: str) -> float:
    """An ISO 8601 time of a document as seconds since 1970."""
    moment = datetime.fromisoformat(time)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def time_marks(scale: Scale) -> list[Mark]:
    """Marks at the beginnings of years, months or days inside a scale of seconds since 1970.

    >>> marks = time_marks(Scale(seconds_of("2016-07-16"), seconds_of("2023-12-30")))
    >>> [mark.text for mark in marks]
    ['2018', '2020', '2022']
    """
    dated = Scale(max(scale.low, CALENDAR[0]), min(scale.high, CALENDAR[1]))
    days = (dated.high - dated.low) / SECONDS_OF_DAY
    if days > 2.5 * 365:
        marks = _year_marks(dated)
    elif days > 75:
        marks = _month_marks(dated, days)
    else:
        marks = _day_marks(dated, days)
    return [mark for mark in marks if scale.part(mark.value) <= LAST_TIME_MARK]


def _day_marks(scale: Scale, days: float) -> list[Mark]:
    step = max(1, math.ceil(days / MOST_TIME_MARKS))
    first = math.ceil(scale.low / SECONDS_OF_DAY)
    moments = (first * SECONDS_OF_DAY + number * step * SECONDS_OF_DAY for number in range(MOST_TIME_MARKS))
    return [Mark(at, f"{(day := datetime.fromtimestamp(at, UTC)).day} {day:%b}") for at in moments]


def _year_marks(scale: Scale) -> list[Mark]:
    first, last = (datetime.fromtimestamp(at, UTC).year for at in (scale.low, scale.high))
    steps = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
    step = next(step for step in steps if (last - first) / step <= MOST_TIME_MARKS)
    years = range(first - first % step + step, last + 1, step)
    return [Mark(datetime(year, 1, 1, tzinfo=UTC).timestamp(), str(year)) for year in years]


def _month_marks(scale: Scale, days: float) -> list[Mark]:
    step = next(step for step in (1, 2, 3, 6, 12) if days / (30.4 * step) <= MOST_MONTH_MARKS or step == 12)
    first = datetime.fromtimestamp(scale.low, UTC)
    start = first.year * 12 + first.month - 1
    months = range(start - start % step + step, start + math.ceil(days / 28) + 1, step)
    moments = [datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC) for month in months]
    return [Mark(moment.timestamp(), f"{moment:%b} {moment.year}") for moment in moments]


def _short(number: float) -> str:
    """A coordinate in four digits: a tenth of a pixel is enough for any screen."""
    return f"{number:.4g}"


@dataclass
class Plot:
    """A plot that grows: `svg` puts its parts into one picture."""

    x: Scale
    y: Scale
    height: int
    top: int = 10
    bottom: int = 26
    shapes: list[str] = field(default_factory=list)
    """Lines and areas, stretched to the width of the plot."""
    marks: list[str] = field(default_factory=list)
    """Texts and dots, which are not stretched."""
    targets: list[str] = field(default_factory=list)
    """What one can point at, with the words it shows."""

    def across(self, x: float) -> float:
        """A value of x in percent of the plot's width."""
        return 100.0 * self.x.part(x)

    def down(self, y: float) -> float:
        """A value of y in pixels from the top."""
        return self.top + (self.height - self.top - self.bottom) * (1.0 - self.y.part(y))

    def grid(self, x_marks: Sequence[Mark], y_marks: Sequence[Mark]) -> None:
        """Faint lines at the marks of y with their texts on the left; texts of x below."""
        for mark in y_marks:
            y = self.down(mark.value)
            self.marks.append(f'<line class="grid" x2="100%" y1="{_short(y)}" y2="{_short(y)}"/>')
            self.marks.append(f'<text class="left" x="-6" y="{_short(y + 4)}">{escape(mark.text)}</text>')
        for mark in x_marks:
            self.below(mark)

    def below(self, mark: Mark) -> None:
        """The text of a mark of x, below the plot."""
        self.words(mark.text, self.across(mark.value), self.height - 6, "middle")

    def words(self, text: str, x: float, y: float, look: str) -> None:
        """A text at a place: x in percent, y in pixels."""
        self.marks.append(f'<text class="{look}" x="{_short(x)}%" y="{_short(y)}">{escape(text)}</text>')

    def level(self, y: float, look: str) -> None:
        """A line over the whole width."""
        at = _short(self.down(y))
        self.marks.append(f'<line class="{look}" x2="100%" y1="{at}" y2="{at}"/>')

    def upright(self, x: float, look: str) -> None:
        """A line over the whole height."""
        at, low = _short(self.across(x)), self.height - self.bottom
        self.marks.append(f'<line class="{look}" x1="{at}%" x2="{at}%" y1="{self.top}" y2="{low}"/>')

    def box(self, corners: tuple[float, float, float, float], look: str, colour: str | None = None) -> None:
        """A rectangle: left, right, low and high in values; a colour of one's own where it has one."""
        left, right, low, high = corners
        x, y = self.across(left), self.down(high)
        width, tall = self.across(right) - x, self.down(low) - y
        fill = "" if colour is None else f' fill="{escape(colour)}"'
        self.marks.append(
            f'<rect class="{look}"{fill} x="{_short(x)}%" y="{_short(y)}" '
            f'width="{_short(width)}%" height="{_short(tall)}"/>'
        )

    def line(self, points: Iterable[Point], look: str) -> None:
        """A line through points."""
        self.shapes.append(f'<path class="{look}" d="M{self._path(points)}"/>')

    def area(self, upper: Sequence[Point], lower: Sequence[Point], look: str) -> None:
        """What lies between two lines."""
        self.shapes.append(f'<path class="{look}" d="M{self._path([*upper, *reversed(lower)])}z"/>')

    def dots(self, points: Iterable[Point], look: str) -> None:
        """Dots as one path of round ends, which stays short however many there are."""
        places = "".join(f"M{x:.4g} {y:.4g}h0" for x, y in self._placed(points))
        if places:
            self.shapes.append(f'<path class="{look}" d="{places}"/>')

    def arrows(self, places: Iterable[tuple[float, bool]]) -> None:
        """Arrows at the upper (True) or the lower edge, at values of x whose y is beyond it."""
        low = self.height - self.bottom
        for x, is_above in places:
            at, shape = (self.top, "M0 0l4 7h-8z") if is_above else (low - 7, "M0 7l4-7h-8z")
            self.marks.append(
                f'<svg {BEYOND} x="{_short(self.across(x))}%" y="{_short(at)}"><path d="{shape}"/></svg>'
            )

    def dot(self, x: float, y: float, radius: float, look: str) -> None:
        """One dot."""
        self.marks.append(
            f'<circle class="{look}" cx="{_short(self.across(x))}%" cy="{_short(self.down(y))}" '
            f'r="{_short(radius)}"/>'
        )

    def pointed_at(self, points: Sequence[Point], words: Sequence[str]) -> None:
        """Let each point be pointed at: its words show, from half way to its neighbours on both sides."""
        order = sorted(range(len(points)), key=lambda number: points[number][0])
        places = [self.across(points[number][0]) for number in order]
        middles = [(one + other) / 2 for one, other in pairwise(places)]
        edges = [0.0, *middles, 100.0]
        for place, number in enumerate(order):
            left, right, down = edges[place], edges[place + 1], self.down(points[number][1])
            self.targets.append(
                f'<g class="target"><title>{escape(words[number])}</title><rect x="{_short(left)}%" '
                f'y="0" width="{_short(max(0.1, right - left))}%" height="{self.height - self.bottom}"/>'
                f'<circle cx="{_short(places[place])}%" cy="{_short(down)}" r="5"/></g>'
            )

    def _path(self, points: Iterable[Point]) -> str:
        return " ".join(f"{x:.4g} {y:.4g}" for x, y in self._placed(points))

    def _placed(self, points: Iterable[Point]) -> Iterator[Point]:
        """`across` and `down` of many points."""
        if self.y.logarithmic:
            return ((self.across(x), self.down(y)) for x, y in points)
        left, wide = self.x.low, 100.0 / (self.x.high - self.x.low)
        low, tall = (
            self.height - self.bottom,
            (self.height - self.top - self.bottom) / (self.y.high - self.y.low),
        )
        start = self.y.low
        return (((x - left) * wide, low - (y - start) * tall) for x, y in points)

    def svg(self, title: str, description: str, look: str = "") -> str:
        """The whole picture, with its title and a description for those who do not see it.

        The title is a label and no `<title>`, which browsers would show wherever one points.
        """
        stretched = (
            f'<svg width="100%" height="{self.height}" viewBox="0 0 100 {self.height}" '
            f'preserveAspectRatio="none">{"".join(self.shapes)}</svg>'
            if self.shapes
            else ""
        )
        return (
            f'<svg class="picture{f" {look}" if look else ""}" role="img" width="100%" '
            f'height="{self.height}" aria-label="{escape(title)}"><desc>{escape(description)}</desc>'
            f"{''.join(self.marks)}{stretched}{''.join(self.targets)}</svg>"
        )
