"""What is known of players, as values: ratings, changes, predictions, explanations, traces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Bools, Floats
from podium.history.event_lookup import called
from podium.history.times import time_words, to_micros
from podium.systems.contract.opinions import Opinion, counting_words
from podium.systems.contract.played_matches import PlayedMatch
from podium.text import brief_repr, counted, html_table, rank_words, running_gains, shorten

if TYPE_CHECKING:
    from podium.systems.contract.adjusted_ratings import AdjustedRatings


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
    """How one event or adjustment changed one player's rating."""

    player: str
    rank: int | None
    """The player's rank; None for an adjustment."""
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
    """The changes by one event or adjustment, in the order of its players."""

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
    """The probability of every rank: ``matrix[i, k]`` is that of ``players[i]`` having rank k + 1.

    The matrix is about orders of all sides: a tie counts half for each of both orders. `tied` is about ties.
    """

    __repr__ = brief_repr

    players: tuple[str | tuple[str, ...], ...]
    """The sides: players, and teams as tuples of players."""
    matrix: Floats
    tied: Floats
    """The probability of each side to share its rank with another; 0 if the system gives draws no chance.

    For two sides it is the chance of a draw. For more it is an approximation, from the draws of all pairs as
    if these were independent.
    """

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
        numbers = (self.expected_rank, self.top(1), self.tied)
        rows = zip(names, *(number.tolist() for number in numbers), strict=True)
        columns = ("player", "expected rank", "probability of rank 1", "probability of a tie")
        return html_table("Probabilities of ranks", columns, rows, count=len(names))


MAIN_RESULTS = 10
"""Results that an explanation tells one by one unless somebody asks for another number: one screen."""


def _told(part: Contribution | Performance) -> str:
    """An event and its result; the number of a match is no name that people know, if there is a time."""
    moment, match = to_micros(part.time), part.match
    if match is not None and part.time is not None and part.event.isdecimal():
        return f"{time_words(moment)}: {match}"
    result = part.result if match is None else str(match)
    return called(part.event, moment) + (f": {result}" if result else "")


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
    match: PlayedMatch | None = None
    """Who played against whom, if the event has two sides."""

    @property
    def after(self) -> float:
        """The displayed rating right after it."""
        return self.before + self.change

    @property
    def result(self) -> str:
        """What the player did in the event, in words; empty for an adjustment."""
        if self.match is not None:
            return self.match.words
        return "" if self.rank is None else rank_words(self.rank, self.sides)

    def __str__(self) -> str:
        return _told(self)


@dataclass(frozen=True, slots=True)
class EarlierChanges:
    """The first changes of a rating, told together."""

    count: int
    what: str
    """What they are: "match", "event", or "change" if adjustments are among them."""
    change: float
    """Their sum."""

    @property
    def words(self) -> str:
        """How many there are of what."""
        return counted(self.count, f"earlier {self.what}")


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Why a player has this rating: the start, and every change since."""

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
    earlier: EarlierChanges | None = None
    """The changes before the contributions that are not told one by one; see `shortened`."""
    opinions: tuple[Opinion, ...] = ()
    """What experts say, of a system that rates by several others: those that count most first."""

    def shortened(self, results: int = MAIN_RESULTS) -> Explanation:
        """The same with only the latest changes one by one, and those before them as one."""
        rest = self.contributions[: max(len(self.contributions) - results, 0)]
        if not rest:
            return self
        before = self.earlier or EarlierChanges(0, _kind(rest), 0.0)
        what = before.what if before.what == _kind(rest) else "change"
        change = before.change + math.fsum(part.change for part in rest)
        earlier = EarlierChanges(before.count + len(rest), what, change)
        return replace(self, contributions=self.contributions[len(rest) :], earlier=earlier)

    @property
    def lines(self) -> list[tuple[str, float]]:
        """The terms whose sum is the rating, oldest first: a text and a number of points."""
        parts = [(self.start_words, self.newcomer)]
        parts += [("everything before", self.older_results)] if self.older_results else []
        parts += [] if self.earlier is None else [(f"{self.earlier.words} in all", self.earlier.change)]
        parts += [(str(item), item.change) for item in self.contributions]
        return parts + ([("less certain while away", self.absence)] if self.absence else [])

    @property
    def start_words(self) -> str:
        """What `newcomer` is, in words."""
        return "start" if self.own_start else "where newcomers start"

    @property
    def title(self) -> str:
        """The rating in a line."""
        rating = self.rating
        return f"{shorten(rating.player)}: {rating.display:.1f} after {counted(rating.events, 'event')}"

    def __repr__(self) -> str:
        return f"<Explanation: {self.title}>"

    def __str__(self) -> str:
        told = (self.shortened() if self.earlier is None else self).lines
        gains = running_gains([change for _, change in told], 1)
        lines = [self.title, *(f"  {gain:+9.1f}  {why}" for (why, _), gain in zip(told, gains, strict=True))]
        return "\n".join([*lines, counting_words(self.opinions)] if self.opinions else lines)

    def _repr_html_(self) -> str:
        lines = self.lines
        return html_table(f"{self.title}, latest first", ("why", "points"), reversed(lines), len(lines))


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
    match: PlayedMatch | None = None
    """Who played against whom, if the event has two sides."""

    @property
    def result(self) -> str:
        """What the player did in the event, in words; empty if it is no longer known."""
        if self.match is not None:
            return self.match.words
        return "" if self.rank is None else f"rank {self.rank}"

    def __str__(self) -> str:
        return _told(self)


@dataclass(frozen=True, slots=True)
class OtherPerformances:
    """Performances that are told together."""

    count: int
    what: str
    """What they are: "match" or "event"."""
    performance: float
    """Their average, by their shares."""
    share: float
    """The sum of their shares; likewise `pull`."""
    pull: float

    @property
    def words(self) -> str:
        """How many there are of what."""
        return counted(self.count, f"other {self.what}")


@dataclass(frozen=True, slots=True, repr=False)
class PerformanceExplanation:
    """Why a rating is what it is, for systems in which it is a robust average of performances.

    The rating is start_share × start + older_share × older + Σ share × performance; the shares sum to one.
    """

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
    """The most that one more result at the time of the rating can raise mu: Δ₊ of Theorem 5.7."""
    fall: float
    """The most that one more result at the time of the rating can lower mu: Δ₋ of Theorem 5.7."""
    bounds: tuple[float, float]
    """The lower and upper bound of Theorem 5.7 on both limits."""
    others: OtherPerformances | None = None
    """The performances that are not told one by one; see `shortened`."""
    start_words: str = "start"
    """What `start` is: an adjustment that moved the rating since is a new start."""

    def shortened(self, results: int = MAIN_RESULTS) -> PerformanceExplanation:
        """The same with the performances that pull the rating most one by one, and all others as one."""
        parts = self.performances
        order = sorted(
            range(len(parts)), key=lambda i: abs(parts[i].pull)
        )  # of two alike the later one stays
        left_out = set(order[: max(len(parts) - results, 0)])
        if not left_out:
            return self
        rest = [parts[i] for i in left_out]
        main = tuple(part for i, part in enumerate(parts) if i not in left_out)
        before = self.others or OtherPerformances(0, _kind(rest), 0.0, 0.0, 0.0)
        what = before.what if before.what == _kind(rest) else "event"
        share = before.share + math.fsum(part.share for part in rest)
        pull = before.pull + math.fsum(part.pull for part in rest)
        mean = self.rating.mu + (pull / share if share > 0.0 else 0.0)
        others = OtherPerformances(before.count + len(rest), what, mean, share, pull)
        return replace(self, performances=main, others=others)

    @property
    def lines(self) -> list[tuple[str, float, float, float]]:
        """The parts of the rating, oldest first: text, value in points, share, pull."""
        start = (self.start_words, self.start, self.start_share)
        older = ("older results", self.older, self.older_share)
        parts = [(what, value, share) for what, value, share in (start, older) if share > 0.0]
        lines = [(what, value, share, share * (value - self.rating.mu)) for what, value, share in parts]
        lines += [(str(item), item.performance, item.share, item.pull) for item in self.performances]
        rest = self.others
        return lines if rest is None else [*lines, (rest.words, rest.performance, rest.share, rest.pull)]

    @property
    def outlook(self) -> str:
        """A sentence: how far one more result at the time of the rating can move it."""
        rating = self.rating
        return outlook(self.rise, self.fall, "it" if rating.display == rating.mu else f"{rating.mu:.1f}")

    @property
    def title(self) -> str:
        """The rating in a line."""
        rating = self.rating
        events = counted(rating.events, "event")
        shown = "" if rating.display == rating.mu else f" (shown as {rating.display:.1f})"
        return f"{shorten(rating.player)}: {rating.mu:.1f}{shown} after {events}, an average of performances"

    def __repr__(self) -> str:
        return f"<PerformanceExplanation: {self.title}>"

    def __str__(self) -> str:
        told = self.shortened() if self.others is None else self
        rows = [f"  {value:9.1f}  {100 * share:5.1f}%  {what}" for what, value, share, _ in told.lines]
        return "\n".join([self.title, *rows, self.outlook])

    def _repr_html_(self) -> str:
        lines, columns = self.lines, ("what", "points", "share", "pull")
        return html_table(f"{self.title}, latest first", columns, reversed(lines), len(lines))


def outlook(rise: float, fall: float, mu: str) -> str:
    """How far one more result can raise and lower a rating, as a sentence; `mu` says which number moves.

    The limits are of mu, as a displayed rating also rises when the rating becomes more certain. For a later
    result they are wider, as a rating becomes less certain with time.
    """
    if rise == fall == 0.0:
        return "It is fixed: no result moves it."
    if rise == fall == math.inf:
        return "One more result can move it by any amount."
    result = "One more result of weight 1 at the time of the rating can"
    if not math.isinf(max(rise, fall)):
        return f"{result} raise {mu} by {rise:.1f} at most, and lower it by {fall:.1f}."
    up, down = ("by any amount" if math.isinf(move) else f"by {move:.1f} at most" for move in (rise, fall))
    return f"{result} raise {mu} {up}, and lower it {down}."


def _kind(parts: Sequence[Contribution | Performance]) -> str:
    """What parts of a rating are, in one word that fits all of them."""
    if all(part.match is not None for part in parts):
        return "match"
    adjusted = any(isinstance(part, Contribution) and part.rank is None for part in parts)
    return "change" if adjusted else "event"


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
    """The score its side could expect, calibrated if the system is; otherwise only of systems whose beliefs
    `mu` and `sigma` do not tell whole, and NaN where such a system does not say."""
    draw: Floats
    """The chance of a draw, if the system is calibrated; 0 in events of more than two sides. NaN where it is
    not known any more."""
    adjusted: tuple[AdjustedRatings, ...] = ()
    """What each adjustment of the history did, in order."""

    @classmethod
    def for_rows(
        cls, rows: int, *, sigma: bool, performance: bool, expected: bool = False, draw: bool = False
    ) -> Trace:
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
            draw=np.empty(rows if draw else 0),
        )

    @classmethod
    def joined(cls, traces: Sequence[Trace]) -> Trace:
        """The traces of consecutive events as one."""
        names = [field.name for field in fields(cls) if field.name != "adjusted"]
        columns = {name: np.concatenate([getattr(trace, name) for trace in traces]) for name in names}
        return cls(**columns, adjusted=tuple(one for trace in traces for one in trace.adjusted))

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
            draw=self.draw[rows],
        )
