"""The contests: the synthetic set as text and table have it, and a file in place of the sites'."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from podium.arrays import Longs
from podium.errors import InputError
from podium.evaluation.order_accuracy import accuracy
from podium.history import History
from podium.simulation.populations import Population, synthetic_contests
from podium.tables import read_history
from podium_papers.items import Setting

SYNTHETIC_CONTESTS = 50
"""Number of contests in the synthetic set (Table 1)."""
QUICK_DIVISOR = 25
"""Quick runs divide the size of the synthetic set by this."""
SKILL_SIGMA, PERFORMANCE_SIGMA, DRIFT_SIGMA = 350.0, 200.0, 35.0
"""Standard deviations of skills, performances and drift (section 6.1)."""


TUNING_SHARE = 0.1
"""Share of the contests on which parameters are chosen."""
MIN_CONTESTS_OF_PLAYER = 5
"""Players with fewer contests are left out of the metrics."""
MIN_CONTESTS_OF_FILE = 20
"""A file needs this number of contests: a tenth of them is two."""
TOO_SMALL = "quick: too small to compare"


class Reading(NamedTuple):
    """One way to read the description of the synthetic set."""

    skill: float = SKILL_SIGMA
    each: int = 2_500
    """Participants in each contest."""
    players: int = 10_000
    noise: float = PERFORMANCE_SIGMA
    drift: float = DRIFT_SIGMA

    def sized(self, quick: bool) -> Reading:
        """The sizes that are used: all divided by `QUICK_DIVISOR` in quick runs."""
        part = QUICK_DIVISOR if quick else 1
        return self._replace(each=self.each // part, players=self.players // part)

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
    """The synthetic contests of one seed, smaller in quick runs."""
    return _made(seed, reading.sized(setting.quick))


@cache
def _made(seed: int, reading: Reading) -> Population:
    return synthetic_contests(
        reading.players,
        SYNTHETIC_CONTESTS,
        reading.each,
        skill_deviation=reading.skill,
        performance_deviation=reading.noise,
        drift=reading.drift,
        seed=seed,
    )


def given_contests(setting: Setting) -> History | None:
    """The given file of contests, if any; raises an error if it is too short for the measurements."""
    return None if setting.contests is None else _read(setting.contests)


@cache
def _read(path: Path) -> History:
    history = read_history(path)
    cut = first_part(history)
    nothing = np.zeros(history.rows)
    first = (
        accuracy(history[:cut], nothing[: history.offsets[cut]]).rows
        if len(history) >= MIN_CONTESTS_OF_FILE
        else 0
    )
    later = accuracy(history, nothing, min_events=MIN_CONTESTS_OF_PLAYER, first_event=cut).rows
    if not first or not later:
        raise InputError(
            f"too short: there {'is 1 event' if len(history) == 1 else f'are {len(history):,} events'}, and "
            f"players with {MIN_CONTESTS_OF_PLAYER} before meet in {'some' if later else 'none'} after the "
            "first tenth",
            source=path.name,
            hint=f"give a file of {MIN_CONTESTS_OF_FILE} contests or more, in both parts of which somebody "
            "is ahead of somebody else, with players who take part more than "
            f"{MIN_CONTESTS_OF_PLAYER} times",
        )
    return history


def first_part(history: History) -> int:
    """Number of contests on which parameters are chosen."""
    return min(max(round(TUNING_SHARE * len(history)), 2), len(history))


def contests_of_each(history: History) -> Longs:
    """Number of rated events of each player."""
    rated = history.player if history.unrated is None else history.player[~history.unrated]
    return np.bincount(rated, minlength=len(history.players))


NO_FILE = (
    "No file of contests was given, so the sites' rows have no numbers of ours: --contests FILE names one."
)


NO_OTHERS = " (of Topcoder and Reddit there is nothing of ours; a file given stands for Codeforces)"


def remarked(setting: Setting, remark: str) -> str:
    """The remark on a published number; in quick runs, that they are too small to compare."""
    return TOO_SMALL if setting.quick else remark


def in_place_of(whose: str) -> str:
    """The remark on a number from the given file, which stands in for the authors' data."""
    return f"in place of the authors' {whose} data"
