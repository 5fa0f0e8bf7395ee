"""Games won or lost in a row: how many such streaks there are, and how many a fair coin would give.

A streak is as long as it could be made: wins with a loss, a draw, or nothing on either side. One that is
still going on at the end counts with the length it has.

>>> streaks = Streaks(players=2)
>>> for score in (1, 1, 1, 0, 1):
...     streaks.record([0, 1], [score, 1 - score])
>>> streaks.won[:4].tolist(), streaks.longest_lost.tolist()
([0, 2, 0, 1], [1, 3])
>>> coin_streaks([5, 5], longest=4).round(3).tolist()
[0.0, 1.75, 0.75, 0.312, 0.188]
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import Floats, Longs
from podium.errors import InputError, ParameterError
from podium.numerics.jit import kernel

LONGEST_COUNTED = 20
"""Streaks of more games than this are counted together, unless one says otherwise."""


class Streaks:
    """The streaks of a group of players, game by game."""

    def __init__(self, players: int, longest: int = LONGEST_COUNTED) -> None:
        if players < 0 or longest < 1:
            raise ParameterError(f"streaks of {players} players, up to {longest} games")
        self.running = np.zeros(players, np.int64)
        """What each player is in the middle of: 3 after three wins, −2 after two losses, 0 after a draw."""
        self.played = np.zeros(players, np.int64)
        """Games of each player."""
        self._ended = np.zeros((2, longest + 1), np.int64)
        self.longest_won = np.zeros(players, np.int64)
        """The most games each player won in a row."""
        self.longest_lost = np.zeros(players, np.int64)
        """The most games each player lost in a row."""

    def record(self, players: ArrayLike, scores: ArrayLike) -> None:
        """Add games in order; a player may be there more than once."""
        who, what = np.array(players, np.int64, ndmin=1), np.array(scores, np.float64, ndmin=1)
        if who.shape != what.shape or who.ndim != 1:
            raise InputError(f"{what.size} scores for {who.size} players")
        if np.any((who < 0) | (who >= len(self.running))):
            raise InputError(f"players are numbered from 0 to {len(self.running) - 1}")
        longest = self.longest_won, self.longest_lost
        _record(self.running, self.played, self._ended, *longest, who, what)

    @property
    def won(self) -> Longs:
        """Streaks of wins by length, from 0 on; the last number is of those that are longer as well."""
        return self._counted(0, self.running)

    @property
    def lost(self) -> Longs:
        """Streaks of losses, likewise."""
        return self._counted(1, -self.running)

    def _counted(self, row: int, running: Longs) -> Longs:
        most = self._ended.shape[1] - 1
        going_on = np.bincount(np.clip(running, 0, most), minlength=most + 1)
        counts: Longs = self._ended[row] + np.where(np.arange(most + 1) > 0, going_on, 0)
        return counts


@kernel
def _record(
    running: Longs,
    played: Longs,
    ended: Longs,
    longest_won: Longs,
    longest_lost: Longs,
    who: Longs,
    scores: Floats,
) -> None:
    most = ended.shape[1] - 1
    for i in range(len(who)):
        player = who[i]
        before = running[player]
        outcome = 1 if scores[i] == 1.0 else -1 if scores[i] == 0.0 else 0
        after = before + outcome if before * outcome > 0 else outcome
        if before != 0 and before * outcome <= 0:
            ended[0 if before > 0 else 1, min(abs(before), most)] += 1
        running[player] = after
        played[player] += 1
        longest_won[player] = max(longest_won[player], after)
        longest_lost[player] = max(longest_lost[player], -after)


def coin_streaks(games: ArrayLike, longest: int = LONGEST_COUNTED) -> Floats:
    """Streaks of heads by length that fair coins give on average, each coin tossed so many times.

    Counted like those of `Streaks`: from length 0 on, the last together with all longer ones. A streak of at
    least k begins with the first toss with chance 2⁻ᵏ, and with each later one that leaves room for it with
    half of that, as the toss before has to be tails.
    """
    tosses: NDArray[np.int64] = np.array(games, np.int64, ndmin=1)
    if np.any(tosses < 0) or longest < 1:
        raise ParameterError(f"streaks of up to {longest} tosses", hint="count tosses from 0, streaks from 1")
    length = np.arange(longest + 2)
    each, how_many = np.unique(tosses, return_counts=True)
    room = each[:, None] - length
    at_least = np.where(room >= 0, 0.5**length * (1.0 + 0.5 * room), 0.0)
    total: Floats = (how_many[:, None] * at_least).sum(axis=0)
    exactly: Floats = total[:-1] - total[1:]
    exactly[0], exactly[-1] = 0.0, total[longest]
    return exactly
