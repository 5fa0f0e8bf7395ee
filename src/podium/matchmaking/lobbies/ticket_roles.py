"""The roles that players would play, as tickets say them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from podium.arrays import Longs
from podium.errors import InputError
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.seating import room_of
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
                hint="roles are in the order of the players, side after side",
            )


def check_roles(roles: Sequence[Roles] | None, sizes: Longs, mode: Mode) -> Longs:
    """The roles of each player as bits; a party that no side has places for is refused.

    `roles` has one value for each player, `sizes` is the number of players of each ticket.
    """
    count = int(sizes.sum())
    if roles is None:
        bits = np.full(count, mode.any_role)
    elif isinstance(roles, str) or len(roles) != count:
        raise InputError(f"roles are one value a player, of {count} players", hint="None plays any role")
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
                hint="members may say more roles, or join one by one",
            )
    return bits
