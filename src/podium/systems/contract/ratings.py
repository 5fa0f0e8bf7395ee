"""What is known of players, as values: ratings, changes, predictions, explanations, traces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from podium.arrays import Bools, Floats
from podium.history.times import to_iso, to_micros
from podium.text import counted, shorten


@dataclass(frozen=True, slots=True)
class Rating:
    """One player's rating: the belief (`mu`, `sigma`) and the number to display."""

    player: str
    mu: float
    sigma: float | None
    display: float
    events: int
    last_time: datetime | None


@dataclass(frozen=True, slots=True)
class Change:
    """What one event did to one player."""

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
        """By how much the displayed rating moved."""
        return self.display - self.display_before


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How a match may end, as seen by the first side."""

    win: float
    draw: float
    loss: float


@dataclass(frozen=True)
class RankProbabilities:
    """The chances of every place: ``matrix[i, k]`` is that of ``players[i]`` coming in at place k + 1."""

    players: tuple[str | tuple[str, ...], ...]
    """The sides: players, and teams as tuples of players."""
    matrix: Floats

    @property
    def expected_rank(self) -> Floats:
        """The mean place of each player."""
        places: Floats = self.matrix @ np.arange(1, len(self.players) + 1)
        return places

    def top(self, k: int) -> Floats:
        """Each player's chance to be among the first `k`."""
        chances: Floats = self.matrix[:, :k].sum(axis=1)
        return chances


def _called(event: str, time: datetime | None) -> str:
    """An event's name and time in a sentence; an event without a name has a number."""
    name = f"event {event}" if event.isdecimal() else shorten(event)
    return name if time is None else f"{name}, {to_iso(to_micros(time))}"


@dataclass(frozen=True, slots=True)
class Contribution:
    """One remembered event's or adjustment's part in a rating."""

    event: str
    time: datetime | None
    rank: int | None
    """The player's rank; None where an adjustment moved the rating."""
    sides: int
    change: float

    def __str__(self) -> str:
        place = "" if self.rank is None else f": rank {self.rank} of {self.sides}"
        return f"{_called(self.event, self.time)}{place}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a player has the rating they have: where they started, and what moved them."""

    rating: Rating
    newcomer: float
    older_results: float
    """What all events before the remembered ones did together."""
    contributions: tuple[Contribution, ...]

    @property
    def lines(self) -> list[tuple[str, float]]:
        """What the rating is the sum of: what, and how many points; oldest first."""
        older = [("everything before", self.older_results)] if self.older_results else []
        events = [(str(item), item.change) for item in self.contributions]
        return [("where newcomers start", self.newcomer), *older, *events]

    def __str__(self) -> str:
        rating = self.rating
        events = counted(rating.events, "event")
        lines = [f"{shorten(rating.player)}: {rating.display:.1f} after {events}"]
        return "\n".join(lines + [f"  {change:+9.1f}  {why}" for why, change in self.lines])


@dataclass(frozen=True, slots=True)
class Performance:
    """One remembered event's part in a rating that is an average of performances."""

    event: str
    """Its name; where nobody remembers that, its number among the player's events."""
    time: datetime | None
    rank: int | None
    """The player's rank, None where nobody remembers it."""
    performance: float
    share: float
    """Its share of the rating: the weight of Elo-MMR's Eq. (7), divided by the sum of all weights."""
    pull: float
    """Points by which it pulls the rating, share × (performance − rating); all pulls balance."""

    def __str__(self) -> str:
        return _called(self.event, self.time) + ("" if self.rank is None else f": rank {self.rank}")


@dataclass(frozen=True, slots=True)
class PerformanceExplanation:
    """Why a rating is what it is, where it is a robust average of past performances.

    The rating is start_share × start + older_share × older + Σ share × performance; the shares sum to one.
    """

    rating: Rating
    start: float
    """Where the player started: the newcomer's rating, or a seed."""
    start_share: float
    older: float
    """Where older results, remembered together, put the player."""
    older_share: float
    performances: tuple[Performance, ...]
    """Oldest first."""
    rise: float
    """The exact limit of how far one more result can raise the rating: Δ₊ of Theorem 5.7."""
    fall: float
    """The same downwards, Δ₋."""
    bounds: tuple[float, float]
    """Between which Theorem 5.7 puts both limits."""

    @property
    def lines(self) -> list[tuple[str, float, float, float]]:
        """What the rating is made of: what, its value in points, its share, its pull; oldest first."""
        start = ("start", self.start, self.start_share)
        older = ("older results", self.older, self.older_share)
        parts = [(what, value, share) for what, value, share in (start, older) if share > 0.0]
        lines = [(what, value, share, share * (value - self.rating.mu)) for what, value, share in parts]
        return lines + [(str(item), item.performance, item.share, item.pull) for item in self.performances]

    @property
    def main_lines(self) -> list[tuple[str, float, float, float]]:
        """`lines`, with those of less than a thousandth summed up in one."""
        small = [line for line in self.lines if line[2] < 0.001]
        if len(small) < 2:
            return self.lines
        share = sum(line[2] for line in small)
        mean = sum(line[1] * line[2] for line in small) / share if share > 0.0 else small[-1][1]
        rest = (f"{len(small)} parts of less than 0.1% each", mean, share, share * (mean - self.rating.mu))
        return [rest, *(line for line in self.lines if line[2] >= 0.001)]

    @property
    def outlook(self) -> str:
        """How far the next result can move the rating, in words."""
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


@dataclass(frozen=True, slots=True)
class Ratings:
    """The public view of many players at once; `sigma` is None where a system has none."""

    mu: Floats
    sigma: Floats | None
    display: Floats


@dataclass(frozen=True, slots=True)
class Trace:
    """What happened to each row of a history: the belief before (as of the event's time) and after.

    Arrays a system has no values for, and all of them where no trace was wanted, have length 0: kernels
    write into an array only if it has room.
    """

    mu_before: Floats
    sigma_before: Floats
    performance: Floats
    mu: Floats
    sigma: Floats
    rated: Bools
    """Whether the row counted for its player; unrated rows and those of anchored players do not."""
    expected: Floats
    """The score its side could expect, of systems whose beliefs `mu` and `sigma` do not tell whole; NaN where
    such a system does not say."""

    @classmethod
    def for_rows(cls, rows: int, *, sigma: bool, performance: bool, expected: bool = False) -> Trace:
        """Room for so many rows."""
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

    def part(self, start: int, stop: int) -> Trace:
        """The rows of a slice, sharing memory."""
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
