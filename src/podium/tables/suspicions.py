"""What looks wrong in a whole history, though each row can be read: said in a line, or refused."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from podium.arrays import NO_TIME, Bools
from podium.errors import InputError
from podium.history.history import History
from podium.history.times import to_micros
from podium.text import counted, shorten

FEWEST_WINS, FEWEST_PLAYERS = 30, 10
"""Matches, all won by the player who is named first, and players from which this is odd."""
FEWEST_NILS = 10
"""Matches, all of them 0:0, from which this is no result of a season."""
MOST_COMPARED = 100_000
"""Matches of a file up to which they are compared with those of other files."""
FIRST_LIKELY = to_micros("1800-01-01")
_ORDER_HINT = "if the columns name the winner first, call them winner and loser"
_NIL_HINT = "leave matches that have no result yet out of the file"


def suspicions(history: History) -> list[str]:
    """What to warn of in a history that was read; one in which every match is 0:0 is refused."""
    said = []
    matches = history.sizes == 2
    _check_nils(history, matches)
    if (players := _first_always_wins(history, matches)) is not None:
        said.append(f"the first player wins all {players:,} matches: {_ORDER_HINT}")
    early = (history.time != NO_TIME) & (history.time < FIRST_LIKELY)
    if early.any():
        event = history.event(int(np.argmax(early)))
        names = " and ".join(shorten(" + ".join(side), 30) for side in event.sides[:2])
        said.append(
            f"{counted(int(early.sum()), 'event')} before 1800, the first with {names}: check the dates"
        )
    return said


def _check_nils(history: History, matches: Bools) -> None:
    if history.score is None or len(history) < FEWEST_NILS or not matches.all():
        return
    if not history.score.any() and not np.isnan(history.score).any():
        source = history.readings[0].source if history.readings else None
        raise InputError(f"all {len(history):,} matches are 0:0", source=source, hint=_NIL_HINT)


def _first_always_wins(history: History, matches: Bools) -> int | None:
    """How many matches the player named first has won, if that is all of them; draws do not count.

    Files in podium's own words, such as those it writes, may have the winner first.
    """
    shapes = [reading for reading in history.readings if reading.shape is not None]
    if not shapes or any("player_a" not in reading.guessed for reading in shapes) or not matches.all():
        return None
    if len(history.players) < FEWEST_PLAYERS:
        return None
    rank = history.rank.reshape(-1, 2)
    decided = rank[:, 0] != rank[:, 1]
    wins = int(decided.sum())
    return wins if wins >= FEWEST_WINS and bool(np.all(rank[decided, 0] < rank[decided, 1])) else None


class RepeatedMatches:
    """Finds matches of one time, with the same players and result, that stand in two files or sheets."""

    def __init__(self) -> None:
        self._seen: dict[tuple[object, ...], str] = {}

    def warning(self, histories: Iterable[History], place: str) -> str | None:
        """What to say of the matches of the next file; None if there is nothing to say."""
        fresh: dict[tuple[object, ...], str] = {}
        again, other = 0, ""
        for history in histories:
            if len(history) > MOST_COMPARED:
                return None
            for event in history:
                if event.time in (None, NO_TIME) or len(event.sides) != 2:
                    continue
                sides = sorted(zip(event.sides, event.ranks, strict=True))
                key = (event.time, *sides)
                if key in self._seen:
                    again, other = again + 1, self._seen[key]
                fresh[key] = place
        self._seen.update(fresh)
        if not again:
            return None
        are = "is" if again == 1 else "are"
        return f"{counted(again, 'match')} of {place} {are} in {other}, too: check that none counts twice"
