"""Lobbies by trying every set of tickets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations, product

Allowed = Callable[[int, int], bool]


Party = Sequence[set[str]]
"""The roles that each member would play."""


def can_share(side: Sequence[str], players: Party) -> bool:
    """Whether everybody can have a place of a side with a role that they play."""
    if len(players) > len(side):
        return False
    return any(
        all(role in roles for role, roles in zip(places, players, strict=False))
        for places in set(permutations(side, len(players)))
    )


def seatings(parties: Sequence[Party], sides: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
    """Every way to put each party on a side where all have a place; places may be left."""
    found = []
    for where in product(range(len(sides)), repeat=len(parties)):
        there = [
            [m for party, at in zip(parties, where, strict=True) if at == i for m in party]
            for i in range(len(sides))
        ]
        if all(can_share(side, members) for side, members in zip(sides, there, strict=True)):
            found.append(where)
    return found


def can_fill(sizes: Sequence[int], rooms: Sequence[int]) -> bool:
    """Whether parties of these sizes fill sides of these sizes, each party on one side."""
    if not sizes:
        return not any(rooms)
    first, *rest = sizes
    return any(
        can_fill(rest, [*rooms[:i], room - first, *rooms[i + 1 :]])
        for i, room in enumerate(rooms)
        if room >= first
    )


def is_lobby(tickets: Sequence[int], sizes: Sequence[int], sides: Sequence[int], allowed: Allowed) -> bool:
    """Whether these tickets make a match: sizes fill it, parties stay together, and all pairs are allowed."""
    mine = sorted((sizes[t] for t in tickets), reverse=True)
    if sum(mine) != sum(sides) or not all(allowed(a, b) for a, b in combinations(tickets, 2)):
        return False
    return can_fill(mine, sides)


def lobbies_with(
    seed: int,
    free: Sequence[int],
    sizes: Sequence[int],
    sides: Sequence[int],
    allowed: Allowed,
    can_sit: Callable[[Sequence[int]], bool] = lambda tickets: True,
) -> Iterator[tuple[int, ...]]:
    """Every lobby of free tickets that has the seed in it."""
    others = [t for t in free if t != seed]
    for count in range(1, len(others) + 1):
        for chosen in combinations(others, count):
            if is_lobby((seed, *chosen), sizes, sides, allowed) and can_sit((seed, *chosen)):
                yield (seed, *chosen)


def best_windows(
    n: int,
    players: int,
    cost: Callable[[int, int], float],
    tolerance: float,
    gap: Callable[[list[int]], float] = lambda lobby: 0.0,
) -> float:
    """The largest Σ 1/(1 + cost) of disjoint windows of neighbours; cost and gap of each are tolerated."""
    if n < players:
        return 0.0
    start = n - players
    pairs = list(combinations(range(start, n), 2))
    mean = sum(cost(a, b) for a, b in pairs) / len(pairs)
    without = best_windows(n - 1, players, cost, tolerance, gap)
    if mean + gap(list(range(start, n))) > tolerance:
        return without
    return max(without, best_windows(start, players, cost, tolerance, gap) + 1 / (1 + mean))
