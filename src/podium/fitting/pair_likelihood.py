"""The likelihood of votes between two, and how it changes with every parameter.

The parameters in order: strengths, the tie parameter (if there are ties), effects of what else explains a
vote, logarithms of judges' slopes, judges' biases towards the side shown first. The difference that a vote
sees is d = e^γ (θ_a − θ_b) + x·β + b with the slope e^γ and the bias b of its judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.fitting.pair_cells import PairCells
from podium.fitting.pair_models import Chances, PairModel


@dataclass(frozen=True, eq=False)
class PairLikelihood:
    """The log likelihood of some votes under a model, less the penalty of priors.

    Attributes:
        cells: The votes.
        model: The model.
        has_tie: Whether ties have a parameter.
        precision: Of each parameter's normal prior around 0; 0 for none.
    """

    cells: PairCells
    model: PairModel
    has_tie: bool
    precision: Floats

    @property
    def players(self) -> int:
        """Number of strengths."""
        return self.cells.players

    @property
    def effects_from(self) -> int:
        """The number of the first effect among the parameters."""
        return self.players + self.has_tie

    @property
    def judges_from(self) -> int:
        """The number of the first judge's slope among the parameters; biases follow the slopes."""
        return self.effects_from + len(self.cells.design.T)

    @cached_property
    def size(self) -> int:
        """Number of parameters."""
        size: int = self.judges_from + 2 * self.cells.judges
        return size

    def tie(self, parameters: Floats) -> float:
        """The tie parameter; 0 where there is none."""
        return float(parameters[self.players]) if self.has_tie else 0.0

    def start(self) -> Floats:
        """Equal strengths, ties as often as they are, and no other effects."""
        start = np.zeros(self.size)
        if self.has_tie:
            start[self.players] = self.model.tie_start(self.cells.counts[1].sum() / self.cells.total)
        return start

    def is_inside(self, parameters: Floats) -> bool:
        """Whether the likelihood is defined there."""
        inside = np.isfinite(parameters).all() and np.abs(parameters).max(initial=0.0) < 1e6
        return bool(inside) and (not self.has_tie or self.tie(parameters) > self.model.lowest_tie)

    def slopes(self, parameters: Floats) -> Floats | float:
        """The slope of each cell's judge; 1 without judges."""
        if self.cells.judge is None:
            return 1.0
        return np.exp(parameters[self.judges_from + self.cells.judge])

    def differences(self, parameters: Floats) -> Floats:
        """What each cell sees between its sides."""
        cells = self.cells
        d = (parameters[cells.first] - parameters[cells.second]) * self.slopes(parameters)
        if cells.design.shape[1]:
            d = d + cells.design @ parameters[self.effects_from : self.judges_from]
        if cells.judge is not None:
            d = d + parameters[self.judges_from + cells.judges + cells.judge]
        return d

    def chances(self, parameters: Floats) -> Chances:
        """Log chances of each cell's outcomes, with derivatives."""
        return self.model.chances(self.differences(parameters), self.tie(parameters))

    def value(self, parameters: Floats) -> float:
        """The log likelihood, less penalties."""
        log = self.chances(parameters).log
        return float(np.sum(self.cells.counts * log) - 0.5 * np.sum(self.precision * parameters**2))

    def evaluate(self, parameters: Floats) -> tuple[float, Floats, Floats]:
        """The value, its gradient, and the negative of its matrix of second derivatives."""
        chances, counts = self.chances(parameters), self.cells.counts
        value = float(np.sum(counts * chances.log) - 0.5 * np.sum(self.precision * parameters**2))
        slope = np.sum(counts * chances.d, axis=0)
        columns = self.columns(parameters)
        gradient = self._gradient(columns, slope)
        weights = [-np.sum(counts * second, axis=0) for second in (chances.dd, chances.dh, chances.hh)]
        if self.has_tie:
            gradient[self.players] = np.sum(counts * chances.h)
        information = self.quadratic(columns, *weights)
        if self.cells.judge is not None:
            self._add_bend(information, columns, slope)
        diagonal = np.arange(self.size)
        information[diagonal, diagonal] += self.precision
        return value, gradient - self.precision * parameters, information

    def columns(self, parameters: Floats) -> list[tuple[Longs, Floats]]:
        """How d changes with single parameters: for each cell the parameter's number and the derivative."""
        cells, one = self.cells, np.ones(len(self.cells.first))
        if cells.judge is None:
            return [(cells.first, one), (cells.second, -one)]
        slope = self.slopes(parameters) * one
        spread = slope * (parameters[cells.first] - parameters[cells.second])
        slopes = self.judges_from + cells.judge
        return [(cells.first, slope), (cells.second, -slope), (slopes, spread), (slopes + cells.judges, one)]

    def _gradient(self, columns: list[tuple[Longs, Floats]], slope: Floats) -> Floats:
        gradient = np.zeros(self.size)
        for parameter, derivative in columns:
            gradient += np.bincount(parameter, slope * derivative, self.size)
        gradient[self.effects_from : self.judges_from] += slope @ self.cells.design
        return gradient

    def quadratic(self, columns: list[tuple[Longs, Floats]], dd: Floats, dh: Floats, hh: Floats) -> Floats:
        """The sum over cells of weighted products of derivatives, as information and variance need it."""
        size, design = self.size, self.cells.design
        flat: Floats = np.zeros(size * size)
        for i, (p, x) in enumerate(columns):
            for q, y in columns[i:]:
                flat += np.bincount(p * size + q, dd * x * y, size * size)
        matrix = flat.reshape(size, size)
        diagonal = np.diagonal(matrix).copy()
        matrix = matrix + matrix.T
        # A column times itself stands on the diagonal, once; other products were put into both halves.
        matrix[np.arange(size), np.arange(size)] = diagonal
        effects = slice(self.effects_from, self.judges_from)
        for k in range(design.shape[1]):
            for p, x in columns:
                column = np.bincount(p, dd * x * design[:, k], size)
                matrix[self.effects_from + k] += column
                matrix[:, self.effects_from + k] += column
        if design.shape[1]:
            matrix[effects, effects] += design.T @ (dd[:, None] * design)
        if self.has_tie:
            cross: Floats = np.zeros(size)
            for p, x in columns:
                cross += np.bincount(p, dh * x, size)
            cross[effects] += dh @ design
            matrix[self.players] += cross
            matrix[:, self.players] += cross
            matrix[self.players, self.players] += hh.sum()
        return matrix

    def _add_bend(self, information: Floats, columns: list[tuple[Longs, Floats]], slope: Floats) -> None:
        """What the second derivatives of d by judges' slopes add: d is not linear in them."""
        (first, rise), (second, fall), (judge, spread), _ = columns
        for player, derivative in ((first, rise), (second, fall)):
            np.subtract.at(information, (player, judge), slope * derivative)
            np.subtract.at(information, (judge, player), slope * derivative)
        np.subtract.at(information, (judge, judge), slope * spread)

    def variance_of_scores(self, parameters: Floats) -> Floats:
        """The sum over votes of the outer product of each vote's score, weights squared."""
        chances, squares = self.chances(parameters), self.cells.squares
        products = (chances.d**2, chances.d * chances.h, chances.h**2)
        return self.quadratic(self.columns(parameters), *(np.sum(squares * p, axis=0) for p in products))

    def hidden_variance(self, parameters: Floats, touched: Bools) -> Floats:
        """The variance of scores that the model expects and the votes of some players do not show."""
        cells, chances = self.cells, self.chances(parameters)
        likely = np.exp(chances.log)
        if not self.has_tie:
            likely[1] = 0.0
        expected = cells.squares.sum(axis=0) * np.sum(likely * chances.d**2, axis=0)
        shown = np.sum(cells.squares * chances.d**2, axis=0)
        theirs = touched[cells.first] | touched[cells.second]
        hidden = np.where(theirs, np.maximum(expected - shown, 0.0), 0.0)
        none = np.zeros(len(hidden))
        return self.quadratic(self.columns(parameters), hidden, none, none)

    def group_scores(
        self, parameters: Floats, places: tuple[Longs, Longs], weight: Floats, group: Longs, groups: int
    ) -> Floats:
        """The sum of the scores of each group of votes: a row for each group.

        `places` are the cells and the outcomes of the votes.
        """
        cell, outcome = places
        chances, size, cells = self.chances(parameters), self.size, self.cells
        slope = weight * chances.d[outcome, cell]
        flat: Floats = np.zeros(groups * size)
        for p, x in self.columns(parameters):
            flat += np.bincount(group * size + p[cell], slope * x[cell], groups * size)
        sums = flat.reshape(groups, size)
        for k in range(cells.design.shape[1]):
            column = slope * cells.design[cell, k]
            sums[:, self.effects_from + k] += np.bincount(group, column, groups)
        if self.has_tie:
            sums[:, self.players] += np.bincount(group, weight * chances.h[outcome, cell], groups)
        return sums
