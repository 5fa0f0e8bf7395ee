"""Measures of a live game, one player and one game at a time, from a list of games as dictionaries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby, product
from typing import Any

Game = Mapping[str, Any]


def sequences(games: Iterable[Game], since: float, left_out: set[int]) -> dict[int, list[tuple[float, bool]]]:
    """Each player's finished games from a moment on, in order: when, and whether they won."""
    of: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for game in games:
        if game["score"] == game["score"] and game["start"] >= since:
            of[game["first"]].append((game["start"], game["score"] == 1.0))
            of[game["second"]].append((game["start"], game["score"] == 0.0))
    return {player: results for player, results in of.items() if player not in left_out}


def streak_lengths(results: Sequence[bool]) -> dict[bool, list[int]]:
    """Lengths of the longest stretches of equal results."""
    lengths: dict[bool, list[int]] = {True: [], False: []}
    for won, stretch in groupby(results):
        lengths[won].append(len(list(stretch)))
    return lengths


def coin_lengths(tosses: int) -> Counter[int]:
    """How many streaks of heads of each length there are on average, by tossing a coin in every way."""
    total: Counter[int] = Counter()
    for way in product((False, True), repeat=tosses):
        for length in streak_lengths(way)[True]:
            total[length] += 1
    return Counter({length: Fraction(count, 2**tosses) for length, count in total.items()})


def windows(results: Sequence[bool], size: int) -> list[int]:
    """Games won among the last ones, after each game that has so many."""
    return [sum(results[stop - size : stop]) for stop in range(size, len(results) + 1)]


def rematches(games: Iterable[Game]) -> tuple[int, int]:
    """How many sides of games met their last opponent again, and how many sides there are."""
    last: dict[int, int] = {}
    again = sides = 0
    for game in games:
        for player, opponent in ((game["first"], game["second"]), (game["second"], game["first"])):
            again += last.get(player) == opponent
            sides += 1
            last[player] = opponent
    return again, sides


def elo_chance(mine: float, theirs: float) -> float:
    return 1 / (1 + 10 ** (-(mine - theirs) / 400))


def errors(games: Iterable[Game], step: float, most: int) -> list[tuple[int, float]]:
    """Each side's player and error, without the mean error of all in the same part of time.

    There are so many parts at `most`; the very last moment belongs to the last of them.
    """
    parts: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for game in games:
        for side in ("first", "second"):
            error = game[f"rating_{side}"] - game[f"skill_{side}"]
            parts[min(int(game["start"] // step), most - 1)].append((game[side], error))
    centred = []
    for sides in parts.values():
        mean = sum(error for _, error in sides) / len(sides)
        centred += [(player, error - mean) for player, error in sides]
    return centred
