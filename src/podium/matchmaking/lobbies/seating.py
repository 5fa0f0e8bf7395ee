"""Who sits where, in modes with more than two teams, uneven teams or roles.

A party sits on one side, and everybody there gets a role that they would play. Whether the players of a side
can share its places is Hall's theorem: for every set of roles, no more players may play nothing outside of it
than it has places. So a side counts its players by sets of roles, and a mode without roles has one role.

Which side each ticket goes to is searched depth first, those who fit in fewest places first. A single who
plays every role fits wherever a place is left, and is not searched for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.numerics.jit import kernel, shared_kernel

SEATING_STEPS, STEPS_A_WAY = 2_000, 100
"""Places tried before a ticket is taken not to fit, and more for each way that is asked for.

Without parties a few dozen are enough."""
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
    asks: NDArray[np.int64]
    """Tickets × sets of roles: the members of a ticket who play nothing outside of the set."""
    side: Longs
    """The side of each ticket in a running match; −1 for all others."""
    rank: Longs
    """Tickets with a larger number are seated earlier, as they fit in fewer places."""
    kind: Longs
    """A number for each ticket, the same for those that bring the same."""
    turns: NDArray[np.int64]
    """The numbers of the sides, in a row."""
    fillable: int = 1
    """The numbers of places that may be left open on a side, as bits; see `fillable_rooms`."""

    @classmethod
    def of(cls, mode: Mode, roles: Ragged, side: Longs) -> Seating:
        """The seating of a mode and of tickets, with the roles of each one's members; no place is open."""
        room = room_of(mode)
        alike = [next(i for i in range(len(room)) if np.array_equal(room[i], row)) for row in room]
        members = roles.items[:, None] & ~np.arange(room.shape[1]) == 0
        asks = np.zeros((len(roles), room.shape[1]), np.int64)
        rank = np.where(side >= 0, IN_MATCH, 0) + A_MEMBER * roles.sizes
        if len(roles):
            asks = np.add.reduceat(members, roles.offsets[:-1], axis=0, dtype=np.int64)
            rank += np.maximum.reduceat(members.sum(axis=1), roles.offsets[:-1])
        kind = roles.items[roles.offsets[:-1]] << 8 | side + 1
        known: dict[tuple[bytes, int], int] = {}
        for ticket in np.flatnonzero(roles.sizes > 1).tolist():
            kind[ticket] = ~known.setdefault((asks[ticket].tobytes(), int(side[ticket])), len(known))
        turns = np.arange(len(room))[None]
        return cls(room, np.array(alike, np.int64), asks, side, rank, kind, turns)

    def kinds(self, tickets: Longs, size: Longs) -> Longs:
        """The size of each ticket; a number below 0 of their roles for singles who do not play any role."""
        if not len(self.room):
            return size
        picky = (size == 1) & (self.rank[tickets] != ANYWHERE)
        return np.where(picky, -self.kind[tickets], size)

    def enough_for(self, running: Sequence[Longs], others: Longs) -> Bools:
        """For each running match, given by its tickets, what `play_enough` says of it beside the others."""
        there, places = self._playing(others), self.room.sum(axis=0)
        return np.array([np.all(self._playing(rows) + there >= places) for rows in running], np.bool_)

    def _playing(self, tickets: Longs) -> Longs:
        """How many members of tickets play a role of each set: all, without those who play none of it."""
        asks = self.asks[tickets]
        playing: Longs = (asks[:, -1:] - asks[:, ::-1]).sum(axis=0)
        return playing


_NOTHING = np.zeros(0, np.int64)
_EMPTY = np.zeros((0, 2), np.int64)
NO_SEATING = Seating(_EMPTY, _NOTHING, _EMPTY, _NOTHING, _NOTHING, _NOTHING, _EMPTY)
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
def play_enough(seating: Seating, tickets: Longs, others: Longs) -> bool:
    """Whether enough of these tickets would play each set of roles, without which there is no match."""
    room, asks, sets = seating.room, seating.asks, seating.room.shape[1]
    for bits in range(sets):
        missing = 0
        for side in range(len(room)):
            missing += room[side, bits]
        for some in (tickets, others):
            for i in range(len(some)):  # all members, without those who play nothing of it
                missing -= asks[some[i], sets - 1] - asks[some[i], sets - 1 - bits]
        if missing > 0:
            return False
    return True


@kernel
def fits(seating: Seating, tickets: Longs) -> bool:
    """Whether tickets can sit together so that places are left that can be filled."""
    room, _, asks, _, rank, _, turns, _ = seating
    for bits in range(room.shape[1]):  # all sides together may have too few places for some roles
        more = 0
        for i in range(len(tickets)):
            more += asks[tickets[i], bits]
        for side in range(len(room)):
            more -= room[side, bits]
        if more > 0:
            return False
    order = np.empty(len(tickets), np.int64)
    n = 0
    for ticket in tickets:
        if rank[ticket] == ANYWHERE:
            continue
        here = n
        while here > 0 and rank[order[here - 1]] < rank[ticket]:
            order[here] = order[here - 1]
            here -= 1
        order[here] = ticket
        n += 1
    return n == 0 or find_seatings(seating, order[:n], turns, np.empty((1, n), np.int64)) == 1


@shared_kernel
def find_seatings(seating: Seating, tickets: Longs, turns: NDArray[np.int64], out: NDArray[np.int64]) -> int:
    """Fill in the side of each ticket, a row for each way; how many were found.

    Tickets are seated in this order, those with a side of their own first, and each tries sides in the order
    of its row of `turns`, which may have one row for all. Of empty sides that take the same one alone is
    tried, as sides have no names.
    """
    room, alike, asks, fixed, _, _, _, fillable = seating
    sides, sets = room.shape
    n, found, depth = len(tickets), 0, 0
    steps = SEATING_STEPS + STEPS_A_WAY * len(out)
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
                for i in range(n):
                    out[found, i] = where[i]
                found += 1
                if found == len(out):
                    return found
        else:
            ticket, turn, seated = tickets[depth], turns[depth % len(turns)], False
            while not seated and tried[depth] < sides - 1:
                tried[depth] += 1
                side = turn[tried[depth]]
                seated = fixed[ticket] == side or fixed[ticket] < 0
                if fixed[ticket] < 0 and parties[side] == 0:
                    for i in range(tried[depth]):
                        if parties[turn[i]] == 0 and alike[turn[i]] == alike[side]:
                            seated = False
                for bits in range(sets):
                    if taken[side, bits] + asks[ticket, bits] > room[side, bits]:
                        seated = False
            if seated:
                side = turn[tried[depth]]
                for bits in range(sets):
                    taken[side, bits] += asks[ticket, bits]
                parties[side] += 1
                where[depth] = side
                depth += 1
                tried[depth] = -1
                continue
        depth -= 1  # the one before tries another side
        if depth >= 0:
            for bits in range(sets):
                taken[where[depth], bits] -= asks[tickets[depth], bits]
            parties[where[depth]] -= 1
    return found


def all_ways(seating: Seating, tickets: Longs, most: int) -> NDArray[np.int64]:
    """The first `most` ways to seat a lobby that fills all sides, a row each; tickets come by rank."""
    ways = np.empty((most, len(tickets)), np.int64)
    return ways[: find_seatings(seating, tickets, seating.turns, ways)]


@kernel
def drawn_ways(seating: Seating, tickets: Longs, strength: Floats, first: Longs) -> NDArray[np.int64]:
    """Ways to seat a lobby where there are too many to list them: this first one, and `DRAWN_WAYS`.

    `strength` is the sum over the members of each ticket. The ways are always the same ones, and have not all
    the same chance: each ticket takes a side at random that has places. Many are improved by swaps.
    """
    n, sides = len(tickets), len(seating.room)
    turns = np.empty((n, sides), np.int64)
    ways = np.empty((1 + DRAWN_WAYS, n), np.int64)
    for i in range(n):
        ways[0, i] = first[i]
        for side in range(sides):
            turns[i, side] = side
    found, chance = 1, 1
    for _ in range(DRAWN_WAYS):
        for i in range(n):
            for j in range(sides - 1, 0, -1):  # Fisher and Yates, with a generator of Knuth's
                chance = (chance * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
                other = (chance >> 33) % (j + 1)
                turns[i, j], turns[i, other] = turns[i, other], turns[i, j]
        found += find_seatings(seating, tickets, turns, ways[found : found + 1])
    for row in range(min(found, 1 + SWAPS_TRIED // n**2)):
        _swap_evenly(seating, tickets, strength, ways[row])
    return ways[:found]


@kernel
def _swap_evenly(seating: Seating, tickets: Longs, strength: Floats, way: Longs) -> None:
    """Swap tickets of one size while the mean strengths of sides come nearer to each other."""
    room, _, asks, fixed, _, _, _, _ = seating
    sides, sets = room.shape
    total, taken = np.zeros(sides), np.zeros((sides, sets), np.int64)
    least, again = 0.0, True
    for i in range(len(tickets)):
        least += 1e-9 * strength[i] ** 2
        total[way[i]] += strength[i]
        for bits in range(sets):
            taken[way[i], bits] += asks[tickets[i], bits]
    while again:
        again = False
        for i in range(len(tickets)):
            for j in range(i):
                a, b, one, other = way[i], way[j], tickets[i], tickets[j]
                same = asks[one, sets - 1] == asks[other, sets - 1]  # members
                if a == b or not same or fixed[one] >= 0 or fixed[other] >= 0:
                    continue
                # Σ total² / places is least where all means are equal, as the sum of totals stays.
                moved = strength[j] - strength[i]
                worse = moved * (2.0 * total[a] + moved) / room[a, sets - 1]
                worse -= moved * (2.0 * total[b] - moved) / room[b, sets - 1]
                fit = worse < -least
                for bits in range(sets):
                    more = asks[other, bits] - asks[one, bits]  # for the side of the one
                    fit = fit and taken[a, bits] + more <= room[a, bits]
                    fit = fit and taken[b, bits] - more <= room[b, bits]
                if not fit:
                    continue
                for bits in range(sets):
                    more = asks[other, bits] - asks[one, bits]
                    taken[a, bits] += more
                    taken[b, bits] -= more
                total[a] += moved
                total[b] -= moved
                way[i], way[j], again = b, a, True


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
