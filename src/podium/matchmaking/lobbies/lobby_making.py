"""The state of one call that forms lobbies: who is still free, the lobbies so far, and whether to go on.

Time is looked at between steps that are each done in a few milliseconds, so that a tick with a budget ends in
time. What was formed until then is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from podium.arrays import Bools, Longs
from podium.matchmaking.deciders.ticket_search import TicketSearch
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.open_places import Shape, fillable_rooms
from podium.matchmaking.lobbies.queues import REFUSED, Judge, Line, Lobbies, Meet, Queue
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.seating import NO_SEATING, Seating
from podium.matchmaking.lobbies.windows import LobbyTickets, Standing

MEETINGS_AT_ONCE, LOBBIES_AT_ONCE = 20_000, 32
"""Meetings whose costs are looked up, and lobbies that are judged, before the time may be up."""
ROLES_VIEW = 4
"""How many times as wide the view is where there are roles: who plays a rare one may stand far away.

So many times fewer are the rounds."""
SEATED_LOOKS = 0.1
"""The part of looks where seats are looked for, which takes ten times as long."""


class LobbyMaking:
    """Who is still free, and the lobbies so far."""

    def __init__(
        self,
        queue: Queue,
        meet: Meet,
        mode: Mode,
        judge: Judge,
        search: Callable[[], TicketSearch] | None,
        is_over: Callable[[], bool] | None,
    ) -> None:
        self.queue, self.meet, self.mode, self.judge = queue, meet, mode, judge
        self.search, self.is_over, self.stopped = search, is_over, False
        count = len(queue.size)
        self.free = np.ones(count, np.bool_) if queue.free is None else queue.free.copy()
        self.resting = np.zeros(count, np.bool_) if queue.resting is None else queue.resting.copy()
        """Who stands in no line: who rested before, and who has just found nobody in a list of its own."""
        self.seating = seat_tickets(mode, queue)
        self.looks = SEATED_LOOKS if mode.is_seated else 1.0
        self.view = mode.players * (ROLES_VIEW if mode.roles else 1)
        rank = np.arange(count) if queue.rank is None else queue.rank
        self.order = np.lexsort((rank, queue.strength))
        self.made: list[Lobbies] = []
        self.numbers: list[Longs] = []

    @property
    def standing_free(self) -> Bools:
        """The tickets that stand in lines."""
        return self.free & ~self.resting

    def is_stopped(self) -> bool:
        """Whether the time is up, though there is something left to do."""
        self.stopped = self.stopped or (self.is_over is not None and self.is_over())
        return self.stopped

    def ask(self, lobbies: Lobbies) -> Longs:
        """What the judge says of lobbies; when the time is up, the younger ones are refused unseen."""
        if self.is_over is None or not len(lobbies.cost):
            return self.judge(lobbies)
        oldest = np.minimum.reduceat(self.queue.joined[lobbies.tickets.items], lobbies.tickets.offsets[:-1])
        order, said = np.argsort(oldest, kind="stable"), np.full(len(lobbies.cost), REFUSED)
        for start in range(0, len(order), LOBBIES_AT_ONCE):
            if start and self.is_stopped():
                break
            some = order[start : start + LOBBIES_AT_ONCE]
            said[some] = self.judge(lobbies.take(some))
        return said

    def keep(self, lobbies: Lobbies, numbers: Longs) -> None:
        """These are lobbies now, unless they are refused."""
        kept = np.flatnonzero(numbers != REFUSED)
        lobbies = lobbies.take(kept)
        self.free[lobbies.tickets.items] = False
        self.made.append(lobbies)
        self.numbers.append(numbers[kept])

    def shape(self, tickets: Longs) -> Shape:
        """What a match takes, and what these tickets can fill."""
        rooms = fillable_rooms(np.unique(self.queue.size[tickets]).tolist(), self.mode.size)
        team = 1 if self.mode.is_seated else self.mode.size
        return Shape(self.mode.players, team, rooms, self.seating._replace(fillable=rooms))

    def columns(self, free: Bools) -> LobbyTickets:
        """The tickets, of whom these are free."""
        return LobbyTickets(self.queue.strength, self.queue.size, self.queue.tolerance, free)

    def lacks_roles(self) -> bool:
        """Whether too few of the free tickets play some roles, so that there is no match."""
        if not self.mode.roles:
            return False
        asks = self.seating.asks[self.free]
        willing = asks[:, -1].sum() - asks[:, ::-1].sum(axis=0)  # without those who play only others
        return bool(np.any(willing < self.seating.room.sum(axis=0)))

    def standing(self, line: Line, width: int) -> Standing:
        """A line, with the costs of meetings up to so far apart; infinite beyond the end of a group.

        When the time is up, those of the others are infinite too.
        """
        places = len(line.ticket)
        cost = np.full((places, width), math.inf)
        step = max(1, MEETINGS_AT_ONCE // max(places, 1))
        for low in range(1, width + 1, step):
            if self.is_stopped():
                break
            distance = np.arange(low, min(low + step, width + 1))
            first = np.broadcast_to(np.arange(places), (len(distance), places))
            second = first + distance[:, None]
            met = second < line.end
            one, other = first[met], second[met]
            cost[one, other - one - 1] = self.meet(line.ticket[one], line.ticket[other])
        return Standing(line.ticket, line.bounds, line.start, line.end, cost)


def seat_tickets(mode: Mode, queue: Queue) -> Seating:
    """What the sides of a mode take, and what the tickets of a queue bring."""
    if not mode.is_seated:
        return NO_SEATING
    ends = np.concatenate([[0], np.cumsum(queue.size)]).astype(np.int64)
    anything = Ragged(ends, np.full(ends[-1], mode.any_role))
    return Seating.of(mode, anything if queue.roles is None else queue.roles, np.full(len(queue.size), -1))
