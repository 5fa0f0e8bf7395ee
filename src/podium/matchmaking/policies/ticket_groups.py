"""Tickets divided in several ways at once: into groups, and into kinds."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from podium.arrays import Bools, Longs
from podium.matchmaking.pool.growing_tables import numbered

MOST_GROUPS = 256
"""Groups that are told apart; what divides further is looked at meeting by meeting only."""


def both_groups(one: Bools | None, other: Bools, most: int = MOST_GROUPS) -> Bools | None:
    """Groups of tickets that share a group of both kinds; `one` alone if that makes more than `most`."""
    if one is None:
        return other if other.shape[1] <= most else None
    columns = one.shape[1] * other.shape[1]
    if columns > most:
        return one
    # A group's column in one piece: whoever asks for its members goes along it.
    joint: Bools = (one.T[:, None] & other.T[None]).reshape(columns, len(one))
    return joint[joint.any(axis=1)].T


def both_kinds(one: Longs, other: NDArray[Any]) -> Longs:
    """A number for each combination of both, from 0 on without gaps."""
    number = numbered(other)
    return numbered(one * (number.max(initial=0) + 1) + number)
