"""Searches for tickets that fill the open places of a match: everyone may meet everyone, and sizes fit.

Tickets are parties of one or more, and parties stay together. So it is not enough that sizes add up to the
number of players: parties of 3, 3 and 2 make no two teams of 4. Which sums of sizes one team can have is kept
as a set of bits, and a party is taken only if both teams can still be filled up. Other modes ask `seating`.

The roles that players would play, as tickets say them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import InputError
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.seating import NO_SEATING, Seating, fits, play_enough, room_of
from podium.numerics.jit import kernel, shared_kernel
from podium.text import shorten

Roles = str | Sequence[str] | None
"""The role that a player would play, several of them, or None for any."""


def check_sides(roles: Sequence[Roles] | None, teams: Sequence[Sequence[str]], mode: Mode) -> None:
    """Refuse a running match with a side that has no places for the roles of its players.

    `roles` has one value for each player, side after side.
    """
    if roles is None or isinstance(roles, str) or len(roles) != sum(map(len, teams)):
        return  # what `check_roles` refuses
    left, room = list(roles), room_of(mode)
    for side, team in enumerate(teams):
        said, left = left[: len(team)], left[len(team) :]
        bits = np.array([mode.role_bits(one) for one in said], np.int64)
        asked = (bits[:, None] & ~np.arange(room.shape[1]) == 0).sum(axis=0)
        if np.any(asked > room[side]):
            raise InputError(
                f"side {side + 1} of {mode} has no places for {shorten(repr(said))}",
                hint="give roles in the order of the players, side after side",
            )


def check_roles(roles: Sequence[Roles] | None, sizes: Longs, mode: Mode) -> Longs:
    """The roles of each player as bits; a party that no side has places for is refused.

    `roles` has one value for each player, `sizes` is the number of players of each ticket.
    """
    count = int(sizes.sum())
    if roles is None:
        bits = np.full(count, mode.any_role)
    elif isinstance(roles, str) or len(roles) != count:
        raise InputError(
            f"give one value of roles per player, for {count} players",
            hint="use None for a player who plays any role",
        )
    else:
        bits = np.array([mode.role_bits(one) for one in roles], np.int64)
    if not mode.is_seated:
        return bits
    room = room_of(mode)
    sets = np.arange(room.shape[1])
    starts = np.cumsum(sizes) - sizes
    for start, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        asked = (bits[start : start + size, None] & ~sets == 0).sum(axis=0)
        if not np.any(np.all(asked <= room, axis=1)):
            said = None if roles is None else list(roles[start : start + size])
            raise InputError(
                f"no side of {mode} has places for a party that plays {shorten(repr(said))}",
                hint="members may name more roles, or join one by one",
            )
    return bits


def fillable_rooms(sizes: Iterable[int], team: int) -> int:
    """The numbers of places that parties of these sizes can fill, as bits.

    >>> [room for room in range(8) if fillable_rooms([2, 5], team=7) >> room & 1]
    [0, 2, 4, 5, 6, 7]
    """
    rooms = 1
    for size in sizes:
        for _ in range(team // size):
            rooms |= rooms << size
    return rooms & ((1 << team + 1) - 1)


def parties_fill(own: int, others: Iterable[int], sides: Iterable[int]) -> bool:
    """Whether a party and some others can fill all sides of a match, by their sizes alone.

    >>> parties_fill(3, [3, 2], [4, 4]), parties_fill(3, [3, 1, 1], [4, 4])
    (False, True)
    """
    rooms = sorted(sides, reverse=True)
    counts = Counter(others)
    known = sorted(counts, reverse=True)

    @cache
    def fill(open_rooms: tuple[int, ...], left: tuple[int, ...]) -> bool:
        if not open_rooms:
            return True
        room, *more = open_rooms
        if room == 0:
            return fill(tuple(more), left)
        return any(
            fill((room - size, *more), (*left[:place], left[place] - 1, *left[place + 1 :]))
            for place, size in enumerate(known)
            if left[place] and size <= room
        )

    there = tuple(min(counts[size], sum(rooms)) for size in known)
    return any(
        fill((rooms[place] - own, *rooms[:place], *rooms[place + 1 :]), there)
        for place in range(len(rooms))
        if own <= rooms[place]
    )


class Shape(NamedTuple):
    """What a match takes: its players in all, those of a side, and the rooms that can be filled."""

    players: int
    team: int
    """Number of players on each side; 1 in a free-for-all, and where there is a seating."""
    fillable: int
    """The numbers of open places that waiting tickets can fill; see `fillable_rooms`."""
    seating: Seating = NO_SEATING


class Fills(NamedTuple):
    """Where sets of candidates are written: row i holds ``lengths[i]`` of them."""

    members: Longs
    lengths: Longs

    @classmethod
    def room(cls, count: int, players: int) -> Fills:
        """Empty arrays for `count` sets of tickets."""
        return cls(np.zeros((count, players), np.int64), np.empty(count, np.int64))


@kernel
def admit(sums: int, total: int, size: int, players: int, team: int, fillable: int) -> int:
    """The sums that one team can have once a party of this size is in; 0 where it does not fit.

    `sums` are those before as bits, `total` the players so far, `fillable` the rooms that can be filled up.
    """
    now = total + size
    if team == 1:  # everybody is a side
        return 1 if now <= players else 0
    grown = (sums | (sums << size)) & ((1 << (team + 1)) - 1)
    for one in range(max(0, now - team), min(team, now) + 1):
        fits = (grown >> one) & (fillable >> (team - one)) & (fillable >> (team - now + one)) & 1
        if fits:
            return grown
    return 0


@shared_kernel
def find_fills(
    cost: Floats,
    size: Longs,
    who: Longs,
    inside: Longs,
    sums: int,
    total: int,
    shape: Shape,
    looks: int,
    fills: Fills,
) -> int:
    """Sets of candidates that fill a match with all pairs allowed; how many were found.

    Candidate 0 stands for the tickets `inside`, which are in the match already, with `total` players; `who`
    are the tickets of all candidates; `cost` is infinite where two may not meet. Sets come in the order of
    candidates, the foremost first, until `fills` is full, all were tried, or `looks` candidates were looked
    at.
    """
    players, team, fillable, seating = shape
    found, lengths = fills
    n, here = len(size), len(inside)
    seated = np.empty(here + players, np.int64)
    for i in range(here):
        seated[i] = inside[i]
    if len(seating.room) and not play_enough(seating, inside, who[1:]):
        return 0
    rest = 0  # players among those who may still be chosen
    for j in range(1, n):
        rest += size[j]
    chosen, kept_sums, kept_total, kept_rest = [0], [sums], [total], [rest]
    at, count = 1, 0
    while count < len(found):
        pushed = False
        while at < n and kept_total[-1] + rest >= players and looks > 0:
            looks -= 1
            rest -= size[at]
            grown = admit(kept_sums[-1], kept_total[-1], size[at], players, team, fillable)
            if grown != 0 and _may_meet(cost, chosen, at):
                many = here + len(chosen)
                seated[many - 1] = who[at]
                if len(seating.room) == 0 or fits(seating, seated[:many]):
                    pushed = True
                    break
            at += 1
        if pushed:
            reached = kept_total[-1] + size[at]
            if reached < players:
                chosen.append(at)
                kept_sums.append(grown)
                kept_total.append(reached)
                kept_rest.append(rest)
            else:
                for i in range(1, len(chosen)):
                    found[count, i - 1] = chosen[i]
                found[count, len(chosen) - 1] = at
                lengths[count] = len(chosen)
                count += 1
            at += 1
            continue
        if len(chosen) == 1 or looks <= 0:
            break
        at = chosen.pop() + 1
        kept_sums.pop()
        kept_total.pop()
        rest = kept_rest.pop()
    return count


@kernel
def _may_meet(cost: Floats, chosen: list[int], other: int) -> bool:
    """Whether somebody may meet everyone chosen so far."""
    allowed = True
    for one in chosen:
        allowed &= cost[one, other] < math.inf
    return allowed


@kernel
def mean_costs(cost: Floats, found: Longs, lengths: Longs, here: int, out: Floats) -> None:
    """The mean over the meetings of each set: with the `here` tickets of candidate 0, and with each other."""
    for row in range(len(lengths)):
        n, total = lengths[row], 0.0
        for i in range(n):
            total += here * cost[0, found[row, i]]
            for j in range(i):
                total += cost[found[row, j], found[row, i]]
        out[row] = total / (here * n + n * (n - 1) / 2)
