"""Tickets that wait for a lobby, and the lobbies that are made of them.

Free tickets in a line by strength, of which lobbies are made: people who stand close together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.lobbies.ragged_lists import Ragged


class Line(NamedTuple):
    """Free tickets ordered by strength, group after group; a ticket in two groups appears twice."""

    ticket: Longs
    bounds: Longs
    """The first place of each group, and the end of the last."""
    start: Longs
    """For each place, the first place of its group."""
    end: Longs

    @classmethod
    def of(cls, order: Longs, free: Bools, groups: Bools | None) -> Line:
        """The line of the free tickets; the smallest group comes first and so has the first choice."""
        standing = order[free[order]]
        if groups is None:
            ticket, sizes = standing, np.array([len(standing)])
        else:
            inside = groups[standing].T
            sizes = inside.sum(axis=1)
            small = np.argsort(sizes, kind="stable")
            ticket, sizes = standing[np.nonzero(inside[small])[1]], sizes[small]
        return cls.cut(ticket, sizes)

    @classmethod
    def cut(cls, ticket: Longs, sizes: Longs) -> Line:
        """A line whose groups have these sizes."""
        bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(ticket, bounds, np.repeat(bounds[:-1], sizes), np.repeat(bounds[1:], sizes))

    def part(self, these: Bools) -> Line:
        """Some places; where others are left out between them, groups are cut apart."""
        kept = np.flatnonzero(these)
        if len(kept) == 0:
            return Line.cut(kept, np.zeros(0, np.int64))
        heads = np.flatnonzero((np.diff(kept, prepend=-2) > 1) | (self.start[kept] == kept))
        return Line.cut(self.ticket[kept], np.diff(heads, append=len(kept)))

    def places(self, tickets: int) -> Ragged:
        """The places of the line at which each ticket stands."""
        count = np.bincount(self.ticket, minlength=tickets)
        offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        return Ragged(offsets, np.argsort(self.ticket, kind="stable"))

    def beside(self, free: Bools) -> Bools:
        """Places next to somebody of the same group who is not free any more."""
        gone = ~free[self.ticket]
        beside = np.zeros(len(gone), np.bool_)
        place = np.arange(len(gone))
        beside[:-1] = gone[1:] & (place[1:] < self.end[:-1])
        beside[1:] |= gone[:-1] & (place[:-1] >= self.start[1:])
        return beside

    def near(self, tickets: Longs, width: int) -> Bools:
        """Which places are no farther than `width` from one of these tickets."""
        at = np.flatnonzero(np.isin(self.ticket, tickets))
        edge = np.zeros(len(self.ticket) + 1, np.int64)
        np.add.at(edge, np.maximum(at - width, self.start[at]), 1)
        np.add.at(edge, np.minimum(at + width + 1, self.end[at]), -1)
        return np.cumsum(edge)[:-1] > 0


Meet = Callable[[Longs, Longs], Floats]
"""The cost of meetings of tickets, infinite where two may not meet."""

OVERDUE, FRONT, USUAL = 0, 1, 2
"""In which order tickets are served."""


class Queue(NamedTuple):
    """The waiting tickets, by column."""

    strength: Floats
    size: Longs
    joined: Floats
    """When each ticket joined; earlier ones are served earlier."""
    tolerance: Floats
    """The cost that each ticket accepts now; infinite if it is overdue."""
    turn: NDArray[np.int8]
    """`OVERDUE`, `FRONT` or `USUAL`."""
    groups: Bools | None = None
    """Tickets × groups; all tickets of a lobby share a group. None: all tickets are one group."""
    rank: Longs | None = None
    """The order among tickets of equal strength, lowest first; None: the order given."""
    last_turn: Longs | None = None
    """When each ticket was last searched for among all tickets; the lowest comes first."""
    roles: Ragged | None = None
    """The roles that each member of each ticket would play, as bits; None: any."""
    free: Bools | None = None
    """Who may be in a lobby; None: everybody."""
    resting: Bools | None = None
    """Overdue tickets that found nobody before, and nobody has come since whom they may meet; None: nobody.

    They are searched for when it is their turn only."""


class Lobbies(NamedTuple):
    """Sets of tickets that can be in one match together."""

    tickets: Ragged
    cost: Floats
    """The mean cost over all pairs of tickets of each lobby."""

    def take(self, which: Longs) -> Lobbies:
        """The lobbies with these numbers, in this order."""
        return Lobbies(self.tickets.take(which), self.cost[which])

    @classmethod
    def join(cls, parts: Sequence[Lobbies]) -> Lobbies:
        """The lobbies of all parts, one part after another."""
        return cls(
            Ragged.join([part.tickets for part in parts]),
            np.concatenate([np.zeros(0), *(part.cost for part in parts)]),
        )


Judge = Callable[[Lobbies], Longs]
"""A number for each lobby by which the judge knows it again, or `REFUSED`."""
REFUSED = -1


def accept_all(lobbies: Lobbies) -> Longs:
    """A judge that accepts every lobby."""
    return np.zeros(len(lobbies.cost), np.int64)


class Formed(NamedTuple):
    """Lobbies that the judge accepted."""

    tickets: Ragged
    cost: Floats
    number: Longs
    """The judge's number for each lobby."""
    turns: Longs
    """The tickets that were searched for among all tickets."""
    stuck: Longs
    """Overdue tickets that found nobody; as long as nobody comes whom they may meet, they can rest."""
    left: Longs
    """Tickets that the time was not enough for."""


def meetings_among(meet: Meet, tickets: Longs) -> Floats:
    """The cost of everyone meeting everyone, as a symmetric matrix."""
    first, second = np.triu_indices(len(tickets), 1)
    cost = np.zeros((len(tickets), len(tickets)))
    cost[first, second] = meet(tickets[first], tickets[second])
    cost[second, first] = cost[first, second]
    return cost


def mean_costs_within(meet: Meet, lobbies: Ragged) -> Floats:
    """The mean cost over all pairs of tickets of each lobby."""
    mean = np.empty(len(lobbies))
    for size in np.unique(lobbies.sizes).tolist():
        alike = np.flatnonzero(lobbies.sizes == size)
        tickets = lobbies.take(alike).items.reshape(len(alike), size)
        first, second = np.triu_indices(size, 1)
        cost = meet(tickets[:, first].ravel(), tickets[:, second].ravel())
        mean[alike] = cost.reshape(len(alike), len(first)).mean(axis=1)
    return mean
