"""The contests: the synthetic set as text and table have it, and a file in place of the sites'."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from podium.history import History
from podium.history.core import Longs
from podium.io import read_history
from podium.lab.populations import Population, synthetic_contests
from podium.papers.items import Setting

CONTESTS = 50
"""Of the synthetic set: Table 1."""
QUICK = 25
"""The synthetic set is so many times smaller when it has to be quick."""
SKILL, NOISE, DRIFT = 350.0, 200.0, 35.0
"""Deviations of skills, performances and drift: section 6.1."""


class Reading(NamedTuple):
    """One way to read the description of the synthetic set."""

    skill: float = SKILL
    each: int = 2_500
    """Participants a contest."""
    players: int = 10_000
    noise: float = NOISE
    drift: float = DRIFT

    def __str__(self) -> str:
        who = f"all {self.players:,}" if self.each == self.players else f"{self.each:,} of {self.players:,}"
        return f"skills ± {self.skill:.3g}, {who} in each round"


READINGS = (
    Reading(),
    Reading(300.0),
    Reading(players=2_500),
    Reading(300.0, players=2_500),
    Reading(each=10_000),
    Reading(300.0, each=10_000),
)
"""Deviations of this paper and of its draft, with participants as in Table 1, with players who compete in all
rounds as in the text, and with both, where there are not 10,000 of them."""


def synthetic(setting: Setting, seed: int, reading: Reading = READINGS[0]) -> Population:
    """The synthetic set of one seed; a twenty-fifth of everybody when it has to be quick."""
    return _made(seed, reading, QUICK if setting.quick else 1)


@cache
def _made(seed: int, reading: Reading, part: int) -> Population:
    return synthetic_contests(
        reading.players // part,
        CONTESTS,
        reading.each // part,
        skill_deviation=reading.skill,
        performance_deviation=reading.noise,
        drift=reading.drift,
        seed=seed,
    )


@cache
def read_contests(path: Path) -> History:
    """The file given."""
    return read_history(path)


def contests_of_each(history: History) -> Longs:
    """How many rated events each player has in all."""
    rated = history.player if history.unrated is None else history.player[~history.unrated]
    return np.bincount(rated, minlength=len(history.players))


NO_FILE = (
    "No file of contests was given, so the sites' rows have no numbers of ours: --contests FILE names one."
)


def in_place_of(whose: str) -> str:
    """What is remarked of a number from a given file, whose name stands before it."""
    return f"in place of the authors' {whose} data"
