"""A live game: people come and go through the day, wait, are paired, play, and get better or leave for good.

Everything happens at ticks, a few seconds apart. At each, games that have ended are rated, whoever is ready
joins those who wait, a matcher pairs them, and the pairs that are good enough start to play. How good that is
depends on how long they have waited, by the same rule for every matcher, so that waits can be compared. True
ratings are known, results are drawn from them by Elo's formula.

>>> import podium
>>> game = Game(players=200, days=1, sessions=3)
>>> run = play_game(podium.Elo(k=24), "paper", game, seed=1)
>>> print(run)
elo, paper: 1,445 games of 204 accounts, 63 s of waiting, chances 17.1% off, ratings 295 points
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs
from podium.history.ragged import Progress
from podium.history.times import to_micros
from podium.matchmaking.policies.targets import RECENT_GAMES, RecentScores, WinRateTarget
from podium.parameters import Declared, parameter
from podium.simulation.arena import Arena, draw_scores, true_points
from podium.simulation.people import practised
from podium.simulation.scatter import amount, chance, count, deviation, points, positive
from podium.simulation.season import FIRST_DAY
from podium.studies.live_game.game_run import (
    ACCOUNT_KINDS,
    DAY_SECONDS,
    GAME_COLUMNS,
    TICKET_COLUMNS,
    Accounts,
    GameRun,
    GrowingRows,
)
from podium.studies.live_game.matchers import make_matcher
from podium.studies.live_game.streaks import Streaks
from podium.studies.live_game.waiting_players import GameRules, Matcher, WaitingPlayers
from podium.systems.contract.system import RatingSystem

REGULAR, NEWCOMER, SMURF, THROWER = range(len(ACCOUNT_KINDS))
NEVER = np.inf


@dataclass(frozen=True, kw_only=True)
class Game(Declared):
    """A game and the people who play it; times are in seconds where nothing else is said."""

    name: ClassVar[str] = "game"

    players: int = count(5_000, "number of players at the start, all of them unrated", least=2)
    days: float = parameter(7.0, "how long it lives", low=1e-3, high=3_650.0, hint="a number above 0")
    tick: float = parameter(
        30.0, "between two pairings", low=0.1, high=3_600.0, hint="seconds, from 0.1 to 3600"
    )
    sessions: float = positive(2.0, "how often a player comes to play per day, on average")
    session_games: float = parameter(
        6.0,
        "how many games they play before they leave, on average. Any game may be the last",
        low=1.0,
        high=1e6,
        hint="one or more",
    )
    rhythm: float = chance(
        0.7,
        "how much busier than usual the busiest hour is, and how much quieter the hour twelve hours later",
    )
    peak: float = parameter(20.0, "the busiest hour of the day", high=24.0, hint="an hour of the day")
    match_minutes: float = positive(6.0, "how long a game takes, on average. The deviation is a third of it")
    pause: float = amount(20.0, "between two games of a session, on average")
    patience: float = parameter(
        900.0,
        "seconds after which a waiting player gives up",
        low=1e-6,
        high=math.inf,
        hint="seconds, or infinite",
    )
    tolerance: float = chance(
        0.1, "largest difference between a pair's win probability and its target, before any waiting"
    )
    widening: float = amount(0.1, "how much that difference may grow for each minute of waiting")
    recent: int = parameter(
        RECENT_GAMES,
        "how many of a player's last games decide on the opponent wanted next",
        low=1,
        high=1_000,
        hint="one game or more",
    )
    rate: float = parameter(
        0.5, "the target win rate for every player", low=0.01, high=0.99, hint="between 0 and 1, such as 0.5"
    )
    skill_mean: float = points(1500.0, "the mean of true ratings once everything is learned")
    skill_deviation: float = deviation(350.0, "the standard deviation of those")
    growth: float = amount(
        150.0, "points that players improve by. Newcomers have all of it ahead, the others a part"
    )
    growth_games: float = positive(50.0, "number of games after which 63% of that is learned")
    newcomers: float = parameter(
        0.02,
        "new players per day, as a fraction of players",
        high=100.0,
        hint="a part of the players, 0 or more",
    )
    smurfs: float = chance(0.05, "the fraction of new accounts that belong to the strongest tenth of players")
    throwers: float = chance(0.02, "the fraction of accounts that sometimes lose on purpose")
    throw_every: int = parameter(
        40, "how many games they play honestly before", high=1_000_000, hint="games, 0 or more"
    )
    throw_games: int = parameter(
        20, "how many they lose then", low=1, high=1_000_000, hint="one game or more"
    )
    churn: float = chance(0.01, "the chance to stop for good after a session")
    losing_churn: float = chance(
        0.02, "how much that rises for each game lost in a row then, from the third on"
    )

    @property
    def ticks(self) -> int:
        """How many ticks there are in those days."""
        return math.floor(self.days * DAY_SECONDS / self.tick)


def play_game(
    system: RatingSystem,
    matcher: Matcher | str = "paper",
    game: Game | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> GameRun:
    """Let a game live for some days, with a system that rates and a matcher that pairs.

    The same seed gives the same people, who come for the first time at the same moment, whatever system and
    matcher serve them; what follows depends on what they live through. `progress` is called after each tick
    with 1.
    """
    game = Game() if game is None else game
    live = _Live(system, make_matcher(matcher) if isinstance(matcher, str) else matcher, game, seed)
    for number in range(1, game.ticks + 1):
        live.tick(number)
        if progress is not None:
            progress(1)
    return live.result()


class _Rhythm:
    """When people come: a clock that runs faster in the evening."""

    def __init__(self, game: Game) -> None:
        self._time = np.linspace(0.0, game.days * DAY_SECONDS, 1 + 300 * math.ceil(game.days))
        angle = 2.0 * np.pi * (self._time / DAY_SECONDS - game.peak / 24.0)
        self._busy = self._time + game.rhythm * DAY_SECONDS * (np.sin(angle) - np.sin(angle[0])) / (
            2.0 * np.pi
        )

    def after(self, time: Floats, wait: Floats) -> Floats:
        """The moment at which this clock has gone on by so much; never, where the days are over before."""
        busy = np.interp(time, self._time, self._busy) + wait
        moment: Floats = np.interp(busy, self._busy, self._time, right=NEVER)
        return moment

    def arrivals(self, number: int, chance: np.random.Generator) -> Floats:
        """So many moments, in order."""
        busy = np.sort(chance.random(number)) * self._busy[-1]
        moments: Floats = np.interp(busy, self._busy, self._time)
        return moments


class _People:
    """Everybody who will ever come: what does not depend on any game."""

    def __init__(self, game: Game, rhythm: _Rhythm, chance: np.random.Generator) -> None:
        new = int(chance.poisson(game.newcomers * game.players * game.days))
        total = game.players + new
        self.talent = game.skill_mean + game.skill_deviation * chance.standard_normal(total)
        self.kind = np.repeat([REGULAR, NEWCOMER], [game.players, new])
        self.to_learn = game.growth * np.concatenate((chance.random(game.players), np.ones(new)))
        self.came = np.concatenate((np.zeros(game.players), rhythm.arrivals(new, chance)))
        self.kind[game.players :][chance.random(new) < game.smurfs] = SMURF
        smurfs = np.flatnonzero(self.kind == SMURF)
        strongest = np.sort(self.talent[: game.players])[-max(1, game.players // 10) :]
        self.talent[smurfs], self.to_learn[smurfs] = chance.choice(strongest, len(smurfs)), 0.0
        throws = (chance.random(total) < game.throwers) & (self.kind != SMURF)
        self.kind[throws] = THROWER
        self.phase = chance.integers(game.throw_every + game.throw_games, size=total)
        """Where in the cycle of honest and thrown games each of them begins."""
        self._game = game

    def skill(self, who: Longs, played: Longs) -> Floats:
        """True ratings after so many games."""
        return practised(self.talent[who], self.to_learn[who], played, self._game.growth_games)

    def throws(self, who: Longs, played: Longs) -> Bools:
        """Whether they lose the game after so many on purpose."""
        game = self._game
        place = (played + self.phase[who]) % (game.throw_every + game.throw_games)
        thrown: Bools = (self.kind[who] == THROWER) & (place >= game.throw_every)
        return thrown


class _Live:
    """The game as it goes on: who waits, who plays, and what was logged."""

    def __init__(self, system: RatingSystem, matcher: Matcher, game: Game, seed: int) -> None:
        world, self._luck, self._pairing = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(3))
        self._system, self._matcher, self._game, self._seed = system, matcher, game, seed
        self._rhythm = _Rhythm(game)
        self._people = _People(game, self._rhythm, world)
        total = len(self._people.talent)
        self._ready = self._people.came.copy()
        """When each account will next join those who wait; never, while it waits, plays or is gone."""
        first = world.exponential(DAY_SECONDS / game.sessions, game.players)
        self._ready[: game.players] = self._rhythm.after(np.zeros(game.players), first)
        self._joined, self._left = np.full(total, np.nan), np.full(total, NEVER)
        self._waiting = np.zeros(0, np.int64)
        self._running = np.zeros(0, np.int64)
        """Numbers of games, rows of the table."""
        self._games, self._gave_up = GrowingRows(GAME_COLUMNS), GrowingRows(TICKET_COLUMNS)
        self._target = WinRateTarget(games=game.recent, rate=game.rate, system=system)
        rules = GameRules(self._target, game.tolerance, game.widening, game.patience)
        self._pairer = matcher.begin(rules)
        self._state, self._arena = system.new_state(total), Arena(total, f"{game.tick}s")
        self._recent, self._streaks = RecentScores(total, game.recent), Streaks(total)
        self._points, self._start = true_points(system), float(system.start(self._state)[0][0])
        self._rated = 0

    def tick(self, number: int) -> None:
        """All that happens at one tick."""
        now = number * self._game.tick
        self._finish(number, now)
        ready = np.flatnonzero(self._ready <= now)
        self._joined[ready], self._ready[ready] = self._ready[ready], NEVER
        self._waiting = np.concatenate((self._waiting, ready))
        self._give_up(now)
        if len(self._waiting) > 1:
            self._pair(now)

    def _finish(self, number: int, now: float) -> None:
        """Rate the games that have ended; who played them goes on, goes away, or leaves for good."""
        games = self._games.rows
        over = games["end"][self._running] <= now
        if not over.any():
            return
        ended = self._running[over]
        ended = ended[np.argsort(games["end"][ended], kind="stable")]
        self._running = self._running[~over]
        rows = games[ended]
        first, second = rows["first"].astype(np.int64), rows["second"].astype(np.int64)
        score = draw_scores(rows["skill_first"], rows["skill_second"], self._luck)
        one_throws = (
            rows["thrown_first"] != rows["thrown_second"]
        )  # where both do, somebody wins all the same
        score = np.where(one_throws, rows["thrown_second"], score)
        games["score"][ended] = score
        history = self._arena.history(number, first, second, score, games_before=self._rated)
        self._system.update(self._state, history, trace=False)
        self._rated += len(ended)
        players, scores = np.concatenate((first, second)), np.concatenate((score, 1.0 - score))
        self._recent.record(players, scores)
        self._streaks.record(players, scores)
        self._go_on(players, np.tile(rows["end"], 2))

    def _go_on(self, players: Longs, ended: Floats) -> None:
        """After a game: another one after a pause, or the end of the session."""
        stops = self._luck.random(len(players)) < 1.0 / self._game.session_games
        pause = self._luck.exponential(self._game.pause, len(players))
        self._ready[players] = ended + pause
        self._end_session(players[stops], ended[stops])

    def _end_session(self, players: Longs, now: Floats) -> None:
        """They come again later, or never."""
        game = self._game
        lost = np.maximum(-self._streaks.running[players] - 2, 0)
        gone = self._luck.random(len(players)) < game.churn + game.losing_churn * lost
        away = self._luck.exponential(DAY_SECONDS / game.sessions, len(players))
        self._ready[players] = np.where(gone, NEVER, self._rhythm.after(now, away))
        self._left[players[gone]] = now[gone]

    def _give_up(self, now: float) -> None:
        """Who has waited too long goes away."""
        out = now - self._joined[self._waiting] >= self._game.patience
        if out.any():
            players = self._waiting[out]
            self._waiting = self._waiting[~out]
            skill = self._people.skill(players, self._streaks.played[players])
            self._gave_up.add(
                {"player": players, "joined": self._joined[players], "left": now, "skill": skill}
            )
            self._end_session(players, np.full(len(players), now))

    def _pair(self, now: float) -> None:
        """Propose pairs, and start the games of those that are good enough."""
        players, game = self._waiting, self._game
        mu, sigma = self._system.view(self._state, players, self._clock(now))
        played = self._streaks.played[players]
        wins, waited = self._recent.scores[players].sum(axis=1), now - self._joined[players]
        waiting = WaitingPlayers(players, mu, sigma, wins, played, waited, now)
        first, second, _ = self._pairer.pair(waiting, self._target, self._pairing)
        gap = waiting.gaps(self._target, first, second)
        widened = game.widening / 60.0 * np.maximum(waited[first], waited[second])
        good = gap <= game.tolerance + widened
        if not good.any():
            return
        first, second = first[good], second[good]
        sigmas = (None, None) if sigma is None else (sigma[first], sigma[second])
        chance = self._system.win_probability(mu[first], sigmas[0], mu[second], sigmas[1])
        length = 60.0 * game.match_minutes / 9.0 * self._luck.standard_gamma(9.0, len(first))
        wanted = self._target.probability(wins, played)
        skill, thrown = self._people.skill(players, played), self._people.throws(players, played)
        rating = game.skill_mean + self._points * (mu - self._start)
        columns: dict[str, NDArray[np.generic] | float] = {
            "start": now,
            "end": now + length,
            "chance": chance,
            "score": np.nan,
        }
        each = {"wait": waited, "wanted": wanted, "rating": rating, "skill": skill, "thrown": thrown}
        for side, where in (("first", first), ("second", second)):
            columns[side] = players[where]
            columns |= {f"{name}_{side}": values[where] for name, values in each.items()}
        self._running = np.concatenate((self._running, self._games.add(columns)))
        paired = np.zeros(len(players), np.bool_)
        paired[first] = paired[second] = True
        self._joined[players[paired]] = np.nan
        self._waiting = players[~paired]

    @staticmethod
    def _clock(now: float) -> int:
        """Seconds after the start as a history has times."""
        return to_micros(FIRST_DAY) + round(now * 1e6)

    def result(self) -> GameRun:
        """The logs of the game, for measuring."""
        people, everybody = self._people, np.arange(len(self._left))
        played = self._streaks.played
        mu, _ = self._system.view(self._state, everybody, self._clock(self._game.days * DAY_SECONDS))
        accounts = Accounts(
            kind=people.kind,
            came=people.came,
            left=self._left,
            played=played,
            rating=self._game.skill_mean + self._points * (mu - self._start),
            skill=people.skill(everybody, played),
        )
        return GameRun(
            self._system,
            self._matcher,
            self._game.days,
            self._seed,
            accounts,
            self._games.rows,
            self._gave_up.rows,
            self._waiting,
        )
