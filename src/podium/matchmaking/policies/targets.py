"""The opponent a player should meet next, so that nobody wins or loses many games in a row.

Cem Yuksel, "Skill-Based Matchmaking for Competitive Two-Player Games" (2024), section 4.1. Of a player's last
n games the wins are counted; the next opponent is as strong as it takes to bring the win rate back to a half
(or another rate) over those games and the n + 1 to come. It needs ratings and a win curve, of whatever
system.

>>> target = WinRateTarget(games=5)
>>> target.probability(wins=[0, 2.5, 5], played=5).round(3).tolist()
[0.917, 0.5, 0.083]
>>> target.rating(1500, wins=[0, 2.5, 5], played=5).round(1).tolist()
[1083.4, 1500.0, 1916.6]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats, Longs
from podium.errors import InputError, ParameterError
from podium.matchmaking.pool.growing_tables import PutBack
from podium.numerics.jit import kernel
from podium.parameters import Declared, parameter
from podium.systems.contract.system import RatingSystem
from podium.systems.elo import Elo

RECENT_GAMES = 5
"""The n of the paper's experiments."""
LEAST_CHANCE = 1e-12
"""The smallest chance that is not none, and how far below one the largest is."""


class Window(NamedTuple):
    """The ratings of acceptable opponents, from the weakest to the strongest."""

    low: Floats
    high: Floats


@dataclass(frozen=True, kw_only=True)
class WinRateTarget(Declared):
    """A win rate that players should return to, and the next opponent it implies for each.

    For a rate of a half every wanted chance lies between 1/(2n + 2) and 1 − 1/(2n + 2), so a `tolerance` Δp
    below 1/(2n + 2) never reaches 0 or 1. The paper's experiments use 1/(2n + 2) itself (the default here),
    and then the window has no end after n wins or n losses in a row; other rates can ask for chances beyond 0
    and 1. So chances never go beyond `edge` and 1 − `edge`: a hundredth is a difference of 798 points on
    Elo's curve.
    """

    name: ClassVar[str] = "target"

    games: int = parameter(
        RECENT_GAMES, "n: number of a player's last games that count", low=1, hint="one game or more"
    )
    rate: float = parameter(
        0.5,
        "λ: the win rate that players should return to",
        low=LEAST_CHANCE,
        high=1.0 - LEAST_CHANCE,
        hint="between 0 and 1, such as 0.5",
    )
    tolerance: float | None = parameter(
        None,
        "Δp: largest difference between the win probability and its target. Default: 1/(2n + 2)",
        high=0.5 - LEAST_CHANCE,
        hint="a probability from 0. Below 1/(2n + 2), podium cuts off no window",
    )
    edge: float = parameter(
        0.01,
        "smallest target win probability. The largest is 1 − edge",
        low=LEAST_CHANCE,
        high=0.5 - LEAST_CHANCE,
        hint="a small probability above 0, such as 0.01",
    )
    system: RatingSystem = field(default_factory=Elo)
    """The system whose win curve is inverted."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.system, RatingSystem):
            raise ParameterError(
                f"{self.system!r} is not a rating system", hint="for example podium.Glicko()"
            )

    @property
    def _usual(self) -> float:
        return 1.0 / (2 * self.games + 2)

    def probability(self, wins: ArrayLike, played: ArrayLike) -> Floats:
        """The win probability the next match should have: Eq. (24), and (25) for fewer than n games.

        `wins` are those among the last n games, a draw being half of one; `played` are all games so far.
        """
        w, m = np.asarray(wins, np.float64), np.minimum(np.asarray(played), self.games)
        if np.any(~((w >= 0) & (w <= m))):
            raise InputError("more wins than games", hint="count only the wins among the last games")
        p: Floats = (self.rate * (self.games + m + 1) - w) / (self.games + 1)
        return np.clip(p, self.edge, 1.0 - self.edge)

    def rating(
        self,
        rating: ArrayLike,
        wins: ArrayLike,
        played: ArrayLike,
        sigma: ArrayLike | None = None,
        opponent_sigma: ArrayLike | None = None,
    ) -> Floats:
        """The rating of the wanted opponent, r⋆ of Eq. (26).

        Systems with deviations need `sigma`; `opponent_sigma` is the same by default.
        """
        return self.system.opponent_rating(self.probability(wins, played), rating, sigma, opponent_sigma)

    def window(
        self,
        rating: ArrayLike,
        wins: ArrayLike,
        played: ArrayLike,
        sigma: ArrayLike | None = None,
        opponent_sigma: ArrayLike | None = None,
    ) -> Window:
        """The ratings of acceptable opponents, f⁻¹(p ± Δp), limited to the edge."""
        p = self.probability(wins, played)
        tolerance = self._usual if self.tolerance is None else self.tolerance
        easy, hard = np.minimum(p + tolerance, 1.0 - self.edge), np.maximum(p - tolerance, self.edge)
        low, high = (self.system.opponent_rating(c, rating, sigma, opponent_sigma) for c in (easy, hard))
        return Window(low, high)


def mean_gap(chance: Floats, wanted: Floats, opponent_wanted: Floats) -> Floats:
    """The mean distance of both win probabilities from the wanted ones: the loss of section 4.2."""
    gap: Floats = 0.5 * (np.abs(wanted - chance) + np.abs(opponent_wanted - (1.0 - chance)))
    return gap


class RecentScores:
    """The scores of each player's last games.

    >>> recent = RecentScores(players=2, games=3)
    >>> for score in (1, 1, 0, 0.5):
    ...     recent.record([0, 1], [score, 1 - score])
    >>> recent.wins.tolist(), recent.played.tolist()
    ([1.5, 1.5], [4, 4])
    """

    def __init__(self, players: int, games: int = RECENT_GAMES) -> None:
        if games < 1 or players < 0 or games != int(games) or players != int(players):
            raise ParameterError(f"the last {games} games of {players} players", hint="count at least one")
        self.scores = np.zeros((players, games))
        """Game number i of a player stands in column i modulo the number of columns."""
        self.played = np.zeros(players, np.int64)
        """All games so far."""

    @property
    def wins(self) -> Floats:
        """The sum of the scores of the last games: a win is 1 and a draw ½."""
        total: Floats = self.scores.sum(axis=1)
        return total

    def grow(self, players: int) -> None:
        """Make room for `players` players; new ones have no games."""
        known = len(self.played)
        if players <= known:
            return
        more = max(players, 2 * known) - known
        scores = np.concatenate([self.scores, np.zeros((more, self.scores.shape[1]))])
        played = np.concatenate([self.played, np.zeros(more, np.int64)])
        self.scores, self.played = scores, played

    def keep(self, players: Longs) -> PutBack:
        """Keep the games of these players."""
        scores, played = self.scores, self.played
        there = players[players < len(played)]
        kept = scores[there], played[there]

        def put_back() -> None:
            scores[there], played[there] = kept
            self.scores, self.played = scores, played

        return put_back

    def replace(self, players: Longs, games: Sequence[Sequence[float]]) -> None:
        """Replace the games of these players, newest last."""
        self.scores[players], self.played[players] = 0.0, 0
        counts = np.fromiter(map(len, games), np.int64, len(games))
        self.record(np.repeat(players, counts), np.fromiter(chain.from_iterable(games), np.float64))

    def record(self, players: ArrayLike, scores: ArrayLike) -> None:
        """Add games in order; a player may appear more than once."""
        who = np.array(players, np.int64, ndmin=1)
        what = np.array(scores, np.float64, ndmin=1)
        if who.shape != what.shape or who.ndim != 1:
            raise InputError(f"{what.size} scores for {who.size} players")
        if np.any((who < 0) | (who >= len(self.played))):
            raise InputError(f"players are numbered from 0 to {len(self.played) - 1}")
        if np.any(~((what >= 0) & (what <= 1))):
            raise InputError("a score must be 1 for a win, 0.5 for a draw, 0 for a loss, or between")
        _record(self.scores, self.played, who, what)


@kernel
def _record(scores: Floats, played: Longs, who: Longs, what: Floats) -> None:
    games = scores.shape[1]
    for i in range(len(who)):
        player = who[i]
        scores[player, played[player] % games] = what[i]
        played[player] += 1
