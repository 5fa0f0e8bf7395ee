"""A population that plays round after round, from everybody equal: how fast ratings find the true ones.

Yuksel (2024), sections 5.3 and 5.4. True ratings stay as they are; who plays whom follows from the estimates,
or from chance alone.

>>> import podium
>>> from podium.lab.populations import gaussian_skills
>>> run = play_rounds(podium.Elo(k=24), gaussian_skills(100, seed=1), 200, shuffle=0.3, seed=2)
>>> [round(run.rmse[after - 1]) for after in (1, 20, 200)]
[481, 417, 190]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from podium.errors import ParameterError
from podium.history.core import Floats, Longs
from podium.history.times import NO_TIME
from podium.lab.games import Arena, draw_scores
from podium.matchmaking.pairing import Pairing, Reach, pair_at_random, pair_by_target
from podium.matchmaking.targets import RecentScores, WinRateTarget
from podium.run import Progress
from podium.systems.base import RatingSystem

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class RoundsRun:
    """What became of the ratings of a population.

    Only differences of ratings mean anything, so errors are of ratings shifted to the mean of the true ones;
    `shift` says by how much they were off as a whole.
    """

    system: RatingSystem
    skill: Floats
    """True ratings."""
    rmse: Floats
    """Root mean square error after each round, the mean error taken off."""
    shift: Floats
    """Mean error after each round."""
    spread: Floats
    """After each round, the slope of ratings over true ratings: 1 is right, less is too narrow."""
    kept: Longs
    """The rounds after which everybody's rating was kept."""
    rating: Floats
    """A row for each of those rounds, a column a player."""
    win_rate: Floats
    """The part of each player's games won up to those rounds; NaN before the first."""

    @property
    def raw_rmse(self) -> Floats:
        """Root mean square error after each round, of ratings as they are."""
        return np.hypot(self.rmse, self.shift)

    def to_frame(self) -> pl.DataFrame:
        """One row a round: round, rmse, shift, spread."""
        import polars as pl

        columns = {"rmse": self.rmse, "shift": self.shift, "spread": self.spread}
        return pl.DataFrame({"round": np.arange(1, len(self.rmse) + 1), **columns})

    def players_frame(self) -> pl.DataFrame:
        """One row a player and kept round: round, player, skill, rating, win_rate."""
        import polars as pl

        n = len(self.skill)
        return pl.DataFrame(
            {
                "round": np.repeat(self.kept, n),
                "player": np.tile(np.arange(n), len(self.kept)),
                "skill": np.tile(self.skill, len(self.kept)),
                "rating": self.rating.ravel(),
                "win_rate": self.win_rate.ravel(),
            }
        )


def play_rounds(
    system: RatingSystem,
    skill: ArrayLike,
    rounds: int,
    *,
    shuffle: float | None = 0.05,
    reach: Reach = "around",
    target: WinRateTarget | None = None,
    keep: Sequence[int] = (),
    interval: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> RoundsRun:
    """Let players with these true ratings play, everybody in every round, and rate them with a system.

    Each round pairs neighbours by the opponent they want (`target`) after shuffling within a window of
    `shuffle` times their number; None pairs at random. `keep` names rounds after which all ratings are kept,
    beside the last. `interval` is the time between two rounds, such as "1d"; without one none passes. The
    system should have the scale of the true ratings, 400 points for odds of ten to one. `progress` is called
    with the rows rated since the last call.
    """
    truth = np.array(skill, np.float64)
    kept = _checked(truth, rounds, shuffle, keep)
    target = WinRateTarget() if target is None else target
    chance = np.random.default_rng(seed)
    players = len(truth)
    state, arena = system.new_state(players), Arena(players, interval)
    recent = RecentScores(players, target.games)
    everybody, wins = np.arange(players), np.zeros(players)
    measured = np.empty((rounds, 3))
    rating, win_rate = np.empty((len(kept), players)), np.empty((len(kept), players))
    mu = system.view(state, everybody, NO_TIME)[0]
    for number in range(rounds):
        pairing = _pair(mu, recent, target, shuffle, reach, chance)
        first, second = pairing.first, pairing.second
        score = draw_scores(truth[first], truth[second], chance)
        system.update(state, arena.history(number, first, second, score), trace=False)
        recent.record(first, score)
        recent.record(second, 1.0 - score)
        wins[first] += score
        wins[second] += 1.0 - score
        mu = system.view(state, everybody, NO_TIME)[0]
        measured[number] = _measure(mu, truth)
        for row in np.flatnonzero(kept == number + 1):
            rating[row] = mu
            with np.errstate(invalid="ignore"):
                win_rate[row] = wins / recent.played
        if progress is not None:
            progress(2 * len(first))
    rmse, shift, spread = measured.T.copy()
    return RoundsRun(system, truth, rmse, shift, spread, kept, rating, win_rate)


def _checked(skill: Floats, rounds: int, shuffle: float | None, keep: Sequence[int]) -> Longs:
    """The rounds to keep, once everything makes sense."""
    if skill.ndim != 1 or len(skill) < 2 or not np.isfinite(skill).all():
        raise ParameterError("true ratings are one finite number a player, of two players or more")
    if rounds < 1:
        raise ParameterError(f"{rounds} rounds", hint="at least one")
    if shuffle is not None and not 0.0 <= shuffle <= 1.0:
        raise ParameterError(
            f"shuffle is {shuffle}", hint="a part of the population, such as 0.05; None pairs at random"
        )
    kept = np.unique(np.array([*keep, rounds], np.int64))
    if kept[0] < 1 or kept[-1] > rounds:
        raise ParameterError(f"rounds to keep are numbered from 1 to {rounds}")
    return kept


def _pair(
    mu: Floats,
    recent: RecentScores,
    target: WinRateTarget,
    shuffle: float | None,
    reach: Reach,
    chance: np.random.Generator,
) -> Pairing:
    if shuffle is None:
        return pair_at_random(len(mu), chance)
    wanted = target.rating(mu, recent.wins, recent.played)
    return pair_by_target(wanted, chance, window=round(shuffle * len(mu)), reach=reach)


def _measure(mu: Floats, truth: Floats) -> tuple[float, float, float]:
    """Error without its mean, the mean error, and the slope of ratings over true ratings."""
    error = mu - truth
    deviation = truth - truth.mean()
    variance = float(deviation @ deviation)
    slope = float(deviation @ mu) / variance if variance > 0.0 else np.nan
    return float(error.std()), float(error.mean()), slope
