"""Made-up games of two: results drawn from true ratings by Elo's formula, as a history for any system."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME, Floats, Longs
from podium.errors import ParameterError
from podium.history import History, Names
from podium.history.times import to_duration, to_micros
from podium.numerics.win_chances import LOGISTIC, expected_scores
from podium.simulation.season import FIRST_DAY
from podium.systems.contract.system import RatingSystem

POINTS_FOR_TEN_TO_ONE = 400.0
"""Points of true rating that mean odds of ten to one."""
KNOWN_DEVIATION = 1e-3
"""The deviation of somebody whose rating is known; systems that divide by it need more than 0."""


def draw_scores(skill_a: Floats, skill_b: Floats, chance: np.random.Generator) -> Floats:
    """1 where the first of two wins and 0 where not, by Elo's formula of their true ratings."""
    expected = expected_scores(LOGISTIC, skill_a - skill_b, POINTS_FOR_TEN_TO_ONE)
    return (chance.random(len(expected)) < expected).astype(np.float64)


def true_points(system: RatingSystem) -> float:
    """How many points of true rating one of the system's is worth: by its odds between two whom it knows.

    Where a system lets a coin decide some matches, by its odds in the others.

    >>> from podium import Elo, Luck, TrueSkill
    >>> systems = Elo(), Elo(scale=800), Luck(beta=0.8), TrueSkill()
    >>> [round(true_points(system), 2) for system in systems]
    [1.0, 0.5, 1.0, 50.83]
    """
    newcomer = system.start(system.new_state())[1]
    deviations = (None, None) if newcomer is None else (KNOWN_DEVIATION, float(newcomer[0]))
    chance = 0.5 * system.coin + (1.0 - system.coin) * 10.0 / 11.0
    known, new = (-float(system.opponent_rating(chance, 0.0, sigma)) for sigma in deviations)
    # Topcoder's deviations are the noise of performances: without them there is no curve left.
    return POINTS_FOR_TEN_TO_ONE / (known if known > 0.1 * new else new)


class Arena:
    """Games of one group of players, a round at a time: each is a history that shares what never changes.

    `interval` is the time between two rounds, such as "1d"; without one no time passes at all.
    """

    def __init__(self, players: int, interval: str | None = None) -> None:
        self.names = Names(map(str, range(players)))
        self._interval = None if interval is None else to_duration(interval)
        self._start = to_micros(FIRST_DAY)
        if self._interval is not None and self._interval <= 0:
            raise ParameterError(f"an interval of {interval!r}", hint='a duration such as "1d", or none')

    def history(
        self,
        number: int,
        first: Longs,
        second: Longs,
        score: Floats,
        *,
        second_is_known: bool = False,
        games_before: int | None = None,
    ) -> History:
        """Round `number`, from 0: the first of each pair made this score against the second.

        Where the second are known already, their ratings stay as they are. `games_before` are those of the
        rounds before, where they had not as many games as this one.
        """
        games = len(first)
        player, rank = np.empty((games, 2), np.int32), np.ones((games, 2), np.int32)
        player[:, 0], player[:, 1] = first, second
        rank[:, 0] += score < 0.5
        rank[:, 1] += score > 0.5
        held: NDArray[np.bool_] | None = None
        if second_is_known:
            held = np.zeros((games, 2), np.bool_)
            held[:, 1] = True
        time = NO_TIME if self._interval is None else self._start + number * self._interval
        return History(
            players=self.names,
            offsets=np.arange(0, 2 * games + 1, 2),
            player=player.ravel(),
            rank=rank.ravel(),
            time=np.full(games, time),
            unrated=None if held is None else held.ravel(),
            first_number=1 + (number * games if games_before is None else games_before),
        )
