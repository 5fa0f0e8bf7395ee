"""Those who wait in a simulated game, and what a matcher is: whoever pairs them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats, Longs
from podium.matchmaking.pairing import Pairing, pairing_gaps
from podium.matchmaking.policies.targets import WinRateTarget
from podium.parameters import Declared
from podium.systems.contract.system import RatingSystem


class GameRules(NamedTuple):
    """What holds in a game, whoever pairs."""

    target: WinRateTarget
    """The chances to win that players want."""
    tolerance: float = 1.0
    """How far the chances of a pair may be from those: the mean over both of |wanted − given|."""
    widening: float = 0.0
    """How much further for each minute that one of the two has waited."""
    patience: float = np.inf
    """Seconds after which those who wait go away."""


class WaitingPlayers(NamedTuple):
    """The players who wait now, by column."""

    player: Longs
    """Their numbers, which stay the same from one pairing to the next."""
    mu: Floats
    sigma: Floats | None
    """None where the system has no deviations."""
    wins: Floats
    """Among each player's last games; a draw is half a win."""
    played: Longs
    """All games of each player so far."""
    waited: Floats
    """Seconds since each of them came."""
    now: float
    """Seconds since the start of the game."""

    @classmethod
    def of(cls, mu: ArrayLike) -> Self:
        """Players who have just come and never played."""
        rating = np.array(mu, np.float64)
        nothing, everybody = np.zeros(len(rating)), np.arange(len(rating))
        return cls(everybody, rating, None, nothing, np.zeros(len(rating), np.int64), nothing, 0.0)

    def wanted_ratings(self, target: WinRateTarget) -> Floats:
        """The rating of the opponent whom each player wants."""
        return target.rating(self.mu, self.wins, self.played, self.known(target.system))

    def known(self, system: RatingSystem) -> Floats | None:
        """The deviations, where this system has a use for them."""
        return self.sigma if system.has_sigma else None

    def gaps(self, target: WinRateTarget, first: Longs, second: Longs) -> Floats:
        """How far the chances of pairs, by places among those who wait, are from what both want."""
        wanted = target.probability(self.wins, self.played)
        return pairing_gaps(target.system, self.mu, wanted, first, second, self.known(target.system))


@dataclass(frozen=True)
class Matcher(Declared, ABC):
    """A way to pair the players of a simulated game; the fields are its parameters."""

    summary: ClassVar[str]

    def begin(self, rules: GameRules) -> Matcher:
        """Itself, ready for a game; one that remembers things begins anew."""
        return self

    @abstractmethod
    def pair(self, waiting: WaitingPlayers, target: WinRateTarget, chance: np.random.Generator) -> Pairing:
        """Who plays whom, by their places among those who wait; not all of them have to.

        A pair that is not good enough by the game's rules goes on waiting.
        """
