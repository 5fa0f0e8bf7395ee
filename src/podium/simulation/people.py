"""People whose true skill is known and moves: they drift, learn, stop for good, and new ones come."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Floats, Longs
from podium.errors import ParameterError
from podium.history import Names
from podium.parameters import Declared, parameter
from podium.simulation.scatter import Scatter, chance, count, deviation, points, positive

NAME_DIGITS = 5
"""Of a player's name, at least."""


@dataclass(frozen=True, kw_only=True)
class People(Declared):
    """A population; time goes by in rounds, and between two of them everybody's skill moves."""

    name: ClassVar[str] = "people"

    players: int = count(10_000, "number of players at the start", least=2)
    skills: Scatter | str = parameter(
        "normal",
        "distribution of skills: normal, student(tails), laplace, logistic, uniform, "
        "two-groups(apart) or gumbel",
    )
    skill_mean: float = points(
        1500.0,
        "the mean skill of fully experienced players. With growth, skills are lower before",
    )
    skill_deviation: float = deviation(
        350.0, "the standard deviation of those skills, whatever their distribution"
    )
    drift: float = deviation(35.0, "the deviation of the step that each skill makes between two rounds")
    daily_drift: float = deviation(0.0, "the deviation of another step, for each day between them")
    growth: float = parameter(
        0.0,
        "points that players improve by. Newcomers have all of it ahead, the others a part",
        low=-1e5,
        high=1e5,
        hint="points. Below 0 they get worse",
    )
    growth_events: float = positive(50.0, "number of events after which 63% of the growth is done")
    churn: float = chance(0.0, "the chance that a player quits after an event")
    replaced: float = chance(1.0, "the fraction of players who quit and are replaced by new players")
    newcomers: float = parameter(
        0.0,
        "number of additional new players per round, on average, as a fraction of players",
        high=100.0,
        hint="a part of the players, 0 or more",
    )
    activity: float = parameter(
        0.0,
        "the deviation of the logarithm of how often players take part. 0: all equally often. 2: "
        "a few take part in almost all events",
        high=10.0,
        hint="from 0 to 10. 1 is uneven, 2 very uneven",
    )

    @property
    def can_shrink(self) -> bool:
        """Whether there may be fewer of them one day."""
        return self.churn > 0.0 and self.replaced < 1.0

    def check_steady(self, what: str) -> None:
        """Refuse people who are not always as many and play alike often, for what needs them so."""
        if self.can_shrink or self.newcomers or self.activity:
            raise ParameterError(
                f"{what} of players who come and go, or play unevenly",
                hint="newcomers and activity must be 0 there, and new players must replace all who quit",
            )


def practised(talent: Floats, to_learn: Floats, played: Longs, events: float) -> Floats:
    """True skills after so many events played: what there was to learn goes by e^(−played/events)."""
    return talent - to_learn * np.exp(-played / events)


class Crowd:
    """Those who are there now, each in a place of the arrays; whoever is new has the next free number.

    `chance` draws skills, drift and whatever happens in events. Growth, churn and activity have a source of
    their own: a season without them is drawn as if there were no such thing.
    """

    def __init__(self, people: People, seed: int) -> None:
        self.people, self.chance = people, np.random.default_rng(seed)
        self._own = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
        count = people.players
        self._digits = max(NAME_DIGITS, len(str(count - 1)))
        self.names = Names(map(self._name, range(count)))
        """Everybody who ever came."""
        self.player = np.arange(count, dtype=np.int32)
        """The number of each, as a history has it."""
        self._talent = self._talents(count, self.chance)
        self._to_learn = people.growth * (self._own.random(count) if people.growth else np.zeros(count))
        self._played = np.zeros(count, np.int64)
        self._weight = self._weights(count)
        self._gone = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self.player)

    def skill(self, places: Longs) -> Floats:
        """The true skills of the people in these places, now."""
        if not self.people.growth:
            return self._talent[places]
        return practised(
            self._talent[places], self._to_learn[places], self._played[places], self.people.growth_events
        )

    def draw(self, count: int) -> Longs:
        """So many different ones in random order, those who play more often sooner."""
        if self._weight is None:
            return self.chance.choice(len(self), count, replace=False)
        # The first of clocks that ring at these rates: a draw without replacement by weight.
        ring = self._own.standard_exponential(len(self)) / self._weight
        return self._own.permutation(np.argpartition(ring, count - 1)[:count])

    def play(self, places: Longs) -> None:
        """They have taken part in an event: they learn from it, and some stop for good."""
        self._played[places] += 1
        if not self.people.churn:
            return
        gone = places[self._own.random(len(places)) < self.people.churn]
        again = self._own.random(len(gone)) < self.people.replaced
        self._gone = gone[~again]
        self._replace(gone[again])

    def pass_time(self, days: float) -> None:
        """Let days go by: skills drift, who stopped goes, new people come."""
        people = self.people
        step = math.hypot(people.drift, people.daily_drift * math.sqrt(days))
        self._talent += step * self.chance.standard_normal(len(self))
        if len(self._gone):
            gone, self._gone = self._gone, self._gone[:0]
            self._resize(lambda column: np.delete(column, gone))
        if people.newcomers and (count := int(self._own.poisson(people.newcomers * people.players))):
            before = len(self)
            self._resize(lambda column: np.concatenate((column, np.zeros(count, column.dtype))))
            self._replace(np.arange(before, before + count))

    def _resize(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> None:
        """Change the number of people: the same change of every column."""
        self.player, self._talent = change(self.player), change(self._talent)
        self._to_learn, self._played = change(self._to_learn), change(self._played)
        self._weight = None if self._weight is None else change(self._weight)

    def _replace(self, places: Longs) -> None:
        """Somebody new comes to each of these places, with everything to learn."""
        count, known = len(places), len(self.names)
        self.player[places] = self.names.add_all(map(self._name, range(known, known + count)))
        self._talent[places] = self._talents(count, self._own)
        self._to_learn[places], self._played[places] = self.people.growth, 0
        if self._weight is not None:
            self._weight[places] = self._weights(count)

    def _talents(self, count: int, chance: np.random.Generator) -> Floats:
        assert isinstance(self.people.skills, Scatter)
        return self.people.skill_mean + self.people.skill_deviation * self.people.skills.draw(chance, count)

    def _weights(self, count: int) -> Floats | None:
        """How often people play beside each other; none where all are alike."""
        activity = self.people.activity
        return np.exp(activity * self._own.standard_normal(count)) if activity else None

    def _name(self, number: int) -> str:
        return f"p{number:0{self._digits}}"
