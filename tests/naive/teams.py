"""Teams out of lobbies, one split at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product


def splits(sizes: Sequence[int], team: int) -> list[tuple[int, ...]]:
    """Every way to put each party on side 0 or 1 so that both have `team` members."""
    return [
        sides
        for sides in product((0, 1), repeat=len(sizes))
        if sum(n for n, side in zip(sizes, sides, strict=True) if side == 0) == team
        and sum(n for n, side in zip(sizes, sides, strict=True) if side == 1) == team
    ]


def least_gap(
    lobby: Sequence[Sequence[int]],
    team: int,
    wanted: Sequence[float],
    chance: Callable[[list[int], list[int]], float],
    apart: bool = False,
) -> float:
    """The least mean over players of |wanted − chance of their team| that any split has."""
    gaps = []
    for sides in splits([len(party) for party in lobby], team):
        if apart and sides[0] == sides[1]:
            continue
        teams = [[p for party, s in zip(lobby, sides, strict=True) if s == i for p in party] for i in (0, 1)]
        won = chance(*teams)
        missed = [abs(wanted[p] - won) for p in teams[0]] + [abs(wanted[p] - (1 - won)) for p in teams[1]]
        gaps.append(sum(missed) / len(missed))
    return min(gaps)
