"""Free tickets in a line by strength, of which lobbies are made: people who stand close together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Longs
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
