"""The terms of a policy that podium has: what each of them forbids, and what it costs.

`term_contract` says what a term is, and how to write one of your own.

What tickets need of each other's attributes: who misses it, and how the tickets divide by it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.errors import ParameterError
from podium.matchmaking.policies.meetings import Meetings, Ranges, Tickets, Waiting
from podium.matchmaking.policies.targets import mean_gap
from podium.matchmaking.policies.term_contract import Term, both_groups
from podium.matchmaking.pool.growing_tables import NO_ROWS, numbered
from podium.matchmaking.pool.player_lists import PlayerLists
from podium.matchmaking.pool.rating_sources import FromTickets
from podium.matchmaking.pool.ticket_columns import OF_RATINGS, RESERVED, Attributes
from podium.parameters import parameter

MOST_KINDS = 16
"""Kinds of tickets that need a text of an attribute, for which there are groups."""


def choosing_groups(tickets: Tickets, name: str) -> Bools | None:
    """Groups by the texts of an attribute that some tickets need."""
    attributes, said = tickets.waiting.store.attributes, tickets[name]
    choice = attributes.choice[name][tickets.slots]
    picky = choice >= 0
    asked, code = choice[picky], said[picky]
    kind = asked << 32 | np.where(np.isnan(code), 0, code + 1).astype(np.int64)
    kinds = np.unique(kind)
    if not 0 < len(kinds) <= MOST_KINDS:
        return None
    groups = np.empty((1 + len(kinds), len(choice)), np.bool_)
    groups[0] = ~picky
    text = numbered(said)
    example = np.empty(text.max() + 1)
    example[text] = said
    for number, one in enumerate(kinds.tolist(), 1):
        own = (one & 0xFFFFFFFF) - 1 if one & 0xFFFFFFFF else np.nan
        suits = attributes.picks(np.full(len(example), one >> 32), example)[text]
        suits[picky] &= attributes.picks(asked, np.full(len(asked), own))
        suits[picky] |= kind == one
        groups[number] = suits
    return groups.T


def asked_ranges(tickets: Tickets, name: str) -> Ranges:
    """What tickets say and need of an attribute; a choice of texts is the range of those anybody says."""
    attributes, slots, said = tickets.waiting.store.attributes, tickets.slots, tickets[name]
    low, high, choice = (table[name][slots] for table in (attributes.low, attributes.high, attributes.choice))
    if not np.any(choice >= 0):
        return Ranges(said, low, high)
    number, code = attributes.picked >> 32, attributes.picked & 0xFFFFFFFF
    codes = said[~np.isnan(said)].astype(np.int64)
    there = np.zeros(1 + max(int(code.max()), int(codes.max(initial=0))), np.bool_)
    there[codes] = True
    kept = attributes.picked[there[code]]
    first = np.searchsorted(kept >> 32, np.arange(int(number.max()) + 2))
    begin, end = first[choice], first[choice + 1]
    texts, some = choice >= 0, (choice >= 0) & (begin < end)
    low[texts], high[texts] = np.inf, -np.inf
    low[some], high[some] = kept[begin[some]] & 0xFFFFFFFF, kept[end[some] - 1] & 0xFFFFFFFF
    return Ranges(said, low, high, np.where(end - begin > 1, choice, -1), kept)


def unmet_needs(tickets: Tickets, others: Tickets, name: str) -> Bools:
    """Where tickets need something of others that these do not have."""
    attributes = tickets.waiting.store.attributes
    value, slots = tickets.waiting.column(name), tickets.slots
    choice, low = attributes.choice[name], attributes.low[name]
    missed = np.zeros(len(tickets), np.bool_)
    if len(asked := np.flatnonzero(choice[slots] >= 0)):  # few of them, mostly
        missed[asked] = ~attributes.picks(choice[slots[asked]], value[others.rows[asked]])
    if attributes.has_ranges(name) and len(asked := np.flatnonzero(~np.isnan(low[slots]))):
        had, slots = value[others.rows[asked]], slots[asked]
        missed[asked] |= ~((had >= low[slots]) & (had <= attributes.high[name][slots]))
    return missed


def described_needs(attributes: Attributes, slots: Longs) -> list[str | None]:
    """What each ticket needs, as a text such as "input: pad or touch; mu: 1400 to 1600"; None for nothing."""
    described: list[str | None] = [None] * len(slots)
    for name in attributes.needs:
        choice, low, high = (
            table[name][slots] for table in (attributes.choice, attributes.low, attributes.high)
        )
        rows = np.flatnonzero((choice >= 0) | ~np.isnan(low))
        needed = zip(*(column[rows].tolist() for column in (choice, low, high)), strict=True)
        texts = {
            number: f"{name}: {' or '.join(attributes.chosen(name, number))}"
            for number in np.unique(choice[choice >= 0]).tolist()
        }
        for row, (number, start, end) in zip(rows.tolist(), needed, strict=True):
            said = texts[number] if number >= 0 else f"{name}: {start:g} to {end:g}"
            described[row] = said if described[row] is None else f"{described[row]}; {said}"
    return described


WIDEN_AFTER = "seconds of waiting after which a ticket's limit widens, step by step"
WIDEN_TO = "the limit from each of these moments on. Two tickets meet within the limits of both"


def check_steps(name: str, most: float, after: tuple[float, ...], to: tuple[float, ...]) -> None:
    """Refuse steps of a limit that are not one limit for each time, or do not grow."""
    if len(after) != len(to):
        raise ParameterError(
            f"{name}: widen_after has {len(after)} times, and widen_to {len(to)} limits",
            hint="a limit for each time: widen_after = [30, 60] and widen_to = [500, 800], say",
        )
    for what, numbers in (("widen_after", (0.0, *after)), ("widen_to", (most, *to))):
        if any(one >= other for one, other in pairwise(numbers)):
            raise ParameterError(f"{name}: {what} must grow, not {list(numbers[1:])}")


def stepped_limits(most: float, after: tuple[float, ...], to: tuple[float, ...], waited: Floats) -> Floats:
    """The limit of tickets that have waited so long: it widens in steps."""
    steps: Floats = np.array([most, *to])[np.searchsorted(np.array(after), waited, side="right")]
    return steps


MOST_GAP_COST = 1e8
"""More than anybody accepts who is not overdue."""


@dataclass(frozen=True)
class WinProbabilityGap(Term, built_in=True):
    """Cost: how far win probabilities are from the wanted ones, the mean of |wanted − expected score|."""

    name: ClassVar[str] = "win-probability-gap"
    least_cost: ClassVar[float] = 0.0

    weight: float = parameter(
        1.0, "cost of a gap of 1. A larger value makes even matches more important", high=1e6
    )

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
        400.0, "largest allowed gap between two ratings, in points. inf forbids nothing", high=math.inf
    )
    weight: float = parameter(0.0, "cost of a gap of 100 points", high=1e6)
    widen_after: tuple[float, ...] = parameter((), WIDEN_AFTER)
    widen_to: tuple[float, ...] = parameter((), WIDEN_TO, high=math.inf)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_steps(self.name, self.most, self.widen_after, self.widen_to)

    def is_settled(self, waiting: Waiting) -> bool:
        """Whether ratings came with the tickets: those of a ladder may change, and limits may widen."""
        return isinstance(waiting.source, FromTickets) and not self.widen_after

    def forbids(self, meetings: Meetings) -> Bools | None:
        """Meetings of tickets that are farther apart than either of them allows."""
        if self.most == math.inf:
            return None
        one, other = meetings.first, meetings.second
        return _are_far(one.mu, other.mu, self._limits(one.waited), self._limits(other.waited))

    def ranges(self, tickets: Tickets) -> list[Ranges]:
        """The ratings that are near enough to each ticket's."""
        if self.most == math.inf:
            return []
        limit = self._limits(tickets.waited)
        return [Ranges(tickets.mu, tickets.mu - limit, tickets.mu + limit)]

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
        widest = float(self._limits(tickets.waited).max())
        number[order[1:]] = np.cumsum(_are_far(mu[:-1], mu[1:], widest, widest))
        return number

    def _limits(self, waited: Floats) -> Floats:
        return stepped_limits(self.most, self.widen_after, self.widen_to, waited)


def _are_far(first: Floats, second: Floats, limit: Floats | float, other_limit: Floats | float) -> Bools:
    """As `RatingGap.ranges` says it, to the last bit: whether one of two is out of the other's range."""
    low, high, other_low, other_high = (
        first - limit,
        first + limit,
        second - other_limit,
        second + other_limit,
    )
    far: Bools = (second < low) | (second > high) | (first < other_low) | (first > other_high)
    return far


@dataclass(frozen=True)
class WaitingTime(Term, built_in=True):
    """Tickets accept more the longer they wait; overdue tickets are served first."""

    name: ClassVar[str] = "waiting-time"

    per_minute: float = parameter(0.1, "added to the tolerance per minute of waiting", high=1e6)
    patience: float = parameter(
        120.0, "seconds after which a ticket accepts any match that is not forbidden", low=1e-9
    )

    def allowance(self, tickets: Tickets) -> Floats:
        """The extra cost a ticket accepts: `per_minute` for each minute it has waited."""
        widened: Floats = tickets.waited * (self.per_minute / 60.0)
        return widened


@dataclass(frozen=True)
class NoRematch(Term, built_in=True):
    """Forbids tickets whose players met in the last games of either, or gives such a meeting a cost."""

    name: ClassVar[str] = "no-rematch"
    least_cost: ClassVar[float] = 0.0

    games: int = parameter(1, "number of each player's last games that count", low=1, high=1000)
    weight: float = parameter(
        math.inf, "cost of meeting again. inf forbids it, however few players wait", high=math.inf
    )

    @property
    def rematch_games(self) -> int:
        """The number of games it looks at."""
        return self.games

    def is_settled(self, waiting: Waiting) -> bool:
        """True: a waiting player plays no games meanwhile."""
        return True

    def forbids(self, meetings: Meetings) -> Bools | None:
        """Meetings of players who met in the last `games` games, if they have no cost."""
        return meetings.met(self.games) if self.weight == math.inf else None

    def cost(self, meetings: Meetings) -> Floats | None:
        """`weight` for a meeting of players who met in the last `games` games."""
        if self.weight == math.inf:
            return None
        cost: Floats = np.where(meetings.met(self.games), min(self.weight, MOST_GAP_COST), 0.0)
        return cost

    def apart(self, waiting: Waiting) -> PlayerLists:
        """The opponents in the last games of everybody who waits, if they may not meet."""
        if self.weight < math.inf:
            return PlayerLists.of(len(waiting.store.names), NO_ROWS, NO_ROWS)
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
    widen_after: tuple[float, ...] = parameter((), WIDEN_AFTER)
    widen_to: tuple[float, ...] = parameter((), WIDEN_TO, high=math.inf)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_steps(self.name, self.most, self.widen_after, self.widen_to)

    @property
    def most_latency(self) -> float:
        """The largest latency that is ever allowed, in milliseconds."""
        return max((self.most, *self.widen_to))

    def latency_limits(self, waited: Floats) -> Floats | None:
        """The latency that each ticket allows now; None if that does not depend on its waiting time."""
        return (
            stepped_limits(self.most, self.widen_after, self.widen_to, waited) if self.widen_after else None
        )

    def is_settled(self, waiting: Waiting) -> bool:
        """Whether limits never widen: latencies do not change while a ticket waits."""
        return not self.widen_after

    def forbids(self, meetings: Meetings) -> Bools:
        """Meetings without a region near enough to both."""
        if len(meetings) > len(meetings.waiting):
            near = Latency.kinds(self, meetings.waiting.everybody)
            if near is not None:  # a bit a region says it faster
                apart: Bools = (near[meetings.first.rows] & near[meetings.second.rows]) == 0
                return apart
        far: Bools = meetings.latency > self.most_latency
        return far

    def cost(self, meetings: Meetings) -> Floats | None:
        """A cost proportional to the latency of the farther ticket: `weight` at `most`."""
        if self.weight == 0.0:
            return None
        cost: Floats = (self.weight / self.most) * meetings.latency
        return cost

    def kinds(self, tickets: Tickets) -> Longs | None:
        """The set of regions near enough: two tickets may meet if they share one."""
        near = tickets.delays <= self.most_latency
        if near.shape[1] > 62:
            return None
        numbers = np.zeros(len(near), np.int64)
        for region in range(near.shape[1]):
            numbers |= near[:, region].astype(np.int64) << region
        return numbers

    def groups(self, tickets: Tickets) -> Bools | None:
        """One group for each region: the tickets near enough to it."""
        near: Bools = np.ascontiguousarray(tickets.delays.T) <= self.most_latency
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
                f"same-attribute: {self.attribute!r} is not an attribute",
                hint='SameAttribute("platform"), say',
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


@dataclass(frozen=True)
class PremadeGap(Term, built_in=True):
    """Costs the difference between the largest parties of the sides: friends against single players."""

    name: ClassVar[str] = "premade-gap"
    least_cost: ClassVar[float] = 0.0

    weight: float = parameter(
        0.05,
        "cost of each player by which the largest party of a side is larger than another side's",
        high=1e6,
    )

    @property
    def premade_weight(self) -> float:
        """The cost of a difference of one player."""
        return self.weight

    def cost(self, meetings: Meetings) -> None:
        """Nothing for a pair of tickets: what counts is who is on which side."""
        return
