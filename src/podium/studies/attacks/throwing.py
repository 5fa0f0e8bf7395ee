"""Losing on purpose and staying away, when it may pay: to be volatile, to meet the weak, to keep luck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from podium.history import History
from podium.parameters import parameter
from podium.studies.attacks.altered_histories import early_standings
from podium.studies.attacks.strategy import ABSENT, Goal, Phase, Throwing, event_count, fall, rating_points


@dataclass(frozen=True)
class Farming(Throwing):
    """Volatility farming, section 5.1 of the Elo-MMR paper: honest, falling above a threshold, honest.

    Without a `threshold` it is the attacker's own rating at the end of the honest phase, plus `margin`: the
    paper's 2975 is read as about what its player was rated then.
    """

    name: ClassVar[str] = "farming"
    summary: ClassVar[str] = "come in last whenever the rating is above a threshold, then play honestly again"

    honest: int = event_count(45, "honest events before")
    farming: int = event_count(45, "number of events in which the player may lose on purpose")
    after: int = event_count(15, "honest events after")
    threshold: float | None = rating_points(
        None, "the rating above which to lose. none: the player's own rating"
    )
    margin: float = rating_points(
        0.0, "points of the threshold above the player's own rating, if none is given"
    )
    deep: float = fall()

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Honest, farming, honest."""
        return Phase("honest", self.honest), Phase("farming", self.farming), Phase("honest", self.after)

    def bound(self, base: float) -> float:
        """The threshold."""
        return base + self.margin if self.threshold is None else self.threshold

    def depth(self, number: int, rating: float, base: float) -> float:
        """Fall where the rating is above the threshold."""
        farms = self.honest <= number < self.honest + self.farming
        return self.deep if farms and rating > self.bound(base) else 0.0


@dataclass(frozen=True)
class Alternating(Throwing):
    """Strong and weak in turn, without a look at any rating."""

    name: ClassVar[str] = "alternating"
    summary: ClassVar[str] = "come in last in every second event for a while, then play honestly again"

    honest: int = event_count(45, "honest events before")
    alternating: int = event_count(45, "events of which every second is lost")
    after: int = event_count(15, "honest events after")
    deep: float = fall()

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Honest, alternating, honest."""
        return (
            Phase("honest", self.honest),
            Phase("alternating", self.alternating),
            Phase("honest", self.after),
        )

    def depth(self, number: int, rating: float, base: float) -> float:
        """Fall in the first of two, and so on."""
        since = number - self.honest
        return self.deep if 0 <= since < self.alternating and since % 2 == 0 else 0.0


@dataclass(frozen=True)
class Streak(Throwing):
    """Some events lost in a row, and then honest play: how deep, how soon back, and is it above in the end?

    Yuksel (2024), section 5.2, lets a player lose 100 games of 1,000.
    """

    name: ClassVar[str] = "streak"
    summary: ClassVar[str] = "lose some events in a row, then play honestly again"

    honest: int = event_count(45, "honest events before")
    lost: int = event_count(10, "events lost in a row")
    after: int = event_count(50, "honest events after")
    deep: float = fall()

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Honest, losing, honest."""
        return Phase("honest", self.honest), Phase("losing", self.lost), Phase("honest", self.after)

    def depth(self, number: int, rating: float, base: float) -> float:
        """Fall in all of them."""
        return self.deep if self.honest <= number < self.honest + self.lost else 0.0


@dataclass(frozen=True)
class Tanking(Throwing):
    """Lose while new, when nothing is known and deviations are high, and then play honestly."""

    name: ClassVar[str] = "tanking"
    summary: ClassVar[str] = "lose the first events as a newcomer, then play honestly"

    lost: int = event_count(10, "events lost in a row")
    after: int = event_count(50, "honest events after")
    deep: float = fall()

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Losing, honest."""
        return Phase("losing", self.lost), Phase("honest", self.after)

    def depth(self, number: int, rating: float, base: float) -> float:
        """Fall in the first ones."""
        return self.deep if number < self.lost else 0.0


@dataclass(frozen=True)
class Sandbagging(Throwing):
    """Stay below a bound, such as that of a division, and play honestly when it counts.

    Without a `bound_at` it is the attacker's own rating at the end of the honest phase, less `below`. It is
    measured at the end of the sandbagging: how far below the honest rating the player was held.
    """

    name: ClassVar[str] = "sandbagging"
    summary: ClassVar[str] = "lose whenever the rating is above a limit, to stay among the weak"
    goal: ClassVar[Goal] = "lower"

    honest: int = event_count(45, "honest events before")
    sandbagging: int = event_count(30, "number of events in which the player may lose on purpose")
    after: int = event_count(15, "honest events after")
    bound_at: float | None = rating_points(
        None, "the rating above which to lose. none: below the player's own rating"
    )
    below: float = rating_points(200.0, "points of the limit below the player's own rating, if none is given")
    deep: float = fall()

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Honest, sandbagging, honest."""
        return (
            Phase("honest", self.honest),
            Phase("sandbagging", self.sandbagging),
            Phase("honest", self.after),
        )

    @property
    def measured(self) -> int:
        """The last event of the sandbagging."""
        return max(self.honest + self.sandbagging - 1, 0)

    def bound(self, base: float) -> float:
        """The bound."""
        return base - self.below if self.bound_at is None else self.bound_at

    def depth(self, number: int, rating: float, base: float) -> float:
        """Fall where the rating is above the bound."""
        low = self.honest <= number < self.honest + self.sandbagging
        return self.deep if low and rating > self.bound(base) else 0.0


@dataclass(frozen=True)
class Resting(Throwing):
    """Stop playing at a high, while the others go on: luck is kept, and nothing else is done.

    After the honest phase the player stops as soon as the rating is `margin` above what it was at its end.
    """

    name: ClassVar[str] = "resting"
    summary: ClassVar[str] = "stop playing as soon as the rating is high, and keep it"
    means: ClassVar[str] = "staying away"

    honest: int = event_count(45, "honest events before")
    after: int = event_count(60, "events in which to wait for a high, and then to stay away")
    margin: float = rating_points(0.0, "points above the player's own rating that are high enough")

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Honest, waiting for a high."""
        return Phase("honest", self.honest), Phase("resting", self.after)

    def bound(self, base: float) -> float:
        """What is high enough."""
        return base + self.margin

    def depth(self, number: int, rating: float, base: float) -> float:
        """Stay away where the rating is above the bound, which it then is for ever."""
        return ABSENT if number > self.honest and rating > self.bound(base) else 0.0


@dataclass(frozen=True)
class Leaving(Throwing):
    """Take part only when it goes well: leave, unrated, an event that would lower the rating as it stands.

    The player sees early standings: the final ones, off by `blur` standard deviations of the field. With a
    blur of 0 the result is known. 0.5 is half of a simulated contest: where the luck of a contest comes bit
    by bit, and is 200 points in all, performances of the first half are off by 200 from those of the whole,
    √(1/t − 1) of it after a part t; and performances of the field have a deviation of √(350² + 200²) = 403.
    """

    name: ClassVar[str] = "leaving"
    summary: ClassVar[str] = "leave an event, unrated, whenever the rating would fall by the early standings"
    means: ClassVar[str] = "staying away"

    honest: int = event_count(45, "honest events before")
    after: int = event_count(60, "events to leave where they go badly")
    blur: float = parameter(
        0.5,
        "how far early standings are from the final ones, in standard deviations of the field",
        high=100.0,
        hint="from 0, where the result is known, to 100",
    )

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Honest, leaving."""
        return Phase("honest", self.honest), Phase("leaving", self.after)

    def depth(self, number: int, rating: float, base: float) -> float:
        """Nothing is lost on purpose."""
        return 0.0

    def early(self, event: History, number: int) -> History | None:
        """The standings to decide by, after the honest phase."""
        return early_standings(event, self.blur, number) if number >= self.honest else None
