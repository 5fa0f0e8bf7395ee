"""Who is in one match together: lobbies of any size, from singles and parties.

Everybody is put in a line by strength, and lobbies are made of people who stand close together. Three kinds
of tickets are served one after the other:

1. who has waited too long, the oldest first: whoever is nearest and allowed comes with them, near or far.
   Where many have, they are searched for in lists of whom they may meet, and who finds nobody rests;
2. who was put back at the front, the oldest first, if the lobby around them is good enough;
3. everybody else: of all windows along the line, those are taken that serve as many as possible with the
   least cost, by dynamic programming; who is left over closes ranks and tries again. Who plays which role
   can lead a window into a dead end, so where there are roles those left are then searched for as in 2, the
   `LEFT_SEARCHES` oldest.

A lobby may be good enough by its pairs and still be refused once it is divided into teams: `judge` says so.
If it was made around somebody at the front, those in it stand in line with the others. If it was a window,
windows are chosen anew without it, until none is refused or it was tried `rounds_of` times. As each time
refuses a window that is not tried again, a line of up to three hundred places is tried completely.

**What is promised.** Everything here is about the tickets of the queue: those who are left when running
matches have been filled up, which come first. All pairs of tickets in a lobby are allowed and share a group,
sizes fill the sides with parties together, and no ticket is in two lobbies. A ticket that has waited too
long, and whose turn it is to be searched for among everybody, is served if at least (m − 1)(d + 1) + 1 free
singles wait whom it may meet in one of its groups, where m places are open beside it and each of those
singles may not meet at most d of the others (with nothing forbidden: m singles). For choosing one rules out
that one and at most d others, so no choice leads into a dead end. This holds up to `MOST_SINGLES` such
singles. With fewer, finding people who all may meet each other is the clique problem, which has no fast
answer: the search tries all sets, the nearest first, until it has looked at `FAR_LOOKS` candidates. What it
finds is legal, but it may give up; a pool of a dozen tickets it searches completely. Where there are roles,
the singles that count are those who play any of them.

The oldest ticket is searched for among everybody in every tick, if it found nobody near. Of the others who
have waited too long, `far_searches` are, eight at least: those whose turn was longest ago, where it counts
as a turn to be here for the first time. So if q of them are here at a ticket's last turn, its next is within
⌈q / 8⌉ ticks, whoever comes and goes: each tick takes eight of those before it, and newcomers are behind it.
In a pool of a few hundred it is everybody's turn at every tick.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from podium.arrays import Bools, Longs
from podium.matchmaking.deciders.ticket_search import TicketSearch
from podium.matchmaking.lobbies.lobby_making import ROLES_VIEW
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.queues import REFUSED, Formed, Judge, Line, Lobbies, Meet, Queue, accept_all
from podium.matchmaking.lobbies.seed_searches import SeedSearches
from podium.matchmaking.lobbies.windows import (
    WRITE_CHOSEN,
    Standing,
    Tiling,
    Written,
    read_lobbies,
    tile_windows,
)

LEFT_SEARCHES = 200
"""Searches for those whom windows left, where there are roles."""
LEAST_ROUNDS = 8
"""How often windows are chosen in a line, at least, if some were refused."""
PLACES_FOR_MORE_ROUNDS = 100_000
"""Places of the line that may be gone through for more rounds."""
PLACES_AT_ONCE = 2_000
"""Places of a line at which windows begin before the time may be up; fewer where seats are looked for."""
VIEW_SLACK = (0, 8, 24, 24, 24, 24, 24, 24)
"""By how much the view of each round is wider than a match of singles."""


def form_lobbies(
    queue: Queue,
    meet: Meet,
    mode: Mode,
    judge: Judge = accept_all,
    *,
    search: Callable[[], TicketSearch] | None = None,
    is_over: Callable[[], bool] | None = None,
) -> Formed:
    """Form lobbies of the waiting tickets; those left over keep waiting.

    `judge` has the last word on each lobby; its cost by then is no more than somebody in it accepts. `search`
    makes or gives the search that knows whom each ticket may meet. `is_over` says whether the time is up.

    >>> from podium.matchmaking.lobbies.modes import Mode
    >>> from podium.matchmaking.lobbies.queues import USUAL
    >>> strength = np.array([1510.0, 1900.0, 1500.0, 1490.0, 1880.0, 1520.0])
    >>> ones = np.ones(6, np.int64)
    >>> queue = Queue(strength, ones, np.arange(6.0), np.full(6, 0.1), np.full(6, USUAL, np.int8))
    >>> def meet(first, second):
    ...     return np.abs(strength[first] - strength[second]) / 800
    >>> lobbies = form_lobbies(queue, meet, Mode.parse("2v2"))
    >>> [sorted(one) for one in lobbies.tickets.lists()]
    [[0, 2, 3, 5]]
    """
    return _Forming(queue, meet, mode, judge, search, is_over).run()


class _Forming(SeedSearches):
    """One call of `form_lobbies`."""

    def run(self) -> Formed:
        turns = self.serve()
        self.tile()
        if self.mode.roles and not self.lacks_roles():
            left = np.flatnonzero(self.standing_free)
            oldest = left[np.argsort(self.queue.joined[left], kind="stable")][:LEFT_SEARCHES]
            self.search_around(oldest, np.zeros(len(oldest), np.bool_))
        made = Lobbies.join(self.made)
        numbers = np.concatenate([np.zeros(0, np.int64), *self.numbers])
        stuck, left = np.flatnonzero(self.free & self.resting), np.flatnonzero(self.standing_free)
        return Formed(made.tickets, made.cost, numbers, turns, stuck, left if self.stopped else left[:0])

    def tile(self) -> None:
        """Windows along the line; who is left closes ranks, and where that made a difference tries again.

        So does, with a wider view, whoever is in no window that could be filled.
        """
        q, players = self.queue, self.mode.players
        if self.lacks_roles():
            return
        changed = np.flatnonzero(self.free)
        views = VIEW_SLACK[: len(VIEW_SLACK) // ROLES_VIEW + 1] if self.mode.roles else VIEW_SLACK
        for number, slack in enumerate(views):
            line, width = Line.of(self.order, self.standing_free, q.groups), self.view - 1 + slack
            if number:
                line = line.part(line.near(changed, width))
            if q.size[line.ticket].sum() < players or self.is_stopped():
                return
            standing, alone = self.standing(line, width), np.zeros(len(line.ticket), np.bool_)
            if self.stopped:
                return
            self.choose(standing, alone)
            if self.stopped or (len(self.made[-1].cost) == 0 and slack == VIEW_SLACK[-1]):
                return
            again = np.union1d(
                line.ticket[line.beside(self.free)], np.intersect1d(line.ticket[alone], changed)
            )
            changed = again[self.free[again]]

    def choose(self, standing: Standing, alone: Bools) -> None:
        """Keep the best windows of a line; without those that are refused, others may be the best.

        A place where a refused one began begins no other: it could be another one only where groups overlap.
        """
        shape, stride = self.shape(standing.ticket), max(1, self.mode.players // 16)
        places = len(standing.ticket) + 1 if self.is_over is None else int(self.looks * PLACES_AT_ONCE)
        out, begins = Written.room(len(self.free)), np.empty(len(self.free), np.int64)
        refused = np.zeros(len(standing.ticket), np.bool_)
        before, numbers = Lobbies.join([]), np.zeros(0, np.int64)
        for _ in range(rounds_of(len(standing.ticket)) // (ROLES_VIEW if self.mode.roles else 1)):
            columns = self.columns(self.free.copy())
            tiling = Tiling.of(standing)
            go_on = partial(
                tile_windows, standing, columns, shape, stride, refused, out, begins, alone, tiling
            )
            while not go_on(places):
                if self.is_stopped():
                    go_on(WRITE_CHOSEN)
                    break
            made, used = tiling.at[2:].tolist()
            found = Lobbies(*read_lobbies(out, made, used))
            numbers = self.judge_new(found, before, numbers)
            no = numbers == REFUSED
            if self.stopped or not no.any():
                break
            refused[begins[:made][no]] = True
            before = found
        self.keep(found, numbers)

    def judge_new(self, found: Lobbies, before: Lobbies, numbers: Longs) -> Longs:
        """What the judge says of lobbies; of those that were there before it is known."""
        said = np.full(len(found.cost), REFUSED)
        here, there = found.tickets.same_as(before.tickets)
        said[here] = numbers[there]
        new = np.ones(len(said), np.bool_)
        new[here] = False
        which = np.flatnonzero(new)
        said[which] = self.ask(found.take(which))
        return said


def rounds_of(places: int) -> int:
    """The largest number of rounds in which windows are chosen, for a line of `places` places."""
    return max(LEAST_ROUNDS, PLACES_FOR_MORE_ROUNDS // max(places, 1))
