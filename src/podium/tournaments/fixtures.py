"""Chances of a league from its list of matches: those that are played count, the rest is played by chance."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium.errors import InputError, UnknownPlayerError
from podium.tournaments.chances import Chances, sorted_chances

if TYPE_CHECKING:
    from podium.ladder.ladder import Ladder

AT_ONCE = 2_000
"""Simulations whose places are counted together: a league of 20 takes some megabytes."""
SIDES = (("a", "b"), ("home", "away"), ("player_a", "player_b"), ("white", "black"))
"""Names of the two columns of a list of matches."""


class Fixture(NamedTuple):
    """A match of a league; without points it is not played yet."""

    first: str
    second: str
    points: tuple[float, float] | None = None


def simulate_fixtures(
    ladder: Ladder,
    fixtures: Iterable[Fixture | Sequence[str]],
    *,
    points: tuple[float, float, float] = (1.0, 0.5, 0.0),
    simulations: int = 10_000,
    seed: int = 0,
) -> Chances:
    """The chances of every place of a league whose matches are known.

    Args:
        ladder: The ratings that the chances come from.
        fixtures: Pairs of players, or `Fixture` with a result.
        points: Points of a win, a draw and a loss, such as (3, 1, 0).
        simulations: How often the open matches are played.
        seed: Seed of the simulations.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> for name, rating in {"ann": 1700, "bob": 1500, "cat": 1500}.items():
    ...     _ = ladder.adjust(podium.SetRating(player=name, mu=rating))
    >>> found = simulate_fixtures(ladder, [("ann", "bob"), ("bob", "cat"), ("cat", "ann")])
    >>> found.players[0], found.title["ann"] > 0.5
    ('ann', True)
    """
    matches = [one if isinstance(one, Fixture) else Fixture(one[0], one[1]) for one in fixtures]
    if not matches or simulations < 1:
        raise InputError("chances need a match" if simulations >= 1 else f"{simulations} simulations")
    players = list(dict.fromkeys(name for one in matches for name in (one.first, one.second)))
    if missing := [name for name in players if name not in ladder]:
        raise UnknownPlayerError(f"{missing[0]!r} is not on the ladder")
    number = {player: i for i, player in enumerate(players)}
    start = np.zeros(len(players))
    open_: list[tuple[int, int, float, float]] = []
    win, draw, loss = points
    for one in matches:
        a, b = number[one.first], number[one.second]
        if a == b:
            raise InputError(f"{one.first!r} cannot play against themselves")
        if one.points is None:
            found = ladder.outcomes(one.first, one.second)
            open_.append((a, b, found.win, found.draw))
        else:
            ours, theirs = one.points
            start[a] += win if ours > theirs else draw if ours == theirs else loss
            start[b] += win if theirs > ours else draw if ours == theirs else loss
    chance, counts = np.random.default_rng(seed), np.zeros((len(players), len(players)))
    for first in range(0, simulations, AT_ONCE):
        size = min(AT_ONCE, simulations - first)
        totals = np.tile(start, (size, 1))
        for a, b, wins, draws in open_:
            drawn = chance.random(size)
            won, even = drawn < wins, (drawn >= wins) & (drawn < wins + draws)
            totals[:, a] += np.where(won, win, np.where(even, draw, loss))
            totals[:, b] += np.where(won, loss, np.where(even, draw, win))
        places = (totals[:, None, :] > totals[:, :, None] + 1e-9).sum(axis=2)
        for i in range(len(players)):
            counts[i] += np.bincount(places[:, i], minlength=len(players))
    return sorted_chances(players, counts / simulations, simulations)


def read_fixtures(path: str | os.PathLike[str]) -> list[Fixture] | list[str | None]:
    """A file of matches, or a draw: one column of players in the order of the bracket, empty for a bye.

    Matches have two columns, such as `a` and `b` or `home` and `away`. A third one, `score`, may have
    results such as 2:1.
    """
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    rows = [row for row in rows if row]
    if not rows:
        raise InputError("an empty file", source=str(path))
    head = [cell.lower() for cell in rows[0]]
    if len(head) == 1:
        names = rows[1:] if head[0] in ("player", "name") else rows
        return [row[0] or None for row in names]
    sides = next((pair for pair in SIDES if set(pair) <= set(head)), None)
    if sides is None:
        raise InputError(
            f"no columns {SIDES[0][0]} and {SIDES[0][1]}, or {SIDES[1][0]} and {SIDES[1][1]}",
            source=str(path),
        )
    columns = [head.index(side) for side in sides]
    score = head.index("score") if "score" in head else None
    found = []
    for line, row in enumerate(rows[1:], 2):
        cells = [*row, *[""] * (len(head) - len(row))]
        text = "" if score is None else cells[score]
        points = _points(text, str(path), line) if text else None
        found.append(Fixture(cells[columns[0]], cells[columns[1]], points))
    return found


def _points(text: str, source: str, line: int) -> tuple[float, float]:
    parts = text.replace("½", ".5").replace("–", ":").replace("-", ":").split(":")
    try:
        ours, theirs = (float(part) for part in parts)
    except ValueError:
        raise InputError(f"{text!r} is not a score", source=source, line=line, hint="such as 2:1") from None
    return ours, theirs
