"""What a policy looks at: those who wait, and pairs of them who might meet."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.pool.player_lists import are_listed
from podium.matchmaking.pool.player_memory import PlayerMemory, are_rematches, best_regions
from podium.matchmaking.pool.rating_sources import Learned, RatingSource
from podium.matchmaking.pool.ticket_columns import RESERVED
from podium.matchmaking.pool.tickets import TicketStore
from podium.systems import RatingSystem, State
from podium.systems.contract.opponent_ratings import solve_opponent

DEVIATION_KNOTS = 33
"""Deviations at which wanted ratings are solved for, where there are many; in between, on straight lines."""
CHANCES_INTERPOLATED_UP_TO = 64
"""Different chances for which that pays."""
EXACT_CHANCES_UP_TO = 64
"""Tickets in pools that need no table of chances: `RatingSystem.near_win_probability`."""


def wanted_ratings(system: RatingSystem, wanted: Floats, mu: Floats, sigma: Floats | None) -> Floats:
    """Approximate ratings of opponents that give these win probabilities, to find candidates near them.

    Recent games leave few different chances, so where a system has no formula the gap to the opponent is
    found for each of them at some deviations, and interpolated. It is taken to be the same at all ratings.
    """
    if sigma is None or system.closed_gap(wanted[:1], sigma[:1], sigma[:1]) is not None:
        return system.opponent_rating(wanted, mu, sigma)
    chances, which = np.unique(wanted, return_inverse=True)
    if len(chances) * DEVIATION_KNOTS > len(wanted) or len(chances) > CHANCES_INTERPOLATED_UP_TO:
        return system.opponent_rating(wanted, mu, sigma)
    low, high = float(sigma.min()), float(sigma.max())
    middle = float(np.median(mu))
    deviation = np.tile(np.linspace(low, high, DEVIATION_KNOTS), len(chances))
    own = np.full(len(deviation), middle)

    def chance(rating: Floats, some: Bools) -> Floats:
        return system.near_win_probability(own[some], deviation[some], rating, deviation[some])

    gap = solve_opponent(chance, own, np.repeat(chances[:, None], DEVIATION_KNOTS, axis=1)) - middle
    place = (sigma - low) * ((DEVIATION_KNOTS - 1) / (high - low) if high > low else 0.0)
    knot = np.minimum(place.astype(np.int64), DEVIATION_KNOTS - 2)
    here, there = gap[which, knot], gap[which, knot + 1]
    rating: Floats = mu + here + (place - knot) * (there - here)
    return rating


class Waiting:
    """All tickets that wait at one moment, in order of joining, with their ratings then."""

    def __init__(
        self,
        store: TicketStore,
        memory: PlayerMemory,
        source: RatingSource,
        slots: Longs,
        mu: Floats,
        sigma: Floats | None,
        wanted: Floats,
        waited: Floats,
        at: int,
        tick: int,
    ) -> None:
        self.store, self.memory, self.source, self.system = store, memory, source, source.system
        self.slots, self.mu, self.sigma, self.wanted, self.waited = slots, mu, sigma, wanted, waited
        self.latency_limits: Callable[[Floats], Floats | None] | None = None
        """The latency that tickets allow after waiting so long; None if the policy has one limit."""
        self._columns: dict[str, Floats] = {}
        self.refusals: dict[str, int] = {}
        """Meetings that a term forbade, by its label, of those that a policy was asked about."""
        self.groups: dict[str, Bools | None] = {}
        """Groups of the terms that forbid nothing else, by their labels, when they were asked for."""
        self.at, self.tick = at, tick
        """The moment for which ratings are looked up, and the number of the tick."""
        self.is_small = len(slots) <= EXACT_CHANCES_UP_TO
        """Whether chances need no table."""

    def __len__(self) -> int:
        return len(self.slots)

    def later(self, rows: Longs, seconds: Floats) -> Waiting:
        """The tickets of these rows, each so many seconds later, rated as now; a row may be there twice."""
        sigma = None if self.sigma is None else self.sigma[rows]
        later = Waiting(
            self.store,
            self.memory,
            self.source,
            self.slots[rows],
            self.mu[rows],
            sigma,
            self.wanted[rows],
            self.waited[rows] + seconds,
            self.at,
            self.tick,
        )
        later.is_small, later.latency_limits = self.is_small, self.latency_limits
        learned = self.learned
        later.learned = None if learned is None else learned._replace(lacking=learned.lacking[rows])
        return later

    @cached_property
    def first(self) -> Longs:
        """The number of each ticket's first player."""
        column: Longs = self.store.table["first"][self.slots]
        return column

    @cached_property
    def size(self) -> Longs:
        """The number of players of each ticket."""
        column: Longs = self.store.table["size"][self.slots]
        return column

    @cached_property
    def front(self) -> Bools:
        """Whether each ticket is at the front, as its match was cancelled."""
        column: Bools = self.store.table["front"][self.slots]
        return column

    @cached_property
    def request(self) -> Longs:
        """The number of each ticket's running match that asks for players; −1 for none."""
        column: Longs = self.store.table["request"][self.slots]
        return column

    @cached_property
    def side(self) -> Longs:
        """The side of each ticket that is in a running match."""
        column: Longs = self.store.table["side"][self.slots]
        return column

    def seats(self, players: Longs) -> tuple[State, Longs]:
        """A state that contains these players, and their rows in it, for predicting teams."""
        return self.source.seats(self.store, players)

    @cached_property
    def delays(self) -> Floats:
        """Latency in milliseconds: a row for each ticket, a column for each region it allows."""
        delays = self.store.delays.of(self.slots)
        limits = None if self.latency_limits is None else self.latency_limits(self.waited)
        return delays if limits is None else np.where(delays <= limits[:, None], delays, np.nan)

    @cached_property
    def everybody(self) -> Tickets:
        """All tickets, as terms see them."""
        return Tickets(self, np.arange(len(self)))

    @cached_property
    def wanted_rating(self) -> Floats:
        """The rating of the opponent each ticket wants: its own if even chances are wanted."""
        rating = self.mu.copy()
        uneven = np.flatnonzero(self.wanted != 0.5)
        if len(uneven):
            sigma = None if self.sigma is None else self.sigma[uneven]
            wanted = self.wanted[uneven]
            if self.learned is not None:  # of an opponent with the same experience
                wanted = self.learned.calibration.undone(wanted)
            rating[uneven] = wanted_ratings(self.system, wanted, self.mu[uneven], sigma)
        return rating

    @cached_property
    def learned(self) -> Learned | None:
        """What corrects win probabilities; None if the system is not calibrated or there is no ladder."""
        return self.source.learned(self.store, self.slots)

    def column(self, name: str) -> Floats:
        """An attribute or a common column of each ticket; NaN if it says nothing."""
        if name not in self._columns:
            said = self.store.attributes.said
            column = (
                getattr(self, name) if name in RESERVED else said[name][self.slots] if name in said else None
            )
            self._columns[name] = np.full(len(self), np.nan) if column is None else column
        return self._columns[name]

    def meet(self, first: Longs, second: Longs) -> Meetings:
        """The meetings of these tickets, pair by pair, given as rows."""
        return Meetings(self, Tickets(self, first), Tickets(self, second))


class Ranges(NamedTuple):
    """A column of tickets, and the range in which each of them wants it to be for the other."""

    said: Floats
    """NaN where a ticket does not say it; that is in no range."""
    low: Floats
    """NaN where a ticket wants nothing."""
    high: Floats
    choice: Longs | None = None
    """Where a ticket wants some of the numbers in its range only: the number of its choice; −1 for all."""
    picked: Longs | None = None
    """The numbers of each choice as choice × 2³² + number, sorted."""


class Tickets:
    """Columns of tickets, as terms see them: `mu`, `sigma`, `wanted`, `waited`, `size`, attributes by name.

    Attributes are numbers; a text is the number of that text. What a ticket does not say is NaN, which equals
    nothing. `says` compares with a text.
    """

    def __init__(self, waiting: Waiting, rows: Longs) -> None:
        self.waiting, self.rows = waiting, rows

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def mu(self) -> Floats:
        """The rating of each ticket."""
        return self.waiting.mu[self.rows]

    @cached_property
    def sigma(self) -> Floats | None:
        """The deviation of each ticket's rating; None if the system has none."""
        return None if self.waiting.sigma is None else self.waiting.sigma[self.rows]

    @cached_property
    def wanted(self) -> Floats:
        """The win probability that each ticket wants."""
        return self.waiting.wanted[self.rows]

    @cached_property
    def waited(self) -> Floats:
        """Seconds since each ticket joined."""
        return self.waiting.waited[self.rows]

    @cached_property
    def size(self) -> Longs:
        """The number of players of each ticket."""
        return self.waiting.size[self.rows]

    @cached_property
    def first(self) -> Longs:
        """The number of each ticket's first player."""
        return self.waiting.first[self.rows]

    @cached_property
    def slots(self) -> Longs:
        """The position of each ticket in the store."""
        return self.waiting.slots[self.rows]

    @cached_property
    def delays(self) -> Floats:
        """Latency in milliseconds, one row for each ticket and one column for each region; NaN if unknown."""
        return self.waiting.delays[self.rows]

    def __getitem__(self, name: str) -> Floats:
        """An attribute by name: a number, or the code of a text; NaN if a ticket does not say it."""
        return self.waiting.column(name)[self.rows]

    def says(self, name: str, text: str) -> Bools:
        """Whether each ticket's text attribute is this text."""
        texts = self.waiting.store.attributes.texts.get(name)
        code = None if texts is None else texts.find(text)
        if code is None:
            return np.zeros(len(self), np.bool_)
        said: Bools = self[name] == code
        return said

    def take(self, some: Longs | Bools | slice) -> Tickets:
        """Some of the tickets, by number, by mask or as a piece."""
        return Tickets(self.waiting, self.rows[some])


class Meetings:
    """Pairs of tickets that might meet: `first` against `second`, row for row."""

    def __init__(self, waiting: Waiting, first: Tickets, second: Tickets) -> None:
        self.waiting, self.first, self.second = waiting, first, second

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def probability(self) -> Floats:
        """The expected score of the first ticket against the second, by the rating system."""
        a, b, system = self.first, self.second, self.waiting.system
        chance = system.win_probability if self.waiting.is_small else system.near_win_probability
        won = chance(a.mu, a.sigma, b.mu, b.sigma)
        if (learned := self.waiting.learned) is None:
            return won
        return learned.calibration.applied(won, lack=learned.lacking[a.rows] - learned.lacking[b.rows])

    @property
    def region(self) -> Longs:
        """The number of the region in which the farther of the two is nearest; −1 where they share none."""
        return self._places[0]

    @property
    def latency(self) -> Floats:
        """Latency in milliseconds of the farther ticket to that region; infinite if they share none."""
        return self._places[1]

    @cached_property
    def _places(self) -> tuple[Longs, Floats]:
        best, worst = np.empty(len(self), np.int64), np.empty(len(self))
        best_regions(self.first.rows, self.second.rows, self.waiting.delays, best, worst)
        return best, worst

    def met(self, games: int) -> Bools:
        """Whether a player of one met a player of the other in the last `games` games of either.

        Pools remember as many games as a term of their policy says with `Term.rematch_games`.
        """
        last = self.waiting.memory.opponents.last(games)
        return are_rematches(self.first.first, self.second.first, self.waiting.store.people["next"], last)

    def blocked(self) -> Bools:
        """Whether a player of one blocked a player of the other, or was blocked by one."""
        store = self.waiting.store
        blocked = self.waiting.memory.blocked(len(store.names))
        return are_listed(self.first.first, self.second.first, store.people["next"], *blocked)

    def take(self, some: Longs | Bools | slice) -> Meetings:
        """Some of the meetings, by number, by mask or as a piece."""
        return Meetings(self.waiting, self.first.take(some), self.second.take(some))
