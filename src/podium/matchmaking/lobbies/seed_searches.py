"""Lobbies around some tickets, one after another: who has waited too long, and who was put back at the front.

Where few are overdue, or nothing is forbidden, each looks at those who stand near in the line. Where many
are, most of them are so because they may meet few, who stand anywhere; then each gets a list of the nearest
whom it may meet. Who finds nobody there is *stuck*, and need not be tried again before somebody comes whom it
may meet.
"""

from __future__ import annotations

import math

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.deciders.ticket_search import TicketSearch
from podium.matchmaking.lobbies.listed_lobbies import Listed, serve_listed
from podium.matchmaking.lobbies.lobby_making import LobbyMaking
from podium.matchmaking.lobbies.open_places import Fills, find_fills
from podium.matchmaking.lobbies.queues import OVERDUE, USUAL, Line, Lobbies, mean_costs_within, meetings_among
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.windows import Seeds, Written, read_lobbies, serve_around

MOST_SINGLES = 256
"""Singles among whom a far search looks, or four times the players of a match; of other sizes a quarter."""
FAR_LOOKS = 500_000
"""Candidates a far search looks at before it gives up: some milliseconds."""
NEAR_LOOKS = 5_000
"""The same of a search near a ticket, or in its list."""
FAR_SEARCHES = 8
"""Searches among everybody in one call, at least, beside that for the oldest ticket."""
FAR_MEETINGS = 1_000_000
"""Meetings that may be judged for more searches: in a pool of a hundred, enough for two hundred of them."""
SEEDS_AT_ONCE = 100
"""Tickets that are searched for near them before the time may be up."""
LISTED_ABOVE = 300
"""If more tickets than these are overdue, lists of whom each may meet are worth their time."""
LISTED, LISTED_AT_ONCE = 32, 128
"""Length of such a list, or four times the players of a match; number of lists that are made together."""
FEW_FAR = 4
"""Up to so many searches among everybody compare everybody: that is faster than to make a tree of tickets."""


class SeedSearches(LobbyMaking):
    """Makes lobbies around tickets."""

    def serve(self) -> Longs:
        """Lobbies around those who have waited too long, and then around those at the front.

        Returns who was searched for among everybody.
        """
        q = self.queue
        first = np.flatnonzero((q.turn < USUAL) & self.free)
        if len(first) == 0 or self.lacks_roles():
            return first[:0]
        wanted = first[np.lexsort((q.joined[first], q.turn[first]))]
        far = self.turns(wanted)
        many = np.count_nonzero(q.turn[wanted] == OVERDUE) > LISTED_ABOVE  # with those who rest
        trying = far | ~self.resting[wanted]
        wanted, far = wanted[trying], far[trying]
        late = int(np.count_nonzero(q.turn[wanted] == OVERDUE))
        search = self.search() if self.search is not None and many else None
        if search is None or not search.has_lists:
            return self.search_around(wanted, far)
        turns = self.serve_from_lists(search, wanted[:late], far[:late])
        self.search_around(wanted[late:], far[late:])
        return turns

    def serve_from_lists(self, search: TicketSearch, wanted: Longs, far: Bools) -> Longs:
        """Lobbies around these tickets, in order, from those whom each may meet; where `far`, then from all.

        Returns for whom it looked far.
        """
        q = self.queue
        groups = np.ones((1, len(q.size)), np.bool_) if q.groups is None else q.groups.T
        by_group, stuck = np.ascontiguousarray(groups), np.zeros(len(q.size), np.bool_)
        shape, out = self.shape(np.flatnonzero(self.free)), Written.room(len(q.size))
        looks, most = int(self.looks * NEAR_LOOKS), max(LISTED, 4 * self.mode.players)
        found: list[Ragged] = []
        turns: list[int] = []
        start = 0
        while start < len(wanted) and not self.is_stopped():
            asking = wanted[start : start + LISTED_AT_ONCE]
            everybody = np.zeros(len(asking), np.int64)  # also those who came first
            lists = search.nearest(asking, everybody, self.free, most, most * len(asking))
            here = slice(start, start + len(lists))
            listed = Listed(wanted[here], far[here], lists.offsets, lists.other, most)
            at = 0
            while at < len(lists) and not self.is_stopped():
                at, made, used = serve_listed(
                    listed, at, search.table, by_group, q.size, self.free, shape, looks, out, stuck
                )
                found.append(read_lobbies(out, made, used)[0])
                if at < len(lists):  # nobody in the list
                    seed = int(listed.ticket[at])
                    turns.append(seed)
                    lobby = self.search_far(seed, search)
                    found += lobby
                    stuck[seed] = not lobby
                    at += 1
            start += at
            if self.is_over is not None:
                self.settle(found)
                found = []
        self.settle(found)
        self.resting |= stuck & self.free
        return np.array(turns, np.int64)

    def search_around(self, wanted: Longs, far: Bools) -> Longs:
        """Lobbies around these tickets, in order, from those near them; where `far`, then from all.

        Returns for whom it looked far.
        """
        q = self.queue
        if len(wanted) == 0 or self.is_stopped():
            return wanted[:0]
        width = self.view - 1 + min(self.mode.players, 8)
        line = Line.of(self.order, self.standing_free, q.groups)
        line = line.part(line.near(wanted, width))
        standing, places = self.standing(line, width), line.places(len(q.size))
        seeds = Seeds(wanted, far, places.offsets, places.items)
        columns, shape, out = self.columns(self.free), self.shape(line.ticket), Written.room(len(q.size))
        looks, step = int(self.looks * NEAR_LOOKS), int(self.looks * SEEDS_AT_ONCE)
        many = np.count_nonzero(far) > FEW_FAR and np.count_nonzero(self.free) > LISTED_ABOVE
        search = self.search() if self.search is not None and many else None
        found: list[Ragged] = []
        at = 0
        while at < len(wanted) and not self.is_stopped():
            until = len(wanted) if self.is_over is None else min(at + step, len(wanted))
            at, made, used = serve_around(seeds, at, until, standing, columns, shape, looks, out)
            found.append(read_lobbies(out, made, used)[0])
            if at < until:  # nobody near
                found += self.search_far(int(wanted[at]), search)
                at += 1
        self.settle(found)
        return wanted[:at][far[:at]]

    def settle(self, found: list[Ragged]) -> None:
        """Let the judge say which of these lobbies are kept; the tickets of the others are free again."""
        tickets = Ragged.join(found)
        lobbies = Lobbies(tickets, mean_costs_within(self.meet, tickets))
        self.free[tickets.items] = True
        self.keep(lobbies, self.ask(lobbies))

    def turns(self, wanted: Longs) -> Bools:
        """Who is searched for among everybody: the oldest, and those whose last turn was longest ago."""
        q, far = self.queue, np.zeros(len(wanted), np.bool_)
        others = wanted[1:][q.turn[wanted[1:]] == OVERDUE]  # who is too late is in front
        last = np.zeros(len(others)) if q.last_turn is None else q.last_turn[others]
        many = far_searches(int(np.count_nonzero(self.free)))
        far[1 + np.argsort(last, kind="stable")[:many]] = True
        far[0] = q.turn[wanted[0]] == OVERDUE
        return far

    def search_far(self, seed: int, search: TicketSearch | None) -> list[Ragged]:
        """A lobby around a ticket, from everybody in one of its groups; nothing if there is none."""
        q, players = self.queue, self.mode.players
        if search is None:
            others = np.flatnonzero(self.free & (np.arange(len(self.free)) != seed))
            others = others[self.meet(np.full(len(others), seed), others) < math.inf]
        else:
            others = search.all_of(np.array([seed]), self.free)
        groups = np.flatnonzero(q.groups[seed]) if q.groups is not None else [None]
        for group in groups:
            some = others if group is None or q.groups is None else others[q.groups[others, group]]
            if q.size[seed] + q.size[some].sum() < players:
                continue
            near = nearest(q.strength[seed], q.strength, some)
            kind = self.seating.kinds(near, q.size[near])
            kept = keep_foremost(kind, players)
            near, kind = near[kept], kind[kept]
            if found := self.fill(seed, near, search) or self.fill(seed, near[kind == 1], search):
                return found
        return []

    def fill(self, seed: int, others: Longs, search: TicketSearch | None) -> list[Ragged]:
        """A lobby around a ticket from these others, if one is found."""
        tickets = np.concatenate([[seed], others])
        cost = meetings_among(self.meet, tickets) if search is None else search.forbid_among(tickets)
        size, fills = self.queue.size[tickets], Fills.room(1, self.mode.players)
        own, shape, looks = int(size[0]), self.shape(tickets), int(self.looks * FAR_LOOKS)
        if not find_fills(cost, size, tickets, tickets[:1], 1 | 1 << own, own, shape, looks, fills):
            return []
        chosen = tickets[np.concatenate([[0], fills.members[0, : fills.lengths[0]]])]
        self.free[chosen] = False
        return [Ragged(np.array([0, len(chosen)]), chosen)]


def far_searches(tickets: int) -> int:
    """How many overdue tickets may be searched for among all tickets in one call."""
    return max(FAR_SEARCHES, FAR_MEETINGS // (tickets + min(tickets, MOST_SINGLES) ** 2 // 2 + 1))


def nearest(strength: float, strengths: Floats, tickets: Longs) -> Longs:
    """Tickets, the nearest to a strength first."""
    return tickets[np.argsort(np.abs(strengths[tickets] - strength), kind="stable")]


def keep_foremost(kind: Longs, players: int) -> Bools:
    """The foremost singles who play any role, and fewer of each other kind; see `Seating.kinds`.

    They are enough for a match, and few enough to search.
    """
    most = max(MOST_SINGLES, 4 * players)
    number = np.empty(len(kind), np.int64)  # of each ticket among those of its kind
    for one in np.unique(kind):
        alike = kind == one
        number[alike] = np.arange(alike.sum())
    kept: Bools = number < np.where(kind == 1, most, most // 4)
    return kept
