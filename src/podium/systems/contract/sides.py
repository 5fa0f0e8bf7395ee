"""Sides that meet: who they are, and what is believed of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import Floats


@dataclass(frozen=True)
class Sides:
    """Players or teams, one after another, for predictions."""

    players: NDArray[np.int64]
    offsets: NDArray[np.int64]
    play: Floats | None = None
    """The part of the event that each player takes part in; all of it where nothing is said."""

    @classmethod
    def of(cls, sides: Sides | ArrayLike | Sequence[Sequence[int]]) -> Sides:
        """From player indices (everybody alone) or lists of them (teams)."""
        if isinstance(sides, Sides):
            return sides
        if isinstance(sides, Sequence) and sides and isinstance(sides[0], (Sequence, np.ndarray)):
            teams: list[Sequence[int]] = list(sides)  # type: ignore[arg-type]
            sizes = [len(team) for team in teams]
            return cls(np.concatenate([np.asarray(t, np.int64) for t in teams]), np.cumsum([0, *sizes]))
        players = np.atleast_1d(np.asarray(sides, np.int64))
        return cls(players, np.arange(len(players) + 1))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Members of each side."""
        return np.diff(self.offsets)

    @property
    def noise(self) -> Floats:
        """How many members' noise each side has: less than its members where some play only a part."""
        if self.play is None:
            return self.sizes.astype(np.float64)
        noise: Floats = np.add.reduceat(np.square(self.play), self.offsets[:-1])
        return noise


class Opponent(NamedTuple):
    """What is believed of sides that meet others."""

    mu: ArrayLike
    sigma: ArrayLike | None
    members: ArrayLike = 1
    noise: ArrayLike = 1.0
    """How many members' noise it has."""
