"""Why a rating is what it is, as values: changes, performances, matches, opinions of experts; their words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Floats
from podium.history.event_lookup import called
from podium.history.times import time_words, to_micros
from podium.notebooks import html_table
from podium.text import chance_words, counted, listed, percent, rank_words, running_gains, shorten

if TYPE_CHECKING:
    pass


from podium.systems.contract.ratings import Rating

MatchResult = Literal["win", "draw", "loss"]

_VERBS: dict[MatchResult, str] = {"win": "beat", "draw": "drew with", "loss": "lost to"}
_PLACES = {None: "", True: " at home", False: " away"}
MOST_NAMED = 2
"""Members of a team who are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """Who played against whom, how it ended, and what was to be expected.

    >>> print(PlayedMatch(("bob",), "win", 0.43, score=3, opponent_score=1, at_home=True))
    beat bob 3:1 at home, chance 43%
    """

    opponents: tuple[str, ...]
    result: MatchResult
    chance: float
    """The expected score before the match: the chance to win, and half of that to draw."""
    score: float | None = None
    """The score of the player's side, if scores are known; likewise `opponent_score`."""
    opponent_score: float | None = None
    at_home: bool | None = None
    """Whether the player was at home (True) or away (False); None if nobody was."""
    partners: tuple[str, ...] = ()
    """The other members of the player's team."""

    @property
    def words(self) -> str:
        """The result: opponents, score, home or away."""
        score = "" if self.score is None else f" {self.score:.10g}:{self.opponent_score:.10g}"
        beside = f" (with {_people(self.partners)})" if self.partners else ""
        return f"{_VERBS[self.result]} {_people(self.opponents)}{score}{_PLACES[self.at_home]}{beside}"

    def __str__(self) -> str:
        return f"{self.words}, chance {chance_words(self.chance)}"


def match_result(rank: int, other: int) -> MatchResult:
    """How a match ended for the side of this rank.

    >>> match_result(1, 2), match_result(1, 1)
    ('win', 'draw')
    """
    return "win" if rank < other else "loss" if rank > other else "draw"


def _people(names: Sequence[str]) -> str:
    """The members of a side in words.

    >>> _people(["ann"]), _people(["ann", "bob"]), _people(["ann", "bob", "cat", "dan"])
    ('ann', 'ann and bob', 'ann, bob and 2 more')
    """
    named = [shorten(name, 40) for name in names[:MOST_NAMED]]
    return listed(named + ([f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []))


MAIN_OPINIONS = 5
"""Experts that are named one by one in a sentence."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one expert says of a player, and how much it counts."""

    expert: str
    share: float
    """Its share of all that counts; the shares of all experts add up to one."""
    rating: float
    """The rating it would give, in points of the public rating."""


def counting_words(opinions: Sequence[Opinion], title: str = "What counts") -> str:
    """The experts that count most, in a sentence; the first ones of `opinions`."""
    main, rest = opinions[:MAIN_OPINIONS], opinions[MAIN_OPINIONS:]
    told = [f"{percent(one.share)} {one.expert} (rating {one.rating:.0f})" for one in main]
    if rest:
        told.append(f"{percent(sum(one.share for one in rest))} {counted(len(rest), 'other')}")
    return f"{title}: " + ", ".join(told)


@dataclass(frozen=True)
class Shares:
    """A rating that is an average, split into start, older results and performances.

    rating = origin_share · origin + older_share · older + Σ share · performance.
    """

    origin: float
    origin_share: float
    older: float
    older_share: float
    performance: Floats
    share: Floats
    number: NDArray[np.int64]
    """The number of each performance's event among the player's own, from 1."""
    time: NDArray[np.int64]
    rise: float
    """The most that one more result, at the time that was asked about, can raise mu."""
    fall: float
    bounds: tuple[float, float]
    skewed: bool = False
    """Whether performances are told as the ratings at which they are the likeliest: other numbers, as the
    distribution is skewed."""


SURE = """
The rating comes with a deviation: the system's uncertainty about it. It shrinks with every result. So
newcomers' ratings move fast, and those of experienced players move little.
"""

PERFORMANCES = """
After every event, the system computes your performance: the rating with which a player would be expected to
finish where you did. Your rating is an average of your performances, in which recent ones count more.
"""

SINGLE_DAYS = {
    "logistic": "A single very good or very bad day counts less.",
    "hyperbolic-secant": "A single very good or very bad day counts less.",
    "gumbel-min": """
        A very bad day counts less than other days, because every player can have one. A very good day
        counts more, because only strong players have one.
    """,
}
"""What a day far from the rating does, by how performances are distributed; not known of one's own."""


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
    """The change of a rating by one remembered event or adjustment.

    Attributes:
        event: The event's name, or the adjustment in words.
        time: When it was.
        rank: The player's rank. None for an adjustment.
        sides: Number of sides of the event.
        change: The change of the displayed rating.
        before: The displayed rating right before it, at its time.
        match: Who played against whom, if the event has two sides.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.record_match("ann", "bob", name="final")
    >>> part = ladder.explain("ann").contributions[0]
    >>> part.event, part.rank, part.before, part.change
    ('final', 1, 1500.0, 16.0)
    """

    event: str
    time: datetime | None
    rank: int | None
    sides: int
    change: float
    before: float
    match: PlayedMatch | None = None

    @property
    def after(self) -> float:
        """The displayed rating right after it."""
        return self.before + self.change

    @property
    def result(self) -> str:
        """The player's result in the event, in words. Empty for an adjustment."""
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
    """Why a player has this rating: the start, and every change since.

    Attributes:
        rating: The explained rating.
        newcomer: The player's start. If that is no longer remembered, where newcomers start now.
        older_results: The total change by all events before the remembered ones.
        contributions: The remembered events and adjustments, each with its change.
        absence: The total change between the remembered events: with `display_k` the displayed rating
            falls while a player is away, because it becomes less certain.
        own_start: Whether `newcomer` is the player's own start, other than where newcomers start now.
        earlier: The changes before the contributions, summed up (see `shortened`).
        opinions: The predictions of the experts of `auto`, those with most weight first.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.record_match("ann", "bob", name="final")
    >>> print(ladder.explain("ann"))
    ann: 1516.0 after 1 event
        +1500.0  where newcomers start
          +16.0  final: beat bob, chance 50%
    """

    rating: Rating
    newcomer: float
    older_results: float
    contributions: tuple[Contribution, ...]
    absence: float = 0.0
    own_start: bool = False
    earlier: EarlierChanges | None = None
    opinions: tuple[Opinion, ...] = ()

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
    """One remembered event's part in a rating that is an average of performances.

    Attributes:
        event: The event's name. If it is no longer known, its number among the player's events.
        time: When it was.
        rank: The player's rank. None if it is no longer known.
        performance: The rating at which this performance is the likeliest: the performance itself, unless
            the explanation is `skewed`.
        share: Its share of the rating: the weight of Elo-MMR's Eq. (7), divided by the sum of all
            weights.
        pull: Points by which it pulls the rating, share × (performance − rating). All pulls balance.
        match: Who played against whom, if the event has two sides.

    >>> import podium
    >>> ladder = podium.Ladder("elo-mmr")
    >>> _ = ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3}, name="cup")
    >>> part = ladder.explain("ann").performances[0]
    >>> part.event, part.rank, round(part.performance), round(part.share, 2)
    ('cup', 1, 1744, 0.84)
    """

    event: str
    time: datetime | None
    rank: int | None
    performance: float
    share: float
    pull: float
    match: PlayedMatch | None = None

    @property
    def result(self) -> str:
        """The player's result in the event, in words. Empty if it is no longer known."""
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
    """The parts of a rating, for systems in which it is a robust average of performances.

    The rating is start_share × start + older_share × older + Σ share × performance. The shares sum to one.

    Attributes:
        rating: The explained rating.
        start: The rating the player started from: the newcomer's, or one set by hand.
        start_share: The share of the start in the rating.
        older: The rating that the older results, remembered as one, point to.
        older_share: The share of the older results in the rating.
        performances: The remembered performances, oldest first.
        rise: The most that one more result at the time of the rating can raise mu: Δ₊ of Theorem 5.7.
        fall: The most that one more result at the time of the rating can lower mu: Δ₋ of Theorem 5.7.
        bounds: The lower and upper bound of Theorem 5.7 on both limits.
        others: The other performances, summed up (see `shortened`).
        start_words: What `start` is: an adjustment that moved the rating since is a new start.
        skewed: Whether the performances of single events, as the trace has them, are other numbers: those
            here are the ratings at which they are the likeliest.

    >>> import podium
    >>> ladder = podium.Ladder("elo-mmr")
    >>> _ = ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3}, name="cup")
    >>> found = ladder.explain("ann")
    >>> round(found.start_share + found.older_share + sum(one.share for one in found.performances), 6)
    1.0
    """

    rating: Rating
    start: float
    start_share: float
    older: float
    older_share: float
    performances: tuple[Performance, ...]
    rise: float
    fall: float
    bounds: tuple[float, float]
    others: OtherPerformances | None = None
    start_words: str = "start"
    skewed: bool = False

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
        older = ("remembered from before", self.older, self.older_share)
        parts = [(what, value, share) for what, value, share in (start, older) if share > 0.0]
        lines = [(what, value, share, share * (value - self.rating.mu)) for what, value, share in parts]
        lines += [(str(item), item.performance, item.share, item.pull) for item in self.performances]
        rest = self.others
        return lines if rest is None else [*lines, (rest.words, rest.performance, rest.share, rest.pull)]

    @property
    def outlook(self) -> str:
        """How far one more result at the time of the rating can move it, and the numbers used."""
        rating = self.rating
        words = outlook(self.rise, self.fall, "it" if rating.display == rating.mu else f"{rating.mu:.1f}")
        return f"{LIKELIEST} {words}" if self.skewed else words

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


LIKELIEST = "Event pages use another formula for performances, so their numbers can differ."
"""What to say of the numbers of an average if performances are skewed."""


def outlook(rise: float, fall: float, mu: str) -> str:
    """How far one more result can raise and lower a rating, as a sentence; `mu` says which number moves.

    The limits are of mu, as a displayed rating also rises when the rating becomes more certain. For a later
    result they are wider, as a rating becomes less certain with time.
    """
    if rise == fall == 0.0:
        return "It is fixed: no result moves it."
    if rise == fall == math.inf:
        return "One more result can move it by any amount."
    up, down = ("without limit" if math.isinf(move) else f"by at most {move:.1f}" for move in (rise, fall))
    return f"One more event now can lower {mu} {down} and raise it {up}."


def _kind(parts: Sequence[Contribution | Performance]) -> str:
    """What parts of a rating are, in one word that fits all of them."""
    if all(part.match is not None for part in parts):
        return "match"
    adjusted = any(isinstance(part, Contribution) and part.rank is None for part in parts)
    return "change" if adjusted else "event"
