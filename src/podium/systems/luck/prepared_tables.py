"""A luck function on a grid, prepared for the fastest algorithm that fits it (Cowan, section 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import ParameterError
from podium.systems.luck.chebyshev_sums import (
    LONG_MULTIPLE,
    PANEL_NODES,
    POINTS_MULTIPLE,
    chebyshev_nodes,
    half_table,
    lagrange,
)
from podium.systems.luck.luck_functions import LaplaceMixture, LuckFunction, Sigmoid
from podium.text import shorten

INTERPOLATION_TOLERANCE = 1e-13
"""Of interpolation, relative to the largest chance of any two strengths in the same two panels."""
MOST_PRODUCTS_PER_POINT = 600.0
"""Products for each point that nodes may need to act on each other, before transforms are faster."""
MOST_RUNS = 16
"""Up to this number of runs of equal chances, running totals are the fastest."""
NAIVE_UP_TO_POINTS = 400
"""Up to this number of points, going through all pairs is as fast as Fourier transforms."""
TINY_CHANCE = 1e-4
"""Chances below which transforms, which are wrong by 1e-16 everywhere, leave fewer than twelve digits."""
MOST_MATRIX_POINTS = 4001
"""Points of a grid on which a function of two strengths, and not of their difference, is still a matrix."""
_NO_MATRIX, _NO_RUNS = np.zeros((0, 0)), np.zeros((1, 1), np.int64)


@dataclass(frozen=True)
class LuckGame:
    """How matches are decided: Λ = (1 − β)/2 + β F, and the effect of home advantage; in natural units."""

    luck: LuckFunction
    beta: float
    points: int
    reach: float
    home_luck: LuckFunction | None = None
    shift: float = 0.0
    """The home advantage."""

    @property
    def cell(self) -> float:
        """The distance of two neighbouring points of the grid."""
        return 2.0 * self.reach / (self.points - 1)

    @property
    def strengths(self) -> Floats:
        """The points of the grid, xₖ = −M + 2M k/n (Eq. 5)."""
        return -self.reach + self.cell * np.arange(self.points, dtype=np.float64)

    @property
    def venues(self) -> int:
        """Number of venues: one if home has no effect, else three (neutral, first's home, second's home)."""
        return 3 if self.home_luck is not None or self.shift != 0.0 else 1

    @property
    def functions(self) -> list[LuckFunction]:
        """All luck functions that may decide a match."""
        return [self.luck] if self.home_luck is None else [self.luck, self.home_luck]

    def chances(self, x: Floats, y: Floats, venue: int) -> tuple[Floats, Floats]:
        """Λ and 1 − Λ; for a symmetric function the second is Λ(y, x), which loses no digits."""
        if venue == 0 or self.home_luck is None:
            x = x + (0.0, self.shift, -self.shift)[venue]
            return self._mixed(self.luck(x, y)), self._mixed(self.luck(y, x))
        if venue == 1:
            won = self.home_luck(x, y)
            return self._mixed(won), self._mixed(1.0 - np.asarray(won))
        lost = self.home_luck(y, x)
        return self._mixed(1.0 - np.asarray(lost)), self._mixed(lost)

    def _mixed(self, chance: Floats) -> Floats:
        """With chance 1 − β a coin decides (Example 2.9)."""
        return (1.0 - self.beta) / 2.0 + self.beta * np.asarray(chance, np.float64)

    def on_differences(self, d: Floats) -> tuple[Floats, Floats]:
        """Λ and 1 − Λ for differences of strength: one row for each venue."""
        zero = np.zeros_like(d)
        rows = [self.chances(d, zero, venue) for venue in range(self.venues)]
        return np.stack([row[0] for row in rows]), np.stack([row[1] for row in rows])

    def differences(self) -> Floats:
        """The differences of any two points of the grid, descending."""
        return self.cell * np.arange(self.points - 1, -self.points, -1, dtype=np.float64)


@dataclass(frozen=True)
class Prepared:
    """The tables of a game for one algorithm."""

    algorithm: str
    """Its name as in the parameters, or "steps" for running totals."""
    tables: Floats
    """By venue, what `likelihoods.WIN` and so on say, of each entry: a pair of points, a difference of points
    from the highest to the lowest, or a pair of nodes."""
    width: int
    """Number of points of a belief, including the padding of the last panel."""
    half: Floats
    """The interpolation table of a panel."""
    runs: Longs
    """The start of each run of equal entries, by venue; the last number is the end."""

    @property
    def panels(self) -> int:
        """The number of panels; 0 if the algorithm uses none."""
        return self.width // (2 * self.half.shape[1]) if self.half.size else 0


def check_luck(name: str, luck: LuckFunction, reach: float, symmetric: bool, owner: str) -> None:
    """Refuse a function that is not made for strengths on the line, or is no luck function there."""
    x = np.linspace(-reach, reach, 101)
    with np.errstate(all="ignore"):
        try:
            values = np.asarray(luck(x[:, None], x[None, :]), np.float64)
            values = np.array(np.broadcast_to(values, (len(x), len(x))))
        except Exception as error:  # whatever a function of one's own may raise
            reason = error.reason if isinstance(error, ParameterError) else f"{type(error).__name__}: {error}"
            raise ParameterError(
                f"{owner}: {name}={luck.name} cannot be used on the line: {shorten(reason, 200)}",
                hint="it has to take arrays of strengths from below 0 to above 0",
            ) from None
    if not np.all((values >= 0.0) & (values <= 1.0)):
        raise ParameterError(
            f"{owner}: {name}={luck.name} is not between 0 and 1 for all strengths on the grid",
            hint="a luck function is an expected score",
        )
    if symmetric and not np.allclose(values + values.T, 1.0, rtol=0.0, atol=1e-9):
        raise ParameterError(
            f"{owner}: {name}={luck.name} is not symmetric: Λ(x, y) and Λ(y, x) have to add up to one",
            hint="what favours one side goes into home_luck",
        )


def prepare(game: LuckGame, algorithm: str, owner: str) -> Prepared:
    """The tables of a game for an algorithm; "auto" chooses the fastest that fits."""
    smooth = all(isinstance(function, Sigmoid) for function in game.functions)
    wanted = _fastest(game, smooth) if algorithm == "auto" else algorithm
    if wanted in ("fft", "panels", "laplace") and not smooth:
        other = next(f for f in game.functions if not isinstance(f, Sigmoid))
        raise ParameterError(
            f"{owner}: algorithm {wanted} needs a function of the difference of two strengths, and "
            f"{other.name} is not known to be one",
            hint="algorithm=naive takes any",
        )
    if wanted == "fft" and _least_chance(game) < TINY_CHANCE:
        raise ParameterError(
            f"{owner}: algorithm fft is for games in which every result has a chance of {TINY_CHANCE:g} or "
            f"more, and here one has {_least_chance(game):.2g}: transforms are wrong by 1e-16 everywhere",
            hint="beta below 1, or algorithm=naive",
        )
    if wanted == "laplace" and not _is_laplace(game):
        raise ParameterError(
            f"{owner}: algorithm laplace is for luck functions made of Laplace curves, not {game.luck.name}",
            hint="luck=laplace(1), say, and no home_luck",
        )
    if wanted == "panels":
        panels = _panels(game)
        if panels is None:
            raise ParameterError(
                f"{owner}: algorithm panels is for smooth luck functions, and {game.luck.name} cannot be "
                "interpolated to 1e-13 with fewer nodes than there are points",
                hint="algorithm=fft takes any function of the difference of two strengths",
            )
        size = panel_size(game.points, panels)
        tables = _tables(*game.on_differences(_node_differences(game, panels).reshape(-1)))
        return Prepared(wanted, tables, size * panels, half_table(size // 2), _NO_RUNS)
    if not smooth:
        return Prepared(wanted, _matrices(game, owner), game.points, _NO_MATRIX, _NO_RUNS)
    runs = _runs(game) if wanted == "steps" else _NO_RUNS
    return Prepared(wanted, _tables(*game.on_differences(game.differences())), game.points, _NO_MATRIX, runs)


def _fastest(game: LuckGame, smooth: bool) -> str:
    if not smooth:
        return "naive"
    if _runs(game).shape[1] <= MOST_RUNS + 1:
        return "steps"
    if _panels(game) is not None:
        return "panels"
    if _is_laplace(game):
        return "laplace"
    return "naive" if game.points <= NAIVE_UP_TO_POINTS or _least_chance(game) < TINY_CHANCE else "fft"


def _least_chance(game: LuckGame) -> float:
    return min(float(chances.min()) for chances in game.on_differences(game.differences()))


def _is_laplace(game: LuckGame) -> bool:
    return isinstance(game.luck, LaplaceMixture) and game.home_luck is None


def _runs(game: LuckGame) -> Longs:
    """Where runs of equal entries begin, by venue, and where the last ends; filled up with ends."""
    win, lose = game.on_differences(game.differences())
    changes = (np.diff(win, axis=1) != 0.0) | (np.diff(lose, axis=1) != 0.0)
    entries = win.shape[1]
    runs = np.full((len(win), int(changes.sum(axis=1).max()) + 2), entries, np.int64)
    for venue, row in enumerate(changes):
        starts = np.r_[0, np.flatnonzero(row) + 1]
        runs[venue, : len(starts)] = starts
    return runs


def _matrices(game: LuckGame, owner: str) -> Floats:
    """Tables of all pairs of points."""
    if game.points > MOST_MATRIX_POINTS:
        raise ParameterError(
            f"{owner}: {game.luck.name} is not known to be a function of the difference of two strengths, "
            f"and then {MOST_MATRIX_POINTS} points are the most, not {game.points}",
            hint="make it a Sigmoid",
        )
    x = game.strengths
    shape = (game.points, game.points)
    rows = [game.chances(x[:, None], x[None, :], venue) for venue in range(game.venues)]
    return _tables(*(np.stack([np.broadcast_to(row[i], shape).ravel() for row in rows]) for i in (0, 1)))


def panel_size(points: int, panels: int) -> int:
    """The number of points of each panel; the last may be padded."""
    size = POINTS_MULTIPLE * math.ceil(points / (POINTS_MULTIPLE * panels))
    return size if size <= 1.5 * LONG_MULTIPLE else LONG_MULTIPLE * math.ceil(size / LONG_MULTIPLE)


def _node_differences(game: LuckGame, panels: int) -> Floats:
    """From each node of a panel (a row) to all nodes of the panels from one end of the grid to the other."""
    size = panel_size(game.points, panels)
    nodes = 0.5 * size * game.cell * chebyshev_nodes()
    away = size * game.cell * np.arange(1 - panels, panels)
    return (away[None, :, None] + nodes[None, None, :] - nodes[:, None, None]).reshape(PANEL_NODES, -1)


def _panels(game: LuckGame) -> int | None:
    """The fewest panels, or nearly so, with which interpolation is exact to rounding; None where they would
    be slower than transforms.
    """
    furthest = 2.0 * game.reach + abs(game.shift)
    functions = [function for function in game.functions if isinstance(function, Sigmoid)]
    if any(abs(place) <= furthest for function in functions for place in function.breaks):
        return None
    most = int(min(game.points, math.sqrt(MOST_PRODUCTS_PER_POINT * game.points)) // PANEL_NODES)
    too_few, enough = 0, 1
    while enough < most and not _is_exact(game, enough):
        too_few, enough = enough, min(2 * enough, most)
    if enough > most or not _is_exact(game, enough):
        return None
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if _is_exact(game, middle):
            enough = middle
        else:
            too_few = middle
    # Sizes are rounded up, which may leave the last panel empty.
    return math.ceil(game.points / panel_size(game.points, enough))


def _is_exact(game: LuckGame, panels: int) -> bool:
    """Whether wins, draws and losses at places between the nodes come out right."""
    t = np.cos(np.linspace(0.0, np.pi, 11))
    weights = lagrange(t)
    size = panel_size(game.points, panels)
    places = 0.5 * size * game.cell * t
    away = size * game.cell * np.arange(1 - panels, panels)
    exact = game.on_differences(away[:, None, None] + places[None, None, :] - places[None, :, None])
    nodes = game.on_differences(
        _node_differences(game, panels).reshape(PANEL_NODES, len(away), PANEL_NODES).swapaxes(0, 1)
    )
    for theta in (1.0, 0.5, 0.0):
        there, here = (chances[0] ** theta * chances[1] ** (1.0 - theta) for chances in (exact, nodes))
        found = np.einsum("ai,vdab,bj->vdij", weights, here, weights)
        if np.any(np.abs(found - there) > INTERPOLATION_TOLERANCE * here.max(axis=(2, 3), keepdims=True)):
            return False
    return True


def _tables(win: Floats, lose: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.stack([win, lose, np.sqrt(win * lose), np.log(win), np.log(lose)], axis=1)
