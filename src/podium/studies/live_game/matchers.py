"""Ways to pair the players who wait, behind one small interface, to be compared with each other.

>>> waiting = WaitingPlayers.of([1500.0, 1900.0, 1510.0, 1880.0])
>>> pairing = make_matcher("nearest").pair(waiting, WinRateTarget(), np.random.default_rng(1))
>>> sorted(sorted(pair) for pair in zip(pairing.first.tolist(), pairing.second.tolist()))
[[0, 2], [1, 3]]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from podium.matchmaking.graphs.matching import Effort
from podium.matchmaking.pairing import (
    EXACT_PAIRING_UP_TO,
    NEIGHBOURS_UP_TO_EXACT,
    Pairing,
    Reach,
    pair_at_random,
    pair_by_rating,
    pair_by_target,
    pair_optimally,
)
from podium.matchmaking.policies.targets import WinRateTarget
from podium.named import Registry
from podium.parameters import ParameterInput, parameter
from podium.studies.live_game.pool_matcher import PoolMatcher
from podium.studies.live_game.waiting_players import Matcher, WaitingPlayers

ALL_PAIRS_EACH_ROUND_UP_TO = 200
"""Players of whom all pairs are looked at, round after round; a thousand would take a sixth of a second."""


@dataclass(frozen=True)
class PaperMatcher(Matcher):
    """Neighbours by the opponent they want, after a shuffle: Yuksel (2024), section 4.2."""

    name: ClassVar[str] = "paper"
    summary: ClassVar[str] = "sorted by the opponent they want and shuffled a little, neighbours meet"

    shuffle: float = parameter(
        0.05,
        "the window of the shuffle, as a part of those who wait",
        high=1.0,
        hint="a part of the players, such as 0.05",
    )
    reach: Reach = parameter("around", "whether the window is around a place, or of those after it")

    def pair(self, waiting: WaitingPlayers, target: WinRateTarget, chance: np.random.Generator) -> Pairing:
        """Sort, shuffle, pair neighbours."""
        window = round(self.shuffle * len(waiting.mu))
        return pair_by_target(waiting.wanted_ratings(target), chance, window=window, reach=self.reach)


@dataclass(frozen=True)
class OptimalMatcher(Matcher):
    """The pairing of everybody in which chances to win are nearest to the wanted ones."""

    name: ClassVar[str] = "optimal"
    summary: ClassVar[str] = (
        "pairs all players so that win probabilities are as near as possible to the targets"
    )

    effort: Effort | None = parameter(
        None, "effort of the search. none: exact up to ten thousand players, and nearly exact above"
    )

    def pair(self, waiting: WaitingPlayers, target: WinRateTarget, chance: np.random.Generator) -> Pairing:
        """Minimise the gap over all pairings."""
        found = pair_optimally(
            target.system,
            waiting.mu,
            target.probability(waiting.wins, waiting.played),
            waiting.known(target.system),
            chance=chance,
            effort=self.effort,
            neighbours=NEIGHBOURS_UP_TO_EXACT
            if ALL_PAIRS_EACH_ROUND_UP_TO < len(waiting.mu) <= EXACT_PAIRING_UP_TO
            else None,
        )
        return Pairing(found.first, found.second, found.out)


@dataclass(frozen=True)
class NearestMatcher(Matcher):
    """Neighbours by rating, whatever they have won lately."""

    name: ClassVar[str] = "nearest"
    summary: ClassVar[str] = "sorted by rating, neighbours meet"

    def pair(self, waiting: WaitingPlayers, target: WinRateTarget, chance: np.random.Generator) -> Pairing:
        """Sort and pair neighbours."""
        return pair_by_rating(waiting.mu, chance)


@dataclass(frozen=True)
class RandomMatcher(Matcher):
    """Anybody with anybody."""

    name: ClassVar[str] = "random"
    summary: ClassVar[str] = "pairs players at random"

    def pair(self, waiting: WaitingPlayers, target: WinRateTarget, chance: np.random.Generator) -> Pairing:
        """Shuffle and pair neighbours."""
        return pair_at_random(len(waiting.mu), chance)


_OWN = (PaperMatcher, OptimalMatcher, PoolMatcher, NearestMatcher, RandomMatcher)
MATCHERS: Registry[type[Matcher]] = Registry("matcher", {cls.name: cls for cls in _OWN})


def make_matcher(name: str, **options: ParameterInput) -> Matcher:
    """A matcher by name, as on the command line.

    >>> make_matcher("paper", shuffle=0.3)
    PaperMatcher(shuffle=0.3, reach='around')
    """
    return MATCHERS.find(name).from_parameters(**options)
