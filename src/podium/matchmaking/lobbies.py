"""Who is in one match together: lobbies of any size, from singles and parties.

Everybody is put in a line by strength, and lobbies are made of people who stand close together. Three kinds of
tickets are served one after the other:

1. who has waited too long, the oldest first: whoever is nearest and allowed comes with them, near or far;
2. who was put back at the front, the oldest first, if the lobby around them is good enough;
3. everybody else: of all windows along the line, those are taken that serve as many as possible with the
   least cost, by dynamic programming; who is left over closes ranks and tries again.

**What is promised.** All pairs of tickets in a lobby are allowed and share a group, sizes fill both teams
with parties together, and no ticket is in two lobbies. A ticket that has waited too long is served in its
turn if at least (m − 1)(d + 1) + 1 free singles wait whom it may meet in one of its groups, where m places are
open beside it and each of those singles may not meet at most d of the others (with nothing forbidden: m
singles). For a choice rules out itself and at most d others, so no choice leads into a dead end. This holds up
to `MOST_SINGLES` such singles. With fewer, finding people who all may meet each other is the clique problem,
which has no fast answer: the search tries all sets, the nearest first, until it has looked at `LOOKS`
candidates, and what it finds is legal, but it may give up. The oldest ticket is always searched for among
everybody; of the others who found nobody near, `FAR_SEARCHES` are in each tick, and everyone in turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.history.core import Bools, Floats, Longs
from podium.matchmaking.filling import admit, fillable_rooms, find_fills
from podium.matchmaking.modes import Mode
from podium.matchmaking.ragged import Ragged
from podium.numerics.jit import kernel

Meet = Callable[[Longs, Longs], Floats]
"""The cost of meetings of tickets, infinite where two may not meet."""

OVERDUE, FRONT, USUAL = 0, 1, 2
"""In which order tickets are served."""

MOST_SINGLES = 256
"""Singles among whom a far search looks, or four times the players of a match; of other sizes a quarter."""
LOOKS = 500_000
"""Candidates a far search looks at before it gives up: some milliseconds."""
NEAR_LOOKS = 5_000
FAR_SEARCHES = 8
PAIRS_AT_ONCE = 200_000
"""Meetings that are judged together, so that memory stays bounded."""
ROUNDS = 8


class Waiting(NamedTuple):
    """The tickets that wait, by column."""

    strength: Floats
    size: Longs
    joined: Floats
    """When; who joined earlier is served earlier."""
    tolerance: Floats
    """The cost each accepts by now; without limit for who has waited too long."""
    turn: NDArray[np.int8]
    """`OVERDUE`, `FRONT` or `USUAL`."""
    groups: Bools | None = None
    """Tickets × groups; a lobby is of one group. None is one group of all."""


class Lobbies(NamedTuple):
    """Tickets that will be in a match together."""

    tickets: Ragged
    cost: Floats
    """The mean over all pairs of tickets of each lobby."""


def form_lobbies(waiting: Waiting, meet: Meet, mode: Mode, *, tick: int = 0) -> Lobbies:
    """Lobbies of those who wait; who is in none goes on waiting.

    `tick` is any number that goes up with each call: it decides whose turn it is to be searched for among
    everybody.

    >>> from podium.matchmaking.modes import Mode
    >>> strength = np.array([1510.0, 1900.0, 1500.0, 1490.0, 1880.0, 1520.0])
    >>> ones = np.ones(6, np.int64)
    >>> waiting = Waiting(strength, ones, np.arange(6.0), np.full(6, 0.1), np.full(6, USUAL, np.int8))
    >>> def meet(first, second):
    ...     return np.abs(strength[first] - strength[second]) / 800
    >>> lobbies = form_lobbies(waiting, meet, Mode.parse("2v2"))
    >>> [sorted(one) for one in lobbies.tickets.lists()]
    [[0, 2, 3, 5]]
    """
    return _Forming(waiting, meet, mode).run(tick)


class _Forming:
    """One call of `form_lobbies`: who is still free, and the lobbies so far."""

    def __init__(self, waiting: Waiting, meet: Meet, mode: Mode) -> None:
        self.waiting, self.meet, self.mode = waiting, meet, mode
        self.free = np.ones(len(waiting.size), np.bool_)
        self.order = np.argsort(waiting.strength, kind="stable")
        self.members: list[Longs] = []
        self.sizes: list[Longs] = []
        self.costs: list[Floats] = []

    def run(self, tick: int) -> Lobbies:
        self.serve(tick)
        self.tile()
        sizes = np.concatenate([np.zeros(1, np.int64), *self.sizes])
        items = np.concatenate([np.zeros(0, np.int64), *self.members])
        return Lobbies(Ragged(np.cumsum(sizes), items), np.concatenate([np.zeros(0), *self.costs]))

    def keep(self, members: Longs, sizes: Longs, costs: Floats) -> None:
        """These are lobbies now."""
        self.free[members] = False
        self.members.append(members)
        self.sizes.append(sizes)
        self.costs.append(costs)

    def rooms(self, tickets: Longs) -> int:
        """The rooms that these tickets can fill, as bits; see `fillable_rooms`."""
        return fillable_rooms(np.unique(self.waiting.size[tickets]).tolist(), self.mode.size)

    # ------------------------------------------------------------------ those who are served first

    def serve(self, tick: int) -> None:
        """Lobbies around those who have waited too long, and then around those at the front."""
        w = self.waiting
        first = np.flatnonzero(w.turn < USUAL)
        if len(first) == 0:
            return
        seeds = first[np.lexsort((w.joined[first], w.turn[first]))]
        overdue = int((w.turn[seeds] == OVERDUE).sum())
        line = Line.of(self.order, self.free, w.groups)
        width = self.mode.players - 1 + min(self.mode.players, 8)
        cost = self.band(line, width, line.near(seeds, width))
        places = line.places(len(w.size))
        fillable = self.rooms(line.ticket)
        number = np.arange(len(seeds))
        far = (number - tick * FAR_SEARCHES) % max(overdue, 1) < FAR_SEARCHES
        far[0] = True
        far[overdue:] = False
        room = len(w.size)
        members, sizes, costs = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
        at = 0
        while at < len(seeds):
            at, made, used = _serve(
                seeds, at, far, places.offsets, places.items, line.ticket, line.start, line.end,
                cost, w.strength, w.size, w.tolerance, self.free, self.mode.players, self.mode.size, fillable,
                members, sizes, costs,
            )  # fmt: skip
            self.keep(members[:used].copy(), sizes[:made].copy(), costs[:made].copy())
            if at < len(seeds):  # nobody near
                self.search(int(seeds[at]))
                at += 1

    def search(self, seed: int) -> None:
        """A lobby around a ticket, from everybody who waits in one of its groups."""
        w, players = self.waiting, self.mode.players
        groups = np.flatnonzero(w.groups[seed]) if w.groups is not None else [None]
        for group in groups:
            others = self.free if group is None or w.groups is None else self.free & w.groups[:, group]
            near = nearest(w.strength[seed], w.strength, np.flatnonzero(others), seed)
            if w.size[seed] + w.size[near].sum() < players:
                continue
            near = near[self.meet(np.full(len(near), seed), near) < math.inf]
            near = keep_foremost(near, w.size[near], players)
            candidates = np.concatenate([[seed], near])
            cost = meetings_among(self.meet, candidates)
            found, lengths = np.empty((1, players), np.int64), np.empty(1, np.int64)
            sums, total = 1 | 1 << int(w.size[seed]), int(w.size[seed])
            fillable = self.rooms(candidates)
            if find_fills(
                cost,
                w.size[candidates],
                sums,
                total,
                players,
                self.mode.size,
                fillable,
                LOOKS,
                found,
                lengths,
            ):
                chosen = np.concatenate([[0], found[0, : lengths[0]]])
                inside = cost[np.ix_(chosen, chosen)]
                mean = inside[np.triu_indices(len(chosen), 1)].mean()
                self.keep(candidates[chosen], np.array([len(chosen)]), np.array([mean]))
                return

    # ------------------------------------------------------------------ everybody else

    def tile(self) -> None:
        """Windows along the line; who is left closes ranks and tries again, with a wider view."""
        w, players = self.waiting, self.mode.players
        for number in range(ROUNDS):
            line = Line.of(self.order, self.free, w.groups)
            if w.size[line.ticket].sum() < players:
                return
            width = players - 1 + (0, 8, 24)[min(number, 2)]
            cost = self.band(line, width)
            room = len(w.size)
            members, sizes = np.empty(room, np.int64), np.empty(room, np.int64)
            costs = np.empty(room)
            made, used, blocked = _tile(
                line.ticket, line.bounds, cost, w.size, w.tolerance, self.free, players, self.mode.size,
                self.rooms(line.ticket), max(1, players // 16), members, sizes, costs,
            )  # fmt: skip
            self.keep(members[:used], sizes[:made], costs[:made])
            if made == 0 and (not blocked or number >= 2):
                return

    def band(self, line: Line, width: int, among: Bools | None = None) -> Floats:
        """The cost of each place meeting the next ones along the line: places × distance − 1.

        Infinite beyond the end of a group, and where `among` leaves a place out.
        """
        places = len(line.ticket)
        cost = np.full((places, width), math.inf)
        step = max(1, PAIRS_AT_ONCE // max(places, 1))
        for low in range(1, width + 1, step):
            distance = np.arange(low, min(low + step, width + 1))
            first = np.broadcast_to(np.arange(places), (len(distance), places))
            second = first + distance[:, None]
            met = second < line.end
            if among is not None:
                met &= among & among[np.minimum(second, places - 1)]
            one, other = first[met], second[met]
            cost[one, other - one - 1] = self.meet(line.ticket[one], line.ticket[other])
        return cost


class Line(NamedTuple):
    """Free tickets by strength, group after group; who is in two groups stands in the line twice."""

    ticket: Longs
    bounds: Longs
    """Where groups begin, and the end of the last."""
    start: Longs
    """Where the group of each place begins."""
    end: Longs

    @classmethod
    def of(cls, order: Longs, free: Bools, groups: Bools | None) -> Line:
        """The line of those who are free; the smallest group comes first, so that it has the first choice."""
        standing = order[free[order]]
        if groups is None:
            ticket, sizes = standing, np.array([len(standing)])
        else:
            inside = groups[standing].T
            sizes = inside.sum(axis=1)
            small = np.argsort(sizes, kind="stable")
            ticket, sizes = standing[np.nonzero(inside[small])[1]], sizes[small]
        bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(ticket, bounds, np.repeat(bounds[:-1], sizes), np.repeat(bounds[1:], sizes))

    def places(self, tickets: int) -> Ragged:
        """Where each ticket stands."""
        count = np.bincount(self.ticket, minlength=tickets)
        offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        return Ragged(offsets, np.argsort(self.ticket, kind="stable"))

    def near(self, tickets: Longs, width: int) -> Bools:
        """Which places are no farther than `width` from one of these tickets."""
        at = np.flatnonzero(np.isin(self.ticket, tickets))
        edge = np.zeros(len(self.ticket) + 1, np.int64)
        np.add.at(edge, np.maximum(at - width, self.start[at]), 1)
        np.add.at(edge, np.minimum(at + width + 1, self.end[at]), -1)
        return np.cumsum(edge)[:-1] > 0


def nearest(strength: float, strengths: Floats, tickets: Longs, seed: int) -> Longs:
    """Tickets without the seed, the nearest to a strength first."""
    others = tickets[tickets != seed]
    return others[np.argsort(np.abs(strengths[others] - strength), kind="stable")]


def keep_foremost(tickets: Longs, size: Longs, players: int) -> Longs:
    """The foremost singles, and fewer of each larger size; enough for a match, and few enough to search."""
    most = max(MOST_SINGLES, 4 * players)
    number = np.empty(len(size), np.int64)  # of each ticket among those of its size
    for one in np.unique(size):
        alike = size == one
        number[alike] = np.arange(alike.sum())
    return tickets[number < np.where(size == 1, most, most // 4)]


def meetings_among(meet: Meet, tickets: Longs) -> Floats:
    """The cost of everyone meeting everyone, as a symmetric matrix."""
    first, second = np.triu_indices(len(tickets), 1)
    cost = np.zeros((len(tickets), len(tickets)))
    cost[first, second] = meet(tickets[first], tickets[second])
    cost[second, first] = cost[first, second]
    return cost


@kernel
def _serve(
    seeds: Longs,
    at: int,
    far: Bools,
    offsets: Longs,
    places: Longs,
    ticket: Longs,
    start: Longs,
    end: Longs,
    cost: Floats,
    strength: Floats,
    size: Longs,
    tolerance: Floats,
    free: Bools,
    players: int,
    team: int,
    fillable: int,
    members: Longs,
    sizes: Longs,
    costs: Floats,
) -> tuple[int, int, int]:
    """Lobbies around seeds, in order, from `at` on; stops at the first that finds nobody near and is to look far.

    Returns that seed's number, and how many lobbies and members were written.
    """
    width = cost.shape[1]
    place, local = np.empty(2 * width + 1, np.int64), np.empty((2 * width + 1, 2 * width + 1))
    local_size = np.empty(2 * width + 1, np.int64)
    found, lengths = np.empty((1, players), np.int64), np.empty(1, np.int64)
    made, used = 0, 0
    while at < len(seeds):
        seed = seeds[at]
        served = not free[seed]
        for p in range(offsets[seed], offsets[seed + 1]):
            if served:
                break
            here = places[p]
            n = _look_around(here, start[here], end[here], width, ticket, free, strength, place)
            for i in range(n):
                local_size[i] = size[ticket[place[i]]]
                for j in range(n):
                    low, high = min(place[i], place[j]), max(place[i], place[j])
                    local[i, j] = cost[low, high - low - 1] if 0 < high - low <= width else math.inf
            own = size[seed]
            if not find_fills(
                local[:n, :n], local_size[:n], 1 | (1 << own), own, players, team, fillable,
                NEAR_LOOKS, found, lengths,
            ):  # fmt: skip
                continue
            members[used] = seed
            for i in range(lengths[0]):
                members[used + 1 + i] = ticket[place[found[0, i]]]
            total, accepted = 0.0, tolerance[seed]
            for i in range(lengths[0]):
                one = found[0, i]
                accepted = max(accepted, tolerance[ticket[place[one]]])
                total += local[0, one]
                for j in range(i):
                    total += local[found[0, j], one]
            count = lengths[0] + 1
            mean = total / (count * (count - 1) / 2)
            if mean <= accepted:
                for i in range(count):
                    free[members[used + i]] = False
                sizes[made], costs[made] = count, mean
                made, used, served = made + 1, used + count, True
        if far[at] and not served:
            return at, made, used
        at += 1
    return at, made, used


@kernel
def _look_around(
    here: int, start: int, end: int, width: int, ticket: Longs, free: Bools, strength: Floats, place: Longs
) -> int:
    """Fill the places of free tickets up to `width` away, the nearest in strength first; how many there are."""
    own = strength[ticket[here]]
    place[0], n = here, 1
    low, high = here - 1, here + 1
    first, last = max(start, here - width), min(end, here + width + 1)
    while low >= first or high < last:
        below = low >= first
        if below and high < last:
            below = own - strength[ticket[low]] <= strength[ticket[high]] - own
        one = low if below else high
        low, high = (low - 1, high) if below else (low, high + 1)
        if free[ticket[one]]:
            place[n] = one
            n += 1
    return n


@kernel
def _tile(
    ticket: Longs,
    bounds: Longs,
    cost: Floats,
    size: Longs,
    tolerance: Floats,
    free: Bools,
    players: int,
    team: int,
    fillable: int,
    stride: int,
    members: Longs,
    sizes: Longs,
    costs: Floats,
) -> tuple[int, int, bool]:
    """Disjoint windows of each group, chosen so that Σ 1/(1 + cost) is largest.

    As costs are small against 1, that is as many windows as possible, and of those the cheapest. Returns how
    many lobbies and members were written, and whether somebody's window could not be filled.
    """
    made, used, blocked = 0, 0, False
    chosen = np.empty(players, np.int64)
    best = np.empty(len(ticket) + 1)
    after = np.empty(len(ticket), np.int64)
    for group in range(len(bounds) - 1):
        lo, hi = bounds[group], bounds[group + 1]
        best[hi] = 0.0
        for p in range(hi - 1, lo - 1, -1):
            best[p], after[p] = best[p + 1], -1
            if not free[ticket[p]] or (p - lo) % stride:
                continue
            count, mean, accepted = _grow(
                p, hi, ticket, cost, size, tolerance, free, players, team, fillable, chosen
            )
            if count == 0:
                blocked = True
            elif mean <= accepted:
                end = chosen[count - 1] + 1
                value = best[end] + 1.0 / (1.0 + mean)
                if value > best[p]:
                    best[p], after[p] = value, end
        p = lo
        while p < hi:
            if after[p] < 0:
                p += 1
                continue
            count, mean, accepted = _grow(
                p, hi, ticket, cost, size, tolerance, free, players, team, fillable, chosen
            )
            for i in range(count):
                members[used + i] = ticket[chosen[i]]
            for i in range(count):
                free[members[used + i]] = False
            sizes[made], costs[made] = count, mean
            made, used, p = made + 1, used + count, after[p]
    return made, used, blocked


@kernel
def _grow(
    p: int,
    end: int,
    ticket: Longs,
    cost: Floats,
    size: Longs,
    tolerance: Floats,
    free: Bools,
    players: int,
    team: int,
    fillable: int,
    chosen: Longs,
) -> tuple[int, float, float]:
    """A lobby from a place on, of those who follow and fit: its members, its mean cost, and what it accepts."""
    chosen[0], count = p, 1
    total, accepted = size[ticket[p]], tolerance[ticket[p]]
    sums = 1 | (1 << total)
    spent = 0.0
    for q in range(p + 1, min(end, p + 1 + cost.shape[1])):
        other = ticket[q]
        if not free[other]:
            continue
        grown = admit(sums, total, size[other], players, team, fillable)
        if grown == 0:
            continue
        added = 0.0
        for i in range(count):
            added += cost[chosen[i], q - chosen[i] - 1]
        if not added < math.inf:
            continue
        chosen[count] = q
        count += 1
        sums, total, spent = grown, total + size[other], spent + added
        accepted = max(accepted, tolerance[other])
        if total == players:
            return count, spent / (count * (count - 1) / 2), accepted
    return 0, 0.0, 0.0
