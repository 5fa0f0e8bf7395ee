"""Where attacks take place: made-up contests and matches with a strong player, or a real history.

A world is the same for every system: who plays whom and how well does not follow from ratings, so that a
honest and a dishonest history differ in what the attacker did, and in nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from podium.arrays import DAY
from podium.errors import InputError, ParameterError
from podium.history import History, Names
from podium.history.times import to_micros
from podium.parameters import Declared, parameter
from podium.simulation.arena import draw_scores
from podium.simulation.populations import gaussian_skills, synthetic_contests
from podium.simulation.scatter import count, deviation
from podium.simulation.season import FIRST_DAY

PAPER_EVENTS = 105
"""As many as the paper's player took part in: 45, 45 and 15."""


class Case(NamedTuple):
    """A history, and who in it cheats."""

    history: History
    player: str


@dataclass(frozen=True)
class SimulatedContests(Declared):
    """Contests as in the Elo-MMR paper's synthetic set, everybody in all of them; the best one cheats.

    The best is who has the highest true skill in the first contest, whatever becomes of it: skills drift, and
    nobody who decides to cheat knows where to.
    """

    name: ClassVar[str] = "simulated contests"

    players: int = count(150, "of every contest", least=2)
    contests: int = count(PAPER_EVENTS, "how many contests there are")
    skill_deviation: float = deviation(350.0, "the standard deviation of true skills")
    performance_deviation: float = deviation(200.0, "the standard deviation of performances around them")
    drift: float = deviation(35.0, "the deviation of the step that skills make between two contests")

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
class SimulatedMatches(Declared):
    """Rounds of matches between neighbours in true skill, drawn by Elo's formula; a strong one cheats.

    In each round everybody is moved by chance, by up to `shuffle` points or so, and plays whoever is next to
    them then. The cheat is at 90% of the ranking by true skill, which does not change: somebody with
    opponents on both sides. Everybody plays in every round, so that the number of players is even.
    """

    name: ClassVar[str] = "simulated matches"

    players: int = count(100, "an even number of them", least=2)
    rounds: int = count(PAPER_EVENTS, "how many rounds there are")
    skill_deviation: float = deviation(300.0, "the standard deviation of true skills")
    shuffle: float = parameter(
        150.0, "by how many points people are moved before they meet neighbours", hint="points, 0 or more"
    )
    quantile: float = parameter(
        0.9, "where the cheat is by true skill", high=1.0, hint="from 0, the weakest, to 1"
    )
    per_week: int = count(1, "rounds of a week")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.players % 2:
            raise ParameterError(
                f"{self.name}: players is {self.players}", hint="an even number: all play in each round"
            )

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
                to_micros(FIRST_DAY) + 7 * DAY * np.arange(self.rounds) // self.per_week, players // 2
            ),
        )
        return Case(history, history.players[self.cheat])

    def __str__(self) -> str:
        return (
            f"{self.rounds} matches for each of {self.players} players (skills ± "
            f"{self.skill_deviation:g}, against neighbours). Number {self.players - self.cheat} by "
            "skill cheats"
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
            f"no player has {events:,} rated events (the largest number is {int(counts.max(initial=0)):,})",
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
