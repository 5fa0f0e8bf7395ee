"""Draws that keep entrants apart who must not meet: in other groups, or as far away in a bracket as possible.

Only entrants of like seeding change places: seeds 3 and 4, 5 to 8, 9 to 16 of a bracket, and in groups
those who are drawn in the same lap. Each of these tiers is assigned to its places, the best one first. Then
two of a tier change places while that helps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.tournaments.cheapest_pairs import cheapest_pairs
from podium.tournaments.happenings import Field

LARGEST_ASSIGNED_TIER = 256
LARGEST_SWAPPED_DRAW = 1_024
MOST_WORK = 4e8
"""Numbers that swaps may touch, about a second. Only draws of a thousand entrants need so many."""
MOVING = 1e-6
"""Cost of a place away from the own seed's: of two equal draws, the one nearer to the seeding is taken."""


def has_rivals(field: Field, players: Sequence[str]) -> bool:
    """Whether two of these entrants must not meet."""
    clubs = [club for player in players if (club := field.entrants[player].club) is not None]
    here = set(players)
    return len(set(clubs)) < len(clubs) or any(barred <= here for barred in field.forbidden)


def rivals_of(field: Field, players: Sequence[str]) -> Bools:
    """For each two of these entrants, whether they must not meet."""
    number = {player: i for i, player in enumerate(players)}
    codes: dict[str | None, int] = {None: -1}
    club = np.array([codes.setdefault(field.entrants[player].club, len(codes)) for player in players])
    rivals: Bools = (club[:, None] == club[None, :]) & (club[:, None] >= 0)
    for barred in field.forbidden:
        if all(player in number for player in barred):
            first, second = (number[player] for player in barred)
            rivals[first, second] = rivals[second, first] = True
    np.fill_diagonal(rivals, False)
    return rivals


def places_apart(places: Longs, ends: Sequence[int], closeness: Floats, rivals: Bools) -> Longs:
    """The place of each entrant, the best one first, so that rivals are as little close as possible.

    Args:
        places: The place of each entrant by seeding.
        ends: How many entrants there are up to the end of each tier, within which places may be exchanged.
        closeness: How bad it is that two rivals have these two places.
        rivals: Which entrants must not meet.
    """
    at = places.copy()
    tiers = [np.arange(start, end) for start, end in pairwise([0, *ends])]
    for tier in tiers:
        _assign(at, tier, closeness, rivals)
    if len(at) <= LARGEST_SWAPPED_DRAW:
        _swap(at, tiers, closeness, rivals)
    return at


def _assign(at: Longs, tier: Longs, closeness: Floats, rivals: Bools) -> None:
    """Give the entrants of a tier the places that are cheapest with those of earlier tiers."""
    size, earlier = len(tier), np.arange(tier[0]) if len(tier) else tier
    against = rivals[np.ix_(tier, earlier)]
    if not against.any() or size > LARGEST_ASSIGNED_TIER:
        return
    own = at[tier]
    cost = against.astype(np.float64) @ closeness[np.ix_(at[earlier], own)]
    if not np.diagonal(cost).any():
        return
    cost += MOVING * np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    first, second = np.repeat(np.arange(size), size), np.tile(np.arange(size), size) + size
    pairs, _ = cheapest_pairs(2 * size, first, second, cost.ravel())
    for i, j in pairs:
        at[tier[i]] = own[j - size]


def _swap(at: Longs, tiers: Sequence[Longs], closeness: Floats, rivals: Bools) -> None:
    """Let two entrants of a tier change places, the best two first, while that helps."""
    near = rivals.astype(np.float64) @ closeness[at]  # of each entrant at each place, with all rivals
    work, improved = MOST_WORK, True
    while improved:
        improved = False
        for tier in tiers:
            while work > 0:
                work -= len(tier) ** 2 + near.size
                places = at[tier]
                moved = near[np.ix_(tier, places)]
                own = np.diag(moved)
                together = rivals[np.ix_(tier, tier)] * closeness[np.ix_(places, places)]
                gain = own[:, None] + own[None, :] - moved - moved.T - 2.0 * together
                if not gain.size or gain.max() < 1e-9:
                    break
                a, b = (tier[i] for i in np.unravel_index(np.argmax(gain), gain.shape))
                change = closeness[at[b]] - closeness[at[a]]
                near += np.outer(rivals[:, a].astype(np.float64) - rivals[:, b], change)
                at[a], at[b] = at[b], at[a]
                improved = True
