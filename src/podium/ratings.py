"""What is known of players, as values: ratings, changes, predictions, explanations, traces."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from podium.errors import shorten
from podium.history.core import Floats
from podium.history.times import NO_TIME, to_iso


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

    players: tuple[str, ...]
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


@dataclass(frozen=True, slots=True)
class Contribution:
    """One remembered event's or adjustment's part in a rating."""

    event: str
    time: int
    rank: int | None
    """The player's rank; None where an adjustment moved the rating."""
    sides: int
    change: float

    def __str__(self) -> str:
        when = "" if self.time == NO_TIME else f", {to_iso(self.time)}"
        place = "" if self.rank is None else f": rank {self.rank} of {self.sides}"
        return f"{shorten(self.event)}{when}{place}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a player has the rating they have: where they started, and what moved them."""

    rating: Rating
    newcomer: float
    older_results: float
    """What all events before the remembered ones did together."""
    contributions: tuple[Contribution, ...]

    def __str__(self) -> str:
        rating = self.rating
        parts = [(self.newcomer, "where newcomers start")]
        if self.older_results:
            parts.append((self.older_results, "older results"))
        parts += [(item.change, str(item)) for item in self.contributions]
        events = f"{rating.events:,} event{'' if rating.events == 1 else 's'}"
        lines = [f"{shorten(rating.player)}: {rating.display:.1f} after {events}"]
        return "\n".join(lines + [f"  {change:+9.1f}  {why}" for change, why in parts])


@dataclass(frozen=True, slots=True)
class Performance:
    """One remembered event's part in a rating that is an average of performances."""

    event: str
    """Its name; where nobody remembers that, its number among the player's events."""
    time: int
    rank: int | None
    """The player's rank, None where nobody remembers it."""
    performance: float
    share: float
    """Its share of the rating: the weight of Elo-MMR's Eq. (7), divided by the sum of all weights."""
    pull: float
    """Points by which it pulls the rating, share × (performance − rating); all pulls balance."""


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

    @classmethod
    def for_rows(cls, rows: int, *, sigma: bool, performance: bool) -> Trace:
        """Room for so many rows."""
        deviations = rows if sigma else 0
        return cls(
            mu_before=np.empty(rows),
            sigma_before=np.empty(deviations),
            performance=np.empty(rows if performance else 0),
            mu=np.empty(rows),
            sigma=np.empty(deviations),
        )

    def part(self, start: int, stop: int) -> Trace:
        """The rows of a slice, sharing memory."""
        columns = (self.mu_before, self.sigma_before, self.performance, self.mu, self.sigma)
        return Trace(*(column[start:stop] for column in columns))
