"""Where attacks take place: made-up contests and matches with a strong player, or a real history.

A world is the same for every system: who plays whom and how well does not follow from ratings, so that a
honest and a dishonest history differ in what the attacker did, and in nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from podium.arrays import DAY
from podium.errors import InputError, ParameterError
from podium.history import History, Names
from podium.history.times import to_micros
from podium.parameters import check_whole
from podium.simulation.arena import draw_scores
from podium.simulation.populations import gaussian_skills, synthetic_contests
from podium.simulation.season import START

EVENTS = 105
"""As many as the paper's player took part in: 45, 45 and 15."""


class Case(NamedTuple):
    """A history, and who in it cheats."""

    history: History
    player: str


@dataclass(frozen=True)
class SimulatedContests:
    """Contests as in the Elo-MMR paper's synthetic set, everybody in all of them; the best one cheats.

    The best is who has the highest true skill in the first contest, whatever becomes of it: skills drift, and
    nobody who decides to cheat knows where to.
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
        best = history.player[int(np.argmax(skill[: history.offsets[1]]))]
        return Case(history, history.players[int(best)])

    def __str__(self) -> str:
        return (
            f"{self.contests} contests of {self.players} players (skills ± {self.skill_deviation:g}, "
            f"performances ± {self.performance_deviation:g}, drift {self.drift:g}), "
            "whose best in the first contest cheats"
        )


@dataclass(frozen=True)
class SimulatedMatches:
    """Rounds of matches between neighbours in true skill, drawn by Elo's formula; a strong one cheats.

    In each round everybody is moved by chance, by up to `shuffle` points or so, and plays whoever is next to
    them then. The cheat is at 90% of the ranking by true skill, which does not change: somebody with
    opponents on both sides. Everybody plays in every round, so that the number of players is even.
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
        check_whole("per_week", self.per_week, 1)
        if self.players % 2:
            raise ParameterError(f"players is {self.players}", hint="an even number: all play in each round")
        if not 0.0 <= self.quantile <= 1.0:
            raise ParameterError(f"quantile is {self.quantile!r}", hint="from 0, the weakest, to 1")
        if not 0.0 <= self.shuffle < np.inf:
            raise ParameterError(f"shuffle is {self.shuffle!r}", hint="a number of points, from 0")

    @property
    def cheat(self) -> int:
        """Who cheats: the number by skill, from 0, the weakest."""
        return math.ceil(self.quantile * (self.players - 1))

    def make(self, seed: int) -> Case:
        """The matches of a seed."""
        world, luck = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(2))
        players = self.players
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
        return Case(history, history.players[self.cheat])

    def __str__(self) -> str:
        return (
            f"{self.rounds} matches each of {self.players} players (skills ± {self.skill_deviation:g}, "
            f"against neighbours), number {self.players - self.cheat} of whom by skill cheats"
        )


World = SimulatedContests | SimulatedMatches


def best_players(history: History, events: int, number: int = 1, known: int = 1) -> list[str]:
    """The best after their first `known` rated events, of those with so many `events` or more.

    Best is by Elo-MMR, or by Elo where there are teams. What became of them later has no say.
    """
    from podium.systems import make_system

    rated = np.ones(history.rows, np.bool_) if history.unrated is None else ~history.unrated
    counts = np.bincount(history.player[rated], minlength=len(history.players))
    if not (counts >= events).any():
        raise InputError(
            f"nobody has {events:,} rated events; the most anybody has is {int(counts.max(initial=0)):,}",
            hint="an attack of shorter phases, such as --set farming.honest=20; --list shows them",
        )
    teams = history.side is not None and bool(np.any(history.sides_per_event < history.sizes))
    system = make_system("elo" if teams else "elo-mmr")
    trace = system.update(system.new_state(len(history.players)), history)
    display = system.display(trace.mu, trace.sigma if system.has_sigma else None)
    rows = np.flatnonzero(rated & (counts >= events)[history.player])
    rows = rows[np.argsort(history.player[rows], kind="stable")]
    players, first = np.unique(history.player[rows], return_index=True)
    then = display[rows[first + min(known, events) - 1]]
    order = np.argsort(-then, kind="stable")[:number]
    return [history.players[int(player)] for player in players[order]]
