"""Beliefs on a grid: normal ones, merged ones, and what two of them expect of each other.

A pool compares many pairs, so win probabilities of two normal beliefs are read from a table. The mean of Λ
over two beliefs depends on the difference d of their means and on the variance v of that difference. Both are
put on a grid once for a game, and between its points a polynomial of the third degree in each direction goes
through the sixteen nearest (Lagrange). Where the luck function is smooth so is the mean.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats
from podium.numerics.jit import kernel
from podium.systems.luck.array_sums import LEAST_MASS
from podium.systems.luck.growth import NARROW_DEVIATION
from podium.systems.luck.luck_functions import Sigmoid
from podium.systems.luck.prepared_tables import LuckGame

TRAPEZOID_STEP, TRAPEZOID_REACH = 0.05, 8.0
"""Of the trapezoid rule over a normal density, in deviations: exact to rounding for smooth luck functions
and deviations up to some thousand points, to about 0.01 for functions with steps."""
PAIRS_AT_ONCE = 4096
LEAST_OVERLAP = 1e-4
"""Of its peak, what a belief has to hold where two of them are to meet."""


def discretised(points: Floats, mean: float, deviation: float) -> Floats:
    """A normal belief on equally spaced points (Eq. 5)."""
    cell = float(points[1] - points[0])
    place = min(max((mean - points[0]) / cell, 0.0), len(points) - 1.0)
    spread = deviation / cell
    mass = np.zeros(len(points))
    if spread < NARROW_DEVIATION:
        nearest = round(place)
        offset = place - nearest
        square = max(spread * spread + offset * offset, abs(offset))  # the least that has this mean
        for neighbour, share in (
            (-1, (square - offset) / 2.0),
            (0, 1.0 - square),
            (1, (square + offset) / 2.0),
        ):
            mass[min(max(nearest + neighbour, 0), len(points) - 1)] += share
        return mass
    away = (np.arange(len(points)) - place) / spread
    mass[:] = np.exp(-0.5 * away * away)
    mass /= mass.sum()
    mass[mass < LEAST_MASS] = 0.0
    return mass


def merged_evidence(away: Floats, deviation: float, masses: Floats) -> Floats | None:
    """Two beliefs that started from one normal belief, multiplied, and that belief divided out once.

    None where they contradict each other, so that all hangs on masses next to nothing, and where the outcome
    would be less certain than either: the evidence of a belief wider than the start cannot be told from it.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(masses).sum(axis=0) + 0.5 * np.square(away / deviation)
    agreed = int(np.argmax(logs))
    if not np.all(masses[:, agreed] > LEAST_OVERLAP * masses.max(axis=1)):
        return None
    merged = np.exp(logs - logs.max())
    merged /= merged.sum()
    merged[merged < LEAST_MASS] = 0.0
    rows = np.stack([*masses, merged])
    means = rows @ away
    variances: Floats = (rows * np.square(away - means[:, None])).sum(axis=1)
    return merged if variances[2] <= variances[:2].min() else None


def curve_range(game: LuckGame) -> float:
    """The rise of the luck function from the weakest to the strongest opponent."""
    lowest, highest = (float(game.luck(np.array([x]), np.array([-x]))[0]) for x in (-game.reach, game.reach))
    return highest - lowest


def curve_variance(game: LuckGame) -> float:
    """The variance of the difference of performances that the luck function implies, in natural units."""
    d = game.differences()[::-1]
    rise = np.diff(np.asarray(game.luck(0.5 * d, -0.5 * d), np.float64))
    middle = 0.5 * (d[1:] + d[:-1])
    return float(np.sum(rise * np.square(middle)) / rise.sum()) if rise.sum() > 0.0 else 0.0


def mean_over_normals(
    game: LuckGame, a: Floats, wide_a: Floats, b: Floats, wide_b: Floats, home: Floats
) -> Floats:
    """The mean of Λ over two normal strengths, at the venue given by the sign of `home`."""
    a, wide_a, b, wide_b, home = np.broadcast_arrays(a, wide_a, b, wide_b, home)
    flat = [np.atleast_1d(values).ravel() for values in (a, wide_a, b, wide_b, home)]
    difference = all(isinstance(function, Sigmoid) for function in game.functions)
    out = np.empty(len(flat[0]))
    for start in range(0, len(out), PAIRS_AT_ONCE):
        out[start : start + PAIRS_AT_ONCE] = (_by_difference if difference else _by_pairs)(
            game, *(values[start : start + PAIRS_AT_ONCE] for values in flat)
        )
    return out.reshape(a.shape)


def _normal_nodes(step: float) -> tuple[Floats, Floats]:
    z = np.arange(-TRAPEZOID_REACH, TRAPEZOID_REACH + step / 2.0, step)
    weights = np.exp(-0.5 * z * z)
    return z, weights / weights.sum()


def _by_difference(
    game: LuckGame, a: Floats, wide_a: Floats, b: Floats, wide_b: Floats, home: Floats
) -> Floats:
    z, weights = _normal_nodes(TRAPEZOID_STEP)
    d = (a - b)[:, None] + np.hypot(wide_a, wide_b)[:, None] * z
    return _at_venues(game, d, np.zeros_like(d), home) @ weights


def _by_pairs(game: LuckGame, a: Floats, wide_a: Floats, b: Floats, wide_b: Floats, home: Floats) -> Floats:
    z, weights = _normal_nodes(10.0 * TRAPEZOID_STEP)
    one, other = (x[:, None] + wide[:, None] * z for x, wide in ((a, wide_a), (b, wide_b)))
    chances = [
        weights @ _at_venues(game, x[:, None], y[None, :], sign[None]) @ weights
        for x, y, sign in zip(one, other, home, strict=True)
    ]
    return np.array(chances)


def _at_venues(game: LuckGame, x: Floats, y: Floats, home: Floats) -> Floats:
    """Λ, at the venue of each row."""
    if game.venues == 1:
        return np.broadcast_to(game.chances(x, y, 0)[0], np.broadcast_shapes(x.shape, y.shape))
    nowhere, here, there = (game.chances(x, y, venue)[0] for venue in range(3))
    sign = home[:, None]
    return np.where(sign > 0, here, np.where(sign < 0, there, nowhere))


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
