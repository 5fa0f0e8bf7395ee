"""The terms of a policy: each a small value with a name that says what it costs two tickets to meet.

A term may forbid meetings, add to their cost (in units of probability), widen what a ticket accepts, and say
which tickets share a group outside of which they meet nobody. One of your own derives from `Term`, has a
name, and any of these functions; from then on policy files know it by that name.

>>> class Clanmates(Term):
...     name = "clanmates"
...     def forbids(self, meetings):
...         return meetings.first["clan"] == meetings.second["clan"]
>>> Clanmates()
Clanmates()
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs
from podium.errors import ParameterError
from podium.matchmaking.meetings import Meetings, Ranges, Tickets, Waiting
from podium.matchmaking.needs import asked_ranges, choosing_groups, unmet_needs
from podium.matchmaking.player_lists import PlayerLists
from podium.matchmaking.rating_sources import FromTickets
from podium.matchmaking.targets import mean_gap
from podium.matchmaking.ticket_columns import OF_RATINGS, RESERVED, numbered
from podium.named import Registry
from podium.parameters import Declared, parameter

_SAYING = ("forbids", "cost", "allowance", "groups")
"""Functions by which a term says something; one without any is a slip of the pen."""
_OF_FORBIDDING = ("is_settled", "kinds", "ranges", "apart", "parts", "groups")
"""What a term says about what it forbids."""


@dataclass(frozen=True)
class Term(Declared):
    """One part of a policy: it forbids meetings, gives them a cost, or raises what tickets accept."""

    name: ClassVar[str] = ""
    """Its name in policy files."""
    uses: ClassVar[frozenset[str]] = frozenset()
    """What it reads besides attributes: needs, latency, blocks; pools accept only what a term uses."""
    known: ClassVar[Registry[type[Term]]] = Registry("term", own="; one of your own is imported first")
    """All registered terms, by name."""

    def __init_subclass__(cls, *, built_in: bool = False, **options: Any) -> None:
        """Register a term under its name; `built_in` ones are podium's own."""
        super().__init_subclass__(**options)
        if not cls.name or not isinstance(cls.name, str):
            raise ParameterError(f"{cls.__name__} has no name", hint='name = "clanmates", say')
        Term.known.check_free(cls.name, cls, replace=True)
        if all(getattr(cls, name) is getattr(Term, name) for name in _SAYING):
            raise ParameterError(
                f"the term {cls.name!r} says nothing", hint=f"give it one of {', '.join(_SAYING)}"
            )
        if built_in:
            Term.known.build_in(cls.name, cls)
        else:
            Term.known.register(cls.name, cls, replace=True)
        cls._forget_what_was_said()

    @classmethod
    def _forget_what_was_said(cls) -> None:
        """What a term inherits about what it forbids does not count where it forbids something else."""
        order = cls.__mro__
        where = {name: next(c for c in order if name in vars(c)) for name in ("forbids", *_OF_FORBIDDING)}
        for name in _OF_FORBIDDING:
            inherited = order.index(where[name]) > order.index(where["forbids"])
            if inherited and issubclass(where[name], Term):
                setattr(cls, name, getattr(Term, name))

    @property
    def label(self) -> str:
        """Its name in errors; a policy has each label once."""
        return self.name

    @property
    def asks(self) -> tuple[str, ...]:
        """The attributes that every ticket must have."""
        return ()

    @property
    def patience(self) -> float:
        """Seconds after which a ticket accepts everything not forbidden, and is served first."""
        return math.inf

    @property
    def rematch_games(self) -> int:
        """The number of last games of each player whose opponents are remembered: see `Meetings.met`."""
        return 0

    @property
    def most_latency(self) -> float:
        """Milliseconds to the region of a match that nobody exceeds; where finite, every ticket says its own.

        A term that has it also ``uses`` latency, and forbids meetings that are farther apart; the pool holds
        whole lobbies to it.
        """
        return math.inf

    @property
    def least_cost(self) -> float:
        """What a meeting costs by this term at least: pools pass over matches that cannot be acceptable."""
        return 0.0 if type(self).cost is Term.cost else -math.inf

    def forbids(self, meetings: Meetings) -> Bools | None:
        """Which meetings are forbidden; None forbids nothing."""
        return None

    def kinds(self, tickets: Tickets) -> Longs | None:
        """A number for each ticket on which all this term forbids depends; None if it depends on more."""
        return None

    def ranges(self, tickets: Tickets) -> Sequence[Ranges] | None:
        """All this term forbids as ranges: two may meet if each is in all ranges of the other. None: more."""
        return None

    def apart(self, waiting: Waiting) -> PlayerLists | None:
        """All this term forbids as lists: two may meet if none is on a list of the other. None: more."""
        return None

    def parts(self, tickets: Tickets) -> Longs | None:
        """A number for each ticket; tickets with different numbers never meet. Stronger than groups."""
        return None

    def is_settled(self, waiting: Waiting) -> bool:
        """Whether a meeting it forbids stays forbidden while both tickets wait, so that it is asked once."""
        return type(self).forbids is Term.forbids

    def cost(self, meetings: Meetings) -> Floats | None:
        """The cost of each meeting, in units of probability; None costs nothing."""
        return None

    def allowance(self, tickets: Tickets) -> Floats | None:
        """How much more than the policy's tolerance each ticket accepts; None is nothing."""
        return None

    def groups(self, tickets: Tickets) -> Bools | None:
        """Tickets × groups: tickets that share no group never meet; None is one group."""
        return None


MOST_GAP_COST = 1e8
"""More than anybody accepts who is not overdue."""
MOST_GROUPS = 256
"""Groups that are told apart; what divides further is looked at meeting by meeting only."""


def both_groups(one: Bools | None, other: Bools, most: int = MOST_GROUPS) -> Bools | None:
    """Groups of tickets that share a group of both kinds; `one` alone if that makes more than `most`."""
    if one is None:
        return other if other.shape[1] <= most else None
    columns = one.shape[1] * other.shape[1]
    if columns > most:
        return one
    # A group's column in one piece: whoever asks for its members goes along it.
    joint: Bools = (one.T[:, None] & other.T[None]).reshape(columns, len(one))
    return joint[joint.any(axis=1)].T


def both_kinds(one: Longs, other: NDArray[Any]) -> Longs:
    """A number for each combination of both, from 0 on without gaps."""
    number = numbered(other)
    return numbered(one * (number.max(initial=0) + 1) + number)


@dataclass(frozen=True)
class WinProbabilityGap(Term, built_in=True):
    """Cost: how far win probabilities are from the wanted ones, the mean of |wanted − expected score|."""

    name: ClassVar[str] = "win-probability-gap"
    least_cost: ClassVar[float] = 0.0

    weight: float = parameter(1.0, "cost of a gap of 1; larger makes even matches more important", high=1e6)

    def cost(self, meetings: Meetings) -> Floats:
        """The loss of section 4.2 of Yuksel (2024)."""
        p = meetings.probability
        a, b = meetings.first.wanted, meetings.second.wanted
        return self.weight * mean_gap(p, a, b)


@dataclass(frozen=True)
class RatingGap(Term, built_in=True):
    """Forbids meetings of tickets whose ratings are too far apart, and costs the gap, in points."""

    name: ClassVar[str] = "rating-gap"
    least_cost: ClassVar[float] = 0.0

    most: float = parameter(
        400.0, "largest allowed gap of two ratings, in points; inf forbids nothing", high=math.inf
    )
    weight: float = parameter(0.0, "cost of a gap of 100 points", high=1e6)

    def is_settled(self, waiting: Waiting) -> bool:
        """Whether ratings came with the tickets: those of a ladder may change."""
        return isinstance(waiting.source, FromTickets)

    def forbids(self, meetings: Meetings) -> Bools | None:
        """Meetings of tickets that are farther apart than `most`."""
        return None if self.most == math.inf else self._are_far(meetings.first.mu, meetings.second.mu)

    def ranges(self, tickets: Tickets) -> list[Ranges]:
        """The ratings that are near enough to each ticket's."""
        return [] if self.most == math.inf else [Ranges(tickets.mu, *self._near(tickets.mu))]

    def cost(self, meetings: Meetings) -> Floats | None:
        """`weight` for each hundred points between two tickets, up to `MOST_GAP_COST`."""
        if self.weight == 0.0:
            return None
        gap = np.abs(meetings.first.mu - meetings.second.mu)
        cost: Floats = np.minimum(gap * (self.weight / 100.0), MOST_GAP_COST)
        return cost

    def parts(self, tickets: Tickets) -> Longs | None:
        """Tickets are apart where nobody stands between them and the gap is too large."""
        if self.most == math.inf or not len(tickets):
            return None
        order = np.argsort(tickets.mu, kind="stable")
        mu, number = tickets.mu[order], np.zeros(len(order), np.int64)
        number[order[1:]] = np.cumsum(self._are_far(mu[:-1], mu[1:]))
        return number

    def _near(self, mu: Floats) -> tuple[Floats, Floats]:
        return mu - self.most, mu + self.most

    def _are_far(self, first: Floats, second: Floats) -> Bools:
        """As `ranges` says it, to the last bit: whether one of two is out of the other's range."""
        (low, high), (other_low, other_high) = self._near(first), self._near(second)
        far: Bools = (second < low) | (second > high) | (first < other_low) | (first > other_high)
        return far


@dataclass(frozen=True)
class WaitingTime(Term, built_in=True):
    """Tickets accept more the longer they wait; overdue tickets are served first."""

    name: ClassVar[str] = "waiting-time"

    per_minute: float = parameter(0.1, "added to the tolerance per minute of waiting", high=1e6)
    patience: float = parameter(
        120.0, "seconds after which everything that is not forbidden is accepted", low=1e-9
    )

    def allowance(self, tickets: Tickets) -> Floats:
        """The extra cost a ticket accepts: `per_minute` for each minute it has waited."""
        widened: Floats = tickets.waited * (self.per_minute / 60.0)
        return widened


@dataclass(frozen=True)
class NoRematch(Term, built_in=True):
    """Forbids tickets whose players met in the last games of either."""

    name: ClassVar[str] = "no-rematch"

    games: int = parameter(1, "number of each player's last games that count", low=1, high=1000)

    @property
    def rematch_games(self) -> int:
        """The number of games it looks at."""
        return self.games

    def is_settled(self, waiting: Waiting) -> bool:
        """True: a waiting player plays no games meanwhile."""
        return True

    def forbids(self, meetings: Meetings) -> Bools:
        """Meetings of players who met in the last `games` games."""
        return meetings.met(self.games)

    def apart(self, waiting: Waiting) -> PlayerLists:
        """The opponents in the last games of everybody who waits."""
        last = waiting.memory.opponents.last(self.games)
        players = waiting.store.members(waiting.slots)[0]
        players = players[players < len(last)]
        row, game, place = np.nonzero(last[players] >= 0)
        met = last[players[row], game, place].astype(np.int64)
        return PlayerLists.of(len(waiting.store.names), players[row], met)


@dataclass(frozen=True)
class BlockList(Term, built_in=True):
    """Forbids meetings of players of whom one blocked the other: `Matchmaker.block`."""

    name: ClassVar[str] = "block-list"
    uses: ClassVar[frozenset[str]] = frozenset({"blocks"})

    def is_settled(self, waiting: Waiting) -> bool:
        """True: when a block is undone, the pool asks again about all tickets."""
        return True

    def forbids(self, meetings: Meetings) -> Bools | None:
        """Meetings of players of whom one blocked the other; None if there are no blocks."""
        return meetings.blocked() if meetings.waiting.memory.has_blocks else None

    def apart(self, waiting: Waiting) -> PlayerLists:
        """Those whom each player blocked, or was blocked by."""
        return waiting.memory.blocked(len(waiting.store.names))


@dataclass(frozen=True)
class Latency(Term, built_in=True):
    """Forbids meetings without a region near enough to both; the best such region hosts the match."""

    name: ClassVar[str] = "latency"
    least_cost: ClassVar[float] = 0.0
    uses: ClassVar[frozenset[str]] = frozenset({"latency"})

    most: float = parameter(100.0, "largest allowed latency, in milliseconds", low=1e-9)
    weight: float = parameter(0.0, "cost of a latency of `most`", high=1e6)

    @property
    def most_latency(self) -> float:
        """The largest allowed latency, in milliseconds."""
        return self.most

    def is_settled(self, waiting: Waiting) -> bool:
        """True: latencies do not change while a ticket waits."""
        return True

    def forbids(self, meetings: Meetings) -> Bools:
        """Meetings without a region near enough to both."""
        if len(meetings) > len(meetings.waiting):
            near = Latency.kinds(self, meetings.waiting.everybody)
            if near is not None:  # a bit a region says it faster
                apart: Bools = (near[meetings.first.rows] & near[meetings.second.rows]) == 0
                return apart
        far: Bools = meetings.latency > self.most
        return far

    def cost(self, meetings: Meetings) -> Floats | None:
        """A cost proportional to the latency of the farther ticket: `weight` at `most`."""
        if self.weight == 0.0:
            return None
        cost: Floats = (self.weight / self.most) * meetings.latency
        return cost

    def kinds(self, tickets: Tickets) -> Longs | None:
        """The set of regions near enough: two tickets may meet if they share one."""
        near = tickets.delays <= self.most
        if near.shape[1] > 62:
            return None
        numbers = np.zeros(len(near), np.int64)
        for region in range(near.shape[1]):
            numbers |= near[:, region].astype(np.int64) << region
        return numbers

    def groups(self, tickets: Tickets) -> Bools | None:
        """One group for each region: the tickets near enough to it."""
        near: Bools = np.ascontiguousarray(tickets.delays.T) <= self.most
        return near.T


@dataclass(frozen=True)
class Needs(Term, built_in=True):
    """Each ticket must meet what the other needs."""

    name: ClassVar[str] = "needs"
    uses: ClassVar[frozenset[str]] = frozenset({"needs"})

    def is_settled(self, waiting: Waiting) -> bool:
        """Whether no need is about a rating that may change: those of a ladder may, attributes do not."""
        fixed = isinstance(waiting.source, FromTickets)
        return fixed or not any(name in OF_RATINGS for name in waiting.store.attributes.needs)

    def forbids(self, meetings: Meetings) -> Bools | None:
        """Meetings in which a ticket does not meet what the other needs."""
        store = meetings.waiting.store
        unmet = None
        for name in store.attributes.needs:
            for some, other in ((meetings.first, meetings.second), (meetings.second, meetings.first)):
                missed = unmet_needs(some, other, name)
                unmet = missed if unmet is None else unmet | missed
        return unmet

    def ranges(self, tickets: Tickets) -> list[Ranges]:
        """What is said and needed of every attribute that anybody needs."""
        return [asked_ranges(tickets, name) for name in tickets.waiting.store.attributes.needs]

    def groups(self, tickets: Tickets) -> Bools | None:
        """Those who need no text, and for each kind of ticket that does, itself and whom it may meet."""
        found = None
        for name in tickets.waiting.store.attributes.needs:
            if (divided := choosing_groups(tickets, name)) is not None:
                found = both_groups(found, divided)
        return found


@dataclass(frozen=True)
class SameAttribute(Term, built_in=True):
    """Only tickets with the same value meet: a platform, a map, a size of board."""

    name: ClassVar[str] = "same-attribute"

    attribute: str = parameter("", "name of the attribute")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.attribute or self.attribute in RESERVED:
            raise ParameterError(
                f"same-attribute: {self.attribute!r} is no attribute", hint='SameAttribute("platform"), say'
            )

    @property
    def label(self) -> str:
        """Its name with the attribute: a policy may have several such terms."""
        return f"{self.name} {self.attribute}"

    @property
    def asks(self) -> tuple[str, ...]:
        """The attribute, which every ticket must have."""
        return (self.attribute,)

    def is_settled(self, waiting: Waiting) -> bool:
        """True: tickets do not change their attributes."""
        return True

    def forbids(self, meetings: Meetings) -> Bools:
        """Meetings of tickets with different values."""
        differ: Bools = meetings.first[self.attribute] != meetings.second[self.attribute]
        return differ

    def ranges(self, tickets: Tickets) -> list[Ranges]:
        """Each ticket's value, and nothing else."""
        said = tickets[self.attribute]
        return [Ranges(said, said, said)]

    def parts(self, tickets: Tickets) -> Longs:
        """The number of each ticket's value: different values never meet."""
        return numbered(tickets[self.attribute])

    def groups(self, tickets: Tickets) -> Bools | None:
        """One group for each value of the attribute."""
        group = self.parts(tickets)
        divided = np.zeros((group.max(initial=-1) + 1, len(tickets)), np.bool_)
        divided[group, np.arange(len(tickets))] = True
        return divided.T
