"""Matches one by one, for luck functions and kinds of growth that the compiled loop is not made for.

An algorithm finds likelihoods and spreads posteriors; all else is what the compiled loop does too.

Sums by Fourier transforms (Cowan, section 4.2) are convolutions. With zeros beside the belief, as many as the
grid has points, what a transform wraps around falls where nobody looks: nothing is lost or added at the edge.
Growth, whose kernel is short, is summed as it stands, which keeps the digits of small masses too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import EventColumns, Floats, Longs
from podium.systems.luck.chebyshev_sums import PANEL_NODES
from podium.systems.luck.growth import (
    fill_normal_taps,
    laplace_level,
    laplace_width,
    line_length,
    spread,
    spread_laplace,
    taps_length,
)
from podium.systems.luck.kernels import (
    Grid,
    LuckColumns,
    Shown,
    Work,
    close_match,
    find_belief,
    growth_factor,
    note_expected,
    open_match,
    squared_surprise,
    weigh,
)
from podium.systems.luck.likelihoods import (
    DRAW,
    LOSE,
    WIN,
    find_kernel,
    sum_laplace,
    sum_matrix,
    sum_pairs,
    sum_panels,
    sum_steps,
)
from podium.systems.luck.luck_functions import LaplaceMixture
from podium.systems.luck.prepared_tables import LuckGame, Prepared

MOST_KERNELS = 64
"""Kernels kept: of shares of a point there may be many, and few come again."""
MOST_NUMBERS = 4_000_000
"""In all kernels that are kept: those that are matrices are large."""


class Algorithm(ABC):
    """A way to compute the sums over the grid, match by match in Python."""

    def __init__(
        self, game: LuckGame, prepared: Prepared, grid: Grid, *, outside: bool, laplace: bool
    ) -> None:
        self.game, self.prepared, self.grid = game, prepared, grid
        self.outside, self.laplace = outside, laplace
        n = grid.points
        self.cells = np.arange(n, dtype=np.float64)
        self.line, self.part = np.zeros(line_length(n)), np.empty(n)
        self._kernels: dict[tuple[float, int], Floats] = {}
        self._taps: dict[float, tuple[Floats, int]] = {}

    def likelihoods(self, theta: float, venue: int, belief: Floats) -> Floats:
        """The likelihoods of both players for a score of `theta` of the first."""
        if self.outside and 0.0 < theta < 1.0:
            won, lost = (self.sums(result, venue, belief) for result in (1.0, 0.0))
            powers: Floats = np.maximum(won, 0.0) ** theta * np.maximum(lost, 0.0) ** (1.0 - theta)
            return powers
        return self.sums(theta, venue, belief)

    @abstractmethod
    def sums(self, theta: float, venue: int, belief: Floats) -> Floats:
        """Σ ρ K for both players, where K is Λ^θ (1 − Λ)^(1 − θ)."""

    def entries(self, theta: float, venue: int) -> Floats:
        """The entries of K for a score of `theta`, in the layout of the tables."""
        table = self.prepared.tables[venue]
        if theta in (0.0, 0.5, 1.0):
            entries: Floats = table[WIN if theta == 1.0 else LOSE if theta == 0.0 else DRAW]
            return entries
        if (theta, venue) not in self._kernels:
            if len(self._kernels) >= min(MOST_KERNELS, MOST_NUMBERS // table.shape[1] + 1):
                self._kernels.clear()
            out = np.empty(table.shape[1])
            find_kernel(theta, table, out)
            self._kernels[theta, venue] = out
        return self._kernels[theta, venue]

    def grown(self, posterior: Floats, factor: float) -> Floats:
        """The posteriors widened by κ, one row for each player."""
        if self.grid.each:
            posterior = posterior / self.spread(np.ones((1, self.grid.points)), factor)
        return self.spread(posterior, factor)

    def spread(self, rows: Floats, factor: float) -> Floats:
        """Σⱼ ρⱼ κ(xᵢ − xⱼ), ignoring the edge of the grid."""
        grid, out = self.grid, np.empty(rows.shape)
        for row, into in zip(rows, out, strict=True):
            if self.laplace and not grid.direct:
                spread_laplace(row, grid.growth_shares, grid.growth, factor, self.cells, self.part, into)
            else:
                taps, reach = self.taps(factor)
                spread(row, taps, reach, False, self.line, into)
        return out

    def taps(self, factor: float) -> tuple[Floats, int]:
        """κ at 0, 1, 2, … cells, and its reach."""
        if factor not in self._taps:
            if len(self._taps) >= MOST_KERNELS:
                self._taps.clear()
            self._taps[factor] = self._new_taps(factor)
        return self._taps[factor]

    def _new_taps(self, factor: float) -> tuple[Floats, int]:
        grid, taps = self.grid, np.zeros(taps_length(self.grid.points))
        if not self.laplace:
            reach = fill_normal_taps(grid.growth_shares, grid.growth, factor, grid.direct, taps)
            return taps, reach
        for share, deviation in zip(grid.growth_shares, grid.growth, strict=True):
            width = laplace_width(float(deviation), factor)
            taps[: grid.points] += share * laplace_level(width) * np.exp(-self.cells / width)
        return taps, grid.points - 1


class Panels(Algorithm):
    """For smooth functions, with growth that the compiled loop does not support."""

    def sums(self, theta: float, venue: int, belief: Floats) -> Floats:
        """As in the base class, through the nodes of panels."""
        out = np.empty_like(belief)
        nodes = np.empty((4, self.prepared.panels * PANEL_NODES))
        sum_panels(self.entries(theta, venue), self.prepared.half, belief, nodes, out)
        return out


class Naive(Algorithm):
    """Section 4.1: sums over all pairs of points."""

    def sums(self, theta: float, venue: int, belief: Floats) -> Floats:
        """As in the base class, from a matrix or from a function of the difference."""
        entries, n = self.entries(theta, venue), self.grid.points
        out = np.empty((2, n))
        if len(entries) == n * n:
            sum_matrix(entries.reshape(n, n), belief, out)
        else:
            mirrored = belief[0, ::-1].copy()
            sum_pairs(entries, belief[1], mirrored, out[0], out[1])
            out[1] = out[1, ::-1].copy()
        return out


class Steps(Algorithm):
    """For functions that are piecewise constant, such as Heaviside's."""

    def sums(self, theta: float, venue: int, belief: Floats) -> Floats:
        """As in the base class, by running totals."""
        entries, runs = self.entries(theta, venue), self.prepared.runs[venue]
        out, totals = np.empty((2, self.grid.points)), np.empty((2, self.grid.points + 1))
        sum_steps(entries, runs, belief[1], totals, out[0])
        sum_steps(entries, runs, belief[0, ::-1].copy(), totals, out[1])
        out[1] = out[1, ::-1].copy()
        return out


class Laplace(Naive):
    """Section 4.3: walks along the grid; draws, whose K is not a Laplace curve, by all pairs."""

    def sums(self, theta: float, venue: int, belief: Floats) -> Floats:
        """As in the base class; the loser's sums are the winner's mirrored, as 1 − F(d) is F(−d)."""
        luck = self.game.luck
        if theta not in (0.0, 1.0) or not isinstance(luck, LaplaceMixture):
            return super().sums(theta, venue, belief)
        shares, widths = np.array(luck.shares), np.array(luck.widths) / self.game.cell
        ahead = (0.0, self.game.shift, -self.game.shift)[venue] / self.game.cell
        out, places = np.empty((2, self.grid.points)), np.empty(self.grid.points)
        for s in range(2):
            wins = (theta == 1.0) == (s == 0)
            row = belief[1 - s] if wins else belief[1 - s, ::-1].copy()
            # The first is ahead of the second where it wins, and where it loses the second is.
            lead = ahead if theta == 1.0 else -ahead
            sum_laplace(shares, widths, lead, self.game.beta, self.cells, row, places, self.part, out[s])
            if not wins:
                out[s] = out[s, ::-1].copy()
        return out


def rate_singly(
    ev: EventColumns, columns: LuckColumns, grid: Grid, algorithm: Algorithm, work: Work, trace: Shown
) -> None:
    """Rate matches as `rate_matches` does, with any algorithm."""
    belief, posterior = work.belief, work.posterior
    venues = len(algorithm.prepared.tables)
    for e in range(len(ev.offsets) - 1):
        theta, weight, venue = open_match(e, ev, columns, grid, work, trace)
        venue = min(venue, venues - 1)
        work.likelihood[...] = algorithm.likelihoods(theta, venue, belief)
        surprise, first = 0.0, int(ev.offsets[e])
        if grid.adapt > 0.0 or len(trace.expected):
            won = work.likelihood[0] if theta == 1.0 else algorithm.likelihoods(1.0, venue, belief)[0]
            chance = float(belief[0] @ won)
            surprise = squared_surprise(theta, chance)
            note_expected(chance, first, trace)
        weigh(weight, grid, work)
        rated = [s for s in range(2) if not (len(ev.held) and ev.held[first + s])]
        factors = [growth_factor(int(ev.player[first + s]), columns, grid, surprise) for s in rated]
        if len(set(factors)) == 1:
            posterior[rated] = algorithm.grown(posterior[rated], factors[0])
        else:
            for s, factor in zip(rated, factors, strict=True):
                posterior[s] = algorithm.grown(posterior[s : s + 1], factor)[0]
        close_match(e, ev, columns, grid, work, trace)


def expect_singly(
    pairs: Longs, venue: Longs, at: int, columns: LuckColumns, grid: Grid, algorithm: Algorithm, work: Work
) -> Floats:
    """Expected scores as `expect_scores` computes them, with any algorithm."""
    out = np.empty(len(pairs))
    venues = len(algorithm.prepared.tables)
    for i, (pair, where) in enumerate(zip(pairs.tolist(), venue.tolist(), strict=True)):
        for s in range(2):
            find_belief(pair[s], at, columns, grid, work.line, work.taps, work.belief[s])
        likelihood = algorithm.likelihoods(1.0, min(where, venues - 1), work.belief)
        out[i] = work.belief[0] @ likelihood[0]
    return np.clip(out, 0.0, 1.0)


Complex = NDArray[np.complex128]
ROUNDING = 1e-15
"""What transforms of chances and masses, which are at most one, are wrong by."""


class Fourier(Algorithm):
    """Sums by Fourier transform, for any luck function of the difference of two strengths."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        n = self.grid.points
        self.size = 1 << (2 * n - 1).bit_length()
        self.difference = np.arange(n - 1, 0 - n, -1)
        self.heaviside = np.heaviside(self.difference, 0.5)
        self._results: dict[tuple[float, int], Complex] = {}

    def sums(self, theta: float, venue: int, belief: Floats) -> Floats:
        """R = F − H vanishes far out, and is convolved; H is a running total, and the rest a constant."""
        n = self.grid.points
        spectra = np.fft.rfft(belief[::-1, :n], self.size) * self._spectra_of(theta, venue)
        found: Floats = np.fft.irfft(spectra, self.size)[:, :n]
        if theta in (0.0, 1.0):
            found += self._steps(theta, belief[:, :n])
        found[found < ROUNDING] = 0.0
        return found

    def _spectra_of(self, theta: float, venue: int) -> Complex:
        """For both players: the second looks from the other side."""
        if (theta, venue) not in self._results:
            entries, beta = self.entries(theta, venue), self.game.beta
            if theta in (0.0, 1.0):
                step = self.heaviside if theta == 1.0 else 1.0 - self.heaviside
                entries = entries - (1.0 - beta) / 2.0 - beta * step
            if len(self._results) >= MOST_KERNELS:
                self._results.clear()
            spectrum = self._spectrum(entries)
            self._results[theta, venue] = np.stack([spectrum, spectrum.conj()])
        return self._results[theta, venue]

    def _spectrum(self, entries: Floats) -> Complex:
        line = np.zeros(self.size)
        line[self.difference % self.size] = entries
        return np.fft.rfft(line)

    def _steps(self, theta: float, belief: Floats) -> Floats:
        """(1 − β)/2 + β H, or 1 − H after a loss, in the mean over the opponent's belief (Algorithm 4.3)."""
        below = np.cumsum(belief, axis=1) - 0.5 * belief
        total = below[:, -1:] + 0.5 * belief[:, -1:]
        # The first wins against what is below, and the second loses against what is above.
        ahead = np.stack([below[1], total[0] - below[0]])
        total = total[::-1]
        share = ahead if theta == 1.0 else total - ahead
        mean: Floats = (1.0 - self.game.beta) / 2.0 * total + self.game.beta * share
        return mean
