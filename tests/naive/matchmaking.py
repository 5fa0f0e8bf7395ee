"""Matchmaking straight from Yuksel (2024), section 4: one player, one swap, one pair at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np


def wanted_chance(scores: Sequence[Fraction], n: int, rate: Fraction) -> Fraction:
    """Eq. (24) where at least n games were played, Eq. (25) where fewer; `scores` are all games in order."""
    if len(scores) >= n:
        w = sum(scores[-n:], Fraction(0))
        return (rate * (2 * n + 1) - w) / (n + 1)
    m, w = len(scores), sum(scores, Fraction(0))
    return (rate * (n + m + 1) - w) / (n + 1)


def expected_rate(scores: Sequence[Fraction], n: int, p: Fraction) -> Fraction:
    """Eq. (23): the win rate of the last n games and n + 1 more with chance p each."""
    counted = scores[-n:]
    return (sum(counted, Fraction(0)) + (n + 1) * p) / (len(counted) + n + 1)


def elo_chance(mine: float, theirs: float) -> float:
    """Eq. (1)."""
    return 1 / (1 + 10 ** (-(mine - theirs) / 400))


def opponent(mine: float, p: float) -> float:
    """Eq. (26) for Elo's curve: p = 1/(1 + 10^(−(mine − r)/400)) solved for r."""
    return mine + 400 * math.log10(1 / p - 1)


def swapped(order: Sequence[int], before: int, after: int, chances: Sequence[float]) -> list[int]:
    """Each place in turn swaps with one of those from `before` ahead of it to `after` behind it."""
    result = list(order)
    for i, chance in enumerate(chances):
        candidates = [j for j in range(i - before, i + after + 1) if 0 <= j < len(result)]
        j = candidates[math.floor(chance * len(candidates))]
        result[i], result[j] = result[j], result[i]
    return result


def elo_rounds(
    skill: Sequence[float], rounds: int, window: int, n: int, k: float, seed: int
) -> Iterator[list[float]]:
    """Ratings after each round of an even population that is sorted by wanted opponent, shuffled and rated.

    Numbers are drawn in the order in which they are needed: for ties, for swaps, for results.
    """
    chance = np.random.default_rng(seed)
    rating = [1500.0] * len(skill)
    scores: list[list[Fraction]] = [[] for _ in skill]
    for _ in range(rounds):
        target = [
            opponent(r, float(wanted_chance(s, n, Fraction(1, 2))))
            for r, s in zip(rating, scores, strict=True)
        ]
        order = sorted(chance.permutation(len(skill)).tolist(), key=target.__getitem__)
        order = swapped(order, window // 2, window // 2, chance.random(len(skill)).tolist())
        games = list(zip(order[0::2], order[1::2], strict=True))
        for (a, b), luck in zip(games, chance.random(len(games)).tolist(), strict=True):
            won = 1 if luck < elo_chance(skill[a], skill[b]) else 0
            change = k * (won - elo_chance(rating[a], rating[b]))
            rating[a] += change
            rating[b] -= change
            scores[a].append(Fraction(won))
            scores[b].append(Fraction(1 - won))
        yield list(rating)
