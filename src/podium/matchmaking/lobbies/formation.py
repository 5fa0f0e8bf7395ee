"""Who is in one match together: lobbies of any size, from singles and parties.

Everybody is put in a line by strength, and lobbies are made of people who stand close together. Three kinds
of tickets are served one after the other:

1. who has waited too long, the oldest first: whoever is nearest and allowed comes with them, near or far;
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

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.lobbies.lines import Line
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.open_places import Fills, Shape, fillable_rooms, find_fills
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.seating import NO_SEATING, Seating
from podium.matchmaking.lobbies.windows import (
    LobbyTickets,
    Seeds,
    Standing,
    Written,
    serve_around,
    tile_windows,
)

Meet = Callable[[Longs, Longs], Floats]
"""The cost of meetings of tickets, infinite where two may not meet."""

OVERDUE, FRONT, USUAL = 0, 1, 2
"""In which order tickets are served."""

MOST_SINGLES = 256
"""Singles among whom a far search looks, or four times the players of a match; of other sizes a quarter."""
FAR_LOOKS = 500_000
"""Candidates a far search looks at before it gives up: some milliseconds."""
NEAR_LOOKS = 5_000
"""The same of a search near a ticket."""
SEATED_LOOKS = 0.1
"""The part of these looks where seats are looked for, which takes ten times as long."""
FAR_SEARCHES = 8
"""Searches among everybody in one call, at least, beside that for the oldest ticket."""
FAR_MEETINGS = 1_000_000
"""Meetings that may be judged for more searches: in a pool of a hundred, enough for two hundred of them."""
LEFT_SEARCHES = 200
"""Searches for those whom windows left, where there are roles."""
LEAST_ROUNDS = 8
"""How often windows are chosen in a line, at least, if some were refused."""
PLACES_FOR_MORE_ROUNDS = 100_000
"""Places of the line that may be gone through for more rounds."""
MEETINGS_AT_ONCE = 200_000
"""Meetings that are judged together, so that memory stays bounded."""
VIEW_SLACK = (0, 8, 24, 24, 24, 24, 24, 24)
"""By how much the view of each round is wider than a match of singles."""
ROLES_VIEW = 4
"""How many times as wide the view is where there are roles: who plays a rare one may stand far away.

So many times fewer are the rounds."""


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


class Lobbies(NamedTuple):
    """Sets of tickets that can be in one match together."""

    tickets: Ragged
    cost: Floats
    """The mean cost over all pairs of tickets of each lobby."""

    def take(self, which: Longs) -> Lobbies:
        """The lobbies with these numbers, in this order."""
        return Lobbies(self.tickets.take(which), self.cost[which])


Judge = Callable[[Lobbies], Longs]
"""A number for each lobby by which the judge knows it again, or `REFUSED`."""
REFUSED = -1


class Formed(NamedTuple):
    """Lobbies that the judge accepted."""

    tickets: Ragged
    cost: Floats
    number: Longs
    """The judge's number for each lobby."""
    turns: Longs
    """The tickets that were searched for among all tickets."""


def accept_all(lobbies: Lobbies) -> Longs:
    """A judge that accepts every lobby."""
    return np.zeros(len(lobbies.cost), np.int64)


def form_lobbies(queue: Queue, meet: Meet, mode: Mode, judge: Judge = accept_all) -> Formed:
    """Form lobbies of the waiting tickets; those left over keep waiting.

    `judge` has the last word on each lobby; its cost by then is no more than somebody in it accepts.

    >>> from podium.matchmaking.lobbies.modes import Mode
    >>> strength = np.array([1510.0, 1900.0, 1500.0, 1490.0, 1880.0, 1520.0])
    >>> ones = np.ones(6, np.int64)
    >>> queue = Queue(strength, ones, np.arange(6.0), np.full(6, 0.1), np.full(6, USUAL, np.int8))
    >>> def meet(first, second):
    ...     return np.abs(strength[first] - strength[second]) / 800
    >>> lobbies = form_lobbies(queue, meet, Mode.parse("2v2"))
    >>> [sorted(one) for one in lobbies.tickets.lists()]
    [[0, 2, 3, 5]]
    """
    return _Forming(queue, meet, mode, judge).run()


class _Forming:
    """One call of `form_lobbies`: who is still free, and the lobbies so far."""

    def __init__(self, queue: Queue, meet: Meet, mode: Mode, judge: Judge) -> None:
        self.queue, self.meet, self.mode, self.judge = queue, meet, mode, judge
        self.free = np.ones(len(queue.size), np.bool_)
        self.seating = seat_tickets(mode, queue)
        self.looks = SEATED_LOOKS if mode.is_seated else 1.0
        self.view = mode.players * (ROLES_VIEW if mode.roles else 1)
        rank = np.arange(len(queue.size)) if queue.rank is None else queue.rank
        self.order = np.lexsort((rank, queue.strength))
        self.made: list[Lobbies] = []
        self.numbers: list[Longs] = []

    def run(self) -> Formed:
        turns = self.serve()
        self.tile()
        if self.mode.roles:
            left = np.flatnonzero(self.free)
            oldest = left[np.argsort(self.queue.joined[left], kind="stable")][:LEFT_SEARCHES]
            self.search_around(oldest, np.zeros(len(oldest), np.bool_))
        made = join_lobbies(self.made)
        numbers = np.concatenate([np.zeros(0, np.int64), *self.numbers])
        return Formed(made.tickets, made.cost, numbers, turns)

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

    # ------------------------------------------------------------------ those who are served first

    def serve(self) -> Longs:
        """Lobbies around those who have waited too long, and then around those at the front.

        Returns whose turn it was to be searched for among everybody.
        """
        q = self.queue
        first = np.flatnonzero(q.turn < USUAL)
        if len(first) == 0:
            return first
        wanted = first[np.lexsort((q.joined[first], q.turn[first]))]
        far = self.turns(wanted)
        self.search_around(wanted, far)
        return wanted[far]

    def search_around(self, wanted: Longs, far: Bools) -> None:
        """Lobbies around these tickets, in order, from those near them; where `far`, then from all."""
        q = self.queue
        if self.lacks_roles():
            return
        width = self.view - 1 + min(self.mode.players, 8)
        line = Line.of(self.order, self.free, q.groups)
        line = line.part(line.near(wanted, width))
        standing, places = self.standing(line, width), line.places(len(q.size))
        seeds = Seeds(wanted, far, places.offsets, places.items)
        columns, shape, out = self.columns(self.free), self.shape(line.ticket), Written.room(len(q.size))
        looks = int(self.looks * NEAR_LOOKS)
        found: list[Lobbies] = []
        at = 0
        while at < len(wanted):
            at, made, used = serve_around(seeds, at, standing, columns, shape, looks, out)
            found.append(read_lobbies(out, made, used))
            if at < len(wanted):  # nobody near
                found += self.search(int(wanted[at]))
                at += 1
        lobbies = join_lobbies(found)
        self.free[lobbies.tickets.items] = True
        self.keep(lobbies, self.judge(lobbies))

    def turns(self, wanted: Longs) -> Bools:
        """Who is searched for among everybody: the oldest, and those whose last turn was longest ago."""
        q, far = self.queue, np.zeros(len(wanted), np.bool_)
        others = wanted[1:][q.turn[wanted[1:]] == OVERDUE]  # who is too late is in front
        last = np.zeros(len(others)) if q.last_turn is None else q.last_turn[others]
        far[1 + np.argsort(last, kind="stable")[: far_searches(len(q.size))]] = True
        far[0] = q.turn[wanted[0]] == OVERDUE
        return far

    def search(self, seed: int) -> list[Lobbies]:
        """A lobby around a ticket, from everybody in one of its groups; nothing if there is none."""
        q, players = self.queue, self.mode.players
        groups = np.flatnonzero(q.groups[seed]) if q.groups is not None else [None]
        for group in groups:
            others = self.free if group is None or q.groups is None else self.free & q.groups[:, group]
            others = others & (np.arange(len(others)) != seed)
            near = nearest(q.strength[seed], q.strength, np.flatnonzero(others))
            if q.size[seed] + q.size[near].sum() < players:
                continue
            near = near[self.meet(np.full(len(near), seed), near) < math.inf]
            kind = self.seating.kinds(near, q.size[near])
            kept = keep_foremost(kind, players)
            near, kind = near[kept], kind[kept]
            if found := self.fill(seed, near) or self.fill(seed, near[kind == 1]):
                return found
        return []

    def fill(self, seed: int, others: Longs) -> list[Lobbies]:
        """A lobby around a ticket from these others, if one is found."""
        tickets = np.concatenate([[seed], others])
        size, cost = self.queue.size[tickets], meetings_among(self.meet, tickets)
        own, fills = int(size[0]), Fills.room(1, self.mode.players)
        shape, looks = self.shape(tickets), int(self.looks * FAR_LOOKS)
        if not find_fills(cost, size, tickets, tickets[:1], 1 | 1 << own, own, shape, looks, fills):
            return []
        chosen = np.concatenate([[0], fills.members[0, : fills.lengths[0]]])
        mean = cost[np.ix_(chosen, chosen)][np.triu_indices(len(chosen), 1)].mean()
        self.free[tickets[chosen]] = False
        return [Lobbies(Ragged(np.array([0, len(chosen)]), tickets[chosen]), np.array([mean]))]

    # ------------------------------------------------------------------ everybody else

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
            line, width = Line.of(self.order, self.free, q.groups), self.view - 1 + slack
            if number:
                line = line.part(line.near(changed, width))
            if q.size[line.ticket].sum() < players:
                return
            alone = np.empty(len(line.ticket), np.bool_)
            self.choose(self.standing(line, width), alone)
            if len(self.made[-1].cost) == 0 and slack == VIEW_SLACK[-1]:
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
        out, begins = Written.room(len(self.free)), np.empty(len(self.free), np.int64)
        refused = np.zeros(len(standing.ticket), np.bool_)
        before, numbers = join_lobbies([]), np.zeros(0, np.int64)
        for _ in range(rounds_of(len(standing.ticket)) // (ROLES_VIEW if self.mode.roles else 1)):
            columns = self.columns(self.free.copy())
            made, used = tile_windows(standing, columns, shape, stride, refused, out, begins, alone)
            found = read_lobbies(out, made, used)
            numbers = self.judge_new(found, before, numbers)
            no = numbers == REFUSED
            if not no.any():
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
        said[which] = self.judge(found.take(which))
        return said

    def standing(self, line: Line, width: int) -> Standing:
        """A line, with the costs of meetings up to so far apart; infinite beyond the end of a group."""
        places = len(line.ticket)
        cost = np.full((places, width), math.inf)
        step = max(1, MEETINGS_AT_ONCE // max(places, 1))
        for low in range(1, width + 1, step):
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


def far_searches(tickets: int) -> int:
    """How many overdue tickets may be searched for among all tickets in one call."""
    return max(FAR_SEARCHES, FAR_MEETINGS // (tickets + min(tickets, MOST_SINGLES) ** 2 // 2 + 1))


def rounds_of(places: int) -> int:
    """The largest number of rounds in which windows are chosen, for a line of `places` places."""
    return max(LEAST_ROUNDS, PLACES_FOR_MORE_ROUNDS // max(places, 1))


def read_lobbies(out: Written, made: int, used: int) -> Lobbies:
    """The lobbies that a kernel has written, as lists with their costs."""
    offsets = np.concatenate([[0], np.cumsum(out.sizes[:made])]).astype(np.int64)
    return Lobbies(Ragged(offsets, out.members[:used].copy()), out.costs[:made].copy())


def join_lobbies(parts: list[Lobbies]) -> Lobbies:
    """The lobbies of all parts, one part after another."""
    return Lobbies(
        Ragged.join([part.tickets for part in parts]),
        np.concatenate([np.zeros(0), *(part.cost for part in parts)]),
    )


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


def meetings_among(meet: Meet, tickets: Longs) -> Floats:
    """The cost of everyone meeting everyone, as a symmetric matrix."""
    first, second = np.triu_indices(len(tickets), 1)
    cost = np.zeros((len(tickets), len(tickets)))
    cost[first, second] = meet(tickets[first], tickets[second])
    cost[second, first] = cost[first, second]
    return cost
