"""Where attacks take place: made-up contests and matches with a strong player, or a real history.

A world is the same for every system: who plays whom and how well does not follow from ratings, so that a
honest and a dishonest history differ in what the attacker did, and in nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from podium.errors import InputError, check_whole
from podium.history import History, Names
from podium.history.times import DAY, to_micros
from podium.lab.games import draw_scores
from podium.lab.populations import gaussian_skills, synthetic_contests
from podium.lab.simulating.seasons import START

EVENTS = 105
"""As many as the paper's player took part in: 45, 45 and 15."""


class Case(NamedTuple):
    """A history, and who in it cheats."""

    history: History
    player: str


@dataclass(frozen=True)
class SimulatedContests:
    """Contests as in the Elo-MMR paper's synthetic set, everybody in all of them; the best one cheats.

    The best is who has the highest true skill on average, whatever became of it.
    """

    players: int = 150
    contests: int = EVENTS
    skill_deviation: float = 350.0
    performance_deviation: float = 200.0
    drift: float = 35.0

    def make(self, seed: int) -> Case:
        """The contests of a seed."""
        history, skill = synthetic_contests(
            self.players,
            self.contests,
            self.players,
            skill_deviation=self.skill_deviation,
            performance_deviation=self.performance_deviation,
            drift=self.drift,
            seed=seed,
        )
        total = np.bincount(history.player, skill, len(history.players))
        return Case(history, history.players[int(np.argmax(total))])

    def __str__(self) -> str:
        return (
            f"{self.contests} contests of {self.players} players (skills ± {self.skill_deviation:g}, "
            f"performances ± {self.performance_deviation:g}, drift {self.drift:g}), the best of whom cheats"
        )


@dataclass(frozen=True)
class SimulatedMatches:
    """Rounds of matches between neighbours in true skill, drawn by Elo's formula; a strong one cheats.

    In each round everybody is moved by chance, by up to `shuffle` points or so, and plays whoever is next to
    them then. The cheat is at 90% of the ranking: somebody with opponents on both sides.
    """

    players: int = 100
    rounds: int = EVENTS
    skill_deviation: float = 300.0
    shuffle: float = 150.0
    quantile: float = 0.9
    per_week: int = 1

    def __post_init__(self) -> None:
        check_whole("players", self.players, 2)
        check_whole("rounds", self.rounds, 1)

    def make(self, seed: int) -> Case:
        """The matches of a seed."""
        world, luck = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(2))
        players = self.players - self.players % 2
        skill = np.sort(gaussian_skills(players, deviation=self.skill_deviation, seed=seed))
        noise = self.shuffle * world.standard_normal((self.rounds, players))
        order = np.argsort(skill + noise, axis=1).astype(np.int32)
        first, second = order[:, ::2].ravel(), order[:, 1::2].ravel()
        won = draw_scores(skill[first], skill[second], luck)
        matches = len(first)
        history = History(
            players=Names(f"p{number:05}" for number in range(players)),
            offsets=np.arange(matches + 1) * 2,
            player=np.column_stack((first, second)).ravel(),
            rank=np.column_stack((2 - won, 1 + won)).astype(np.int32).ravel(),
            time=np.repeat(
                to_micros(START) + 7 * DAY * np.arange(self.rounds) // self.per_week, players // 2
            ),
        )
        return Case(history, history.players[int(self.quantile * (players - 1))])

    def __str__(self) -> str:
        return (
            f"{self.rounds} matches each of {self.players} players (skills ± {self.skill_deviation:g}, "
            "against neighbours), one of the strongest tenth of whom cheats"
        )


World = SimulatedContests | SimulatedMatches


def best_players(history: History, events: int, number: int = 1) -> list[str]:
    """The best by Elo-MMR, or by Elo where there are teams, of those with so many rated events."""
    import polars as pl

    from podium.run import rate
    from podium.systems import make_system

    teams = history.side is not None and bool(np.any(history.sides_per_event < history.sizes))
    ratings = rate(history, make_system("elo" if teams else "elo-mmr")).ratings
    able = ratings.filter(pl.col("events") >= events)
    if not able.height:
        most = int(ratings["events"].max())  # type: ignore[arg-type]
        raise InputError(
            f"nobody has {events:,} rated events; the most anybody has is {most:,}",
            hint="an attack of shorter phases: --set farming.honest=20, --set farming.farming=20",
        )
    return able["player"].head(number).to_list()
