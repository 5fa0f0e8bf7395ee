"""What is known of players, as values: ratings, changes, predictions, explanations, traces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime

import numpy as np

from podium.arrays import Bools, Floats
from podium.history.event_lookup import called
from podium.history.times import to_micros
from podium.text import brief_repr, counted, html_table, shorten


@dataclass(frozen=True, slots=True)
class Rating:
    """One player's rating: the belief (`mu`, `sigma`) and the number to display."""

    player: str
    mu: float
    sigma: float | None
    display: float
    events: int
    last_time: datetime | None

    def _repr_html_(self) -> str:
        columns = ("player", "display", "mu", "sigma", "events", "last_time")
        return html_table("Rating", columns, [[getattr(self, name) for name in columns]], count=1)


@dataclass(frozen=True, slots=True)
class Change:
    """How one event changed one player's rating."""

    player: str
    rank: int
    mu_before: float
    sigma_before: float | None
    display_before: float
    performance: float | None
    mu: float
    sigma: float | None
    display: float

    @property
    def gain(self) -> float:
        """The change of the displayed rating."""
        return self.display - self.display_before

    def _repr_html_(self) -> str:
        columns = ("player", "rank", "display_before", "display", "gain", "performance", "mu", "sigma")
        return html_table("Change", columns, [[getattr(self, name) for name in columns]], count=1)


class Changes(list[Change]):
    """The changes by one event, in the order of its players."""

    number: int | None = None
    """The event's number in the log of the ladder; None if the ladder has no log."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The probabilities that the first side of a match wins, draws and loses."""

    win: float
    draw: float
    loss: float


@dataclass(frozen=True, repr=False)
class RankProbabilities:
    """The probability of every rank: ``matrix[i, k]`` is that of ``players[i]`` having rank k + 1."""

    __repr__ = brief_repr

    players: tuple[str | tuple[str, ...], ...]
    """The sides: players, and teams as tuples of players."""
    matrix: Floats

    @property
    def expected_rank(self) -> Floats:
        """The mean rank of each player."""
        places: Floats = self.matrix @ np.arange(1, len(self.players) + 1)
        return places

    def top(self, k: int) -> Floats:
        """The probability of each player to be among the first `k`."""
        chances: Floats = self.matrix[:, :k].sum(axis=1)
        return chances

    def _repr_html_(self) -> str:
        names = [side if isinstance(side, str) else " + ".join(side) for side in self.players]
        rows = zip(names, self.expected_rank.tolist(), self.top(1).tolist(), strict=True)
        columns = ("player", "expected rank", "probability of rank 1")
        return html_table("Probabilities of ranks", columns, rows, count=len(names))


@dataclass(frozen=True, slots=True)
class Contribution:
    """The change of a rating by one remembered event or adjustment."""

    event: str
    time: datetime | None
    rank: int | None
    """The player's rank; None for an adjustment."""
    sides: int
    change: float
    before: float
    """The displayed rating right before it, at its time."""

    @property
    def after(self) -> float:
        """The displayed rating right after it."""
        return self.before + self.change

    def __str__(self) -> str:
        place = "" if self.rank is None else f": rank {self.rank} of {self.sides}"
        return f"{called(self.event, to_micros(self.time))}{place}"


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Why a player has this rating: the start, and every change since."""

    __repr__ = brief_repr

    rating: Rating
    newcomer: float
    """Where the player started; if that is no longer remembered, where newcomers start now."""
    older_results: float
    """The total change by all events before the remembered ones."""
    contributions: tuple[Contribution, ...]
    absence: float = 0.0
    """The total change between the remembered events: the displayed rating of a system with `display_k` falls
    while a player is away, because it becomes less certain."""
    own_start: bool = False
    """Whether `newcomer` is the player's own start, other than where newcomers start now."""

    @property
    def lines(self) -> list[tuple[str, float]]:
        """The terms whose sum is the rating, oldest first: a text and a number of points."""
        parts = [(self.start_words, self.newcomer)]
        parts += [("everything before", self.older_results)] if self.older_results else []
        parts += [(str(item), item.change) for item in self.contributions]
        return parts + ([("less certain while away", self.absence)] if self.absence else [])

    @property
    def start_words(self) -> str:
        """What `newcomer` is, in words."""
        return "start" if self.own_start else "where newcomers start"

    def __str__(self) -> str:
        rating = self.rating
        events = counted(rating.events, "event")
        lines = [f"{shorten(rating.player)}: {rating.display:.1f} after {events}"]
        return "\n".join(lines + [f"  {change:+9.1f}  {why}" for why, change in self.lines])

    def _repr_html_(self) -> str:
        title, lines = str(self).partition("\n")[0], self.lines
        return html_table(f"{title}, latest first", ("why", "points"), reversed(lines), len(lines))


@dataclass(frozen=True, slots=True)
class Performance:
    """One remembered event's part in a rating that is an average of performances."""

    event: str
    """The event's name; if it is no longer known, its number among the player's events."""
    time: datetime | None
    rank: int | None
    """The player's rank; None if it is no longer known."""
    performance: float
    share: float
    """Its share of the rating: the weight of Elo-MMR's Eq. (7), divided by the sum of all weights."""
    pull: float
    """Points by which it pulls the rating, share × (performance − rating); all pulls balance."""

    def __str__(self) -> str:
        return called(self.event, to_micros(self.time)) + ("" if self.rank is None else f": rank {self.rank}")


@dataclass(frozen=True, slots=True, repr=False)
class PerformanceExplanation:
    """Why a rating is what it is, for systems in which it is a robust average of performances.

    The rating is start_share × start + older_share × older + Σ share × performance; the shares sum to one.
    """

    __repr__ = brief_repr

    rating: Rating
    start: float
    """The rating the player started from: the newcomer's, or one set by hand."""
    start_share: float
    older: float
    """The rating that the older results, remembered as one, point to."""
    older_share: float
    performances: tuple[Performance, ...]
    """The remembered performances, oldest first."""
    rise: float
    """The most that one more result can raise the rating: Δ₊ of Theorem 5.7."""
    fall: float
    """The most that one more result can lower the rating: Δ₋ of Theorem 5.7."""
    bounds: tuple[float, float]
    """The lower and upper bound of Theorem 5.7 on both limits."""

    @property
    def lines(self) -> list[tuple[str, float, float, float]]:
        """The parts of the rating, oldest first: text, value in points, share, pull."""
        start = ("start", self.start, self.start_share)
        older = ("older results", self.older, self.older_share)
        parts = [(what, value, share) for what, value, share in (start, older) if share > 0.0]
        lines = [(what, value, share, share * (value - self.rating.mu)) for what, value, share in parts]
        return lines + [(str(item), item.performance, item.share, item.pull) for item in self.performances]

    @property
    def main_lines(self) -> list[tuple[str, float, float, float]]:
        """`lines`, with all shares below a thousandth combined into one."""
        small = [line for line in self.lines if line[2] < 0.001]
        if len(small) < 2:
            return self.lines
        share = sum(line[2] for line in small)
        mean = sum(line[1] * line[2] for line in small) / share if share > 0.0 else small[-1][1]
        rest = (f"{len(small)} parts of less than 0.1% each", mean, share, share * (mean - self.rating.mu))
        return [rest, *(line for line in self.lines if line[2] >= 0.001)]

    @property
    def outlook(self) -> str:
        """A sentence: how far the next result can move the rating."""
        if self.rise == self.fall == 0.0:
            return "It is fixed: no result moves it."
        if self.rise == self.fall == math.inf:
            return "One more result can move it by any amount."
        up, down = (
            "by any amount" if math.isinf(move) else f"by {move:.1f}" for move in (self.rise, self.fall)
        )
        return f"One more result of weight 1 can raise it {up} at most, and lower it {down}."

    def __str__(self) -> str:
        rating = self.rating
        events = counted(rating.events, "event")
        shown = "" if rating.display == rating.mu else f" (shown as {rating.display:.1f})"
        head = f"{shorten(rating.player)}: {rating.mu:.1f}{shown} after {events}, an average of performances"
        rows = [f"  {value:9.1f}  {100 * share:5.1f}%  {what}" for what, value, share, _ in self.main_lines]
        return "\n".join([head, *rows, self.outlook])

    def _repr_html_(self) -> str:
        title, lines = str(self).partition("\n")[0], self.lines
        columns = ("what", "points", "share", "pull")
        return html_table(f"{title}, latest first", columns, reversed(lines), len(lines))


@dataclass(frozen=True, slots=True, repr=False)
class Ratings:
    """The ratings of many players as columns; `sigma` is None if the system has none."""

    __repr__ = brief_repr

    mu: Floats
    sigma: Floats | None
    display: Floats


@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """The rating of each row of a history before the event (at its time) and after it.

    Arrays that a system has no values for have length 0, and so have all if no trace is wanted: kernels write
    into an array only if it has room.
    """

    __repr__ = brief_repr

    mu_before: Floats
    sigma_before: Floats
    performance: Floats
    mu: Floats
    sigma: Floats
    rated: Bools
    """Whether the row changed its player's rating: not if unrated or anchored."""
    expected: Floats
    """The score its side could expect, of systems whose beliefs `mu` and `sigma` do not tell whole; NaN where
    such a system does not say."""

    @classmethod
    def for_rows(cls, rows: int, *, sigma: bool, performance: bool, expected: bool = False) -> Trace:
        """An empty trace for `rows` rows, with the columns asked for."""
        deviations = rows if sigma else 0
        return cls(
            mu_before=np.empty(rows),
            sigma_before=np.empty(deviations),
            performance=np.empty(rows if performance else 0),
            mu=np.empty(rows),
            sigma=np.empty(deviations),
            rated=np.ones(rows, np.bool_),
            expected=np.full(rows if expected else 0, np.nan),
        )

    @classmethod
    def joined(cls, traces: Sequence[Trace]) -> Trace:
        """The traces of consecutive events as one."""
        names = [field.name for field in fields(cls)]
        return cls(**{name: np.concatenate([getattr(trace, name) for trace in traces]) for name in names})

    def part(self, start: int, stop: int) -> Trace:
        """The rows of a slice; shares memory."""
        rows = slice(start, stop)
        return Trace(
            mu_before=self.mu_before[rows],
            sigma_before=self.sigma_before[rows],
            performance=self.performance[rows],
            mu=self.mu[rows],
            sigma=self.sigma[rows],
            rated=self.rated[rows],
            expected=self.expected[rows],
        )
