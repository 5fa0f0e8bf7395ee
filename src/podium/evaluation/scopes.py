"""Which sides of an event are scored, and which events are measured.

>>> Scope.of("top:100")
Scope(name='top:100', min_events=0, top=100, max_sigma=None, unrated=True)

Groups that metrics are looked at in: periods of time, experience, rating bands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from numbers import Integral, Real
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium.arrays import DAY, NO_TIME, Bools, Floats, Ints, Longs
from podium.errors import InputError, ParameterError, UnsupportedError
from podium.history import History
from podium.history.times import Moment, Time, to_duration, to_iso, to_micros
from podium.text import known_names

if TYPE_CHECKING:
    from podium.evaluation.block_bootstrap import Groups
    from podium.evaluation.standings import Standings
    from podium.systems import RatingSystem


PAPER_EVENTS = 5
"""Earlier events that make a player experienced in the experiments of the Elo-MMR paper."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which sides are scored. A team is if all its members are; an event if two of its sides are."""

    name: str
    min_events: int = 0
    """Number of rated events that every member of the side must have played before."""
    top: int | None = None
    """Only this number of best places of each event, with ties for the last: selects by outcome."""
    max_sigma: float | None = None
    """Only sides whose deviations are at most this."""
    unrated: bool = True
    """Whether sides out of competition are scored."""

    def __post_init__(self) -> None:
        if self.min_events < 0:
            raise ParameterError(f"min_events is {self.min_events}, and counts events from 0")
        if self.top is not None and self.top < 2:
            raise ParameterError(f"the first {self.top} of an event cannot be compared", hint="top:2 or more")
        if self.max_sigma is not None and not self.max_sigma > 0.0:
            raise ParameterError(f"max_sigma is {self.max_sigma}, and no sigma is below that")

    @classmethod
    def of(cls, scope: Scope | str) -> Scope:
        """A scope from its name: everyone, experienced, experienced:10, top:100, sigma:70."""
        if isinstance(scope, Scope):
            return scope
        kind, colon, number = str(scope).partition(":")
        if kind not in _KINDS:
            raise ParameterError(f"there is no scope {scope!r}", hint=known_names(kind, _KINDS))
        example, default, make = _KINDS[kind]
        try:
            value = float(number) if colon else default
            if value is None or not math.isfinite(value) or (colon and kind == "everyone"):
                raise ValueError(number)
            made = make(value)
        except ValueError as error:
            if isinstance(error, ParameterError):
                raise
            raise ParameterError(f"{scope!r} is not a scope", hint=f"write {example}") from None
        return replace(made, name=scope)

    def scored(
        self, standings: Standings, system: RatingSystem | None = None, sigma: Floats | None = None
    ) -> Bools:
        """The sides that are scored; `sigma` is the largest deviation in each side."""
        chosen = standings.experience >= self.min_events
        if self.top is not None:
            chosen &= standings.better < self.top
        if not self.unrated:
            chosen &= ~standings.unrated
        if self.max_sigma is not None:
            if sigma is None or not len(sigma):
                called = "this system" if system is None else system.name
                raise UnsupportedError(
                    f"{called} has no sigma, and the scope {self.name!r} needs one",
                    hint="leave the scope or the system out",
                )
            chosen &= sigma <= self.max_sigma
        if len(standings):
            alone = np.add.reduceat(chosen.astype(np.int64), standings.offsets[:-1]) < 2
            if alone.any():
                chosen &= np.repeat(~alone, standings.counts)
        return chosen


def _whole(value: float) -> int:
    if value != int(value):
        raise ValueError(value)
    return int(value)


_KINDS: dict[str, tuple[str, float | None, Callable[[float], Scope]]] = {
    "everyone": ("everyone", 0.0, lambda _: Scope("")),
    "experienced": ("experienced:5", PAPER_EVENTS, lambda n: Scope("", min_events=_whole(n))),
    "top": ("top:100", None, lambda n: Scope("", top=_whole(n))),
    "sigma": ("sigma:70", None, lambda sigma: Scope("", max_sigma=sigma)),
}
"""What scopes are called, by what stands before the colon: an example, the number meant without one."""

Bound = int | float | Time
"""A number of events, a part of them between 0 and 1, or a time; or one of them as text."""


def measured_part(history: History, since: Bound = 0, until: Bound | None = None) -> tuple[int, int]:
    """The number of the first measured event, and of the first event after the measured ones.

    >>> history = History.from_matches(["a"] * 4, ["b"] * 4, time=["2024-01-01"] * 3 + ["2025-01-01"])
    >>> measured_part(history, 0.5), measured_part(history, 1), measured_part(history, "2024-06-01")
    ((2, 4), (1, 4), (3, 4))
    """
    start = min(event_number(history, since, "since"), len(history))
    stop = len(history) if until is None else min(event_number(history, until, "until"), len(history))
    if start > stop:
        raise ParameterError(
            f"since is after until: {since} is event {start}, {until} is event {stop}",
            hint="podium measures the events between them",
        )
    return start, stop


def event_number(history: History, bound: Bound, name: str) -> int:
    """The number of the first event at or after a bound; `name` is used in errors.

    >>> event_number(History.from_matches(["a"] * 4, ["b"] * 4), "0.5", "since")
    2
    """
    known = check_bound(bound, name)
    timed = not np.any(history.time == NO_TIME)
    if isinstance(known, Moment):
        if not timed:
            raise ParameterError(f"{name} is a time, and events have none", hint=_BOUNDS)
        return int(np.searchsorted(history.time, known, "left"))
    if isinstance(known, int):
        if isinstance(bound, str) and timed and known in _years(history):
            raise ParameterError(
                f"{name} is {bound}: a year, or the number of an event?",
                hint=f"write {known:04d}-01-01 for the year, or give a fraction of the events such as 0.5",
            )
        return known
    return round(known * len(history))


def check_bound(bound: Bound, name: str) -> int | float | Moment:
    """The bound as the number of an event, a share of the events or a time."""
    if isinstance(bound, str):
        return parse_bound(bound, name)
    if isinstance(bound, date):
        return Moment(to_micros(bound))
    if isinstance(bound, Moment):
        return bound
    if isinstance(bound, (bool, np.bool_)) or not isinstance(bound, Real):
        raise ParameterError(f"{name} is {bound!r}", hint=_BOUNDS)
    if isinstance(bound, Integral):
        if bound < 0:
            raise ParameterError(f"{name} is {bound}, and events are counted from 0", hint=_BOUNDS)
        return int(bound)
    if not 0.0 <= bound <= 1.0:
        raise ParameterError(f"{name} is {bound}, not a fraction of the events", hint=_BOUNDS)
    return float(bound)


def parse_bound(text: str, name: str = "a bound") -> int | float | Moment:
    """A bound from its text on the command line.

    >>> parse_bound("100"), parse_bound("0.5"), parse_bound("1970-01-02")
    (100, 0.5, 86400000000)
    """
    written = text.strip()
    if _NUMBER.fullmatch(written):
        return check_bound(float(written) if "." in written else int(written), name)
    try:
        return Moment(to_micros(written))
    except InputError:
        raise ParameterError(f"{name} is {text!r}", hint=_BOUNDS) from None


def _years(history: History) -> range:
    """Those from the first event to the last."""
    ends = history.time[[0, -1]] if len(history) else history.time
    years = (ends.astype("datetime64[us]").astype("datetime64[Y]").astype(np.int64) + 1970).tolist()
    return range(years[0], years[1] + 1) if years else range(0)


_NUMBER = re.compile(r"-?\d{1,7}|-?\d{0,7}\.\d+")
"""Longer ones are times: 20240101, or seconds."""
_BOUNDS = "give an event's number (100), a fraction of the events (0.5) or a time ('2024-01-01')"


EXPERIENCE = (0, 1, 5, 10, 20, 50)
"""Where groups of earlier events begin."""
BANDS = 10
"""About the largest number of rating bands between the lowest and the highest hundredth of ratings."""


class Grouping(NamedTuple):
    """The number of each event's or side's group, and the names of the groups."""

    group: Groups
    names: tuple[str, ...]


def by_period(time: Longs, every: str = "year") -> Grouping:
    """Group events by calendar year, or by a duration such as "90d" from the first; none without times.

    >>> by_period(np.array([0, 400 * 86_400_000_000])).names
    ('1970', '1971')
    """
    if not len(time) or np.any(time == NO_TIME):
        return Grouping(np.zeros(len(time), np.int64), ())
    if every == "year":
        years = time.astype("datetime64[us]").astype("datetime64[Y]").astype(np.int64) + 1970
        found, group = np.unique(years, return_inverse=True)
        return Grouping(group, tuple(f"{year:04d}" for year in found.tolist()))
    length, start = to_duration(every), int(time[0])
    found, group = np.unique((time - start) // length, return_inverse=True)
    return Grouping(group, tuple(to_iso(start + int(number) * length) for number in found.tolist()))


def usual_period(time: Longs) -> str:
    """Years if the history spans at least three, else the longest of 30, 7, 1 days with three periods.

    >>> usual_period(np.array([0, 400 * DAY])), usual_period(np.array([0, 30 * DAY]))
    ('30d', '7d')
    """
    if not len(time) or np.any(time == NO_TIME):
        return "year"
    days = (int(time[-1]) - int(time[0])) / DAY
    return next((name for name, length in _PERIODS if days >= 3 * length), _PERIODS[-1][0])


_PERIODS = (("year", 365), ("30d", 30), ("7d", 7), ("1d", 1))


def by_experience(experience: Ints) -> Grouping:
    """Group sides by the number of events that their least experienced member has played.

    >>> by_experience(np.array([0, 4, 5, 99])).group.tolist()
    [0, 1, 2, 5]
    """
    table = np.searchsorted(EXPERIENCE, np.arange(EXPERIENCE[-1] + 1), "right") - 1
    ends = [f"{low}" if low + 1 == high else f"{low}–{high - 1}" for low, high in pairwise(EXPERIENCE)]
    return Grouping(table[np.minimum(experience, EXPERIENCE[-1])], (*ends, f"{EXPERIENCE[-1]}+"))


def by_rating(rating: Floats) -> Grouping:
    """Group sides by rating, in bands of a round width; the first and the last band are open.

    >>> by_rating(np.array([1010.0, 1050.0, 1090.0])).names[:3]
    ('below 1020', '1020–1030', '1030–1040')
    """
    if not len(rating):
        return Grouping(np.zeros(0, np.int64), ())
    some = rating[:: len(rating) // 100_000 + 1]
    low, high = np.quantile(some, [0.01, 0.99]).tolist()
    width = _round_width((high - low) / BANDS)
    first = math.floor(low / width) + 1
    last = max(math.ceil(high / width) - 1, first)
    edges = [number * width for number in range(first, last + 1)]
    group = np.clip(np.floor(rating / width), first - 1, last).astype(np.int64) - (first - 1)
    inner = [f"{a:.10g}–{b:.10g}" for a, b in pairwise(edges)]
    return Grouping(group, (f"below {edges[0]:.10g}", *inner, f"{edges[-1]:.10g} and above"))


def _round_width(width: float) -> float:
    """The next larger of 1, 2, 5, 10, 20, … or their tenths."""
    if not width > 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= width * (1.0 - 1e-9))
