"""Sides that meet: who they are, and what is believed of them; a team as one opponent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import Floats


@dataclass(frozen=True)
class Sides:
    """Players or teams, one after another, as the arguments of predictions."""

    players: NDArray[np.int64]
    offsets: NDArray[np.int64]
    play: Floats | None = None
    """The part of the event in which each player takes part; None means all of it."""

    @classmethod
    def of(cls, sides: Sides | ArrayLike | Sequence[Sequence[int]]) -> Sides:
        """Sides from player indices (single players) or from lists of them (teams)."""
        if isinstance(sides, Sides):
            return sides
        if isinstance(sides, Sequence) and sides and isinstance(sides[0], (Sequence, np.ndarray)):
            teams: list[Sequence[int]] = list(sides)  # type: ignore[arg-type]
            sizes = [len(team) for team in teams]
            return cls(np.concatenate([np.asarray(t, np.int64) for t in teams]), np.cumsum([0, *sizes]))
        players = np.atleast_1d(np.asarray(sides, np.int64))
        return cls(players, np.arange(len(players) + 1))

    def taken(self, numbers: NDArray[np.int64]) -> Sides:
        """These sides in this order, some perhaps several times.

        >>> Sides.of([[4], [5, 6]]).taken(np.array([1, 0, 1])).players.tolist()
        [5, 6, 4, 5, 6]
        """
        sizes = self.sizes[numbers]
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][numbers] - offsets[:-1], sizes)
        return Sides(self.players[rows], offsets, None if self.play is None else self.play[rows])

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of members of each side."""
        return np.diff(self.offsets)

    @cached_property
    def single(self) -> bool:
        """Whether each side is a single player."""
        return bool(np.all(self.sizes == 1))

    @property
    def noise(self) -> Floats:
        """The number of members whose noise counts: less than all if some play only a part."""
        if self.play is None:
            return self.sizes.astype(np.float64)
        noise: Floats = np.add.reduceat(np.square(self.play), self.offsets[:-1])
        return noise


class Opponent(NamedTuple):
    """The belief about each side of a match, and its size."""

    mu: ArrayLike
    sigma: ArrayLike | None
    members: ArrayLike = 1
    noise: ArrayLike = 1.0
    """The number of members whose noise counts."""


TEAM = "strength of a team: the mean of its members' ratings, or the sum of their leads over a newcomer"


def team_belief(
    mu: Floats, sigma: Floats | None, sides: Sides, team: Literal["mean", "sum"], newcomer: float
) -> tuple[Floats, Floats | None]:
    """`mu` and `sigma` of each side from those of its members, taken as independent."""
    if sides.single:
        return mu, sigma
    starts, sizes = sides.offsets[:-1], sides.sizes
    total = np.add.reduceat(mu - newcomer, starts)
    variance = None if sigma is None else np.add.reduceat(sigma**2, starts)
    if team == "mean":
        total = total / sizes
        variance = None if variance is None else variance / sizes**2
    return newcomer + total, None if variance is None else np.sqrt(variance)
