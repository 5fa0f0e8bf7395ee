"""Simulated seasons one row at a time. What a seed means is the order in which numbers are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def places(performances: Sequence[float]) -> list[int]:
    """One more than the number of those who did better."""
    return [1 + sum(other > mine for other in performances) for mine in performances]


def contests(
    players: int, contests: int, participants: int, drift: float, seed: int
) -> list[list[tuple[int, int, float]]]:
    """Section 6.1 of the Elo-MMR paper: for each contest, who took part, at which place, with which skill."""
    chance = np.random.default_rng(seed)
    skill = [1500.0 + 350.0 * z for z in chance.standard_normal(players).tolist()]
    season = []
    for number in range(contests):
        if number:
            skill = [
                s + drift * z for s, z in zip(skill, chance.standard_normal(players).tolist(), strict=True)
            ]
        there = chance.choice(players, participants, replace=False).tolist()
        noise = chance.standard_normal(participants).tolist()
        performed = [skill[p] + 200.0 * z for p, z in zip(there, noise, strict=True)]
        season.append([(p, place, skill[p]) for p, place in zip(there, places(performed), strict=True)])
    return season


def davidson(expected: float, draw_rate: float) -> tuple[float, float]:
    """The chances to win and to draw of somebody who expects such a score (Davidson 1970), by bisection.

    Strengths a and b win by a : b, and draw by ν √(ab).
    """
    nu = 2.0 * draw_rate / (1.0 - draw_rate)
    low, high = -60.0, 60.0
    for _ in range(200):
        x = (low + high) / 2.0
        a, b = math.exp(x / 2.0), math.exp(-x / 2.0)
        win, draw = a / (a + b + nu), nu / (a + b + nu)
        low, high = (x, high) if win + draw / 2.0 < expected else (low, x)
    return win, draw


def matches(
    players: int,
    total: int,
    a_round: int,
    *,
    drift: float,
    seed: int,
    beta: float,
    draw_rate: float,
    home_advantage: float,
) -> list[tuple[int, int, float, float]]:
    """Matches of people paired at random: the two, the score of the first and what it could expect."""
    chance = np.random.default_rng(seed)
    skill = 1500.0 + 350.0 * chance.standard_normal(players)
    played: list[tuple[int, int, float, float]] = []
    while len(played) < total:
        if played:
            skill = skill + drift * chance.standard_normal(players)
        count = min(a_round, total - len(played))
        who = chance.choice(players, 2 * count, replace=False).tolist()
        for match, drawn in enumerate(chance.random(count).tolist()):
            a, b = who[2 * match], who[2 * match + 1]
            ahead = skill[a] + home_advantage - skill[b]
            expected = beta / (1.0 + 10.0 ** (-ahead / 400.0)) + (1.0 - beta) * 0.5
            win, draw = davidson(expected, draw_rate) if draw_rate else (expected, 0.0)
            score = 1.0 if drawn < win else 0.5 if drawn < win + draw else 0.0
            played.append((a, b, score, expected))
    return played


def balanced(skills: Sequence[float], teams: int) -> list[list[float]]:
    """Teams chosen in turn from the best on; who chose last chooses first in the next turn."""
    chosen: list[list[float]] = [[] for _ in range(teams)]
    order = list(range(teams))
    waiting = sorted(skills, reverse=True)
    while waiting:
        for team in order:
            chosen[team].append(waiting.pop(0))
        order.reverse()
    return chosen


def practised(talent: float, to_learn: float, played: int, events: float) -> float:
    """Every event leaves the same part of what is still to learn."""
    for _ in range(played):
        to_learn *= math.exp(-1.0 / events)
    return talent - to_learn
