"""Matches of two, won by chances that true skills, luck and the home side decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import ParameterError
from podium.numerics.draws import split_expected_score
from podium.numerics.win_chances import LN10
from podium.parameters import parameter
from podium.simulation.people import Crowd, People
from podium.simulation.scatter import chance, count, deviation, points, positive, some_part
from podium.simulation.season import MOST_EVENTS, EventRows, Season, between_rounds
from podium.systems.luck import LuckFunction, Sigmoid, coin_flip
from podium.systems.yuksel.win_curves import WinCurve


@dataclass(frozen=True, kw_only=True)
class Matches(Season):
    """Matches of two, a round of them a day unless another `interval` is given."""

    name: ClassVar[str] = "matches"
    shape: ClassVar = "matches"
    usual_people: ClassVar[People] = People(players=1_000, drift=5.0)

    matches: int = count(50_000, "number of matches", most=MOST_EVENTS)
    turnout: float = some_part(
        0.5, "the fraction of players who play in a round, each once. In a round robin, all play"
    )
    luck: LuckFunction | WinCurve | str = parameter(
        "logistic",
        "the chance to win by both skills: logistic, normal(width), laplace(width), fide, heaviside, …",
    )
    """Widths are natural: one is `scale` / ln 10 points, 173.7."""
    scale: float = positive(400.0, "points that are odds of ten to one, on the logistic curve")
    beta: float = chance(1.0, "the part of matches that skill decides. A coin flip decides the others")
    draw_rate: float = parameter(
        0.0, "the fraction of draws between equal players", high=0.999, hint="a part, from 0 to below 1"
    )
    home_advantage: float = points(
        0.0,
        "advantage of the first player, who is at home, in points. With 0, no player is at home",
    )
    pairing: Literal["random", "near", "round-robin"] = parameter(
        "random",
        "pairing: random, near (similar skill), or round-robin (all players meet in turn)",
    )
    nearness: float = deviation(
        100.0, "with near: neighbours meet after podium blurs skills by this many points"
    )
    interval: str = between_rounds("1d")

    def __post_init__(self) -> None:
        curve = self.luck
        if isinstance(curve, WinCurve):  # of a family of its own: it may be called as a luck function is
            object.__setattr__(self, "luck", "logistic")
        super().__post_init__()
        if isinstance(curve, WinCurve):
            object.__setattr__(self, "luck", Sigmoid(curve.name, curve))

    @property
    def total(self) -> int:
        """How many matches there are."""
        return self.matches

    def check(self, people: People) -> None:
        """The schedule of a round-robin is one for so many people, who all play."""
        if self.pairing == "round-robin":
            people.check_steady("a round-robin")

    def most_events(self, there: int) -> int:
        """Half as many matches as people play in a round."""
        if self.pairing == "round-robin":
            return there // 2
        return max(round(self.turnout * there) // 2, 1)

    def play(self, crowd: Crowd, number: int, most: int) -> EventRows | None:
        """Pair those who play, and draw the results."""
        if len(crowd) < 2:
            return None
        first, second = self._pairs(crowd, number, most)
        skill = crowd.skill(first), crowd.skill(second)
        expected = self.expected_scores(*skill, crowd.people.skill_mean)
        win, draw, _ = split_expected_score(expected, self.draw_rate).T
        drawn = crowd.chance.random(len(first))
        rank = np.ones((len(first), 2), np.int32)
        rank[:, 0] += drawn >= win + draw
        rank[:, 1] += drawn < win
        places = np.column_stack((first, second)).ravel()
        player = crowd.player[places]
        crowd.play(places)
        truth = {
            "skill": np.column_stack(skill).ravel(),
            "expected_score": np.column_stack((expected, 1.0 - expected)).ravel(),
        }
        home = player[::2] if self.home_advantage else None
        sizes = np.full(len(first), 2)
        return EventRows(sizes, player, rank.ravel(), truth, home=home)

    def expected_scores(self, first: Floats, second: Floats, middle: float) -> Floats:
        """The score that the first of two can expect, by their skills; strengths are 0 in the `middle`."""
        assert isinstance(self.luck, LuckFunction)
        game = coin_flip(self.luck, self.beta)
        unit = self.scale / LN10
        x, y = (first + self.home_advantage - middle) / unit, (second - middle) / unit
        expected = np.broadcast_to(np.asarray(game(x, y), np.float64), x.shape)
        if not np.all((expected >= 0.0) & (expected <= 1.0)):
            raise ParameterError(f"luck {self.luck} gives a chance that is not between 0 and 1")
        return expected

    def _pairs(self, crowd: Crowd, number: int, most: int) -> tuple[Longs, Longs]:
        if self.pairing == "round-robin":
            first, second = round_robin(len(crowd), number)
            return first[:most], second[:most]
        matches = min(self.most_events(len(crowd)), most)
        places = crowd.draw(2 * matches)
        if self.pairing == "near":
            blurred = crowd.skill(places) + self.nearness * crowd.chance.standard_normal(len(places))
            pairs = places[np.argsort(blurred)].reshape(-1, 2)
            # Neither the better nor the weaker one is always at home, nor do the weak play first.
            return tuple(crowd.chance.permuted(crowd.chance.permutation(pairs), axis=1).T)
        return places[::2], places[1::2]


def round_robin(players: int, number: int) -> tuple[Longs, Longs]:
    """Round `number` of a schedule in which everybody meets everybody, then again with sides changed.

    >>> [list(zip(*map(np.ndarray.tolist, round_robin(4, number)))) for number in range(3)]
    [[(0, 3), (1, 2)], [(3, 1), (2, 0)], [(2, 3), (0, 1)]]
    """
    others = players - 1 + players % 2
    turn, lap = number % others, number // others
    step = np.arange(1, (others + 1) // 2)
    # All but the last stand on a circle that turns, and face each other across it.
    first, second = (turn + step) % others, (turn - step) % others
    if players % 2 == 0:
        facing = (turn, others) if turn % 2 == 0 else (others, turn)
        first, second = np.append(facing[0], first), np.append(facing[1], second)
    return (second, first) if lap % 2 else (first, second)
