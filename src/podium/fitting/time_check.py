"""Whether strengths change with time: if they do, a rating describes them better than a fit.

A score test of a steady change of each strength over the period of the votes (Rao 1948): the gradient of the
likelihood by all changes at 0, against its variance once the strengths themselves are fitted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from podium.errors import InputError, UnsupportedError
from podium.fitting.hidden_variance import bread
from podium.fitting.intervals import chi_square_tail
from podium.fitting.pair_cells import places_of_votes
from podium.fitting.votes import Votes

if TYPE_CHECKING:
    from podium.fitting.fit_result import Fit

SURE = 0.01
"""Below this probability of as much by chance, strengths change."""


@dataclass(frozen=True)
class Drift:
    """Whether strengths change with time.

    Attributes:
        p: The probability of as much change by chance if strengths stay the same.
        change: The usual change of a strength over the whole period in points, without what chance adds.
        noise: The standard error of one player's change, in points.
        spread: The standard deviation of strengths, in points.
        players: Names of all players.
        changes: Each player's estimated change in points.
    """

    p: float
    change: float
    noise: float
    spread: float
    players: tuple[str, ...]
    changes: tuple[float, ...]

    @property
    def is_change(self) -> bool:
        """Whether strengths change beyond doubt."""
        return self.p < SURE

    def __str__(self) -> str:
        if self.is_change:
            return (
                f"Strengths change with time (p = {self.p:.2g}): by about {self.change:.0f} points from "
                "the first vote to the last. Use a rating instead: podium advise names one."
            )
        return (
            f"Strengths show no significant change with time (p = {self.p:.2g}, the change of one "
            f"player is known to ±{self.noise:.0f} points)."
        )


def drift(fit: Fit) -> Drift:
    """Whether strengths change with time."""
    votes = fit.votes
    if not isinstance(votes, Votes):
        raise UnsupportedError("the time check needs votes between two")
    time = np.arange(len(votes)) if votes.time is None else votes.time
    if time.min() == time.max():
        raise InputError("all votes have the same time", hint="the time check needs different times")
    u = (time - time.min()) / float(time.max() - time.min()) - 0.5
    likelihood, parameters = fit.pairs, fit.solution.parameters
    n, (cell, outcome) = likelihood.players, places_of_votes(votes, likelihood.cells)
    chances, columns, cells = (
        likelihood.chances(parameters),
        likelihood.columns(parameters),
        len(likelihood.cells.first),
    )
    weight = votes.weights
    slope = np.bincount(cell, weight * chances.d[outcome, cell] * u, cells)
    score = np.zeros(likelihood.size)
    for p, x in columns[:2]:
        score += np.bincount(p, slope * x, likelihood.size)
    moments = []
    for power in (u, u * u):
        seconds = (chances.dd, chances.dh, chances.hh)
        sums = [
            np.bincount(cell, -weight * s[outcome, cell] * power, cells).astype(np.float64) for s in seconds
        ]
        moments.append(likelihood.quadratic(columns, *sums))
    cross, own = moments[0][:n], moments[1][:n, :n]
    variance = own - cross @ bread(fit.solution) @ cross.T
    values, vectors = np.linalg.eigh(variance)
    kept = values > 1e-9 * max(float(values.max()), 1e-300)
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    found = inverse @ score[:n]
    statistic, points = float(score[:n] @ found), fit.choices.points
    noise2 = float(np.mean(np.diagonal(inverse)))
    return Drift(
        chi_square_tail(statistic, int(kept.sum())),
        math.sqrt(max(0.0, float(np.mean(found**2)) - noise2)) * points,
        math.sqrt(noise2) * points,
        float(np.std(fit.points)),
        fit.players,
        tuple((found * points).tolist()),
    )
