"""What looks wrong in a whole history, though each row can be read: said in a line, or refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from podium.arrays import DAY, NO_TIME, Bools, Longs
from podium.errors import InputError
from podium.history.adjustments import Merge, Rename
from podium.history.history import History
from podium.history.times import to_iso, to_micros
from podium.tables.columns.column_names import OPPONENTS, plain_name
from podium.text import counted, shorten

FEWEST_WINS, FEWEST_PLAYERS = 30, 10
"""Matches, all won by the player who is named first, and players from which this is odd."""
FEWEST_NILS = 10
"""Matches, all of them 0:0, from which this is no result of a season."""
MOST_COMPARED = 100_000
"""Matches of a file up to which they are compared with those of other files."""
FIRST_LIKELY = to_micros("1800-01-01")
FEWEST_MIRRORED, FEWEST_MIRRORED_WINS = 2, 4
"""Pairs of mirrored matches, with scores and without, from which they may be reports of both players.

A column such as opponent says without scores, too, that rows are seen from one side.
"""
LEAST_MIRRORED, LEAST_MIRRORED_WINS = 0.01, 0.25
"""Part of the matches, with points and without, from which mirrored ones are no chance."""
_MIRROR_HINT = (
    "leave out the rows of one of the two players. If they are two matches, give them different times, or a "
    "time of day"
)
_ORDER_HINT = "if the columns name the winner first, call them winner and loser"
_NIL_HINT = "leave matches that have no result yet out of the file"


def suspicions(history: History) -> list[str]:
    """What to warn of in a history that was read; one in which every match is 0:0 is refused."""
    said = []
    matches = history.sizes == 2
    _check_nils(history, matches)
    if (mirrors := _check_mirrors(history, matches)) is not None:
        said.append(mirrors)
    if (repeats := _repeats(history, matches)) is not None:
        said.append(repeats)
    if (players := _first_always_wins(history, matches)) is not None:
        said.append(f"the first player wins all {players:,} matches: {_ORDER_HINT}")
    early = (history.time != NO_TIME) & (history.time < FIRST_LIKELY)
    if early.any():
        event = history.event(int(np.argmax(early)))
        names = " and ".join(shorten(" + ".join(side), 30) for side in event.sides[:2])
        said.append(
            f"{counted(int(early.sum()), 'event')} before 1800, the first with {names}: check the dates"
        )
    return said + names_used_again(history)


def names_used_again(history: History) -> list[str]:
    """A warning of each name that events still use after a merge or a rename has made it free.

    >>> from podium import History, Merge
    >>> match = {"ranks": {"A. Berg": 1, "Bob": 2}}
    >>> names_used_again(History.from_events([match, Merge(player="A. Berg", into="Bob"), match]))[0][:65]
    "'A. Berg' was merged into 'Bob', and 1 later event names 'A. Berg"
    """
    changes = [
        (placed.before, placed.adjustment)
        for placed in history.adjustments
        if isinstance(placed.adjustment, (Merge, Rename))
    ]
    names = {one.player for _, one in changes}
    numbers = sorted(number for name in names if (number := history.players.find(name)) is not None)
    rows = np.flatnonzero(np.isin(history.player, numbers))
    rows = rows[np.argsort(history.player[rows], kind="stable")]
    players, stops, said = history.player[rows], dict[str, int](), []
    for start, one in reversed(changes):
        stop = stops.get(one.player, len(history))  # from there on the name is given again, or free again
        stops[one.player] = start
        if isinstance(one, Rename):
            stops[one.into] = start
        if (number := history.players.find(one.player)) is None:
            continue
        first, last = np.searchsorted(players, [number, number + 1])
        events = np.unique(history.event_of_row[rows[first:last]])
        if count := int(np.searchsorted(events, stop) - np.searchsorted(events, start)):
            old, new = (repr(shorten(name, 30)) for name in (one.player, one.into))
            was = "merged into" if isinstance(one, Merge) else "renamed to"
            said.append(
                f"{old} was {was} {new}, and {counted(count, 'later event')} name{'s' if count == 1 else ''} "
                f"{old} again: a new player. For the same player, write {new} in these events"
            )
    return said[::-1]


def _check_nils(history: History, matches: Bools) -> None:
    if history.score is None or len(history) < FEWEST_NILS or not matches.all():
        return
    if not history.score.any() and not np.isnan(history.score).any():
        source = history.readings[0].source if history.readings else None
        raise InputError(f"all {len(history):,} matches are 0:0", source=source, hint=_NIL_HINT)


def _check_mirrors(history: History, matches: Bools) -> str | None:
    """What to say of matches that stand a second time, seen from the other side; refused where that is sure.

    That is so if all of them do, or if a column such as opponent says that each row is one player's report.
    """
    if not 2 <= len(history) <= MOST_COMPARED or not matches.all():
        return None
    if not any(reading.shape == "matches" for reading in history.readings):
        return None
    of_one_side = any(plain_name(r.columns.get("player_b", "")) in OPPONENTS for r in history.readings)
    is_timed = bool((history.time != NO_TIME).any())
    if not (of_one_side or is_timed):
        return None
    mirrored = _mirrored(history, history.time)
    fewest = FEWEST_MIRRORED if of_one_side or history.score is not None else FEWEST_MIRRORED_WINS
    fewest = 1 if of_one_side and is_timed else fewest
    if len(mirrored) >= fewest and (of_one_side or 2 * len(mirrored) == len(history)):
        source = history.readings[0].source
        raise InputError(_said_of_mirrors(history, mirrored), source=source, hint=_MIRROR_HINT)
    if of_one_side and not mirrored:  # each player may report at another time of the day
        mirrored = _mirrored(history, history.time // DAY)
    part = 0 if of_one_side else LEAST_MIRRORED if _has_points(history) else LEAST_MIRRORED_WINS
    if len(mirrored) < max(1, part * len(history)):
        return None
    return f"{_said_of_mirrors(history, mirrored)}, and both rows count: {_MIRROR_HINT}"


def _repeats(history: History, matches: Bools) -> str | None:
    """What to say of matches of one time with the same players and points."""
    if not _has_points(history) or len(history) > MOST_COMPARED or not matches.all():
        return None
    assert history.score is not None
    moments = np.unique(history.time, return_inverse=True)[1]
    key = np.column_stack((moments, history.player.reshape(-1, 2), history.score.reshape(-1, 2)))
    _, first, number = np.unique(key, axis=0, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[number.ravel()] != np.arange(len(history)))
    if len(again) < max(1, LEAST_MIRRORED * len(history)) or (history.time[again] == NO_TIME).any():
        return None
    of_one, are = _shown(history, int(again[0])), "is" if len(again) == 1 else "are"
    return (
        f"{counted(len(again), 'match')} {are} in two rows with the same time and points, such as {of_one}: "
        "check that none counts twice"
    )


def _has_points(history: History) -> bool:
    return history.score is not None and bool(np.nanmax(history.score, initial=0.0) > 1.0)


def _shown(history: History, row: int) -> str:
    event = history.event(row)
    names = " and ".join(shorten(" + ".join(side), 30) for side in event.sides[:2])
    return names if event.time in (None, NO_TIME) else f"{names} on {to_iso(event.time)[:10]}"


def _mirrored(history: History, when: Longs) -> list[int]:
    """The second row of each match that stands twice, seen from the side of each player; no draws."""
    player, rank = history.player.reshape(-1, 2), history.rank.reshape(-1, 2)
    turned = player[:, 0] > player[:, 1]
    columns = [player, np.sign(rank - rank[:, ::-1])]
    if history.score is not None:
        columns.append(np.nan_to_num(history.score.reshape(-1, 2)))
    sides = [np.where(turned[:, None], column[:, ::-1], column) for column in columns]
    key = np.column_stack((np.unique(when, return_inverse=True)[1], *sides))
    _, number = np.unique(key, axis=0, return_inverse=True)
    number = number.ravel()
    each = [np.bincount(number[side], minlength=number.max() + 1) for side in (turned, ~turned)]
    if not np.minimum(*each).any():
        return []
    decided = rank[:, 0] != rank[:, 1]
    met: dict[tuple[int, bool], int] = Counter()
    found = []
    for row, one in enumerate(number.tolist()):
        side = bool(turned[row])
        if met[one, not side]:
            met[one, not side] -= 1
            found.append(row)
        else:
            met[one, side] += 1
    return found if decided[found].any() else []


def _said_of_mirrors(history: History, mirrored: Sequence[int]) -> str:
    if 2 * len(mirrored) == len(history):
        return "each match is in two rows, one from the side of each player"
    are = "is" if len(mirrored) == 1 else "are"
    return (
        f"{counted(len(mirrored), 'match')} {are} in two rows, one from the side of each player, such as "
        f"{_shown(history, mirrored[0])}"
    )


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
