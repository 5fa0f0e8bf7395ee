"""A newcomer in a settled pool: how ratings follow a true rating that stands, rises, jumps or is hidden.

Yuksel (2024), section 5.2. Everybody else's rating is known exactly; one player comes, and only that one is
rated. Each scenario is the newcomer's true rating before each of a thousand games. Many repetitions are
played side by side, each with luck of its own, since one alone says little.

>>> import podium
>>> run = follow_newcomer(podium.Elo(k=24), SCENARIOS["fixed"], repetitions=20)
>>> print(f"{run.rmse(since=201):.0f} points off, {100 * run.score.mean():.0f}% won")
44 points off, 51% won
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import NO_TIME, Bools, Floats, Longs
from podium.errors import ParameterError
from podium.history.ragged import Progress
from podium.matchmaking.policies.targets import RecentScores, WinRateTarget
from podium.simulation.arena import KNOWN_DEVIATION, Arena, draw_scores
from podium.systems.contract.system import RatingSystem

if TYPE_CHECKING:
    import polars as pl

SCENARIO_GAMES = 1_000

Opponents = Literal["wanted", "near"]


@dataclass(frozen=True, eq=False)
class Scenario:
    """A true rating, game by game."""

    name: str
    summary: str
    skill: Floats
    """The true rating in each game."""
    thrown: Bools
    """Games lost on purpose."""
    change: int
    """The first game, from 0, that is played after something changed; 0 where nothing does."""

    @property
    def games(self) -> int:
        """How many games it has."""
        return len(self.skill)


def scenario(
    name: str, summary: str, skill: ArrayLike, *, thrown: slice = slice(0), change: int = 0
) -> Scenario:
    """A scenario from the true rating in each game; `thrown` are games lost on purpose."""
    curve = np.array(skill, np.float64, ndmin=1)
    if curve.ndim != 1 or not len(curve) or not np.isfinite(curve).all():
        raise ParameterError(f"scenario {name!r}: the true rating is one finite number a game")
    if not 0 <= change < len(curve):
        raise ParameterError(f"scenario {name!r}: change is a game from 0 to {len(curve) - 1}")
    lost = np.zeros(len(curve), np.bool_)
    lost[thrown] = True
    return Scenario(name, summary, curve, lost, change)


def _papers() -> dict[str, Scenario]:
    """Figures 1 to 3; where the text gives no number, one that resembles it was chosen (see the study)."""
    half = SCENARIO_GAMES // 2
    climb = np.linspace(1500.0, 2000.0, half)
    made = (
        scenario("fixed", "at 2000 from the first game to the last", np.full(SCENARIO_GAMES, 2000.0)),
        scenario(
            "rising", "from 1500 to 2000, half a point a game", np.linspace(1500.0, 2000.0, SCENARIO_GAMES)
        ),
        scenario(
            "rising-then-flat",
            "from 1500 to 2000 in 500 games, then flat",
            np.concatenate((climb, np.full(SCENARIO_GAMES - half, 2000.0))),
            change=half,
        ),
        scenario(
            "jump",
            "at 1500, and from game 501 on at 2000",
            np.where(np.arange(SCENARIO_GAMES) < half, 1500.0, 2000.0),
            change=half,
        ),
        scenario(
            "thrown",
            "at 2000, but games 501 to 600 are lost on purpose",
            np.full(SCENARIO_GAMES, 2000.0),
            thrown=slice(half, half + 100),
            change=half + 100,
        ),
    )
    return {one.name: one for one in made}


SCENARIOS = _papers()


@dataclass(frozen=True, eq=False)
class NewcomerRun:
    """What became of a newcomer's rating: a row a game, a column a repetition."""

    system: RatingSystem
    scenario: Scenario
    rating: Floats
    """After each game."""
    opponent: Floats
    """The rating of the opponent, estimated and true."""
    score: Floats
    """1 where the newcomer won, 0 where not."""

    @property
    def error(self) -> Floats:
        """Rating after each game minus the true one in it."""
        return self.rating - self.scenario.skill[:, None]

    def _played(self, since: int, until: int | None) -> slice:
        last = self.scenario.games if until is None else until
        if not 1 <= since <= last <= self.scenario.games:
            raise ParameterError(f"games {since} to {last} of {self.scenario.games}", hint="counted from 1")
        return slice(since - 1, last)

    def rmse(self, since: int = 1, until: int | None = None) -> float:
        """Root mean square error over games number `since` to `until`, both counted, thrown ones left out."""
        return float(np.sqrt(np.mean(np.square(self._honest(since, until)))))

    def mean_error(self, since: int = 1, until: int | None = None) -> float:
        """Mean error over the same games."""
        return float(np.mean(self._honest(since, until)))

    def _honest(self, since: int, until: int | None) -> Floats:
        games = self._played(since, until)
        error: Floats = self.error[games][~self.scenario.thrown[games]]
        if not len(error):
            raise ParameterError("all of these games are thrown", hint="they have no true rating to compare")
        return error

    def win_rates(self, window: int = 10) -> Floats:
        """The part won of the last `window` games, after each game that has so many."""
        if not 1 <= window <= self.scenario.games:
            raise ParameterError(f"a window of {window} games out of {self.scenario.games}")
        total = np.cumsum(np.vstack((np.zeros((1, self.score.shape[1])), self.score)), axis=0)
        rates: Floats = (total[window:] - total[:-window]) / window
        return rates

    def longest_streak(self, won: bool, since: int = 1, until: int | None = None) -> Longs:
        """The most games won in a row, or lost, in each repetition."""
        running = np.zeros(self.score.shape[1], np.int64)
        longest = running.copy()
        for made in self.score[self._played(since, until)] == (1.0 if won else 0.0):
            running = np.where(made, running + 1, 0)
            longest = np.maximum(longest, running)
        return longest

    def games_until(self, rating: float, *, rising: bool, since: int = 1) -> Floats:
        """Games from number `since` on until the rating is at `rating` or beyond; NaN where it never is."""
        after = self.rating[self._played(since, None)]
        there = after >= rating if rising else after <= rating
        first: Floats = np.where(there.any(axis=0), there.argmax(axis=0) + 1.0, np.nan)
        return first

    def to_frame(self) -> pl.DataFrame:
        """One row a game and repetition: game, repetition, skill, thrown, opponent, score, rating."""
        import polars as pl

        games, repetitions = self.rating.shape
        return pl.DataFrame(
            {
                "game": np.repeat(np.arange(1, games + 1), repetitions),
                "repetition": np.tile(np.arange(1, repetitions + 1), games),
                "skill": np.repeat(self.scenario.skill, repetitions),
                "thrown": np.repeat(self.scenario.thrown, repetitions),
                "opponent": self.opponent.ravel(),
                "score": self.score.ravel(),
                "rating": self.rating.ravel(),
            }
        )


def _find(name: str) -> Scenario:
    if name not in SCENARIOS:
        raise ParameterError(f"there is no scenario {name!r}", hint="there are " + ", ".join(SCENARIOS))
    return SCENARIOS[name]


def follow_newcomer(
    system: RatingSystem,
    played: Scenario | str,
    *,
    repetitions: int = 100,
    opponents: Opponents = "wanted",
    target: WinRateTarget | None = None,
    spread: float = 250.0,
    pool: tuple[float, float] = (0.0, 3000.0),
    interval: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> NewcomerRun:
    """Let a newcomer play through a scenario, many times over, and rate only them with a system.

    Opponents are *wanted*, any rating in the newcomer's window with the same chance (`target`, which goes by
    the estimate), or *near*, any within `spread` points of the true rating; none is weaker or stronger than
    the `pool` has them, which is what stops an estimate from falling for ever while games are thrown. They
    are out of competition: the system is told their true rating and holds it. `interval` is the time between
    two games, such as "1d"; without one none passes. The system should have the scale of the true ratings,
    400 points for odds of ten to one. The same seed gives every system the same luck, and the same opponents
    where they are *near*. `progress` is called with the rows rated since the last call.
    """
    if repetitions < 1:
        raise ParameterError(f"{repetitions} repetitions", hint="at least one")
    if opponents not in ("wanted", "near") or not 0.0 <= spread < np.inf:
        raise ParameterError(f"opponents {opponents!r} within {spread} points", hint="'wanted' or 'near'")
    if not -np.inf < pool[0] < pool[1] < np.inf:
        raise ParameterError(f"a pool of {pool}", hint="the weakest and the strongest rating in it")
    played = _find(played) if isinstance(played, str) else played
    target = WinRateTarget() if target is None else target
    chance = np.random.default_rng(seed)
    newcomers, known = np.arange(repetitions), repetitions + np.arange(repetitions)
    state, arena = system.new_state(2 * repetitions), Arena(2 * repetitions, interval)
    recent = RecentScores(repetitions, target.games)
    rating, opponent, scores = (np.empty((played.games, repetitions)) for _ in range(3))
    mu = system.view(state, newcomers, NO_TIME)[0]
    for game in range(played.games):
        skill = np.full(repetitions, played.skill[game])
        where = chance.random(repetitions)
        low, high = skill - spread, skill + spread
        if opponents == "wanted":
            low, high = target.window(mu, recent.wins, recent.played)
        low, high = np.clip(low, *pool), np.clip(high, *pool)
        opponent[game] = low + where * (high - low)
        system.set_belief(state, known, opponent[game], np.full(repetitions, KNOWN_DEVIATION))
        score = draw_scores(skill, opponent[game], chance)
        if played.thrown[game]:
            score[:] = 0.0
        system.update(state, arena.history(game, newcomers, known, score, second_is_known=True), trace=False)
        recent.record(newcomers, score)
        mu = system.view(state, newcomers, NO_TIME)[0]
        rating[game], scores[game] = mu, score
        if progress is not None:
            progress(2 * repetitions)
    return NewcomerRun(system, played, rating, opponent, scores)
