"""Win probabilities of two normal beliefs read from a table, for the many pairs that a pool compares.

The mean of Λ over two beliefs depends on the difference d of their means and on the variance v of that
difference. Both are put on a grid once for a game, and between its points a polynomial of the third degree in
each direction goes through the sixteen nearest (Lagrange). Where the luck function is smooth so is the mean.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats
from podium.numerics.jit import kernel
from podium.systems.luck.grid_beliefs import mean_over_normals
from podium.systems.luck.luck_functions import Sigmoid
from podium.systems.luck.prepared_tables import LuckGame

TABLE_ERROR = 1e-5
"""By how much a chance from a table may miss the exact one."""
DIFFERENCE_STEP, DIFFERENCE_REACH = 0.125, 16.0
"""Of the grid of differences, in units in which odds of ten to one are ln 10."""
VARIANCE_STEPS, VARIANCE_REACH = 40, 100.0
"""Of the grid of variances, equally spaced in ln(1 + 4v): the wider a belief, the smoother is the mean. It
reaches to deviations of 1,228 points on both sides, where Luck's own grid ends."""
CHECKED_EVERY = 7
"""Cells between those in whose middle a new table is compared with the exact chances."""


class ChanceTable(NamedTuple):
    """Chances by difference and variance; a point more on each side than the table is good for."""

    chance: Floats
    step: float
    """Between two points, in ln(1 + 4v)."""

    def read(self, difference: Floats, variance: Floats) -> Floats:
        """The chances for differences and variances that are inside."""
        out = np.empty(len(difference))
        _read(self.chance, difference, np.log1p(4.0 * variance), self.step, out)
        return out


def are_inside(difference: Floats, variance: Floats) -> Bools:
    """Which of these tables reach."""
    inside: Bools = (np.abs(difference) < DIFFERENCE_REACH - DIFFERENCE_STEP) & (variance < VARIANCE_REACH)
    return inside


@lru_cache(maxsize=16)
def chance_table(game: LuckGame, functions: tuple[int, int]) -> ChanceTable | None:
    """The table of a game, for neutral ground; None where a luck function is not smooth enough for one.

    `functions` tells games apart whose functions have the same names.
    """
    if not all(isinstance(function, Sigmoid) and not function.breaks for function in game.functions):
        return None
    differences = np.arange(-DIFFERENCE_REACH, DIFFERENCE_REACH + DIFFERENCE_STEP / 2, DIFFERENCE_STEP)
    step = float(np.log1p(4.0 * VARIANCE_REACH)) / VARIANCE_STEPS
    # The point below a variance of zero has that of the point above: the mean goes on smoothly through zero.
    places = step * np.arange(-1, VARIANCE_STEPS + 2)
    deviations = np.sqrt(np.maximum(np.expm1(places), 0.0) / 4.0)
    chance = _means(game, differences[:, None], deviations)
    chance[:, 0] = 4.0 * chance[:, 1] - 6.0 * chance[:, 2] + 4.0 * chance[:, 3] - chance[:, 4]
    table = ChanceTable(chance, step)
    between = differences[1:-2:CHECKED_EVERY] + DIFFERENCE_STEP / 2
    variance = np.expm1(step * (np.arange(VARIANCE_STEPS) + 0.5)) / 4.0
    exact = _means(game, between[:, None], np.sqrt(variance))
    grid = np.broadcast_arrays(between[:, None], variance)
    missed = np.abs(table.read(*(one.ravel() for one in grid)) - exact.ravel()).max()
    return table if missed <= TABLE_ERROR / 2 else None


def _means(game: LuckGame, difference: Floats, deviation: Floats) -> Floats:
    nothing = np.zeros(1)
    return mean_over_normals(game, difference, deviation, nothing, nothing, nothing)


@kernel
def _weights(x: float, out: Floats) -> None:
    """Lagrange's weights of the points −1, 0, 1 and 2 for a place from 0 to 1."""
    out[0] = -x * (x - 1.0) * (x - 2.0) / 6.0
    out[1] = (x + 1.0) * (x - 1.0) * (x - 2.0) / 2.0
    out[2] = -(x + 1.0) * x * (x - 2.0) / 2.0
    out[3] = (x + 1.0) * x * (x - 1.0) / 6.0


@kernel
def _read(chance: Floats, difference: Floats, place: Floats, step: float, out: Floats) -> None:
    along, across = np.empty(4), np.empty(4)
    for e in range(len(out)):
        x, y = (difference[e] + DIFFERENCE_REACH) / DIFFERENCE_STEP, place[e] / step + 1.0
        i, j = int(x), int(y)
        _weights(x - i, along)
        _weights(y - j, across)
        total = 0.0
        for a in range(4):
            row = 0.0
            for b in range(4):
                row += across[b] * chance[i + a - 1, j + b - 1]
            total += along[a] * row
        out[e] = total
