"""Lobbies by trying every set of tickets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from naive.teams import splits

Allowed = Callable[[int, int], bool]


def is_lobby(tickets: Sequence[int], sizes: Sequence[int], sides: int, team: int, allowed: Allowed) -> bool:
    """Whether these tickets make a match: sizes fill it, parties stay together, and all pairs are allowed."""
    mine = [sizes[t] for t in tickets]
    if sum(mine) != sides * team or not all(allowed(a, b) for a, b in combinations(tickets, 2)):
        return False
    return bool(splits(mine, team)) if sides == 2 else max(mine) == 1


def lobbies_with(
    seed: int, free: Sequence[int], sizes: Sequence[int], sides: int, team: int, allowed: Allowed
) -> Iterator[tuple[int, ...]]:
    """Every lobby of free tickets that has the seed in it."""
    others = [t for t in free if t != seed]
    for count in range(1, len(others) + 1):
        for chosen in combinations(others, count):
            if is_lobby((seed, *chosen), sizes, sides, team, allowed):
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
