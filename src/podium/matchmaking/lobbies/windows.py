"""Windows along a line of tickets sorted by strength: around one of them, or all of them side by side."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.lobbies.open_places import Fills, Shape, admit, find_fills
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.seating import fits
from podium.numerics.jit import kernel

WRITE_CHOSEN = -1
"""A number of places for `tile_windows`."""


class Standing(NamedTuple):
    """Tickets in a line, group after group, and the costs of their meetings."""

    ticket: Longs
    bounds: Longs
    """The first place of each group, and the end of the last."""
    start: Longs
    """For each place, the first place of its group."""
    end: Longs
    cost: Floats
    """The cost of each place meeting the next ones, by place and distance − 1."""


class LobbyTickets(NamedTuple):
    """What the formation of lobbies knows of each ticket, by column."""

    strength: Floats
    size: Longs
    tolerance: Floats
    free: Bools
    """Whether each ticket is free; those put in a lobby are not."""


class Seeds(NamedTuple):
    """Tickets around whom lobbies are made, in this order."""

    ticket: Longs
    far: Bools
    """Whether to search among all tickets if none near fits."""
    offsets: Longs
    """Ticket i, seed or not, stands in the line at places[offsets[i]] to places[offsets[i + 1]]."""
    places: Longs


class Written(NamedTuple):
    """Output of a kernel: the tickets of all lobbies in a row, and the size and cost of each lobby."""

    members: Longs
    sizes: Longs
    costs: Floats

    @classmethod
    def room(cls, tickets: int) -> Written:
        """Empty arrays for lobbies of up to `tickets` tickets."""
        return cls(np.empty(tickets, np.int64), np.empty(tickets, np.int64), np.empty(tickets))


class Tiling(NamedTuple):
    """How far the windows along a line have been chosen."""

    best: Floats
    """For each place, the largest sum of values of the windows from there to the end of its group."""
    after: Longs
    """The end of the window that begins at a place; −1 if none does."""
    at: Longs
    """The group, the place before which it goes on, and the lobbies and members that have been written."""

    @classmethod
    def of(cls, standing: Standing) -> Tiling:
        """Before the first window."""
        places = len(standing.ticket)
        at = np.array([0, standing.bounds[min(1, len(standing.bounds) - 1)], 0, 0])
        return cls(np.empty(places + 1), np.empty(places, np.int64), at)


@kernel
def serve_around(
    seeds: Seeds,
    at: int,
    until: int,
    standing: Standing,
    columns: LobbyTickets,
    shape: Shape,
    looks: int,
    out: Written,
) -> tuple[int, int, int]:
    """Lobbies around seeds, in order, from `at` to `until` or to one that finds nobody near and may look far.

    Returns that seed's number, and how many lobbies and members were written.
    """
    wanted, far, offsets, places = seeds
    ticket, _, start, end, cost = standing
    strength, size, tolerance, free = columns
    members, sizes, costs = out
    width = cost.shape[1]
    place, local = np.empty(2 * width + 1, np.int64), np.empty((2 * width + 1, 2 * width + 1))
    local_size, who = np.empty(2 * width + 1, np.int64), np.empty(2 * width + 1, np.int64)
    found, lengths = np.empty((1, shape.players), np.int64), np.empty(1, np.int64)
    made, used = 0, 0
    while at < until:
        seed = wanted[at]
        served = not free[seed]
        for p in range(offsets[seed], offsets[seed + 1]):
            if served:
                break
            here = places[p]
            n = _look_around(here, start[here], end[here], width, ticket, free, strength, place)
            for i in range(n):
                who[i] = ticket[place[i]]
                local_size[i] = size[who[i]]
                for j in range(n):
                    low, high = min(place[i], place[j]), max(place[i], place[j])
                    local[i, j] = cost[low, high - low - 1] if 0 < high - low <= width else math.inf
            own, fills = size[seed], Fills(found, lengths)
            first = 1 | (1 << own)
            if not find_fills(local, local_size[:n], who[:n], who[:1], first, own, shape, looks, fills):
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


def read_lobbies(out: Written, made: int, used: int) -> tuple[Ragged, Floats]:
    """The lobbies that a kernel has written, as lists, and their costs."""
    offsets = np.concatenate([[0], np.cumsum(out.sizes[:made])]).astype(np.int64)
    return Ragged(offsets, out.members[:used].copy()), out.costs[:made].copy()


@kernel
def _look_around(
    here: int, start: int, end: int, width: int, ticket: Longs, free: Bools, strength: Floats, place: Longs
) -> int:
    """Fill the places of free tickets up to `width` away, the nearest in strength first; how many."""
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
def tile_windows(
    standing: Standing,
    columns: LobbyTickets,
    shape: Shape,
    stride: int,
    refused: Bools,
    out: Written,
    begins: Longs,
    alone: Bools,
    tiling: Tiling,
    places: int,
) -> bool:
    """Disjoint windows of each group, chosen so that Σ 1/(1 + cost) is largest.

    As costs are small against 1, that is as many windows as possible, and of those the cheapest. None begins
    at a place that is `refused`; `begins` is where each begins. Places are `alone` that are in no window that
    could be filled, though there are enough others in their group.

    Goes on from `tiling` for so many places; returns whether it is at the end. `WRITE_CHOSEN` places end it,
    with the windows of the places so far.
    """
    ticket, bounds, _, _, _ = standing
    _, size, _, free = columns
    members, sizes, costs = out
    best, after, at = tiling
    group, p, made, used = at[0], at[1], at[2], at[3]
    chosen = np.empty(shape.players, np.int64)
    while group < len(bounds) - 1:
        lo, hi = bounds[group], bounds[group + 1]
        if p == hi:
            best[hi], there = 0.0, 0
            for q in range(lo, hi):
                there += size[ticket[q]] if free[ticket[q]] else 0
            for q in range(lo, hi):
                alone[q] = there >= shape.players
        while p > lo and places > 0:
            p -= 1
            places -= 1
            best[p], after[p] = best[p + 1], -1
            if not free[ticket[p]] or ((p - lo) % stride and p + shape.players != hi):
                continue
            count, mean, accepted = _grow(p, hi, standing, columns, shape, chosen)
            for i in range(count):
                alone[chosen[i]] = False
            if count > 0 and mean <= accepted and not refused[p]:
                end = chosen[count - 1] + 1
                value = best[end] + 1.0 / (1.0 + mean)
                if value > best[p]:
                    best[p], after[p] = value, end
        if p > lo and places != WRITE_CHOSEN:
            break
        while p < hi:
            if after[p] < 0:
                p += 1
                continue
            count, mean, accepted = _grow(p, hi, standing, columns, shape, chosen)
            for i in range(count):
                members[used + i] = ticket[chosen[i]]
            for i in range(count):
                free[members[used + i]] = False
            begins[made], sizes[made], costs[made] = p, count, mean
            made, used, p = made + 1, used + count, after[p]
        group = len(bounds) - 1 if places == WRITE_CHOSEN else group + 1
        p = bounds[min(group + 1, len(bounds) - 1)]
    at[0], at[1], at[2], at[3] = group, p, made, used
    return bool(group == len(bounds) - 1)


@kernel
def _grow(
    p: int, end: int, standing: Standing, columns: LobbyTickets, shape: Shape, chosen: Longs
) -> tuple[int, float, float]:
    """A lobby from a place on, of those who follow and fit: how many, the mean cost, and what they accept."""
    ticket, _, _, _, cost = standing
    _, size, tolerance, free = columns
    players, team, fillable, seating = shape
    chosen[0], count = p, 1
    seated = np.empty(players, np.int64)
    seated[0] = ticket[p]
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
        seated[count] = other
        if len(seating.room) and not fits(seating, seated[: count + 1]):
            continue
        chosen[count] = q
        count += 1
        sums, total, spent = grown, total + size[other], spent + added
        accepted = max(accepted, tolerance[other])
        if total == players:
            return count, spent / (count * (count - 1) / 2), accepted
    return 0, 0.0, 0.0
