"""Sums over the grid by Fourier transforms (Cowan, section 4.2).

They are convolutions. With zeros beside the belief, as many as the grid has points, what a transform wraps
around falls where nobody looks: nothing is lost or added at the edge. Growth, whose kernel is short, is
summed as it stands, which keeps the digits of small masses too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Floats
from podium.systems.luck.single_matches import MOST_KERNELS, Algorithm

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
