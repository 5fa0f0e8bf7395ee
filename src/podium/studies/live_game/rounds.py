"""A population that plays round after round, from everybody equal: how fast ratings find the true ones.

Yuksel (2024), sections 5.3 and 5.4. True ratings stay as they are; who plays whom follows from the estimates,
by one of several ways to pair, or from chance alone.

>>> import podium
>>> from podium.simulation.populations import gaussian_skills
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

from podium.arrays import NO_TIME, Floats, Longs
from podium.errors import ParameterError
from podium.history.ragged import Progress
from podium.matchmaking.pairing import Reach
from podium.matchmaking.policies.targets import RecentScores, WinRateTarget
from podium.simulation.arena import Arena, draw_scores
from podium.studies.live_game.matchers import PaperMatcher, RandomMatcher, make_matcher
from podium.studies.live_game.streaks import Streaks
from podium.studies.live_game.waiting_players import GameRules, Matcher, WaitingPlayers
from podium.systems.contract.system import RatingSystem

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
    matcher: Matcher
    """How they were paired."""
    streaks: Streaks
    """Games won and lost in a row."""
    rematches: Floats
    """The part of each round's games that two players had in the round before as well."""
    gap: Floats
    """How far the chances in each round were from the wanted ones, by the target's curve and the ratings."""

    @property
    def raw_rmse(self) -> Floats:
        """Root mean square error after each round, of ratings as they are."""
        return np.hypot(self.rmse, self.shift)

    def to_frame(self) -> pl.DataFrame:
        """One row a round: round, rmse, shift, spread, rematches, gap."""
        import polars as pl

        columns = {"rmse": self.rmse, "shift": self.shift, "spread": self.spread}
        columns |= {"rematches": self.rematches, "gap": self.gap}
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
    matcher: Matcher | str | None = None,
    target: WinRateTarget | None = None,
    streaks_since: int = 1,
    keep: Sequence[int] = (),
    interval: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> RoundsRun:
    """Let players with these true ratings play, everybody in every round, and rate them with a system.

    Each round pairs neighbours by the opponent they want (`target`) after shuffling within a window of
    `shuffle` times their number; None pairs at random. `matcher`, or the name of one, is another way to pair,
    and then `shuffle` and `reach` say nothing. Streaks are counted from round `streaks_since` on. `keep`
    names rounds after which all ratings are kept, beside the last. `interval` is the time between two rounds,
    such as "1d"; without one none passes. The system should have the scale of the true ratings, 400 points
    for odds of ten to one. `progress` is called with the rows rated since the last call.
    """
    truth = np.array(skill, np.float64)
    matcher = _chosen(matcher, shuffle, reach)
    kept = _checked(truth, rounds, streaks_since, keep)
    target = WinRateTarget() if target is None else target
    pairer, chance = matcher.begin(GameRules(target)), np.random.default_rng(seed)
    players = len(truth)
    state, arena = system.new_state(players), Arena(players, interval)
    recent, streaks = RecentScores(players, target.games), Streaks(players)
    everybody, wins, waited = np.arange(players), np.zeros(players), np.zeros(players)
    opponent = np.full(players, -1)
    measured = np.empty((rounds, 5))
    rating, win_rate = np.empty((len(kept), players)), np.empty((len(kept), players))
    mu, sigma = system.view(state, everybody, NO_TIME)
    for number in range(rounds):
        waiting = WaitingPlayers(everybody, mu, sigma, recent.wins, recent.played, waited, number)
        first, second, _ = pairer.pair(waiting, target, chance)
        off = np.mean(waiting.gaps(target, first, second))
        score = draw_scores(truth[first], truth[second], chance)
        system.update(state, arena.history(number, first, second, score), trace=False)
        recent.record(first, score)
        recent.record(second, 1.0 - score)
        wins[first] += score
        wins[second] += 1.0 - score
        if number + 1 >= streaks_since:
            streaks.record(first, score)
            streaks.record(second, 1.0 - score)
        again = np.mean(opponent[first] == second)
        opponent[:] = -1
        opponent[first], opponent[second] = second, first
        mu, sigma = system.view(state, everybody, NO_TIME)
        measured[number] = *_measure(mu, truth), again, off
        for row in np.flatnonzero(kept == number + 1):
            rating[row] = mu
            with np.errstate(invalid="ignore"):
                win_rate[row] = wins / recent.played
        if progress is not None:
            progress(2 * len(first))
    rmse, shift, spread, rematches, gap = measured.T.copy()
    return RoundsRun(
        system, truth, rmse, shift, spread, kept, rating, win_rate, matcher, streaks, rematches, gap
    )


def _chosen(matcher: Matcher | str | None, shuffle: float | None, reach: Reach) -> Matcher:
    if isinstance(matcher, Matcher):
        return matcher
    if matcher is not None:
        return make_matcher(matcher)
    return RandomMatcher() if shuffle is None else PaperMatcher(shuffle, reach)


def _checked(skill: Floats, rounds: int, streaks_since: int, keep: Sequence[int]) -> Longs:
    """The rounds to keep, once everything makes sense."""
    if skill.ndim != 1 or len(skill) < 2 or not np.isfinite(skill).all():
        raise ParameterError("true ratings are one finite number a player, of two players or more")
    if rounds < 1:
        raise ParameterError(f"{rounds} rounds", hint="at least one")
    if streaks_since < 1:
        raise ParameterError(f"streaks from round {streaks_since} on", hint="rounds are counted from 1")
    kept = np.unique(np.array([*keep, rounds], np.int64))
    if kept[0] < 1 or kept[-1] > rounds:
        raise ParameterError(f"rounds to keep are numbered from 1 to {rounds}")
    return kept


def _measure(mu: Floats, truth: Floats) -> tuple[float, float, float]:
    """Error without its mean, the mean error, and the slope of ratings over true ratings."""
    error = mu - truth
    deviation = truth - truth.mean()
    variance = float(deviation @ deviation)
    slope = float(deviation @ mu) / variance if variance > 0.0 else np.nan
    return float(error.std()), float(error.mean()), slope
