"""Chances in a free-for-all straight from their definition: integrals over performances, outcome by outcome.

A player is (location, scale). Sums run over a fine even grid, on which the trapezoid rule converges faster
than any power of the step for densities that vanish smoothly at both ends.
"""

import math
from itertools import combinations

Player = tuple[float, float]

ENDS = {"gumbel": (-4.0, 40.0), "normal": (-9.0, 9.0), "logistic": (-40.0, 40.0)}


def density(family: str, player: Player, x: float) -> float:
    location, scale = player
    z = (x - location) / scale
    if family == "gumbel":
        return math.exp(-z - math.exp(-z)) / scale
    if family == "logistic":
        return math.exp(-abs(z)) / (1 + math.exp(-abs(z))) ** 2 / scale
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) / scale


def chance_above(family: str, player: Player, x: float) -> float:
    location, scale = player
    z = (x - location) / scale
    if family == "gumbel":
        return -math.expm1(-math.exp(-z))
    if family == "logistic":
        return math.exp(-z) / (1 + math.exp(-z)) if z > 0 else 1 / (1 + math.exp(z))
    return math.erfc(z / math.sqrt(2)) / 2


def grid(family: str, player: Player, players: list[Player], per_scale: int) -> tuple[list[float], float]:
    """Where a player's performance may lie, in steps that the narrowest of all needs."""
    low, high = ENDS[family]
    location, scale = player
    step = min(s for _, s in players) / per_scale
    first, last = math.floor((location + low * scale) / step), math.ceil((location + high * scale) / step)
    return [step * i for i in range(first, last + 1)], step


def place_chance(family: str, players: list[Player], i: int, place: int) -> float:
    """Over every performance of i, and every choice of `place` − 1 others who are above it."""
    xs, step = grid(family, players[i], players, 6)
    others = [player for j, player in enumerate(players) if j != i]
    total = 0.0
    for x in xs:
        above = [chance_above(family, other, x) for other in others]
        here = 0.0
        for better in combinations(range(len(others)), place - 1):
            here += math.prod(p if j in better else 1 - p for j, p in enumerate(above))
        total += step * density(family, players[i], x) * here
    return total


def order_chance(family: str, players: list[Player], per_scale: int = 60) -> float:
    """The chance that the players come in in just this order, the best first: an integral inside another.

    The worst is below x, the next lies at x: integrate that up to x, and so on. Each step's integral is that
    of the cubic through four points, so the error falls with the fourth power of the step.
    """
    low, high = ENDS[family]
    step = min(s for _, s in players) / per_scale
    first = math.floor(min(m + low * s for m, s in players) / step)
    last = math.ceil(max(m + high * s for m, s in players) / step)
    xs = [step * i for i in range(first, last + 1)]
    below = [1.0] * len(xs)
    for player in reversed(players):
        f = [density(family, player, x) * b for x, b in zip(xs, below, strict=True)]
        f = [0.0, *f, 0.0]
        below = [0.0]
        for i in range(1, len(f) - 2):
            below.append(below[-1] + step / 24 * (-f[i - 1] + 13 * f[i] + 13 * f[i + 1] - f[i + 2]))
    return below[-1]


def pair_chance(family: str, a: Player, b: Player) -> float:
    """The chance that a performs above b."""
    xs, step = grid(family, a, [a, b], 6)
    return sum(step * density(family, a, x) * (1 - chance_above(family, b, x)) for x in xs)


def expected_rank(family: str, players: list[Player], i: int) -> float:
    """One, and everybody else's chance to be better."""
    return 1 + sum(pair_chance(family, b, players[i]) for j, b in enumerate(players) if j != i)
