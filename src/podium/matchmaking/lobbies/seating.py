"""Who sits where, in modes with more than two teams, uneven teams or roles.

A party sits on one side, and everybody there gets a role that they would play. Whether the players of a side
can share its places is Hall's theorem: for every set of roles, no more players may play nothing outside of it
than it has places. So a side counts its players by sets of roles, and a mode without roles has one role.

Which side each ticket goes to is searched depth first, those who fit in fewest places first. A single who
plays every role fits wherever a place is left, and is not searched for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Floats, Longs
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.numerics.jit import kernel

SEATING_STEPS = 2_000
"""Places tried before a ticket is taken not to fit; without parties a few dozen are enough."""
DRAWN_WAYS = 200
"""Ways that are drawn to seat a lobby if there are too many to try all."""
SWAPS_TRIED = 15_000
"""Pairs of tickets looked at in one round of improving the ways of a lobby: sixty ways of sixteen."""
IN_MATCH, A_MEMBER = 1_000_000, 1_000
"""By what a ticket comes earlier in a search: that it has its side, and each of its members."""
ANYWHERE = A_MEMBER + 1
"""Where a single who plays every role comes."""


class Seating(NamedTuple):
    """What the sides of a mode take, and what tickets bring."""

    room: NDArray[np.int64]
    """Sides × sets of roles: the places of a side for these roles. No sides: counting players is enough."""
    alike: Longs
    """For each side, the first one that takes the same."""
    offsets: Longs
    """Ticket i has the members offsets[i] to offsets[i + 1]."""
    roles: Longs
    """The roles that each member would play, as bits."""
    side: Longs
    """The side of each ticket in a running match; −1 for all others."""
    rank: Longs
    """Tickets with a larger number are seated earlier, as they fit in fewer places."""

    @classmethod
    def of(cls, mode: Mode, roles: Ragged, side: Longs) -> Seating:
        """The seating of a mode and of tickets, with the roles of each one's members."""
        room = room_of(mode)
        alike = [next(i for i in range(len(room)) if np.array_equal(room[i], row)) for row in room]
        played = roles.items[:, None] >> np.arange(room.shape[1].bit_length() - 1) & 1
        choice = room.shape[1] >> played.sum(axis=1)  # how many sets have all of a member's roles
        rank = np.where(side >= 0, IN_MATCH, 0) + A_MEMBER * roles.sizes
        if len(roles):
            rank += np.maximum.reduceat(choice, roles.offsets[:-1])
        return cls(room, np.array(alike, np.int64), roles.offsets, roles.items, side, rank)

    def kinds(self, tickets: Longs, size: Longs) -> Longs:
        """The size of each ticket; a number below 0 of their roles for singles who do not play any role."""
        if not len(self.room):
            return size
        picky = (size == 1) & (self.rank[tickets] != ANYWHERE)
        return np.where(picky, -self.roles[self.offsets[tickets]], size)

    def kind_numbers(self) -> Longs:
        """A number for each ticket, the same for those that bring the same."""
        kind = self.roles[self.offsets[:-1]] << 8 | self.side + 1
        known: dict[tuple[bytes, int], int] = {}
        for ticket in np.flatnonzero(np.diff(self.offsets) > 1).tolist():
            bits = self.roles[self.offsets[ticket] : self.offsets[ticket + 1]].tobytes()
            kind[ticket] = ~known.setdefault((bits, int(self.side[ticket])), len(known))
        return kind


_NOTHING = np.zeros(0, np.int64)
NO_SEATING = Seating(np.zeros((0, 2), np.int64), *[_NOTHING] * 5)
"""For two even teams and free-for-alls."""


def room_of(mode: Mode) -> NDArray[np.int64]:
    """The places of each side for each set of roles, numbered by its bits.

    >>> room_of(Mode.parse("2v3: tank, healer / tank, 2 healer")).tolist()
    [[0, 1, 1, 2], [0, 1, 2, 3]]
    """
    names = mode.role_names or ("",)
    places = mode.roles or tuple(("",) * size for size in mode.sizes)
    each = np.array([[side.count(role) for role in names] for side in places], np.int64)
    inside = np.arange(1 << len(names))[:, None] >> np.arange(len(names)) & 1
    room: NDArray[np.int64] = each @ inside.T
    return room


@kernel
def fits(seating: Seating, tickets: Longs, fillable: int) -> bool:
    """Whether tickets can sit together so that places are left that can be filled; see `fillable_rooms`."""
    room, _, offsets, roles, _, rank = seating
    asked = np.zeros(room.shape[1], np.int64)
    order = np.empty(len(tickets), np.int64)
    n = 0
    for ticket in tickets:
        _count(offsets, roles, ticket, asked, 1)
        if rank[ticket] == ANYWHERE:
            continue
        here = n
        while here > 0 and rank[order[here - 1]] < rank[ticket]:
            order[here] = order[here - 1]
            here -= 1
        order[here] = ticket
        n += 1
    if not _is_enough(room.sum(axis=0), asked):  # of all sides together
        return False
    turns = np.empty((n, len(room)), np.int64)
    turns[:] = np.arange(len(room))
    out = np.empty((1, n), np.int64)
    return find_seatings(seating, order[:n], turns, fillable, SEATING_STEPS, out) == 1


@kernel
def find_seatings(
    seating: Seating,
    tickets: Longs,
    turns: NDArray[np.int64],
    fillable: int,
    steps: int,
    out: NDArray[np.int64],
) -> int:
    """Fill in the side of each ticket, a row for each way; how many were found in so many steps.

    Tickets are seated in this order, those with a side of their own first, and each tries sides in the order
    of its row of `turns`. Of empty sides that take the same one alone is tried, as sides have no names.
    """
    room, alike, offsets, roles, fixed, _ = seating
    sides, sets = room.shape
    n, found, depth = len(tickets), 0, 0
    taken, parties = np.zeros((sides, sets), np.int64), np.zeros(sides, np.int64)
    tried, where = np.full(n + 1, -1), np.empty(n + 1, np.int64)
    while depth >= 0 and steps > 0:
        steps -= 1
        if depth == n:
            good = True
            for side in range(sides):
                left = room[side, sets - 1] - taken[side, sets - 1]
                good = good and (fillable >> left) & 1 == 1
            if good:
                out[found] = where[:n]
                found += 1
                if found == len(out):
                    return found
        else:
            ticket, seated = tickets[depth], False
            while not seated and tried[depth] < sides - 1:
                tried[depth] += 1
                side = turns[depth, tried[depth]]
                if fixed[ticket] >= 0:
                    if side != fixed[ticket]:
                        continue
                elif parties[side] == 0:
                    same = False
                    for earlier in turns[depth, : tried[depth]]:
                        same = same or (parties[earlier] == 0 and alike[earlier] == alike[side])
                    if same:
                        continue
                _count(offsets, roles, ticket, taken[side], 1)
                seated = _is_enough(room[side], taken[side])
                if not seated:
                    _count(offsets, roles, ticket, taken[side], -1)
            if seated:
                where[depth] = turns[depth, tried[depth]]
                parties[where[depth]] += 1
                depth += 1
                tried[depth] = -1
                continue
        depth -= 1  # the one before tries another side
        if depth >= 0:
            _count(offsets, roles, tickets[depth], taken[where[depth]], -1)
            parties[where[depth]] -= 1
    return found


@kernel
def _count(offsets: Longs, roles: Longs, ticket: int, taken: Longs, change: int) -> None:
    """Count the members of a ticket in each set of roles that has all of theirs."""
    for member in range(offsets[ticket], offsets[ticket + 1]):
        for bits in range(len(taken)):
            if roles[member] & ~bits == 0:
                taken[bits] += change


@kernel
def _is_enough(room: Longs, taken: Longs) -> bool:
    enough = True
    for bits in range(len(room)):
        enough = enough and taken[bits] <= room[bits]
    return enough


@kernel
def all_ways(seating: Seating, tickets: Longs, most: int) -> NDArray[np.int64]:
    """The first `most` ways to seat a lobby that fills all sides, a row each; tickets come by rank."""
    turns = np.empty((len(tickets), len(seating.room)), np.int64)
    turns[:] = np.arange(len(seating.room))
    ways = np.empty((most, len(tickets)), np.int64)
    found = find_seatings(seating, tickets, turns, 1, 100 * (most + len(tickets)), ways)
    return ways[:found]


@kernel
def drawn_ways(seating: Seating, tickets: Longs, strength: Floats, first: Longs) -> NDArray[np.int64]:
    """Ways to seat a lobby where there are too many to list them: this first one, and `DRAWN_WAYS`.

    `strength` is the sum over the members of each ticket. The ways are always the same ones, and have not all
    the same chance: each ticket takes a side at random that has places. Many are improved by swaps.
    """
    n, sides = len(tickets), len(seating.room)
    turns = np.empty((n, sides), np.int64)
    turns[:] = np.arange(sides)
    ways, one = np.empty((1 + DRAWN_WAYS, n), np.int64), np.empty((1, n), np.int64)
    ways[0] = first
    found, chance = 1, 1
    for _ in range(DRAWN_WAYS):
        for i in range(n):
            for j in range(sides - 1, 0, -1):  # Fisher and Yates, with a generator of Knuth's
                chance = (chance * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
                other = (chance >> 33) % (j + 1)
                turns[i, j], turns[i, other] = turns[i, other], turns[i, j]
        if find_seatings(seating, tickets, turns, 1, SEATING_STEPS, one) == 1:
            ways[found] = one[0]
            found += 1
    for row in range(min(found, 1 + SWAPS_TRIED // n**2)):
        _swap_evenly(seating, tickets, strength, ways[row])
    return ways[:found]


@kernel
def _swap_evenly(seating: Seating, tickets: Longs, strength: Floats, way: Longs) -> None:
    """Swap tickets of one size while the mean strengths of sides come nearer to each other."""
    room, _, offsets, roles, fixed, _ = seating
    sides, sets = room.shape
    total, taken = np.zeros(sides), np.zeros((sides, sets), np.int64)
    for i in range(len(tickets)):
        total[way[i]] += strength[i]
        _count(offsets, roles, tickets[i], taken[way[i]], 1)
    least, again = 1e-9 * (total**2).sum(), True
    while again:
        again = False
        for i in range(len(tickets)):
            for j in range(i):
                a, b, one, other = way[i], way[j], tickets[i], tickets[j]
                same = offsets[one + 1] - offsets[one] == offsets[other + 1] - offsets[other]
                if a == b or not same or fixed[one] >= 0 or fixed[other] >= 0:
                    continue
                # Σ total² / places is least where all means are equal, as the sum of totals stays.
                moved = strength[j] - strength[i]
                worse = (
                    moved * (2.0 * total[a] + moved) / room[a, -1]
                    - moved * (2.0 * total[b] - moved) / room[b, -1]
                )
                if worse >= -least:
                    continue
                for ticket, side, change in ((one, a, -1), (one, b, 1), (other, b, -1), (other, a, 1)):
                    _count(offsets, roles, ticket, taken[side], change)
                if _is_enough(room[a], taken[a]) and _is_enough(room[b], taken[b]):
                    total[a] += moved
                    total[b] -= moved
                    way[i], way[j], again = b, a, True
                else:
                    for ticket, side, change in ((one, a, 1), (one, b, -1), (other, b, 1), (other, a, -1)):
                        _count(offsets, roles, ticket, taken[side], change)


@kernel
def give_roles(room: NDArray[np.int64], side: Longs, members: Longs, roles: Longs, out: Longs) -> None:
    """Fill in the role of each player: side j of a match has the players members[j] to members[j + 1].

    Everybody gets the first role of theirs that leaves enough places for those who come after them.
    """
    sets = room.shape[1]
    for j in range(len(members) - 1):
        left = room[side[j]].copy()
        for i in range(members[j], members[j + 1]):
            role, bit = 0, 1
            while bit < sets:
                if (
                    roles[i] & bit
                    and left[bit] > 0
                    and _leaves_enough(left, bit, roles, i + 1, members[j + 1])
                ):
                    break
                role, bit = role + 1, bit << 1
            out[i] = role
            for bits in range(sets):
                if bits & bit:
                    left[bits] -= 1


@kernel
def _leaves_enough(left: Longs, bit: int, roles: Longs, start: int, end: int) -> bool:
    """Whether players can share what is left of a side's places, without one of a role."""
    for bits in range(len(left)):
        asking = 1 if bits & bit else 0
        for i in range(start, end):
            if roles[i] & ~bits == 0:
                asking += 1
        if asking > left[bits]:
            return False
    return True
